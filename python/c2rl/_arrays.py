"""What people pass as numbers, as arrays: lists, arrays, pandas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._errors import InputError

Floats = NDArray[np.float64]


def vector(values: Any, field: str) -> Floats:
    """A vector of numbers, infinite ones included."""
    try:
        found: Floats = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{field}: found {values!r}, expected a list of numbers", field=field) from None
    if found.ndim == 0:
        found = found.reshape(1)
    if found.ndim != 1:
        raise InputError(f"{field}: found an array of shape {found.shape}, expected a list of numbers", field=field)
    return np.ascontiguousarray(found)


def matrix(values: Any, field: str, row: str = "row") -> Floats:
    """A list of equally long rows, each `row` of which is what one of them is called."""
    try:
        found: Floats = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{field}: {_what_is_wrong(values, row)}", field=field) from None
    if found.ndim == 1 and found.size == 0:
        raise InputError(f"{field}: found none, expected at least one {row}", field=field)
    if found.ndim != 2:
        raise InputError(f"{field}: found an array of shape {found.shape}, expected a list of numbers for every {row}", field=field)
    if 0 in found.shape:
        raise InputError(f"{field}: found none, expected at least one {row} of at least one number", field=field)
    return np.ascontiguousarray(found)


def _what_is_wrong(values: Any, row: str) -> str:
    """Of rows that are no matrix of numbers."""
    try:
        rows = [list(entry) for entry in values]
    except TypeError:
        return f"found {values!r}, expected a list of numbers for every {row}"
    for i, entry in enumerate(rows):
        if len(entry) != len(rows[0]):
            return f"{row} {i} has {len(entry)} numbers and {row} 0 has {len(rows[0])}, expected as many in each"
        for number in entry:
            try:
                float(number)
            except (TypeError, ValueError):
                return f"{row} {i} has {number!r}, expected a number"
    return f"expected a list of numbers for every {row}"


def texts(values: Any, field: str) -> list[str]:
    """A list of texts; one text is a list of one."""
    if isinstance(values, str):
        return [values]
    found = list(values) if isinstance(values, Sequence) or hasattr(values, "__iter__") else None
    if found is None or not all(isinstance(text, str) for text in found):
        raise InputError(f"{field}: found {values!r}, expected a list of texts", field=field)
    return found
