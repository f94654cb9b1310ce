"""Problem files and native worlds: the same as the command does, to the last bit."""

import json
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import c2rl

ROOT = Path(__file__).resolve().parents[2]
NAVIGATION = ROOT / "examples/navigation.toml"


def command():
    """The command of the same build, which ctest names."""
    path = os.environ.get("C2RL_COMMAND")
    if not path:
        pytest.skip("C2RL_COMMAND does not name the command")
    return path


def without_seconds(path):
    """result.json without what the clock says, and what is sealed with it."""
    entry = json.loads(Path(path).read_text())
    for key in ("seconds", "seal"):
        entry.pop(key, None)
    return entry


CASES = [
    (NAVIGATION, {}),
    (NAVIGATION, {"oracle.kind": "q-learning", "oracle.training_steps": 20000}),
    (ROOT / "examples/worst_case.toml", {}),
    (ROOT / "examples/deep_sea_treasure.toml", {}),
]


@pytest.mark.parametrize(("file", "changes"), CASES, ids=lambda value: value.stem if isinstance(value, Path) else "-".join(map(str, value.values())))
def test_the_same_bits_as_the_command(tmp_path, file, changes):
    settings = [f"--set={key}={value}" for key, value in changes.items()]
    done = subprocess.run([command(), "solve", str(file), "--out", str(tmp_path / "command"), "--quiet", "--seed", "3", *settings],
                          capture_output=True, text=True)
    assert done.returncode in {0, 3, 4}, done.stderr
    result = c2rl.solve(c2rl.Problem.from_file(file, set=changes), seed=3, out=tmp_path / "python", progress=False)
    assert without_seconds(tmp_path / "python/result.json") == without_seconds(tmp_path / "command/result.json")
    names = sorted(path.name for path in (tmp_path / "command/policies").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "python/policies").iterdir()) and names
    for name in names:
        assert (tmp_path / "python/policies" / name).read_bytes() == (tmp_path / "command/policies" / name).read_bytes()
    assert (tmp_path / "python/problem.toml").read_bytes() == (tmp_path / "command/problem.toml").read_bytes()
    # Each opens what the other saved, and without a directory nothing is different.
    shown = subprocess.run([command(), "show", str(tmp_path / "python"), "--json"], capture_output=True, text=True, check=True)
    assert json.loads(shown.stdout)["measurement"] == pytest.approx(list(result.measurement), rel=0, abs=0)
    loaded = c2rl.load(tmp_path / "command")
    assert repr(loaded) == repr(result)
    in_memory = c2rl.solve(c2rl.Problem.from_file(file, set=changes), seed=3, progress=False)
    ours, saved = in_memory.to_dict(), result.to_dict()
    for entry in (ours, saved):
        entry.pop("seconds")
        for policy in entry["policies"]:
            policy.pop("seal", None)
    assert ours == saved
    clock = {"seconds": 0}
    assert [{**row, **clock} for row in loaded.history] == [{**row, **clock} for row in in_memory.history]


def test_the_history_has_what_happened():
    result = c2rl.solve(NAVIGATION, progress=False, first_direction=[1, 0], solver="modified-mnp")
    assert len(result.history) == result.oracle_calls >= 2
    assert [row["call"] for row in result.history] == list(range(1, result.oracle_calls + 1))
    last = result.history[-1]
    assert last["distance"] == result.distance and last["policies"] == len(result.policies)
    assert last["distance_lower_bound"] <= last["distance"] + 1e-9
    assert result.history[0]["distance"] == pytest.approx(3.5)  # (8, 4) is 3.5 above the risk allowed
    for row in result.history:
        assert np.linalg.norm(row["direction"]) == pytest.approx(1) and row["atom"] > 0 and row["policies"] > 0
    pandas = pytest.importorskip("pandas")
    frame = result.to_frame()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == result.oracle_calls
    assert list(frame["measurement.steps"])[0] == 8 and list(frame["distance"])[-1] == result.distance


