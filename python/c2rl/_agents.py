"""Agents that are trained already, as an oracle that chooses among them."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ._errors import InputError
from .environments.play import Episodes
from .environments.world import World

EPISODES = 200  # that measure an agent at an effort of 1


class Agents:
    """Answers every direction with the agent that is best in it, as far as it has been measured. What it answers is measured
    on episodes that did not choose it."""

    def __init__(self, agents: Sequence[Any], world: World, episodes: int = EPISODES, deterministic: bool = True) -> None:
        if not isinstance(agents, (list, tuple)) or not agents:
            raise InputError(f"agents: found {type(agents).__name__}, expected a list of at least one", field="agents")
        for number, agent in enumerate(agents):
            if not callable(agent) and not hasattr(agent, "predict"):
                raise InputError(f"agents[{number}]: found {type(agent).__name__}, expected a function of the observation, or an "
                                 "object with predict(obs, state, episode_start, deterministic), as Stable-Baselines3's models",
                                 field="agents")
        self.agents, self.world, self._episodes, self._deterministic = list(agents), world, episodes, deterministic
        self._totals: list[Any] = [None] * len(agents)  # that choose

    def minimize(self, call: Any) -> Any:
        from . import Answer

        steps = self._measure(call)
        values = [float(totals.mean(0) @ np.asarray(call.direction)) for totals in self._totals]
        best = self.agents[int(np.argmin(values))]
        found = self.world.episodes(best, max(2, int(self._episodes * call.effort)), _seed(call.seed, len(self.agents)),
                                    deterministic=self._deterministic)
        return Answer(policy=best, episodes=found, env_steps=steps + found.env_steps)

    def _measure(self, call: Any) -> int:
        """Every agent on as many episodes as the effort says; those of earlier calls count."""
        needed, steps = int(self._episodes * call.effort), 0
        for number, agent in enumerate(self.agents):
            known = self._totals[number]
            missing = needed - (0 if known is None else len(known))
            if missing > 0:
                found = self.world.episodes(agent, missing, _seed(call.seed, number), deterministic=self._deterministic)
                self._totals[number] = found.totals if known is None else np.concatenate([known, found.totals])
                steps += found.env_steps
            call.report((number + 1) / (len(self.agents) + 1))
        return steps

    def episodes(self, policy: Any, count: int, seed: int) -> Episodes:
        return self.world.episodes(policy, count, seed, deterministic=self._deterministic)


def _seed(seed: int, purpose: int) -> int:
    return int(np.random.SeedSequence([int(seed) & (2**64 - 1), purpose]).generate_state(1, np.uint64)[0])
