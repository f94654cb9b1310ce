"""A first solve: a robot that must be quick and careful, on average.

Run me:  python examples/python/first_solve.py
"""

# %% A robot walks from S to G. Steps cost time, cells marked # are risky.
import c2rl

problem = c2rl.Problem(
    environment={
        "kind": "grid",
        "horizon": 500,
        "measurements": ["steps", "risk"],
        "legend": {"#": {"risk": 1}},
        "map": "\n".join([
            ".........",
            ".........",
            "....#....",
            "S.####..G",
            "..####...",
            "..####...",
        ]),
    },
    target={"constraints": ["steps <= 11", "risk <= 0.5"]},
    oracle={"kind": "dynamic-programming"},
)

# %% No single path takes at most 11 steps with at most 0.5 of them risky. A mixture of two does.
result = c2rl.solve(problem, progress=False)
print(result)
assert result

# %% To act by it, draw one of its policies at the start of every episode, and keep it.
policy = result.policy
for seed in range(3):
    member = policy.reset(seed=seed)
    action, _ = policy.predict(27)  # the number of the cell S: row 3, column 0, of 9 columns
    print(f"episode {seed}: follows {result.policies[member].id}, first move {['up', 'down', 'left', 'right'][action]}")

# %% The same question about policies that are measured already.
mixed = c2rl.mix([[8, 4], [10, 1], [12, 0]], names=["steps", "risk"], constraints=["steps <= 11", "risk <= 0.5"])
print([(member.id, round(member.weight, 6)) for member in mixed.policies if member.weight > 0])

# %% What is measured, the target, and how the run came there.
try:
    figure = result.plot()
except c2rl.InputError as error:  # without Matplotlib
    print(error)
