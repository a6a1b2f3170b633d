"""The grammar made ready: one pattern for all tokens, and the LALR(1) table that Lark computes.

Lark reads the grammar and computes the table. The loops that use them are ours, since they have to
go on after a mistake and to try repairs without building anything.
"""

from __future__ import annotations

import hashlib
import pickle
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, NamedTuple

from ..kernels import cache
from .words import KEYWORDS, KINDS, OPERATOR_WORDS, TYPES

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
    """The tables, made once in a process."""
    from lark.parsers.lalr_analysis import Shift

    lark = _lark()
    found: Any = lark.parse_interactive("").parser_state.parse_conf
    numbers = {state: number for number, state in enumerate(found.states)}

    def action(kind: Any, target: Any) -> int | Reduction:
        if kind is Shift:
            return numbers[target]
        return Reduction(len(target.expansion), found.callbacks[target], str(target.origin.name))

    # plain text as keys: Lark's own kind of text is slow to compare
    actions = tuple(
        {str(name): action(*entry) for name, entry in row.items()} for row in found.states.values()
    )
    written = [t for t in lark.terminals if t.pattern.value]
    written.sort(key=lambda t: (-t.priority, -t.pattern.max_width, -len(t.pattern.value)))
    pattern = "|".join(f"(?P<{t.name}>{t.pattern.to_regexp()})" for t in written)
    return Tables(
        re.compile(pattern), actions, numbers[found.start_state], numbers[found.end_state]
    )


def _lark() -> Any:
    """Lark with the grammar read and its table computed, from the cache folder if it is there."""
    import lark
    from lark.grammar import Rule
    from lark.lexer import TerminalDef

    from .build import Builder

    grammar = resources.files(__package__).joinpath("grammar.lark").read_text("utf-8")
    parts = ("lirl", grammar, lark.__version__, sys.version)
    key = hashlib.sha256(repr(parts).encode()).hexdigest()
    known = cache.read(key)
    if known is not None:
        # trusted as machine code is: the user's own file, whole (`kernels.cache`)
        load: Any = lark.Lark._load_from_dict
        return load(*pickle.loads(known[1]), transformer=Builder())
    made = lark.Lark(
        grammar,
        parser="lalr",
        lexer="basic",
        start="program",
        transformer=Builder(),
        maybe_placeholders=False,
    )
    label = {"robot": "-", "n": 0, "quantity": "L-IRL grammar", "method": "LALR(1)"}
    cache.write(key, label, pickle.dumps(made.memo_serialize([TerminalDef, Rule])))
    return made
