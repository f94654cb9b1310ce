"""What can go wrong, as exceptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._result import Result


class InputError(ValueError):
    """Something that was given cannot be used. The message says where, what was found and what was expected."""

    def __init__(self, message: str, file: str = "", line: int = 0, column: int = 0, field: str = "") -> None:
        super().__init__(message)
        self.file, self.line, self.column, self.field = file, line, column, field


class OracleError(RuntimeError):
    """An oracle failed as often as it may. `result` is what was found before, `__cause__` what the oracle raised."""

    result: Result | None = None


class Interrupted(KeyboardInterrupt):
    """Raised by `call.report` inside an oracle when the solve is to end: let it pass."""
