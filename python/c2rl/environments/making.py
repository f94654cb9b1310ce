"""From what users have (a name, a function, an environment, a vector environment) to one environment after another."""

from __future__ import annotations

import copy
from typing import Any, Callable, Union

from .._errors import InputError
from .measurements import Transition

STEP_SHAPES = {5: "Gymnasium's (obs, reward, terminated, truncated, info)",
               6: "Safety-Gymnasium's (obs, reward, cost, terminated, truncated, info)"}


def _gymnasium() -> Any:
    try:
        import gymnasium
    except ImportError as error:
        raise InputError("env: needs the package gymnasium; pip install 'c2rl[gym]'") from error
    return gymnasium


class _ByName:
    """Makes an environment of a registered name; MO-Gymnasium's and Safety-Gymnasium's are registered by their import."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self) -> Any:
        gymnasium = _gymnasium()
        bare = self.name.rpartition(":")[2]
        for module in ("mo_gymnasium", "safety_gymnasium"):
            if bare in gymnasium.registry:
                break
            try:
                __import__(module)
            except ImportError:
                continue
        spec = gymnasium.registry.get(bare)
        package = str(getattr(spec, "entry_point", "")).partition(".")[0]
        if package in ("mo_gymnasium", "safety_gymnasium"):  # whose own make leaves out checks that do not fit them
            return __import__(package).make(self.name)
        return gymnasium.make(self.name)


class _FromSpec:
    def __init__(self, spec: Any) -> None:
        self.spec = spec

    def __call__(self) -> Any:
        return _gymnasium().make(self.spec)


class _ById:
    """max_episode_steps may be among the options: vector environments cut by themselves, single ones have make do it."""

    def __init__(self, name: str, options: dict[str, Any]) -> None:
        self.name, self.options = name, options

    def __call__(self) -> Any:
        return _gymnasium().make(self.name, **self.options)


class _Copies:
    def __init__(self, env: Any) -> None:
        self.env = env

    def __call__(self) -> Any:
        return copy.deepcopy(self.env)


def is_vector(env: Any) -> bool:
    return hasattr(env, "num_envs") and hasattr(env, "single_observation_space")


def _single_of(vector: Any) -> Callable[[], Any]:
    """What makes one of the environments that step together in a vector environment."""
    base = vector
    while hasattr(base, "env") and is_vector(base.env):  # wrappers
        base = base.env
    if base is not vector:
        raise InputError(f"env: {type(vector).__name__} wraps a vector environment, and what it does to one episode alone "
                         "is not known; expected a function that makes a single environment with its wrappers")
    if getattr(base, "env_fns", None):
        first: Callable[[], Any] = base.env_fns[0]
        return first
    spec = getattr(base, "spec", None)
    if spec is not None and spec.entry_point is not None:
        options = {key: value for key, value in spec.kwargs.items() if key not in ("num_envs", "vectorization_mode")}
        return _ById(spec.id, options)
    raise InputError(f"env: {type(vector).__name__} has neither env_fns nor a spec with an entry_point, so that its episodes "
                     "cannot be played one by one; expected a function that makes a single environment")


def maker_of(env: Any) -> Callable[[], Any]:
    """A function that makes a new single environment, and can be sent to other processes."""
    if isinstance(env, str):
        return _ByName(env)
    if not isinstance(env, type) and hasattr(env, "step") and hasattr(env, "reset"):
        if is_vector(env):
            return _single_of(env)
        return _FromSpec(env.spec) if getattr(env, "spec", None) is not None and _is_bare(env) else _Copies(env)
    if callable(env):
        return _SingleFrom(env)
    raise InputError(f"env: found {type(env).__name__}, expected a function that makes an environment, such as "
                     "lambda: gym.make('CartPole-v1'), its name, or an environment")


def _is_bare(env: Any) -> bool:
    """Only the wrappers that its spec knows; others were put around it by hand and would be lost."""
    gymnasium = _gymnasium()
    made = {"TimeLimit", "OrderEnforcing", "PassiveEnvChecker"}
    while isinstance(env, gymnasium.Wrapper):
        if type(env).__name__ not in made:
            return False
        env = env.env
    return True


class _SingleFrom:
    """A function of the user's; where it makes vector environments, one of those that step in them."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make

    def __call__(self) -> Any:
        env = self.make()
        if not (hasattr(env, "step") and hasattr(env, "reset")):
            raise InputError(f"env: the function made {type(env).__name__}, expected an environment with reset and step")
        if not is_vector(env):
            return env
        single = _single_of(env)
        env.close()
        return single()


class Player:
    """One environment whose episodes are stepped with one convention, whatever its own."""

    def __init__(self, make: Callable[[], Any], horizon: Union[int, None] = None) -> None:
        self.env = make()
        self.horizon = horizon
        self._steps = 0
        self.obs: Any = None

    @property
    def observation_space(self) -> Any:
        return self.env.observation_space

    @property
    def action_space(self) -> Any:
        return self.env.action_space

    def reset(self, seed: Union[int, None] = None) -> Any:
        found = self.env.reset(seed=seed)
        if not (isinstance(found, tuple) and len(found) == 2 and isinstance(found[1], dict)):
            raise InputError(f"env: reset gave {_shape(found)}, expected Gymnasium's (obs, info)")
        self._steps = 0
        self.obs = found[0]
        return found

    def step(self, action: Any) -> Transition:
        found = self.env.step(action)
        size = len(found) if isinstance(found, tuple) else 0
        if size == 5:
            obs, reward, terminated, truncated, info = found
            cost = None
        elif size == 6:
            obs, reward, cost, terminated, truncated, info = found
        else:
            shapes = " or ".join(STEP_SHAPES.values())
            old = "; four entries are those of the old gym" if size == 4 else ""
            raise InputError(f"env: step gave {_shape(found)}, expected {shapes}{old}")
        t = Transition(self.obs, action, reward, obs, bool(terminated), bool(truncated), info, self._steps, cost)
        self._steps += 1
        if self.horizon is not None and self._steps >= self.horizon and not t.terminated:
            t.truncated = True
        self.obs = obs
        return t

    def close(self) -> None:
        self.env.close()


def _shape(found: Any) -> str:
    return f"a tuple of {len(found)}" if isinstance(found, tuple) else f"a {type(found).__name__}"


def longest_episode(env: Any) -> Union[int, None]:
    """After how many steps a time limit cuts it, where one is known."""
    spec = getattr(env, "spec", None)
    limit = getattr(spec, "max_episode_steps", None)
    while limit is None and hasattr(env, "env"):
        limit = getattr(env, "_max_episode_steps", None)
        env = env.env
    return None if limit is None else int(limit)
