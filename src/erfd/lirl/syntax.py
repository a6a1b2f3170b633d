"""The tree of a program: frozen nodes that know their place; equal trees are equal programs.

Names are folded to lower case, since the language does not tell cases apart; `text` keeps the
spelling for messages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from types import UnionType
from typing import Any, get_args

from .messages import Place

NOWHERE = Place(1, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Base of all nodes; `at` is its place in the text."""

    at: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelled(Node):
    """Anything with a name: `text` is the programmer's spelling."""

    text: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Number(Node):
    """A whole number or a real one."""

    value: int | float


@dataclass(frozen=True, slots=True)
class Text(Node):
    """A string between double quotes."""

    value: str


@dataclass(frozen=True, slots=True)
class Truth(Node):
    """`true` or `false`."""

    value: bool


@dataclass(frozen=True, slots=True)
class Name(Spelled):
    """A variable, constant, parameter, signal, or a routine called without arguments.

    Empty where the text has a gap that the parser filled.
    """

    name: str


@dataclass(frozen=True, slots=True)
class Call(Spelled):
    """A function, procedure or type with its arguments in parentheses."""

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Group(Node):
    """(x, y, z) or (position, orientation): two or more expressions in parentheses."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Listing(Node):
    """[a, b, c]: the elements of an array."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Unary(Node):
    """`-x`, `+x` or `not x`."""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """Two operands and their operator, at whose place the node stands."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Index(Node):
    """[i] behind a value, one element."""

    index: Expression


@dataclass(frozen=True, slots=True)
class Member(Node):
    """.name behind a value, one component."""

    name: str


@dataclass(frozen=True, slots=True)
class Access(Node):
    """A value and the way to a part of it, outermost selector first."""

    base: Expression
    selectors: tuple[Index | Member, ...]


Expression = Number | Text | Truth | Name | Call | Group | Listing | Unary | Binary | Access


@dataclass(frozen=True, slots=True)
class TypeName(Node):
    """A type; `ranges` are the bounds of an array, (None, high) for 1..high."""

    name: str
    ranges: tuple[tuple[Expression | None, Expression], ...] = ()


@dataclass(frozen=True, slots=True)
class Declaration(Spelled):
    """One variable or constant."""

    type: TypeName
    name: str
    value: Expression | None
    constant: bool


@dataclass(frozen=True, slots=True)
class SignalDeclaration(Spelled):
    """One signal, `in` or `out`; a digital one is bool, an analog one int or real."""

    direction: str
    type: TypeName
    name: str
    value: Expression | None


@dataclass(frozen=True, slots=True)
class Parameter(Spelled):
    """One parameter, by value or by reference (`var`)."""

    type: TypeName
    name: str
    by_reference: bool


@dataclass(frozen=True, slots=True)
class Assign(Node):
    """Give a variable, a part of one, or an output signal a value."""

    target: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class Perform(Node):
    """Call a procedure."""

    call: Expression


@dataclass(frozen=True, slots=True)
class If(Node):
    """Conditions with their statements, the first true one counts; then `else`."""

    branches: tuple[tuple[Expression, Block], ...]
    otherwise: Block


@dataclass(frozen=True, slots=True)
class For(Node):
    """Count a variable from `first` to `last`."""

    variable: Name
    first: Expression
    last: Expression
    step: Expression | None
    body: Block


@dataclass(frozen=True, slots=True)
class While(Node):
    """Repeat as long as the condition holds."""

    condition: Expression
    body: Block


@dataclass(frozen=True, slots=True)
class Repeat(Node):
    """Do it once, then again until the condition holds."""

    body: Block
    condition: Expression


@dataclass(frozen=True, slots=True)
class When(Node):
    """One branch of a case: labels (low, high or None) and statements."""

    labels: tuple[tuple[Expression, Expression | None], ...]
    body: Block


@dataclass(frozen=True, slots=True)
class Case(Node):
    """The first branch with a fitting label, else `otherwise`."""

    selector: Expression
    branches: tuple[When, ...]
    otherwise: Block


@dataclass(frozen=True, slots=True)
class Return(Node):
    """Leave a routine, a function with its value."""

    value: Expression | None


@dataclass(frozen=True, slots=True)
class Wait(Node):
    """Stand still, s."""

    seconds: Expression


@dataclass(frozen=True, slots=True)
class WaitFor(Node):
    """Stand still until the condition holds."""

    condition: Expression


@dataclass(frozen=True, slots=True)
class HaltStatement(Node):
    """End the program."""


@dataclass(frozen=True, slots=True)
class PayloadStatement(Node):
    """Carry a mass (kg) with its centre (mm, tool frame), or nothing (None)."""

    mass: Expression | None
    center: Expression | None


@dataclass(frozen=True, slots=True)
class TurningStatement(Spelled):
    """From here on the tool turns on paths as `name` says: `even` or `smooth`."""

    name: str


@dataclass(frozen=True, slots=True)
class Option(Spelled):
    """A word behind a move's target, with its value if it has one."""

    name: str
    value: Expression | None


@dataclass(frozen=True, slots=True)
class MoveStatement(Node):
    """`move` or (relative) `move_inc`."""

    relative: bool
    kind: str
    targets: tuple[Expression, ...]
    options: tuple[Option, ...]


Statement = (
    Assign
    | Perform
    | If
    | For
    | While
    | Repeat
    | Case
    | Return
    | Wait
    | WaitFor
    | HaltStatement
    | PayloadStatement
    | TurningStatement
    | MoveStatement
)
Block = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Routine(Spelled):
    """A procedure, or a function if it has a result."""

    name: str
    parameters: tuple[Parameter, ...]
    result: TypeName | None
    declarations: tuple[Declaration, ...]
    body: Block


@dataclass(frozen=True, slots=True)
class Program(Node):
    """A whole program; `source` is the text that it was read from."""

    name: str
    declarations: tuple[Declaration | SignalDeclaration, ...]
    routines: tuple[Routine, ...]
    body: Block
    source: str = field(default="", compare=False, repr=False)


def handlers(owner: object, nodes: UnionType) -> dict[type, Any]:
    """The methods of `owner` by the class of node that they are for: `_wait_for` for `WaitFor`.

    `nodes` is `Expression` or `Statement`; there has to be a method for each of its classes.
    """
    return {kind: getattr(owner, name) for kind, name in _handler_names(nodes)}


@cache
def _handler_names(nodes: UnionType) -> list[tuple[type, str]]:
    """The classes of nodes, each with the name of the method that is for it."""
    return [
        (kind, "_" + re.sub(r"\B([A-Z])", r"_\1", kind.__name__).lower())
        for kind in get_args(nodes)
    ]


def spine(node: Binary) -> tuple[Expression, list[Binary]]:
    """The first operand of a chain such as a + b - c, and its operators from left to right.

    They stand one inside the other on the left, as deep as the chain is long.
    """
    chain, first = [node], node.left
    while type(first) is Binary:
        chain.append(first)
        first = first.left
    return first, chain[::-1]
