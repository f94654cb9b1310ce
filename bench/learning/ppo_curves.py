#!/usr/bin/env python3
"""ppo_curves.py PROGRAM [--seeds 20] [--first-seed 0] [--world cart-pole] [--own-features] [--own-weights]: learning curves of c2rl's
ppo (PROGRAM is the command c2rl) and of Stable-Baselines3's PPO, with the same settings, on the same tasks: CartPole cut at 200
steps and Pendulum, whose dynamics are those of our worlds of these names (docs/policies.md). Both see the same: of the pendulum,
its speed divided by 8, or, for Stable-Baselines3's with --own-features, as Gymnasium says it. Both begin with weights of the same
size, c2rl's, or, for Stable-Baselines3's with --own-weights, of its own.

Settings are those of RL Baselines3 Zoo, but for the pendulum's state-dependent exploration, which c2rl does not have; a torque is
-2 to 2 there and -1 to 1 here, so that spreads of 1 and 0.5 are the same. What each
has of its own otherwise stays as it is (c2rl scales values, Stable-Baselines3 gives Adam another epsilon). A point of a curve is the mean
return of the last 16 episodes that training had finished by then; points are compared at the ends of rollouts, since c2rl's curves have
them there only. Both run on one core, one after the other; steps a second are of training alone: seconds of the processor, without
starting up.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

LAST = 16  # episodes, as c2rl's marks are of
WORLDS = {
    "cart-pole": dict(
        env=("CartPole-v1", 200), scale=[1, 1, 1, 1], steps=100_000, sign=1, measurement="steps", direction=[-1, 0],
        settings=dict(environments=8, rollout=32, minibatch=256, epochs=20, gae=0.8, discount=0.98, rate=1e-3, decays=True, spread=1.0)),
    "pendulum": dict(
        env=("Pendulum-v1", 200), scale=[1, 1, 1 / 8], steps=100_000, sign=-1, measurement="cost", direction=[1, 0, 0],
        settings=dict(environments=4, rollout=1024, minibatch=64, epochs=10, gae=0.95, discount=0.9, rate=1e-3, decays=False, spread=0.5)),
}


def ours(program, name, world, seed):
    """The curve of one training: steps and returns; and its steps a second."""
    s = world["settings"]
    # A target that no policy reaches, and one call: all of the training is done.
    beyond = f"{world['measurement']} {'>=' if world['sign'] > 0 else '<='} {1e6 * world['sign']:.0f}"
    problem = f"""
