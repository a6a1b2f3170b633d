"""The lines in which two texts differ, with their neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of two texts; its number, from 1, is that of the first text where it is gone there."""

    kind: Literal["same", "gone", "new"]
    number: int
    text: str


def line_diff(before: str, after: str, around: int = 1) -> list[list[DiffLine]]:
    r"""The places in which two texts differ, each with `around` lines before and behind it.

    >>> for line in line_diff("a\nb\nc", "a\nB\nc")[0]:
    ...     print(line.kind, line.number, line.text)
    same 1 a
    gone 2 b
    new 2 B
    same 3 c
    """
    old, new = before.split("\n"), after.split("\n")
    places = []
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(around):
        lines: list[DiffLine] = []
        for tag, first, last, begin, end in group:
            if tag == "equal":
                lines += [DiffLine("same", k + 1, new[k]) for k in range(begin, end)]
                continue
            lines += [DiffLine("gone", k + 1, old[k]) for k in range(first, last)]
            lines += [DiffLine("new", k + 1, new[k]) for k in range(begin, end)]
        places.append(lines)
    return places
