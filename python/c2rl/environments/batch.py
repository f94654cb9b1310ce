"""Many copies of an environment that step together, for learners that act in all of them at once."""

from __future__ import annotations

import mmap
import os
import tempfile
import weakref
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from .._errors import InputError
from .measurements import Meter
from .spaces import Done, Seen
from .workers import Worker, usable_cores


class _Arrays:
    """What goes back and forth, a row per slot, in memory that processes share."""

    measurement: npt.NDArray[np.float64]
    features: npt.NDArray[np.float32]
    controls: npt.NDArray[np.float32]
    state: npt.NDArray[np.int32]
    action: npt.NDArray[np.int32]
    terminated: npt.NDArray[np.uint8]
    truncated: npt.NDArray[np.uint8]

    def __init__(self, world: Any, size: int, memory: Any = None) -> None:
        self.seen, self.done = Seen(world.observation_space), Done(world.action_space)
        columns: list[tuple[str, Any, int]] = [("measurement", np.float64, len(world.measurements)), ("features", np.float32, self.seen.features),
                   ("controls", np.float32, self.done.controls), ("state", np.int32, 0), ("action", np.int32, 0),
                   ("terminated", np.uint8, 0), ("truncated", np.uint8, 0)]
        self.bytes = sum(np.dtype(kind).itemsize * size * max(1, width) for _, kind, width in columns)
        if memory is None:
            memory = bytearray(self.bytes)
        at = 0
        for name, kind, width in columns:
            shape = (size, width) if name in ("measurement", "features", "controls") else (size,)
            array = np.frombuffer(memory, kind, int(np.prod(shape)), at).reshape(shape)
            setattr(self, name, array)
            at += np.dtype(kind).itemsize * size * max(1, width)


class Slots:
    """Some of the slots, in the process that steps them."""

    def __init__(self, world: Any, memory: int, slots: range, size: int, arrays: Union[_Arrays, None] = None) -> None:
        self.world, self.slots = world, slots
        if arrays is None:
            shared = mmap.mmap(memory, 0)
            os.close(memory)
            arrays = _Arrays(world, size, shared)
        self.arrays = arrays
        self._players: dict[int, Any] = {}
        # One discount for all is the learner's to apply; several are in what a step measures already.
        own = len(set(world.measurements.discounts.tolist())) > 1
        self._meters = {slot: Meter(world.measurements, discounted=own) for slot in slots}
        self._ended = {slot: True for slot in slots}

    def reset(self, slot: int, seed: int) -> None:
        if slot not in self._players:
            self._players[slot] = self.world.player()
        obs, _ = self._players[slot].reset(seed)
        self._meters[slot].reset()
        self._ended[slot] = False
        self._show(slot, obs)
        self.arrays.measurement[slot] = 0
        self.arrays.terminated[slot] = self.arrays.truncated[slot] = 0

    def step(self) -> None:
        arrays = self.arrays
        given = arrays.controls if arrays.done.controls else arrays.action
        for slot in self.slots:
            if self._ended[slot]:
                continue
            t = self._players[slot].step(arrays.done.decode(given[slot]))
            arrays.measurement[slot] = self._meters[slot].add(t)
            arrays.terminated[slot], arrays.truncated[slot] = t.terminated, t.truncated and not t.terminated
            if t.terminated or t.truncated:
                self._ended[slot] = True
                if self._meters[slot].discounted or self.world.discount == 1:
                    self._meters[slot].check_ranges(self.world.ranges)
            self._show(slot, t.next_obs)

    def _show(self, slot: int, obs: Any) -> None:
        seen = self.arrays.seen.encode(obs)
        if self.arrays.seen.states:
            if not 0 <= seen < self.arrays.seen.states:
                raise InputError(f"env: observed {obs}, which is not in its observation_space {self.world.observation_space}")
            self.arrays.state[slot] = seen
        else:
            self.arrays.features[slot] = seen

    def close(self) -> None:
        for player in self._players.values():
            player.close()
        self._players.clear()


def _end(workers: list[Worker]) -> None:
    for worker in workers:
        worker.end()
    workers.clear()


class Batch:
    """`size` episodes that step together. Write `action` (or `controls`), call step, and read `state` (or `features`),
    `measurement`, `terminated` and `truncated`: a row per slot. Slots that have ended stay as they are until their reset.

    workers: processes that share the slots; 0: this one steps them, which is quicker for environments whose step takes
    less than some tens of microseconds; None: one for each core.
    """

    def __init__(self, world: Any, size: int, workers: Union[int, None] = None) -> None:
        if size < 1:
            raise InputError(f"size: found {size}, expected at least 1")
        count = min(size, usable_cores() if workers is None else workers)
        self.size = size
        self._workers: list[Worker] = []
        self._finalizer = weakref.finalize(self, _end, self._workers)
        self._own: Union[Slots, None] = None
        if count == 0:
            self.arrays = _Arrays(world, size)
            self._own = Slots(world, -1, range(size), size, self.arrays)
        else:
            self._open_workers(world, size, count)
        arrays = self.arrays
        self.measurement, self.features, self.controls = arrays.measurement, arrays.features, arrays.controls
        self.state, self.action, self.terminated, self.truncated = arrays.state, arrays.action, arrays.terminated, arrays.truncated
        self.states, self.feature_count = self.arrays.seen.states, self.arrays.seen.features
        self.actions, self.control_count = self.arrays.done.actions, self.arrays.done.controls

    def _open_workers(self, world: Any, size: int, count: int) -> None:
        from .world import _pickled

        content = _pickled(world, "env")
        length = _Arrays(world, size).bytes
        with tempfile.TemporaryFile() as file:  # without a name: gone with the processes that hold it
            file.truncate(length)
            self.arrays = _Arrays(world, size, mmap.mmap(file.fileno(), length))
            bounds = [size * i // count for i in range(count + 1)]
            self._parts = [range(bounds[i], bounds[i + 1]) for i in range(count)]
            try:
                for _ in self._parts:
                    self._workers.append(Worker(pass_fds=[file.fileno()]))
                for worker, part in zip(self._workers, self._parts):
                    worker.send("set_world", content)
                    worker.send("open_batch", file.fileno(), part, size)
                for worker in self._workers:
                    worker.receive()
                    worker.receive()
            except BaseException:
                self.close()
                raise

    def reset(self, slot: int, seed: int) -> None:
        """Begins an episode in a slot, whatever was there; the same one wherever it is played."""
        seed = int(seed) % (2**31)
        if self._own is not None:
            self._own.reset(slot, seed)
            return
        self._together([(index, "reset", (slot, seed)) for index, part in enumerate(self._parts) if slot in part])

    def step(self) -> None:
        if self._own is not None:
            self._own.step()
            return
        self._together([(index, "step", ()) for index in range(len(self._workers))])

    def _together(self, questions: list[tuple[int, str, tuple[Any, ...]]]) -> None:
        if not self._workers:
            raise RuntimeError("the batch is closed: a worker of it has failed, or close was called")
        try:
            for index, name, arguments in questions:
                self._workers[index].send(name, *arguments)
            for index, _, _ in questions:
                self._workers[index].receive()
        except BaseException:
            self.close()
            raise

    def processes(self) -> list[Any]:
        return [worker.process for worker in self._workers]

    def close(self) -> None:
        _end(self._workers)
        if self._own is not None:
            self._own.close()
