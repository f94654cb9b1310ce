"""Solving a problem."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from . import _core
from ._errors import InputError, OracleError
from ._model import Model, model_section
from ._oracle import Keeper
from ._problem import Brought, Problem, section
from ._progress import Listener
from ._result import Result
from ._target import target_changes
from ._world import environment_section, external_section, is_oracle, keep, make_world, standard_oracle
from .sets import ConvexSet

# Where each keyword of `solve` stands in a problem file.
_KEYS = {
    "tolerance": "solver.tolerance", "max_oracle_calls": "solver.max_oracle_calls", "first_direction": "solver.first_direction",
    "confidence": "target.confidence", "max_episodes": "target.max_episodes", "max_steps": "target.max_steps",
    "constraints": "target.constraints", "maximize": "target.maximize", "minimize": "target.minimize", "seed": "seed", "name": "name",
    "time_limit": "oracle.time_limit", "max_env_steps": "oracle.max_env_steps", "retries": "oracle.retries", "failures": "oracle.failures",
}


def solve(problem: Problem | str | os.PathLike[str] | None = None, *, env: Any = None, measurements: Any = None, oracle: Any = None,
          solver: str | Mapping[str, Any] | None = None, target: ConvexSet | None = None, horizon: int | None = None, workers: int | None = None,
          out: str | os.PathLike[str] | None = None, resume: bool = False, progress: bool | Callable[[dict[str, Any]], Any] = True,
          tensorboard: str | os.PathLike[str] | None = None, **keywords: Any) -> Result:
    """Solves a problem, and returns what was found.

    problem       a Problem or the path of a problem file; or instead
    env           an environment of Gymnasium, a function that makes one, or its name, with `measurements` by name; or neither of them, and
                  `measurements` names what an oracle of your own measures in a world of its own; or a c2rl.Model
    oracle        the name or the section of a kind (by default `q-learning` where an env has numbered states and actions, else `ppo`),
                  or any object with minimize(call)
    solver        likewise, by name or section
    target        a set of c2rl.sets, over the measurements in their order, to be met besides the constraints
    out           the run is kept there, as the command keeps it; `resume` goes on with the one that is there
    progress      a bar; or a function that is told a row of the history after every oracle call, and stops the solve by returning False
    tensorboard   a folder for scalars
    keywords      those of problem files: constraints, maximize, minimize, tolerance, max_oracle_calls, confidence, max_episodes, max_steps,
                  first_direction, time_limit, max_env_steps, retries, failures, seed, name

    Ctrl-C returns the best so far. An oracle that raises ends the solve with an OracleError, whose `result` is the best so far.
    """
    folder = None if out is None else os.fspath(out)
    given = _Given(problem, env, measurements, oracle, solver, target, horizon, workers, folder, keywords)
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

    def __init__(self, problem: Any, env: Any, measurements: Any, oracle: Any, solver: Any, target: ConvexSet | None, horizon: int | None,
                 workers: int | None, out: str | None, keywords: Mapping[str, Any]) -> None:
        self.world: Any = None
        self.keeper: Keeper | None = None
        self._own = False
        self._target, self._changes = target, _changes(keywords)
        if problem is not None:
            if env is not None or measurements is not None:
                raise InputError("env: found beside a problem, expected one of them", field="env")
            self.problem = self._of_problem(problem if isinstance(problem, Problem) else Problem.from_file(problem), oracle, solver)
            return
        if env is None and not is_oracle(oracle):
            raise InputError("problem: missing; expected a problem, an env, or an oracle of your own and measurements", field="problem")
        if isinstance(env, Model):
            environment = external_section(env.names, None) if is_oracle(oracle) else _model_section(env, out)
            if is_oracle(oracle):
                self.keeper, described = keep(oracle, env.names, env)
            else:
                described = dict(section(oracle) or {})
            names, brought = env.names, env._model if environment["kind"] == "python" else None
        else:
            if env is not None:
                self.world = make_world(env, measurements, horizon, workers)
                self._own = self.world is not env
            if self.world is None and measurements is None:
                raise InputError("measurements: missing; expected the names of what the oracle measures", field="measurements")
            if is_oracle(oracle):
                environment = external_section(self.world.names if self.world is not None else measurements, self.world)
                self.keeper, described = keep(oracle, environment["measurements"], self.world)
            else:
                environment = environment_section(self.world)
                described = {"kind": standard_oracle(environment), "failures": 0, **(section(oracle) or {})}
            names, brought = environment["measurements"], None if self.keeper is not None else self.world
        sections = {"environment": environment, "oracle": described, "solver": dict(section(solver) or {}), "target": {}}
        native = self._read_target(names, ())
        self.problem = Problem._of_sections(sections, self._changes, Brought(self.keeper, brought, native))

    def _of_problem(self, problem: Problem, oracle: Any, solver: Any) -> Problem:
        """A problem with changes. An oracle of the user's measures by itself, in a world that it is told of."""
        if is_oracle(oracle):
            self.keeper, described = keep(oracle, problem.names, problem.model or problem)
            self._changes = {"environment": external_section(problem.names, None), "oracle": described, **self._changes}
        else:
            self._changes = {**_parts("oracle", oracle), **self._changes}
        self._changes = {**_parts("solver", solver), **self._changes}
        native = self._read_target(problem.names, problem.constraints)
        return problem._with(self._changes, Brought(self.keeper, None, native)) if self._changes else problem

    def _read_target(self, names: list[str], constraints: Any) -> Any:
        """Adds the target to the changes; the set itself, where only this program knows it."""
        if self._target is None:
            return None
        said, native = target_changes(self._target, names, self._changes.get("target.constraints", constraints))
        self._changes.update(said)
        return native

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
