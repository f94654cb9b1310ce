"""What a person sees while a solve goes on: a bar of tqdm where that is installed, else a line on the terminal."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable
from typing import Any

_log = logging.getLogger("c2rl")


class Listener:
    """Hears how a solve goes, from C++. What returns False stops it."""

    def __init__(self, progress: bool | Callable[[dict[str, Any]], Any], scalars: Any = None) -> None:
        self._told = progress if callable(progress) else None
        self._display = _display() if progress is True else None
        self._scalars = scalars
        self._row: dict[str, Any] = {}

    def oracle_progress(self, call: int, part: float) -> bool:
        self._show(f"call {call}: {100 * part:.0f}%")
        return True

    def drawing(self, confirmation: int, part: float) -> bool:
        what = f"confirmation {confirmation}" if confirmation else "more episodes"
        self._show(f"{what}: {100 * part:.0f}%")
        return True

    def checking(self) -> bool:
        self._show("asking the model")
        return True

    def call_finished(self, text: str) -> bool:
        row: dict[str, Any] = json.loads(text)
        self._row = row
        if _log.isEnabledFor(logging.INFO):
            _log.info("call %d: distance %.6g, at least %.6g, %d policies", row["call"], float(row["distance"]),
                      float(row["distance_lower_bound"]), row["policies"])
        if self._display:
            self._display.advance(_words(row))
        if self._scalars is not None:
            self._scalars.call(row)
        return not (self._told is not None and self._told(row) is False)

    def failed(self, call: int, reason: str) -> None:
        _log.warning("call %d failed and is made again: %s", call, reason)

    def noticed(self, what: str) -> None:
        _log.warning("%s", what)

    def close(self) -> None:
        if self._display:
            self._display.close()
        if self._scalars is not None:
            self._scalars.close()

    def _show(self, what: str) -> None:
        if self._display:
            self._display.show(f"{_words(self._row)}  {what}" if self._row else what)


def _words(row: dict[str, Any]) -> str:
    return f"distance {float(row['distance']):.4g}  bound {float(row['distance_lower_bound']):.4g}  policies {row['policies']}"


class _Bar:
    def __init__(self, bar: Any) -> None:
        self._bar = bar

    def advance(self, words: str) -> None:
        self._bar.set_postfix_str(words, refresh=False)
        self._bar.update()

    def show(self, words: str) -> None:
        self._bar.set_postfix_str(words)

    def close(self) -> None:
        self._bar.close()


class _Line:
    """Drawn again and again on one line of a terminal, ten times a second at most."""

    def __init__(self) -> None:
        self._calls, self._drawn = 0, 0.0

    def advance(self, words: str) -> None:
        self._calls += 1
        if time.monotonic() - self._drawn > 0.1:
            self.show(words)

    def show(self, words: str) -> None:
        self._drawn = time.monotonic()
        sys.stderr.write(f"\r\x1b[Kcalls {self._calls}  {words}"[:120])
        sys.stderr.flush()

    def close(self) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _display() -> _Bar | _Line | None:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Line() if sys.stderr.isatty() else None
    return _Bar(tqdm(unit=" calls", leave=False, delay=0.2, dynamic_ncols=True))
