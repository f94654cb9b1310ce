"""Environments whose episodes can be computed in the head."""

import gymnasium
import numpy as np


class Counting(gymnasium.Env):
    """Counts up to `goal` by the actions; ends there. Every episode starts with a draw that its seed decides."""

    def __init__(self, goal=5, vector_reward=False):
        self.goal, self.vector_reward = goal, vector_reward
        self.observation_space = gymnasium.spaces.Box(-100, 100, (2,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.count, self.draw = 0, float(self.np_random.random())
        return self._seen(), {"draw": self.draw}

    def _seen(self):
        return np.array([self.count, self.draw], np.float32)

    def step(self, action):
        self.count += int(action)
        ended = self.count >= self.goal
        reward = np.array([action, -1.0, self.draw]) if self.vector_reward else float(action)
        info = {"cost": 0.5, "draw": self.draw, "nested": {"list": [1, 2, 3]}}
        if ended:
            info["last"] = 7.0
        return self._seen(), reward, ended, False, info


class SixTuple(Counting):
    """As Safety-Gymnasium steps."""

    def step(self, action):
        obs, reward, terminated, truncated, info = super().step(action)
        return obs, reward, 0.25, terminated, truncated, {"cost_sum": 0.25, "cost_hazards": 0.125}


class Broken(Counting):
    """Raises, ends its process or never answers at the step after `after`."""

    def __init__(self, how, after=3):
        super().__init__(goal=1000)
        self.how, self.after = how, after

    def step(self, action):
        import os
        import signal
        import time

        found = super().step(action)
        if self.count > self.after:
            if self.how == "raise":
                raise ZeroDivisionError("the simulator divided by zero")
            if self.how == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            if self.how == "exit":
                raise SystemExit(3)
            time.sleep(1000)
        return found


def one(obs):
    """A policy: always 1."""
    return 1
