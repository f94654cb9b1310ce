"""Oracles that are Python objects."""

import gc
import json
import os
import signal
import threading
import time

import numpy as np
import pytest

import c2rl

PATHS = {"direct": [8.0, 4.0], "middle": [10.0, 1.0], "safe": [12.0, 0.0]}
ASK = {"measurements": ["steps", "risk"], "constraints": ["steps <= 11", "risk <= 0.5"], "progress": False}


class Exact:
    """Knows all policies, and what they measure."""

    def __init__(self):
        self.calls = []

    def minimize(self, call):
        self.calls.append((call.direction, call.seed, call.effort, call.enough, call.start))
        call.report(0.5)
        name = min(PATHS, key=lambda path: np.dot(PATHS[path], call.direction))
        return c2rl.Answer(policy=name, measurement=PATHS[name], exact=True, env_steps=10)


class Sampled:
    """The same from episodes, with noise."""

    noise = 1.0

    def describe(self):
        return "sampled"

    def minimize(self, call):
        name = min(PATHS, key=lambda path: np.dot(PATHS[path], call.direction))
        return c2rl.Answer(policy=[name], episodes=self.episodes([name], int(100 * call.effort), call.seed))

    def episodes(self, policy, count, seed):
        noise = self.noise * np.random.default_rng(seed).standard_normal((count, 2))
        return PATHS[policy[0]] + noise

    def save(self, policy, path):
        with open(path, "w") as file:
            json.dump(policy, file)

    def load(self, path):
        with open(path) as file:
            return json.load(file)


ROOM = {**ASK, "constraints": ["steps <= 11.2", "risk <= 0.7"], "tolerance": 0.01}


def test_an_exact_one_proves():
    oracle = Exact()
    result = c2rl.solve(oracle=oracle, **ASK)
    assert result.status == "feasible" and result.claim.grade == "proof"
    assert {member.policy: member.weight for member in result.policies} == pytest.approx({"middle": 0.5, "safe": 0.5})
    assert result.env_steps == 10 * result.oracle_calls == 10 * len(oracle.calls)
    direction, seed, effort, enough, start = oracle.calls[0]
    assert np.linalg.norm(direction) == pytest.approx(1) and isinstance(seed, int) and effort == 1 and start is None
    assert oracle.calls[1][4] in PATHS
    none = c2rl.solve(oracle=Exact(), **{**ASK, "constraints": ["steps <= 9", "risk <= 0.5"]})
    assert none.status == "infeasible" and none.certificate.grade == "proof"


def test_the_history_is_real():
    result = c2rl.solve(oracle=Exact(), **ASK)
    assert [row["measurement"] for row in result.history] and all(row["measurement"] in PATHS.values() for row in result.history)
    for row in result.history:
        assert row["atom"] >= 1 and row["policies"] >= 1 and row["env_steps"] == 10
    assert result.history[0]["new"] and result.history[0]["distance"] > 0 and result.history[-1]["distance"] == result.distance


def test_a_sampling_one_is_confirmed_on_fresh_episodes():
    result = c2rl.solve(oracle=Sampled(), **ROOM)
    assert result.status == "feasible" and result.claim.grade == "confidence" and result.claim.level == 0.95
    assert result.claim.episodes > 0 and result.claim.assumes_nothing_unseen
    again = c2rl.solve(oracle=Sampled(), **ROOM)
    assert {**again.to_dict(), "seconds": 0} == {**result.to_dict(), "seconds": 0}
    other = c2rl.solve(oracle=Sampled(), seed=1, **ROOM)
    assert other.measurement.tolist() != result.measurement.tolist()


def test_without_more_episodes_nothing_is_claimed():
    class Once(Sampled):
        episodes = None

        def minimize(self, call):
            name = min(PATHS, key=lambda path: np.dot(PATHS[path], call.direction))
            return c2rl.Answer(policy=name, episodes=Sampled.episodes(self, [name], 100, call.seed))

    result = c2rl.solve(oracle=Once(), **ROOM)
    assert not result and result.status == "undecided"
    # Enough of them is asked for as one would confirm it.
    estimate = [c2rl.Answer(policy=name, measurement=point, standard_error=[0.1, 0.1]) for name, point in PATHS.items()]

    class Estimating:
        def minimize(self, call):
            return min(estimate, key=lambda answer: np.dot(answer.measurement, call.direction))

    assert c2rl.solve(oracle=Estimating(), **ROOM).status == "undecided"


def test_saved_resumed_and_verified(tmp_path):
    out = tmp_path / "run"
    first = c2rl.solve(oracle=Sampled(), out=out, max_oracle_calls=1, **ROOM)
    assert first.status == "budget"
    went_on = c2rl.solve(oracle=Sampled(), out=out, resume=True, max_oracle_calls=50, **ROOM)
    at_once = c2rl.solve(oracle=Sampled(), max_oracle_calls=50, **ROOM)
    assert went_on.status == "feasible" and went_on.measurement.tolist() == at_once.measurement.tolist()
    loaded = c2rl.load(out, oracle=Sampled())
    assert [member.policy for member in loaded.policies] == [member.policy for member in at_once.policies]
    assert c2rl.load(out).policies[0].policy is None
    with pytest.raises(c2rl.InputError, match="load"):
        c2rl.load(out).policy
    found = c2rl.verify(out, oracle=Sampled())
    assert found.ok and not found.failed and found.proven and any(check.subject == "claim" for check in found.evidence)
    assert not c2rl.verify(out).ok  # nobody there to ask
    with pytest.raises(c2rl.InputError, match="no save and load"):
        c2rl.solve(oracle=Exact(), out=out, resume=True, **ASK)

    class Liar(Sampled):
        def episodes(self, policy, count, seed):
            return super().episodes(policy, count, seed) + 5

    assert any(check.subject == "claim" for check in c2rl.verify(out, oracle=Liar()).failed)


