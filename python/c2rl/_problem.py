"""Problems: environment, target, oracle, solver."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from . import _core
from ._toml import to_toml, to_value


class Brought(NamedTuple):
    """What a program of Python brings to a problem, where that says kind = "python"."""

    keeper: Any = None  # of an oracle (Keeper)
    world: Any = None  # or a model
    set: _core.Set | None = None


class Problem:
    """What is to be solved, read and checked. Sections and keys are those of problem files:

    c2rl.Problem.from_file("examples/navigation.toml")
    c2rl.Problem(environment={"kind": "grid", ...}, target={"constraints": [...]}, oracle={"kind": "ppo"}, solver={"tolerance": 1e-3}, seed=0)
    """

    def __init__(self, *, environment: Mapping[str, Any], target: Mapping[str, Any], oracle: str | Mapping[str, Any] | None = None,
                 solver: str | Mapping[str, Any] | None = None, seed: int | None = None, name: str | None = None) -> None:
        sections = {"name": name, "seed": seed, "environment": environment, "target": target, "oracle": section(oracle),
                    "solver": section(solver)}
        self._read(to_toml(sections), "", {})

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], set: Mapping[str, Any] | None = None) -> Problem:  # noqa: A002: as the command has it
        """A problem file; `set` changes anything in it: {"solver.tolerance": 1e-3}."""
        with open(path, encoding="utf-8") as file:
            return cls._of(file.read(), os.fspath(path), set or {})

    @classmethod
    def from_toml(cls, text: str, set: Mapping[str, Any] | None = None) -> Problem:  # noqa: A002
        """The same for text at hand."""
        return cls._of(text, "problem", set or {})

    @classmethod
    def _of(cls, text: str, file: str, changes: Mapping[str, Any], brought: Brought | None = None) -> Problem:
        problem = cls.__new__(cls)
        problem._read(text, file, changes, brought)
        return problem

    @classmethod
    def _of_sections(cls, sections: Mapping[str, Any], changes: Mapping[str, Any], brought: Brought) -> Problem:
        """Sections by name, with what Python brings."""
        merged: dict[str, Any] = {key: dict(value) if isinstance(value, Mapping) else value for key, value in sections.items()}
        for key, value in changes.items():
            name, _, inner = key.partition(".")
            if inner:
                merged[name][inner] = value
            else:
                merged[name] = value
        return cls._of(to_toml(merged), "", {}, brought)

    def _read(self, text: str, file: str, changes: Mapping[str, Any], brought: Brought | None = None) -> None:
        self._text, self._file, self._changes = text, file, dict(changes)
        assignments = [_assignment(key, value) for key, value in self._changes.items()]
        self._problem = _core.read_problem(text, file, assignments, *(brought or Brought()))

    def changed(self, changes: Mapping[str, Any]) -> Problem:
        """The same problem with other values of some keys."""
        return self._with(changes, None)

    def _with(self, changes: Mapping[str, Any], brought: Brought | None) -> Problem:
        return self._of(self._text, self._file, {**self._changes, **changes}, brought)

    @property
    def name(self) -> str:
        return self._problem.name

    @property
    def names(self) -> list[str]:
        """Of the measurements."""
        return self._problem.names

    @property
    def seed(self) -> int:
        return self._problem.seed

    @property
    def constraints(self) -> list[str]:
        return self._problem.constraints

    @property
    def model(self) -> Any:
        """The probabilities behind its environment, a c2rl.Model; None where it can only be acted in."""
        from ._model import Model

        native = self._problem.model
        return None if native is None else Model._of(native)

    @property
    def resolved(self) -> str:
        """The problem with all defaults filled in, as TOML."""
        return self._problem.resolved

    def __repr__(self) -> str:
        return f"<Problem {self.name}: {self._problem.oracle}, {self._problem.solver}>"


def section(given: str | Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """A section, where a kind alone may be given by its name."""
    return {"kind": given} if isinstance(given, str) else given


def _assignment(key: str, value: Any) -> str:
    """As `--set` has it."""
    return f"{key}={to_value(value, key)}"
