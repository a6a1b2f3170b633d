"""Put a move into a program at a place where a statement may stand: the grammar knows where."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import InputError
from ..lirl.parser.parse import parse_with_mistakes
from ..lirl.parser.scan import Token, scan

OPENS = ("SEQ", "THEN", "ELSE", "REPEAT")
"""Words behind which a statement may begin, as behind a semicolon."""
TRIES = 40


def insert_move(text: str, line: int, move: str, name: str = "taught") -> tuple[str, int]:
    """A program with one more move, behind a line of it or as near to there as can be.

    A text without a program becomes one, its comments kept. Behind the end of all bodies, or
    before them, the move comes last in the program's body.

    Args:
        text: The program.
        line: The line of the cursor, from 1.
        move: The move, with its semicolon.
        name: The name of a program that is made.

    Returns:
        The text, and the line of the move.

    >>> insert_move("", 1, "move ptp a;")[0].splitlines()
    ['program taught;', 'seq', '  move ptp a;', 'endseq', 'endprogram']
    """
    tokens, mistakes = scan(text)
    if not any(token.kind in ("PROGRAM", "SEQ") for token in tokens):
        if mistakes or len(tokens) > 1:
            raise InputError("the move has no place: expected a program or an empty text")
        head = f"{text.rstrip()}\n" if text.strip() else ""
        whole = f"{head}program {name};\nseq\n  {move}\nendseq\nendprogram\n"
        return whole, head.count("\n") + 3
    before = len(parse_with_mistakes(text)[1])
    starts = _starts(text)
    for token, _ in zip(_places(tokens, line), range(TRIES), strict=False):
        behind = starts[token.line - 1] + token.column - 1 + token.width
        end = text.find("\n", behind)
        indent = _indent(text, starts[token.line - 1], token)
        for at in (len(text) if end < 0 else end, behind):
            found = f"{text[:at]}\n{indent}{move}{_rest(text, at, indent)}"
            if _is_one_more(tokens, before, found):
                return found, found.count("\n", 0, at) + 2
    raise InputError("the move has no place: expected a program with a body from seq to endseq")


def _places(tokens: list[Token], line: int) -> Iterator[Token]:
    """Tokens behind which a statement may stand: up to the line, back to front, then the last."""
    inside, last = False, 0
    found: list[Token] = []
    body: list[Token] = []
    for token in tokens:
        if token.kind == "SEQ":
            inside, body = True, []
        if token.kind == "ENDSEQ":
            inside = False
            if token.line >= line > 0 and found and last < line <= token.line:
                break
            found, last = [], token.line
        elif inside and (token.kind == "SEMI" or token.kind in OPENS):
            body.append(token)
            if token.line <= line:
                found.append(token)
    yield from reversed(found)
    yield from reversed(body)


def _is_one_more(tokens: list[Token], before: int, text: str) -> bool:
    """Whether this text has one move more, outside of comments, and no new mistake."""
    now, _ = scan(text)
    if _moves(now) != _moves(tokens) + 1:
        return False
    return len(parse_with_mistakes(text)[1]) <= before


def _moves(tokens: list[Token]) -> int:
    return sum(token.kind == "MOVE" for token in tokens)


def _starts(text: str) -> list[int]:
    """Where each line begins."""
    starts = [0]
    starts += [i + 1 for i, c in enumerate(text) if c == "\n"]
    return starts


def _indent(text: str, start: int, token: Token) -> str:
    """The blanks before the statements there."""
    line = text[start:].split("\n", 1)[0]
    blanks = line[: len(line) - len(line.lstrip(" \t"))]
    return f"{blanks}  " if token.kind in OPENS else blanks or "  "


def _rest(text: str, at: int, indent: str) -> str:
    """What was behind the place: on a line of its own if it stood on the same one."""
    rest = text[at:]
    return rest if not rest or rest.startswith("\n") else f"\n{indent}{rest.lstrip(' ')}"
