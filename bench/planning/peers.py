"""Other planners on a model that planning_bench has written: peers.py PEER FOLDER DISCOUNT HORIZON GAP SECONDS.

Prints one line: seconds of the processor that planning took, reading and building the model left out, and the value from
the start; or why there is none.

storm        Storm by stormpy, in its sound environment: to a millionth of the value, its own default
quantecon    quantecon's DiscreteDP: modified policy iteration on a sparse matrix, compiled, to GAP
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


def built_by_storm(model):
    import stormpy
    import stormpy.environments

    return stormpy.build_model_from_umb(str(model.folder / "model.umb")), stormpy.environments.sound()


def storm(model, gap):
    import stormpy

    built, environment = built_by_storm(model)
    if model.horizon > 0:
        formula = f"C<={model.horizon}"
    else:
        formula = "C" if model.discount == 1 else f"Cdiscount={model.discount:.17g}"
    wanted = stormpy.parse_properties(f'R{{"cost"}}min=? [ {formula} ]')[0]
    seconds, result = timed(lambda: stormpy.model_checking(built, wanted, extract_scheduler=True, environment=environment))
    return seconds, sum(p * result.get_value(int(s)) for s, p in enumerate(model.start) if p > 0)


def quantecon(model, gap):
    from quantecon.markov import DiscreteDP

    if model.discount == 1:
        raise Refused("has no models without a discount" if model.horizon == 0 else "takes a horizon with a discount only")
    state, action, matrix, cost = model.with_ends_that_stay()
    problem = DiscreteDP(-cost, matrix, model.discount, state, action)
    problem.solve(method="modified_policy_iteration", epsilon=1e6, max_iter=1)  # compiles
    seconds, result = timed(lambda: problem.solve(method="modified_policy_iteration", epsilon=gap, max_iter=1000))
    return seconds, -float(result.v @ model.start)


PEERS = {"storm": storm, "quantecon": quantecon}


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
