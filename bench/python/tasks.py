"""Tasks of other people's packages, with constraints, and how each is solved: what the benches here run."""

import gymnasium as gym
import numpy as np

import c2rl
from c2rl.environments import Measurement


def one_hot_cells(name, rows=11, columns=11):
    """A grid of MO-Gymnasium whose cell is seen as a one-hot vector instead of two coordinates."""
    import mo_gymnasium

    env = mo_gymnasium.make(name)
    space = gym.spaces.Box(0, 1, (rows * columns,), np.float32)
    return gym.wrappers.TransformObservation(env, lambda o: np.eye(rows * columns, dtype=np.float32)[columns * o[0] + o[1]], space)


def cart_pole():
    return gym.make("CartPole-v1", max_episode_steps=200)


CART_POLE = {"length": "steps", "away": lambda t: abs(t.next_obs[0]) > 0.1, "left": lambda t: t.action == 0}
CART_POLE_CONSTRAINTS = ["length >= 190", "away <= 20", "left <= 0.55 * length"]

PPO_ON_GRIDS = dict(n_envs=8, n_steps=64, batch_size=256, learning_rate=1e-3)


def ppo(steps, **options):
    return c2rl.oracles.StableBaselines3("PPO", total_timesteps=steps, **options)


TASKS = {
    # The concave front: every path to a treasure of 50 or more takes 14 steps. 49/123 of (124, 19), the rest of (1, 1).
    "deep-sea-treasure": dict(
        env=lambda: one_hot_cells("deep-sea-treasure-concave-v0"),
        measurements={"treasure": Measurement("reward[0]", range=(0, 124)), "steps": "steps"},
        constraints=["treasure >= 50", "steps <= 8.2"],
        oracle=lambda: ppo(60_000, evaluation_episodes=10, check_episodes=2, ent_coef=0.1, gamma=0.999,
                           policy_kwargs=dict(net_arch=[64]), **PPO_ON_GRIDS),
        tolerance=1e-4, max_oracle_calls=12, max_episodes=300_000,
        first_direction=[-1, 0]),  # the treasure first: where steps count from the start, PPO is soon content with the nearest one
    # The best: (killed, gold, gems) of (0.1, 0.9, 0.9), (0, 1, 0) and (0, 0, 1). Only a mixture of all three meets this.
    "resource-gathering": dict(
        env="resource-gathering-v0",
        measurements={"killed": Measurement(lambda t: t.reward[0] < 0, range=(0, 1)),
                      "gold": Measurement("reward[1]", range=(0, 1)), "gems": Measurement("reward[2]", range=(0, 1))},
        constraints=["killed <= 0.07", "gold >= 0.65", "gems >= 0.65"],
        oracle=lambda: ppo(60_000, ent_coef=0.05, gamma=0.99, **PPO_ON_GRIDS),
        tolerance=1e-3, max_oracle_calls=12, max_episodes=100_000),
    "four-room": dict(
        env="four-room-v0",
        measurements={"blue": "reward[0]", "green": "reward[1]", "steps": "steps"},
        constraints=["blue >= 2", "green >= 2", "steps <= 40"],
        oracle=lambda: ppo(80_000, evaluation_episodes=20, check_episodes=10, ent_coef=0.05, gamma=0.99, **PPO_ON_GRIDS),
        tolerance=1e-2, max_oracle_calls=12, max_episodes=100_000),
    "minecart": dict(
        env=lambda: __import__("mo_gymnasium").make("minecart-v0", max_episode_steps=200),
        measurements={"ore1": "reward[0]", "ore2": "reward[1]", "fuel": lambda t: -t.reward[2]},
        constraints=["ore1 >= 0.2", "ore2 >= 0.2", "fuel <= 5"],
        oracle=lambda: ppo(400_000, n_envs=16, n_steps=200, batch_size=400, n_epochs=6, ent_coef=0.01, gamma=0.99, gae_lambda=0.97,
                           learning_rate=3e-4),
        tolerance=1e-2, max_oracle_calls=4, max_episodes=20_000),
    "mo-hopper": dict(
        env=lambda: __import__("mo_gymnasium").make("mo-hopper-v5", max_episode_steps=200),
        measurements={"forward": "info.x_velocity", "energy": lambda t: float(np.square(t.action).sum()), "steps": "steps"},
        constraints=["steps >= 150", "energy <= 80", "forward >= 280"],
        oracle=lambda: ppo(80_000, n_envs=4, n_steps=512, batch_size=128, n_epochs=5, learning_rate=1e-3, evaluation_episodes=20,
                           check_episodes=10),
        tolerance=1e-1, max_oracle_calls=10, max_episodes=5_000),
}
