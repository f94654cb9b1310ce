import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import gymnasium
import numpy as np
import pytest
from counting import Broken, Counting, one

from c2rl import InputError
from c2rl.environments import WorkerError, World

CARTPOLE = {"length": "steps", "left": lambda t: t.obs[0] < 0}


def lean(obs):
    return int(obs[2] + obs[3] > 0)


class Drawing:
    """A policy with randomness of its own, from its episode's seed."""

    def reset(self, seed=None):
        self.rng = np.random.default_rng(seed)

    def predict(self, obs, state=None, episode_start=None, deterministic=True):
        return int(self.rng.random() < 0.5), (state or 0) + 1


class Careless:
    """A policy that draws from what the process has only one of."""

    def predict(self, obs, state=None, episode_start=None, deterministic=True):
        return int(np.random.random() < 0.5), None


def is_gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rsplit(")", 1)[1].split()[0] == "Z"  # another's child, of which nobody has asked yet


def wait_until(what, seconds=20):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def children():
    """Processes of ours, zombies included."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat") as file:
                    if int(file.read().rsplit(")", 1)[1].split()[1]) == os.getpid():
                        found.append(int(entry))
            except (FileNotFoundError, ProcessLookupError):
                pass
    return found


@pytest.fixture(autouse=True)
def nothing_is_left():
    before = set(children())
    yield
    wait_until(lambda: set(children()) <= before)


@pytest.mark.parametrize("policy", [lean, Drawing(), Careless()], ids=["function", "own randomness", "global randomness"])
def test_same_totals_on_any_number_of_workers(policy):
    found = []
    for workers in (0, 1, 3):
        with World("CartPole-v1", CARTPOLE, workers=workers) as world:
            found.append(world.episodes(policy, 40, seed=7))
            if workers == 3:
                assert (world.episodes(policy, 40, seed=8).totals != found[0].totals).any()
    for other in found[1:]:
        assert (other.totals == found[0].totals).all()
        assert other.env_steps == found[0].env_steps == found[0].totals[:, 0].sum() and other.cut == found[0].cut


def test_the_caller_keeps_its_random_numbers():
    np.random.seed(3)
    expected = np.random.random()
    np.random.seed(3)
    World("CartPole-v1", CARTPOLE, workers=0).episodes(Careless(), 3, seed=1)
    assert np.random.random() == expected


def test_an_exception_arrives_with_its_traceback():
    with World(lambda: Broken("raise"), {"n": "steps"}, workers=2) as world:
        with pytest.raises(ZeroDivisionError, match="the simulator divided by zero") as raised:
            world.episodes(one, 20, seed=0)
        assert 'raise ZeroDivisionError("the simulator divided by zero")' in str(raised.value.__cause__)
        assert world._pool.processes() == []
        # The next attempt has workers again.
        with pytest.raises(ZeroDivisionError):
            world.episodes(one, 20, seed=0)


def test_exceptions_that_cannot_be_sent_say_the_same():
    class Odd(Exception):
        def __init__(self, a, b):
            super().__init__(f"{a} and {b}")

    def odd(obs):
        raise Odd("this", "that")

    with World(Counting, {"n": "steps"}, workers=1) as world:
        with pytest.raises(RuntimeError, match="Odd: this and that"):
            world.episodes(odd, 4, seed=0)


@pytest.mark.parametrize("how, message", [("kill", "ended by signal SIGKILL in the middle"), ("exit", None)])
def test_a_worker_that_ends_is_an_error(how, message):
    with World(lambda: Broken(how), {"n": "steps"}, workers=2) as world:
        with pytest.raises(WorkerError if how == "kill" else SystemExit, match=message):
            world.episodes(one, 20, seed=0)


def test_a_worker_killed_from_outside_is_an_error():
    with World(lambda: Broken("sleep"), {"n": "steps"}, workers=2) as world:
        def kill():
            wait_until(lambda: world._pool is not None and len(world._pool.processes()) == 2)
            time.sleep(1)
            world._pool.processes()[1].send_signal(signal.SIGKILL)

        thread = threading.Thread(target=kill)
        thread.start()
        with pytest.raises(WorkerError, match="SIGKILL"):
            world.episodes(one, 20, seed=0)
        thread.join()


def test_the_thread_that_started_workers_may_end():
    with World("CartPole-v1", CARTPOLE, workers=1) as world:
        thread = threading.Thread(target=lambda: world.episodes(lean, 4, seed=0))
        thread.start()
        thread.join()
        (process,) = world._pool.processes()
        time.sleep(1.5)
        world.episodes(lean, 4, seed=1)
        assert world._pool.processes() == [process] and process.poll() is None


PROGRAM = """
    import sys, time
    sys.path[:0] = {path!r}
    from counting import Broken, one
    from c2rl.environments import World
    world = World(lambda: Broken("sleep"), {{"n": "steps"}}, workers=2)
    import threading
    def show():
        while world._pool is None or len(world._pool.processes()) < 2: time.sleep(0.05)
        print(*[p.pid for p in world._pool.processes()], flush=True)
    threading.Thread(target=show, daemon=True).start()
    try:
        world.episodes(one, 20, seed=0)
    except KeyboardInterrupt:
        print("interrupted", len(world._pool.processes()), flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_their_parent(number):
    program = textwrap.dedent(PROGRAM.format(path=[os.path.dirname(__file__)]))
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    workers = [int(pid) for pid in parent.stdout.readline().split()]
    assert len(workers) == 2 and not any(is_gone(pid) for pid in workers)
    time.sleep(1)
    parent.send_signal(number)
    rest = parent.communicate(timeout=20)[0]
    if number == signal.SIGINT:
        assert rest == "interrupted 0\n"
    wait_until(lambda: all(is_gone(pid) for pid in workers))


def test_what_cannot_be_sent_is_named():
    with World("CartPole-v1", CARTPOLE, workers=1) as world:
        lock = threading.Lock()
        with pytest.raises(InputError, match="policy: cannot be sent to a worker process: .*lock.*workers=0"):
            world.episodes(lambda obs: lock and 0, 4, seed=0)


def test_what_environments_print_does_not_reach_standard_output(capfd):
    def make():
        print("a banner")
        return gymnasium.make("CartPole-v1")

    with World(make, CARTPOLE, workers=1) as world:
        capfd.readouterr()
        world.episodes(lean, 4, seed=0)
    out, err = capfd.readouterr()
    assert out == "" and "a banner" in err
