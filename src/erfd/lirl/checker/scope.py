"""The names of a program, as the checker learns them, and its list of mistakes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from .. import syntax as tree
from ..functions import FUNCTIONS
from ..interpreter.evaluate import Evaluator, VariableCell
from ..messages import Mistake, Place, did_you_mean, mistake_at
from ..types import UNKNOWN, Array, Type, type_text
from ..values import Trouble
from ..words import MAX_ARRAY, MAX_ELEMENTS, MAX_MISTAKES

SymbolKind = Literal["variable", "constant", "parameter", "input", "output"]


@dataclass(frozen=True, slots=True)
class Symbol:
    """A declared name."""

    kind: SymbolKind
    type: Type
    at: Place


@dataclass(frozen=True, slots=True)
class Signature:
    """A routine as its callers see it; a procedure has no result."""

    node: tree.Routine
    parameters: tuple[tuple[Type, bool], ...]
    result: Type | None


class TooManyMistakes(Exception):  # noqa: N818
    """Ends the check: there are `MAX_MISTAKES` errors."""


class Scopes:
    """The names of the program and of the routine that is checked, and the mistakes.

    `lost` are names in parts of the text that could not be read: they are not reported.
    """

    def __init__(self, lost: set[str]):
        self.globals: dict[str, Symbol] = {}
        self.locals: dict[str, Symbol] = {}
        self.routines: dict[str, Signature] = {}
        self.lost = {*lost, ""}
        self.mistakes: list[Mistake] = []
        self.errors = self.warnings = 0
        self.constants = Evaluator()

    def error(self, at: Place, sentence: str, suggestion: str = "") -> None:
        """Note an error; `TooManyMistakes` if it is the last one that is listed."""
        self.mistakes.append(mistake_at(at, sentence, suggestion))
        self.errors += 1
        if self.errors >= MAX_MISTAKES:
            raise TooManyMistakes

    def warn(self, at: Place, sentence: str, suggestion: str = "") -> None:
        """Note a suspicion, unless there are many."""
        self.warnings += 1
        if self.warnings <= MAX_MISTAKES:
            self.mistakes.append(mistake_at(at, sentence, suggestion, "warning"))

    def find(self, name: str) -> Symbol | None:
        """The symbol of a name that is visible here, if any."""
        return self.locals.get(name) or self.globals.get(name)

    def declare(self, node: tree.Spelled, name: str, symbol: Symbol, local: bool) -> None:
        """Add a name to its scope; reported if it is declared already."""
        scope = self.locals if local else self.globals
        before = scope.get(name)
        if before is not None:
            self.error(node.at, f"`{node.text}` is declared already, in line {before.at.line}")
        elif not local and name in self.routines:
            line = self.routines[name].node.at.line
            self.error(node.at, f"`{node.text}` is a routine already, in line {line}")
        elif name:
            scope[name] = symbol
        self.remember(name, symbol.type, None, local)  # no constant, whatever it is outside

    def undeclared(self, node: tree.Spelled, name: str, what: str = "") -> None:
        """Report an unknown name, once."""
        if name in self.lost:
            return
        self.lost.add(name)
        candidates = [*self.locals, *self.globals, *self.routines, *FUNCTIONS]
        hint = did_you_mean(name, candidates)
        self.error(node.at, f"`{node.text}` is not declared{what}", hint)

    def constant(self, node: tree.Expression | None) -> Any:
        """The value of an expression that only has constants in it, else None."""
        if node is None:
            return None
        try:
            return self.constants.value(node)
        except Trouble:
            return None

    def remember(self, name: str, kind: Type, value: Any, local: bool) -> None:
        """Keep the value of a constant, for expressions that use it; None if it is none."""
        cells = self.constants.locals if local else self.constants.globals
        cells[name] = VariableCell(kind, value)

    def type_of(self, node: tree.TypeName) -> Type:
        """The type that a declaration names; array bounds have to be constant."""
        kind: Type = node.name
        for low, high in reversed(node.ranges):
            bounds = [1 if low is None else self.constant(low), self.constant(high)]
            if any(type(bound) is not int for bound in bounds):
                at = high.at if type(bounds[1]) is not int or low is None else low.at
                self.error(at, "the bounds of an array have to be constant whole numbers")
                return UNKNOWN
            first, last = bounds
            if not 0 < last - first + 1 <= MAX_ARRAY:
                count = last - first + 1
                self.error(high.at, f"an array has 1 to {MAX_ARRAY} elements, found {count}")
                return UNKNOWN
            kind = Array(kind, first, last)
            if kind.size > MAX_ELEMENTS:
                sentence = f"the arrays of the program have more than {MAX_ELEMENTS} elements"
                self.error(high.at, sentence)
                return UNKNOWN
        return kind

    def mismatch(self, at: Place, want: Type, have: Type, where: str = "") -> None:
        """Report a value of the wrong type."""
        hint = ""
        if want == "int" and have == "real":
            hint = "use `round(...)` or `trunc(...)`"
        elif want == "robtarg" and have in ("position", "pose", "triple", "pair"):
            hint = "use `robtarg(...)`"
        elif want == "joint" and have == "mainjoint":
            hint = "use `joint(...)`"
        elif want == "string":
            hint = "use `string(...)`" if have in ("int", "real", "bool") else ""
        self.error(at, f"{where}expected {type_text(want)}, found {type_text(have)}", hint)
