"""L-IRL for the editor: words, mistakes, names, formatting."""

from __future__ import annotations

import re
from typing import Any

_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")


def editor_words() -> dict[str, list[str]]:
    """The words of L-IRL, grouped by their colour in the editor."""
    from ..lirl import words

    about: Any = words.language_description()
    moves = ["move", "move_inc", *words.KINDS, "wait", "payload", "turning", "halt"]
    settings = list(about["options"])
    choices = [c for option in about["options"].values() for c in option["choices"]]
    choices += about["turnings"]
    keywords = [word for word in about["keywords"] if word not in moves]
    return {
        "keywords": keywords,
        "types": list(about["types"]),
        "moves": moves,
        "settings": settings,
        "functions": list(about["functions"]),
        "constants": choices,
    }


def marks(text: str, robot: Any = None) -> list[dict[str, Any]]:
    """Every mistake of the program as the editor shows it."""
    from ..lirl.checker.check import check

    markers = []
    for mistake in check(text, robot):
        hint = f"; {mistake.suggestion}" if mistake.suggestion else ""
        markers.append(
            {
                "line": mistake.line,
                "column": mistake.column,
                "length": mistake.width,
                "severity": mistake.severity,
                "message": mistake.sentence + hint,
            }
        )
    return markers


def names(text: str) -> list[str]:
    """The names that a program declares or uses, for completion."""
    bare = re.sub(r"\{[^}]*\}|//[^\n]*|\"[^\"\n]*\"", " ", text)
    language_words = {word for group in editor_words().values() for word in group}
    own_names = {word for word in _NAME.findall(bare) if word.lower() not in language_words}
    return sorted(own_names)[:1000]


def formatted(text: str) -> str:
    """The program as `erfd lirl format` writes it; a wrong program is a `ProgramError`."""
    from ..lirl.format import format_program

    return format_program(text)
