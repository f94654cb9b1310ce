"""Convex sets to be met, by their projections. `a & b` is what both have in common."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from . import _core
from ._arrays import Floats, matrix, vector
from ._errors import InputError

__all__ = ["Affine", "Ball", "Box", "ConvexSet", "Ellipsoid", "Halfspace", "Intersection", "Point", "Polyhedron", "Product", "SecondOrderCone",
           "Simplex"]


_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class ConvexSet:
    """A non-empty closed convex set of R^dim.

    Those of this module are built in. To bring one of your own, derive from this class, say `dim` and `project`:

        class Disc(c2rl.sets.ConvexSet):
            dim = 2
            def project(self, x):
                return x / max(1, np.linalg.norm(x))
    """

    dim: int

    def project(self, x: Any) -> Floats:
        """The point of the set nearest to x."""
        raise NotImplementedError("a set of one's own says what the nearest point is: project(self, x)")

    def distance(self, x: Any) -> float:
        """How far x is from the set; 0 inside."""
        return _native(self).distance(vector(x, "x"))

    def contains(self, x: Any, tolerance: float = 1e-9) -> bool:
        """Whether x is no farther away than the tolerance."""
        return self.distance(x) <= tolerance

    def __and__(self, other: ConvexSet) -> Intersection:
        if not isinstance(other, ConvexSet):
            return NotImplemented
        return Intersection([self, other])

    def _make(self) -> _core.Set:
        """Its C++ self. Not kept: it holds on to this object."""
        return _core.python_set(self.dim, lambda x: vector(self.project(x), "project"))


def _native(some: ConvexSet) -> _core.Set:
    if not isinstance(some, ConvexSet):
        raise InputError(f"set: found {some!r}, expected a set of c2rl.sets", field="set")
    return some._make()


class _BuiltIn(ConvexSet):
    """A set that C++ knows."""

    def __init__(self, native: _core.Set, described: str) -> None:
        self._set, self._described = native, described
        self.dim = native.dim

    def _constraints(self, names: list[str]) -> list[str] | None:
        """The same in the language of problem files, over measurements of these names; None where that cannot say it."""
        return None

    def _make(self) -> _core.Set:
        return self._set

    def project(self, x: Any) -> Floats:
        return self._set.project(vector(x, "x"))

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """Lower and upper corner of a box around it, infinite where there is none; not always the smallest."""
        return self._set.bounds()

    def __repr__(self) -> str:
        return self._described


def _name(name: str) -> str:
    return name if _PLAIN.fullmatch(name) and name not in ("abs", "norm") else f'"{name}"'


def _sum(coefficients: Any, names: list[str], constant: float = 0.0) -> str:
    """A linear expression, to the last bit."""
    terms = [f"{float(c)!r}*{_name(name)}" for c, name in zip(coefficients, names) if c != 0]
    return " + ".join(terms + ([repr(float(constant))] if constant or not terms else []))


def _between(low: float, expression: str, high: float) -> list[str]:
    if low == high:
        return [f"{expression} == {float(low)!r}"]
    least = f"{float(low)!r} <= " if np.isfinite(low) else ""
    most = f" <= {float(high)!r}" if np.isfinite(high) else ""
    return [least + expression + most] if least and most else [f"{expression} >= {float(low)!r}"] if least else [expression + most] if most else []


def _words(values: Any) -> str:
    return np.array2string(np.asarray(values), separator=", ", threshold=20)


class Point(_BuiltIn):
    """{p}."""

    def __init__(self, p: Any) -> None:
        super().__init__(_core.point(vector(p, "p")), f"Point({_words(p)})")
        self.p = vector(p, "p")

    def _constraints(self, names: list[str]) -> list[str]:
        return [f"{_name(name)} == {float(value)!r}" for name, value in zip(names, self.p)]


class Box(_BuiltIn):
    """{x : lower <= x <= upper}; bounds may be infinite."""

    def __init__(self, lower: Any, upper: Any) -> None:
        super().__init__(_core.box(vector(lower, "lower"), vector(upper, "upper")), f"Box({_words(lower)}, {_words(upper)})")
        self.lower, self.upper = vector(lower, "lower"), vector(upper, "upper")

    def _constraints(self, names: list[str]) -> list[str]:
        return [text for low, name, high in zip(self.lower, names, self.upper) for text in _between(low, _name(name), high)]


class Halfspace(_BuiltIn):
    """{x : normal.x <= offset}."""

    def __init__(self, normal: Any, offset: float) -> None:
        super().__init__(_core.halfspace(vector(normal, "normal"), float(offset)), f"Halfspace({_words(normal)}, {offset})")
        self.normal, self.offset = vector(normal, "normal"), float(offset)

    def _constraints(self, names: list[str]) -> list[str]:
        return [f"{_sum(self.normal, names)} <= {self.offset!r}"]


class Affine(_BuiltIn):
    """{x : A x = b}."""

    def __init__(self, a: Any, b: Any) -> None:
        super().__init__(_core.affine(matrix(a, "a"), vector(b, "b")), f"Affine({_words(a)}, {_words(b)})")
        self.a, self.b = matrix(a, "a"), vector(b, "b")

    def _constraints(self, names: list[str]) -> list[str]:
        return [f"{_sum(row, names)} == {float(value)!r}" for row, value in zip(self.a, self.b)]


class Polyhedron(_BuiltIn):
    """{x : lower <= A x <= upper}; bounds may be infinite, equal ones are equations. `Polyhedron(A, upper=b)` is A x <= b."""

    def __init__(self, a: Any, lower: Any = None, upper: Any = None) -> None:
        rows = matrix(a, "a")
        low = np.full(len(rows), -np.inf) if lower is None else vector(lower, "lower")
        high = np.full(len(rows), np.inf) if upper is None else vector(upper, "upper")
        super().__init__(_core.polyhedron(rows, low, high), f"Polyhedron({_words(a)}, {_words(low)}, {_words(high)})")
        self.a, self.lower, self.upper = rows, low, high

    def _constraints(self, names: list[str]) -> list[str]:
        return [text for low, row, high in zip(self.lower, self.a, self.upper) for text in _between(low, _sum(row, names), high)]


class Ball(_BuiltIn):
    """{x : |x - center| <= radius}."""

    def __init__(self, center: Any, radius: float) -> None:
        super().__init__(_core.ball(vector(center, "center"), float(radius)), f"Ball({_words(center)}, {radius})")
        self.center, self.radius = vector(center, "center"), float(radius)

    def _constraints(self, names: list[str]) -> list[str]:
        away = (f"{_name(name)} - {float(value)!r}" for name, value in zip(names, self.center))
        return [f"norm({', '.join(away)}) <= {self.radius!r}"]


class Ellipsoid(_BuiltIn):
    """{x : |A x - b| <= radius}."""

    def __init__(self, a: Any, b: Any, radius: float) -> None:
        super().__init__(_core.ellipsoid(matrix(a, "a"), vector(b, "b"), float(radius)), f"Ellipsoid({_words(a)}, {_words(b)}, {radius})")
        self.a, self.b, self.radius = matrix(a, "a"), vector(b, "b"), float(radius)

    def _constraints(self, names: list[str]) -> list[str]:
        away = (_sum(row, names, -value) for row, value in zip(self.a, self.b))
        return [f"norm({', '.join(away)}) <= {self.radius!r}"]


class Simplex(_BuiltIn):
    """{x >= 0 : sum x = total}."""

    def __init__(self, dim: int, total: float = 1.0) -> None:
        super().__init__(_core.simplex(dim, float(total)), f"Simplex({dim}, {total})")
        self.total = float(total)

    def _constraints(self, names: list[str]) -> list[str]:
        return [f"{_name(name)} >= 0" for name in names] + [f"{' + '.join(map(_name, names))} == {self.total!r}"]


class SecondOrderCone(_BuiltIn):
    """{(z, t) : |z| <= t}, t being the last coordinate."""

    def __init__(self, dim: int) -> None:
        super().__init__(_core.second_order_cone(dim), f"SecondOrderCone({dim})")


class Product(_BuiltIn):
    """The product of sets over consecutive blocks of coordinates: Product([Box(...), Ball(...)])."""

    def __init__(self, blocks: Any) -> None:
        members = list(blocks)
        super().__init__(_core.product([_native(block) for block in members]), f"Product({members})")
        self.blocks: list[ConvexSet] = members

    def _constraints(self, names: list[str]) -> list[str] | None:
        found, at = [], 0
        for block in self.blocks:
            part = block._constraints(names[at:at + block.dim]) if isinstance(block, _BuiltIn) else None
            if part is None:
                return None
            found += part
            at += block.dim
        return found


class Intersection(_BuiltIn):
    """The points common to all members."""

    def __init__(self, members: Any) -> None:
        self.members: list[ConvexSet] = [part for member in members for part in (member.members if isinstance(member, Intersection) else [member])]
        super().__init__(_core.intersection([_native(member) for member in self.members]), " & ".join(map(repr, self.members)))

    def _constraints(self, names: list[str]) -> list[str] | None:
        found = []
        for member in self.members:
            part = member._constraints(names) if isinstance(member, _BuiltIn) else None
            if part is None:
                return None
            found += part
        return found
