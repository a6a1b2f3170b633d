"""The last samples, events and status that the server process keeps for its viewers.

Every viewer has a position in the same ring. One that is slow falls behind; when the ring runs
over its position, it goes on with the oldest that is left and the rest is counted as dropped. So
memory is bounded, however many watch and however slow they are, and nobody waits for anybody.
"""

from __future__ import annotations

import json
import struct
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from ..protocol import Hello, frame_bytes, sample_data, singles

SAMPLES = 1 << 23
"""Numbers of float64 in the ring: 64 MB; at most `ROWS` samples."""
ROWS, EVENTS, BATCH = 8192, 256, 500


@dataclass(slots=True)
class ViewerPosition:
    """What a viewer gets next: sample and event (counted from the start); what it has lost."""

    sample: int
    event: int
    dropped: int = 0
    status: int = -1


@dataclass(slots=True)
class Sample:
    """A sample in the ring; its float32 and JSON forms are made once, when first asked for."""

    number: int
    t: float
    row: bytes
    single: bytes = b""
    text: str = ""


@dataclass(slots=True)
class Hub:
    """The ring of samples with events and status; for one thread only."""

    hello: Hello
    arrived: int = 0
    event_count: int = 0
    status: dict[str, Any] = field(default_factory=dict)
    status_count: int = 0
    events: deque[str] = field(default_factory=lambda: deque(maxlen=EVENTS))
    ring: list[Sample] = field(default_factory=list)
    size: int = 0
    _frames: dict[str, tuple[int, int, int, str | bytes]] = field(default_factory=dict)
    """The last frame of each form: first and last sample that were asked for, the next, bytes."""

    def __post_init__(self) -> None:
        self.size = max(64, min(ROWS, SAMPLES // self.hello.width))

    def add(self, number: int, t: float, row: bytes) -> None:
        """Put a sample into the ring; the oldest goes."""
        entry = Sample(number, t, row)
        if len(self.ring) < self.size:
            self.ring.append(entry)
        else:
            self.ring[self.arrived % self.size] = entry
        self.arrived += 1

    def say(self, body: dict[str, Any]) -> None:
        """Keep an event, numbered, or the newest status."""
        if body.get("type") == "status":
            self.status, self.status_count = body, self.status_count + 1
            return
        self.events.append(json.dumps(body | {"number": self.event_count}))
        self.event_count += 1

    @property
    def oldest(self) -> int:
        """The count of the oldest sample that is left."""
        return self.arrived - len(self.ring)

    def place(self, resume: int | None) -> ViewerPosition:
        """The position of a new viewer: now, or after the sequence number that it had last."""
        start = self.arrived
        if resume is not None:
            while start > self.oldest and self.ring[(start - 1) % self.size].number > resume:
                start -= 1
        return ViewerPosition(start, max(0, self.event_count - len(self.events)))

    def texts(self, position: ViewerPosition, viewers: int) -> list[str]:
        """The events and the status that are new to a viewer."""
        messages = []
        if position.status != self.status_count and self.status:
            position.status = self.status_count
            extra = {"viewers": viewers, "dropped": position.dropped}
            messages.append(json.dumps(self.status | extra))
        waiting = min(self.event_count - position.event, len(self.events))
        if waiting:
            messages += list(self.events)[-waiting:]
        position.event = self.event_count
        return messages

    def frame(self, position: ViewerPosition, form: str) -> str | bytes | None:
        """The next frame for a viewer, None if nothing is new; its position moves on."""
        if position.sample < self.oldest:
            position.dropped += self.oldest - position.sample
            position.sample = self.oldest
        end = min(self.arrived, position.sample + BATCH)
        if position.sample == end:
            return None
        cached = self._frames.get(form)  # most viewers want what another has just had
        if cached is None or cached[:2] != (position.sample, end):
            cached = self._frames[form] = (
                position.sample,
                end,
                *self._frame(position.sample, end, form),
            )
        position.sample, frame = cached[2:]
        return frame

    def _frame(self, start: int, end: int, form: str) -> tuple[int, str | bytes]:
        """Samples from start on, up to end or a gap: where the next frame begins, and this one."""
        entries = [self.ring[k % self.size] for k in range(start, end)]
        first = entries[0].number
        for k, entry in enumerate(entries):
            if entry.number != first + k:  # a frame has no gaps
                entries = entries[:k]
                break
        after = start + len(entries)
        if form == "json":
            texts = ", ".join(map(self._text, entries))
            return after, f'{{"type": "state", "samples": [{texts}]}}'
        rows = [e.row if form == "f64" else _single(e) for e in entries]
        times = [e.t for e in entries]
        session, width = self.hello.session, self.hello.width
        return after, frame_bytes(session, width, first, times, rows, form)

    def _text(self, sample: Sample) -> str:
        if not sample.text:
            values = struct.unpack(f"<{self.hello.width}d", sample.row)
            body = sample_data(self.hello.columns, sample.number, sample.t, values)
            sample.text = json.dumps(body, allow_nan=False)
        return sample.text


def _single(sample: Sample) -> bytes:
    if not sample.single:
        sample.single = singles(sample.row)
    return sample.single
