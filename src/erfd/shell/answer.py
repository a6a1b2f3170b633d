"""What a command gives back: lines for people, data for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from rich.text import Text

from .questions import Asker
from .session import ShellSession
from .variables import entry


@dataclass(frozen=True, slots=True)
class Answer:
    """`lines` are printed as they are, `data` goes into the JSON transcript."""

    lines: list[str | Text] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)
    quit: bool = False


@dataclass(frozen=True, slots=True)
class ShellCommand:
    """A command: its name, what may follow it, one line of help, the rest of it, its function."""

    name: str
    follows: str
    summary: str
    more: str
    run: Callable[[ShellSession, Asker, str], Answer]


def shown(session: ShellSession, names: Iterable[str], notes: Iterable[str] = ()) -> Answer:
    """The variables of these names, each in a line, and notes below them."""
    names = list(names)
    lines: list[str | Text] = [session.show(name) for name in names]
    data: dict[str, Any] = {name: entry(name, session.get(name), session.robot) for name in names}
    notes = list(notes)
    if notes:
        data["notes"] = notes
    return Answer([*lines, *notes], data)
