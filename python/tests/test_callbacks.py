"""Whatever a callback does (raise, Ctrl-C, kill its process), a solve ends, and leaves no process behind."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

import c2rl
from choices import Choice
from test_solving import Best
from test_workers import children, wait_until

CALLBACKS = ["env", "reset", "step", "measurement", "policy", "minimize", "episodes", "save", "progress", "project"]
PLAYED = ["env", "reset", "step", "measurement", "policy"]  # where workers play


class Trouble:
    """Does what it is told to the n-th time it is called in a process."""

    def __init__(self, how, after=3):
        self.how, self.left, self.home = how, after, os.getpid()

    def __call__(self):
        self.left -= 1
        if self.left >= 0:
            return
        if self.how == "raise":
            raise ZeroDivisionError("in a callback")
        if self.how == "interrupt":
            raise KeyboardInterrupt
        if os.getpid() != self.home:  # not the tests themselves
            os.kill(os.getpid(), signal.SIGKILL)


def keywords(where, how, workers):
    """Arguments of a solve in which one callback makes trouble."""
    trouble = Trouble(how, after={"env": 1, "save": 0, "episodes": 0, "minimize": 1, "progress": 0}.get(where, 3))

    class Env(Choice):
        def reset(self, **options):
            if where == "reset":
                trouble()
            return super().reset(**options)

        def step(self, action):
            if where == "step":
                trouble()
            return super().step(action)

    def make():
        if where == "env":
            trouble()
        return Env()

    def measured(i):
        def measure(t):
            if where == "measurement":
                trouble()
            return t.action == i
        return {"of": measure, "range": (0, 1)}

    class Policy:
        def __init__(self, action):
            self.action = action

        def predict(self, obs, state=None, episode_start=None, deterministic=True):
            if where == "policy":
                trouble()
            return self.action, state

    class Oracle(Best):
        def minimize(self, call):
            if where == "minimize":
                trouble()
            policy = Policy(min(range(3), key=lambda i: call.direction[i]))
            return c2rl.Answer(policy=policy, episodes=self.world.episodes(policy, 10, call.seed))

        def episodes(self, policy, count, seed):
            if where == "episodes":
                trouble()
            return super().episodes(policy, count, seed)

        def save(self, policy, path):
            if where == "save":
                trouble()
            super().save(policy, path)

    def progress(row):
        if where == "progress":
            trouble()

    class Target(c2rl.sets.ConvexSet):
        dim = 3

        def project(self, x):
            if where == "project":
                trouble()
            return x.clip(0.25, 1)

    return dict(env=make, measurements={name: measured(i) for i, name in enumerate("abc")}, oracle=Oracle(), workers=workers,
                constraints=["a >= 0.25", "b >= 0.25", "c >= 0.25"], tolerance=1e-6, progress=progress, seed=1, **({"target": Target()} if where == "project" else {}))


@pytest.fixture(autouse=True)
def nothing_is_left():
    before = set(children())
    yield
    wait_until(lambda: set(children()) <= before)


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("where", CALLBACKS)
def test_an_exception_arrives(where, workers, tmp_path):
    given = keywords(where, "raise", workers)
    with pytest.raises((ZeroDivisionError, c2rl.OracleError)) as raised:
        c2rl.solve(**given, out=tmp_path / "run")
    error = raised.value
    if isinstance(error, c2rl.OracleError):
        assert isinstance(error.__cause__, ZeroDivisionError) and "in a callback" in str(error.__cause__)


@pytest.mark.parametrize("where", PLAYED)
def test_a_killed_worker_is_an_error(where):
    given = keywords(where, "kill", 2)
    with pytest.raises(c2rl.OracleError, match="SIGKILL"):
        c2rl.solve(**given)


@pytest.mark.parametrize("where", CALLBACKS)
def test_ctrl_c_in_a_callback_returns_the_best_so_far(where, tmp_path):
    try:
        result = c2rl.solve(**keywords(where, "interrupt", 0), out=tmp_path / "run")
    except KeyboardInterrupt:
        assert where in ("env", "save", "project")  # nothing was under way yet, or there is no going on without it
    else:
        assert result.interrupted and not result


@pytest.mark.parametrize("where", ["env", "reset", "step", "measurement"])
@pytest.mark.parametrize("how", ["raise", "kill"])
def test_native_learners_end_with_their_workers(where, how):
    given = keywords(where, how, 2)
    given.update(oracle={"kind": "ppo", "training_steps": 1000}, horizon=5)
    with pytest.raises(c2rl.OracleError, match="SIGKILL" if how == "kill" else "in a callback"):
        c2rl.solve(**given)


INTERRUPTED = """
    import os, signal, sys, threading, time
    sys.path[:0] = {path!r}
    import c2rl
    from choices import AGENTS, CHOICE, Choice

    class Slow(Choice):
        def step(self, action):
            time.sleep(0.02)
            return super().step(action)

    def kill():
        time.sleep(4)
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=kill, daemon=True).start()
    result = c2rl.mix(agents=AGENTS, env=Slow, measurements=CHOICE, constraints=["a >= 0.33", "b >= 0.33", "c >= 0.33"], workers=2)
    print("ended", result.status, result.interrupted, flush=True)
"""


def test_ctrl_c_while_workers_play():
    program = textwrap.dedent(INTERRUPTED.format(path=[os.path.dirname(__file__)]))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.stdout.startswith("ended "), done.stderr
    assert "True" in done.stdout
