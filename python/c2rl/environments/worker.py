"""The program of a worker process: plays episodes or steps environments for the process that started it, and ends with it."""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import traceback
from multiprocessing.connection import Connection
from typing import Any

PARENT_CHECK_SECONDS = 1.0


def _end_with_parent(lifeline: int, parent: int) -> None:
    """The parent holds the other end of a pipe, which closes however it ends. Its number is looked at, too, since a
    process that the parent has forked may hold that end open. (The kernel's own signal at a parent's death comes when the
    thread ends that started us, which is too early.)"""

    def watch() -> None:
        while os.getppid() == parent:
            ready, _, _ = select.select([lifeline], [], [], PARENT_CHECK_SECONDS)
            if ready and not os.read(lifeline, 1):
                break
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


def _portable(error: BaseException) -> bytes:
    """The exception itself where it can be sent; else one that says the same."""
    import pickle

    import cloudpickle

    try:
        content: bytes = cloudpickle.dumps(error)
        pickle.loads(content)  # some can be written and not read
        return content
    except Exception:
        said: bytes = cloudpickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
        return said


class _Service:
    """What the parent may ask for, by name."""

    def __init__(self) -> None:
        self.world: Any = None
        self.policies: dict[Any, Any] = {}
        self.players: list[Any] = []
        self.batch: Any = None

    def set_world(self, content: bytes) -> None:
        import cloudpickle

        for player in self.players:
            player.close()
        self.players, self.policies = [], {}
        self.world = cloudpickle.loads(content)

    def set_policy(self, key: bytes, content: bytes) -> None:
        import cloudpickle

        self.policies = {key: cloudpickle.loads(content)}

    def play(self, key: bytes, numbers: range, seed: int, deterministic: bool) -> Any:
        from .play import is_batched, play_chunk, SLOTS

        policy = self.policies[key]
        needed = SLOTS if is_batched(policy) else 1
        while len(self.players) < needed:
            self.players.append(self.world.player())
        return play_chunk(self.players, self.world.measurements, self.world.ranges, policy, numbers, seed, deterministic)

    def open_batch(self, memory: int, slots: range, size: int) -> None:
        from .batch import Slots

        self.batch = Slots(self.world, memory, slots, size)

    def reset(self, slot: int, seed: int) -> None:
        self.batch.reset(slot, seed)

    def step(self) -> None:
        self.batch.step()


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to deal with
    descriptor, lifeline, parent = (int(argument) for argument in sys.argv[2:5])
    _end_with_parent(lifeline, parent)
    connection = Connection(descriptor)
    os.dup2(2, 1)  # what environments print is no answer of a program that writes its result to standard output
    import pickle

    service = _Service()
    while True:
        try:
            name, arguments = pickle.loads(connection.recv_bytes())
        except (EOFError, OSError):
            os._exit(0)
        try:
            answer: tuple[Any, ...] = ("done", getattr(service, name)(*arguments))
        except BaseException as error:  # whatever a user's code raises, SystemExit too
            answer = ("failed", _portable(error), traceback.format_exc())
        try:
            connection.send_bytes(pickle.dumps(answer))
        except (BrokenPipeError, OSError):
            os._exit(0)
