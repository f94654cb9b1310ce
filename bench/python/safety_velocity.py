"""safety_velocity.py: a velocity task of Safety-Gymnasium, whose pins are old (Python 3.10, gymnasium 0.28.1, numpy 1.23), so
that c2rl is installed beside them without its own:

    python3.10 -m venv safety && safety/bin/pip install safety-gymnasium
    safety/bin/pip install --no-deps .
    safety/bin/python bench/python/safety_velocity.py

Where it is not installed, says so and ends with the exit status of a skipped test.
"""

import sys
import time

try:
    import safety_gymnasium  # noqa: F401
except ImportError as error:
    print(f"skipped: safety-gymnasium is not installed ({error})")
    sys.exit(77)

import c2rl


def make():
    import safety_gymnasium as safety

    return safety.make("SafetyHopperVelocity-v1", max_episode_steps=200)


def main():
    begun = time.monotonic()
    result = c2rl.solve(
        env=make,
        measurements={"reward": "reward", "cost": c2rl.Measurement("cost", range=(0, 200)), "steps": "steps"},
        constraints=["steps >= 130", "cost <= 10", "reward >= 150"],
        oracle={"kind": "ppo", "training_steps": 100_000}, workers=0, tolerance=1, max_oracle_calls=8, max_episodes=3_000, seed=0,
        progress=False)
    print(result)
    print(f"{result.status}: {dict(zip(result.names, result.measurement.round(2)))}, {result.oracle_calls} calls, "
          f"{result.env_steps} steps, {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