class Failing(Sampled):
    def __init__(self, error, after=1, where="minimize"):
        self.error, self.after, self.where, self.asked = error, after, where, 0

    def _fail(self, where):
        self.asked += where == self.where
        if where == self.where and self.asked > self.after:
            raise self.error

    def minimize(self, call):
        self._fail("minimize")
        answer = super().minimize(call)
        if self.where == "report":
            self._fail("report")
        return answer

    def episodes(self, policy, count, seed):
        self._fail("episodes")
        return super().episodes(policy, count, seed)

    def save(self, policy, path):
        self._fail("save")
        super().save(policy, path)


@pytest.mark.parametrize("where", ["minimize", "episodes", "save"])
def test_a_failing_one_raises_after_saving(tmp_path, where):
    error = ZeroDivisionError("by zero")
    with pytest.raises(c2rl.OracleError, match="ZeroDivisionError: by zero") as raised:
        c2rl.solve(oracle=Failing(error, 1 if where != "episodes" else 2, where), out=tmp_path / "run", **ROOM)
    assert raised.value.__cause__ is error
    assert raised.value.result.policies and raised.value.result.status == "oracle-failed"
    saved = c2rl.load(tmp_path / "run")
    assert saved.status == "oracle-failed" and saved.failures == ([] if where == "save" else ["ZeroDivisionError: by zero"])
    assert c2rl.solve(oracle=Sampled(), out=tmp_path / "run", resume=True, **ROOM)


@pytest.mark.parametrize("where", ["minimize", "episodes"])
def test_ctrl_c_in_a_callback_returns_the_best_so_far(where):
    result = c2rl.solve(oracle=Failing(KeyboardInterrupt(), 1 if where != "episodes" else 2, where), **ROOM)
    assert result.interrupted and result.policies and not result


def test_what_is_no_failure_passes():
    with pytest.raises(SystemExit):
        c2rl.solve(oracle=Failing(SystemExit(3)), **ROOM)


def test_a_real_ctrl_c():
    """SIGINT while the oracle trains, and while C++ does."""

    class Slow(Sampled):
        def minimize(self, call):
            if call.start is not None:
                for _ in range(2000):
                    time.sleep(0.01)
                    call.report(0.5)
            return super().minimize(call)

    for start in (lambda: c2rl.solve(oracle=Slow(), **ROOM),
                  lambda: c2rl.solve("examples/navigation.toml", oracle={"kind": "q-learning", "training_steps": 10**9}, progress=False)):
        timer = threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        begun = time.monotonic()
        result = start()
        timer.join()
        assert result.interrupted and time.monotonic() - begun < 10


def test_a_stop_is_heard_in_report():
    heard = []

    class Long(Sampled):
        def minimize(self, call):
            if call.start is None:
                return super().minimize(call)
            try:
                while True:
                    time.sleep(0.01)
                    call.report(0.1)
            except BaseException as error:
                heard.append(error)
                raise

    with pytest.raises(c2rl.OracleError, match="took longer than the 0.3 s that oracle.time_limit allows"):
        c2rl.solve(oracle=Long(), time_limit=0.3, **ROOM)
    assert len(heard) == 1


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, "expected a c2rl.Answer"),
        (c2rl.Answer(policy=None, measurement=[1, 2]), "without a policy"),
        (c2rl.Answer(policy=1), "expected episodes or a measurement"),
        (c2rl.Answer(policy=1, measurement=[1, 2], episodes=[[1, 2]]), "expected episodes or a measurement"),
        (c2rl.Answer(policy=1, measurement=[1]), "measurement: found [1], expected 2 finite numbers"),
        (c2rl.Answer(policy=1, measurement=[1, np.nan]), "expected 2 finite numbers"),
        (c2rl.Answer(policy=1, episodes=[[1, 2], [3]]), "episode 1 has 1 numbers and episode 0 has 2"),
        (c2rl.Answer(policy=1, episodes=[[1, 2, 3]]), "found 3 numbers an episode, expected 2: steps, risk"),
        (c2rl.Answer(policy=1, episodes=[[1, 2]], exact=True), "what is sampled is not exact"),
        (c2rl.Answer(policy=1, measurement=[1, 2], slack=-1), "slack: found -1"),
    ],
)
def test_answers_are_checked(answer, words):
    class Odd:
        def minimize(self, call):
            return answer

    with pytest.raises(c2rl.OracleError) as error:
        c2rl.solve(oracle=Odd(), **ASK)
    assert words in str(error.value) and isinstance(error.value.__cause__, c2rl.InputError)


def test_what_is_no_oracle():
    with pytest.raises(c2rl.InputError, match="minimize"):
        c2rl.solve(oracle=3, **ASK)
    with pytest.raises(c2rl.InputError, match="measurements: missing"):
        c2rl.solve(oracle=Exact(), constraints=["steps <= 1"])
    with pytest.raises(c2rl.InputError, match="problem: missing"):
        c2rl.solve(constraints=["steps <= 1"])


def test_nothing_is_left_behind():
    alive = []

    class Tracked:
        def __init__(self):
            alive.append(1)

        def __del__(self):
            alive.pop()

    class Making(Exact):
        def minimize(self, call):
            answer = super().minimize(call)
            tracked = Tracked()
            tracked.name = answer.policy
            return c2rl.Answer(policy=tracked, measurement=answer.measurement, exact=True)

    for _ in range(20):
        result = c2rl.solve(oracle=Making(), **ASK)
        assert result.policies[0].policy.name in PATHS
    del result
    gc.collect()
    assert not alive
