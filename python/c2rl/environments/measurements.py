"""What is measured of a step: names such as "reward[1]" or "info.energy", functions of a transition, events."""

from __future__ import annotations

import difflib
import math
import re
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Mapping, Sequence, Union

import numpy as np
import numpy.typing as npt

from .._errors import InputError

ROOTS = ("steps", "reward", "cost", "terminated", "truncated", "info", "obs", "next_obs", "action")
_STEP = re.compile(r"\.(?P<key>[^.\[\]]+)|\[(?P<index>-?\d+)\]")


class Transition:
    """One step of an episode, as measurements see it."""

    __slots__ = ("obs", "action", "reward", "next_obs", "terminated", "truncated", "info", "step", "_cost")

    def __init__(self, obs: Any, action: Any, reward: Any, next_obs: Any, terminated: bool, truncated: bool, info: Any,
                 step: int = 0, cost: Any = None) -> None:
        self.obs, self.action, self.reward, self.next_obs = obs, action, reward, next_obs
        self.terminated, self.truncated, self.info = terminated, truncated, info
        self.step, self._cost = step, cost

    @property
    def cost(self) -> Any:
        """What Safety-Gymnasium's step returns between reward and terminated; elsewhere info["cost"]."""
        if self._cost is not None:
            return self._cost
        return self.info["cost"]


@dataclass(frozen=True)
class Measurement:
    """Something to add up over an episode.

    of        a name or a function of a transition t, which gives a number or a truth value
    range     what an episode's total can be, (lowest, highest); None where that is not known. Claims use it.
    discount  what is a step later counts by this much less
    event     counts once: 1 in an episode in which it was ever other than zero, else 0
    missing   what counts where info has no such entry; None: that is an error
    """

    of: Union[str, Callable[[Transition], Any]]
    range: Union[Sequence[float], None] = None
    discount: float = 1.0
    event: bool = False
    missing: Union[float, None] = None


def Event(of: Union[str, Callable[[Transition], Any]], missing: Union[float, None] = None) -> Measurement:
    """1 in an episode in which it happens at least once, else 0: its mean is a probability."""
    return Measurement(of, range=(0.0, 1.0), event=True, missing=missing)


def _join(names: Iterable[Any]) -> str:
    return ", ".join(str(name) for name in names) or "nothing"


def _nearest(name: str, names: Iterable[Any]) -> str:
    found = difflib.get_close_matches(name, [str(n) for n in names], 1)
    return f"; did you mean '{found[0]}'?" if found else ""


class _Path:
    """A name such as info.costs[2], followed in a transition."""

    def __init__(self, name: str, text: str, missing: Union[float, None]) -> None:
        self.name, self.text, self.missing = name, text.strip(), missing
        root = re.match(r"[A-Za-z_]\w*", self.text)
        self.root = root.group(0) if root else ""
        rest = self.text[len(self.root):]
        if self.root.startswith("cost_"):  # an entry of Safety-Gymnasium's info
            self.root, rest = "info", "." + self.root + rest
        if self.root not in ROOTS:
            raise InputError(f"measurements.{name}: found '{text}', expected one of {_join(ROOTS)}, info.NAME, "
                             f"or a function of a transition{_nearest(self.root, ROOTS)}")
        self.keys: list[Union[str, int]] = []
        at = 0
        while at < len(rest):
            step = _STEP.match(rest, at)
            if step is None:
                raise InputError(f"measurements.{name}: found '{text}', expected .NAME or [NUMBER] behind "
                                 f"'{self.text[:len(self.text) - len(rest) + at]}'")
            self.keys.append(step["key"] if step["key"] is not None else int(step["index"]))
            at = step.end()
        if self.root == "info" and not self.keys:
            raise InputError(f"measurements.{name}: found 'info', expected an entry of it, info.NAME")
        if self.root in ("steps", "terminated", "truncated") and self.keys:
            raise InputError(f"measurements.{name}: found '{text}', expected '{self.root}' alone, which is one number")

    def __call__(self, t: Transition) -> Any:
        if self.root == "steps":
            return 1.0
        if self.root == "cost":
            if t._cost is None and "cost" not in t.info:
                return self._absent(t, "cost", t.info, "info")
            found = t.cost
        else:
            found = getattr(t, self.root)
        so_far = self.root
        for key in self.keys:
            if isinstance(key, str):
                if not isinstance(found, Mapping):
                    raise InputError(f"measurements.{self.name}: found '{self.text}', but {so_far} is "
                                     f"{_describe(found)}, which has no names")
                if key not in found:
                    return self._absent(t, key, found, so_far)
                so_far += "." + key
            else:
                size = len(found) if hasattr(found, "__len__") else None
                if size is None or isinstance(found, Mapping) or np.ndim(found) == 0:
                    raise InputError(f"measurements.{self.name}: found '{self.text}', but {so_far} is "
                                     f"{_describe(found)}, which has no numbered entries")
                if not -size <= key < size:
                    raise InputError(f"measurements.{self.name}: found '{self.text}', but {so_far} has {size} entries, "
                                     f"{so_far}[0] to {so_far}[{size - 1}]")
                so_far += f"[{key}]"
            found = found[key]
        return found

    def _absent(self, t: Transition, key: str, there: Mapping[Any, Any], so_far: str) -> float:
        if self.missing is not None:
            return self.missing
        raise InputError(f"measurements.{self.name}: found '{self.text}', but {so_far} has no '{key}' at step {t.step}; "
                         f"it has {_join(there)}{_nearest(key, there)}. Where it is there at some steps only, "
                         f"c2rl.Measurement('{self.text}', missing=0) counts the others as 0")


