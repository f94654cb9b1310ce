"""What comes back."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from . import _core
from ._arrays import Floats
from ._errors import InputError
from ._policy import MixedPolicy, Policy, Shape
from .sets import ConvexSet, _native


def _number(value: Any) -> float:
    return float(value)  # JSON has "inf", "-inf" and "nan" as texts


def _vector(values: Any) -> Floats:
    return np.array([_number(value) for value in values], dtype=np.float64)


@dataclass(frozen=True)
class Certificate:
    """No mixture is nearer to the target than `bound`: along `direction`, whatever can be achieved is at least `achievable_at`, and the target
    at most `target_at`. `grade` is "proof" or "evidence"."""

    direction: Floats
    bound: float
    grade: str
    target_point: Floats
    slack: float
    achievable_at: float
    target_at: float
    words: str = ""  # the argument in the command's words, which hold as printed

    def _repr_html_(self) -> str:
        from ._html import of_certificate

        return of_certificate(self)

    def __repr__(self) -> str:
        return f"Certificate(distance >= {self.bound:g} along {np.array2string(self.direction, precision=4)}, {self.grade})"


@dataclass(frozen=True)
class Claim:
    """What the status rests on: `grade` "proof", or "confidence" with its `level`, shown on `episodes` fresh ones."""

    grade: str
    level: float
    attempts: int = 0
    episodes: int = 0
    assumes_nothing_unseen: bool = False
    region: list[dict[str, Any]] = field(default_factory=list)

    def __str__(self) -> str:
        if self.grade == "proof":
            return "proven"
        shown = f", shown on {self.episodes} fresh episodes" if self.episodes else ""
        return f"with {100 * self.level:g}% confidence{shown}"


@dataclass(frozen=True)
class Optimum:
    """What maximising or minimising came to inside the target."""

    name: str
    sense: str
    value: float
    bound: float
    grade: str
    interval: Floats | None = None


class Member:
    """A policy of the mixture."""

    def __init__(self, result: Result, index: int, entry: dict[str, Any]) -> None:
        self._result, self._index = result, index
        self.id: str = entry["id"]
        self.weight = _number(entry["weight"])
        self.measurement = _vector(entry["measurement"])
        self.standard_error = _vector(entry["standard_error"])
        self.episodes = int(entry.get("episodes", 0))
        self.file: str | None = entry.get("file")

    @property
    def policy(self) -> Any:
        """The policy itself; None where only its measurement is known. What an oracle of your own returned is returned."""
        return self._result._policy_of(self._index)

    def __repr__(self) -> str:
        return f"Member({self.id!r}, weight={self.weight:.6g}, measurement={np.array2string(self.measurement, precision=6)})"


class Result:
    """How a solve ended. True where the constraints hold, as `claim` says."""

    def __init__(self, run: _core.Run, history: list[dict[str, Any]] | None = None, world: Any = None,
                 keeper: Any = None) -> None:
        self._run, self._world, self._keeper = run, world, keeper
        entry: dict[str, Any] = json.loads(run.json)
        self.status: str = entry["status"]
        claim = entry.get("claim")
        self.claim: Claim | None = Claim(**claim) if claim else None
        self.names: list[str] = entry["measurements"]
        self.constraints: list[str] = entry["constraints"]
        self.measurement = _vector(entry["measurement"])
        self.standard_error = _vector(entry["standard_error"])
        self.distance = _number(entry["distance"])
        self.distance_lower_bound = _number(entry["distance_lower_bound"])
        self.error = _number(entry["error"])
        self.certificate = _certificate(entry.get("certificate"), run.certificate_words)
        self.optimum = _optimum(entry)
        self.oracle_calls = int(entry["oracle_calls"])
        self.policies_stored_max = int(entry["policies_stored_max"])
        self.env_steps = int(entry.get("env_steps", 0))
        self.seconds = _number(entry["seconds"])
        self.seed = int(entry["seed"])
        self.interrupted = bool(entry.get("interrupted", False))
        self.failures: list[str] = entry.get("failures", [])
        self.policies = [Member(self, i, policy) for i, policy in enumerate(entry["policies"])]
        self.history: list[dict[str, Any]] = [json.loads(line) for line in run.history] if history is None else history

    def __bool__(self) -> bool:
        return self._run.holds

    @property
    def policy(self) -> MixedPolicy:
        """The mixture as one policy, which draws a member at the start of every episode."""
        return MixedPolicy([member.weight for member in self.policies], [self._acting(i) for i in range(len(self.policies))])

    @property
    def directory(self) -> str | None:
        """Where the run is saved, if it is."""
        return self._run.directory

    @property
    def target(self) -> Any:
        from .sets import _BuiltIn

        return _BuiltIn(self._run.target, f"target({self.constraints}, {self.names})")

    def to_json(self) -> str:
        """As result.json has it."""
        return self._run.json

    def to_dict(self) -> dict[str, Any]:
        """The same as a dict."""
        return json.loads(self._run.json)  # type: ignore[no-any-return]

    def to_frame(self) -> Any:
        """The history as a pandas DataFrame, a row per oracle call; measurements and directions by name."""
        import pandas

        rows = []
        for entry in self.history:
            row = {key: value for key, value in entry.items() if not isinstance(value, (list, dict))}
            for i, name in enumerate(self.names):
                for key in ("direction", "measurement", "standard_error"):
                    row[f"{key}.{name}"] = _number(entry[key][i])
            rows.append(row)
        return pandas.DataFrame(rows)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Leaves the run in a directory of its own, as if it had been made there: `c2rl show` and `c2rl.load` open it."""
        folder = os.fspath(path)
        if self.directory is None:
            self._run.save_copy(folder, self._keeper)
            return
        if Path(folder).exists() and any(Path(folder).iterdir()):
            raise InputError(f"{folder}: is there already; expected a new directory", file=folder)
        shutil.copytree(self.directory, folder, ignore=shutil.ignore_patterns("lock", "checkpoint.safetensors"), dirs_exist_ok=True)

    def report(self, path: str | os.PathLike[str] | None = None) -> str:
        """One HTML page that shows the run, opens from disk and can be sent to anybody, as `c2rl report` writes it. Gives its
        path: by default `report.html` in the run's directory or, where it has none, in the working directory."""
        out = os.path.join(self.directory or "", "report.html") if path is None else os.fspath(path)
        if self.directory is not None:
            _core.write_report([self.directory], out)
            return out
        if not self.history:
            raise InputError("report: is of runs; a mixture of given points is none", field="report")
        with tempfile.TemporaryDirectory(prefix="c2rl-") as folder:
            copy = os.path.join(folder, "run")
            self._run.save_copy(copy, self._keeper)
            _core.write_report([copy], out)
        return out

    def plot(self, *arguments: Any, **keywords: Any) -> Any:
        """Policies, mixture and target in the plane of two measurements (c2rl.plot.measurement_space)."""
        from . import plot

        return plot.measurement_space(self, *arguments, **keywords)

    def _repr_html_(self) -> str:
        from ._html import of_result

        return of_result(self)

    def _policy_of(self, index: int) -> Any:
        handle = self._run.policy(index)
        if handle is None:
            return None
        if handle.kind == "object":
            return self._run.object(handle, self._keeper)
        return Policy(handle, Shape(*self._run.shape), self._world)

    def _acting(self, index: int) -> Any:
        policy = self._policy_of(index)
        if policy is None:
            raise InputError(f"policy: of {self.policies[index].id} only the measurement is known here; a run of an oracle of your own is "
                             "opened with it: c2rl.load(path, oracle=...)", field="policy")
        return policy

    def __str__(self) -> str:
        return self._run.text

    def __repr__(self) -> str:
        members = ", ".join(f"{member.weight:.4g} {member.id}" for member in self.policies)
        claim = f" ({self.claim})" if self.claim else ""
        return f"<Result {self.status}{claim}: distance {self.distance:.6g}, {self.oracle_calls} oracle calls, mixture {members}>"


