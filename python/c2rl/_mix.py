"""Policies that are measured already."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np

from . import _core
from ._arrays import matrix, texts
from ._errors import InputError
from ._result import Result
from ._target import Target, names_of
from .sets import ConvexSet, _native


def mix(points: Any = None, names: Any = None, constraints: Any = (), standard_errors: Any = None, maximize: str | None = None,
        minimize: str | None = None, *, target: ConvexSet | None = None, ids: Any = None, solver: str = "corrective-mnp",
        tolerance: float | None = None, max_oracle_calls: int | None = None, agents: Any = None, env: Any = None,
        measurements: Any = None, episodes: int = 200, deterministic: bool = True, workers: int | None = None, **keywords: Any) -> Result:
    """Which mixture of policies that are measured already meets the constraints, or meets them best.

    `points` has a row per policy: a list, an array, or a pandas DataFrame, whose columns are the names (`id` and `NAME_se` mean what they
    mean in a CSV file). With standard errors, what is claimed holds with 95% confidence.

        c2rl.mix([[8, 4], [10, 1], [12, 0]], names=["steps", "risk"], constraints=["steps <= 11", "risk <= 0.5"])

    Agents that are trained already, in place of points: models of Stable-Baselines3, or functions of the observation. They are played in `env`
    (as in `solve`, whose keywords may follow), and what is claimed is confirmed on fresh episodes:

        c2rl.mix(agents=[a, b], env=make, measurements={"length": "steps"}, constraints=["length >= 190"])
    """
    if agents is not None:
        if points is not None or target is not None:
            raise InputError("agents: found beside points or a target, expected agents, env, measurements and constraints", field="agents")
        limits = {"tolerance": 1e-3 if tolerance is None else tolerance, "max_oracle_calls": max_oracle_calls}
        return _mix_agents(agents, env, measurements, episodes, deterministic, workers,
                           {"constraints": constraints, "maximize": maximize, "minimize": minimize, "solver": solver, **limits, **keywords})
    if keywords:
        raise InputError(f"mix: found the keyword {next(iter(keywords))!r}, which goes with agents only", field=next(iter(keywords)))
    table = _table(points, names, standard_errors, ids, target)
    wanted = texts(constraints, "constraints")
    more: ConvexSet | None = target
    if isinstance(target, Target):
        wanted, more = target.constraints + wanted, None
    run = _core.mix(table, wanted, None if more is None else _native(more), maximize, minimize, solver,
                    1e-9 if tolerance is None else float(tolerance), 10_000 if max_oracle_calls is None else int(max_oracle_calls))
    return Result(run)


def _mix_agents(agents: Any, env: Any, measurements: Any, episodes: int, deterministic: bool, workers: int | None,
                keywords: dict[str, Any]) -> Result:
    from ._agents import Agents
    from ._solve import solve
    from ._world import make_world

    world = make_world(env, measurements, None, workers)
    try:
        return solve(env=world, oracle=Agents(agents, world, episodes, deterministic), **keywords)
    finally:
        if world is not env:
            world.close()


def _table(points: Any, names: Any, standard_errors: Any, ids: Any, target: ConvexSet | None) -> str:
    """The points as a CSV file, so that whatever is wrong with them is said as the command says it."""
    if points is None:
        raise InputError("points: missing; expected a row of measurements for every policy", field="points")
    if hasattr(points, "columns") and names is None:
        return str(points.to_csv(index=False))
    values = matrix(points, "points", "policy")
    if names is None:
        names = names_of(target) or [f"x{i}" for i in range(values.shape[1])]
    names = texts(names, "names")
    if len(names) != values.shape[1]:
        raise InputError(f"names: found {len(names)}, expected {values.shape[1]}, one per measurement", field="names")
    columns = dict(zip(names, values.T))
    if len(columns) != len(names):
        raise InputError(f"names: found {names}, expected each of them once", field="names")
    if ids is not None:
        labels = [str(label) for label in ids]
        if len(labels) != len(values):
            raise InputError(f"ids: found {len(labels)}, expected {len(values)}, one per policy", field="ids")
    if standard_errors is not None:
        errors = matrix(standard_errors, "standard_errors", "policy")
        if errors.shape != values.shape:
            raise InputError(f"standard_errors: found an array of shape {errors.shape}, expected {values.shape}, as the points have",
                             field="standard_errors")
        values = np.hstack([values, errors])
        names = names + [f"{name}_se" for name in names]
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow((["id"] if ids is not None else []) + names)
    for i, row in enumerate(values):
        rows.writerow(([labels[i]] if ids is not None else []) + [repr(float(number)) for number in row])
    return text.getvalue()
