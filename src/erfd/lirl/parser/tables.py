"""Tables for scanner and parser: one pattern for all tokens, and the LALR(1) table by Lark.

The table is kept beside the grammar (`table_maker`). The loops that use it are ours, since they
have to go on after a mistake and to try repairs without building anything.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, NamedTuple

from ..words import KEYWORDS, KINDS, OPERATOR_WORDS, TYPES

WORDS = (
    {word: word.upper() for word in KEYWORDS}
    | dict.fromkeys(KINDS, "KIND")
    | dict.fromkeys(TYPES, "TYPE")
    | dict.fromkeys(OPERATOR_WORDS, "OPERATOR")
)
"""The terminal of every reserved word."""

END = "$END"


class Reduction(NamedTuple):
    """The use of a rule: how many values it takes, what they become, and the rule's name."""

    size: int
    build: Callable[[list[Any]], Any]
    name: str


@dataclass(frozen=True, slots=True)
class Tables:
    """`actions[state][terminal]` is the next state or a `Reduction`, `[state][rule]` a state."""

    pattern: re.Pattern[str]
    actions: tuple[dict[str, int | Reduction], ...]
    start: int
    end: int


@lru_cache(maxsize=1)
def tables() -> Tables:
    """The tables of the L-IRL grammar, made once per process."""
    from .build import Builder

    table, builder = _kept(), Builder()
    reductions = [_reduction(builder, *rule) for rule in table["rules"]]
    actions = tuple(
        {name: to if to >= 0 else reductions[-1 - to] for name, to in row.items()}
        for row in table["states"]
    )
    return Tables(re.compile(table["pattern"]), actions, 0, table["end"])


def grammar_text() -> str:
    """The grammar as it is written."""
    return resources.files(__package__).joinpath("grammar.lark").read_text("utf-8")


def fingerprint(grammar: str) -> str:
    """A checksum that tells whether a table belongs to a grammar."""
    return hashlib.sha256(grammar.encode()).hexdigest()


def _kept() -> dict[str, Any]:
    """The table in `grammar.json`; computed anew if that belongs to another grammar."""
    grammar = grammar_text()
    try:
        text = resources.files(__package__).joinpath("grammar.json").read_text("utf-8")
        table: dict[str, Any] = json.loads(text)
        if table["grammar"] == fingerprint(grammar):
            return table
    except (OSError, ValueError, KeyError):  # somebody is at work on it
        pass
    from .table_maker import compute_table

    return compute_table(grammar)


def _reduction(
    builder: Any, size: int, name: str, method: str | None, single: bool, lists: list[int]
) -> Reduction:
    """The use of a rule, with what it builds (see `table_maker.compute_table`)."""
    build: Callable[[list[Any]], Any] = _all
    if single and size == 1:
        build = _first
    elif method is not None:
        build = getattr(builder, method)
    return Reduction(size, _flattening(build, lists) if lists else build, name)


def _all(children: list[Any]) -> list[Any]:
    return children


def _first(children: list[Any]) -> Any:
    return children[0]


def _flattening(build: Callable[[list[Any]], Any], lists: list[int]) -> Callable[[list[Any]], Any]:
    """`build` for a rule whose values at the places `lists` are lists: it gets one flat list."""

    def flattening(children: list[Any]) -> Any:
        # a list that comes first is not copied: blocks grow by one statement at a time
        values: list[Any] = children[0] if 0 in lists else []
        for k, child in enumerate(children):
            if k not in lists:
                values.append(child)
            elif k:
                values += child
        return build(values)

    return flattening
