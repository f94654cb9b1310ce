"""cart_pole_ppo.py [SEEDS]: Gymnasium's CartPole with three constraints, by Stable-Baselines3's PPO and by c2rl's, side by side."""

import resource
import sys
import time

import c2rl
from tasks import CART_POLE, CART_POLE_CONSTRAINTS, cart_pole

ORACLES = {
    "native ppo": lambda: {"kind": "ppo"},
    "Stable-Baselines3 PPO": lambda: c2rl.oracles.StableBaselines3("PPO", total_timesteps=100_000, evaluation_episodes=20),
}


def cpu_seconds():
    """Of this process and of the workers that have ended: what a busy machine changes least."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def main():
    for seed in range(int(sys.argv[1]) if len(sys.argv) > 1 else 1):
        for name, oracle in ORACLES.items():
            begun, cpu = time.monotonic(), cpu_seconds()
            result = c2rl.solve(env=cart_pole, measurements=CART_POLE, constraints=CART_POLE_CONSTRAINTS, oracle=oracle(),
                                tolerance=1e-2, max_oracle_calls=20, seed=seed, progress=False)
            print(f"{name}, seed {seed}: {result.status}, {result.measurement.round(1)}, {result.oracle_calls} calls, "
                  f"{result.env_steps} steps, {cpu_seconds() - cpu:.0f} s of processors, {time.monotonic() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()
