#!/usr/bin/env python3
"""A command oracle in plain Python: Q-learning on a slippery corridor.

A walker starts in the middle of a corridor. Wherever it stands it may walk or run to the right; running is quicker, but
slips, and a slip costs damage. The episode ends at the right end, or is cut after HORIZON steps. Measured are the steps
of an episode and its damage.

A policy is a letter per cell, "w" or "r": short enough to be its own token, so nothing has to be stored.
"""
import json
import random
import sys

CELLS, HORIZON = 12, 60
MEASUREMENTS = ["steps", "damage"]


def step(cell, action, rng):
    """Where a step leads, and the damage that it does."""
    if action == "w":
        return cell + (1 if rng.random() < 0.9 else 0), 0
    if rng.random() < 0.3:
        return cell, 1
    return cell + 2, 0


def episode(policy, rng):
    cell = steps = damage = 0
    while cell < CELLS and steps < HORIZON:
        cell, hurt = step(cell, policy[cell], rng)
        steps, damage = steps + 1, damage + hurt
    return [steps, damage], cell < CELLS


def minimize(question, progress):
    """The policy that is best by what was learned, for the cost direction . (steps, damage)."""
    rng = random.Random(question["seed"])
    per_step, per_damage = question["direction"]
    episodes = int(2000 * question["effort"])
    value = [{"w": 0.0, "r": 0.0} for _ in range(CELLS)]
    tried = [{"w": 0, "r": 0} for _ in range(CELLS)]
    taken = 0
    for number in range(episodes):
        if number % 500 == 0:
            progress(number / episodes)
        cell = 0
        for _ in range(HORIZON):
            best = min(value[cell], key=value[cell].get)
            action = rng.choice("wr") if rng.random() < 0.3 else best
            to, hurt = step(cell, action, rng)
            ahead = min(value[to].values()) if to < CELLS else 0.0
            tried[cell][action] += 1
            rate = max(0.005, 1 / tried[cell][action] ** 0.8)
            value[cell][action] += rate * (per_step + per_damage * hurt + ahead - value[cell][action])
            taken += 1
            cell = to
            if cell >= CELLS:
                break
    return {"token": "".join(min(v, key=v.get) for v in value), "training_steps": taken}


def evaluate(question, progress):
    """Episode i of a seed is the same whichever episodes are asked for beside it."""
    policy, totals, cut = question["token"], [], 0
    for i in range(question["first"], question["first"] + question["episodes"]):
        if i % 1000 == 0:
            progress((i - question["first"]) / question["episodes"])
        total, was_cut = episode(policy, random.Random(question["seed"] * 2**32 + i))
        totals.append(total)
        cut += was_cut
    return {"totals": totals, "cut": cut, "steps": sum(total[0] for total in totals)}


def say(message):
    print(json.dumps(message), flush=True)


def main():
    say({"protocol": 1, "measurements": MEASUREMENTS, "evaluates": True})
    for line in sys.stdin:
        question = json.loads(line)
        do = {"minimize": minimize, "evaluate": evaluate}[question["do"]]
        answer = do(question, lambda part: say({"id": question["id"], "progress": part}))
        say({"id": question["id"], **answer})


if __name__ == "__main__":
    main()
