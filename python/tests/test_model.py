"""Tabular models from arrays."""

from pathlib import Path

import numpy as np
import pytest

import c2rl

ROOT = Path(__file__).resolve().parents[2]

# Two states and an end: from 0, action 0 goes on for (1, 0), action 1 risks to fall back for (1, 1); from 1 both end.
TRANSITIONS = np.zeros((2, 3, 3))
TRANSITIONS[0, 0, 1] = 1
TRANSITIONS[1, 0, [0, 2]] = [0.5, 0.5]
TRANSITIONS[:, 1, 2] = 1
MEASUREMENTS = np.zeros((2, 3, 2))
MEASUREMENTS[0, :2] = [1, 0]
MEASUREMENTS[1, :2] = [1, 1]


def model(transitions=TRANSITIONS, measurements=MEASUREMENTS, start=0, **keywords):
    return c2rl.Model(transitions, measurements, start, **{"names": ["steps", "risk"], **keywords})


def test_evaluation_in_the_head():
    m = model()
    assert (m.states, m.actions, m.names) == (3, 2, ["steps", "risk"])
    np.testing.assert_allclose(m.evaluate([0, 0, 0]), [2, 0])
    np.testing.assert_allclose(m.evaluate([1, 0, 0]), [2, 2])  # 1 + 1/2 + 1/4 + ... tries
    np.testing.assert_allclose(m.evaluate([[0.5, 0.5], [1, 0], [0, 0]]), [1 / 0.75 + 0.5 / 0.75, 0.5 / 0.75])
    np.testing.assert_allclose(model(discount=0.5).evaluate([0, 0, 0]), [1.5, 0])
    np.testing.assert_allclose(model(horizon=1).evaluate([0, 0, 0]), [1, 0])
    np.testing.assert_allclose(model(start=[0.5, 0.5, 0]).evaluate([0, 0, 0]), [1.5, 0])


def test_what_people_pass():
    sparse = pytest.importorskip("scipy.sparse")
    per_transition = np.repeat(MEASUREMENTS[:, :, None, :], 3, axis=2)
    stacked = TRANSITIONS.transpose(1, 0, 2).reshape(6, 3)
    given = [
        (TRANSITIONS.tolist(), MEASUREMENTS.tolist()),
        (TRANSITIONS, per_transition),
        ([sparse.csr_matrix(t) for t in TRANSITIONS], MEASUREMENTS),
        ([sparse.coo_array(t) for t in TRANSITIONS], per_transition),
        (sparse.csr_matrix(stacked), MEASUREMENTS),
        (sparse.csc_array(stacked), MEASUREMENTS.transpose(1, 0, 2).reshape(6, 2)),
    ]
    rng = np.random.default_rng(1)
    for _ in range(5):
        table = rng.dirichlet([1, 1], size=3)
        expected = model().evaluate(table)
        for transitions, measurements in given:
            np.testing.assert_allclose(model(transitions, measurements).evaluate(table), expected, rtol=1e-12)


def test_random_models_against_the_linear_equations():
    rng = np.random.default_rng(7)
    for states, actions, m in ((4, 2, 1), (9, 3, 3), (30, 4, 2)):
        transitions = rng.dirichlet(np.full(states, 0.3), size=(actions, states))
        transitions[transitions < 1e-3] = 0
        transitions /= transitions.sum(axis=2, keepdims=True)
        amounts = rng.normal(size=(actions, states, states, m))
        start, table = rng.dirichlet(np.ones(states)), rng.dirichlet(np.ones(actions), size=states)
        p = np.einsum("sa,ast->st", table, transitions)
        r = np.einsum("sa,ast,astm->sm", table, transitions, amounts)
        expected = start @ np.linalg.solve(np.eye(states) - 0.9 * p, r)
        np.testing.assert_allclose(c2rl.Model(transitions, amounts, start, discount=0.9).evaluate(table), expected, rtol=1e-9, atol=1e-9)


def test_to_drn_and_back(tmp_path):
    m = model()
    m.write(tmp_path / "m.drn")
    again = c2rl.Model.read(tmp_path / "m.drn")
    assert again.names == m.names and again.states == m.states
    for table in ([0, 0, 0], [1, 1, 0]):
        np.testing.assert_array_equal(again.evaluate(table), m.evaluate(table))
    courier = c2rl.Model.read(ROOT / "examples/courier.drn", horizon=500, terminal_label="delivered")
    courier.write(tmp_path / "c.drn")
    assert courier.names == ["time", "risk"] and c2rl.Model.read(tmp_path / "c.drn").states == courier.states == 3


def test_solved(tmp_path):
    ask = {"constraints": ["steps <= 2", "risk <= 1"], "maximize": "risk", "progress": False}
    in_memory = c2rl.solve(env=model(), **ask)
    assert in_memory.status == "optimal" and in_memory.optimum.value == pytest.approx(1)
    for member in in_memory.policies:
        np.testing.assert_allclose(model().evaluate(member.policy), member.measurement, atol=1e-9)
    saved = c2rl.solve(env=model(), out=tmp_path / "run", **ask)
    assert (tmp_path / "run/model.drn").exists() and c2rl.verify(tmp_path / "run").ok
    np.testing.assert_allclose(saved.measurement, in_memory.measurement, atol=1e-9)
    spread = c2rl.solve(env=model(start=[0.3, 0.7, 0]), out=tmp_path / "spread", **{**ask, "constraints": ["steps <= 2"]})
    assert spread.status == "optimal" and spread.optimum.value == pytest.approx(0.3 * 2 + 0.7)
    learned = c2rl.solve(env=model(), oracle={"kind": "q-learning", "training_steps": 5000}, constraints=["risk <= 0.1"], tolerance=1e-3,
                         progress=False)
    assert learned.status == "feasible"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"transitions": TRANSITIONS[0]}, "transitions: found an array of shape (3, 3), expected (A, S, S)"),
        ({"transitions": [[[1, 0], [1]]]}, "transitions: found rows that are no array of numbers"),
        ({"transitions": TRANSITIONS * 0.9}, "sum to 0.9, expected 1, or 0 where there is no such action"),
        ({"transitions": -TRANSITIONS}, "expected 1"),
        ({"transitions": TRANSITIONS * [[[0], [1], [1]], [[1], [1], [1]]]}, "state 0 has action 1 and no action 0"),
        ({"measurements": MEASUREMENTS[0]}, "measurements: found an array of shape (3, 2), expected (2, 3, m)"),
        ({"measurements": MEASUREMENTS * np.nan}, "finite"),
        ({"start": 3}, "start: found 3, expected the number of a state, 0 to 2"),
        ({"start": [1, 0]}, "start: found 2 probabilities, expected 3"),
        ({"start": [0.5, 0, 0]}, "start"),
        ({"discount": 1.5}, "discount"),
        ({"names": ["a"]}, "names: found 1, expected 2"),
    ],
)
def test_errors(change, words):
    with pytest.raises(c2rl.InputError) as error:
        model(**change)
    assert words in str(error.value)


def test_policies_are_checked():
    for policy in ([0, 0], [0, 0, 2], [[1, 0], [0.5, 0.4], [1, 0]], "up", [[1, 0, 0]] * 3):
        with pytest.raises(c2rl.InputError, match="policy"):
            model().evaluate(policy)
