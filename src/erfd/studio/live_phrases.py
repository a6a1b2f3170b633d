"""Sentences about a live stream, whatever came over it."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from ..report.wording.texts import Words

if TYPE_CHECKING:
    from ..monitor.viewer.feed import FeedState

EVENTS = 6
"""The last events that are shown."""


def state_line(words: Words, state: FeedState) -> str:
    """Delay, mode, speed, line and overruns of a stream; or why there is none."""
    status = state.status
    if state.connection not in ("live", "silent"):
        return words.said(state.reason)
    parts = []
    if state.connection == "live" and state.delay is not None:
        # a controller stamps the end of its cycle, which may be ahead
        parts.append(words("live_delay", ms=f"{max(0.0, 1000 * state.delay):.0f}"))
    mode = words.known("mode", str(status.get("mode", ""))[:40])
    speed = speed_of(state)
    parts.append(mode if speed is None else f"{mode} {speed:.0f} %".strip())
    if line := number(status.get("line")):
        parts.append(f"{words('line')} {line:.0f}")
    if (overruns := number(status.get("overruns"))) is not None:
        parts.append(words("live_overruns", count=f"{overruns:.0f}"))
    return " · ".join(part for part in parts if part)


def speed_of(state: FeedState) -> float | None:
    """The speed override that the controller tells of, 0 to 100 %."""
    percent = number(state.status.get("speed"))
    return None if percent is None or not 0 <= percent <= 100 else percent


def alarms(words: Words, state: FeedState) -> list[tuple[str, str]]:
    """Lines below the diagrams, what is wrong first: a class of the style sheet, and the text."""
    lines = []
    for kind, count in sorted(state.counts.items()):
        text = f"{words('live_problem')}: {words.known('problem', kind)}, {count}"
        lines.append(("bad", text))
    for event in state.events[-EVENTS:][::-1]:
        t = number(event.get("t"))
        when = "" if t is None else f"{t:.2f} s · "
        level = {"alarm": "bad", "warning": "warn"}.get(str(event.get("level"))[:10], "")
        lines.append((level, when + words.said(f"{event.get('text', '')!s:.200}")))
    return lines


def number(value: object) -> float | None:
    """A number that can be shown; None for whatever else a stream may call one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) <= 1e15 and isfinite(value) else None
