"""Tabular models from arrays, SciPy's sparse matrices, or DRN files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _core
from ._arrays import Floats, texts, vector
from ._errors import InputError
from ._policy import Policy


class Model:
    """A vector MDP with finitely many states.

    transitions   probabilities: an array (A, S, S), a list of A sparse matrices (S, S), or one sparse matrix (S*A, S) whose row s*A + a is of
                  action a in state s. A row of zeros: the state has no such action; the actions it has are its first ones
    measurements  what a step measures: (A, S, m), or per transition (A, S, S, m); with an (S*A, S) matrix also (S*A, m)
    start         the number of the state that episodes start in, or probabilities (S,)
    discount      what is a step later counts by this much less
    horizon       steps after which an episode is cut; 0: never
    names         of the measurements

    A state without actions ends the episode, and so does one all of whose actions stay there for certain and measure nothing.
    """

    def __init__(self, transitions: Any, measurements: Any, start: Any, discount: float = 1.0, horizon: int = 0, names: Any = None) -> None:
        rows = _Rows(transitions)
        amounts = _amounts(measurements, rows)
        m = amounts.shape[1]
        labels = [f"x{i}" for i in range(m)] if names is None else texts(names, "names")
        if len(labels) != m:
            raise InputError(f"names: found {len(labels)}, expected {m}, one per measurement", field="names")
        begin, kept = rows.choices(amounts)
        self._model = _core.make_model(labels, begin, *rows.arrays(kept), amounts[rows.entries(kept)], _start(start, rows.states),
                                       float(discount), int(horizon))

    @classmethod
    def read(cls, path: str | os.PathLike[str], discount: float = 1.0, horizon: int = 0, terminal_label: str = "",
             reached: bool = False) -> Model:
        """A file in Storm's DRN format; every reward model is a measurement."""
        return cls._of(_core.read_model(os.fspath(path), terminal_label, reached, float(discount), int(horizon)))

    @classmethod
    def _of(cls, native: _core.Model) -> Model:
        model = cls.__new__(cls)
        model._model = native
        return model

    def write(self, path: str | os.PathLike[str]) -> None:
        """As DRN, which has no measurements of transitions: an action gets what it measures on average, which leaves J as it is."""
        self._model.write(os.fspath(path))

    def evaluate(self, policy: Any) -> Floats:
        """J of a policy, computed: an array of actions (S,), of probabilities (S, A), or a policy of a result."""
        if isinstance(policy, Policy):
            return self._model.evaluate_policy(policy._handle)
        table = np.asarray(policy)
        if table.ndim == 1 and np.issubdtype(table.dtype, np.integer) and len(table) == self.states:
            if (table < 0).any() or (table >= self.actions).any():
                raise InputError(f"policy: found action {table.max() if (table >= 0).all() else table.min()}, expected 0 to {self.actions - 1}",
                                 field="policy")
            table = np.eye(self.actions)[table]
        if table.shape != (self.states, self.actions):
            raise InputError(f"policy: found an array of shape {table.shape}, expected ({self.states},) actions or "
                             f"({self.states}, {self.actions}) probabilities", field="policy")
        counts = np.diff(self._model.choice_begin)
        table = np.array(table, dtype=np.float64)
        for state in np.nonzero(counts)[0]:
            row, count = table[state], int(counts[state])
            if not (row >= 0).all() or abs(row[:count].sum() - 1) > 1e-9:
                raise InputError(f"policy: found probabilities {row.tolist()} in state {state}, expected some of its {count} actions that sum to 1",
                                 field="policy")
        return self._model.evaluate_table(np.ascontiguousarray(table))

    @property
    def states(self) -> int:
        return self._model.states

    @property
    def actions(self) -> int:
        """The most that a state has."""
        return self._model.actions

    @property
    def names(self) -> list[str]:
        return self._model.names

    @property
    def discount(self) -> float:
        return self._model.discount

    @property
    def horizon(self) -> int:
        return self._model.horizon

    @property
    def start(self) -> Floats:
        return self._model.start

    def __repr__(self) -> str:
        return f"<Model of {self.states} states and {self.actions} actions, measuring {', '.join(self.names)}>"


