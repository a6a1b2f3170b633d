"""Pack arrays for the browser: a length, a JSON header, then the arrays, 8-aligned.

`web/lib/packet.js` reads it.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

KINDS = {"<f4": "f4", "<f8": "f8", "<i4": "i4", "|u1": "u1"}


def pack(header: dict[str, Any], **arrays: NDArray[Any]) -> bytes:
    """Pack a header and arrays (float32, float64, int32 or uint8), little-endian."""
    flat = {name: np.ascontiguousarray(array).ravel() for name, array in arrays.items()}
    entries = [
        {"name": name, "kind": KINDS[array.dtype.str], "length": int(array.size)}
        for name, array in flat.items()
    ]
    text = json.dumps(header | {"arrays": entries}, allow_nan=False).encode()
    parts = [struct.pack("<II", len(text), 0), _padded(text)]
    parts += [_padded(array.tobytes()) for array in flat.values()]
    return b"".join(parts)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 8)
