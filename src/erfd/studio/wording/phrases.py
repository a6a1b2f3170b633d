"""Sentences about runs: verdicts and events, in the language of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...run.events import LIMITS
from .texts import Words

if TYPE_CHECKING:
    from ...run.events import Event
    from ..runs.open_runs import OpenRun
    from ..runs.store import About


def event_text(words: Words, event: Event) -> str:
    """What happened at one event, and why."""
    when = f"{event.start:.2f}-{event.end:.2f} s"
    kind = words.known("kind", event.kind)
    if event.kind in LIMITS.values():
        missing = f"{event.missing:.3g} rad/s"
        return words("event_speed", joint=event.joint, missing=missing, when=when, kind=kind)
    shares = ", ".join(f"{words.known('cause', c)} {share:.0f} %" for c, share in event.shares)
    key = "event_stall" if event.kind == "stall" else "event_torque"
    text = words(key, joint=event.joint, missing=f"{event.missing:.3g} N m", when=when)
    return f"{text}; {shares}" if shares else text


def verdict(words: Words, open_run: OpenRun) -> str:
    """The run in one line: feasible, or what fails first, and where."""
    about = open_run.about
    if about.failures:
        first = about.failures[0]
        return words(
            "verdict_reach", count=len(about.failures), sentence=words.said(first["sentence"])
        )
    if about.contacts:
        first = about.contacts[0]
        return words(
            "verdict_contact",
            count=len(about.contacts),
            link=first["link"],
            thing=first["thing"],
            start=f"{first['start']:.2f}",
        )
    events = open_run.file.events
    if not events:
        return words("verdict_feasible", seconds=f"{about.seconds:.2f}")
    worst = max(events, key=lambda event: event.end - event.start)
    line = line_at(about, worst.start)
    where = words("at_line", line=line) if line else ""
    return words(
        "verdict_not",
        count=len(events),
        joint=worst.joint,
        kind=words.known("kind", worst.kind),
        when=f"{worst.start:.2f}-{worst.end:.2f} s",
        where=where,
    )


def short_verdict(words: Words, about: About) -> str:
    """The verdict of a kept run in a word or two, for a list."""
    if about.failures:
        return words("short_reach")
    if about.contacts:
        return words("short_contact")
    return words("short_feasible" if about.feasible else "short_not")


def line_at(about: About, t: float) -> int:
    """The line of the program that moves the robot at time t; 0 if none is known."""
    for move in about.moves:
        if move["start"] <= t < move["end"]:
            return int(move["line"])
    return 0
