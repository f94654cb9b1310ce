"""Gymnasium's spaces as the native learners see them: numbered states or features, numbered actions or controls."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from .._errors import InputError

MOST_ACTIONS = 4096  # of several numbered actions together, each combination being one
MOST_STATES = 4096  # of several numbers that are observed together, likewise


def _kind(space: Any) -> str:
    return type(space).__name__


class Seen:
    """What is observed: the number of a state (`states` of them), or `features` real numbers. Whole numbers with at most MOST_STATES
    combinations are numbered, so that tables can be learnt."""

    def __init__(self, space: Any) -> None:
        from gymnasium.spaces import flatdim, flatten

        self._space, self._flatten = space, flatten
        self.states = self.features = 0
        digits = _digits(space)
        if digits is not None and (_kind(space) == "Discrete" or math.prod(size for _, size in digits) <= MOST_STATES):
            self._lowest = np.array([lowest for lowest, _ in digits], np.int64)
            self._sizes = np.array([size for _, size in digits], np.int64)
            self.states = math.prod(int(size) for size in self._sizes)
            # The last one varies fastest.
            self._weights = np.array([math.prod(int(size) for size in self._sizes[i + 1:]) for i in range(len(digits))], np.int64)
            return
        try:
            self.features = int(flatdim(space))
        except (NotImplementedError, ValueError) as error:
            raise InputError(f"env.observation_space: found {space}, expected one of a fixed size: Box, Discrete, "
                             "MultiDiscrete, MultiBinary, or Dict and Tuple of these") from error
        self._plain = _kind(space) == "Box"

    def encode(self, obs: Any) -> Any:
        """A number, -1 for one that is not in the space; or features."""
        if self.states:
            found = np.array(list(_whole_numbers(self._space, obs)), np.int64) - self._lowest
            return int(found @ self._weights) if ((found >= 0) & (found < self._sizes)).all() else -1
        if self._plain:
            return np.asarray(obs, np.float32).reshape(-1)
        return np.asarray(self._flatten(self._space, obs), np.float32)


def _parts(space: Any) -> list[tuple[Any, Any]]:
    return list(space.spaces.items()) if _kind(space) == "Dict" else list(enumerate(space.spaces))


def _digits(space: Any) -> list[tuple[int, int]] | None:
    """(lowest, how many) of each of the whole numbers that are observed; None where they are others."""
    kind = _kind(space)
    if kind == "Discrete":
        return [(int(space.start), int(space.n))]
    if kind == "MultiDiscrete":
        starts = np.broadcast_to(getattr(space, "start", 0), space.nvec.shape)
        return [(int(start), int(size)) for start, size in zip(starts.reshape(-1), space.nvec.reshape(-1))]
    if kind == "MultiBinary":
        return [(0, 2)] * math.prod(space.shape)
    if kind == "Box" and np.issubdtype(space.dtype, np.integer) and math.prod(space.shape) <= MOST_STATES:
        return [(int(low), int(high) - int(low) + 1) for low, high in zip(space.low.reshape(-1), space.high.reshape(-1))]
    if kind in ("Dict", "Tuple"):
        parts = [_digits(part) for _, part in _parts(space)]
        return None if any(part is None for part in parts) else [digit for part in parts for digit in part or []]
    return None


def _whole_numbers(space: Any, obs: Any) -> Iterator[int]:
    if _kind(space) in ("Dict", "Tuple"):
        for key, part in _parts(space):
            yield from _whole_numbers(part, obs[key])
    else:
        yield from np.asarray(obs).reshape(-1).tolist()


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
