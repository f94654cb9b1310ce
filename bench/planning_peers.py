"""Other planners on a model that planning_bench has written: planning_peers.py FOLDER DISCOUNT HORIZON GAP LONGEST

A line for each: processor seconds and the gap that it was asked for, where it can be, or why there are none. All get the cost of every choice
along the direction, and give the optimum from the start, so that it can be seen to be the same one."""

import importlib.metadata
import signal
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
    planner = PolicyIterationModified(transitions, -cost.reshape(-1, each), discount, epsilon=gap, max_iter=10**6)
    planner.run()
    return time.process_time() - begin, planner.iter, -float(np.asarray(planner.V) @ start)


def stormpy():
    """Storm's sparse engine as it comes, to a precision of its own, on a DRN file of the model; reading that is not counted."""
    if horizon > 0:
        return "is not asked about horizons"
    import stormpy as storm

    path = f"{folder}/model.drn"
    with open(path, "w") as file:
        file.write(f"@type: MDP\n@parameters\n\n@reward_models\ncost\n@nr_states\n{states}\n@nr_choices\n{len(cost) + (actions == 0).sum()}\n@model\n")
        for s in range(states):
            file.write(f"state {s}{' init' if start[s] > 0 else ''}{' end' if actions[s] == 0 else ''}\n")
            if actions[s] == 0:
                file.write(f"\taction 0 [0]\n\t\t{s} : 1\n")
            for a, k in enumerate(range(choice_begin[s], choice_begin[s + 1])):
                row = matrix[k]
                row.sum_duplicates()
                file.write(f"\taction {a} [{float(cost[k])!r}]\n")
                file.writelines(f"\t\t{next} : {float(p)!r}\n" for next, p in zip(row.indices, row.data))
    model = storm.build_model_from_drn(path)
    formula = f'R{{"cost"}}min=? [Cdiscount={discount!r}]' if discount < 1 else 'R{"cost"}min=? [F "end"]'
    begin = time.process_time()
    found = storm.model_checking(model, storm.parse_properties(formula)[0])
    return time.process_time() - begin, None, found.get_value(model.initial_states[0])


def madupite():
    """Where it can be built: it needs PETSc."""
    __import__("madupite")
    return "is installed, but nothing here asks it"


LIMIT_SECONDS = 120


def out_of_time(*_):
    raise TimeoutError


signal.signal(signal.SIGALRM, out_of_time)
for name, ask in (("quantecon", quantecon), ("stormpy", stormpy), ("pymdptoolbox", pymdptoolbox), ("madupite", madupite)):
    signal.alarm(LIMIT_SECONDS)
    try:
        said = ask()
    except TimeoutError:
        said = f"is not done after {LIMIT_SECONDS} s"
    except ImportError:
        said = "is not installed"
    except Exception as error:  # a peer that fails says so in its row, and the others follow
        said = f"failed: {type(error).__name__}: {error}"
    if isinstance(said, str):
        print(f"{name:<14} {said}", flush=True)
    else:
        seconds, iterations, value = said
        to = "to a precision of its own" if iterations is None else f"{iterations} iterations gap {gap:.1e}"
        print(f"{name:<14} {seconds:8.3f} s {to} value {value:.9g} ({importlib.metadata.version(name)})", flush=True)
