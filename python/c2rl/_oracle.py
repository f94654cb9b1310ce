"""Oracles that are Python objects."""

from __future__ import annotations

import io
import os
import tempfile
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ._arrays import Floats, matrix, vector
from ._errors import InputError


@dataclass
class Answer:
    """What an oracle found for a direction.

    policy          whatever it is to you; it is handed back as `call.start`, to `episodes` and in the result
    episodes        totals of fresh episodes, (n, m): what a sampled measurement rests on
    measurement     in place of episodes: J itself, or with a standard_error an estimate of it. In a model neither is needed: J of a policy that
                    Model.evaluate takes is computed
    slack           how far direction.J may be above the smallest there is; with `exact` that is proven, and so may be what follows
    env_steps       taken in the environment, those of the episodes included
    """

    policy: Any
    episodes: Any = None
    measurement: Any = None
    standard_error: Any = None
    slack: float = 0.0
    exact: bool = False
    env_steps: int = 0


@dataclass
class Episodes:
    """What some episodes measured, a row each; and, where that is known, the steps they took and how many were cut."""

    totals: Any
    env_steps: int = 0
    cut: int = 0


class Keeper:
    """An oracle of the user's, as C++ asks it: what it answers is checked here."""

    def __init__(self, oracle: Any, names: list[str], model: Any = None) -> None:
        if not callable(getattr(oracle, "minimize", None)):
            raise InputError(f"oracle: found {oracle!r}, expected the name of a kind, or an object with minimize(call)", field="oracle")
        self.oracle, self.names, self._model = oracle, names, model
        self.can_draw = callable(getattr(oracle, "episodes", None))
        self.can_save = callable(getattr(oracle, "save", None)) and callable(getattr(oracle, "load", None))
        self.goes_on = bool(getattr(oracle, "goes_on", False))

    def minimize(self, call: Any) -> Answer:
        found = self.oracle.minimize(call)
        if not isinstance(found, Answer):
            raise InputError(f"minimize: returned {found!r}, expected a c2rl.Answer", field="minimize")
        if found.policy is None:
            raise InputError("minimize: answered without a policy", field="policy")
        if not (found.slack >= 0):
            raise InputError(f"slack: found {found.slack!r}, expected a number, 0 or more", field="slack")
        if found.episodes is None and found.measurement is None and self._model is not None:
            found = replace(found, measurement=self._model.evaluate(found.policy))
        if (found.episodes is None) == (found.measurement is None):
            raise InputError("minimize: expected episodes or a measurement in the answer, and not both", field="measurement")
        answer = Answer(found.policy, slack=float(found.slack), exact=bool(found.exact), env_steps=int(found.env_steps))
        if found.episodes is not None:
            if found.exact:
                raise InputError("exact: what is sampled is not exact", field="exact")
            answer.episodes = self._checked(found.episodes, None)
            return answer
        answer.measurement = self._numbers(found.measurement, "measurement")
        if found.standard_error is not None:
            if found.exact:
                raise InputError("exact: what has a standard error is not exact", field="exact")
            answer.standard_error = self._numbers(found.standard_error, "standard_error")
        return answer

    def episodes(self, policy: Any, count: int, seed: int) -> Episodes:
        if not self.can_draw:
            raise InputError("oracle: has no episodes(policy, count, seed), so that nothing more is known of its policies", field="oracle")
        return self._checked(self.oracle.episodes(policy, count, seed), count)

    def _checked(self, found: Any, count: int | None) -> Episodes:
        """Totals by themselves, or something that has them."""
        totals = matrix(getattr(found, "totals", found), "episodes", "episode")
        if totals.shape[1] != len(self.names):
            raise InputError(f"episodes: found {totals.shape[1]} numbers an episode, expected {len(self.names)}: {', '.join(self.names)}",
                             field="episodes")
        if count is not None and len(totals) != count:
            raise InputError(f"episodes: found {len(totals)}, expected {count}", field="episodes")
        if not np.isfinite(totals).all():
            raise InputError("episodes: found a total that is not finite", field="episodes")
        return Episodes(totals, int(getattr(found, "env_steps", 0)), int(getattr(found, "cut", 0)))

    def _numbers(self, values: Any, field: str) -> Floats:
        found = vector(values, field)
        if len(found) != len(self.names) or not np.isfinite(found).all():
            raise InputError(f"{field}: found {values!r}, expected {len(self.names)} finite numbers", field=field)
        return found

    @staticmethod
    def are_same(one: Any, other: Any) -> bool:
        """One object; or numbers, texts and arrays that are equal. Of anything else nobody knows."""
        if one is other:
            return True
        if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
            return bool(np.array_equal(one, other))
        plain = (str, bytes, int, float, tuple, frozenset)
        return isinstance(one, plain) and type(one) is type(other) and bool(one == other)

    def pack(self, policy: Any) -> bytes | None:
        """What `save` leaves, as one archive: the same bytes for the same files."""
        if not self.can_save:
            return None
        with tempfile.TemporaryDirectory(prefix="c2rl-") as folder:
            self.oracle.save(policy, os.path.join(folder, "policy"))
            content = io.BytesIO()
            with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as archive:
                for path in sorted(Path(folder).rglob("*")):
                    if path.is_file():
                        archive.writestr(zipfile.ZipInfo(path.relative_to(folder).as_posix()), path.read_bytes())
            return content.getvalue()

    def unpack(self, content: bytes) -> Any:
        """The inverse, by `load`."""
        if not self.can_save:
            raise InputError("oracle: has no save and load, so that its policies were not kept", field="oracle")
        if not content:
            raise InputError("policy: was not saved: the oracle had no save when it was found", field="policy")
        with tempfile.TemporaryDirectory(prefix="c2rl-") as folder:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                archive.extractall(folder)
            return self.oracle.load(os.path.join(folder, "policy"))
