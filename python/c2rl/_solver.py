"""The loop in your own hands: solvers say which direction to push down, and are told what was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._arrays import Floats, vector
from ._errors import InputError
from ._result import Certificate
from ._target import names_of
from ._toml import to_toml
from .sets import ConvexSet, _native

# Standard errors that may be chance: what an estimate says of all other policies is no surer than that.
_ERRORS = 2.0


@dataclass(frozen=True)
class Mixture:
    """Weights of answers, each known by the call (from 1) that first gave it."""

    ids: list[int]
    weights: Floats
    atoms: Floats  # a row per answer
    point: Floats  # what the mixture measures

    def __len__(self) -> int:
        return len(self.ids)


class Solver:
    """Finds a mixture of answers that meets a target.

        solver = c2rl.Solver("corrective-mnp", target, tolerance=1e-6)
        while (direction := solver.ask()) is not None:
            solver.tell(my_rl(direction))

    Options are those of `[solver]` in problem files. `maximize` (or `minimize`) is an expression of the target's names, or a vector: the
    solver then ends with the most of it inside the target.
    """

    def __init__(self, kind: str, target: ConvexSet, *, maximize: Any = None, minimize: Any = None, **options: Any) -> None:
        self.kind, self.target = kind, target
        uphill, self._scale = _uphill(target, maximize, minimize)
        self._solver = _core.make_solver(_native(target), to_toml({"kind": kind, **options}), uphill)
        self._asked: Floats | None = None

    def ask(self) -> Floats | None:
        """The next direction to minimise, of length 1; None once the solver has ended."""
        self._asked = self._solver.ask()
        return self._asked

    def tell(self, point: Any, standard_error: Any = None, slack: float = 0.0, exact: bool | None = None) -> dict[str, Any]:
        """What the policy measures that was found for the direction asked, and how far direction.point may be above the best
        there is (`slack`).

        Without a standard error that is taken as known: what the solver then says of what cannot be reached is a proof. With one, or with
        `exact=False`, it is evidence. Returns where that left the solver: call, atom, new, dropped, policies, distance, ...
        """
        found = vector(point, "point")
        if not np.isfinite(slack) or slack < 0:
            raise InputError(f"slack: found {slack!r}, expected a number, 0 or more", field="slack")
        if standard_error is not None:
            errors = vector(standard_error, "standard_error")
            if errors.shape != found.shape or not (errors >= 0).all():
                raise InputError(f"standard_error: found {standard_error!r}, expected a number of 0 or more per measurement",
                                 field="standard_error")
            asked = self._asked if self._asked is not None else self._solver.ask()
            if asked is not None and (length := np.linalg.norm(asked)) > 0:
                slack += _ERRORS * float(np.linalg.norm(asked * errors) / length)
        proven = exact if exact is not None else standard_error is None
        return self._solver.tell(found, slack, proven)

    @property
    def mixture(self) -> Mixture:
        solver = self._solver
        return Mixture(solver.ids, solver.weights, solver.atoms, solver.point)

    @property
    def needed(self) -> list[int]:
        """The calls whose policies are, or may come back, in the mixture: theirs must be kept."""
        return self._solver.needed

    @property
    def status(self) -> str:
        return self._solver.status

    @property
    def calls(self) -> int:
        return self._solver.calls

    @property
    def distance(self) -> float:
        """Of the mixture to the target."""
        return self._solver.distance

    @property
    def error_bound(self) -> float:
        """How far 1/2 distance^2 can be above that of the best mixture."""
        return self._solver.error_bound

    @property
    def policies_stored_max(self) -> int:
        return self._solver.policies_stored_max

    @property
    def certificate(self) -> Certificate | None:
        """A direction that bounds how near any mixture can get to the target."""
        found = self._solver.certificate
        return Certificate(**found) if found else None

    @property
    def value(self) -> float | None:
        """Of what is maximised or minimised, once the mixture is inside."""
        found = self._solver.maximum
        return None if found is None else self._scale * found[0]

    @property
    def bound(self) -> float | None:
        """What no mixture inside the target is better than."""
        found = self._solver.maximum
        return None if found is None else self._scale * found[1]

    def __repr__(self) -> str:
        return f"Solver({self.kind!r}, {self.target!r}): {self.status} after {self.calls} calls, distance {self.distance:g}"


def _uphill(target: ConvexSet, maximize: Any, minimize: Any) -> tuple[Floats | None, float]:
    """The direction to go up in, and what a unit of it is worth."""
    if maximize is not None and minimize is not None:
        raise InputError("minimize: found beside maximize, expected one of them", field="minimize")
    given, sign, field = (maximize, 1.0, "maximize") if maximize is not None else (minimize, -1.0, "minimize")
    if given is None:
        return None, 1.0
    if isinstance(given, str):
        names = names_of(target)
        if names is None:
            raise InputError(f"{field}: found {given!r}, expected a vector: this target knows no names", field=field)
        coefficients = _core.linear_expression(given, names, field)
    else:
        coefficients = vector(given, field)
    length = float(np.linalg.norm(coefficients))
    return sign * coefficients, sign * length