def test_a_problem_by_keywords():
    problem = c2rl.Problem(
        environment={"kind": "rock-paper-scissors"}, target={"constraints": ["rock >= 0.1"]}, oracle="dynamic-programming",
        solver={"kind": "corrective-mnp", "tolerance": 1e-6}, seed=1)
    assert c2rl.solve(problem, progress=False)
    with pytest.raises(c2rl.InputError, match=r"^environment\.kind: unknown kind .rock-paper.; known: grid"):
        c2rl.Problem(environment={"kind": "rock-paper"}, target={})
    with pytest.raises(c2rl.InputError, match=r"^solver\.tolerance: found -1, expected a number above 0$"):
        c2rl.solve(problem, tolerance=-1)
    with pytest.raises(c2rl.InputError, match="found the keyword 'tolerence', expected one of .*tolerance"):
        c2rl.solve(problem, tolerence=1)
    with pytest.raises(c2rl.InputError, match=r"^solver\.kind: found 3, expected a text in quotes$"):
        c2rl.Problem.from_file(NAVIGATION, set={"solver.kind": 3}).name
    assert c2rl.Problem.from_toml(problem.resolved).resolved == problem.resolved


def test_going_on(tmp_path):
    out = tmp_path / "run"
    first = c2rl.solve(NAVIGATION, solver="cg", max_oracle_calls=3, out=out, progress=False)
    assert first.status == "budget" and first.oracle_calls == 3
    with pytest.raises(c2rl.InputError, match="holds a run already"):
        c2rl.solve(NAVIGATION, solver="cg", max_oracle_calls=9, out=out, progress=False)
    went_on = c2rl.solve(NAVIGATION, solver="cg", max_oracle_calls=9, out=out, resume=True, progress=False)
    at_once = c2rl.solve(NAVIGATION, solver="cg", max_oracle_calls=9, progress=False)
    assert went_on.oracle_calls == 9 and went_on.measurement.tolist() == at_once.measurement.tolist()
    assert [row["distance"] for row in went_on.history] == [row["distance"] for row in at_once.history]


def test_stopping():
    calls = []

    def told(row):
        calls.append(row["call"])
        return len(calls) < 2

    result = c2rl.solve(NAVIGATION, solver="cg", max_oracle_calls=50, progress=told)
    assert result.interrupted and calls == [1, 2] and result.policies

    def broken(row):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        c2rl.solve(NAVIGATION, progress=broken)

    def interrupted(row):
        raise KeyboardInterrupt

    assert c2rl.solve(NAVIGATION, solver="cg", progress=interrupted).interrupted


def test_the_policy_walks():
    """The mixture of navigation, followed on a map that is written down here again."""
    result = c2rl.solve(NAVIGATION, progress=False)
    rows = [".........", ".........", "....#....", "S.####..G", "..####...", "..####..."]
    policy, found = result.policy, []
    for seed in range(2):
        for member in range(len(policy)):
            policy.reset(seed=seed)
            policy.member = member
            row, column, total, state = 3, 0, np.zeros(2), None
            while (row, column) != (3, 8) and total[0] < 500:
                action, state = policy.predict(9 * row + column, state=state)
                drow, dcolumn = [(-1, 0), (1, 0), (0, -1), (0, 1)][action]
                row, column = min(max(row + drow, 0), 5), min(max(column + dcolumn, 0), 8)
                total += [1, rows[row][column] == "#"]
            found.append(total)
            np.testing.assert_array_equal(total, result.policies[member].measurement)
    drawn = [policy.reset(seed=seed) for seed in range(400)]
    assert np.mean(drawn) == pytest.approx(result.policies[1].weight, abs=0.1)


def data_of(page):
    """What a page shows, of the one run that it has."""
    text = Path(page).read_text(encoding="utf-8")
    (item,) = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])["items"]
    return item


def test_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    saved = c2rl.solve(c2rl.Problem.from_file(NAVIGATION), out="run", progress=False)
    in_memory = c2rl.solve(c2rl.Problem.from_file(NAVIGATION), progress=False)
    for result, expected in [(saved, Path("run/report.html")), (in_memory, Path("report.html"))]:
        page = result.report()
        assert Path(page).samefile(expected)
        shown = data_of(page)
        assert shown["result"]["measurement"] == list(result.measurement)
        assert shown["headline"] == "feasible: this mixture satisfies every constraint."
        assert len(shown["map"]["policies"]) == len(result.policies)
    assert saved.report(tmp_path / "elsewhere.html") == str(tmp_path / "elsewhere.html")
    assert data_of("elsewhere.html")["result"]["distance"] == 0
