"""The values of moves that say how fast they are, and a program text in which they are others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

from ...lirl.analysis import everything
from ...lirl.parser.scan import Token, scan
from ...lirl.syntax import MoveStatement, Program
from ...planning.moves import Move, Step

MoveKey = tuple[int, bool]
"""Which moves have values in common: the line that they stand at, and whether they are `ptp`."""
Values = Mapping[MoveKey, tuple[float, float]]
"""Speed and acceleration of moves: mm/s, mm/s2, or parts of the axes' limits."""
NAMES = {"ptp": ("speed_ptp", "acc_ptp"), "lin": ("speed", "acc"), "circle": ("speed", "acc")}
LEAST = {True: 0.001, False: 0.1}
"""The steps in which the values are written, and the least of them; of `ptp`, and of others."""


def key_of(move: Move) -> MoveKey:
    """Of which moves a move is one."""
    return move.line, move.kind == "ptp"


def values_of(move: Move) -> tuple[float, float]:
    """Speed and acceleration of a move, as the language writes them."""
    if move.kind == "ptp":
        return move.speed_ptp, move.acc_ptp
    return 1000 * move.speed, 1000 * move.acc


def rounded(ptp: bool, values: tuple[float, float]) -> tuple[float, float]:
    """The values as they are written: rounded down, and within what is allowed."""
    step = LEAST[ptp]
    whole = [max(int(value / step + 1e-6), 1) for value in values]
    most = 1.0 if ptp else 1e6
    first, second = (min(round(k * step, 3), most) for k in whole)
    return first, second


def changed(step: Step, values: Values) -> Step:
    """A step with the values of its moves."""
    if not isinstance(step, Move) or key_of(step) not in values:
        return step
    speed, acc = values[key_of(step)]
    if step.kind == "ptp":
        return replace(step, speed_ptp=speed, acc_ptp=acc)
    return replace(step, speed=speed / 1000, acc=acc / 1000)


def rewritten(text: str, program: Program, values: Values) -> str:
    """The text with these values behind its moves; all else stays as it is.

    What a variable or an expression gave becomes a number at the move.
    """
    tokens = scan(text)[0]
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    at = {(token.line, token.column): k for k, token in enumerate(tokens)}
    puts: list[tuple[int, int, str]] = []
    for node in everything(program):
        if not isinstance(node, MoveStatement):
            continue
        key = node.at.line, node.kind == "ptp"
        if key in values:
            first = at[node.at.line, node.at.column]
            pairs = zip(NAMES[node.kind], values[key], strict=True)
            puts += _puts(tokens, first, node, dict(pairs), starts)
    for low, high, new in sorted(puts, reverse=True):
        text = text[:low] + new + text[high:]
    return text


def _puts(
    tokens: list[Token], first: int, node: MoveStatement, given: dict[str, float], starts: list[int]
) -> Iterator[tuple[int, int, str]]:
    """What is put from where to where in the text, for one move."""

    def place(token: Token) -> int:
        return starts[token.line - 1] + token.column - 1

    end = next(k for k in range(first, len(tokens)) if tokens[k].kind == "SEMI")
    begins = {(option.at.line, option.at.column): option.name for option in node.options}
    options = [k for k in range(first, end) if (tokens[k].line, tokens[k].column) in begins]
    found = set()
    for k, behind in pairwise([*options, end]):
        name = begins[tokens[k].line, tokens[k].column]
        if name in given:
            found.add(name)
            last = tokens[behind - 1]
            yield place(tokens[k + 2]), place(last) + last.width, f"{given[name]:.10g}"
    more = "".join(f" {name}={value:.10g}" for name, value in given.items() if name not in found)
    last = tokens[end - 1]
    if more:
        where = place(last) + last.width
        yield where, where, more
