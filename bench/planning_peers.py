"""Other planners on a model that planning_bench has written: planning_peers.py FOLDER DISCOUNT HORIZON GAP LONGEST

A line for each: processor seconds and the gap that it was asked for, or why there are none. All get the cost of every choice
along the direction, and give the optimum from the start, so that it can be seen to be the same one."""

import importlib.metadata
import sys
import time

import numpy as np
import scipy.sparse

folder, discount, horizon = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
gap = max(float(sys.argv[4]), 1e-12)
read = lambda name, kind: np.fromfile(f"{folder}/{name}", dtype=kind)
choice_begin = read("choice_begin", np.int32)
start, cost = read("start", np.float64), read("cost", np.float64)
states = len(start)
matrix = scipy.sparse.csr_matrix(
    (read("probability", np.float64), read("next", np.int32), read("transition_begin", np.int32)),
    shape=(len(cost), states),
)
actions = np.diff(choice_begin)


def quantecon():
    """Modified policy iteration over pairs of states and actions."""
    if discount == 1 or horizon > 0:
        return "needs a discount below 1, and no horizon"
    from quantecon.markov import DiscreteDP

    # A terminal state stays where it is, for nothing.
    ends = np.flatnonzero(actions == 0)
    of_states = np.concatenate([np.repeat(np.arange(states), actions), ends])
    of_actions = np.concatenate([np.arange(len(cost)) - np.repeat(choice_begin[:-1], actions), 0 * ends])
    stays = scipy.sparse.csr_matrix((np.ones(len(ends)), (np.arange(len(ends)), ends)), shape=(len(ends), states))
    order = np.lexsort((of_actions, of_states))
    rewards = np.concatenate([-cost, np.zeros(len(ends))])[order]
    rows = scipy.sparse.vstack([matrix, stays], format="csr")[order]
    solve = lambda limit: DiscreteDP(rewards, rows, discount, of_states[order], of_actions[order]).solve(
        method="modified_policy_iteration", epsilon=gap, max_iter=limit
    )
    solve(1)  # what it compiles when it is first asked
    begin = time.process_time()
    found = solve(10**6)
    return time.process_time() - begin, found.num_iter, -float(found.v @ start)


def pymdptoolbox():
    """The same, over a matrix for each action."""
    if discount == 1 or horizon > 0 or actions.min() != actions.max():
        return "needs a discount below 1, no horizon, and as many actions in every state"
    from mdptoolbox.mdp import PolicyIterationModified

    each = int(actions[0])
    transitions = tuple(matrix[a::each] for a in range(each))
    begin = time.process_time()
    # Its own look at the model is left out: it takes longer than planning.
    planner = PolicyIterationModified(transitions, -cost.reshape(-1, each), discount, epsilon=gap, max_iter=10**6, skip_check=True)
    planner.run()
    return time.process_time() - begin, planner.iter, -float(np.asarray(planner.V) @ start)


def unavailable(package):
    """Peers whose packages have to be there before anything can be said of them."""

    def ask():
        __import__(package)
        return "is installed, but nothing here asks it"

    return ask


for name, ask in (("quantecon", quantecon), ("pymdptoolbox", pymdptoolbox), ("stormpy", unavailable("stormpy")),
                  ("madupite", unavailable("madupite"))):
    try:
        said = ask()
    except ImportError:
        said = "is not installed"
    except Exception as error:  # a peer that fails says so in its row, and the others follow
        said = f"failed: {type(error).__name__}: {error}"
    if isinstance(said, str):
        print(f"{name:<14} {said}")
    else:
        seconds, iterations, value = said
        print(f"{name:<14} {seconds:8.3f} s {iterations} iterations gap {gap:.1e} value {value:.9g} ({importlib.metadata.version(name)})")
