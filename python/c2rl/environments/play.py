"""Episodes of a policy, each from a seed of its own, with the same totals wherever they are played."""

from __future__ import annotations

import contextlib
import random
import sys
from dataclasses import dataclass
from typing import Any, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from .._errors import InputError
from .making import Player
from .measurements import Measurements, Meter, Transition

Ranges = Sequence[tuple[float, float]]

SLOTS = 8  # episodes that a network is asked for together: a call costs about the same for 8 as for 1
MOST_IN_CHUNK = 64
ENDLESS = 1_000_000  # steps after which an episode without a horizon is taken for one that never ends


@dataclass
class Episodes:
    """What some episodes measured, a row each."""

    totals: npt.NDArray[np.float64]
    env_steps: int
    cut: int  # that were truncated before they had reached an end

    @staticmethod
    def joined(parts: Sequence["Episodes"], dim: int) -> "Episodes":
        totals = np.concatenate([part.totals for part in parts]) if parts else np.zeros((0, dim))
        return Episodes(totals, sum(part.env_steps for part in parts), sum(part.cut for part in parts))


def episode_seed(seed: int, number: int) -> int:
    """Below 2^31, which every environment takes."""
    return int(np.random.SeedSequence([seed & (2**64 - 1), number]).generate_state(1, np.uint64)[0]) >> 33


def chunks(count: int) -> list[range]:
    """How episodes are handed out: a function of their number alone, so that every chunk is played the same way by
    whoever plays it, on any number of workers."""
    size = max(SLOTS, min(MOST_IN_CHUNK, count // 16))
    return [range(first, min(first + size, count)) for first in range(0, count, size)]


def is_batched(policy: Any) -> bool:
    """Stable-Baselines3's models and policies answer many observations at once."""
    module = sys.modules.get("stable_baselines3")
    if module is None:
        return False
    from stable_baselines3.common.base_class import BaseAlgorithm
    from stable_baselines3.common.policies import BasePolicy

    return isinstance(policy, (BaseAlgorithm, BasePolicy))


@contextlib.contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """What policies and careless environments draw from: the generators that a process has only one of. They are put
    back afterwards, since the program around may draw from them, too. PyTorch has one thread meanwhile: for a handful of
    observations, several wait for each other more than they compute."""
    torch = sys.modules.get("torch")
    numbers = random.getstate(), np.random.get_state()
    of_torch: Any = (torch.get_rng_state(), torch.get_num_threads()) if torch else None
    random.seed(seed)
    np.random.seed(seed)
    if torch:
        torch.manual_seed(seed)
        torch.set_num_threads(1)
    try:
        yield
    finally:
        random.setstate(numbers[0])
        np.random.set_state(numbers[1])
        if torch:
            torch.set_rng_state(of_torch[0])
            torch.set_num_threads(of_torch[1])


def stack(observations: Sequence[Any]) -> Any:
    if isinstance(observations[0], dict):
        return {key: stack([o[key] for o in observations]) for key in observations[0]}
    return np.stack([np.asarray(o) for o in observations])


def as_action(action: Any, space: Any) -> Any:
    """What was predicted, as the environment's space has it."""
    kind = type(space).__name__
    if kind == "Discrete":
        return action if type(action) is int else int(np.asarray(action).reshape(()) if np.ndim(action) else action)
    if kind == "Box":
        return np.clip(np.asarray(action, space.dtype).reshape(space.shape), space.low, space.high)
    return action


class _OneByOne:
    """A policy that is asked for one action after another: a function of the observation, or with predict."""

    def __init__(self, policy: Any, deterministic: bool) -> None:
        self.policy, self.deterministic = policy, deterministic
        self._predict = hasattr(policy, "predict")
        if not self._predict and not callable(policy):
            raise InputError(f"policy: found {type(policy).__name__}, expected a function of the observation, or an object "
                             "with predict(obs, state, episode_start, deterministic)")

    def begin(self, seed: int) -> None:
        if hasattr(self.policy, "reset"):
            self.policy.reset(seed=seed)
        self._state: Any = None
        self._start = True

    def act(self, obs: Any) -> Any:
        if not self._predict:
            return self.policy(obs)
        action, self._state = self.policy.predict(obs, state=self._state, episode_start=np.array([self._start]),
                                                  deterministic=self.deterministic)
        self._start = False
        return action


def _finish(t: Transition, meter: Meter, ranges: Ranges, totals: list[Any], number: int) -> bool:
    if not (t.terminated or t.truncated):
        if t.step >= ENDLESS:
            raise InputError(f"env: an episode has taken {ENDLESS} steps and goes on; expected one that ends, or a horizon")
        return False
    meter.check_ranges(ranges)
    totals[number] = meter.totals.copy()
    return True


def _play_batched(players: Sequence[Player], measurements: Measurements, ranges: Ranges, policy: Any, numbers: range, seed: int,
                  deterministic: bool) -> Episodes:
    """Slots step together, and one whose episode has ended takes the next of the chunk."""
    slots = min(len(players), len(numbers))
    meters = [Meter(measurements) for _ in range(slots)]
    waiting = iter(numbers)
    running: list[Any] = [next(waiting) for _ in range(slots)]
    for slot, number in enumerate(running):
        players[slot].reset(episode_seed(seed, number))
    starts = np.ones(slots, bool)
    state = None
    totals: list[Any] = [None] * len(numbers)
    steps = cut = 0
    while any(number is not None for number in running):
        actions, state = policy.predict(stack([players[slot].obs for slot in range(slots)]), state=state,
                                        episode_start=starts, deterministic=deterministic)
        starts[:] = False
        for slot, number in enumerate(running):
            if number is None:
                continue
            player = players[slot]
            t = player.step(as_action(actions[slot], player.action_space))
            meters[slot].add(t)
            steps += 1
            if _finish(t, meters[slot], ranges, totals, number - numbers[0]):
                cut += t.truncated and not t.terminated
                running[slot] = next(waiting, None)
                meters[slot].reset()
                starts[slot] = True
                if running[slot] is not None:
                    player.reset(episode_seed(seed, running[slot]))
    return Episodes(np.array(totals), steps, int(cut))


def play_chunk(players: Sequence[Player], measurements: Measurements, ranges: Ranges, policy: Any, numbers: range, seed: int,
               deterministic: bool = True) -> Episodes:
    """The episodes of these numbers. All that is random comes from the seed and the numbers."""
    with _seeded(episode_seed(seed, numbers[0]) ^ 0x5EED):
        if is_batched(policy):
            return _play_batched(players, measurements, ranges, policy, numbers, seed, deterministic)
        return _play_one_by_one(players[0], measurements, ranges, _OneByOne(policy, deterministic), numbers, seed)


def _play_one_by_one(player: Player, measurements: Measurements, ranges: Ranges, policy: _OneByOne, numbers: range,
                     seed: int) -> Episodes:
    meter = Meter(measurements)
    totals: list[Any] = [None] * len(numbers)
    steps = cut = 0
    for index, number in enumerate(numbers):
        own = episode_seed(seed, number)
        obs, _ = player.reset(own)
        policy.begin(own)
        meter.reset()
        ended = False
        while not ended:
            t = player.step(as_action(policy.act(obs), player.action_space))
            obs = t.next_obs
            meter.add(t)
            steps += 1
            ended = _finish(t, meter, ranges, totals, index)
        cut += t.truncated and not t.terminated
    return Episodes(np.array(totals), steps, int(cut))
