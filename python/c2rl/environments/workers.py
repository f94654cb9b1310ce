"""Worker processes as their parent sees them."""

from __future__ import annotations

import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import weakref
from multiprocessing.connection import Connection, wait
from typing import Any, Callable, Sequence, Union

WAIT_SECONDS = 0.2  # between two looks at signals such as Ctrl-C
CLOSE_SECONDS = 2.0

_PROGRAM = ("import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
            "from c2rl.environments.worker import main; main()")
_ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")}


Content = tuple[Any, bytes]  # a key, and what it stands for


class WorkerError(RuntimeError):
    """A worker process ended in the middle of its work."""


class WorkerTraceback(Exception):
    """Where in a worker an exception was raised: the cause of the one that arrives here."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return f'\n"""\n{self.text}"""'


def usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


class Worker:
    """A process of its own, without what the main program holds: nothing of it is imported or run again."""

    def __init__(self, pass_fds: Sequence[int] = ()) -> None:
        ours, theirs = socket.socketpair()
        lifeline, self._lifeline = os.pipe()
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, json.dumps(sys.path), str(theirs.fileno()), str(lifeline), str(os.getpid())],
                pass_fds=[theirs.fileno(), lifeline, *pass_fds], stdin=subprocess.DEVNULL, env={**os.environ, **_ONE_THREAD})
        except BaseException:
            os.close(self._lifeline)
            ours.close()
            raise
        finally:
            theirs.close()
            os.close(lifeline)
        self.connection = Connection(ours.detach())

    def send(self, name: str, *arguments: Any) -> None:
        try:
            self.connection.send_bytes(pickle.dumps((name, arguments)))
        except (BrokenPipeError, OSError) as error:
            raise self._ended() from error

    def receive(self) -> Any:
        while not self.connection.poll(WAIT_SECONDS):
            pass
        try:
            answer = pickle.loads(self.connection.recv_bytes())
        except (EOFError, OSError) as error:
            raise self._ended() from error
        if answer[0] == "done":
            return answer[1]
        raise pickle.loads(answer[1]) from WorkerTraceback(answer[2])

    def ask(self, name: str, *arguments: Any) -> Any:
        self.send(name, *arguments)
        return self.receive()

    def _ended(self) -> WorkerError:
        try:
            status = self.process.wait(CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            return WorkerError("a worker process closed its connection")
        how = f"signal {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
        return WorkerError(f"a worker process (number {self.process.pid}) ended by {how} in the middle of its work")

    def end(self) -> None:
        """At once; there is nothing that it would have to save."""
        try:
            self.connection.close()
        except OSError:
            pass
        if self._lifeline >= 0:
            os.close(self._lifeline)
            self._lifeline = -1
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def _end_all(workers: list[Worker]) -> None:
    for worker in workers:
        worker.end()
    workers.clear()


class Pool:
    """Workers that are kept between one job and the next. Any failure ends them all; the next job starts new ones."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._workers: list[Worker] = []
        self._known: list[list[Any]] = []  # what each worker has been told: (world, policy)
        self._lock = threading.Lock()
        self._finalizer = weakref.finalize(self, _end_all, self._workers)  # at exit, too

    def close(self) -> None:
        with self._lock:
            _end_all(self._workers)
            self._known.clear()

    def processes(self) -> list[Any]:
        return [worker.process for worker in self._workers]

    def play(self, world: Content, policy: Content, jobs: Sequence[range], seed: int, deterministic: bool,
             report: Union[Callable[[float], Any], None] = None) -> list[Any]:
        """Each job is a range of episodes; world and policy are (key, content)."""
        with self._lock:
            try:
                return self._play(world, policy, jobs, seed, deterministic, report)
            except BaseException:  # Ctrl-C, too: workers would go on with what nobody waits for
                _end_all(self._workers)
                self._known.clear()
                raise

    def _tell(self, index: int, world: Content, policy: Content) -> None:
        worker, known = self._workers[index], self._known[index]
        if known[0] != world[0]:
            worker.ask("set_world", world[1])
            known[:] = [world[0], None]
        if known[1] != policy[0]:
            worker.ask("set_policy", policy[0], policy[1])
            known[1] = policy[0]

    def _play(self, world: Content, policy: Content, jobs: Sequence[range], seed: int, deterministic: bool,
              report: Union[Callable[[float], Any], None]) -> list[Any]:
        while len(self._workers) < min(self.count, len(jobs)):
            self._workers.append(Worker())
            self._known.append([None, None])
        results: list[Any] = [None] * len(jobs)
        waiting = iter(range(len(jobs)))
        busy: dict[Any, tuple[int, int]] = {}

        def hand_out(index: int) -> None:
            job = next(waiting, None)
            if job is not None:
                self._tell(index, world, policy)
                self._workers[index].send("play", policy[0], jobs[job], seed, deterministic)
                busy[self._workers[index].connection] = (index, job)

        for index in range(min(len(self._workers), len(jobs))):
            hand_out(index)
        done = 0
        while busy:
            for connection in wait(list(busy), WAIT_SECONDS):
                index, job = busy.pop(connection)
                results[job] = self._workers[index].receive()
                done += 1
                hand_out(index)
            if report is not None:
                report(done / len(jobs))
        return results
