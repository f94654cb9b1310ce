"""Agents that you have trained already, mixed: one is quick and careless, one is careful and slow.

Run me:  python examples/python/mixed_agents.py        needs c2rl[sb3]
"""

# %% Two agents of Stable-Baselines3 for the same task, trained with different rewards: balance at any price, or hardly push
# to the left. Neither does what is asked: to balance for 40 steps on average, and to push left in at most 40 of them.
import gymnasium as gym
from stable_baselines3 import PPO

import c2rl


def make():
    return gym.make("CartPole-v1", max_episode_steps=200)


class OnlyRight(gym.Wrapper):
    """Pushing to the left costs."""

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        return obs, reward - 3.0 * (action == 0), terminated, truncated, info


settings = dict(n_steps=256, learning_rate=1e-3, seed=0, device="cpu")
balanced = PPO("MlpPolicy", make(), **settings).learn(5_000)
right = PPO("MlpPolicy", OnlyRight(make()), **settings).learn(2_000)

# %% They are measured on fresh episodes, mixed, and what is claimed is confirmed on more.
result = c2rl.mix(
    agents=[balanced, right],
    env=make,
    measurements={"length": "steps", "left": lambda t: t.action == 0},
    constraints=["length >= 40", "left <= 40"],
    tolerance=0.1,
    episodes=100,
    progress=False,
)
print(result)
for member in result.policies:
    print(f"{member.weight:.3f} of {'balanced' if member.policy is balanced else 'right'}: {member.measurement.round(1)}")

# %% Deployed at once.
env, policy = make(), result.policy
obs, _ = env.reset(seed=1)
policy.reset(seed=1)
done, length = False, 0
while not done:
    action, _ = policy.predict(obs)
    obs, _, terminated, truncated, _ = env.step(int(action))
    done, length = terminated or truncated, length + 1
print(f"an episode of {length} steps")
assert result
