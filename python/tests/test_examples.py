"""The scripts of examples/python, each run as a user runs it: they assert what they show."""

import os
import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"
NEEDS = {"mixed_agents": "stable_baselines3", "three_constraints": "stable_baselines3"}


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_example(path, tmp_path):
    if path.stem in NEEDS:
        pytest.importorskip(NEEDS[path.stem])
    done = subprocess.run([sys.executable, path], cwd=tmp_path, capture_output=True, text=True, timeout=600,
                          env={**os.environ, "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"})
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_every_kind_of_use_has_one():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {"first_solve", "infeasible", "mixed_agents", "offline_dataset",
                                                             "three_constraints"}
