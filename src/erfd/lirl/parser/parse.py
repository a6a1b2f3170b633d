"""Parse L-IRL text into its syntax tree; after a mistake the text is repaired and read on."""

from __future__ import annotations

from dataclasses import replace

from ..messages import Mistake, mistake_at
from ..syntax import Program
from ..words import MAX_MISTAKES, MAX_NESTING
from .recovery import Repairer
from .scan import Token, scan
from .stack import Snapshot, Stack
from .tables import END

_OPENERS = {"LPAR", "LSQB", "IF", "FOR", "WHILE", "REPEAT", "CASE"}
_CLOSERS = {"RPAR", "RSQB", "ENDIF", "ENDFOR", "ENDWHILE", "UNTIL", "ENDCASE"}


def parse_with_mistakes(text: str) -> tuple[Program | None, list[Mistake], set[str]]:
    """Parse without checking: the tree (of the repaired text), the syntax mistakes, lost names.

    Lost are the names in parts that were skipped: they may have been declared there. There is no
    tree if the text is beyond repair or nested too deeply.
    """
    tokens, mistakes = scan(text)
    deep = _too_deep(tokens)
    if deep or (mistakes and len(tokens) == 1):
        return None, [*mistakes, *deep], set()
    stack = Stack()
    repairer = Repairer(stack, tokens)
    here: Snapshot | None = None
    before: Snapshot | None = None  # the parser before the token before, if that is a name
    i = 0
    while True:
        token = tokens[i]
        before, here = here, (stack.snapshot() if token.kind == "NAME" else None)
        if stack.feed(token):
            if token.kind == END:
                break
            i += 1
            continue
        i = repairer.repair(i, before)
        before = here = None
        if i < 0 or len(repairer.mistakes) >= MAX_MISTAKES:
            return None, mistakes + repairer.mistakes, repairer.lost
    program = stack.values[-1]
    assert isinstance(program, Program)
    return replace(program, source=text), mistakes + repairer.mistakes, repairer.lost


def _too_deep(tokens: list[Token]) -> list[Mistake]:
    """The place where brackets or blocks are nested too deeply, if there is one."""
    depth = 0
    previous = ""
    for token in tokens:
        kind = token.kind
        if kind in _OPENERS and not (kind == "FOR" and previous == "WAIT"):
            depth += 1
            if depth > MAX_NESTING:
                sentence = f"brackets and blocks are nested more than {MAX_NESTING} deep here"
                return [mistake_at(token.at, sentence, "use a variable or a procedure")]
        elif kind in _CLOSERS and depth:
            depth -= 1
        previous = kind
    return []
