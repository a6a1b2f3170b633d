"""The protocol between a controller and its viewers, version 1, as data and bytes.

Text frames are JSON objects with a `type`: hello, state, event, status, reply, pong, bye from the
publisher, command and ping from a viewer. Binary frames are samples, all little-endian:

| bytes | what |
|---|---|
| 0-3 | `ERFM` |
| 4 | version, 1 |
| 5 | form of the values: 1 float64, 2 float32 |
| 6-7 | w: numbers in a sample, uint16 |
| 8-11 | N: samples in this frame, uint32 |
| 12-15 | session of the hello, uint32 |
| 16-23 | sequence number of the first sample, uint64; the others follow it one by one |
| 24- | N times, float64, s; then N rows of w values |

No NumPy here: the process that serves the viewers needs none and starts faster.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeGuard

from ..errors import InputError

PROTOCOL, VERSION = "erfd-monitor", 1
MAGIC = b"ERFM"
HEADER = struct.Struct("<4sBBHIIQ")
FORMS = {"f64": 1, "f32": 2}
RESERVED = ("seq", "t")
"""Keys of a JSON sample that no column can have."""
COMMANDS = ("start", "pause", "stop", "speed")
LEVELS = ("info", "warning", "alarm")
PORT = 8765
MAX_FRAME = 4 << 20
"""Bytes; a viewer refuses longer frames."""
MAX_JOINTS, MAX_COLUMNS, MAX_BATCH, MAX_TEXT = 64, 4096, 100_000, 2000
"""What a viewer takes for possible; more is a mistake or an attack."""

JOINT_UNITS = {
    "q": "rad", "qd": "rad/s", "qdd": "rad/s2", "q_given": "rad", "qd_given": "rad/s",
    "qdd_given": "rad/s2", "u": "N m", "u_a": "N m", "u_a_wanted": "N m", "u_a_max": "N m",
    "saturated": "", "clipped": "", "stalled": "",
}  # fmt: skip
"""Quantities of which every joint or motor has one, with the unit of a joint that turns."""
SLIDING = {"rad": "m", "rad/s": "m/s", "rad/s2": "m/s2", "N m": "N"}
OF_MOTORS = ("u_a", "u_a_wanted", "u_a_max")
OTHER_UNITS = {
    "pose": ("", "", "", "m") * 3,  # the upper three rows of the tool's 4 x 4 matrix
    "deviation": ("m", "rad"),
    "wrench": ("N",) * 3 + ("N m",) * 3,  # on the environment, at the tool, in base axes
    # m, m c, second moments xx, xy, xz, yy, yz, zz about the origin of the tool frame
    "payload": ("kg", *("kg m",) * 3, *("kg m2",) * 6),
    "path_time": ("s",),
    "rate": ("",),
    "line": ("",),
}


@dataclass(frozen=True, slots=True)
class Column:
    """A quantity of a sample: its name and the unit of each of its numbers.

    >>> Column("tool_speed", ("m/s",)).size
    1
    """

    name: str
    units: tuple[str, ...]

    @property
    def size(self) -> int:
        """How many numbers the quantity has."""
        return len(self.units)


@dataclass(frozen=True, slots=True)
class Hello:
    """The first message of a publisher: who it is and what its samples hold.

    `dt` s between samples, `epoch` the unix time of t = 0, `limits` by name one number a joint
    (None: unlimited), `model` the robot as TOML and `program` its program, both perhaps empty.
    """

    name: str
    n: int
    dt: float
    columns: tuple[Column, ...]
    session: int
    robot: str = ""
    epoch: float = 0.0
    limits: dict[str, tuple[float | None, ...]] = field(default_factory=dict)
    model: str = ""
    program: str = ""

    @property
    def width(self) -> int:
        """Numbers in a sample."""
        return sum(column.size for column in self.columns)

    @property
    def places(self) -> dict[str, slice]:
        """The slice of each quantity in a sample."""
        slices, start = {}, 0
        for column in self.columns:
            slices[column.name] = slice(start, start + column.size)
            start += column.size
        return slices


def column(name: str, n: int, kinds: Sequence[str] = ()) -> Column:
    """The column of a known quantity for n joints; `kinds` says which joints are prismatic."""
    if name in OTHER_UNITS:
        return Column(name, OTHER_UNITS[name])
    if name not in JOINT_UNITS:
        names = ", ".join((*JOINT_UNITS, *OTHER_UNITS))
        raise InputError(f"columns: expected a Column or one of {names}, found {name!r}")
    unit = JOINT_UNITS[name]
    slides = [k < len(kinds) and kinds[k] == "prismatic" for k in range(n)]
    if name in OF_MOTORS:
        slides = [False] * n
    return Column(name, tuple(SLIDING.get(unit, unit) if s else unit for s in slides))


def hello_text(hello: Hello) -> str:
    """The hello as JSON."""
    head = {"type": "hello", "protocol": PROTOCOL, "version": VERSION, "commands": COMMANDS}
    return json.dumps(head | asdict(hello), allow_nan=False)


def read_hello(body: dict[str, Any]) -> Hello:
    """Read the hello in a JSON object; an `InputError` says what is wrong with it."""
    if body.get("protocol") != PROTOCOL or body.get("version") != VERSION:
        found = f"{body.get('protocol')!r:.40} {body.get('version')!r:.20}"
        raise InputError(f"hello: expected {PROTOCOL} version {VERSION}, found {found}")
    n = _whole(body, "n", 1, MAX_JOINTS)
    dt, epoch = _number(body.get("dt"), "dt"), _number(body.get("epoch", 0.0), "epoch")
    if not 0 < dt <= 3600:
        raise InputError(f"hello: dt: expected a time > 0 s, found {dt:g}")
    entries = body.get("columns")
    if not isinstance(entries, list) or not 0 < len(entries) <= MAX_COLUMNS:
        raise InputError(f"hello: columns: expected a list, found {entries!r:.60}")
    columns = tuple(_column(entry) for entry in entries)
    names = [c.name for c in columns]
    width = sum(c.size for c in columns)
    if len(set(names)) < len(names) or width > MAX_COLUMNS:
        raise InputError(f"hello: columns: expected unique names, {MAX_COLUMNS} numbers at most")
    for c in columns:
        size = n if c.name in JOINT_UNITS else len(OTHER_UNITS.get(c.name, c.units))
        if c.size != size:
            raise InputError(f"hello: {c.name}: expected {size} numbers, found {c.size}")
    return Hello(
        name=_text(body, "name", MAX_TEXT),
        n=n,
        dt=dt,
        columns=columns,
        session=_whole(body, "session", 0, 2**32 - 1),
        robot=_text(body, "robot", MAX_TEXT),
        epoch=epoch,
        limits=_limits(body.get("limits", {}), n),
        model=_text(body, "model", MAX_FRAME),
        program=_text(body, "program", MAX_FRAME),
    )


def frame_bytes(
    session: int, width: int, first: int, times: Sequence[float], rows: Sequence[bytes], form: str
) -> bytes:
    """A binary frame of samples whose rows are bytes of that form already."""
    head = HEADER.pack(MAGIC, VERSION, FORMS[form], width, len(rows), session, first)
    return b"".join((head, struct.pack(f"<{len(times)}d", *times), *rows))


def singles(row: bytes) -> bytes:
    """A row of float64 as float32."""
    values = struct.unpack(f"<{len(row) // 8}d", row)
    return struct.pack(f"<{len(values)}f", *map(_single, values))


def sample_data(
    columns: Sequence[Column], number: int, t: float, values: Sequence[float]
) -> dict[str, Any]:
    """One sample as a JSON object: quantities by name."""
    body: dict[str, Any] = {"seq": number, "t": t}
    start = 0
    for c in columns:
        body[c.name] = [_word(x) for x in values[start : start + c.size]]
        start += c.size
    return body


def _single(x: float) -> float:
    """Round x to what float32 can hold; more than that is infinite."""
    # 2^128 - 2^103: half a step above the largest float32
    return math.copysign(math.inf, x) if abs(x) >= 3.4028235677973366e38 else x


def _word(x: float) -> float | str | None:
    """A number for JSON, which has neither infinity nor NaN."""
    if math.isfinite(x):
        return x
    return None if math.isnan(x) else ("inf" if x > 0 else "-inf")


def _column(entry: object) -> Column:
    body = entry if isinstance(entry, dict) else {}
    name, units = body.get("name"), body.get("units")
    listed = isinstance(units, list) and all(isinstance(unit, str) for unit in units)
    if not isinstance(name, str) or not listed:
        expected = "a name and a list of units"
        raise InputError(f"hello: columns: expected {expected}, found {entry!r:.60}")
    if not units or len(name) > 100 or not name.isidentifier() or name in RESERVED:
        raise InputError(f"hello: columns: expected a name with units, found {entry!r:.60}")
    return Column(name, tuple(u[:40] for u in units))


def _limits(body: object, n: int) -> dict[str, tuple[float | None, ...]]:
    if not isinstance(body, dict) or len(body) > 100:
        raise InputError(f"hello: limits: expected an object, found {body!r:.60}")
    limits = {}
    for key, values in body.items():
        if not isinstance(values, list) or len(values) != n:
            raise InputError(f"hello: limits: {key!r:.40}: expected {n} numbers")
        limits[str(key)] = tuple(
            None if v is None else _number(v, f"limits: {key}") for v in values
        )
    return limits


def is_number(value: object) -> TypeGuard[float]:
    """Whether a JSON value is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a JSON value is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: object, where: str) -> float:
    if not is_number(value) or not abs(value) <= 1e300:
        raise InputError(f"hello: {where:.40}: expected a number, found {value!r:.40}")
    return float(value)


def _whole(body: dict[str, Any], key: str, low: int, high: int) -> int:
    value = body.get(key)
    if not is_whole(value) or not low <= value <= high:
        raise InputError(f"hello: {key}: expected {low} to {high}, found {value!r:.40}")
    return value


def _text(body: dict[str, Any], key: str, most: int) -> str:
    value = body.get(key, "")
    if not isinstance(value, str) or len(value) > most:
        raise InputError(f"hello: {key}: expected a text, found {value!r:.40}")
    return value
