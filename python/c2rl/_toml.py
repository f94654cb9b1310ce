"""Options as TOML, the language of problem files."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._errors import InputError

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def to_value(value: Any, field: str) -> str:
    """What stands behind a key."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return repr(number) if math.isfinite(number) else ("nan" if math.isnan(number) else "inf" if number > 0 else "-inf")
    if isinstance(value, os.PathLike):
        return to_value(os.fspath(value), field)
    if isinstance(value, str):
        # JSON's escapes are TOML's; only DEL has to be escaped here and not there.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, np.ndarray):
        return to_value(value.tolist(), field)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(str(k))} = {to_value(v, f'{field}.{k}')}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)) or hasattr(value, "__iter__"):
        return "[" + ", ".join(to_value(v, field) for v in value) + "]"
    raise InputError(f"{field}: found {value!r}, expected a number, a text, true or false, a list or a table", field=field)


def to_toml(options: Mapping[str, Any]) -> str:
    """Tables become sections; what is None is left out."""
    lines = [f"{_key(k)} = {to_value(v, k)}" for k, v in options.items() if v is not None and not isinstance(v, Mapping)]
    for name, section in options.items():
        if not isinstance(section, Mapping):
            continue
        lines.append(f"[{_key(name)}]")
        lines += [f"{_key(str(k))} = {to_value(v, f'{name}.{k}')}" for k, v in section.items() if v is not None]
    return "\n".join(lines) + "\n"
