"""Value iteration in SciPy on a model that planning_bench has written: scipy_sweeps.py FOLDER DISCOUNT HORIZON GAP LONGEST.

Stops when MacQueen's bounds, or without a discount the largest move times the longest episode, prove the gap; when
they come no nearer; or after two minutes of the processor.
"""

import sys
import time

try:
    import numpy as np
    import scipy.sparse
except ImportError:
    print("SciPy is not installed")
    sys.exit(0)

folder, discount, horizon = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
wanted, longest = float(sys.argv[4]), float(sys.argv[5])
read = lambda name, kind: np.fromfile(f"{folder}/{name}", dtype=kind)
choice_begin = read("choice_begin", np.int32)
start, cost = read("start", np.float64), read("cost", np.float64)
states = len(start)
matrix = scipy.sparse.csr_matrix(
    (read("probability", np.float64), read("next", np.int32), read("transition_begin", np.int32)),
    shape=(len(cost), states),
)
actions = np.diff(choice_begin)
some = actions > 0
even = actions[some].min() == actions.max()  # the fast way where all states have as many actions
first = choice_begin[:-1][some]

begin = time.process_time()
value = np.zeros(states)
best, idle, gap = np.inf, 0, 0.0
limit = 120.0
for sweep in range(1, horizon + 1 if horizon > 0 else 10**9):
    option = cost + discount * (matrix @ value)
    least = option.reshape(-1, actions.max()).min(1) if even else np.minimum.reduceat(option, first)
    moved = np.zeros(states)
    moved[some] = least - value[some]
    value[some] = least
    if horizon > 0:
        continue
    if discount < 1 and some.all():
        gap = discount / (1 - discount) * (moved.max() - moved.min())
    else:
        gap = (max(moved.max(), 0) - min(moved.min(), 0)) * longest
    idle = 0 if gap < best else idle + 1
    best = min(best, gap)
    if gap <= wanted or idle > 50 or time.process_time() - begin > limit:
        break
print(f"{time.process_time() - begin} s {sweep} sweeps gap {best if horizon == 0 else 0.0}")
