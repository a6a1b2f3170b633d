"""Where in the text the values of moves stand, and how they are lowered without touching the rest.

A literal is replaced, a missing value added behind the move, an expression that gives several
values capped with `min`. Everything else stays as it is, line ends and a byte order mark included.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from ...lirl import syntax as tree
from ...lirl.analysis import everything, local_names
from ...lirl.messages import Place
from ...lirl.parser.scan import Token, scan
from ...lirl.syntax import MoveStatement, Program
from ...lirl.words import DEFAULTS, OPTIONS
from .values import Value

LINE_END = re.compile("\r\n|\r|\n")
MARK = "\ufeff"
"""The byte order mark with which some editors begin a file."""


Put = tuple[int, int, int, str]
"""New text in the place of some characters: line and column from 1, how many, the text."""
Given = Mapping[tuple[int, str], Collection[float]]
"""The values that the moves of a line have, by line and option, in the language's units."""


@dataclass(frozen=True, slots=True)
class TextEdit:
    """A value lowered in the text: what is put where, and in words.

    `how` says what is done, `before` and `after` are the value as the text has it, `lines` those of
    the moves that it lowers.
    """

    puts: tuple[Put, ...]
    option: str
    before: str
    after: str
    how: str
    lines: tuple[int, ...]


def plain(text: str) -> str:
    """A text as `read_text` gives it: without a mark of byte order, lines ended by a line feed."""
    return LINE_END.sub("\n", text.removeprefix(MARK))


def edited(text: str, edits: Iterable[TextEdit]) -> str:
    """A text with edits; line ends and a byte order mark stay as they are."""
    mark = MARK if text.startswith(MARK) else ""
    body = text.removeprefix(MARK)
    ends = [*LINE_END.findall(body), ""]
    lines = LINE_END.split(body)
    puts = [put for edit in edits for put in edit.puts]
    order = sorted(range(len(puts)), key=lambda k: (*puts[k][:2], k), reverse=True)
    for line, column, width, new in (puts[k] for k in order):
        old = lines[line - 1]
        lines[line - 1] = old[: column - 1] + new + old[column - 1 + width :]
    return mark + "".join(f"{line}{end}" for line, end in zip(lines, ends, strict=True))


