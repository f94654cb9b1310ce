"""The reader of docs/policies.md, which knows nothing of c2rl, follows the policies of runs in its own simulators."""

import pathlib
import re

import numpy as np
import pytest

import c2rl

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAVIGATION = [".........", ".........", "....#....", "S.####..G", "..####...", "..####..."]


@pytest.fixture(scope="module")
def reader():
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/policies.md").read_text(), re.S)
    assert "c2rl" not in code
    names = {}
    exec(code, names)
    return names


def solve(tmp_path, example, **changes):
    problem = c2rl.Problem.from_file(ROOT / "examples" / example, {key.replace("__", "."): value for key, value in changes.items()})
    result = c2rl.solve(problem, out=tmp_path / "run", progress=False)
    return [(member, tmp_path / "run" / member.file) for member in result.policies]


def check(reader, runs, world, horizon, episodes, kind, arrays):
    """J as the run has it, within four standard errors of both together; exactly where there is nothing to chance."""
    assert runs
    for member, path in runs:
        policy = reader["Policy"](path)
        assert policy.about["kind"] == kind and set(arrays) <= set(policy.arrays)
        found = reader["totals"](world, policy, horizon, episodes, np.random.default_rng(1))
        error = np.sqrt(member.standard_error**2 + found.var(0) / episodes)
        assert (np.abs(found.mean(0) - member.measurement) <= 4 * error + 1e-9).all(), (found.mean(0), member)


def test_tables(reader, tmp_path):
    world = reader["Grid"](NAVIGATION, [1, 0], {"#": [0, 1]})
    check(reader, solve(tmp_path, "navigation.toml"), world, 500, 1, "tabular", ["actions"])


def test_tables_that_depend_on_time(reader, tmp_path):
    runs = solve(tmp_path, "navigation.toml", environment__slip=0.1, environment__horizon=20)
    world = reader["Grid"](NAVIGATION, [1, 0], {"#": [0, 1]}, 0.1)
    check(reader, runs, world, 20, 2000, "tabular", ["actions", "run_begin", "run_first_step"])


def test_models_in_drn(reader, tmp_path):
    world = reader["Drn"]((ROOT / "examples/courier.drn").read_text(), "delivered")
    check(reader, solve(tmp_path, "courier.toml"), world, 500, 2000, "tabular", ["actions"])


def test_networks_of_states(reader, tmp_path):
    world = reader["Grid"](NAVIGATION, [1, 0], {"#": [0, 1]})
    runs = solve(tmp_path, "navigation.toml", oracle__kind="a2c")
    check(reader, runs, world, 500, 1, "network", ["trunk.0.weight", "policy.0.bias"])


def test_networks_of_features(reader, tmp_path):
    runs = solve(tmp_path, "cart_pole.toml", oracle__training_steps=20_000, solver__max_oracle_calls=1)
    check(reader, runs, reader["CartPole"](0.1), 200, 40, "network", ["policy.0.weight"])


def test_one_network_for_all_directions(reader, tmp_path):
    runs = solve(tmp_path, "navigation_dqn.toml", oracle__conditioned=True, oracle__step_cost=0.3)
    assert all("shared_file" in reader["Policy"](path).about for _, path in runs)
    world = reader["Grid"](NAVIGATION, [1, 0], {"#": [0, 1]})
    check(reader, runs, world, 500, 1, "network", ["advantage.0.weight", "advantage.0.bias"])


@pytest.mark.parametrize("execution, squashed", [("greedy", False), ("stochastic", True)])
def test_networks_of_real_actions(reader, tmp_path, execution, squashed):
    runs = solve(tmp_path, "pendulum.toml", oracle__training_steps=20_000, solver__max_oracle_calls=1,
                 oracle__evaluation_episodes=200, oracle__execution=execution, oracle__squashed=squashed)
    check(reader, runs, reader["Pendulum"](), 200, 40, "gaussian", ["log_spread"])


def test_tables_of_probabilities(reader, tmp_path):
    """Written by hand: two states, of which the second has two runs."""
    arrays = {"run_begin": np.array([0, 1, 3], np.int32), "run_first_step": np.array([0, 0, 5], np.int32),
              "row_begin": np.array([0, 2, 3, 6], np.int32),
              "probabilities": np.array([0.25, 0.75, 1.0, 0.0, 0.0, 1.0])}
    policy = object.__new__(reader["Policy"])
    policy.about, policy.arrays = {"kind": "tabular"}, arrays
    rng = np.random.default_rng(0)
    assert np.mean([policy.act(0, 9, rng) for _ in range(4000)]) == pytest.approx(0.75, abs=0.03)
    assert [policy.act(1, step, rng) for step in (0, 4, 5, 100)] == [0, 0, 2, 2]
