"""Methods x problems x variants x seeds."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _core
from ._errors import InputError


@dataclass(frozen=True)
class Experiment:
    """What an experiment came to. True where no cell failed and every claim of its file holds."""

    directory: str
    overview: list[dict[str, str]]  # a row per method, problem and variant
    claims: list[dict[str, str]]
    failures: list[str]
    all_hold: bool
    interrupted: bool

    def __bool__(self) -> bool:
        return self.all_hold and not self.failures and not self.interrupted

    def rows(self, table: str = "results") -> list[dict[str, str]]:
        """A table it has left: results, summary, summary_steps or summary_seconds."""
        path = Path(self.directory) / f"{table}.csv"
        if not path.exists():
            raise InputError(f"table: found {table!r}, expected results, summary, summary_steps or summary_seconds", field="table")
        with path.open(newline="") as file:
            return list(csv.DictReader(file))

    def to_frame(self, table: str = "results") -> Any:
        """The same as a pandas DataFrame."""
        import pandas

        return pandas.read_csv(Path(self.directory) / f"{table}.csv")


def experiment(file: str | os.PathLike[str], out: str | os.PathLike[str] | None = None, threads: int | None = None, shard: str | None = None,
               progress: bool | Callable[[int, int, int], Any] = True) -> Experiment:
    """Runs an experiment file, as `c2rl experiment` does: what is finished already is not done again. `progress` may be a function that is told
    how many cells are done, of how many, and how many failed; False from it stops, and so does Ctrl-C."""
    bar: Any = None
    if progress is True:
        try:
            from tqdm.auto import tqdm

            bar = tqdm(unit=" cells", leave=False, delay=0.2)
        except ImportError:
            pass

    def told(done: int, cells: int, failed: int) -> Any:
        if bar is not None:
            bar.total, bar.n = cells, done
            bar.refresh()
        return progress(done, cells, failed) if callable(progress) else True

    try:
        found = _core.experiment(os.fspath(file), None if out is None else os.fspath(out), threads or os.cpu_count() or 1, shard, told)
    finally:
        if bar is not None:
            bar.close()
    return Experiment(found.directory, _rows(found.overview), _rows(found.claims), found.failures, found.all_hold, found.interrupted)


def _rows(table: list[list[str]]) -> list[dict[str, str]]:
    return [dict(zip(table[0], row)) for row in table[1:]] if table else []
