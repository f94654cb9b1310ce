"""Solving a problem."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from . import _core
from ._errors import InputError, OracleError
from ._model import Model, model_section
from ._oracle import Keeper
from ._problem import Problem, section
from ._progress import Listener
from ._result import Result
from ._world import environment_section, external_section, is_oracle, keep, make_world, standard_oracle

# Where each keyword of `solve` stands in a problem file.
_KEYS = {
    "tolerance": "solver.tolerance", "max_oracle_calls": "solver.max_oracle_calls", "first_direction": "solver.first_direction",
    "confidence": "target.confidence", "max_episodes": "target.max_episodes", "max_steps": "target.max_steps",
    "constraints": "target.constraints", "maximize": "target.maximize", "minimize": "target.minimize", "seed": "seed", "name": "name",
    "time_limit": "oracle.time_limit", "max_env_steps": "oracle.max_env_steps", "retries": "oracle.retries", "failures": "oracle.failures",
}


def solve(problem: Problem | str | os.PathLike[str] | None = None, *, env: Any = None, measurements: Any = None, oracle: Any = None,
          solver: str | Mapping[str, Any] | None = None, horizon: int | None = None, workers: int | None = None,
          out: str | os.PathLike[str] | None = None, resume: bool = False, progress: bool | Callable[[dict[str, Any]], Any] = True,
          tensorboard: str | os.PathLike[str] | None = None, **keywords: Any) -> Result:
    """Solves a problem, and returns what was found.

    problem       a Problem or the path of a problem file; or instead
    env           an environment of Gymnasium, a function that makes one, or its name, with `measurements` by name; or neither of them, and
                  `measurements` names what an oracle of your own measures in a world of its own; or a c2rl.Model
    oracle        the name or the section of a kind (by default `q-learning` where an env has numbered states and actions, else `ppo`),
                  or any object with minimize(call)
    solver        likewise
    out           the run is kept there, as the command keeps it; `resume` goes on with the one that is there
    progress      a bar; or a function that is told a row of the history after every oracle call, and stops the solve by returning False
    tensorboard   a folder for scalars
    keywords      those of problem files: constraints, maximize, minimize, tolerance, max_oracle_calls, confidence, max_episodes, max_steps,
                  first_direction, time_limit, max_env_steps, retries, failures, seed, name

    Ctrl-C returns the best so far. An oracle that raises ends the solve with an OracleError, whose `result` is the best so far.
    """
    folder = None if out is None else os.fspath(out)
    given = _Given(problem, env, measurements, oracle, solver, horizon, workers, folder, keywords)
    scalars = None
    if tensorboard is not None:
        from ._tensorboard import Scalars

        scalars = Scalars(tensorboard, given.problem.names)
    if resume and given.keeper is not None and not given.keeper.can_save:
        raise InputError("oracle: has no save and load, so that its runs cannot go on", field="oracle")
    listener = Listener(progress, scalars)
    try:
        run = _core.solve(given.problem._problem, folder, resume, listener)
    finally:
        listener.close()
        given.close()
    result = Result(run, world=given.world, keeper=given.keeper)
    if result.status == "oracle-failed":
        raised = given.problem._problem.take_raised()
        del given.problem  # which the exception would keep, and it the exception
        reasons = result.failures or ([f"{type(raised).__name__}: {raised}"] if raised is not None else [])
        error = OracleError("; ".join(reasons) or "the oracle's answers no longer change anything")
        error.result = result
        raise error from raised
    return result


class _Given:
    """What `solve` was given, as a problem."""

    def __init__(self, problem: Any, env: Any, measurements: Any, oracle: Any, solver: Any, horizon: int | None, workers: int | None,
                 out: str | None, keywords: Mapping[str, Any]) -> None:
        self.world: Any = None
        self.keeper: Keeper | None = None
        self._own = False
        changes = _changes(keywords)
        if problem is not None:
            if env is not None or measurements is not None:
                raise InputError("env: found beside a problem, expected one of them", field="env")
            if is_oracle(oracle):
                raise InputError("oracle: found an object beside a problem, expected env or measurements with it", field="oracle")
            self.problem = problem if isinstance(problem, Problem) else Problem.from_file(problem)
            changes = {**_parts("oracle", oracle), **_parts("solver", solver), **changes}
            if changes:
                self.problem = self.problem.changed(changes)
            return
        if env is None and not is_oracle(oracle):
            raise InputError("problem: missing; expected a problem, an env, or an oracle of your own and measurements", field="problem")
        if isinstance(env, Model) and not is_oracle(oracle):
            sections = {"environment": _model_section(env, out), "oracle": dict(section(oracle) or {}), "solver": dict(section(solver) or {}),
                        "target": {}}
            self.problem = Problem._of_sections(sections, changes, None, env._model if sections["environment"]["kind"] == "python" else None)
            return
        if env is not None:
            self.world = make_world(env, measurements, horizon, workers)
            self._own = self.world is not env
        names = self.world.names if self.world is not None else measurements
        if names is None:
            raise InputError("measurements: missing; expected the names of what the oracle measures", field="measurements")
        if is_oracle(oracle):
            environment = external_section(names, self.world)
            self.keeper, described = keep(oracle, environment["measurements"], self.world)
        else:
            environment = environment_section(self.world)
            described = {"kind": standard_oracle(environment), "failures": 0, **(section(oracle) or {})}
        sections = {"environment": environment, "oracle": described, "solver": dict(section(solver) or {}), "target": {}}
        self.problem = Problem._of_sections(sections, changes, self.keeper, None if self.keeper is not None else self.world)

    def close(self) -> None:
        if self._own:
            self.world.close()


def _model_section(model: Model, out: str | None) -> Mapping[str, Any]:
    """[environment] for a model. In a run directory it is a file there, where DRN can say it, so that everyone can follow the run."""
    if out is not None:
        path = os.path.abspath(os.path.join(out, "model.drn"))
        os.makedirs(out, exist_ok=True)
        try:
            model.write(path)
        except InputError:
            pass
        else:
            return {"kind": "file", "path": path, "discount": model.discount, "horizon": model.horizon}
    return model_section(model)


def _parts(name: str, given: Any) -> dict[str, Any]:
    return {f"{name}.{key}": value for key, value in (section(given) or {}).items()}


def _changes(keywords: Mapping[str, Any]) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    for key, value in keywords.items():
        if key not in _KEYS:
            raise InputError(f"solve: found the keyword {key!r}, expected one of {', '.join(sorted(_KEYS))}", field=key)
        if value is not None:
            changes[_KEYS[key]] = value
    return changes
