"""Solving again and again: nothing grows. C2RL_CYCLES says how often."""

import ctypes
import gc
import os
from pathlib import Path

import numpy as np
import pytest

import c2rl
from test_native_learners import MEASURED, Line

ROOT = Path(__file__).resolve().parents[2]
CYCLES = int(os.environ.get("C2RL_CYCLES", "100"))
POINTS = {"a": [8.0, 4.0], "b": [10.0, 1.0], "c": [12.0, 0.0]}


class Exact:
    def minimize(self, call):
        name = min(POINTS, key=lambda path: np.dot(POINTS[path], call.direction))
        # A megabyte each, so that one that is kept shows.
        return c2rl.Answer(policy=(name, np.zeros(2**17)), measurement=POINTS[name], exact=True)


class Raising(Exact):
    def minimize(self, call):
        if call.start is not None:
            raise ValueError("on purpose")
        return super().minimize(call)


class Disc(c2rl.sets.ConvexSet):
    dim = 2

    def project(self, x):
        return x / max(1.0, float(np.linalg.norm(x)))


class Far(c2rl.sets.ConvexSet):
    dim = 2

    def project(self, x):
        return np.maximum(x, [12.0, 0.0])


def by_oracle():
    result = c2rl.solve(oracle=Exact(), measurements=["steps", "risk"], constraints=["steps <= 11", "risk <= 0.5"], progress=False)
    assert result.policies[0].policy[0] in POINTS


def by_file():
    assert c2rl.solve(ROOT / "examples/navigation.toml", progress=False).policy.predict(27)


def by_failure():
    with pytest.raises(c2rl.OracleError):
        c2rl.solve(oracle=Raising(), measurements=["steps", "risk"], constraints=["steps <= 9", "risk <= 0.5"], progress=False)


def by_set():
    c2rl.mix([[2, 0], [0, 2]], target=Disc() & c2rl.sets.Box([0, 0], [1, 1]))


def by_own_target():
    c2rl.solve(ROOT / "examples/navigation.toml", constraints=[], target=Far(), progress=False)


def by_environment(oracle="q-learning", fail_after=None):
    c2rl.solve(env=lambda: Line(features=oracle == "dqn", fail_after=fail_after), measurements=MEASURED, constraints=["length <= 6"], horizon=40,
               workers=0, oracle={"kind": oracle, "training_steps": 100, "evaluation_episodes": 5}, max_oracle_calls=1, max_episodes=100,
               progress=False)


def by_network():
    by_environment("dqn")


def by_failing_environment():
    with pytest.raises(c2rl.OracleError):
        by_environment(fail_after=5)


def resident():
    """Of this process, in bytes; what is free is given back first."""
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("cycle", [by_oracle, by_file, by_failure, by_set, by_own_target, by_environment, by_network, by_failing_environment])
def test_cycles_leave_nothing(cycle):
    for _ in range(max(20, CYCLES // 10)):
        cycle()
    before = resident()
    for _ in range(CYCLES):
        cycle()
    grown = resident() - before
    # Less than one policy of by_oracle, however many cycles.
    assert grown < 1_000_000, f"{grown} bytes in {CYCLES} cycles"
