"""Policies that act."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._errors import InputError
from ._safetensors import columns


class Shape(NamedTuple):
    """What policies see and do: numbered states or features, numbered actions or real numbers."""

    states: int = 0
    features: int = 0
    actions: int = 0
    controls: int = 0


class Policy:
    """A policy that C++ found: a table, or a network. Acts by `predict`, as policies of Stable-Baselines3 do."""

    def __init__(self, handle: _core.Policy, shape: Shape, world: Any = None) -> None:
        self._handle, self._shape = handle, shape
        self._seen = self._done = None  # how a Python environment's observations and actions are read
        if world is not None:
            from .environments.spaces import Done, Seen

            self._space, self._seen, self._done = world.observation_space, Seen(world.observation_space), Done(world.action_space)
        self._generator = np.random.default_rng()
        self._greedy: _core.Policy | None = None  # the same, doing what is likeliest

    @property
    def kind(self) -> str:
        return self._handle.kind

    @property
    def is_stationary(self) -> bool:
        return self._handle.is_stationary

    @property
    def is_deterministic(self) -> bool:
        return self._handle.is_deterministic

    @property
    def arrays(self) -> dict[str, Any]:
        """What it is made of, as its file has it."""
        return self._handle.arrays

    @property
    def metadata(self) -> dict[str, str]:
        return self._handle.metadata

    def save(self, path: str | os.PathLike[str]) -> None:
        """One safetensors file."""
        self._handle.save(os.fspath(path))

    def seed(self, seed: int | None) -> None:
        """Of what it draws from now on."""
        self._generator = np.random.default_rng(seed)

    def probabilities(self, obs: Any, step: int = 0) -> Any:
        """Of each action, where these are numbered; a row per observation where there are several."""
        rows, is_one = self._rows(obs)
        found = self._chances(rows, step)
        return found[0] if is_one else found

    def _chances(self, rows: Any, step: int) -> Any:
        if self._shape.features:
            return self._handle.probabilities_of_features(rows, step, self._shape.actions)
        return self._handle.probabilities_of_states([int(state) for state in rows], step, self._shape.actions)

    def predict(self, obs: Any, state: Any = None, episode_start: Any = None, deterministic: bool = True) -> tuple[Any, Any]:
        """The action for an observation, or an array of them for several. `state` is the number of steps since the episode began,
        which policies that change with time need: hand back what was returned, as for recurrent policies. Deterministic: the likeliest
        action. A policy that draws its actions measures what was claimed of it when it draws them: `deterministic=False`."""
        step = 0 if state is None or (episode_start is not None and np.all(episode_start)) else int(state)
        rows, is_one = self._rows(obs)
        if self._shape.controls:
            found = self._controls(rows, step, deterministic)
        else:
            chances = self._chances(rows, step)
            if deterministic:
                found = chances.argmax(axis=1)
            else:
                drawn = self._generator.random(len(chances))[:, None] * chances.sum(axis=1, keepdims=True)
                found = np.minimum((chances.cumsum(axis=1) <= drawn).sum(axis=1), chances.shape[1] - 1)
        if self._done is not None:
            found = [self._done.decode(action) for action in found]
        return (found[0] if is_one else np.asarray(found)), step + 1

    def _controls(self, rows: Any, step: int, deterministic: bool) -> Any:
        if deterministic and self._greedy is None:
            self._greedy = self._handle.greedy()
        acting = self._greedy if deterministic and self._greedy is not None else self._handle
        return acting.draw_controls(rows, self._shape.controls, step, int(self._generator.integers(2**63)))

    def _rows(self, obs: Any) -> tuple[Any, bool]:
        """Observations as rows, and whether there was one only."""
        if not self._shape.actions and not self._shape.controls:
            raise InputError("policy: only the program that found it can follow it", field="policy")
        if self._seen is not None:
            is_one = self._space.contains(obs) or np.shape(obs) == self._space.shape
            encoded = [self._seen.encode(one) for one in ([obs] if is_one else obs)]
            return (np.ascontiguousarray(encoded, dtype=np.float32) if self._shape.features else np.asarray(encoded)), is_one
        if self._shape.features:
            array = np.ascontiguousarray(obs, dtype=np.float32)
            if array.shape[-1:] != (self._shape.features,) or array.ndim > 2:
                raise InputError(f"obs: found an array of shape {array.shape}, expected {self._shape.features} features", field="obs")
            return np.atleast_2d(array), array.ndim == 1
        states = np.asarray(obs)
        if not np.issubdtype(states.dtype, np.integer) or states.min(initial=0) < 0 or states.max(initial=0) >= self._shape.states:
            raise InputError(f"obs: found {obs!r}, expected the number of a state, below {self._shape.states}", field="obs")
        return np.atleast_1d(states), states.ndim == 0

    def __getstate__(self) -> dict[str, Any]:
        content = (self._handle.kind, self._handle.metadata, columns(self._handle.arrays))
        return {**self.__dict__, "_handle": content, "_greedy": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._handle = _core.make_policy(*state["_handle"])

    def __repr__(self) -> str:
        return f"<Policy {self.kind}>"


class MixedPolicy:
    """A mixture as one policy: `reset` draws one of its members, with their weights, which acts until the next one is drawn. Call it at the
    start of every episode; J of the mixture is what such episodes measure on average."""

    def __init__(self, weights: Any, policies: list[Any]) -> None:
        self.weights = np.asarray(weights, dtype=np.float64)
        self.policies = policies
        self._generator = np.random.default_rng()
        self.member: int | None = None  # the one drawn
        self._state: Any = None

    def reset(self, seed: int | None = None) -> int:
        """Draws the member to follow, whose index is returned. With a seed, this and what is drawn later follow from it."""
        if seed is not None:
            self._generator = np.random.default_rng(seed)
        self.member = int(self._generator.choice(len(self.policies), p=self.weights / self.weights.sum()))
        self._state = None
        chosen = self.policies[self.member]
        if seed is not None and isinstance(chosen, Policy):
            chosen.seed(int(self._generator.integers(2**63)))
        return self.member

    def predict(self, obs: Any, state: Any = None, episode_start: Any = None, deterministic: bool = True) -> tuple[Any, Any]:
        """The action of the member that was drawn; the first call draws one, and so does `episode_start=True`."""
        if self.member is None or (episode_start is not None and np.all(episode_start)):
            self.reset()
            state, episode_start = None, True if episode_start is None else episode_start
        if state is None:
            state = self._state
        policy = self.policies[self.member or 0]
        if hasattr(policy, "predict"):
            action, self._state = policy.predict(obs, state=state, episode_start=episode_start, deterministic=deterministic)
        elif callable(policy):
            action, self._state = policy(obs), None
        else:
            raise InputError(f"policy: found {policy!r}, expected one with predict(obs), or a function of obs", field="policy")
        return action, self._state

    def __len__(self) -> int:
        return len(self.policies)

    def __repr__(self) -> str:
        return "MixedPolicy(" + ", ".join(f"{w:.4g} {p!r}" for w, p in zip(self.weights, self.policies)) + ")"
