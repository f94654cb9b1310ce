"""What Python brings to a problem: environments and oracles, and what stands for them in problem.toml."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ._arrays import texts
from ._errors import InputError
from ._model import Model
from ._oracle import Keeper
from ._problem import Problem

_PLAIN = (bool, int, float, str, type(None))


def describe(thing: Any) -> str:
    """What an object is, in words that are the same in every process: its class and its plain public attributes."""
    own = getattr(thing, "describe", None)
    if callable(own):
        return str(own())
    words = []
    for key, value in sorted(getattr(thing, "__dict__", {}).items()):
        if key.startswith("_"):
            continue
        if isinstance(value, type):
            words.append(f"{key}={value.__name__}")
        elif isinstance(value, _PLAIN):
            words.append(f"{key}={value!r}")
        elif isinstance(value, Mapping) and all(isinstance(entry, _PLAIN) for entry in value.values()):
            words.append(f"{key}={dict(value)!r}")
    return f"{type(thing).__name__}({', '.join(words)})"


def is_oracle(thing: Any) -> bool:
    """An object of the user's, in contrast to the name or the section of a kind."""
    return thing is not None and not isinstance(thing, (str, Mapping))


def make_world(env: Any, measurements: Any, horizon: int | None, workers: int | None) -> Any:
    """What `env=` and `measurements=` say, where episodes can be played (c2rl.environments.World)."""
    from .environments import World

    if isinstance(env, World):
        return env
    if measurements is None:
        raise InputError('measurements: missing; expected what is measured by name, for example {"length": "steps", "cost": "info.cost"}',
                         field="measurements")
    return World(env, measurements, horizon=horizon, workers=workers)


def _ranges(world: Any) -> dict[str, list[float]]:
    """What is known of an episode's totals."""
    return {name: [low, high] for name, (low, high) in zip(world.names, world.ranges) if math.isfinite(low) or math.isfinite(high)}


def environment_section(world: Any) -> dict[str, Any]:
    """[environment] for the oracles of C++, which act in it."""
    from .environments.spaces import Done, Seen

    seen, done = Seen(world.observation_space), Done(world.action_space)
    section: dict[str, Any] = {"kind": "python", "object": describe_world(world), "measurements": list(world.names), "states": seen.states,
                               "features": seen.features, "actions": done.actions, "controls": done.controls, "discount": world.discount,
                               "horizon": world.horizon or 0}
    if ranges := _ranges(world):
        section["range"] = ranges
    return section


def standard_oracle(environment: Mapping[str, Any]) -> str:
    """For an environment that nothing is said of: a table finds everything in a small world, a network goes on in a large one."""
    return "q-learning" if environment["states"] and environment["actions"] else "ppo"


def external_section(names: Any, world: Any) -> dict[str, Any]:
    """[environment] for an oracle that brings its world."""
    section: dict[str, Any] = {"kind": "external", "measurements": texts(names, "measurements")}
    if world is not None and (ranges := _ranges(world)):
        section["range"] = ranges
    return section


def describe_world(world: Any) -> str:
    if isinstance(world, Problem):
        return world.name
    if isinstance(world, Model):
        return f"a model of {world.states} states"
    own = getattr(world, "describe", None)
    return str(own()) if callable(own) else f"{world.observation_space} -> {world.action_space}"


def keep(oracle: Any, names: list[str], world: Any) -> tuple[Keeper, dict[str, Any]]:
    """An oracle of the user's, told of its world (an environment, a model, or the problem that has one), and [oracle] for it."""
    if world is not None and callable(getattr(oracle, "bind", None)):
        oracle = oracle.bind(world) or oracle
    where = f" in {describe_world(world)}" if world is not None else ""
    # What Python raises is nearly always a mistake that asking again repeats.
    return Keeper(oracle, names, world if isinstance(world, Model) else None), {"kind": "python", "object": describe(oracle) + where, "failures": 0}