class _Rows:
    """A row of probabilities for every state and action, state by state, as a sparse matrix: (S*A, S)."""

    def __init__(self, transitions: Any) -> None:
        if hasattr(transitions, "tocsr"):
            self._of_sparse(transitions.tocsr())
        elif isinstance(transitions, (list, tuple)) and any(hasattr(one, "tocsr") for one in transitions):
            parts: list[Any] = [one.tocsr() if hasattr(one, "tocsr") else None for one in transitions]
            shapes = {None if part is None else part.shape for part in parts}
            if len(shapes) != 1 or None in shapes or parts[0].shape[0] != parts[0].shape[1]:
                raise InputError(f"transitions: found matrices of shapes {[getattr(one, 'shape', None) for one in transitions]}, expected one (S, S) "
                                 "for every action", field="transitions")
            self.states, self.actions = parts[0].shape[0], len(parts)
            counts = np.stack([np.diff(part.indptr) for part in parts], axis=1).reshape(-1)
            order = np.concatenate([np.repeat(np.arange(self.states) * self.actions + a, np.diff(part.indptr)) for a, part in enumerate(parts)])
            sort = np.argsort(order, kind="stable")
            self.begin = np.concatenate([[0], np.cumsum(counts)])
            self.next = np.concatenate([part.indices for part in parts])[sort]
            self.probability = np.concatenate([part.data for part in parts])[sort].astype(np.float64)
        else:
            self._of_dense(transitions)
        stored = self.probability != 0
        self.next, self.probability = self.next[stored].astype(np.int32), self.probability[stored]
        self.begin = np.concatenate([[0], np.cumsum(stored)])[self.begin]
        sums = np.add.reduceat(np.append(self.probability, 0.0), self.begin[:-1]) * (np.diff(self.begin) > 0)
        wrong = np.nonzero((np.diff(self.begin) > 0) & ~(np.abs(sums - 1) <= 1e-6))[0]
        if len(wrong):
            state, action = divmod(int(wrong[0]), self.actions)
            raise InputError(f"transitions: those of action {action} in state {state} sum to {sums[wrong[0]]:.9g}, expected 1, or 0 where there is no such "
                             "action", field="transitions")

    def _of_sparse(self, matrix: Any) -> None:
        rows, self.states = matrix.shape
        if self.states == 0 or rows % self.states:
            raise InputError(f"transitions: found a matrix of shape {matrix.shape}, expected (S*A, S)", field="transitions")
        self.actions = rows // self.states
        self.begin, self.next, self.probability = matrix.indptr, matrix.indices, matrix.data.astype(np.float64)

    def _of_dense(self, transitions: Any) -> None:
        try:
            array = np.asarray(transitions, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError("transitions: found rows that are no array of numbers, expected one of shape (A, S, S)", field="transitions") from None
        if array.ndim != 3 or array.shape[1] != array.shape[2] or 0 in array.shape:
            raise InputError(f"transitions: found an array of shape {array.shape}, expected (A, S, S)", field="transitions")
        self.actions, self.states = array.shape[:2]
        rows = array.transpose(1, 0, 2).reshape(-1, self.states)
        row, self.next = np.nonzero(rows)
        self.probability = rows[row, self.next]
        self.begin = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(rows)))])

    @property
    def row(self) -> Any:
        """Of every transition, its row."""
        return np.repeat(np.arange(len(self.begin) - 1), np.diff(self.begin))

    def choices(self, amounts: Floats) -> tuple[Any, Any]:
        """Where each state's actions begin, and the rows that are actions."""
        given = np.diff(self.begin).reshape(self.states, self.actions) > 0
        if (late := np.nonzero(given[:, 1:] & ~given[:, :-1]))[0].size:
            state, action = int(late[0][0]), int(late[1][0])
            raise InputError(f"transitions: state {state} has action {action + 1} and no action {action}, expected its actions to be the first ones",
                             field="transitions")
        # A row stays for certain and measures nothing unless one of its transitions does otherwise.
        row, moves = self.row, np.zeros(len(self.begin) - 1, dtype=bool)
        moves[row[(self.next != row // self.actions) | (amounts != 0).any(axis=1)]] = True
        ends = ~moves.reshape(self.states, self.actions).any(axis=1)
        given[ends] = False
        begin = np.concatenate([[0], np.cumsum(given.sum(axis=1))]).astype(np.int32)
        return begin, given.reshape(-1)

    def entries(self, kept: Any) -> Any:
        return kept[self.row]

    def arrays(self, kept: Any) -> tuple[Any, Any, Any]:
        counts = np.diff(self.begin)[kept]
        inside = self.entries(kept)
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32), self.next[inside], self.probability[inside]


def _amounts(measurements: Any, rows: _Rows) -> Floats:
    """What every transition measures, a row each."""
    try:
        array = np.asarray(measurements, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("measurements: found rows that are no array of numbers, expected one of shape (A, S, m)", field="measurements") from None
    states, actions = rows.states, rows.actions
    if array.ndim == 4 and array.shape[:3] == (actions, states, states):
        state, action = np.divmod(rows.row, actions)
        return np.ascontiguousarray(array[action, state, rows.next])
    if array.ndim == 3 and array.shape[:2] == (actions, states):
        array = array.transpose(1, 0, 2).reshape(states * actions, -1)
    if array.ndim != 2 or len(array) != states * actions or array.shape[1] == 0:
        raise InputError(f"measurements: found an array of shape {np.shape(measurements)}, expected ({actions}, {states}, m), "
                         f"({actions}, {states}, {states}, m) or ({states * actions}, m)", field="measurements")
    return np.ascontiguousarray(array[rows.row])


def _start(start: Any, states: int) -> Floats:
    if isinstance(start, (int, np.integer)):
        if not 0 <= start < states:
            raise InputError(f"start: found {start}, expected the number of a state, 0 to {states - 1}", field="start")
        first: Floats = np.zeros(states)
        first[int(start)] = 1.0
        return first
    found = vector(start, "start")
    if len(found) != states:
        raise InputError(f"start: found {len(found)} probabilities, expected {states}, one per state", field="start")
    return found


def model_section(model: Model) -> Mapping[str, Any]:
    """[environment] for a model that Python holds; a run goes on with the same only."""
    native = model._model
    content = hashlib.sha256()
    for array in (native.choice_begin, native.transition_begin, native.next, native.probability, native.measurement, native.start):
        content.update(np.ascontiguousarray(array).tobytes())
    return {"kind": "python", "object": f"{model!r} sha256:{content.hexdigest()}", "measurements": model.names, "states": model.states, "actions": model.actions,
            "discount": model.discount, "horizon": model.horizon}