def _certificate(entry: dict[str, Any] | None, words: str) -> Certificate | None:
    if entry is None:
        return None
    return Certificate(_vector(entry["direction"]), _number(entry["bound"]), entry["grade"], _vector(entry["target_point"]),
                       _number(entry["slack"]), _number(entry["achievable_at"]), _number(entry["target_at"]), words.strip())


def _optimum(entry: dict[str, Any]) -> Optimum | None:
    for sense, bound in (("maximize", "upper_bound"), ("minimize", "lower_bound")):
        if found := entry.get(sense):
            interval = found.get("interval")
            return Optimum(found["name"], sense, _number(found["value"]), _number(found[bound]), found["grade"],
                           None if interval is None else _vector(interval))
    return None


def load(path: str | os.PathLike[str], *, oracle: Any = None, env: Any = None, measurements: Any = None, target: ConvexSet | None = None,
         workers: int | None = None) -> Result:
    """A run that was saved, by Python or by the command; or what `c2rl mix --out` left.

    The policies of an oracle of your own are objects that it loads: it must be given then, and so must a set of your own. With the env (and measurements) of a run, its
    policies take that environment's own observations.
    """
    folder = Path(path)
    if not (folder / "problem.toml").exists() and (folder / "result.json").exists():
        return Result(_core.load_result(str(folder / "result.json")))
    keeper, world = brought(folder, oracle, env, measurements, workers)
    run = _core.load(str(folder), keeper, None if keeper is not None else world, None if target is None else _native(target))
    history = []
    for line in (folder / "record.jsonl").read_text().splitlines():
        entry = json.loads(line)
        if "call" in entry:
            for key in ("line", "problem", "seal", "policy"):
                entry.pop(key, None)
            history.append(entry)
    return Result(run, history, world, keeper)


