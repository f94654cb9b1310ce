"""Other planners on a model that planning_bench has written: peers.py PEER FOLDER DISCOUNT HORIZON GAP SECONDS BOUND FIRST SECOND.

Prints one line: seconds of the processor that planning took, reading and building the model left out, and the value from
the start; or why there is none.

storm        Storm by stormpy, in its sound environment: to a millionth of the value, its own default
storm-multi  Storm's multi-objective engine, to GAP: the least of measurement FIRST where SECOND is at most BOUND. It
             knows no discount, and is given the chance to end instead
quantecon    quantecon's DiscreteDP: modified policy iteration on a sparse matrix, compiled, to GAP
pymdptoolbox modified policy iteration over a matrix for each action, to GAP
madupite     inexact policy iteration on PETSc; there is no package of it, so that it is here to be said
"""

import os
import resource
import sys
import time
from pathlib import Path


class Refused(Exception):
    """Why a peer has no answer."""


class Model:
    def __init__(self, folder, discount, horizon):
        import numpy as np

        self.folder, self.discount, self.horizon = Path(folder), discount, horizon
        read = lambda name, kind: np.fromfile(self.folder / name, dtype=kind)
        self.choice_begin = read("choice_begin", np.int32)
        self.transition_begin = read("transition_begin", np.int32)
        self.next, self.probability = read("next", np.int32), read("probability", np.float64)
        self.start, self.cost = read("start", np.float64), read("cost", np.float64)
        self.states = len(self.start)

    def with_ends_that_stay(self):
        """Choices as (state, action, row of the matrix): a state without any gets one that stays there for nothing."""
        import numpy as np
        import scipy.sparse

        actions = np.diff(self.choice_begin)
        ends = np.flatnonzero(actions == 0)
        state = np.concatenate([np.repeat(np.arange(self.states), actions), ends])
        action = np.concatenate([np.arange(len(self.cost)) - np.repeat(self.choice_begin[:-1], actions), 0 * ends])
        matrix = scipy.sparse.csr_matrix((self.probability, self.next, self.transition_begin), (len(self.cost), self.states))
        stay = scipy.sparse.csr_matrix((np.ones(len(ends)), (np.arange(len(ends)), ends)), (len(ends), self.states))
        order = np.lexsort((action, state))
        cost = np.concatenate([self.cost, np.zeros(len(ends))])[order]
        return state[order], action[order], scipy.sparse.vstack([matrix, stay]).tocsr()[order], cost


def timed(work):
    begin = time.process_time()
    result = work()
    return time.process_time() - begin, result


def built_by_storm(model, file):
    import stormpy
    import stormpy.environments

    return stormpy.build_model_from_umb(str(model.folder / file)), stormpy.environments.sound()


def storm(model, gap):
    import stormpy

    built, environment = built_by_storm(model, "model.umb")
    if model.horizon > 0:
        formula = f"C<={model.horizon}"
    else:
        formula = "C" if model.discount == 1 else f"Cdiscount={model.discount:.17g}"
    wanted = stormpy.parse_properties(f'R{{"cost"}}min=? [ {formula} ]')[0]
    seconds, result = timed(lambda: stormpy.model_checking(built, wanted, extract_scheduler=True, environment=environment))
    return seconds, sum(p * result.get_value(int(s)) for s, p in enumerate(model.start) if p > 0)


def storm_multi(model, gap):
    import stormpy

    built, environment = built_by_storm(model, "all.umb")
    formula = f"C<={model.horizon}" if model.horizon > 0 else "C"
    bound, first, second = float(sys.argv[7]), sys.argv[8], sys.argv[9]
    wanted = stormpy.parse_properties(f'multi(R{{"{first}"}}min=? [ {formula} ], R{{"{second}"}}<={bound:.17g} [ {formula} ])')[0]
    environment.modelchecker().multi().precision = stormpy.Rational(gap)
    seconds, result = timed(lambda: stormpy.model_checking(built, wanted, environment=environment))
    return seconds, result.get_value(int(built.initial_states[0]))


def quantecon(model, gap):
    from quantecon.markov import DiscreteDP

    if model.discount == 1:
        raise Refused("has no models without a discount" if model.horizon == 0 else "takes a horizon with a discount only")
    state, action, matrix, cost = model.with_ends_that_stay()
    problem = DiscreteDP(-cost, matrix, model.discount, state, action)
    problem.solve(method="modified_policy_iteration", epsilon=1e6, max_iter=1)  # compiles
    seconds, result = timed(lambda: problem.solve(method="modified_policy_iteration", epsilon=gap, max_iter=1000))
    return seconds, -float(result.v @ model.start)


def pymdptoolbox(model, gap):
    from mdptoolbox.mdp import PolicyIterationModified

    if model.discount == 1:
        raise Refused("is asked about discounted models only")
    state, action, matrix, cost = model.with_ends_that_stay()
    each = int(action.max()) + 1
    if len(state) != each * model.states:
        raise Refused("takes models with as many actions in every state only")
    transitions = tuple(matrix[a::each] for a in range(each))
    planner = PolicyIterationModified(transitions, -cost.reshape(-1, each), model.discount, epsilon=gap, max_iter=10**6)
    seconds, _ = timed(planner.run)
    import numpy as np

    return seconds, -float(np.asarray(planner.V) @ model.start)


def madupite(model, gap):
    import madupite as there

    raise Refused(f"is installed ({there.__file__}), and nobody has written how to ask it")


PEERS = {"storm": storm, "storm-multi": storm_multi, "quantecon": quantecon, "pymdptoolbox": pymdptoolbox, "madupite": madupite}


def main():
    peer, folder = sys.argv[1:3]
    discount, horizon, gap, limit = float(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]), int(sys.argv[6])
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
    sys.stdout.flush()
    quiet = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what peers say on the way
    try:
        seconds, value = PEERS[peer](Model(folder, discount, horizon), gap)
        line = f"{seconds:.6g} s value {value:.17g}"
    except ImportError as error:
        line = f"not installed ({error.name})"
    except Refused as refused:
        line = str(refused)
    except Exception as error:  # whatever a peer has against a model
        line = f"{type(error).__name__}: {str(error).splitlines()[0][:90] if str(error) else ''}"
    os.dup2(quiet, 1)
    print(line)


if __name__ == "__main__":
    main()
