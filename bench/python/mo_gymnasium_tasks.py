"""mo_gymnasium_tasks.py [TASK ...]: tasks of MO-Gymnasium with two or three constraints, each solved once and its claim held
against 10,000 fresh episodes that took no part in it. Prints a row each."""

import sys
import time

import numpy as np

import c2rl
from c2rl.environments import World
from tasks import TASKS

FRESH = 10_000


def fresh_mean(result, world, count=FRESH):
    """The mixture's mean and its standard error, each policy on its share of the episodes."""
    mean, variance = np.zeros(len(world.names)), np.zeros(len(world.names))
    members = [member for member in result.policies if member.weight > 0]
    for number, member in enumerate(members):
        episodes = max(100, int(count * member.weight))
        totals = world.episodes(member.policy, episodes, seed=987654321 + number).totals
        mean += member.weight * totals.mean(0)
        variance += member.weight**2 * totals.var(0) / episodes
    return mean, np.sqrt(variance)


def main():
    for name in sys.argv[1:] or TASKS:
        task = dict(TASKS[name])
        world = World(task.pop("env"), task.pop("measurements"))
        oracle = task.pop("oracle")()
        begun = time.monotonic()
        result = c2rl.solve(env=world, oracle=oracle, seed=0, progress=False, **task)
        seconds = time.monotonic() - begun
        print(f"\n{name}, {[row['env_steps'] for row in result.history]} steps a call: {', '.join(task['constraints'])}\n{result}")
        mean, error = fresh_mean(result, world)
        distance = float(np.linalg.norm(mean - result.target.project(mean)))
        print(f"{name}: {result.status}, {result.oracle_calls} calls, {result.env_steps} steps, {seconds:.0f} s; on {FRESH} fresh "
              f"episodes {dict(zip(world.names, mean.round(4)))} ± {error.round(4)}: {distance:.3g} from the target", flush=True)
        world.close()


if __name__ == "__main__":
    main()