@dataclass(frozen=True)
class Check:
    """One thing that was checked, and what came of it: `standing` is proven, evidence or failed."""

    subject: str
    standing: str
    words: str


@dataclass(frozen=True)
class Verification:
    """A run, checked anew. True where nothing failed."""

    checks: list[Check]

    @property
    def ok(self) -> bool:
        return not self.failed

    @property
    def proven(self) -> list[Check]:
        return [check for check in self.checks if check.standing == "proven"]

    @property
    def evidence(self) -> list[Check]:
        return [check for check in self.checks if check.standing == "evidence"]

    @property
    def failed(self) -> list[Check]:
        return [check for check in self.checks if check.standing == "failed"]

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return "\n".join(f"{check.subject:<12} {check.standing:<9} {check.words}" for check in self.checks)


def verify(run: str | os.PathLike[str] | Result, *, episodes: int = 0, seed: int = 0, oracle: Any = None, env: Any = None,
           measurements: Any = None, target: ConvexSet | None = None, workers: int | None = None) -> Verification:
    """Checks a run that was saved, with nothing of the solver that found it; docs/verify.md says what. `episodes` of each policy where there is
    no model; 0: as many as the claim rests on."""
    path = run.directory if isinstance(run, Result) else os.fspath(run)
    if path is None:
        raise InputError("run: was not saved; result.save(path) does it", field="run")
    if not (Path(path) / "problem.toml").exists():
        raise InputError(f"{path}: is no run: it has no problem.toml", file=path)
    keeper, world = brought(Path(path), oracle, env, measurements, workers)
    try:
        rows = _core.verify(path, int(episodes), int(seed), keeper, None if keeper is not None else world,
                            None if target is None else _native(target))
    finally:
        if world is not None and world is not env:
            world.close()
    return Verification([Check(*row) for row in rows])


def brought(folder: Path, oracle: Any, env: Any, measurements: Any, workers: int | None) -> tuple[Any, Any]:
    """What belongs to a run of Python's."""
    from ._world import keep, make_world

    world = None if env is None else make_world(env, measurements, None, workers)
    if oracle is None:
        return None, world
    result = folder / "result.json"
    if not result.exists():
        raise InputError(f"{folder}: has no result.json yet; c2rl.solve(..., out=..., resume=True) goes on with it", file=str(folder))
    return keep(oracle, json.loads(result.read_text())["measurements"], world)[0], world
