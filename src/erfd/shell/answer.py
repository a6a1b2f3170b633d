"""Commands of the shell and their answers: lines for people, data for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from rich.text import Text

from .questions import Asker
from .session import ShellSession
from .variables import variable_data


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a command: `lines` to print as they are, `data` for the JSON transcript."""

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


def show_variables(
    session: ShellSession, names: Iterable[str], notes: Iterable[str] = ()
) -> Answer:
    """The answer with these variables, each in a line, and notes below them."""
    names = list(names)
    lines: list[str | Text] = [session.show(name) for name in names]
    data: dict[str, Any] = {
        name: variable_data(name, session.get(name), session.robot) for name in names
    }
    notes = list(notes)
    if notes:
        data["notes"] = notes
    return Answer([*lines, *notes], data)