[environment]
kind = "{name}"
[target]
constraints = ["{beyond}"]
[oracle]
kind = "ppo"
training_steps = {world["steps"]}
environments = {s["environments"]}
rollout_steps = {s["rollout"]}
minibatch = {s["minibatch"]}
epochs = {s["epochs"]}
gae_lambda = {s["gae"]}
training_discount = {s["discount"]}
learning_rate = {s["rate"]}
learning_rate_last = {0.0 if s["decays"] else s["rate"]}
clip_last = {0.0 if s["decays"] else 0.2}
entropy_first = 0
spread = {s["spread"]}
normalize_observations = false
step_cost = 0
early_stop = false
checks = 1
evaluation_episodes = 2
checkpoint_seconds = 0
[solver]
max_oracle_calls = 1
first_direction = {world["direction"]}
"""
    with tempfile.TemporaryDirectory() as folder:
        file, out = folder + "/problem.toml", folder + "/run"
        with open(file, "w") as text:
            text.write(problem)
        before = os.times()
        subprocess.run([program, "solve", file, "--out", out, "--seed", str(seed), "--quiet"],
                       stdout=subprocess.DEVNULL, env={**os.environ, "TBB_NUM_THREADS": "1"})
        after = os.times()
        with open(out + "/learning.jsonl") as lines:
            curve = json.loads(lines.readline())["attempts"][0]
    marks = [(steps, -value) for steps, value, checked in zip(curve["steps"], curve["value"], curve["checked"]) if not checked]
    seconds = after.children_user + after.children_system - before.children_user - before.children_system
    return np.array(marks).T, world["steps"] / seconds


def resize(policy):
    """Of orthogonal weights, from sqrt(2) for hidden layers and 1 for what the critic says, to what c2rl has for hyperbolic tangents."""
    import torch

    with torch.no_grad():
        for network in policy.mlp_extractor.policy_net, policy.mlp_extractor.value_net:
            for layer in network:
                if isinstance(layer, torch.nn.Linear):
                    layer.weight *= 5 / 3 / 2**0.5
        policy.value_net.weight *= 0.01


def theirs(world, seed, scaled, own_weights):
    import gymnasium
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import DummyVecEnv

    torch.set_num_threads(1)
    s = world["settings"]
    task, horizon = world["env"]
    scale = np.array(world["scale"] if scaled else 1, dtype=np.float32)

    def made():
        plain = Monitor(gymnasium.make(task, max_episode_steps=horizon))
        space = plain.observation_space
        seen = gymnasium.spaces.Box(space.low * scale, space.high * scale, dtype=np.float32)
        return gymnasium.wrappers.TransformObservation(plain, lambda observed: observed * scale, seen)

    env = DummyVecEnv([made for _ in range(s["environments"])])

    def schedule(value):
        return (lambda left: left * value) if s["decays"] else value

    model = PPO("MlpPolicy", env, seed=seed, n_steps=s["rollout"], batch_size=s["minibatch"], n_epochs=s["epochs"],
                gae_lambda=s["gae"], gamma=s["discount"], learning_rate=schedule(s["rate"]), clip_range=schedule(0.2), ent_coef=0.0,
                device="cpu")
    if not own_weights:
        resize(model.policy)
    ends, returns = [], []

    def note(found, _):
        for info in found["infos"]:
            if "episode" in info:
                ends.append(model.num_timesteps)
                returns.append(info["episode"]["r"])
        return True

    begun = time.process_time()
    model.learn(world["steps"], callback=note)
    seconds = time.process_time() - begun
    last = np.array([np.mean(returns[i - LAST + 1 : i + 1]) for i in range(LAST - 1, len(returns))])
    return np.array([ends[LAST - 1 :], last]), model.num_timesteps / seconds


def at(curve, steps):
    """What it had come to by then."""
    known = np.searchsorted(curve[0], steps, side="right") - 1
    return np.nan if known < 0 else curve[1][known]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--world", choices=WORLDS)
    parser.add_argument("--own-features", action="store_true")
    parser.add_argument("--own-weights", action="store_true")
    given = parser.parse_args()
    for name in [given.world] if given.world else WORLDS:
        world = WORLDS[name]
        curves = {"c2rl": [], "SB3": []}
        rates = {"c2rl": [], "SB3": []}
        for seed in range(given.first_seed, given.first_seed + given.seeds):
            of_theirs = theirs(world, seed, not given.own_features, given.own_weights)
            for who, (curve, rate) in (("c2rl", ours(given.program, name, world, seed)), ("SB3", of_theirs)):
                curves[who].append(curve)
                rates[who].append(rate)
            print(f"{name}, seed {seed}: " + ", ".join(f"{who} {at(c[-1], world['steps']):.1f}" for who, c in curves.items()),
                  file=sys.stderr, flush=True)
        print(f"{name}, {given.seeds} seeds from {given.first_seed} on: mean return of the last {LAST} episodes, and its standard deviation over seeds")
        print(f"{'steps':>8} {'c2rl':>9} {'+-':>7} {'SB3':>9} {'+-':>7}   means within each other's spread")
        rollout = world["settings"]["environments"] * world["settings"]["rollout"]
        for part in range(1, 11):
            steps = part * world["steps"] // 10 // rollout * rollout
            values = {who: np.array([at(curve, steps) for curve in found]) for who, found in curves.items()}
            means = {who: np.nanmean(v) for who, v in values.items()}
            spreads = {who: np.nanstd(v, ddof=1) if given.seeds > 1 else 0.0 for who, v in values.items()}
            within = abs(means["c2rl"] - means["SB3"]) <= min(spreads.values())
            print(f"{steps:>8} {means['c2rl']:9.1f} {spreads['c2rl']:7.1f} {means['SB3']:9.1f} {spreads['SB3']:7.1f}   "
                  f"{'yes' if within else 'no'}")
        median = {who: np.median(found) for who, found in rates.items()}
        print(f"training steps a second: c2rl {median['c2rl']:.0f}, SB3 {median['SB3']:.0f}, ratio {median['c2rl'] / median['SB3']:.1f}\n",
              flush=True)


if __name__ == "__main__":
    main()
