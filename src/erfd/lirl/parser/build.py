"""Build the nodes of the syntax tree from what the grammar's rules match."""
# ruff: noqa: D102 (each method builds what the rule of its name in grammar.lark matches)

from __future__ import annotations

from typing import Any

from .. import syntax as tree
from ..messages import Place
from ..words import NOT_STRENGTH, PRECEDENCE, SIGN_STRENGTH
from .scan import Token

Children = list[Any]


class Prefixed(tuple[Any, ...]):
    """Signs or `not` before an atom; what they apply to depends on the operators around."""


class Parameters(tuple[Any, ...]):
    """The parameters of a routine."""


class Branch(tuple[Any, ...]):
    """(condition, block) of an `elsif`."""


class Else(tuple[Any, ...]):
    """The block of an `else`."""


def place(token: Token) -> Place:
    """Where a token stands."""
    return Place(token.line, token.column, token.width or 1)


def listed(children: Children) -> tuple[Any, ...]:
    """The expressions of a list, without its commas and brackets (which are tokens)."""
    return tuple(child for child in children if type(child) is not Token)


class Builder:
    """Builds nodes, one method per rule of the grammar (or alias); stateless, to be shared."""

    def program(self, children: Children) -> tree.Program:
        first, name = children[0], children[1]
        declarations: list[Any] = []
        routines, body = [], ()
        for child in children[3:]:
            if type(child) is list:
                declarations += child
            elif type(child) is tree.Routine:
                routines.append(child)
            elif type(child) is tuple:
                body = child
        return tree.Program(name.text, tuple(declarations), tuple(routines), body, at=place(first))

    def nothing(self, children: Children) -> None:
        return None

    def section(self, children: Children) -> list[Any]:
        constant = children[0].kind == "CONST"
        declarations: list[Any] = []
        for child in children:
            if type(child) is list:
                declarations += child
        if not constant:
            return declarations
        return [
            tree.Declaration(d.type, d.name, d.value, True, text=d.text, at=d.at)
            for d in declarations
        ]

    def routine(self, children: Children) -> tree.Routine:
        name = children[1]
        parameters: tuple[Any, ...] = ()
        declarations: list[Any] = []
        result, body = None, ()
        for child in children[2:]:
            if type(child) is Parameters:
                parameters = tuple(child)
            elif type(child) is tree.TypeName:
                result = child
            elif type(child) is list:
                declarations += child
            elif type(child) is tuple:
                body = child
        return tree.Routine(
            name.text.lower(),
            parameters,
            result,
            tuple(declarations),
            body,
            text=name.text,
            at=place(name),
        )

    def declaration(self, children: Children) -> list[tree.Declaration]:
        kind = children[0]
        return [
            tree.Declaration(kind, name.text.lower(), value, False, text=name.text, at=place(name))
            for name, value in listed(children[2:])
        ]

    def signal(self, children: Children) -> list[tree.SignalDeclaration]:
        direction, kind = children[1], children[2]
        return [
            tree.SignalDeclaration(
                direction.text.lower(),
                kind,
                name.text.lower(),
                value,
                text=name.text,
                at=place(name),
            )
            for name, value in listed(children[4:])
        ]

    def item(self, children: Children) -> tuple[Token, Any]:
        return children[0], children[2] if len(children) > 2 else None

    def type(self, children: Children) -> tree.TypeName:
        last = children[-1]
        if len(children) == 1:
            return tree.TypeName(last.text.lower(), (), at=place(last))
        ranges = tuple(
            (None, low) if high is None else (low, high) for low, high in listed(children)
        )
        return tree.TypeName(last.text.lower(), ranges, at=place(children[0]))

    def range(self, children: Children) -> tuple[Any, Any]:
        return children[0], children[2] if len(children) > 2 else None

    def parameters(self, children: Children) -> Parameters:
        return Parameters(node for group in listed(children) for node in group)

    def parameter(self, children: Children) -> list[tree.Parameter]:
        by_reference = type(children[0]) is Token
        start = 1 if by_reference else 0
        kind = children[start]
        return [
            tree.Parameter(kind, name.text.lower(), by_reference, text=name.text, at=place(name))
            for name in children[start + 2 :: 2]
        ]

    def block(self, children: Children) -> tree.Block:
        return tuple(child for child in children if child is not None)

    def assign(self, children: Children) -> tree.Assign:
        return tree.Assign(children[0], children[2], at=children[0].at)

    def perform(self, children: Children) -> tree.Perform:
        return tree.Perform(children[0], at=children[0].at)

    def return_(self, children: Children) -> tree.Return:
        return tree.Return(children[1] if len(children) > 2 else None, at=place(children[0]))

    def wait(self, children: Children) -> tree.Wait:
        return tree.Wait(children[1], at=place(children[0]))

    def wait_for(self, children: Children) -> tree.WaitFor:
        return tree.WaitFor(children[2], at=place(children[0]))

    def halt(self, children: Children) -> tree.HaltStatement:
        return tree.HaltStatement(at=place(children[0]))

    def payload(self, children: Children) -> tree.PayloadStatement:
        center = children[3] if len(children) > 3 else None
        return tree.PayloadStatement(children[1], center, at=place(children[0]))

    def payload_none(self, children: Children) -> tree.PayloadStatement:
        return tree.PayloadStatement(None, None, at=place(children[0]))

    def if_(self, children: Children) -> tree.If:
        branches = [(children[1], children[3])]
        otherwise: tree.Block = ()
        for child in children[4:]:
            if type(child) is Branch:
                branches.append((child[0], child[1]))
            elif type(child) is Else:
                otherwise = child[0]
        return tree.If(tuple(branches), otherwise, at=place(children[0]))

    def elsif(self, children: Children) -> Branch:
        return Branch((children[1], children[3]))

    def else_(self, children: Children) -> Else:
        return Else((children[1],))

    def for_(self, children: Children) -> tree.For:
        first, last = children[3], children[5]
        step = children[7] if len(children) > 8 else None
        variable = self.name([children[1]])
        return tree.For(variable, first, last, step, children[-2], at=place(children[0]))

    def while_(self, children: Children) -> tree.While:
        return tree.While(children[1], children[2], at=place(children[0]))

    def repeat_(self, children: Children) -> tree.Repeat:
        return tree.Repeat(children[1], children[3], at=place(children[0]))

    def case_(self, children: Children) -> tree.Case:
        branches, otherwise = [], ()
        for child in children[3:]:
            if type(child) is tree.When:
                branches.append(child)
            elif type(child) is Else:
                otherwise = child[0]
        return tree.Case(children[1], tuple(branches), otherwise, at=place(children[0]))

    def when(self, children: Children) -> tree.When:
        return tree.When(listed(children[1:-1]), children[-1], at=place(children[0]))

    def move(self, children: Children) -> tree.MoveStatement:
        word, kind = children[0], children[1]
        targets, options = [], []
        for child in children[2:]:
            if type(child) is tree.Option:
                options.append(child)
            elif type(child) is not Token:
                targets.append(child)
        relative = word.kind == "MOVE_INC"
        return tree.MoveStatement(
            relative, kind.text.lower(), tuple(targets), tuple(options), at=place(word)
        )

    def option(self, children: Children) -> tree.Option:
        word = children[0]
        value = children[2] if len(children) > 2 else None
        return tree.Option(word.text.lower(), value, text=word.text, at=place(word))

    def single(self, children: Children) -> tree.Expression:
        only = children[0]
        return _climb([only]) if type(only) is Prefixed else only

    def chained(self, children: Children) -> tree.Expression:
        return _climb(children[0])

    def sequence(self, children: Children) -> Children:
        first = children[0]
        if type(first) is list:
            first.append(children[1])
            first.append(children[2])
            return first
        return children

    def prefixed(self, children: Children) -> Prefixed:
        return Prefixed(children)

    def whole(self, children: Children) -> tree.Number:
        return tree.Number(int(children[0].text), at=place(children[0]))

    def real(self, children: Children) -> tree.Number:
        return tree.Number(float(children[0].text), at=place(children[0]))

    def text(self, children: Children) -> tree.Text:
        return tree.Text(children[0].text.strip('"'), at=place(children[0]))

    def truth(self, children: Children) -> tree.Truth:
        return tree.Truth(children[0].kind == "TRUE", at=place(children[0]))

    def tuple_(self, children: Children) -> tree.Group:
        return tree.Group(listed(children), at=place(children[0]))

    def listing(self, children: Children) -> tree.Listing:
        return tree.Listing(listed(children), at=place(children[0]))

    def inner(self, children: Children) -> tree.Expression:
        return children[1]  # type: ignore[no-any-return]

    def name(self, children: Children) -> tree.Name:
        token = children[0]
        return tree.Name(token.text.lower(), text=token.text, at=place(token))

    def call(self, children: Children) -> tree.Call:
        token = children[0]
        return tree.Call(token.text.lower(), listed(children[1:]), text=token.text, at=place(token))

    def index(self, children: Children) -> tree.Access:
        at = place(children[1])
        return _select(children[0], tuple(tree.Index(i, at=at) for i in listed(children[1:])))

    def member(self, children: Children) -> tree.Access:
        word = children[2]
        return _select(children[0], (tree.Member(word.text.lower(), at=place(word)),))


