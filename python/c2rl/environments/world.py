"""An environment of the user's, and what is measured in it: where episodes are played and learners act."""

from __future__ import annotations

import hashlib
import itertools
import time
from typing import Any, Callable, Mapping, Union

import numpy as np

from .._errors import InputError
from .batch import Batch
from .making import Player, longest_episode, maker_of
from .measurements import Measurements, Meter
from .play import Episodes, SLOTS, chunks, is_batched, play_chunk
from .workers import Pool, usable_cores

_keys = itertools.count()

ROUND_TRIP = 500e-6  # seconds that a step of a batch in other processes takes, whatever the environment does


def _pickled(what: Any, field: str) -> bytes:
    try:
        import cloudpickle
    except ImportError as error:
        raise InputError("env: needs the package cloudpickle; pip install 'c2rl[gym]'") from error
    try:
        content: bytes = cloudpickle.dumps(what)
        return content
    except Exception as error:
        raise InputError(f"{field}: cannot be sent to a worker process: {error}; workers=0 plays in this one") from error


class World:
    """Episodes of an environment, measured.

    env           a function that makes an environment (Gymnasium's, MO-Gymnasium's, Safety-Gymnasium's or a vector of
                  them), its registered name, or an environment
    measurements  name -> "steps", "reward", "reward[1]", "cost", "terminated", "info.NAME", a function of a transition,
                  or a Measurement with a range or discount
    horizon       episodes are cut after this many steps; None: only by their own time limit
    workers       processes that play; None: one for each core, where that is quicker; 0: this process plays, which is easier to debug
    """

    def __init__(self, env: Any, measurements: Mapping[str, Any], *, horizon: Union[int, None] = None,
                 workers: Union[int, None] = None) -> None:
        self.make = maker_of(env)
        self.measurements = measurements if isinstance(measurements, Measurements) else Measurements(measurements)
        if horizon is not None and (not isinstance(horizon, int) or horizon < 1):
            raise InputError(f"horizon: found {horizon!r}, expected a whole number above 0, or None")
        if workers is not None and (not isinstance(workers, int) or workers < 0):
            raise InputError(f"workers: found {workers!r}, expected a whole number, 0 or more, or None")
        self._cut = horizon
        player = self.player()
        try:
            self.observation_space, self.action_space = player.observation_space, player.action_space
            own = longest_episode(player.env)
            self.horizon = min((h for h in (horizon, own) if h is not None), default=None)
            self._try(player)
        finally:
            player.close()
        self.ranges = self.measurements.ranges(self.horizon)
        self.workers = usable_cores() if workers is None else workers
        self._chooses = workers is None  # how many, by what a step takes
        self._step_seconds: Union[float, None] = None
        self._key = next(_keys)
        self._pool: Union[Pool, None] = None
        self._content = b""
        self._players: list[Player] = []

    @property
    def names(self) -> list[str]:
        return self.measurements.names

    @property
    def discount(self) -> float:
        return self.measurements.discount

    def player(self) -> Player:
        return Player(self.make, self._cut)

    def _try(self, player: Player) -> None:
        """One step, so that a name that is not there is found before anything is trained."""
        player.reset(0)
        player.action_space.seed(0)
        Meter(self.measurements).add(player.step(player.action_space.sample()))

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        state.update(_pool=None, _content=b"", _players=[])
        return state

    def episodes(self, policy: Any, count: int, seed: int, *, deterministic: bool = True,
                 report: Union[Callable[[float], Any], None] = None) -> Episodes:
        """So many fresh episodes. The same seed gives the same totals, on any number of workers."""
        if count < 1:
            raise InputError(f"count: found {count}, expected at least 1 episode")
        jobs = chunks(count)
        policy = _without_training(policy)
        if self.workers == 0:
            while len(self._players) < (SLOTS if is_batched(policy) else 1):
                self._players.append(self.player())
            results = []
            for job in jobs:
                results.append(play_chunk(self._players, self.measurements, self.ranges, policy, job, seed, deterministic))
                if report is not None:
                    report(len(results) / len(jobs))
        else:
            if self._pool is None:
                self._pool = Pool(self.workers)
                self._content = _pickled(self, "env")
            content = _pickled(policy, "policy")
            results = self._pool.play((self._key, self._content), (hashlib.sha256(content).digest(), content), jobs, seed, deterministic, report)
        return Episodes.joined(results, len(self.measurements))

    def batch(self, size: int, workers: Union[int, None] = None) -> Batch:
        """Many episodes to act in at once; the caller closes it. Where nobody said how many processes, this one steps them unless
        others would be quicker; what comes of it is the same."""
        if workers is None:
            gain = size * self._step_time() * (1 - 1 / self.workers) if self._chooses else np.inf
            workers = self.workers if gain > ROUND_TRIP else 0
        return Batch(self, size, workers)

    def _step_time(self) -> float:
        """Seconds that a step takes here: the median of some, which a busy machine changes little."""
        if self._step_seconds is None:
            player, meter, seconds = self.player(), Meter(self.measurements), []
            try:
                player.action_space.seed(0)
                player.reset(0)
                for _ in range(100):
                    action, begun = player.action_space.sample(), time.perf_counter()
                    t = player.step(action)
                    meter.add(t)
                    seconds.append(time.perf_counter() - begun)
                    if t.terminated or t.truncated:
                        player.reset(0)
                        meter.reset()
                self._step_seconds = float(np.median(seconds))
            finally:
                player.close()
        return self._step_seconds

    def close(self) -> None:
        """Ends the workers; the next episodes start new ones."""
        if self._pool is not None:
            self._pool.close()
        for player in self._players:
            player.close()
        self._players = []

    def __enter__(self) -> "World":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _without_training(policy: Any) -> Any:
    """Of Stable-Baselines3's models their policy, without buffers and environments; what else knows of such a part says
    so itself."""
    if hasattr(policy, "played"):
        return policy.played
    return policy.policy if is_batched(policy) and hasattr(policy, "policy") and hasattr(policy, "learn") else policy
