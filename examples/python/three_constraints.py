"""A Gymnasium task with three constraints, and an algorithm of Stable-Baselines3 to meet them.

Run me:  python examples/python/three_constraints.py        needs c2rl[sb3]
"""

# %% A pole is to be balanced for 100 steps on average, with few of them away from the middle of the track, and without
# pushing one way all the time. "steps" is one of the names that every environment has; the others are functions of a
# transition t: t.obs, t.action, t.reward, t.next_obs, t.terminated, t.truncated, t.info.
import gymnasium as gym

import c2rl

result = c2rl.solve(
    env=lambda: gym.make("CartPole-v1", max_episode_steps=200),
    measurements={
        "length": "steps",
        "away": lambda t: abs(t.next_obs[0]) > 0.5,
        "left": lambda t: t.action == 0,
    },
    constraints=["length >= 100", "away <= 40", "left <= 0.6 * length"],
    oracle=c2rl.oracles.StableBaselines3("PPO", total_timesteps=20_000, warm_start=True, n_steps=256, learning_rate=1e-3),
    tolerance=1e-2,
    max_oracle_calls=10,
    seed=0,
    progress=False,
)
print(result)
assert result, result.status

# %% What the claim rests on: fresh episodes, which neither trained nor chose the policies.
print(result.claim)

# %% One row for each time that the algorithm was run.
for row in result.history:
    print(row["call"], "distance", round(float(row["distance"]), 3), "policies", row["policies"], "steps", row["env_steps"])
