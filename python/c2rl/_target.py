"""Targets by constraints over named measurements."""

from __future__ import annotations

from typing import Any

from . import _core
from ._arrays import texts
from ._errors import InputError
from .sets import ConvexSet, Intersection, _BuiltIn, _native


class Target(_BuiltIn):
    """The points that satisfy constraints over named measurements: a convex set that knows their names."""

    def __init__(self, constraints: Any, names: Any) -> None:
        self.names, self.constraints = texts(names, "names"), texts(constraints, "constraints")
        super().__init__(_core.target_set(self.names, self.constraints), f"target({self.constraints}, {self.names})")

    def _constraints(self, names: list[str]) -> list[str]:
        if names != self.names:
            raise InputError(f"target: found one over {', '.join(self.names)}, expected {', '.join(names)}", field="target")
        return self.constraints

    def _repr_html_(self) -> str:
        from ._html import of_target

        return of_target(self.names, self.constraints)


def target(constraints: Any, names: Any) -> Target:
    """The set of points that satisfy the constraints, linear comparisons of the named measurements and norms of them:

    c2rl.target(["0 <= steps <= 11", "norm(a - 1, b - 2) <= 3"], ["steps", "a", "b"])
    """
    return Target(constraints, names)


def names_of(some: Any) -> list[str] | None:
    """The measurements' names, where a set knows them."""
    if isinstance(some, Target):
        return some.names
    if isinstance(some, Intersection):
        return next((names for names in map(names_of, some.members) if names), None)
    return None


def target_changes(some: ConvexSet, names: list[str], constraints: Any) -> tuple[dict[str, Any], _core.Set | None]:
    """Keys of [target] that say a set; and the set itself, where no problem file can say it and one only stands for it."""
    native = _native(some)
    if native.dim != len(names):
        raise InputError(f"target: found a set of {native.dim} numbers, expected {len(names)}: {', '.join(names)}", field="target")
    said = some._constraints(names) if isinstance(some, _BuiltIn) else None
    if said is not None:
        return {"target.constraints": said + texts(constraints, "constraints")}, None
    return {"target.set": {"kind": "python", "object": repr(some)}}, native
