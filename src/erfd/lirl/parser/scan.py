"""Split a text into tokens; characters and numbers that cannot be are reported."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..messages import Mistake, Place, mistake_at
from ..words import MAX_INT, MAX_MISTAKES, MAX_STRING, MAX_TEXT
from .tables import END, WORDS, tables

_HINTS = {
    "{": ("this comment is never closed", "put a `}` at its end, or take the `{` away"),
    "}": ("this `}` closes no comment", ""),
    "!": ("unexpected character `!`", "use `not`, or `<>` for unequal"),
    "'": ("unexpected character `'`", 'texts stand between double quotes: "..."'),
    "^": ("unexpected character `^`", "powers are written `**`"),
    "@": ("unexpected character `@`", "poses are multiplied with `*`"),
    "&": ("unexpected character `&`", "use `and`"),
    "|": ("unexpected character `|`", "use `or`"),
    "%": ("unexpected character `%`", "use `mod`"),
}
_MEANT = {"^": "**", "@": "*", "&": "and", "|": "or", "%": "mod"}
"""Signs of other languages, and the operator that goes on being read in their place."""


class Token:
    """A word, number or sign of the text, `width` characters wide; 0 if it fills a gap."""

    __slots__ = ("column", "kind", "line", "text", "width")

    def __init__(self, kind: str, text: str, line: int, column: int, width: int):
        self.kind, self.text, self.line, self.column = kind, text, line, column
        self.width = width

    @property
    def at(self) -> Place:
        """Where it stands."""
        return Place(self.line, self.column, self.width or 1)

    @property
    def behind(self) -> Place:
        """Where it ends."""
        return Place(self.line, self.column + self.width)

    def __repr__(self) -> str:
        return f"{self.kind} {self.text!r} at {self.line}:{self.column}"


def scan(text: str, comments: bool = False) -> tuple[list[Token], list[Mistake]]:
    """The tokens of a text (the last one is `END`) and the mistakes in them.

    Comments are left out, unless `comments` is true.
    """
    if len(text) > MAX_TEXT:
        sentence = f"the program has {len(text)} characters, expected at most {MAX_TEXT}"
        return [Token(END, "", 1, 1, 0)], [Mistake(1, 1, sentence)]
    match_at = tables().pattern.match
    tokens: list[Token] = []
    mistakes: list[Mistake] = []
    position, line, line_start = 0, 1, 0
    last_close = text.rfind("}")  # no comment is closed behind it: do not look for its end again
    while position < len(text):
        if text[position] == " ":  # half of all that the pattern would find
            position += 1
            continue
        open_comment = position > last_close and text[position] == "{"
        match = None if open_comment else match_at(text, position)
        column = position - line_start + 1
        if match is None:
            wrong = text[position]
            if len(mistakes) < MAX_MISTAKES:
                mistakes.append(_stray(wrong, Place(line, column)))
            if wrong in _MEANT:
                tokens.append(Token("OPERATOR", _MEANT[wrong], line, column, 1))
            position += 1
            continue
        kind, value = match.lastgroup or "", match.group()
        start, position = position, match.end()
        if kind == "NAME":
            tokens.append(Token(WORDS.get(value.lower(), "NAME"), value, line, column, len(value)))
            continue
        if kind == "SPACE" or kind == "COMMENT":
            if comments and kind == "COMMENT":
                tokens.append(Token(kind, value, line, column, len(value)))
            count = value.count("\n")
            if count:
                line += count
                line_start = start + value.rindex("\n") + 1
            continue
        if kind == "STRING" and value[-1] != '"' and value.rstrip().endswith(";"):
            value = value.rstrip()[:-1]  # the `;` belongs to the statement
            position = start + len(value)
        token = Token(kind, value, line, column, len(value))
        check = _CHECKS.get(kind)
        if check is not None and len(mistakes) < MAX_MISTAKES:
            check(token, mistakes)
        tokens.append(token)
    last = tokens[-1].behind if tokens else Place(1, 1)
    tokens.append(Token(END, "", last.line, last.column, 0))
    return tokens, mistakes


def _stray(wrong: str, at: Place) -> Mistake:
    text = wrong if wrong.isprintable() else f"U+{ord(wrong):04X}"
    sentence, hint = _HINTS.get(wrong, (f"unexpected character `{text}`", ""))
    return mistake_at(at, sentence, hint)


def _whole(token: Token, mistakes: list[Mistake]) -> None:
    if len(token.text) > 16 or int(token.text) > MAX_INT:
        sentence = f"this number is too large, expected at most {MAX_INT}"
        mistakes.append(mistake_at(token.at, sentence))
        token.text = "0"


def _real(token: Token, mistakes: list[Mistake]) -> None:
    if len(token.text) > 60 or not math.isfinite(float(token.text)):
        sentence = "this number is too large or has too many digits"
        mistakes.append(mistake_at(token.at, sentence))
        token.text = "0.0"


def _string(token: Token, mistakes: list[Mistake]) -> None:
    length = len(token.text) - 2
    if length < 0 or token.text[-1] != '"':
        mistakes.append(mistake_at(token.at, "this text is not closed", 'put a `"` at its end'))
    elif length > MAX_STRING:
        sentence = f"this text has {length} characters, expected at most {MAX_STRING}"
        mistakes.append(mistake_at(token.at, sentence))
        token.text = '""'


_CHECKS: dict[str, Callable[[Token, list[Mistake]], None]] = {
    "INT": _whole,
    "REAL": _real,
    "STRING": _string,
}
