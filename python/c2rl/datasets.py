"""Recorded episodes as files that oracles learn from (docs/datasets.md)."""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterable

import numpy as np

from . import _safetensors
from ._errors import InputError

_TYPES = {np.dtype(kind): name for name, kind in _safetensors.TYPES.items()}


@dataclass
class Episode:
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


def write(path: Any, episodes: Iterable[Episode], *, measurements: list[str], actions: int, states: int = 0, discount: float = 1.0,
          horizon: int = 0) -> None:
    """A dataset file. `states` is how many there are, where what is seen is their numbers; 0 where it is features."""
    rows: dict[str, list[Any]] = {name: [] for name in ("seen", "next", "action", "measurement", "probability", "terminated", "truncated")}
    begin = [0]
    for number, episode in enumerate(episodes):
        steps = len(episode.actions)
        seen = np.asarray(episode.seen, np.int32 if states else np.float32)
        measured = np.asarray(episode.measurements, np.float64).reshape(steps, -1)
        if len(seen) != steps + 1:
            raise InputError(f"episodes[{number}].seen: found {len(seen)}, expected {steps + 1}, one more than actions")
        if measured.shape[1] != len(measurements) and steps:
            raise InputError(f"episodes[{number}].measurements: found {measured.shape[1]} a step, expected {len(measurements)}")
        ends = np.zeros((2, steps), np.uint8)
        if steps:
            ends[:, -1] = episode.terminated, episode.truncated and not episode.terminated
        rows["seen"].append(seen[:-1])
        rows["next"].append(seen[1:])
        rows["action"].append(np.asarray(episode.actions, np.int32))
        rows["measurement"].append(measured.reshape(steps, len(measurements)))
        rows["probability"].append(np.broadcast_to(np.asarray(episode.probability, np.float64), (steps,)))
        rows["terminated"].append(ends[0])
        rows["truncated"].append(ends[1])
        begin.append(begin[-1] + steps)
    if begin[-1] == 0:
        raise InputError("episodes: found no transition, expected at least one")
    joined = {name: np.concatenate(parts) for name, parts in rows.items()}
    what = "state" if states else "observation"
    arrays = {"probability": joined["probability"], "measurement": joined["measurement"], what: joined["seen"],
              f"next_{what}": joined["next"], "action": joined["action"], "episode_begin": np.array(begin, np.int32),
              "terminated": joined["terminated"], "truncated": joined["truncated"]}
    about = {"kind": "dataset", "version": "1", "measurements": json.dumps([str(name) for name in measurements]),
             "discount": repr(float(discount)), "horizon": str(int(horizon)), "states": str(int(states)),
             "features": str(0 if states else arrays[what].shape[1]), "actions": str(int(actions))}
    _write(Path(path), about, arrays)


def _write(path: Path, about: dict[str, str], arrays: dict[str, Any]) -> None:
    data: list[bytes] = []
    header: dict[str, Any] = {}
    at = 0
    for name, array in arrays.items():  # of the widest numbers first, so that all are aligned
        content = np.ascontiguousarray(array).tobytes()
        header[name] = {"dtype": _TYPES[array.dtype], "shape": list(array.shape), "data_offsets": [at, at + len(content)]}
        data.append(content)
        at += len(content)
    crc = 0
    for content in data:
        crc = zlib.crc32(content, crc)
    text = json.dumps({"__metadata__": {**about, "crc32": f"{crc:08x}"}, **header}).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(data))


def read(path: Any) -> tuple[dict[str, str], dict[str, Any]]:
    """The metadata of a dataset and its columns, as views of the file: nothing is copied."""
    about, arrays = _safetensors.read(path)
    if about.get("kind") != "dataset":
        raise InputError(f"{path}: has kind {about.get('kind')!r}, expected a dataset, as c2rl collect writes it")
    return about, arrays
