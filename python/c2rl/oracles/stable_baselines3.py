"""Stable-Baselines3's algorithms as oracles: each call trains one on the reward -direction . measurements of a step."""

from __future__ import annotations

import copy
import difflib
import io
import warnings
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from .._errors import InputError
from ..environments.play import Episodes
from ..environments.world import World

CHECK_SEED, EVALUATION_SEED = 1, 2  # told apart from each other, so that what chose a policy never measures it


def _algorithm(name: Any) -> Any:
    """The class that is meant by a name."""
    try:
        import stable_baselines3
    except ImportError as error:
        raise InputError("oracle: needs the package stable-baselines3; pip install 'c2rl[sb3]'") from error
    if not isinstance(name, str):
        if not (isinstance(name, type) and issubclass(name, stable_baselines3.common.base_class.BaseAlgorithm)):
            raise InputError(f"oracle: found {name!r}, expected the name of an algorithm, or a class of Stable-Baselines3")
        return name
    modules = [stable_baselines3]
    try:
        import sb3_contrib

        modules.append(sb3_contrib)
    except ImportError:
        pass
    known = {key: getattr(module, key) for module in modules for key in getattr(module, "__all__", dir(module))}
    base = stable_baselines3.common.base_class.BaseAlgorithm
    known = {key: value for key, value in known.items() if isinstance(value, type) and issubclass(value, base)}
    if name not in known:
        near = difflib.get_close_matches(name.upper(), known, 1)
        contrib = "" if len(modules) > 1 else "; more are in the package sb3-contrib, which is not installed"
        raise InputError(f"oracle: found '{name}', expected one of {', '.join(sorted(known))}"
                         + (f"; did you mean '{near[0]}'?" if near else contrib))
    return known[name]


