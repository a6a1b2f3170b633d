"""Build the nodes of the syntax tree from what the grammar's rules match."""
# ruff: noqa: D102 (each method builds what the rule of its name in grammar.lark matches)

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import Any

from .. import syntax as tree
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


def named(token: Token) -> dict[str, Any]:
    """Name, spelling and place of what a token names, for its node."""
    return {"name": token.text.lower(), "text": token.text, "at": token.at}


def of_class(kind: type, children: Children) -> tuple[Any, ...]:
    """The children that a rule of this kind has made."""
    return tuple(child for child in children if type(child) is kind)


def listed(children: Children) -> tuple[Any, ...]:
    """The expressions of a list, without its commas and brackets (which are tokens)."""
    return tuple(child for child in children if type(child) is not Token)


class Builder:
    """Builds nodes, one method per rule of the grammar (or alias); stateless, to be shared."""

    def program(self, children: Children) -> tree.Program:
        (body,) = of_class(tuple, children)
        return tree.Program(
            children[1].text,
            declarations=tuple(chain(*of_class(list, children))),
            routines=of_class(tree.Routine, children),
            body=body,
            at=children[0].at,
        )

    def nothing(self, children: Children) -> None:
        return None

    def section(self, children: Children) -> list[Any]:
        constant = children[0].kind == "CONST"
        declarations = chain(*of_class(list, children))
        return [replace(node, constant=True) if constant else node for node in declarations]

    def routine(self, children: Children) -> tree.Routine:
        (body,) = of_class(tuple, children)
        return tree.Routine(
            **named(children[1]),
            parameters=tuple(chain(*of_class(Parameters, children))),
            result=next(iter(of_class(tree.TypeName, children)), None),
            declarations=tuple(chain(*of_class(list, children))),
            body=body,
        )

    def declaration(self, children: Children) -> list[tree.Declaration]:
        return [
            tree.Declaration(**named(name), type=children[0], value=value, constant=False)
            for name, value in listed(children[2:])
        ]

    def signal(self, children: Children) -> list[tree.SignalDeclaration]:
        direction, kind = children[1].text.lower(), children[2]
        return [
            tree.SignalDeclaration(**named(name), direction=direction, type=kind, value=value)
            for name, value in listed(children[4:])
        ]

    def item(self, children: Children) -> tuple[Any, Any]:
        return children[0], children[2] if len(children) > 2 else None

    def type(self, children: Children) -> tree.TypeName:
        last = children[-1]
        if len(children) == 1:
            return tree.TypeName(last.text.lower(), (), at=last.at)
        ranges = tuple(
            (None, low) if high is None else (low, high) for low, high in listed(children)
        )
        return tree.TypeName(last.text.lower(), ranges, at=children[0].at)

    range = item

    def parameters(self, children: Children) -> Parameters:
        return Parameters(node for group in listed(children) for node in group)

    def parameter(self, children: Children) -> list[tree.Parameter]:
        by_reference = type(children[0]) is Token
        kind, _, *names = children[1:] if by_reference else children
        return [
            tree.Parameter(**named(name), type=kind, by_reference=by_reference)
            for name in names[::2]
        ]

    def block(self, children: Children) -> tree.Block:
        return tuple(child for child in children if child is not None)

    def assign(self, children: Children) -> tree.Assign:
        return tree.Assign(children[0], children[2], at=children[0].at)

    def perform(self, children: Children) -> tree.Perform:
        return tree.Perform(children[0], at=children[0].at)

    def return_(self, children: Children) -> tree.Return:
        return tree.Return(children[1] if len(children) > 2 else None, at=children[0].at)

    def wait(self, children: Children) -> tree.Wait:
        return tree.Wait(children[1], at=children[0].at)

    def wait_for(self, children: Children) -> tree.WaitFor:
        return tree.WaitFor(children[2], at=children[0].at)

    def halt(self, children: Children) -> tree.HaltStatement:
        return tree.HaltStatement(at=children[0].at)

    def payload(self, children: Children) -> tree.PayloadStatement:
        center = children[3] if len(children) > 3 else None
        return tree.PayloadStatement(children[1], center, at=children[0].at)

    def payload_none(self, children: Children) -> tree.PayloadStatement:
        return tree.PayloadStatement(None, None, at=children[0].at)

    def turning(self, children: Children) -> tree.TurningStatement:
        return tree.TurningStatement(**named(children[1]))

    def if_(self, children: Children) -> tree.If:
        branches = ((children[1], children[3]), *map(tuple, of_class(Branch, children)))
        return tree.If(branches, _otherwise(children), at=children[0].at)

    def elsif(self, children: Children) -> Branch:
        return Branch((children[1], children[3]))

    def else_(self, children: Children) -> Else:
        return Else(children[1])

    def for_(self, children: Children) -> tree.For:
        first, last = children[3], children[5]
        step = children[7] if len(children) > 8 else None
        variable = self.name([children[1]])
        return tree.For(variable, first, last, step, children[-2], at=children[0].at)

    def while_(self, children: Children) -> tree.While:
        return tree.While(children[1], children[2], at=children[0].at)

    def repeat_(self, children: Children) -> tree.Repeat:
        return tree.Repeat(children[1], children[3], at=children[0].at)

    def case_(self, children: Children) -> tree.Case:
        branches = of_class(tree.When, children)
        return tree.Case(children[1], branches, _otherwise(children), at=children[0].at)

    def when(self, children: Children) -> tree.When:
        return tree.When(listed(children[1:-1]), children[-1], at=children[0].at)

    def move(self, children: Children) -> tree.MoveStatement:
        word, kind = children[0], children[1].text.lower()
        options = of_class(tree.Option, children)
        targets = tuple(child for child in listed(children) if type(child) is not tree.Option)
        return tree.MoveStatement(word.kind == "MOVE_INC", kind, targets, options, at=word.at)

    def option(self, children: Children) -> tree.Option:
        word, value = self.item(children)
        return tree.Option(**named(word), value=value)

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
        return tree.Number(int(children[0].text), at=children[0].at)

    def real(self, children: Children) -> tree.Number:
        return tree.Number(float(children[0].text), at=children[0].at)

    def text(self, children: Children) -> tree.Text:
        return tree.Text(children[0].text.strip('"'), at=children[0].at)

    def truth(self, children: Children) -> tree.Truth:
        return tree.Truth(children[0].kind == "TRUE", at=children[0].at)

    def tuple_(self, children: Children) -> tree.Group:
        return tree.Group(listed(children), at=children[0].at)

    def listing(self, children: Children) -> tree.Listing:
        return tree.Listing(listed(children), at=children[0].at)

    def inner(self, children: Children) -> tree.Expression:
        return children[1]  # type: ignore[no-any-return]

    def name(self, children: Children) -> tree.Name:
        return tree.Name(**named(children[0]))

    def call(self, children: Children) -> tree.Call:
        return tree.Call(**named(children[0]), arguments=listed(children[1:]))

    def index(self, children: Children) -> tree.Access:
        at = children[1].at
        return _select(children[0], tuple(tree.Index(i, at=at) for i in listed(children[1:])))

    def member(self, children: Children) -> tree.Access:
        word = children[2]
        return _select(children[0], (tree.Member(word.text.lower(), at=word.at),))


def _otherwise(children: Children) -> tree.Block:
    """The statements behind `else`, if there is one."""
    return tuple(chain(*of_class(Else, children)))


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
            values.append(tree.Unary(token.text.lower(), right, at=token.at))
        else:
            values.append(tree.Binary(token.text.lower(), values.pop(), right, at=token.at))

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
