#!/usr/bin/env python3
"""oracles.py [--seeds 3] [--first-seed 0] [--task cart-pole] [--oracle NAME]: Stable-Baselines3's algorithms as oracles of the same solver, beside c2rl's own, in
steps and seconds. For both a task is Gymnasium's, stepped by Python, so that seconds compare the oracles.

cart-pole   CartPole cut at 200 steps: 190 of them on average, at most 20 more than 0.1 from the middle; PPO, with the settings of
            RL Baselines3 Zoo, and DQN, whose settings are of there, too; ppo and dqn with our defaults
pendulum    Pendulum: a cost of at most 250, an energy (0.05 times the torque's square) of at most 6; SAC with its own defaults and
            the Zoo's learning rate; sac with ours
point-robot our point robot, written in Python (point_robot.py): the goal reached in 85 of 100 episodes, at most 2.5 steps in hazards;
            SAC and sac as on the pendulum, with as many steps a call

Needs the package c2rl (make python) and Stable-Baselines3, both of which build/python/venv has.
"""

import argparse
import json
import resource
import statistics

import gymnasium

import c2rl
from c2rl.oracles import StableBaselines3
from point_robot import PointRobot


def cart_pole():
    return gymnasium.make("CartPole-v1", max_episode_steps=200)


def pendulum():
    return gymnasium.make("Pendulum-v1")


ZOO_PPO = dict(n_envs=8, n_steps=32, batch_size=256, gae_lambda=0.8, gamma=0.98, n_epochs=20, ent_coef=0.0,
               learning_rate=lambda left: left * 1e-3, clip_range=lambda left: left * 0.2)
ZOO_DQN = dict(learning_rate=2.3e-3, batch_size=64, buffer_size=100_000, learning_starts=1000, gamma=0.99, target_update_interval=10,
               train_freq=256, gradient_steps=128, exploration_fraction=0.16, exploration_final_eps=0.04,
               policy_kwargs=dict(net_arch=[256, 256]))
TASKS = {
    "cart-pole": dict(
        problem=dict(env=cart_pole, measurements={"length": c2rl.environments.Measurement("steps", range=(1, 200)),
                                                  "away": c2rl.environments.Measurement(lambda t: abs(t.next_obs[0]) > 0.1, range=(0, 200))},
                     constraints=["length >= 190", "away <= 20"], tolerance=1e-2, max_oracle_calls=20),
        oracles={"c2rl ppo": lambda: {"kind": "ppo"}, "c2rl dqn": lambda: {"kind": "dqn"},
                 "SB3 PPO": lambda: StableBaselines3("PPO", total_timesteps=100_000, evaluation_episodes=20, **ZOO_PPO),
                 "SB3 DQN": lambda: StableBaselines3("DQN", total_timesteps=50_000, evaluation_episodes=20, **ZOO_DQN)}),
    "pendulum": dict(
        problem=dict(env=pendulum, measurements={"cost": lambda t: -float(t.reward), "energy": lambda t: 0.05 * float(t.action[0]) ** 2},
                     constraints=["cost <= 250", "energy <= 6"], tolerance=1e-2, max_oracle_calls=20),
        oracles={"c2rl sac": lambda: {"kind": "sac", "training_steps": 20_000},
                 "SB3 SAC": lambda: StableBaselines3("SAC", total_timesteps=20_000, evaluation_episodes=20, learning_rate=1e-3)}),
    "point-robot": dict(
        problem=dict(env=PointRobot, measurements={"length": c2rl.environments.Measurement("steps", range=(1, 200)),
                                                   "reached": c2rl.environments.Measurement("info.reached", range=(0, 1)),
                                                   "hazard": c2rl.environments.Measurement("info.hazard", range=(0, 200))},
                     constraints=["reached >= 0.85", "hazard <= 2.5"], tolerance=1e-2, max_oracle_calls=8),
        oracles={"c2rl sac": lambda: {"kind": "sac", "training_steps": 40_000},
                 "SB3 SAC": lambda: StableBaselines3("SAC", total_timesteps=40_000, evaluation_episodes=20, learning_rate=1e-3)}),
}


def cpu_seconds():
    """Of this process and of the workers that have ended: what a busy machine changes least."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--task", choices=TASKS)
    parser.add_argument("--oracle", help="only this one")
    given = parser.parse_args()
    for name in [given.task] if given.task else TASKS:
        for who, oracle in TASKS[name]["oracles"].items():
            if given.oracle and who != given.oracle:
                continue
            steps, seconds, said = [], [], 0
            for seed in range(given.first_seed, given.first_seed + given.seeds):
                begun = cpu_seconds()
                result = c2rl.solve(oracle=oracle(), seed=seed, progress=False, **TASKS[name]["problem"])
                training = json.loads(result.to_json())["steps"]["training"]
                steps.append(result.env_steps)
                seconds.append(cpu_seconds() - begun)
                said += result.status == "feasible"
                print(f"  {name}, {who}, seed {seed}: {result.status}, {result.measurement.round(1)}, {result.oracle_calls} calls, "
                      f"{result.env_steps} steps, {training} of training, {seconds[-1]:.1f} s", flush=True)
            print(f"{name}, {who}: feasible on {said} of {given.seeds}; medians: {statistics.median(steps):.0f} steps in all, "
                  f"{statistics.median(seconds):.1f} s of the processor", flush=True)


if __name__ == "__main__":
    main()
