"""Sets as targets of solve, and oracles of one's own in worlds that are native."""

import numpy as np
import pytest

import c2rl
from c2rl import sets

ROOT_PROBLEM = "examples/navigation.toml"
NAMES = ["a", "b c", "norm"]
ROWS = np.array([[1.0, -0.25, 1e-3], [0.0, 2.0, 1 / 3]])
SAID = [
    sets.Point([1, 2.5, -1e-7]), sets.Box([-np.inf, 0, 1], [1 / 3, np.inf, 1]), sets.Halfspace([1, -2, 0.1], 0.3), sets.Affine(ROWS, [1, 0.1]),
    sets.Polyhedron(ROWS, [-1, -np.inf], [1, 2]), sets.Ball([1, -2, 3e5], 0.7), sets.Ellipsoid(ROWS, [0.5, -0.1], 2), sets.Simplex(3, 0.9),
    sets.Product([sets.Box([0], [1]), sets.Ball([1, 2], 3)]), sets.Ball([0, 0, 0], 2) & sets.Halfspace([1, 1, 1], 0.5)]


@pytest.mark.parametrize("one", SAID, ids=lambda one: type(one).__name__)
def test_sets_are_said_in_the_language_of_problem_files(one):
    """The text says the same set: both project the same."""
    said = c2rl.target(one._constraints(NAMES), NAMES)
    points = np.random.default_rng(0).normal(size=(200, 3)) * 10.0 ** np.random.default_rng(1).integers(-2, 3, size=(200, 1))
    for point in points:
        np.testing.assert_allclose(said.project(point), one.project(point), atol=1e-7 * max(1, np.abs(point).max()))


def test_a_set_is_a_target(tmp_path):
    wanted = sets.Box([0, 0], [11, 0.5])
    result = c2rl.solve(ROOT_PROBLEM, constraints=[], target=wanted, out=tmp_path / "run", progress=False)
    assert result.status == "feasible" and result.claim.grade == "proof" and np.allclose(result.measurement, [11, 0.5])
    assert c2rl.verify(tmp_path / "run").ok and "steps <= 11" in (tmp_path / "run/problem.toml").read_text()
    both = c2rl.solve(ROOT_PROBLEM, target=sets.Halfspace([1, 0], 9), progress=False)  # besides the constraints of the file
    assert both.status == "infeasible"
    with pytest.raises(c2rl.InputError, match="found a set of 3 numbers, expected 2: steps, risk"):
        c2rl.solve(ROOT_PROBLEM, target=sets.Simplex(3), progress=False)


class Disc(sets.ConvexSet):
    """Within 2 of (12, 1)."""

    dim = 2

    def __init__(self, fails=False):
        self.fails = fails

    def project(self, x):
        if self.fails:
            raise ZeroDivisionError("on purpose")
        away = x - np.array([12, 1])
        return x if np.linalg.norm(away) <= 2 else np.array([12, 1]) + 2 * away / np.linalg.norm(away)

    def __repr__(self):
        return "Disc()"


def test_a_set_of_ones_own_is_a_target(tmp_path):
    result = c2rl.solve(ROOT_PROBLEM, constraints=[], target=Disc(), out=tmp_path / "run", progress=False)
    assert result.status == "feasible" and np.linalg.norm(result.measurement - [12, 1]) <= 2 + 1e-6
    # Whoever has not the set is told so, and takes nothing else for the target.
    assert "only the program that has the set" in str(c2rl.verify(tmp_path / "run"))
    with pytest.raises(c2rl.InputError, match="only the program that has the set can project on it"):
        c2rl.load(tmp_path / "run")
    assert c2rl.verify(tmp_path / "run", target=Disc()).ok
    assert c2rl.load(tmp_path / "run", target=Disc()).measurement.tolist() == result.measurement.tolist()
    with pytest.raises(ZeroDivisionError):
        c2rl.solve(ROOT_PROBLEM, constraints=[], target=Disc(fails=True), progress=False)


class Trying:
    """Tries every table in the model it is told of."""

    def bind(self, world):
        self.model = world

    def minimize(self, call):
        tables = (np.array(table) for table in np.ndindex(*[self.model.actions] * self.model.states))
        return c2rl.Answer(policy=min(tables, key=lambda table: float(self.model.evaluate(table) @ call.direction)))


def small_model():
    transitions, measured = np.zeros((2, 3, 3)), np.zeros((2, 3, 2))
    transitions[0, 0, 1] = transitions[:, 1, 2] = transitions[1, 0, 2] = 1
    measured[0, :2], measured[1, :2] = [1, 0], [1, 1]
    return c2rl.Model(transitions, measured, start=0, names=["steps", "risk"])


def test_an_oracle_of_ones_own_in_a_model():
    """(1, 1), (2, 0) and (2, 1) there is; J of the tables is computed."""
    result = c2rl.solve(env=small_model(), oracle=Trying(), constraints=["steps <= 1.5", "risk <= 0.5"], progress=False)
    assert result.status == "feasible" and np.allclose(result.measurement, [1.5, 0.5])
    assert sorted(tuple(member.measurement) for member in result.policies) == [(1, 1), (2, 0)]


class Known:
    """The three best paths of the map, by name."""

    PATHS = {"direct": [8, 4], "corner": [10, 1], "around": [12, 0]}

    def bind(self, world):
        self.told = world

    def minimize(self, call):
        best = min(self.PATHS, key=lambda path: np.dot(self.PATHS[path], call.direction))
        return c2rl.Answer(policy=best, measurement=self.PATHS[best], exact=True)


def test_an_oracle_of_ones_own_with_a_problem_file():
    oracle = Known()
    result = c2rl.solve(ROOT_PROBLEM, oracle=oracle, progress=False)
    assert isinstance(oracle.told, c2rl.Model) and oracle.told.states == 54
    assert result.status == "feasible" and np.allclose(result.measurement, [11, 0.5]) and result.claim.grade == "proof"
    result = c2rl.solve("examples/cart_pole.toml", oracle=Constant(), constraints=["steps >= 1"], progress=False)
    assert isinstance(result.policies[0].policy, str)


class Constant:
    def bind(self, world):
        assert isinstance(world, c2rl.Problem)

    def minimize(self, call):
        return c2rl.Answer(policy="only", measurement=[10, 0], exact=True)


def test_gymnasiums_learners_need_an_environment_of_theirs():
    pytest.importorskip("stable_baselines3")
    with pytest.raises(c2rl.InputError, match="learns in an env of Gymnasium"):
        c2rl.solve(ROOT_PROBLEM, oracle=c2rl.oracles.StableBaselines3("PPO"), progress=False)
