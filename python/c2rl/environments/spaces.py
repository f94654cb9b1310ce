"""Gymnasium's spaces as the native learners see them: numbered states or features, numbered actions or controls."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._errors import InputError

MOST_ACTIONS = 4096  # of several numbered actions together, each combination being one


def _kind(space: Any) -> str:
    return type(space).__name__


class Seen:
    """What is observed: the number of a state (`states` of them), or `features` real numbers."""

    def __init__(self, space: Any) -> None:
        from gymnasium.spaces import flatdim, flatten

        self._space, self._flatten = space, flatten
        self.states = self.features = 0
        if _kind(space) == "Discrete":
            self.states, self._start = int(space.n), int(space.start)
            return
        try:
            self.features = int(flatdim(space))
        except (NotImplementedError, ValueError) as error:
            raise InputError(f"env.observation_space: found {space}, expected one of a fixed size: Box, Discrete, "
                             "MultiDiscrete, MultiBinary, or Dict and Tuple of these") from error
        self._plain = _kind(space) == "Box"

    def encode(self, obs: Any) -> Any:
        if self.states:
            return int(obs) - self._start
        if self._plain:
            return np.asarray(obs, np.float32).reshape(-1)
        return np.asarray(self._flatten(self._space, obs), np.float32)


class Done:
    """What can be done: one of `actions` numbered ones, or `controls` real numbers, each meant to be within -1 and 1."""

    def __init__(self, space: Any) -> None:
        self._space, self.actions, self.controls = space, 0, 0
        kind = _kind(space)
        if kind == "Discrete":
            self.actions = int(space.n)
        elif kind == "MultiDiscrete":
            self._radix = [int(n) for n in np.asarray(space.nvec).reshape(-1)]
            self.actions = math.prod(self._radix)
        elif kind == "MultiBinary":
            self._radix = [2] * int(np.prod(space.shape))
            self.actions = math.prod(self._radix)
        elif kind == "Box":
            self.controls = int(np.prod(space.shape))
            bounded = np.isfinite(space.low) & np.isfinite(space.high)
            low, high = (np.where(bounded, end, unbounded).astype(float).reshape(-1)
                         for end, unbounded in ((space.low, -1.0), (space.high, 1.0)))
            self._middle, self._half = (high + low) / 2, (high - low) / 2
            self._bounded = bounded.reshape(-1)
        else:
            raise InputError(f"env.action_space: found {space}, expected Discrete, MultiDiscrete, MultiBinary or Box")
        if self.actions > MOST_ACTIONS:
            raise InputError(f"env.action_space: {space} has {self.actions} combinations, expected at most {MOST_ACTIONS}")

    def decode(self, action: Any) -> Any:
        kind = _kind(self._space)
        if kind == "Discrete":
            return int(action) + int(self._space.start)
        if kind == "Box":
            given = np.asarray(action, float)
            given = np.where(self._bounded, np.clip(given, -1, 1), given)
            value = (self._middle + self._half * given).reshape(self._space.shape).astype(self._space.dtype)
            return np.clip(value, self._space.low, self._space.high)
        digits, rest = [], int(action)
        for base in reversed(self._radix):  # the last one varies fastest
            rest, digit = divmod(rest, base)
            digits.append(digit)
        chosen = np.array(digits[::-1], self._space.dtype).reshape(self._space.shape)
        start = getattr(self._space, "start", None)
        return chosen if start is None else chosen + np.asarray(start, self._space.dtype).reshape(self._space.shape)
