"""Convex sets: known projections, and sets of one's own."""

import numpy as np
import pytest

import c2rl
from c2rl import sets

KNOWN = [
    (sets.Point([1, 2]), [3, 2], [1, 2]),
    (sets.Box([0, -np.inf], [1, 1]), [3, -7], [1, -7]),
    (sets.Halfspace([1, 1], 1), [1, 1], [0.5, 0.5]),
    (sets.Affine([[1, 1]], [2]), [0, 0], [1, 1]),
    (sets.Polyhedron([[1, 0], [0, 1]], upper=[1, 1]), [2, 0], [1, 0]),
    (sets.Ball([1, 0], 2), [5, 0], [3, 0]),
    (sets.Ellipsoid([[2, 0], [0, 2]], [0, 0], 2), [3, 4], [0.6, 0.8]),
    (sets.Simplex(2), [2, 0], [1, 0]),
    (sets.SecondOrderCone(2), [1, -1], [0, 0]),
    (sets.Product([sets.Box([0], [1]), sets.Point([5])]), [2, 2], [1, 5]),
    (sets.Box([0, 0], [1, 1]) & sets.Halfspace([1, 1], 1), [1, 1], [0.5, 0.5]),
    (c2rl.target(["norm(a - 1, b) <= 2"], ["a", "b"]), [5, 0], [3, 0]),
]


@pytest.mark.parametrize(("some", "x", "nearest"), KNOWN, ids=lambda value: repr(value) if isinstance(value, sets.ConvexSet) else "")
def test_projections(some, x, nearest):
    np.testing.assert_allclose(some.project(x), nearest, atol=1e-9)
    assert some.distance(x) == pytest.approx(np.linalg.norm(np.subtract(x, nearest)))
    assert some.contains(nearest) and some.dim == 2
    np.testing.assert_allclose(some.project(some.project(x)), some.project(x), atol=1e-9)


class Disc(sets.ConvexSet):
    dim = 2

    def project(self, x):
        return x / max(1.0, np.linalg.norm(x))


def test_a_set_of_ones_own():
    assert Disc().distance([3, 4]) == pytest.approx(4)
    both = Disc() & sets.Box([0.6, -1], [1, 1])
    np.testing.assert_allclose(both.project([0, 5]), [0.6, 0.8], atol=1e-6)


def test_one_that_is_none():
    class Wrong(sets.ConvexSet):
        dim = 2

        def __init__(self, found):
            self.found = found

        def project(self, x):
            if isinstance(self.found, BaseException):
                raise self.found
            return self.found

    for found in ([1], [np.nan, 1], "here"):
        with pytest.raises(c2rl.InputError, match="project"):
            Wrong(found).distance([1, 1])
    with pytest.raises(ZeroDivisionError):
        Wrong(ZeroDivisionError()).distance([1, 1])
    with pytest.raises(KeyboardInterrupt):
        c2rl.mix([[2, 0], [0, 2]], target=Wrong(KeyboardInterrupt()))
    with pytest.raises(NotImplementedError):
        sets.ConvexSet.project(Wrong([1, 1]), [1, 1])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: sets.Box([0, 0], [1]), ""),
        (lambda: sets.Box([2], [1]), ""),
        (lambda: sets.Ball([0], -1), "radius"),
        (lambda: sets.Ball(["a"], 1), "center: found ['a'], expected a list of numbers"),
        (lambda: sets.Polyhedron([[1, 0], [0]]), "a: row 1 has 1 numbers and row 0 has 2, expected as many in each"),
        (lambda: sets.Box([0], [1]) & sets.Box([2], [3]), ""),
        (lambda: c2rl.target(["a <= 1", "a >= 2"], ["a"]), "a >= 2"),
        (lambda: c2rl.target(["a <= "], ["a"]), "constraints: "),
    ],
)
def test_errors(make, words):
    with pytest.raises(c2rl.InputError) as error:
        make()
    assert words in str(error.value)
