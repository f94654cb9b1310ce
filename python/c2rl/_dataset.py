"""Recorded episodes."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._arrays import matrix, texts, vector
from ._errors import InputError
from ._problem import Problem
from ._progress import Listener
from ._safetensors import columns


@dataclass
class RecordedEpisode:
    """What was seen, done and measured.

    seen         the numbers of the states, or rows of features: one more than there are actions, the last being where it ended
    actions      numbers from 0
    measurements a row per action
    probability  with which each action was taken there; one number where it is always the same
    terminated   it was over; else, with truncated, it was cut and would have gone on
    """

    seen: Any
    actions: Any
    measurements: Any
    probability: Any
    terminated: bool
    truncated: bool = False


class Dataset:
    """Episodes that were recorded: what was seen, done and measured, step by step (docs/datasets.md). `arrays` has them as NumPy arrays."""

    Episode = RecordedEpisode

    def __init__(self, *, measurement: Any, action: Any, probability: Any, episode_begin: Any, terminated: Any, truncated: Any, names: Any,
                 actions: int, state: Any = None, next_state: Any = None, observation: Any = None, next_observation: Any = None,
                 states: int = 0, discount: float = 1.0, horizon: int = 0) -> None:
        """A row per transition; `episode_begin` has the first one of each episode, and their number at the end."""
        arrays: dict[str, Any] = {
            "measurement": matrix(measurement, "measurement", "transition"), "probability": vector(probability, "probability"),
            "action": _whole(action, "action"), "episode_begin": _whole(episode_begin, "episode_begin"),
            "terminated": np.ascontiguousarray(terminated, dtype=np.uint8), "truncated": np.ascontiguousarray(truncated, dtype=np.uint8)}
        features = 0
        if observation is not None:
            arrays["observation"] = np.ascontiguousarray(observation, dtype=np.float32)
            arrays["next_observation"] = np.ascontiguousarray(next_observation, dtype=np.float32)
            features = arrays["observation"].shape[-1]
        elif state is not None:
            arrays["state"], arrays["next_state"] = _whole(state, "state"), _whole(next_state, "next_state")
        else:
            raise InputError("state: missing; expected state and next_state, or observation and next_observation", field="state")
        about = {"kind": "dataset", "version": "1", "measurements": json.dumps(texts(names, "names")), "discount": repr(float(discount)),
                 "horizon": str(int(horizon)), "states": str(int(states)), "features": str(features), "actions": str(int(actions))}
        content = columns(arrays)
        about["crc32"] = f"{zlib.crc32(b''.join(data for *_, data in content)):08x}"
        self._dataset = _core.make_dataset(content, about)

    @classmethod
    def _of(cls, native: _core.Dataset) -> Dataset:
        dataset = cls.__new__(cls)
        dataset._dataset = native
        return dataset

    @classmethod
    def of_episodes(cls, episodes: Iterable[RecordedEpisode], *, names: Any, actions: int, states: int = 0, discount: float = 1.0,
                    horizon: int = 0) -> Dataset:
        """Of episodes one by one (`Dataset.Episode`). `states` is how many there are, where what is seen is their numbers; 0: features."""
        labels = texts(names, "names")
        rows: dict[str, list[Any]] = {name: [] for name in ("seen", "next", "action", "measurement", "probability", "terminated", "truncated")}
        begin = [0]
        for number, episode in enumerate(episodes):
            steps = len(episode.actions)
            seen = np.asarray(episode.seen, np.int32 if states else np.float32)
            measured = np.asarray(episode.measurements, np.float64).reshape(steps, -1)
            if len(seen) != steps + 1:
                raise InputError(f"episodes[{number}].seen: found {len(seen)}, expected {steps + 1}, one more than actions", field="episodes")
            if measured.shape[1] != len(labels) and steps:
                raise InputError(f"episodes[{number}].measurements: found {measured.shape[1]} a step, expected {len(labels)}", field="episodes")
            ends = np.zeros((2, steps), np.uint8)
            if steps:
                ends[:, -1] = episode.terminated, episode.truncated and not episode.terminated
            for name, column in {"seen": seen[:-1], "next": seen[1:], "action": np.asarray(episode.actions, np.int32),
                                 "measurement": measured.reshape(steps, len(labels)), "terminated": ends[0], "truncated": ends[1],
                                 "probability": np.broadcast_to(np.asarray(episode.probability, np.float64), (steps,))}.items():
                rows[name].append(column)
            begin.append(begin[-1] + steps)
        if begin[-1] == 0:
            raise InputError("episodes: found no transition, expected at least one", field="episodes")
        joined = {name: np.concatenate(parts) for name, parts in rows.items()}
        what = "state" if states else "observation"
        joined.update({what: joined.pop("seen"), f"next_{what}": joined.pop("next")})
        return cls(**joined, episode_begin=np.array(begin), names=labels, actions=actions, states=states, discount=discount, horizon=horizon)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Dataset:
        return cls._of(_core.read_dataset(os.fspath(path)))

    def write(self, path: str | os.PathLike[str]) -> None:
        self._dataset.write(os.fspath(path))

    @property
    def arrays(self) -> dict[str, Any]:
        return self._dataset.arrays

    @property
    def names(self) -> list[str]:
        return self._dataset.names

    @property
    def discount(self) -> float:
        return self._dataset.discount

    @property
    def horizon(self) -> int:
        return self._dataset.horizon

    @property
    def episodes(self) -> int:
        return self._dataset.episodes

    def __len__(self) -> int:
        return self._dataset.size

    def __repr__(self) -> str:
        return f"<Dataset of {len(self)} transitions in {self.episodes} episodes, measuring {', '.join(self.names)}>"


def _whole(values: Any, field: str) -> Any:
    array = np.asarray(values)
    if not np.issubdtype(array.dtype, np.integer) or array.ndim != 1:
        raise InputError(f"{field}: found {values!r}, expected a list of whole numbers", field=field)
    return np.ascontiguousarray(array, dtype=np.int32)


def collect(problem: Problem | str | os.PathLike[str], samples: int = 200_000, directions: Any = None, *, seed: int | None = None,
            progress: bool = True) -> Dataset:
    """All that an agent does while it learns in a problem's environment, as `c2rl collect` records it. Ctrl-C raises."""
    if not isinstance(problem, Problem):
        problem = Problem.from_file(problem)
    if seed is not None:
        problem = problem.changed({"seed": seed})
    chosen = [] if directions is None else [vector(direction, "directions") for direction in matrix(directions, "directions", "direction")]
    for direction in chosen:
        if len(direction) != len(problem.names) or not np.isfinite(direction).all() or not direction.any():
            raise InputError(f"directions: found {direction.tolist()}, expected {len(problem.names)} numbers, not all 0", field="directions")
    listener = Listener(progress)
    try:
        return Dataset._of(_core.collect(problem._problem, int(samples), chosen, listener))
    finally:
        listener.close()
