#!/usr/bin/env python3
"""Kills runs, experiments and collections with SIGKILL, resumes them, and compares with one that was left alone.

    tests/kills.py C2RL KILLS [CASE ...]       at random moments, KILLS of each case
    tests/kills.py C2RL calls [CASE ...]       at every system call that touches files (needs strace)

Cases: dynamic-programming, q-learning, a2c, ddqn, command, experiment, collect. Prints what differs; exit 1 if anything.
"""

import hashlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CALLS = "openat,write,pwrite64,rename,renameat2,unlink,unlinkat,mkdir,ftruncate,fsync,fdatasync,close"
EXPERIMENT = """name = "small"
seeds = 2
set = ["solver.max_oracle_calls=8", "oracle.training_steps=60000"]
[problems.navigation]
file = "FILE"
[methods]
corrective = { set = ["solver.kind=corrective-mnp"] }
cg = { set = ["solver.kind=cg"] }
[axes.oracle]
learned = ["oracle.kind=q-learning"]
"""


class Solve:
    """A problem that is solved into a directory of its own; what it comes to is its result and its policies."""

    def __init__(self, c2rl, folder, problem, *options):
        self.c2rl, self.folder, self.problem, self.options = c2rl, folder, problem, options
        self.out = folder / "run"

    def start(self):
        return [self.c2rl, "solve", str(self.problem), "--out", str(self.out), "--quiet", *self.options]

    def resume(self):
        if not (self.out / "problem.toml").exists():
            return self.start()
        return [self.c2rl, "solve", "--resume", "--out", str(self.out), "--quiet"]

    def outcome(self):
        result = re.sub(r'"(seconds|seal)": [^\n]*', "", (self.out / "result.json").read_text())
        files = sorted((self.out / "policies").iterdir())
        return result, [(file.name, hashlib.sha256(file.read_bytes()).hexdigest()) for file in files]

    def clear(self):
        shutil.rmtree(self.out, ignore_errors=True)


class Experiment(Solve):
    def start(self):
        self.problem.write_text(EXPERIMENT.replace("FILE", str(ROOT / "examples/navigation.toml")))
        return [self.c2rl, "experiment", str(self.problem), "--out", str(self.out), "--threads", "1"]

    resume = start

    def outcome(self):
        rows = (self.out / "results.csv").read_text().splitlines()
        column = rows[0].split(",").index("seconds")
        return [[field for i, field in enumerate(row.split(",")) if i != column] for row in rows]


class Collect(Solve):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.out = self.folder / "collected.data"

    def start(self):
        return [self.c2rl, "collect", str(self.problem), "--out", str(self.out), "--force", *self.options]

    resume = start

    def outcome(self):
        return hashlib.sha256(self.out.read_bytes()).hexdigest()

    def clear(self):
        self.out.unlink(missing_ok=True)


def cases(c2rl, folder):
    navigation = ROOT / "examples/navigation.toml"
    slippery = ["--set", "environment.slip=0.1", "--set", "environment.horizon=100"]
    room = ["--set", 'target.constraints=["steps <= 12.5", "risk <= 0.8"]']
    data = folder / "navigation.data"
    subprocess.run([c2rl, "collect", navigation, "--out", data, "--samples", "20000"], check=True, capture_output=True)
    often = ["--set", "oracle.checkpoint_seconds=0.05"]
    few = ["--set", "oracle.updates=400", "--set", f"oracle.dataset={data}"]
    return {
        "dynamic-programming": Solve(c2rl, folder, navigation, "--set", "oracle.ties=longest", "--set",
                                     "solver.first_direction=[1, 0]"),
        "q-learning": Solve(c2rl, folder, navigation, "--set", "oracle.kind=q-learning", *slippery, *room, *often),
        "a2c": Solve(c2rl, folder, navigation, "--set", "oracle.kind=a2c", *slippery, *room, *often),
        "ddqn": Solve(c2rl, folder, navigation, "--set", "oracle.kind=ddqn", *few, *often),
        "command": Solve(c2rl, folder, ROOT / "examples/command/corridor.toml"),
        "experiment": Experiment(c2rl, folder, folder / "experiment.toml"),
        "collect": Collect(c2rl, folder, navigation, "--samples", "200000"),
    }


def run(command):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def finish(case, name, moment, expected):
    """Goes on to the end; whether that is where an undisturbed one ended."""
    ended = run(case.resume())
    if ended.returncode not in (0, 3, 4):
        print(f"{name}, killed {moment}: exit {ended.returncode}: {ended.stderr.strip()}", flush=True)
        return False
    if case.outcome() == expected:
        return True
    print(f"{name}, killed {moment}: another outcome", flush=True)
    return False


def kill_at_random(case, name, expected, seconds, kills, rng):
    wrong = killed = 0
    while killed < kills:
        case.clear()
        moments = []
        for attempt in range(rng.randint(1, 3)):
            process = subprocess.Popen(case.start() if attempt == 0 else case.resume(), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, start_new_session=True)
            moments.append(rng.uniform(0, 1.1 * seconds))
            try:
                process.wait(moments[-1])
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
                killed += 1
        wrong += not finish(case, name, f"after {moments} s", expected)
    return killed, wrong


def kill_at_calls(case, name, expected):
    wrong = killed = 0
    while True:
        case.clear()
        traced = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={CALLS}", "-e",
                  f"inject={CALLS}:signal=KILL:when={killed + 1}"]
        if run(traced + case.start()).returncode in (0, 3, 4):
            return killed, wrong
        killed += 1
        wrong += not finish(case, name, f"at call {killed}", expected)


def main():
    c2rl, how, chosen = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]
    all_killed = all_wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, case in cases(c2rl, Path(folder)).items():
            if chosen and name not in chosen:
                continue
            started = time.time()
            case.clear()
            run(case.start())
            seconds, expected = time.time() - started, case.outcome()
            if how == "calls":
                killed, wrong = kill_at_calls(case, name, expected)
            else:
                killed, wrong = kill_at_random(case, name, expected, seconds, int(how), random.Random(1))
            print(f"{name}: {killed} kills, {wrong} wrong ({seconds:.1f} s left alone)", flush=True)
            all_killed, all_wrong = all_killed + killed, all_wrong + wrong
    print(f"{all_killed} kills, {all_wrong} wrong")
    sys.exit(1 if all_wrong else 0)


main()
