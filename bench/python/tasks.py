"""Tasks of other people's packages, with constraints, and how each is solved: what the benches here run."""

import gymnasium as gym
import numpy as np

from c2rl.environments import Measurement


def cart_pole():
    return gym.make("CartPole-v1", max_episode_steps=200)


CART_POLE = {"length": "steps", "away": lambda t: abs(t.next_obs[0]) > 0.1, "left": lambda t: t.action == 0}
CART_POLE_CONSTRAINTS = ["length >= 190", "away <= 20", "left <= 0.55 * length"]


def minecart():
    import mo_gymnasium

    return mo_gymnasium.make("minecart-v0", max_episode_steps=200)


def hopper():
    import mo_gymnasium

    return mo_gymnasium.make("mo-hopper-v5", max_episode_steps=200)


def energy(t):
    return float(np.square(t.action).sum())


PART = (0, 1)

TASKS = {
    # The concave front: every path to a treasure of 50 or more takes 14 steps. 49/123 of (124, 19), the rest of (1, 1).
    "deep-sea-treasure": dict(
        env="deep-sea-treasure-concave-v0",
        measurements={"treasure": Measurement("reward[0]", range=(0, 124)), "steps": "steps"},
        constraints=["treasure >= 50", "steps <= 8.2"], tolerance=1e-4, max_episodes=300_000),
    # The way that takes both and meets no enemy has 18 steps, that past one of them 14, that to the gems 10.
    "resource-gathering": dict(
        env="resource-gathering-v0",
        measurements={"killed": Measurement(lambda t: t.reward[0] < 0, range=PART), "gold": Measurement("reward[1]", range=PART),
                      "gems": Measurement("reward[2]", range=PART), "steps": "steps"},
        constraints=["killed <= 0.04", "gold + gems >= 1.7", "steps <= 14.6"], tolerance=1e-3, max_episodes=100_000),
    # The shortest ways have 24 steps, and (green, red) of (1, 3) or (3, 1); (2, 3) takes 28.
    "four-room": dict(
        env="four-room-v0",
        measurements={"blue": "reward[0]", "green": "reward[1]", "red": "reward[2]", "steps": "steps"},
        constraints=["green >= 1.9", "red >= 1.9", "steps <= 25"], tolerance=1e-2, max_episodes=100_000),
    # A cart holds 1.5, of either ore or of both. The ore first, whatever the fuel: as long as none has been brought home, driving costs
    # only, and a learner that is told so soon stays there.
    "minecart": dict(
        env=minecart,
        measurements={"ore1": Measurement("reward[0]", range=(0, 1.5)), "ore2": Measurement("reward[1]", range=(0, 1.5)),
                      "fuel": Measurement(lambda t: -t.reward[2], range=(0, 44))},
        constraints=["ore1 >= 0.9", "ore2 >= 0.5", "fuel <= 1.6"], first_direction=[-1, -1, 0],
        oracle={"kind": "ppo", "training_steps": 200_000, "early_stop": False}, tolerance=1e-2, max_episodes=20_000),
    "mo-hopper": dict(
        env=hopper,
        measurements={"forward": "info.x_velocity", "energy": energy, "steps": Measurement("steps", range=(1, 200))},
        constraints=["steps >= 150", "energy <= 80", "forward >= 280"],
        oracle={"kind": "ppo", "training_steps": 100_000}, tolerance=1, max_episodes=5_000),
}