def _describe(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"a table with {_join(value)}"
    size = np.shape(value)
    if size:
        return f"an array of shape {size}"
    return f"{type(value).__name__} {value!r}" if np.isscalar(value) else f"a {type(value).__name__}"


def _number(name: str, of: Any, value: Any, t: Transition) -> float:
    if type(value) in (float, int, bool, np.float64, np.bool_) and -math.inf < value < math.inf:
        return float(value)  # the usual case, quickly
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = None
    if number is None or np.ndim(value) > 0 and np.size(value) != 1:
        what = f"'{of}'" if isinstance(of, str) else "the function"
        hint = ""
        if isinstance(of, str) and np.ndim(value) == 1:
            hint = f": {of}[0] to {of}[{len(value) - 1}]"
        raise InputError(f"measurements.{name}: {what} gave {_describe(value)} at step {t.step}, expected a number{hint}")
    if not math.isfinite(number):
        raise InputError(f"measurements.{name}: found {number} at step {t.step}, expected a finite number")
    return number


class Measurements:
    """All measurements of a problem, in order."""

    def __init__(self, given: Any) -> None:
        if not isinstance(given, Mapping):
            given = {item: item for item in given} if isinstance(given, (list, tuple)) else given
        if not isinstance(given, Mapping) or not given:
            raise InputError("measurements: expected a dictionary with at least one entry, such as "
                             "{'length': 'steps', 'energy': 'info.energy'}")
        self.names = [str(name) for name in given]
        self.items: list[Measurement] = []
        self._read: list[Callable[[Transition], Any]] = []
        for name, value in given.items():
            item = self._item(name, value)
            self.items.append(item)
            self._read.append(_Path(name, item.of, item.missing) if isinstance(item.of, str) else item.of)
        self.discounts = np.array([item.discount for item in self.items])
        self._plain = bool((self.discounts == 1).all()) and not any(item.event for item in self.items)

    @staticmethod
    def _item(name: str, given: Any) -> Measurement:
        value: Measurement
        if isinstance(given, Mapping):
            known = ("of", "range", "discount", "event", "missing")
            for key in given:
                if key not in known:
                    raise InputError(f"measurements.{name}: found '{key}', expected {_join(known)}{_nearest(key, known)}")
            if "of" not in given:
                raise InputError(f"measurements.{name}: expected 'of', the name or function that is measured")
            value = Measurement(**given)
        else:
            value = given if isinstance(given, Measurement) else Measurement(given)
        if not isinstance(value.of, str) and not callable(value.of):
            raise InputError(f"measurements.{name}: found {value.of!r}, expected a name such as 'reward[1]' or "
                             "'info.energy', or a function of a transition")
        if not (isinstance(value.discount, (int, float)) and 0 < value.discount <= 1):
            raise InputError(f"measurements.{name}.discount: found {value.discount!r}, expected a number above 0, at most 1")
        if value.range is not None:
            ends = tuple(value.range)
            if len(ends) != 2 or not float(ends[0]) <= float(ends[1]):
                raise InputError(f"measurements.{name}.range: found {value.range!r}, expected (lowest, highest)")
        return value

    def __len__(self) -> int:
        return len(self.items)

    @property
    def discount(self) -> float:
        """That of all measurements, where they have the same one; else 1."""
        return float(self.discounts[0]) if (self.discounts == self.discounts[0]).all() else 1.0

    def ranges(self, horizon: Union[int, None]) -> list[tuple[float, float]]:
        """What an episode's totals can be: as declared, or as the name says."""
        result = []
        for item in self.items:
            low, high = -math.inf, math.inf
            if item.range is not None:
                low, high = (float(end) for end in item.range)
            elif item.event or item.of in ("terminated", "truncated"):
                low, high = 0.0, 1.0
            elif item.of == "steps":
                gamma = item.discount
                most = math.inf if horizon is None else float(horizon)
                low = 1.0
                high = most if gamma == 1 else (1 - gamma**most) / (1 - gamma)
            result.append((low, high))
        return result


class Meter:
    """What an episode has measured so far."""

    def __init__(self, measurements: Measurements, discounted: bool = True) -> None:
        self._all, self.discounted = measurements, discounted
        self.reset()

    def reset(self) -> None:
        self._weight = np.ones(len(self._all))
        self._happened = [False] * len(self._all)
        self.totals: npt.NDArray[np.float64] = np.zeros(len(self._all))

    def add(self, t: Transition) -> npt.NDArray[np.float64]:
        """What this step adds to the totals, discounts included."""
        read = [_number(name, item.of, f(t), t)
                for name, item, f in zip(self._all.names, self._all.items, self._all._read)]
        step = np.array(read)
        if not self._all._plain:
            for k, item in enumerate(self._all.items):
                if item.event:
                    step[k] = 1.0 if step[k] != 0 and not self._happened[k] else 0.0
                    self._happened[k] |= step[k] != 0
            if self.discounted:
                step *= self._weight
                self._weight = self._weight * self._all.discounts
        self.totals += step
        return step

    def check_ranges(self, ranges: Sequence[tuple[float, float]]) -> None:
        """An InputError where an episode has left what was declared."""
        for name, total, (low, high) in zip(self._all.names, self.totals, ranges):
            slack = 1e-9 * max(1.0, abs(total))
            if total < low - slack or total > high + slack:
                raise InputError(f"measurements.{name}: an episode measured {total:.12g}, but its range is declared as "
                                 f"{low:g} to {high:g}; nothing could be concluded from such a range")
