"""Targets by constraints over named measurements."""

from __future__ import annotations

from typing import Any

from . import _core
from ._arrays import texts
from .sets import Intersection, _BuiltIn


class Target(_BuiltIn):
    """The points that satisfy constraints over named measurements: a convex set that knows their names."""

    def __init__(self, constraints: Any, names: Any) -> None:
        self.names, self.constraints = texts(names, "names"), texts(constraints, "constraints")
        super().__init__(_core.target_set(self.names, self.constraints), f"target({self.constraints}, {self.names})")

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