class Places:
    """The places of a program's values in its text (with plain line ends)."""

    def __init__(self, program: Program, text: str):
        self.tokens = scan(text)[0]
        self.comments = [t.at for t in scan(text, comments=True)[0] if t.kind == "COMMENT"]
        self.at = {(token.line, token.column): k for k, token in enumerate(self.tokens)}
        self.moves: dict[int, list[MoveStatement]] = {}
        for node in everything(program):
            if isinstance(node, MoveStatement):
                self.moves.setdefault(node.at.line, []).append(node)
        self.program = program
        self.shared = dict(_declared_values(program))
        names = {d.name for d in program.declarations} | {r.name for r in program.routines}
        names |= {name for routine in program.routines for name in local_names(routine)}
        self.has_min = "min" not in names

    def grouped(self, indices: Mapping[Value, int]) -> dict[Value, int]:
        """Values that one variable gives, lowered where that is declared.

        That is right if all moves that use it are lowered, and in nothing else.
        """
        changed: dict[int, list[Value]] = {}
        for value in indices:
            for line in value.lines:
                changed.setdefault(line, []).append(value)
        result = dict(indices)
        for name, (declaration, option, lines) in self.shared.items():
            own = [v for line in lines for v in changed.get(line, []) if v.option == option]
            alone = all(len(changed.get(line, [])) == 1 for line in lines)
            if len(own) != len(lines) or not alone:
                continue
            assert isinstance(declaration.value, tree.Number)
            whole = declaration.type.name == "int"
            joint = Value(option, lines, float(declaration.value.value), name, whole)
            if float(joint.lowered(max(indices[v] for v in own))) > 0:
                result = {v: i for v, i in result.items() if v not in own}
                result[joint] = max(indices[v] for v in own)
        return result

    def edits(self, value: Value, index: int, given: Given) -> Iterable[TextEdit]:
        """How to lower a value to an index of `PARTS`."""
        text = value.lowered(index)
        if value.declared:
            number = self.shared[value.declared][0].value
            assert isinstance(number, tree.Number)
            how = f"where `{value.declared}` is declared, for all its uses"
            yield self._replaced(number.at, text, value, how)
            return
        (line,) = value.lines
        for node in self.moves[line]:
            if node.kind in OPTIONS[value.option].kinds:
                yield from self._move_edit(node, value, text, given[line, value.option])

    def _move_edit(
        self, node: MoveStatement, value: Value, text: str, given: Collection[float]
    ) -> Iterable[TextEdit]:
        """How to lower a value of one move statement."""
        option = next((o for o in node.options if o.name == value.option), None)
        if option is None:
            default = DEFAULTS.get(value.option)
            if default is None or default > float(text):
                last = self.tokens[self._end(node) - 1].behind
                put = (last.line, last.column, 0, f" {value.option}={text}")
                before = "" if default is None else f"{default:g}"
                yield TextEdit(
                    (put,), value.option, before, text, "written at the move", value.lines
                )
            return
        assert option.value is not None
        if isinstance(option.value, tree.Number):
            if option.value.value > float(text):
                yield self._replaced(option.value.at, text, value, "")
            return
        first = self.at[option.at.line, option.at.column] + 2  # behind the name and its `=`
        starts = [self.at[o.at.line, o.at.column] for o in node.options]
        end = min([k for k in starts if k > first] + [self._end(node)])
        tokens = self.tokens[first:end]
        source = _source(tokens)
        one = len(given) == 1 and len(self.moves[node.at.line]) == 1
        if one or not self.has_min:
            new = text if one else f"{min(float(text), *given):g}"
            how = f"a number in the place of `{source}`"
            how += "" if one else ", which has several values"
            yield TextEdit(
                tuple(self._instead(tokens, new)),
                value.option,
                f"{max(given):g}",
                new,
                how,
                value.lines,
            )
            return
        begin, behind = tokens[0].at, tokens[-1].behind
        puts = (
            (begin.line, begin.column, 0, "min("),
            (behind.line, behind.column, 0, f", {text})"),
        )
        how = f"`{source}` has several values: those above are capped"
        yield TextEdit(puts, value.option, f"{max(given):g}", text, how, value.lines)

    def _replaced(self, at: Place, text: str, value: Value, how: str) -> TextEdit:
        """A number of the text replaced by another."""
        token = self.tokens[self.at[at.line, at.column]]
        put = (token.line, token.column, token.width, text)
        return TextEdit((put,), value.option, token.text, text, how, value.lines)

    def _instead(self, tokens: list[Token], text: str) -> Iterable[Put]:
        """A text in the place of tokens; comments between them and ends of lines stay."""
        first, last = tokens[0], tokens[-1]
        begin, end = (first.line, first.column), (last.line, last.column)
        said = any(begin < (at.line, at.column) < end for at in self.comments)
        if first.line == last.line and not said:
            yield first.line, first.column, last.column + last.width - first.column, text
            return
        yield first.line, first.column, first.width, text
        for token in tokens[1:]:
            yield token.line, token.column, token.width, ""

    def _end(self, node: MoveStatement) -> int:
        """The index of the token `;` that ends a move statement."""
        k = self.at[node.at.line, node.at.column]
        while self.tokens[k].text != ";":
            k += 1
        return k


def _source(tokens: list[Token]) -> str:
    """The text of tokens of an expression, in one line."""
    text = ""
    for before, token in zip([None, *tokens[:-1]], tokens, strict=True):
        apart = before is not None and (before.behind != Place(token.line, token.column))
        text += f" {token.text}" if apart else token.text
    return text


def _declared_values(
    program: Program,
) -> Iterable[tuple[str, tuple[tree.Declaration, str, tuple[int, ...]]]]:
    """Numbers that are declared only to be one option of moves: what, which option, which lines."""
    uses: dict[str, int] = {}
    options: dict[str, list[tuple[str, int]]] = {}
    for node in everything(program):
        if isinstance(node, tree.Name | tree.Call):
            uses[node.name] = uses.get(node.name, 0) + 1
        if isinstance(node, MoveStatement):
            for option in node.options:
                if isinstance(option.value, tree.Name):
                    options.setdefault(option.value.name, []).append((option.name, node.at.line))
    hidden = {name for routine in program.routines for name in local_names(routine)}
    for declaration in program.declarations:
        if not isinstance(declaration, tree.Declaration) or declaration.name in hidden:
            continue
        own = options.get(declaration.name, [])
        number = isinstance(declaration.value, tree.Number)
        words = {option for option, _ in own}
        if number and len(words) == 1 and uses[declaration.name] == len(own):
            lines = tuple(sorted({line for _, line in own}))
            yield declaration.name, (declaration, own[0][0], lines)
