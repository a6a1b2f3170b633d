"""Pack arrays for the browser: a length, a JSON header, then the arrays, 8-aligned.

`web/lib/packet.js` reads it.
"""

from __future__ import annotations

import json
import struct
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...report.curves.curves import Curves
from ...report.curves.decimate import decimate

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


def pack_curves(data: Curves, points: int) -> bytes:
    """Pack one diagram, decimated to about so many points."""
    t, values = decimate(data.t, data.values, points)
    values = np.where(np.isfinite(values), values, np.nan)
    series = [asdict(line) for line in data.lines]
    header = {"unit": data.unit, "title": data.name, "series": series}
    return pack(header, t=t, values=values.astype(np.float32))


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 8)