class Agent:
    """A trained model of Stable-Baselines3, which stays as it is. `model` is the object itself."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def predict(self, obs: Any, state: Any = None, episode_start: Any = None, deterministic: bool = True) -> Any:
        return self.model.predict(obs, state=state, episode_start=episode_start, deterministic=deterministic)

    @property
    def played(self) -> Any:
        """What a worker process needs of it: the policy alone, on the processor."""
        policy = self.model.policy
        return policy if policy.device.type == "cpu" else copy.deepcopy(policy).to("cpu")

    def __getstate__(self) -> dict[str, Any]:
        content = io.BytesIO()
        self.model.save(content)
        return {"kind": type(self.model), "content": content.getvalue()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.model = state["kind"].load(io.BytesIO(state["content"]), device="cpu")


class StableBaselines3:
    """An oracle that trains with an algorithm of Stable-Baselines3 or sb3-contrib.

    algorithm            "PPO", "A2C", "DQN", "SAC", "TD3", "TQC", ..., or a class
    total_timesteps      environment steps of training per call, at an effort of 1
    warm_start           training goes on from the stored policy that is best in the direction
    policy               the algorithm's own name for it; by default MlpPolicy, CnnPolicy or MultiInputPolicy, as observed
    n_envs               environments that are acted in together while training
    deterministic        the answer does what is likeliest, instead of drawing its actions
    evaluation_episodes  fresh episodes that measure an answer
    checks               how often, in the second half of the training, the policy is tried on `check_episodes` fresh
                         episodes; the best is the answer, and is measured on others
    early_stop           training ends at a check that finds the policy as good as the solver has use for
    normalize_reward     rewards are scaled while training, so that no option depends on the size of what is measured
    threads              of PyTorch while training; small networks are slower with more than one
    keywords             any of the algorithm's own: learning_rate, policy_kwargs, ...
    """

    def __init__(self, algorithm: Any, *, total_timesteps: int = 100_000, warm_start: bool = False,
                 policy: Union[str, type, None] = None, n_envs: int = 1, deterministic: bool = True,
                 evaluation_episodes: int = 100, checks: int = 4, check_episodes: int = 20, early_stop: bool = True,
                 normalize_reward: bool = True, threads: int = 1, **keywords: Any) -> None:
        for key, value, least in (("total_timesteps", total_timesteps, 1), ("n_envs", n_envs, 1), ("checks", checks, 1),
                                  ("evaluation_episodes", evaluation_episodes, 2), ("check_episodes", check_episodes, 2),
                                  ("threads", threads, 1)):
            if not isinstance(value, int) or value < least:
                raise InputError(f"oracle.{key}: found {value!r}, expected a whole number, {least} or more")
        for key in ("env", "seed", "tensorboard_log"):
            if key in keywords:
                raise InputError(f"oracle.{key}: every call has its own; it cannot be given here")
        self.algorithm = _algorithm(algorithm)
        self.total_timesteps, self.warm_start, self.policy, self.n_envs = total_timesteps, warm_start, policy, n_envs
        self.deterministic, self.evaluation_episodes = deterministic, evaluation_episodes
        self.checks, self.check_episodes, self.early_stop = checks, check_episodes, early_stop
        self.normalize_reward, self.threads, self.keywords = normalize_reward, threads, keywords
        self.world: Union[World, None] = None

    def bind(self, world: World) -> "StableBaselines3":
        """The same oracle for a world; an InputError where the algorithm does not fit it."""
        if not isinstance(world, World):
            raise InputError(f"oracle: {self.algorithm.__name__} learns in an env of Gymnasium, found {world!r}", field="oracle")
        bound = copy.copy(self)
        bound.world = world
        env = bound._training_env(np.zeros(len(world.measurements)))
        try:
            bound._model(env, 0)
        except (AssertionError, TypeError, ValueError, NotImplementedError) as error:
            raise InputError(f"oracle: {self.algorithm.__name__} with {world.observation_space} and "
                             f"{world.action_space}: {error}") from error
        finally:
            env.close()
        return bound

    @property
    def goes_on(self) -> bool:
        return self.warm_start

    def minimize(self, call: Any) -> Any:
        from .. import Answer
        from .training import train

        world = self._world()
        model, steps = train(self, call)
        agent = Agent(model)
        found = world.episodes(agent, self.evaluation_episodes, _seed(call.seed, EVALUATION_SEED),
                               deterministic=self.deterministic)
        return Answer(policy=agent, episodes=found, env_steps=steps + found.env_steps)

    def episodes(self, policy: Any, count: int, seed: int) -> Episodes:
        return self._world().episodes(policy, count, seed, deterministic=self.deterministic)

    def save(self, policy: Agent, path: Any) -> None:
        with open(path, "wb") as file:  # a file object: else .zip would be appended to its name
            policy.model.save(file)

    def load(self, path: Any) -> Agent:
        with open(path, "rb") as file:
            return Agent(self.algorithm.load(file, device="cpu"))

    def _world(self) -> World:
        if self.world is None:
            raise InputError("oracle: knows no environment; c2rl.solve(env=..., measurements=..., oracle=...) gives it one, "
                             "and so does oracle.bind(c2rl.environments.World(env, measurements))")
        return self.world

    def _gamma(self) -> float:
        """What is measured with a discount is learnt with it, unless the user says otherwise."""
        if "gamma" in self.keywords:
            return float(self.keywords["gamma"])
        return self._world().discount if self._world().discount < 1 else 0.99

    def _training_env(self, direction: npt.NDArray[np.float64]) -> Any:
        from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

        from .training import scalar_env

        env = DummyVecEnv([lambda: scalar_env(self._world(), direction) for _ in range(self.n_envs)])
        if not self.normalize_reward:
            return env
        return VecNormalize(env, norm_obs=False, norm_reward=True, gamma=self._gamma(), clip_reward=np.inf)

    def _model(self, env: Any, seed: int) -> Any:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="You are trying to run")  # on a GPU: the user's choice
            return self.algorithm(self.policy or _policy_for(env.observation_space), env, seed=seed,
                                  **{**self.keywords, "gamma": self._gamma()})


def _policy_for(space: Any) -> str:
    from stable_baselines3.common.preprocessing import is_image_space

    if type(space).__name__ == "Dict":
        return "MultiInputPolicy"
    return "CnnPolicy" if is_image_space(space) else "MlpPolicy"


def _seed(seed: int, purpose: int) -> int:
    return int(np.random.SeedSequence([int(seed) & (2**64 - 1), purpose]).generate_state(1, np.uint64)[0])
