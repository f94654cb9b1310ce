"""The learners of C++ in environments of Python."""

import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest

import c2rl

gymnasium = pytest.importorskip("gymnasium")


class Line(gymnasium.Env):
    """Five cells; right costs `energy`, left nothing, and the walk ends at the right end or is cut. Seen as a number."""

    def __init__(self, features=False, slip=0.0, fail_after=None):
        self.features, self.slip, self.fail_after = features, slip, fail_after
        self.action_space = gymnasium.spaces.Discrete(2)
        self.observation_space = gymnasium.spaces.Box(0, 1, (5,), np.float32) if features else gymnasium.spaces.Discrete(5)
        self.taken = 0

    def _see(self):
        return np.eye(5, dtype=np.float32)[self.at] if self.features else self.at

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = 0
        return self._see(), {}

    def step(self, action):
        self.taken += 1
        if self.fail_after is not None and self.taken > self.fail_after:
            raise ZeroDivisionError("the simulator divided by zero")
        slips = self.slip and self.np_random.random() < self.slip
        self.at = max(0, self.at - 1) if action == 0 or slips else self.at + 1
        return self._see(), 0.0, self.at == 4, False, {"energy": float(action)}


MEASURED = {"length": "steps", "energy": "info.energy"}


@pytest.mark.parametrize(("oracle", "features"), [("ppo", False), ("a2c", False), ("ppo", True), ("q-learning", False), ("dqn", False), ("dqn", True)])
def test_they_learn(oracle, features):
    keywords = {"env": lambda: Line(features), "measurements": MEASURED, "constraints": ["length <= 6"], "horizon": 40, "workers": 0,
                "oracle": {"kind": oracle, "training_steps": 20_000}, "tolerance": 0.01, "progress": False, "seed": 1}
    result = c2rl.solve(**keywords)
    assert result.status == "feasible" and result.measurement[0] <= 6.01
    again = c2rl.solve(**keywords)
    assert {**again.to_dict(), "seconds": 0} == {**result.to_dict(), "seconds": 0}
    policy, env, totals = result.policy, Line(features), []
    for seed in range(50):
        obs, _ = env.reset(seed=seed)
        policy.reset(seed=seed)
        state, total = None, np.zeros(2)
        for _ in range(40):
            action, state = policy.predict(obs, state=state, deterministic=False)
            assert env.action_space.contains(action)
            obs, _, ended, _, info = env.step(action)
            total += [1, info["energy"]]
            if ended:
                break
        totals.append(total)
    np.testing.assert_allclose(np.mean(totals, axis=0), result.measurement, atol=0.5)


def test_workers_give_the_same():
    keywords = {"env": lambda: Line(slip=0.2), "measurements": MEASURED, "constraints": ["length <= 8"], "horizon": 40,
                "oracle": {"kind": "ppo", "training_steps": 3000}, "tolerance": 0.05, "progress": False, "seed": 2, "max_oracle_calls": 2}
    here, there = c2rl.solve(workers=0, **keywords), c2rl.solve(workers=2, **keywords)
    assert {**here.to_dict(), "seconds": 0} == {**there.to_dict(), "seconds": 0}
    assert not children()


@pytest.mark.parametrize(("oracle", "features"), [("q-learning", False), ("ppo", True)])
def test_policies_can_be_sent_to_other_processes(oracle, features):
    """By pickle, so that workers play them."""
    with c2rl.environments.World(lambda: Line(features), MEASURED, horizon=40, workers=2) as world:
        result = c2rl.solve(env=world, constraints=["length <= 6"], oracle={"kind": oracle, "training_steps": 20_000}, tolerance=0.01,
                            progress=False, seed=1)
        member = result.policies[0]
        totals = world.episodes(member.policy, 200, seed=5, deterministic=False).totals
        np.testing.assert_allclose(totals.mean(0), member.measurement, atol=0.5)
    policy = pickle.loads(pickle.dumps(result.policy))
    for obs in (world.observation_space.sample() for _ in range(20)):
        assert policy.policies[0].probabilities(obs).tolist() == member.policy.probabilities(obs).tolist()