def _select(base: Any, selectors: tuple[tree.Index | tree.Member, ...]) -> tree.Access:
    if type(base) is tree.Access:
        return tree.Access(base.base, base.selectors + selectors, at=base.at)
    return tree.Access(base, selectors, at=base.at)


def _climb(items: Children) -> tree.Expression:
    """The tree of operands and operators in a row, by precedence."""
    values: list[Any] = []
    waiting: list[tuple[int, Token, bool]] = []  # strength, operator, whether it is a prefix

    def reduce() -> None:
        _, token, prefix = waiting.pop()
        right = values.pop()
        if prefix:
            values.append(tree.Unary(token.text.lower(), right, at=place(token)))
        else:
            values.append(tree.Binary(token.text.lower(), values.pop(), right, at=place(token)))

    for item in items:
        if type(item) is Token:
            strength = PRECEDENCE[item.text.lower()]
            while waiting and waiting[-1][0] >= strength:
                reduce()
            waiting.append((strength, item, False))
        elif type(item) is Prefixed:
            tight = bool(waiting) and waiting[-1][0] > SIGN_STRENGTH
            for token in item[:-1]:
                sign = NOT_STRENGTH if tight else SIGN_STRENGTH
                waiting.append((sign if token.kind == "SIGN" else NOT_STRENGTH, token, True))
            values.append(item[-1])
        else:
            values.append(item)
    while waiting:
        reduce()
    return values[0]  # type: ignore[no-any-return]
