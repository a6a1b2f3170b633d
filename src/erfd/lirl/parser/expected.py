"""Phrases for messages: what was expected somewhere, and what stands there."""

from __future__ import annotations

from collections.abc import Sequence

from ..words import CLOSERS, KINDS
from .scan import Token
from .tables import END

SIGNS = {
    "SEMI": ";",
    "COLON": ":",
    "COMMA": ",",
    "LPAR": "(",
    "RPAR": ")",
    "LSQB": "[",
    "RSQB": "]",
    "ASSIGN": ":=",
    "EQUAL": "=",
    "DOTS": "..",
    "DOT": ".",
}
"""The text of the terminals that are signs."""

NAMED = {
    "NAME": "a name",
    "TYPE": "a type",
    "INT": "a number",
    "OPERATOR": "an operator",
    "KIND": ", ".join(f"`{kind}`" for kind in KINDS),
}
"""The terminals that have many texts."""

_EXPRESSION = {"INT", "REAL", "STRING", "TRUE", "FALSE", "NAME", "TYPE", "LPAR", "LSQB"}
_EXPRESSION |= {"SIGN", "NOT"}
_CLOSING = {word.upper() for word in CLOSERS.values()}


def text_of_kind(kind: str) -> str:
    """What a token of this kind looks like."""
    return SIGNS.get(kind, kind.lower())


def short(token: Token) -> str:
    """The text of a token, cut if it is long."""
    return token.text if len(token.text) <= 30 else f"{token.text[:27]}..."


def quoted(token: Token) -> str:
    """A token as the end of a sentence."""
    return "the end of the program" if token.kind == END else f"`{short(token)}`"


def expected(accepted: Sequence[str]) -> str:
    """What may come next, in a few words."""
    kinds = [kind for kind in accepted if kind not in ("ERROR", END)]
    words = []
    if "INT" in kinds:
        words.append("an expression")
        kinds = [kind for kind in kinds if kind not in _EXPRESSION]
    if {"HALT", "MOVE"} <= set(kinds):
        words.append("a statement")
        kinds = [kind for kind in kinds if kind in _CLOSING]
    if "OPERATOR" in kinds:
        kinds = [kind for kind in kinds if kind not in ("OPERATOR", "SIGN", "DOT", "LSQB")]
    words += [NAMED.get(kind, f"`{text_of_kind(kind)}`") for kind in kinds]
    words = words[:6] or ["something else"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def instead(accepted: Sequence[str]) -> str:
    """What would be right instead, as the end of a sentence, if that is little."""
    text = expected(accepted)
    return f", expected {text}" if text.count(",") < 2 else ""
