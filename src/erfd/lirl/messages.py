"""Mistakes of a program: where, what is wrong in one sentence, and what to write instead."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Literal, NamedTuple

from ..errors import ErfdError

Severity = Literal["error", "warning"]
LONG_LINE = 160
"""Characters of a line that are shown; of a longer one, so many around the mistake."""


class Place(NamedTuple):
    """Where something stands in the text: line and column from 1, and how many characters."""

    line: int
    column: int
    width: int = 1


@dataclass(frozen=True, slots=True, order=True)
class Mistake:
    """One mistake of a program, or a suspicion (`severity` "warning").

    `line` and `column` count from 1, `width` is in characters; `suggestion` may be empty. `str()`
    gives one line, `render` the line of the program with a caret.
    """

    line: int
    column: int
    sentence: str
    suggestion: str = ""
    width: int = 1
    severity: Severity = "error"

    def __str__(self) -> str:
        hint = f"; {self.suggestion}" if self.suggestion else ""
        return f"line {self.line}, column {self.column}: {self.sentence}{hint}"

    def render(self, source: str, file: str = "") -> str:
        """The mistake with its line of the program and a caret under the text.

        Args:
            source: the text of the whole program.
            file: its name, if it shall stand in front.

        Returns:
            Three lines of text.
        """
        lines = source.split("\n")
        line = lines[self.line - 1].rstrip("\r") if self.line <= len(lines) else ""
        start = min(self.column, len(line) + 1) - 1
        width = max(1, min(self.width, len(line) - start))
        line, start, width = _window(line, start, width)
        # tabs stay tabs, so that the caret is under the text however wide they are shown
        blank = "".join("\t" if c == "\t" else " " for c in line[:start])
        number = str(self.line)
        margin = " " * len(number)
        head = f"{file}:" if file else ""
        word = "warning: " if self.severity == "warning" else ""
        text = f"{head}{self.line}:{self.column}: {word}{self.sentence}"
        text += f"\n {number} | {line}\n {margin} | {blank}{'^' * width}"
        return f"{text} {self.suggestion}" if self.suggestion else text


def _window(line: str, start: int, width: int) -> tuple[str, int, int]:
    """The part of a long line around a mistake, and where the mistake is in that part."""
    if len(line) <= LONG_LINE:
        return line, start, width
    width = min(width, LONG_LINE // 2)
    first = max(0, min(start - LONG_LINE // 4, len(line) - LONG_LINE))
    left = "... " if first else ""
    right = " ..." if first + LONG_LINE < len(line) else ""
    return f"{left}{line[first : first + LONG_LINE]}{right}", start - first + len(left), width


def mistake_at(
    at: Place, sentence: str, suggestion: str = "", severity: Severity = "error"
) -> Mistake:
    """A mistake or a suspicion at this place."""
    return Mistake(at.line, at.column, sentence, suggestion, at.width, severity)


class ProgramError(ErfdError, ValueError):
    """A program that cannot be run; `mistakes` has all of them, in the order of the text."""

    def __init__(self, mistakes: list[Mistake], source: str = "", file: str = ""):
        self.mistakes = mistakes
        self.source = source
        self.file = file
        super().__init__(mistakes, source, file)

    def __str__(self) -> str:
        head = f"{self.file}: " if self.file else ""
        more = len(self.mistakes) - 1
        tail = f" (and {more} more mistake{'s' if more > 1 else ''})" if more else ""
        return f"{head}{self.mistakes[0]}{tail}"

    def render(self) -> str:
        """Every mistake with its line and a caret."""
        return "\n".join(m.render(self.source, self.file) for m in self.mistakes)


def nearest(word: str, candidates: Iterable[str], alike: float = 0.66) -> str:
    """The candidate that is most like this word, or an empty text."""
    import difflib

    if not 1 < len(word) < 60:
        return ""
    spare = max(1, len(word) // 2)  # words of another length are not like this one
    close = (other for other in candidates if abs(len(other) - len(word)) <= spare)
    near = difflib.get_close_matches(word.lower(), list(islice(close, 1000)), 1, cutoff=alike)
    return near[0] if near else ""


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """A suggestion, if a candidate is like this word; else an empty text."""
    near = nearest(word, candidates)
    return f"did you mean `{near}`?" if near else ""
