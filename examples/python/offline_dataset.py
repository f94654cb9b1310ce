"""An offline dataset: nobody may act any more, and all there is are logs of what somebody did.

Run me:  python examples/python/offline_dataset.py
"""

# %% Logs: a robot that moved at random on the map of first_solve.py. Each step keeps what was seen, done and measured, and
# with which probability it was done; any program can write that down.
import tempfile
from pathlib import Path

import numpy as np

import c2rl

MAP = [".........", ".........", "....#....", "S.####..G", "..####...", "..####..."]
ROWS, COLUMNS, HORIZON = len(MAP), len(MAP[0]), 500
MOVES = [(-1, 0), (1, 0), (0, -1), (0, 1)]


def wander(rng):
    row, column = 3, 0
    seen, actions, measured = [row * COLUMNS + column], [], []
    while MAP[row][column] != "G" and len(actions) < HORIZON:
        action = int(rng.integers(4))
        row = min(max(row + MOVES[action][0], 0), ROWS - 1)
        column = min(max(column + MOVES[action][1], 0), COLUMNS - 1)
        seen.append(row * COLUMNS + column)
        actions.append(action)
        measured.append([1.0, float(MAP[row][column] == "#")])
    arrived = MAP[row][column] == "G"
    return c2rl.Dataset.Episode(seen, actions, measured, probability=0.25, terminated=arrived, truncated=not arrived)


folder = Path(tempfile.mkdtemp())
rng = np.random.default_rng(0)
data = c2rl.Dataset.of_episodes((wander(rng) for _ in range(200)), names=["steps", "risk"], actions=4, states=ROWS * COLUMNS, horizon=HORIZON)
data.write(folder / "robot.data")
print(data)
print(f"behaviour: {data.arrays['measurement'].sum(0) / data.episodes} (steps, risk) on average")

# %% A policy is learnt from the file alone, and so is what it measures. In a world without chance the data prove it.
problem = c2rl.Problem.from_file(
    Path(__file__).parents[1] / "navigation.toml",
    {"oracle.kind": "ddqn", "oracle.dataset": str(folder / "robot.data"), "solver.max_oracle_calls": 20},
)
result = c2rl.solve(problem, progress=False)
print(result)
assert result, result.status

# %% The same columns for a learner of your own in PyTorch, without a copy.
try:
    import c2rl.torch

    _, tensors = c2rl.torch.load_dataset(folder / "robot.data")
    print(tensors["state"].shape, tensors["measurement"].dtype)
except ImportError:
    print("without PyTorch")
