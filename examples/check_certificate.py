"""Checks a certificate that `c2rl verify RUN --certificate FILE` wrote. Needs Python, and nothing of c2rl.

    python3 examples/check_certificate.py FILE

A mixture inside: J of every policy is followed through the model, step by step, and the weighted mean held against
the constraints. A bound: no choice of any state brings the values below themselves, so that no policy measures less
than the value of the start along the direction; and multipliers of the constraints that are not negative add up to
the direction, so that nothing that meets them measures more.
"""

import json
import sys

file = json.load(open(sys.argv[1]))
assert file["format"] == "c2rl-certificate-1"
model, rows, m = file["model"], file["constraints"], len(file["measurements"])
states, start, discount, horizon = model["states"], model["start"], model["discount"], model["horizon"]
for choices in states:
    for choice in choices:
        assert all(p >= 0 for _, p, _ in choice) and abs(sum(p for _, p, _ in choice) - 1) < 1e-9


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def measure(steps):
    """J of a policy: how likely each state is now, and what its actions measure."""
    total, now, t, weight = [0.0] * m, list(start), 0, 1.0
    while t < horizon if horizon else weight * sum(p for p, choices in zip(now, states) if choices) > 1e-15:
        then, table = [0.0] * len(states), steps[min(t, len(steps) - 1)]
        for s, here in enumerate(now):
            for choice, taken in zip(states[s], table[s] or []) if here > 0 else []:
                for to, p, measured in choice:
                    then[to] += here * taken * p
                    total = [x + weight * here * taken * p * y for x, y in zip(total, measured)]
        now, t, weight = then, t + 1, weight * discount
    return total


if "mixture" in file:
    J = [0.0] * m
    assert all(one["weight"] >= 0 for one in file["mixture"])
    assert abs(sum(one["weight"] for one in file["mixture"]) - 1) < 1e-9
    for one in file["mixture"]:
        J = [x + one["weight"] * y for x, y in zip(J, measure(one["steps"]))]
    over = max([dot(row["coefficients"], J) - row["at_most"] for row in rows], default=0.0)
    print("the mixture measures", dict(zip(file["measurements"], J)), "and is over its limits by at most", over)
    ok = over <= file["tolerance"] + 1e-9 * (1 + max(map(abs, J)))
else:
    bound, worst, steps = file["bound"], 0.0, file["bound"]["values"]
    for t, here in enumerate(steps):
        ahead = steps[t + 1] if t + 1 < len(steps) else ([0.0] * len(states) if horizon else here)
        for s, choices in enumerate(states):
            for choice in choices:
                value = sum(p * (dot(bound["direction"], c) + discount * ahead[to]) for to, p, c in choice)
                worst = max(worst, here[s] - value)
            worst = max(worst, here[s]) if not choices else worst
    least = dot(start, steps[0]) - worst * (horizon if horizon else 1 / (1 - discount))
    y = bound["multipliers"]
    summed = [sum(k * row["coefficients"][i] for k, row in zip(y, rows)) for i in range(m)]
    assert len(y) == len(rows) and min(y) >= 0 and (len(steps) == horizon or not horizon)
    assert max(abs(a - b) for a, b in zip(summed, bound["direction"])) < 1e-9, "the multipliers do not add up"
    most = dot(y, [row["at_most"] for row in rows])
    print("along", bound["direction"], "policies measure at least", least, "and the constraints allow", most)
    ok = least - most >= bound["distance"] * (1 - 1e-6) - 1e-9 * (1 + abs(least)) and bound["distance"] > 0
print("holds" if ok else "DOES NOT HOLD", "-", file["status"], file["texts"])
sys.exit(0 if ok else 1)