def test_saved_shown_and_verified(tmp_path):
    ask = {"env": lambda: Line(), "measurements": MEASURED}
    result = c2rl.solve(**ask, constraints=["length <= 6"], horizon=40, workers=0, oracle={"kind": "ppo", "training_steps": 10000},
                        tolerance=0.01, out=tmp_path / "run", progress=False)
    assert result.status == "feasible"
    world = c2rl.environments.World(ask["env"], MEASURED, horizon=40, workers=0)
    assert c2rl.verify(tmp_path / "run", env=world).ok
    loaded = c2rl.load(tmp_path / "run", env=world)
    assert loaded.policy.predict(0)[0] in (0, 1) and loaded.measurement.tolist() == result.measurement.tolist()
    assert "only the program that has the environment can act in it" in str(c2rl.verify(tmp_path / "run"))


def test_a_failing_environment():
    for workers in (0, 1):
        with pytest.raises(c2rl.OracleError, match="divided by zero") as error:
            c2rl.solve(env=lambda: Line(fail_after=500), measurements=MEASURED, constraints=["length <= 6"], horizon=40, workers=workers,
                       oracle="ppo", progress=False)
        assert error.value.__cause__ is not None
        assert not children()


def test_ctrl_c():
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begun = time.monotonic()
    result = c2rl.solve(env=lambda: Line(slip=0.2), measurements=MEASURED, constraints=["length <= 1"], horizon=40, workers=0,
                        oracle={"kind": "ppo", "training_steps": 10**9}, progress=False)
    timer.join()
    assert result.interrupted and time.monotonic() - begun < 20
    assert not children()


def test_other_threads_run_meanwhile():
    """The interpreter is free while C++ learns."""
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    begun = time.monotonic()
    c2rl.solve("examples/navigation.toml", oracle={"kind": "a2c"}, progress=False, max_oracle_calls=2)
    took = time.monotonic() - begun
    done.set()
    thread.join()
    assert len(ticks) > 20 * took


def children():
    """Processes of ours that are alive or not waited for; they are given a moment to end."""
    for _ in range(50):
        found = open(f"/proc/self/task/{os.getpid()}/children").read().split()
        if not found:
            return []
        time.sleep(0.1)
    return found


class Sea(gymnasium.Env):
    """The deeper, the more treasure, seen as two whole numbers; the way to depth n takes 2 n + 1 steps, and treasure is concave in them."""

    observation_space = gymnasium.spaces.Box(0, 5, (2,), np.int32)
    action_space = gymnasium.spaces.Discrete(2)
    TREASURE = [1, 2, 4, 9, 20]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = [0, 0]
        return np.array(self.at, np.int32), {}

    def step(self, action):
        self.at[action] = min(5, self.at[action] + 1)  # right, down
        over = self.at[1] > self.at[0] or self.at == [5, 5]
        found = self.TREASURE[min(self.at[0], 4)] if over else 0
        return np.array(self.at, np.int32), np.array([found, -1.0]), over, False, {}


def test_a_mixture_that_no_single_path_replaces():
    """The best paths are (1, 1), (2, 3), (4, 5), (9, 7) and (20, 9): treasure 8 in 4 steps takes the first and the last. By default a table is learnt."""
    result = c2rl.solve(env=Sea, measurements={"treasure": c2rl.Measurement("reward[0]", range=(0, 20)), "steps": "steps"},
                        constraints=["treasure >= 8", "steps <= 4"], horizon=50, workers=0, tolerance=1e-3, progress=False)
    assert result.status == "feasible"
    assert sorted(tuple(member.measurement) for member in result.policies) == [(1.0, 1.0), (20.0, 9.0)]
    assert result.history[1]["steps"]["training"] == 0  # the first call has seen everything


class Pull(gymnasium.Env):
    """Five pulls, each as strong as one likes, from -2 to 2."""

    observation_space = gymnasium.spaces.Box(0, 1, (1,), np.float32)
    action_space = gymnasium.spaces.Box(-2, 2, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.done = 0
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self.done += 1
        return np.array([self.done / 5], np.float32), 0.0, self.done == 5, False, {"pull": float(action[0])}


def test_actions_that_are_real_numbers():
    result = c2rl.solve(env=Pull, measurements={"pull": c2rl.Measurement("info.pull", range=(-10, 10))}, constraints=["pull >= 8"], horizon=5, workers=0,
                        oracle={"kind": "sac", "training_steps": 3000}, tolerance=0.1, progress=False)
    assert result.status == "feasible"
    action, _ = result.policy.predict(np.zeros(1, np.float32))
    assert action.shape == (1,) and 1 < action[0] <= 2
