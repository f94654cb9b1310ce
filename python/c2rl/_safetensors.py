"""Safetensors files as NumPy arrays: memory that is mapped, not copied."""

from __future__ import annotations

import json
import mmap
import os
import re
import struct
from typing import Any

import numpy as np

from ._errors import InputError

TYPES = {"U8": np.uint8, "I32": np.int32, "F32": np.float32, "F64": np.float64}


_NAMES = {np.dtype(kind): name for name, kind in TYPES.items()}


def columns(arrays: dict[str, Any]) -> list[tuple[str, str, list[int], bytes]]:
    """Name, type, shape and bytes of each, for C++."""
    return [(name, _NAMES[array.dtype], list(array.shape), array.tobytes()) for name, array in arrays.items()]


def read_policy(path: Any) -> tuple[dict[str, str], dict[str, Any]]:
    """The same of a policy, with the arrays that it leaves to a file beside it (docs/policies.md)."""
    about, arrays = read(path)
    name = about.get("shared_file")
    if name is None:
        return about, arrays
    if not re.fullmatch(r"shared-[0-9a-f]{16}\.safetensors", name):
        raise InputError(f"{os.fspath(path)}: shared_file: found {name!r}, expected a name as shared-0123456789abcdef.safetensors")
    beside = os.path.join(os.path.dirname(os.fspath(path)), name)
    try:
        sealed, shared = read(beside)
    except FileNotFoundError as error:
        raise InputError(f"{beside}: is missing, and {os.fspath(path)} has part of its arrays there") from error
    if sealed.get("seal") != about.get("shared_seal"):
        raise InputError(f"{beside}: is another than the policy {os.fspath(path)} was saved with")
    return about, {**arrays, **shared}


def read(path: Any) -> tuple[dict[str, str], dict[str, Any]]:
    """The metadata and the arrays of a file. The arrays are views of the file, whose pages may be written to without the
    file changing."""
    path = os.fspath(path)
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size < 8:
            raise InputError(f"{path}: has {size} bytes, expected a safetensors file")
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    (length,) = struct.unpack("<Q", content[:8])
    if length > size - 8:
        raise InputError(f"{path}: its header should have {length} bytes, but the file has {size}; expected a safetensors file")
    try:
        header = json.loads(content[8:8 + length])
        about = header.pop("__metadata__", {})
        arrays = {}
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            kind = np.dtype(TYPES[entry["dtype"]])
            shape = tuple(int(n) for n in entry["shape"])
            if not 0 <= begin <= end <= size - 8 - length or (end - begin) != kind.itemsize * int(np.prod(shape, dtype=object)):
                raise InputError(f"{path}: array '{name}' has bytes {begin} to {end}, not those of its shape {list(shape)}")
            arrays[name] = np.frombuffer(content, kind, int(np.prod(shape)), 8 + length + begin).reshape(shape)
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{path}: is no safetensors file of c2rl's: {error!r}") from error
    return about, arrays
