"""An infeasible problem, explained: which constraints are in conflict, how near one can get, and what would do.

Run me:  python examples/python/infeasible.py
"""

# %% Too much is asked of the robot of first_solve.py: nine steps, and hardly any risk.
from pathlib import Path

import c2rl

problem = c2rl.Problem.from_file(Path(__file__).parents[1] / "navigation.toml")
result = c2rl.solve(problem, constraints=["steps <= 9", "risk <= 0.5"], progress=False)
print(result)
assert result.status == "infeasible" and not result

# %% Why: whatever is mixed, 3 steps + 2 risk is at least 32, and the target asks for at most 28. That is a proof, because
# dynamic programming knows the best policy in every direction. With an oracle that learns it would be evidence.
certificate = result.certificate
print(f"along {certificate.direction.round(4)}: achievable {certificate.achievable_at:.4f} or more, "
      f"the target {certificate.target_at:.4f} or less; {certificate.grade}")

# %% How near one can get: the mixture nearest to the target, and its distance.
print(f"nearest: {result.measurement.round(4)}, {result.distance:.4f} away")

# %% What would do: the least steps with that risk, and the least risk with those steps.
for objective, constraint in (("steps", "risk <= 0.5"), ("risk", "steps <= 9")):
    best = c2rl.solve(problem, constraints=[constraint], minimize=objective, progress=False)
    print(f"{constraint}: {objective} >= {best.optimum.value:.4f}")
    assert best.status == "optimal"

# %% Anyone can check the certificate again, from the run directory alone.
import tempfile

with tempfile.TemporaryDirectory() as folder:
    c2rl.solve(problem, constraints=["steps <= 9", "risk <= 0.5"], out=f"{folder}/run", progress=False)
    print(c2rl.verify(f"{folder}/run").ok)
