"""One call of a Stable-Baselines3 oracle: training, watched, with the best of what was tried on fresh episodes."""

from __future__ import annotations

import collections
import copy
import math
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import torch
from stable_baselines3.common.callbacks import BaseCallback

from ..environments.measurements import Meter
from .stable_baselines3 import CHECK_SEED, Agent, _seed

RECENT_EPISODES = 16  # of the training, whose mean says that a check may be worth its episodes
REPORTS = 200         # of a call, to whoever watches it
TOTAL = "c2rl.total"  # the entry of info with what an ended episode measured


class _ScalarEnv(gymnasium.Env):  # type: ignore[misc]
    """The world with the reward of a direction."""

    def __init__(self, world: Any, direction: npt.NDArray[np.float64]) -> None:
        self._player = world.player()
        self._direction = direction
        # One discount for all is the learner's gamma; several are in what a step measures.
        self._meter = Meter(world.measurements, discounted=len(set(world.measurements.discounts.tolist())) > 1)
        self.observation_space, self.action_space = world.observation_space, world.action_space
        self.metadata = getattr(self._player.env, "metadata", {})

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        self._meter.reset()
        return self._player.reset(seed)

    def step(self, action: Any) -> Any:
        if type(self.action_space).__name__ == "Discrete":
            action = int(action)
        t = self._player.step(action)
        reward = -float(self._direction @ self._meter.add(t))
        if t.terminated or t.truncated:
            t.info = {**t.info, TOTAL: self._meter.totals.copy()}
        return t.next_obs, reward, t.terminated, t.truncated, t.info

    def close(self) -> None:
        self._player.close()


def scalar_env(world: Any, direction: npt.NDArray[np.float64]) -> gymnasium.Env:
    return _ScalarEnv(world, direction)


class _Watch(BaseCallback):  # type: ignore[misc]
    """Tells how far the training is, and tries the policy on fresh episodes now and then."""

    def __init__(self, oracle: Any, call: Any, steps: int) -> None:
        super().__init__()
        self.oracle, self.call, self.steps = oracle, call, steps
        self.direction = np.asarray(call.direction, float)
        self.enough = -math.inf if call.enough is None else float(call.enough)
        self.recent: collections.deque[float] = collections.deque(maxlen=RECENT_EPISODES)
        self.due = [steps // 2 + (i + 1) * (steps - steps // 2) // oracle.checks for i in range(oracle.checks)]
        self.best: Any = None
        self.best_value, self.tried, self.check_steps = math.inf, 0, 0
        self._reported = self._last_try = 0

    def _on_step(self) -> bool:
        for info in self.locals["infos"]:
            if TOTAL in info:
                self.recent.append(float(self.direction @ info[TOTAL]))
        done = self.num_timesteps
        if done - self._reported >= max(1, self.steps // REPORTS):
            self._reported = done
            self.call.report(min(1.0, done / self.steps))
        if self.due and done >= self.due[0]:
            while self.due and done >= self.due[0]:
                self.due.pop(0)
            return not self.check()
        looks_enough = len(self.recent) == RECENT_EPISODES and float(np.mean(self.recent)) <= self.enough
        if self.oracle.early_stop and looks_enough and done - self._last_try >= self.steps // 20:
            return not self.check()
        return True

    def check(self) -> bool:
        """Whether the policy is as good as the solver has use for, beyond chance."""
        self._last_try = self.num_timesteps
        self.tried += 1
        self.model.policy.set_training_mode(False)
        found = self.oracle.world.episodes(Agent(self.model), self.oracle.check_episodes,
                                           _seed(self.call.seed, CHECK_SEED) + self.tried,
                                           deterministic=self.oracle.deterministic)
        self.model.policy.set_training_mode(True)
        self.check_steps += found.env_steps
        values = found.totals @ self.direction
        value, error = float(values.mean()), float(values.std(ddof=1)) / math.sqrt(len(values))
        if value < self.best_value:
            self.best_value, self.best = value, copy.deepcopy(self.model.policy.state_dict())
        return self.oracle.early_stop and value + 2 * error <= self.enough


def train(oracle: Any, call: Any) -> tuple[Any, int]:
    """The model, without its environment, and the environment steps that it took."""
    direction = np.asarray(call.direction, float)
    steps = max(1, int(oracle.total_timesteps * call.effort))
    threads = torch.get_num_threads()
    env = oracle._training_env(direction)
    try:
        torch.set_num_threads(oracle.threads)
        model = oracle._model(env, int(call.seed) % 2**31)
        if oracle.warm_start and call.start is not None:
            model.set_parameters(call.start.model.get_parameters(), device=model.device)
        if not direction.any():  # every policy is as good as any other
            return _frozen(model), 0
        watch = _Watch(oracle, call, steps)
        model.learn(steps, callback=watch)
        if watch.best is None or watch.due:  # ended before its last check; those of a whole training include the end
            if not watch.tried or model.num_timesteps > watch._last_try:
                watch.check()
        model.policy.load_state_dict(watch.best)
        return _frozen(model), model.num_timesteps + watch.check_steps
    finally:
        torch.set_num_threads(threads)
        env.close()


def _frozen(model: Any) -> Any:
    """Without what it was trained with: environments, rollouts and replays."""
    model.policy.set_training_mode(False)
    model.env = None
    for buffer in ("rollout_buffer", "replay_buffer"):
        if hasattr(model, buffer):
            setattr(model, buffer, None)
    model._vec_normalize_env = None
    model._last_obs = model._last_original_obs = model._last_episode_starts = None
    return model
