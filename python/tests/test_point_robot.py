"""The point robot of bench/learning, which Stable-Baselines3 learns in, is the native one: what linear policies measure in both differs
by chance alone. Such a policy drives and turns by what it sees, so that `energy` shows every feature as it is."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import c2rl
from c2rl import _core
from c2rl._safetensors import columns

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "learning"))
from point_robot import PointRobot

NAMES = ["steps", "reached", "hazard", "energy", "progress"]
FEATURES = 20
HORIZON = 25  # short episodes say most: later on many stand at a wall
NATIVE, OURS = 100_000, 4_000  # episodes


def weights_and_bias(name):
    weights, bias = np.zeros((2, FEATURES), np.float32), np.zeros(2, np.float32)
    if name == "to the goal":
        weights[1, 1], bias[0] = 2, 1
    elif name == "past hazards":  # slower and to the other side where one is ahead
        weights[1, 1], bias[0] = 1, 0.9
        weights[0, 4], weights[1, 5:8], weights[1, 17:20] = -0.5, -1, 1
    elif name == "turning by speed":  # the energy is the same in every episode that meets no wall and does not arrive
        weights[1, 0], bias[0] = 0.9, 0.7
    elif name == "backwards into walls":
        weights[1, 3], weights[0, 0], bias[0] = 0.1, -0.2, -1
    else:
        rng = np.random.default_rng(int(name))
        weights[:], bias[0] = 0.3 * rng.standard_normal(weights.shape), 0.6
        weights[1, 1] += 1
    return weights, bias


@pytest.fixture(scope="module")
def native(tmp_path_factory):
    """A run in the native world, for its commands to read."""
    if "C2RL_COMMAND" not in os.environ:
        pytest.skip("C2RL_COMMAND does not name the command")
    path = tmp_path_factory.mktemp("run") / "run"
    problem = c2rl.Problem.from_file(ROOT / "examples/point_robot.toml", {"oracle.training_steps": 64, "oracle.evaluation_episodes": 2,
                                                                          "oracle.rollout_steps": 1, "solver.max_oracle_calls": 1,
                                                                          "environment.horizon": HORIZON})
    c2rl.solve(problem, out=path, max_env_steps=100, progress=False)
    return path


def measured(weights, bias):
    """Totals of episodes in the environment of Gymnasium, a row each."""
    env, rows = PointRobot(horizon=HORIZON), []
    for seed in range(OURS):
        seen, _ = env.reset(seed=seed)
        total, over = np.zeros(len(NAMES)), False
        while not over:
            seen, _, terminated, truncated, info = env.step(weights @ seen + bias)
            total += [info[name] for name in NAMES]
            over = terminated or truncated
        rows.append(total)
    return np.array(rows)


@pytest.mark.parametrize("name", ["to the goal", "past hazards", "turning by speed", "backwards into walls", "1", "2"])
def test_measures_what_the_native_world_measures(native, tmp_path, name):
    weights, bias = weights_and_bias(name)
    about = {"kind": "gaussian", "input": "features", "activation": "relu", "heads": "policy", "execution": "greedy", "squashed": "no"}
    arrays = {"policy.0.weight": weights, "policy.0.bias": bias, "log_spread": np.zeros(2, np.float32)}
    _core.make_policy("gaussian", about, columns(arrays)).save(str(tmp_path / "policy.safetensors"))
    done = subprocess.run([os.environ["C2RL_COMMAND"], "evaluate", native, "--policy", tmp_path / "policy.safetensors", "--episodes",
                           str(NATIVE), "--json"], capture_output=True, text=True)
    assert done.stdout, done.stderr
    native_world = json.loads(done.stdout)
    found = measured(weights, bias)
    error = np.hypot(native_world["standard_error"], found.std(axis=0, ddof=1) / np.sqrt(OURS))
    off = np.abs(found.mean(axis=0) - native_world["measurement"])
    assert (off <= 4 * error + 1e-9).all(), dict(zip(NAMES, off / error))
