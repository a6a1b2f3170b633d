"""The verdict of a run, a verification or a kept run, and its events, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...run.events import ACCELERATION, LIMITS, RUN_AWAY, STOP, worst_event
from .texts import Words

if TYPE_CHECKING:
    from ...cell.contact import Contact
    from ...run.events import Event
    from ...run.run import Run


@dataclass(frozen=True, slots=True)
class Facts:
    """What a verdict is made of.

    `program` is the program's name, None for a motion without one; `deviation` how far the tool
    strays, m; `failures` are (line, sentence) of the planner. `line_at` gives the program line at
    a time in s, 0 if none is known. `loads` are sentences on continuous loads over their limits,
    the worst first; `not_checked` says what could not be looked at, which fails if `strict`.
    """

    robot: str
    feasible: bool
    seconds: float
    events: Sequence[Event] = ()
    deviation: float = 0.0
    program: str | None = None
    failures: Sequence[tuple[int, str]] = ()
    contacts: Sequence[Contact] = ()
    line_at: Callable[[float], int] = lambda time: 0
    loads: Sequence[str] = ()
    not_checked: Sequence[str] = ()
    strict: bool = False

    @property
    def failing(self) -> tuple[Event, ...]:
        """The events that make the run infeasible."""
        return tuple(event for event in self.events if event.fails)

    @property
    def worst(self) -> Event | None:
        """The event that is named: the one with the largest part of its limit, failures first."""
        return worst_event(self.events)

    def line_of(self, event: Event) -> int:
        """The program line of an event: that of its worst moment, 0 if none is known.

        Of runs of earlier versions, whose events do not say, that of its beginning.
        """
        return event.line or self.line_at(event.start)

    @property
    def first(self) -> str:
        """The reason that is named first, as it is called in the catalogue."""
        if self.failures:
            return "reach"
        if self.failing:
            return "not"
        if self.contacts:
            return "contact"
        if self.loads:
            return "load"
        if self.strict and self.not_checked:
            return "unchecked"
        return "feasible" if self.feasible else "not"


def run_facts(run: Run) -> Facts:
    """The facts of a run without a program."""
    t = run["t"]
    return Facts(
        run.robot.name, run.feasible, float(t[-1] - t[0]), run.events,
        float(run["deviation"][:, 0].max()),
    )  # fmt: skip


def verdict(words: Words, facts: Facts) -> str:
    """Whether it is feasible, and if not all that fails, in one sentence."""
    failing = facts.failing
    if facts.feasible:
        key = "verdict_motion" if facts.program is None else "verdict_program"
        seconds = f"{facts.seconds:.2f}"
        said = words(key, robot=facts.robot, program=facts.program, seconds=seconds)
        return said + _warned(words, facts)
    if facts.program is None and not (facts.contacts or facts.loads):
        kinds = ", ".join(words.known("kind", k) for k in sorted({e.kind for e in failing}))
        off = f"{1e3 * facts.deviation:.3g}"
        return words("verdict_motion_not", events=_events(words, failing), kinds=kinds, mm=off)
    reasons = [on_line(words, line, words.said(sentence)) for line, sentence in facts.failures]
    if (worst := facts.worst) is not None and worst.fails:
        said = event_text(words, worst)
        reasons.append(on_line(words, facts.line_of(worst), said) + _more(words, failing))
    for contact in facts.contacts[:1]:
        said = on_line(words, facts.line_at(contact.start), contact_text(words, contact))
        reasons.append(said + _more(words, facts.contacts))
    if facts.loads:
        reasons.append(words.said(facts.loads[0]) + _more(words, facts.loads))
    if facts.strict and facts.not_checked:
        reasons.append(not_checked_text(words, facts.not_checked))
    return words("verdict_program_not", reasons="; ".join(reasons))


def headline(words: Words, facts: Facts) -> str:
    """The verdict for one line of a page: only the reason that is named first."""
    worst, first = facts.worst, facts.first
    if first == "reach":
        sentence = words.said(facts.failures[0][1])
        return words("headline_reach", count=len(facts.failures), sentence=sentence)
    if first == "contact":
        contact = facts.contacts[0]
        return words(
            "headline_contact", count=len(facts.contacts), link=contact.link, thing=contact.thing,
            start=f"{contact.start:.2f}",
        )  # fmt: skip
    if first == "load":
        return words("verdict_program_not", reasons=words.said(facts.loads[0]))
    if first == "unchecked":
        reasons = not_checked_text(words, facts.not_checked)
        return words("verdict_program_not", reasons=reasons)
    if worst is None or not worst.fails:
        text = short_verdict(words, facts)
        if not facts.feasible:
            return text
        return f"{text}, {facts.seconds:.2f} s" + _warned(words, facts)
    line = facts.line_of(worst)
    return words(
        "headline_not", events=_events(words, facts.failing), joint=worst.joint,
        kind=words.known("kind", worst.kind), when=_span(worst),
        where=words("at_line", line=line) if line else "",
    )  # fmt: skip


def short_verdict(words: Words, facts: Facts) -> str:
    """The verdict in a word or two, for a list."""
    return words(f"short_{facts.first}")


def not_checked_text(words: Words, sentences: Sequence[str]) -> str:
    """What a verdict does not cover, in one line; empty if there is nothing to say."""
    return "; ".join(words.said(sentence) for sentence in sentences)


def event_text(words: Words, event: Event) -> str:
    """What happened at one event, and why; in English as `str(event)` says it."""
    kind = event.kind
    size, when = f"{event.missing:.3g} {event.unit}", _span(event)
    if kind == RUN_AWAY:
        key = "event_slides_away" if event.unit == "m/s" else "event_run_away"
        return words(key, joint=event.joint, missing=size, when=f"{event.end:.2f} s")
    if kind in (*LIMITS.values(), ACCELERATION):
        special = {LIMITS[STOP]: "event_stop", ACCELERATION: "event_acceleration"}
        key = special.get(kind, "event_beyond" if event.beyond else "event_speed")
        said = words(key, joint=event.joint, missing=size, when=when)
        return f"{said}; {words.known('kind', kind)}"
    key = "event_stall" if kind == "stall" else "event_torque" if event.missing else "event_full"
    text = words(key, joint=event.joint, missing=size, when=when)
    why = ", ".join(f"{words.known('cause', c)} {share:.0f} %" for c, share in event.shares)
    return f"{text}; {why}" if why else text


def contact_text(words: Words, contact: Contact) -> str:
    """What collides with what, and when; in English as `str(contact)` says it."""
    return words("contact_at", link=contact.link, thing=contact.thing, when=_span(contact))


def on_line(words: Words, line: int, sentence: str) -> str:
    """A sentence with the program line that it is about, if it is known."""
    return f"{words('line')} {line}: {sentence}" if line else sentence


def _more(words: Words, reasons: Sequence[object]) -> str:
    """How many more reasons of a kind there are than the one that is named."""
    return words("verdict_more", count=len(reasons) - 1) if len(reasons) > 1 else ""


def _events(words: Words, events: Sequence[object]) -> str:
    """How many events there are."""
    count = len(events)
    return words("one_event") if count == 1 else words("many_events", count=count)


def _warned(words: Words, facts: Facts) -> str:
    """How many events are warnings, behind a verdict."""
    count = len(facts.events) - len(facts.failing)
    return words("verdict_warnings", count=count) if count else ""


def _span(entry: Event | Contact) -> str:
    return f"{entry.start:.2f}-{entry.end:.2f} s"
