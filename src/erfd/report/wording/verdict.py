"""The verdict of a run, a verification or a kept run, and its events, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...run.events import LIMITS
from .texts import Words

if TYPE_CHECKING:
    from ...cell.clearance import Contact
    from ...run.events import Event
    from ...run.run import Run


@dataclass(frozen=True, slots=True)
class Facts:
    """What a verdict is made of.

    `program` is the program's name, None for a motion without one; `deviation` how far the tool
    strays, m; `failures` are (line, sentence) of the planner. `line_at` gives the program line at
    a time in s, 0 if none is known.
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

    @property
    def worst(self) -> Event | None:
        """The event that is named: the one that lacks most."""
        return max(self.events, key=lambda event: event.missing, default=None)

    @property
    def first(self) -> str:
        """The reason that is named first, as it is called in the catalogue."""
        if self.failures:
            return "reach"
        if self.contacts and not self.events:
            return "contact"
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
    if facts.feasible:
        key = "verdict_motion" if facts.program is None else "verdict_program"
        seconds = f"{facts.seconds:.2f}"
        return words(key, robot=facts.robot, program=facts.program, seconds=seconds)
    if facts.program is None:
        kinds = ", ".join(words.known("kind", k) for k in sorted({e.kind for e in facts.events}))
        off = f"{1e3 * facts.deviation:.3g}"
        return words("verdict_motion_not", count=len(facts.events), kinds=kinds, mm=off)
    reasons = [on_line(words, line, words.said(sentence)) for line, sentence in facts.failures]
    if (worst := facts.worst) is not None:
        others = len(facts.events) - 1
        more = words("verdict_more", count=others) if others else ""
        reasons.append(on_line(words, facts.line_at(worst.start), event_text(words, worst)) + more)
    reasons += [contact_text(words, contact) for contact in facts.contacts[:1]]
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
    if worst is None:
        text = short_verdict(words, facts)
        return f"{text}, {facts.seconds:.2f} s" if facts.feasible else text
    line = facts.line_at(worst.start)
    return words(
        "headline_not", count=len(facts.events), joint=worst.joint,
        kind=words.known("kind", worst.kind), when=_span(worst),
        where=words("at_line", line=line) if line else "",
    )  # fmt: skip


def short_verdict(words: Words, facts: Facts) -> str:
    """The verdict in a word or two, for a list."""
    return words(f"short_{facts.first}")


def event_text(words: Words, event: Event) -> str:
    """What happened at one event, and why; in English as `str(event)` says it."""
    limit = event.kind in LIMITS.values()
    key = "event_speed" if limit else "event_stall" if event.kind == "stall" else "event_torque"
    missing = f"{event.missing:.3g} {event.unit if limit else 'N m'}"
    text = words(key, joint=event.joint, missing=missing, when=_span(event))
    causes = (f"{words.known('cause', c)} {share:.0f} %" for c, share in event.shares)
    why = words.known("kind", event.kind) if limit else ", ".join(causes)
    return f"{text}; {why}" if why else text


def contact_text(words: Words, contact: Contact) -> str:
    """What collides with what, and when; in English as `str(contact)` says it."""
    return words("contact_at", link=contact.link, thing=contact.thing, when=_span(contact))


def on_line(words: Words, line: int, sentence: str) -> str:
    """A sentence with the program line that it is about, if it is known."""
    return f"{words('line')} {line}: {sentence}" if line else sentence


def _span(entry: Event | Contact) -> str:
    return f"{entry.start:.2f}-{entry.end:.2f} s"
