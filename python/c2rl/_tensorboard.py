"""Scalars of a solve for TensorBoard: a point after every oracle call."""

from __future__ import annotations

from typing import Any

from ._errors import InputError


def _writer(folder: Any) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise InputError("tensorboard: needs the packages torch and tensorboard") from error
    return SummaryWriter(str(folder))


class Scalars:
    """Writes what a call came to, under the number of the call; `c2rl/env_steps` lets other axes be computed."""

    def __init__(self, folder: Any, names: list[str]) -> None:
        self._writer, self._names = _writer(folder), list(names)
        self._steps, self._seconds = 0, 0.0

    def call(self, row: dict[str, Any]) -> None:
        """A row of result.history."""
        number = int(row["call"])
        self._steps += int(row["env_steps"])
        self._seconds += float(row["seconds"])
        for key in ("distance", "distance_lower_bound", "error", "policies"):
            self._writer.add_scalar(f"c2rl/{key}", float(row[key]), number)
        self._writer.add_scalar("c2rl/env_steps", self._steps, number)
        self._writer.add_scalar("c2rl/seconds", self._seconds, number)
        for name, value in zip(self._names, row["measurement"]):
            self._writer.add_scalar(f"answer/{name}", float(value), number)
        for name, value in zip(self._names, row["direction"]):
            self._writer.add_scalar(f"direction/{name}", float(value), number)
        self._writer.flush()

    def close(self) -> None:
        self._writer.close()


def write(result: Any, folder: Any) -> None:
    """The history of a result, afterwards."""
    scalars = Scalars(folder, result.names)
    for row in result.history:
        scalars.call(row)
    scalars.close()
