"""Whole solves in Python environments, with answers that are known."""

import numpy as np
import pytest

import c2rl
from choices import AGENTS, CHOICE, Choice
from c2rl.environments import World


class Best:
    """The best action of a direction, measured on fresh episodes."""

    def __init__(self):
        self.calls = 0

    def bind(self, world):
        self.world = world
        return self

    def minimize(self, call):
        self.calls += 1
        policy = AGENTS[int(np.argmin(call.direction))]
        return c2rl.Answer(policy=policy, episodes=self.world.episodes(policy, 10, call.seed))

    def episodes(self, policy, count, seed):
        return self.world.episodes(policy, count, seed)

    def save(self, policy, path):
        with open(path, "w") as file:
            file.write(str(policy.action))

    def load(self, path):
        return AGENTS[int(open(path).read())]


def solve(oracle, **keywords):
    return c2rl.solve(**{"env": Choice, "measurements": CHOICE, "oracle": oracle, "workers": 0, "tolerance": 1e-6, "progress": False,
                         "constraints": ["a >= 0.25", "b >= 0.25", "c >= 0.25"], "seed": 3, **keywords})


def test_a_mixture_of_three_is_found_and_confirmed():
    result = solve(Best())
    assert result and result.status == "feasible" and len(result.policies) == 3
    assert (result.measurement >= 0.25 - 1e-6).all() and result.measurement.sum() == pytest.approx(1)
    assert {member.policy.action for member in result.policies} == {0, 1, 2}
    for member in result.policies:
        assert member.measurement.tolist() == np.eye(3)[member.policy.action].tolist()


def test_what_is_out_of_reach_is_never_called_feasible():
    result = solve(Best(), constraints=["a + b + c >= 1.5"], max_oracle_calls=10)
    assert not result and result.status == "stuck"
    assert result.distance == pytest.approx(0.5 / np.sqrt(3), abs=1e-6)


def test_the_mixture_acts():
    policy = solve(Best()).policy
    world = World(Choice, CHOICE, workers=0)
    totals = world.episodes(policy, 3000, seed=1).totals
    assert totals.sum(1).tolist() == [1] * 3000
    assert totals.mean(0) == pytest.approx(policy.weights[np.argsort([p.action for p in policy.policies])], abs=0.04)


def test_a_run_that_was_stopped_goes_on_to_the_same_end(tmp_path):
    whole = solve(Best(), out=tmp_path / "whole")
    rows = []

    def stop(row):
        rows.append(row)
        return len(rows) < 2

    stopped = solve(Best(), out=tmp_path / "stopped", progress=stop)
    assert stopped.oracle_calls == 2 and not stopped
    later = Best()
    resumed = solve(later, out=tmp_path / "stopped", resume=True)
    assert resumed.measurement.tolist() == whole.measurement.tolist() and resumed.status == whole.status
    assert later.calls == whole.oracle_calls - 2
    again = c2rl.load(tmp_path / "stopped", oracle=Best(), env=Choice, measurements=CHOICE, workers=0)
    assert [member.policy.action for member in again.policies] == [member.policy.action for member in whole.policies]


def test_agents_are_mixed():
    result = c2rl.mix(agents=AGENTS, env=Choice, measurements=CHOICE, constraints=["a >= 0.2", "b >= 0.5"], workers=0)
    assert result and result.measurement[0] >= 0.2 - 1e-6 and result.measurement[1] >= 0.5 - 1e-6
    assert all(any(member.policy is agent for agent in AGENTS) for member in result.policies)
    action, _ = result.policy.predict(np.zeros(1, np.float32))
    assert action in (0, 1, 2)


def test_agents_may_be_functions_and_in_workers():
    result = c2rl.mix(agents=[lambda obs: 0, lambda obs: 1], env=Choice, measurements=CHOICE, constraints=["a <= 0.6", "b <= 0.6"],
                      workers=2)
    assert result


def test_agents_that_cannot_are_not_said_to():
    result = c2rl.mix(agents=AGENTS[:2], env=Choice, measurements=CHOICE, constraints=["c >= 0.1"], workers=0)
    assert not result and result.status in ("stuck", "infeasible") and result.distance == pytest.approx(0.1, abs=1e-6)


def test_mistakes_about_agents_are_named():
    with pytest.raises(c2rl.InputError, match="agents: found .*, expected a list of at least one"):
        c2rl.mix(agents=[], env=Choice, measurements=CHOICE, constraints=["a <= 1"])
    with pytest.raises(c2rl.InputError, match=r"agents\[1\]: found int, expected a function"):
        c2rl.mix(agents=[AGENTS[0], 7], env=Choice, measurements=CHOICE, constraints=["a <= 1"])


def test_stable_baselines3():
    pytest.importorskip("stable_baselines3")
    oracle = c2rl.oracles.StableBaselines3("PPO", total_timesteps=600, n_steps=64, batch_size=32, learning_rate=0.01,
                                           evaluation_episodes=4, check_episodes=4)
    result = solve(oracle)
    assert result and len(result.policies) == 3 and result.env_steps > 600
    action, _ = result.policy.predict(np.zeros(1, np.float32))
    assert int(action) in (0, 1, 2)
