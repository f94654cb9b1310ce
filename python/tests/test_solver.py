"""The loop in your own hands."""

import numpy as np
import pytest

import c2rl
from c2rl import _core

POINTS = np.array([[8.0, 4.0], [10.0, 1.0], [12.0, 0.0]])
NAMES = ["steps", "risk"]


def run(solver, points=POINTS):
    while (direction := solver.ask()) is not None:
        solver.tell(points[np.argmin(points @ direction)])
    return solver


@pytest.mark.parametrize("kind", sorted(_core.kinds()["solver"]))
def test_every_solver_comes_near(kind):
    box = c2rl.sets.Box([0, 0], [11, 0.5])
    target = c2rl.sets.Point([11, 0.5]) if kind == "wolfe-mnp" else box
    solver = run(c2rl.Solver(kind, target, tolerance=1e-3, max_oracle_calls=500))
    assert solver.status in {"feasible", "budget"}
    if kind != "rcpo":  # which keeps its latest policy only
        assert solver.distance < 0.2
    mixture = solver.mixture
    assert mixture.weights.sum() == pytest.approx(1) and len(mixture) == len(mixture.ids) == len(mixture.atoms)
    np.testing.assert_allclose(mixture.weights @ mixture.atoms, mixture.point, atol=1e-9)


def test_the_known_answer():
    solver = run(c2rl.Solver("corrective-mnp", c2rl.target(["steps <= 11", "risk <= 0.5"], NAMES), tolerance=1e-9))
    assert solver.status == "feasible" and solver.distance == 0
    np.testing.assert_allclose(np.sort(solver.mixture.weights), [0.5, 0.5])
    assert solver.ask() is None
    with pytest.raises(c2rl.InputError, match="the solver has ended"):
        solver.tell([1, 2])


def test_estimates_are_no_proof():
    target = c2rl.target(["steps <= 9", "risk <= 0.5"], NAMES)
    exact = run(c2rl.Solver("corrective-mnp", target))
    assert exact.status == "infeasible" and exact.certificate.grade == "proof"
    assert exact.certificate.bound == pytest.approx(4 / np.sqrt(13))
    estimated = c2rl.Solver("corrective-mnp", target, max_oracle_calls=50)
    while (direction := estimated.ask()) is not None:
        estimated.tell(POINTS[np.argmin(POINTS @ direction)], standard_error=[0.1, 0.1])
    assert estimated.status != "infeasible" and estimated.certificate.grade == "evidence"
    assert estimated.certificate.bound < exact.certificate.bound


def test_the_most_inside():
    solver = run(c2rl.Solver("corrective-mnp", c2rl.target(["risk <= 0.5"], NAMES), minimize="2*steps", tolerance=1e-9))
    assert solver.status == "optimal" and solver.value == pytest.approx(22) and solver.bound == pytest.approx(22)


def test_options_are_those_of_problem_files():
    box = c2rl.sets.Box([0, 0], [1, 1])
    with pytest.raises(c2rl.InputError, match=r"^tolerance: found -1, expected a number above 0$"):
        c2rl.Solver("corrective-mnp", box, tolerance=-1)
    with pytest.raises(c2rl.InputError, match="^kappa: "):
        c2rl.Solver("corrective-mnp", box, kappa=3)
    with pytest.raises(c2rl.InputError, match="corrective-mnp"):
        c2rl.Solver("corrective_mnp", box)
    assert c2rl.Solver("appropo", box, kappa=3, first_direction=[1, 0]).ask() is not None
    with pytest.raises(c2rl.InputError, match="first_direction"):
        c2rl.Solver("cg", box, first_direction=[1, 0, 0])


def test_answers_are_checked():
    solver = c2rl.Solver("cg", c2rl.sets.Box([0, 0], [1, 1]))
    for point in ([1], [1, np.nan], "ab", [[1, 2]]):
        with pytest.raises(c2rl.InputError):
            solver.tell(point)
    with pytest.raises(c2rl.InputError, match="slack"):
        solver.tell([1, 2], slack=-1)
    with pytest.raises(c2rl.InputError, match="standard_error"):
        solver.tell([1, 2], standard_error=[1])
