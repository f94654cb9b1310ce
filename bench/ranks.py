#!/usr/bin/env python3
"""Two ranks against one on the same work, in the same run: ranks.py COMMAND [--states N] [--repeat N] [--only cells|episodes|parts|grid|training]

Each rank is bound to one core. Seconds are the best of the repeats; who shares the machine slows both."""
import argparse
import json
import os
import random
import shutil
import subprocess
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("command", type=os.path.abspath)
parser.add_argument("--states", type=int, default=1_000_000)
parser.add_argument("--repeat", type=int, default=3)
parser.add_argument("--episodes", type=int, default=100_000)
parser.add_argument("--only", default="")
options = parser.parse_args()

problem = """name = "garnet"
[environment]
kind = "garnet"
states = {states}
branching = 5
discount = 0.99
partitioned = {partitioned}
[target]
constraints = ["m1 <= 1000"]
[oracle]
kind = "{oracle}"
"""
# A grid whose moves go astray: its parts have little to tell each other, where a garnet's have everything.
grid = """name = "grid"
[environment]
kind = "grid"
discount = 0.99
slip = 0.2
measurements = ["steps", "risk"]
map = '''
{rows}'''
[environment.step]
steps = 1
[environment.legend]
"#" = {{ risk = 1 }}
[target]
constraints = ["steps <= 1000"]
"""
grid_parts = """name = "grid"
[environment]
kind = "file"
path = "grid.umb"
discount = 0.99
partitioned = true
[target]
constraints = ["steps <= 1000"]
[oracle]
kind = "partitioned-planning"
"""
experiment = """name = "cells"
seeds = 4
[problems.garnet]
file = "parts.toml"
[methods]
mnp = { set = ["solver.kind=modified-mnp"] }
"""


def said(ranks, program, *arguments):
    """What a program prints on so many ranks."""
    done = subprocess.run(["mpirun", "--allow-run-as-root", "--bind-to", "core", "-n", str(ranks), program, *arguments],
                          capture_output=True, text=True)
    if done.returncode not in (0, 3, 4):
        raise SystemExit(f"{arguments}: {done.stdout}{done.stderr}")
    return done.stdout


def run(ranks, *arguments):
    """Seconds of a command on so many ranks."""
    start = time.perf_counter()
    said(ranks, options.command, *arguments)
    return time.perf_counter() - start


def best(work):
    """Work on one rank and on two, by turns: what the quickest took."""
    seconds = {1: [], 2: []}
    for _ in range(options.repeat):
        for ranks in seconds:
            seconds[ranks].append(work(ranks))
    return min(seconds[1]), min(seconds[2])


def parts(ranks, problem="parts.toml"):
    shutil.rmtree("planned", ignore_errors=True)
    run(ranks, "solve", problem, "--quiet", "--out", "planned")
    with open("planned/record.jsonl") as record:
        return sum(json.loads(line)["seconds"] for line in record)


def episodes(ranks):
    more, fewer = (run(ranks, "evaluate", "whole", "--policy", "policies/call-1.safetensors", "--episodes", str(count))
                   for count in (options.episodes, 64))
    return more - fewer


def cells(ranks):
    shutil.rmtree("cells", ignore_errors=True)
    return run(ranks, "experiment", "cells.toml", "--quiet", "--threads", "1", "--out", "cells")


def training():
    """A row for each of training_bench, which learns the same on any number of ranks."""
    seconds = {}
    for _ in range(options.repeat):
        for ranks in (1, 2):
            lines = said(ranks, os.path.join(os.path.dirname(options.command), "bench", "training_bench")).splitlines()[1:]
            for i, line in enumerate(lines):
                world, oracle, environments, step, _, _, _, took, _, learnt = line.split()
                row = seconds.setdefault((i, world, oracle, environments, learnt), {1: [], 2: []})
                row[ranks].append((float(took), float(step)))
    for (_, world, oracle, environments, _), took in seconds.items():
        if not took[1] or not took[2]:
            raise SystemExit(f"{world}, {oracle}: one rank and two have not learnt the same")
        (one, step), (two, _) = min(took[1]), min(took[2])
        print(f"{f'(b) {oracle}, {world}, {environments} at {step:.3g} us a step':<46} {one:>7.2f} s {two:>7.2f} s {one / two:>6.2f}", flush=True)


with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    for name, partitioned, oracle in (("parts", "true", "partitioned-planning"), ("whole", "false", "q-learning")):
        with open(f"{name}.toml", "w") as file:
            file.write(problem.format(states=options.states, partitioned=partitioned, oracle=oracle))
    with open("cells.toml", "w") as file:
        file.write(experiment)
    load = os.getloadavg()[0]
    print(f"garnet of {options.states} states, 4 actions, 5 successors, discount 0.99; best of {options.repeat}; load {load:.1f} before")
    print(f"{'work':<46} {'one rank':>9} {'two':>9} {'ratio':>6}")
    for name, words, work in (("parts", "(c) a call over parts, garnet", parts),
                              ("grid", "(c) a call over parts, grid", lambda ranks: parts(ranks, "grid_parts.toml")),
                              ("cells", "(a) four cells, models made", cells),
                              ("episodes", f"(b) {options.episodes} episodes", episodes)):
        if options.only not in ("", name):
            continue
        if name == "grid":
            side = int(options.states**0.5)
            draw = random.Random(1)
            rows = [["#" if draw.random() < 0.2 else "." for _ in range(side)] for _ in range(side)]
            rows[0][0], rows[-1][-1] = "S", "G"
            with open("grid.toml", "w") as file:
                file.write(grid.format(rows="".join("".join(row) + "\n" for row in rows)))
            with open("grid_parts.toml", "w") as file:
                file.write(grid_parts)
            run(1, "convert", "grid.toml", "grid.umb")
        if name == "episodes":
            run(1, "solve", "whole.toml", "--quiet", "--out", "whole", "--set", "oracle.training_steps=1000", "--set",
                "oracle.evaluation_episodes=100", "--set", "solver.max_oracle_calls=1")
        one, two = best(work)
        print(f"{words:<46} {one:>7.2f} s {two:>7.2f} s {one / two:>6.2f}", flush=True)
    if options.only in ("", "training"):
        training()
