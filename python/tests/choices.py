"""A world of one step whose answers are known: action a measures 1 in entry a."""

import gymnasium
import numpy as np


class Choice(gymnasium.Env):
    def __init__(self, controls=False):
        self.observation_space = gymnasium.spaces.Box(-1, 1, (1,), np.float32)
        self.action_space = gymnasium.spaces.Box(-1, 1, (1,), np.float32) if controls else gymnasium.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.zeros(1, np.float32), {}

    def step(self, action):
        return np.zeros(1, np.float32), 0.0, True, False, {"a": np.asarray(action, float).reshape(-1)}


def is_action(i):
    return lambda t: t.action == i


CHOICE = {name: {"of": is_action(i), "range": (0, 1)} for i, name in enumerate(("a", "b", "c"))}


class Always:
    """A policy."""

    def __init__(self, action):
        self.action = action

    def predict(self, obs, state=None, episode_start=None, deterministic=True):
        return self.action, state


AGENTS = [Always(0), Always(1), Always(2)]
