"""mo_gymnasium_tasks.py [TASK ...] [SEED]: tasks of MO-Gymnasium with three constraints or two, each solved once and its claim held against
fresh episodes that took no part in it: 10,000, or as many of them as there is time for. Prints a row each."""

import sys
import time

import numpy as np

import c2rl
from c2rl.environments import World
from tasks import TASKS

FRESH = {"mo-hopper": 1_000}  # 200 steps of a physics engine each


def fresh_mean(result, world, count):
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
    names = [name for name in sys.argv[1:] if name in TASKS] or TASKS
    seed = next((int(word) for word in sys.argv[1:] if word.isdigit()), 0)
    for name in names:
        task = dict(TASKS[name])
        world = World(task.pop("env"), task.pop("measurements"))
        begun = time.monotonic()
        result = c2rl.solve(env=world, seed=seed, progress=False, max_oracle_calls=30, **task)
        seconds = time.monotonic() - begun
        print(f"\n{name}, seed {seed}: {', '.join(task['constraints'])}\n{result}")
        fresh = FRESH.get(name, 10_000)
        mean, error = fresh_mean(result, world, fresh)
        distance = float(np.linalg.norm(mean - result.target.project(mean)))
        print(f"{name}: {result.status}, {result.oracle_calls} calls, {result.env_steps} steps, {seconds:.0f} s; on {fresh} fresh "
              f"episodes {dict(zip(world.names, mean.round(4)))} ± {error.round(4)}: {distance:.3g} from the target", flush=True)
        world.close()


if __name__ == "__main__":
    main()
