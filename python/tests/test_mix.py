"""Policies that are measured already."""

import numpy as np
import pytest

import c2rl

POINTS = [[8, 4], [10, 1], [12, 0]]
NAMES = ["steps", "risk"]
CONSTRAINTS = ["steps <= 11", "risk <= 0.5"]


def test_the_corner_is_half_of_each_neighbour():
    result = c2rl.mix(POINTS, names=NAMES, constraints=CONSTRAINTS)
    assert result and result.status == "feasible" and result.claim.grade == "proof"
    np.testing.assert_allclose(result.measurement, [11, 0.5], atol=1e-9)
    assert {member.id: member.weight for member in result.policies} == pytest.approx({"2": 0.5, "3": 0.5})
    assert result.names == NAMES and result.constraints == CONSTRAINTS


def test_the_impossible_is_proven():
    result = c2rl.mix(POINTS, names=NAMES, constraints=["steps <= 9", "risk <= 0.5"])
    assert not result and result.status == "infeasible"
    # README: every mixture has 3 steps + 2 risk >= 32, the target at most 28.
    assert result.certificate.grade == "proof" and result.certificate.bound == pytest.approx(4 / np.sqrt(13))
    np.testing.assert_allclose(result.certificate.direction, np.array([3, 2]) / np.sqrt(13), atol=1e-9)
    assert "3 steps + 2 risk >= 32" in str(result)


def test_what_people_pass():
    pandas = pytest.importorskip("pandas")
    expected = c2rl.mix(POINTS, names=NAMES, constraints=CONSTRAINTS).to_dict()
    frame = pandas.DataFrame(POINTS, columns=NAMES)
    given = [(np.array(POINTS), NAMES), (np.array(POINTS, dtype=np.float32), tuple(NAMES)), (frame, None), (frame, NAMES),
             ([tuple(p) for p in POINTS], pandas.Index(NAMES)), (iter_list(POINTS), np.array(NAMES))]
    for points, names in given:
        found = c2rl.mix(points, names=names, constraints=CONSTRAINTS).to_dict()
        assert {**found, "seconds": 0} == {**expected, "seconds": 0}


def iter_list(points):
    return [np.asarray(point) for point in points]


def test_a_frame_names_policies_and_errors_as_a_file_does():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": ["fast", "safe"], "steps": [8.0, 12.0], "steps_se": [0.1, 0.1]})
    result = c2rl.mix(frame, constraints=["steps <= 10"])
    assert {member.id for member in result.policies} <= {"fast", "safe"}
    assert result.claim.grade == "confidence" and result.claim.level == 0.95


def test_the_best_inside():
    result = c2rl.mix(POINTS, names=NAMES, constraints=["risk <= 0.5"], minimize="steps")
    assert result.status == "optimal" and result.optimum.sense == "minimize"
    assert result.optimum.value == pytest.approx(11) and result.optimum.bound == pytest.approx(11)


def test_any_convex_set():
    class Disc(c2rl.sets.ConvexSet):
        dim = 2

        def project(self, x):
            x = np.asarray(x)
            return x / max(1.0, float(np.linalg.norm(x)))

    result = c2rl.mix([[2, 0], [0, 2]], target=Disc())
    # The nearest point of the segment is (1, 1), sqrt(2) - 1 from the disc.
    assert not result and result.distance == pytest.approx(np.sqrt(2) - 1, abs=1e-6)
    assert c2rl.mix([[2, 0], [0, 2]], target=c2rl.sets.Ball([0, 0], 1.5))


@pytest.mark.parametrize(
    ("points", "keywords", "words"),
    [
        ([[1, 2], [3]], {}, "points: policy 1 has 1 numbers and policy 0 has 2, expected as many in each"),
        ([[1, "many"]], {}, "points: policy 0 has 'many', expected a number"),
        ([1, 2], {}, "points: found an array of shape (2,), expected a list of numbers for every policy"),
        ([], {}, "points: found none, expected at least one policy"),
        (None, {}, "points: missing; expected a row of measurements for every policy"),
        ([[1, float("nan")]], {}, "points:2"),
        ([[1, 2]], {"names": ["a"]}, "names: found 1, expected 2, one per measurement"),
        ([[1, 2]], {"names": ["a", "a"]}, "names: found ['a', 'a'], expected each of them once"),
        ([[1, 2]], {"constraints": ["x0 <= "]}, "constraints: "),
        ([[1, 2]], {"constraints": []}, "constraints: expected at least one"),
        ([[1, 2]], {"constraints": ["y <= 1"]}, "unknown measurement 'y'"),
        ([[1, 2]], {"solver": "corective-mnp"}, "corrective-mnp"),
        ([[1, 2]], {"maximize": "x0", "minimize": "x1"}, "minimize: found beside maximize"),
        ([[1, 2]], {"standard_errors": [[1]]}, "standard_errors: found an array of shape (1, 1), expected (1, 2), as the points have"),
    ],
)
def test_errors_are_in_our_words(points, keywords, words):
    with pytest.raises(c2rl.InputError) as error:
        c2rl.mix(points, **{"constraints": ["x0 <= 1"], **keywords})
    assert words in str(error.value)
    assert isinstance(error.value, ValueError)
