"""Read the frames of a stream; what is wrong is counted and left out, nothing is raised.

| kind of problem | what came | what is done |
|---|---|---|
| `garbage` | no JSON, unknown type, cut or padded frame | the frame is left out |
| `hello` | samples before a hello, a hello that cannot be | nothing is taken before a good one |
| `wrong n` | samples of another width, a robot of another n | the frame is left out |
| `not a number` | NaN in a sample, or q that is not finite | the sample is left out |
| `missing` | sequence numbers that never came | counted |
| `duplicate` | sequence numbers that came before | the sample is left out |
| `time` | time that stands, goes back or jumps ahead | back: left out; ahead: counted |
| `restart` | ten frames in a row were old | history begins anew |
| `oversize` | a frame above the limit | the connection is closed and made anew |
"""

from __future__ import annotations

import json
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...ground.arrays import Array
from ..protocol import (
    FORMS,
    HEADER,
    MAGIC,
    MAX_BATCH,
    MAX_FRAME,
    MAX_TEXT,
    VERSION,
    Hello,
    is_number,
    is_whole,
    read_hello,
)

MESSAGES = ("event", "status", "reply", "pong", "bye")
OLD_FRAMES = 10
"""So many frames of old samples in a row mean that the publisher began anew without a hello."""
LARGEST_JUMP = 0.25
"""Seconds (at least 10 dt) by which time may run ahead of the sequence numbers."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that was wrong with a stream: its kind, one sentence, and when (unix time)."""

    kind: str
    text: str
    time: float


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Good samples of a frame: sequence numbers (N,), times (N,) in s, rows (N, w)."""

    numbers: NDArray[np.int64]
    t: Array
    rows: Array

    def __len__(self) -> int:
        return len(self.t)


@dataclass(frozen=True, slots=True)
class Message:
    """A JSON object other than hello and state."""

    kind: str
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Restart:
    """From here on the samples belong to another history."""


Item = Hello | Batch | Message | Restart


class Reader:
    """Reads one stream: `read(frame)` gives what is good in a frame.

    `counts` are problems by kind (the table above), `problems` the last ones.

    Args:
        n: Number of joints to expect; any if left out.
        clock: Unix time, s, for the problems.
    """

    def __init__(self, n: int | None = None, *, clock: Callable[[], float] = time.time):
        self.expected, self.clock = n, clock
        self.hello: Hello | None = None
        self.counts: Counter[str] = Counter()
        self.problems: deque[Problem] = deque(maxlen=100)
        self.frames = self.samples = 0
        self.last_number, self.last_time = -1, -np.inf
        self._last_event = -1
        self._old_frames = 0
        self._greeted = False

    def connected(self) -> None:
        """Note a new connection, which has to begin with a hello."""
        self._greeted = False

    def report(self, kind: str, text: str, count: int = 1) -> None:
        """Count a problem and keep its sentence."""
        self.counts[kind] += count
        self.problems.append(Problem(kind, text[:MAX_TEXT], self.clock()))

    def read(self, frame: str | bytes) -> list[Item]:
        """Read a frame.

        Args:
            frame: A text frame (JSON) or a binary one (samples).

        Returns:
            What is good in it, in its order: a `Hello`, `Batch`, `Message` or `Restart`.
        """
        self.frames += 1
        if len(frame) > MAX_FRAME:
            self.report("oversize", f"frame: expected at most {MAX_FRAME} bytes, got {len(frame)}")
            return []
        if not isinstance(frame, str):
            return self._binary(bytes(frame))
        try:
            body = json.loads(frame)
        except (ValueError, RecursionError):
            self.report("garbage", f"text frame: expected JSON, found {frame[:40]!r}")
            return []
        if not isinstance(body, dict) or not isinstance(body.get("type"), str):
            self.report(
                "garbage", f"text frame: expected an object with a type, got {frame[:40]!r}"
            )
            return []
        if body["type"] == "hello":
            return self._hello(body)
        if body["type"] == "state":
            return self._state(body)
        if body["type"] == "event" and not self._new_event(body):
            return []
        if body["type"] in MESSAGES:
            return [Message(body["type"], body)]
        self.report("garbage", f"text frame: unknown type {body['type'][:40]!r}")
        return []

    def _hello(self, body: dict[str, Any]) -> list[Item]:
        self._greeted = False
        try:
            hello = read_hello(body)
        except InputError as error:
            self.report("hello", str(error))
            return []
        if self.expected is not None and hello.n != self.expected:
            found = f"{hello.n}, {hello.robot[:40]!r}"
            self.report("wrong n", f"hello: expected a robot of n = {self.expected}, found {found}")
            return []
        old = self.hello
        self._greeted = True
        if old is not None and (old.session, old.columns) == (hello.session, hello.columns):
            return []  # the same stream again: sequence numbers go on
        self.hello = hello
        self.last_number, self.last_time, self._last_event, self._old_frames = -1, -np.inf, -1, 0
        return [hello]

    def _new_event(self, body: dict[str, Any]) -> bool:
        """Whether an event is new: after a reconnection they come again."""
        number = body.get("number")
        if not is_whole(number):
            return True
        if number <= self._last_event:
            return False
        self._last_event = min(number, 2**62)
        return True

    def _binary(self, frame: bytes) -> list[Item]:
        if len(frame) < HEADER.size:
            self.report("garbage", f"binary frame: {len(frame)} bytes are too few for a header")
            return []
        magic, version, form, width, count, session, first = HEADER.unpack_from(frame)
        if magic != MAGIC or version != VERSION or form not in FORMS.values():
            self.report("garbage", f"binary frame: expected ERFM {VERSION}, found {frame[:6]!r}")
            return []
        hello = self._current("binary frame")
        if hello is None:
            return []
        if width != hello.width or session != hello.session:
            found = f"{width} of session {session}"
            wanted = f"{hello.width} numbers of session {hello.session}"
            self.report("wrong n", f"binary frame: expected {wanted}, found {found}")
            return []
        size = 8 if form == FORMS["f64"] else 4
        length = HEADER.size + count * (8 + width * size)
        if count > MAX_BATCH or length != len(frame) or first + count > 2**62:
            self.report("garbage", f"binary frame: expected {length} bytes, found {len(frame)}")
            return []
        t = np.frombuffer(frame, "<f8", count, HEADER.size)
        rows = np.frombuffer(frame, f"<f{size}", count * width, HEADER.size + 8 * count)
        with np.errstate(invalid="ignore"):  # a signalling NaN is counted like any other
            table = rows.reshape(count, width).astype(np.float64)
        return self._take(first + np.arange(count, dtype=np.int64), t.astype(np.float64), table)

    def _state(self, body: dict[str, Any]) -> list[Item]:
        hello = self._current("state")
        entries = body.get("samples")
        if hello is None:
            return []
        if not isinstance(entries, list) or len(entries) > MAX_BATCH:
            self.report("garbage", f"state: expected a list of samples, found {entries!r:.40}")
            return []
        good = []
        for entry in entries:
            try:
                good.append(_row(entry, hello))
            except InputError as error:
                self.report("wrong n" if "numbers" in str(error) else "garbage", str(error))
        if not good:
            return []
        numbers, t, rows = zip(*good, strict=True)
        return self._take(np.array(numbers, dtype=np.int64), np.array(t), np.array(rows))

    def _current(self, what: str) -> Hello | None:
        if not self._greeted:
            self.report("hello", f"{what}: expected a good hello before it")
            return None
        return self.hello

    def _take(self, numbers: NDArray[np.int64], t: Array, rows: Array) -> list[Item]:
        """Take the samples that are new, in order and finite."""
        assert self.hello is not None
        bad = ~np.isfinite(t) | (np.abs(t) > 1e12) | np.isnan(rows).any(axis=1)
        joint_slice = self.hello.places.get("q")
        if joint_slice is not None:
            bad |= ~np.isfinite(rows[:, joint_slice]).all(axis=1)
        if bad.any():
            first = int(numbers[bad.argmax()])
            self.report("not a number", f"sample {first}: expected finite numbers", int(bad.sum()))
        old, back = 0, 0
        keep = []
        items: list[Item] = []
        for k in np.flatnonzero(~bad):
            number, moment = int(numbers[k]), float(t[k])
            if number <= self.last_number:
                old += 1
                continue
            if moment <= self.last_time:
                back += 1
                continue
            self._step(number, moment)
            keep.append(k)
        if old:
            text = f"sample {int(numbers[0])}: came before, the last was {self.last_number}"
            self.report("duplicate", text, old)
        if back:
            self.report("time", f"t = {t[-1]:g} s: came after t = {self.last_time:g} s", back)
        if (old or back) and not keep:
            self._old_frames += 1
            if self._old_frames >= OLD_FRAMES:
                self.report("restart", f"{OLD_FRAMES} frames in a row were old: begun anew")
                self.last_number, self.last_time, self._old_frames = -1, -np.inf, 0
                items.append(Restart())
        elif keep:
            self._old_frames = 0
            self.samples += len(keep)
            items.append(Batch(numbers[keep], t[keep], rows[keep]))
        return items

    def _step(self, number: int, moment: float) -> None:
        """Go on to a sample; report what is missing before it, and a jump in time."""
        assert self.hello is not None
        dt = self.hello.dt
        if self.last_number >= 0:
            gap = number - self.last_number - 1
            if gap:
                text = f"samples {self.last_number + 1} to {number - 1} did not come"
                self.report("missing", text, gap)
            jump = moment - self.last_time - dt * (gap + 1)
            if jump > max(10 * dt, LARGEST_JUMP):
                was = f"{self.last_time:g} s"
                self.report("time", f"time jumped from {was} to {moment:g} s in {gap + 1} samples")
        self.last_number, self.last_time = number, moment


def _row(entry: object, hello: Hello) -> tuple[int, float, list[float]]:
    """Sequence number, time and values of a JSON sample."""
    if not isinstance(entry, dict):
        raise InputError(f"state: expected an object, found {entry!r:.40}")
    number, t = entry.get("seq"), entry.get("t")
    if not is_whole(number) or not 0 <= number < 2**62:
        raise InputError(f"state: seq: expected a count, found {number!r:.40}")
    values = []
    for column in hello.columns:
        numbers = entry.get(column.name)
        if not isinstance(numbers, list) or len(numbers) != column.size:
            expected = f"{column.size} numbers"
            raise InputError(f"state: {column.name}: expected {expected}, found {numbers!r:.40}")
        values += [_float(x) for x in numbers]
    return number, _float(t), values


def _float(x: object) -> float:
    """A number of a JSON sample; NaN for whatever is none."""
    if x in ("inf", "-inf"):
        return float(str(x))
    try:
        return float(x) if is_number(x) else float("nan")
    except OverflowError:
        return float("nan")
