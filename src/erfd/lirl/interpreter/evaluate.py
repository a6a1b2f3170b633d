"""Evaluate expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import syntax as tree
from ..convert import convert, group
from ..functions import FUNCTIONS, call
from ..operators import apply, apply_prefix
from ..types import Array, Type
from ..values import (
    KIND_OF,
    ArrayValue,
    JointValue,
    MainJoint,
    RobotState,
    Trouble,
    kind_of,
    member,
    with_member,
)
from ..words import MEMBERS


class VariableCell:
    """Holds the type and value of a variable, constant, parameter or output signal."""

    __slots__ = ("type", "value")

    def __init__(self, kind: Type, value: Any = None):
        self.type, self.value = kind, value


class InputCell(VariableCell):
    """An input signal: its value comes from outside."""

    __slots__ = ("ask",)

    def __init__(self, kind: Type, ask: Callable[[], Any]):
        super().__init__(kind)
        self.ask = ask


Scope = dict[str, VariableCell]


class Evaluator:
    """Evaluates expressions over two scopes, the routine's and the program's.

    `invoke` runs a function of the program; `standing` is where the robot is, if that is known.
    """

    def __init__(self, invoke: Callable[[tree.Call | tree.Name], Any] | None = None):
        self.globals: Scope = {}
        self.locals: Scope = {}
        self.routines: dict[str, tree.Routine] = {}
        self.invoke = invoke
        self.standing: RobotState | None = None
        self._handlers = tree.handlers(self, tree.Expression)

    def value(self, node: tree.Expression) -> Any:
        """The value of an expression, in the units of the language."""
        try:
            return self._handlers[type(node)](node)
        except Trouble as trouble:
            raise trouble.located(node.at) from None

    def cell(self, name: str) -> VariableCell | None:
        """The variable of this name that is visible here."""
        return self.locals.get(name) or self.globals.get(name)

    def _number(self, node: tree.Number | tree.Text | tree.Truth) -> Any:
        return node.value

    _text = _truth = _number

    def _name(self, node: tree.Name) -> Any:
        cell = self.locals.get(node.name) or self.globals.get(node.name)
        if cell is None:
            return self._call(node)
        if type(cell) is InputCell:
            return cell.ask()
        if cell.value is None:
            raise Trouble(f"`{node.text}` has no value yet")
        return cell.value

    def _call(self, node: tree.Call | tree.Name) -> Any:
        if node.name in self.routines:
            if self.invoke is None:
                raise Trouble("not a constant")
            return self.invoke(node)
        if node.name not in FUNCTIONS:
            raise Trouble(f"`{node.text}` is not declared")
        if FUNCTIONS[node.name].asks and self.standing is None:
            raise Trouble(f"`{node.text}` is not known here")
        arguments = node.arguments if type(node) is tree.Call else ()
        values = [self.value(argument) for argument in arguments]
        return call(node.name, tuple(map(kind_of, values)), values, self.standing)

    def _group(self, node: tree.Group) -> Any:
        return group([self.value(item) for item in node.items])

    def _listing(self, node: tree.Listing) -> Any:
        return ArrayValue(1, [self.value(item) for item in node.items])

    def _unary(self, node: tree.Unary) -> Any:
        return apply_prefix(node.operator, self.value(node.operand))

    def _binary(self, node: tree.Binary) -> Any:
        first, chain = tree.spine(node)
        value = self.value(first)
        for part in chain:
            word = part.operator
            if (word == "and" and value is False) or (word == "or" and value is True):
                continue
            right = self.value(part.right)
            try:
                value = apply(word, value, right)
            except Trouble as trouble:
                raise trouble.located(part.at) from None
        return value

    def _access(self, node: tree.Access) -> Any:
        value = self.value(node.base)
        for selector in node.selectors:
            value = self._selected(value, selector)
        return value

    def part(self, node: tree.Access) -> tuple[tree.Access, Any]:
        """A part of a variable, its indices fixed, and its value; None if it has none yet."""
        value = self.value(node.base)
        fixed: list[tree.Index | tree.Member] = []
        for selector in node.selectors:
            if value is None:
                raise Trouble("this has no value yet").located(selector.at)
            if isinstance(selector, tree.Index):
                items, k = self.element(value, selector)
                first = value.low if isinstance(value, ArrayValue) else 1
                number = tree.Number(k + first, at=selector.at)
                fixed.append(tree.Index(number, at=selector.at))
                value = items[k]
            else:
                fixed.append(selector)
                value = self._selected(value, selector)
        return tree.Access(node.base, tuple(fixed), at=node.at), value

    def _selected(self, value: Any, selector: tree.Index | tree.Member) -> Any:
        if type(selector) is tree.Member:
            if value is None:
                raise Trouble("this element has no value yet").located(selector.at)
            try:
                return member(value, selector.name)
            except Trouble as trouble:
                raise trouble.located(selector.at) from None
        assert type(selector) is tree.Index
        items, k = self.element(value, selector)
        if items[k] is None:
            raise Trouble("this element has no value yet").located(selector.at)
        return items[k]

    def element(self, value: Any, selector: tree.Index) -> tuple[Any, int]:
        """The elements of an array or axes of a joint, and which of them is meant."""
        index = self.value(selector.index)
        if type(value) is ArrayValue:
            low, items, what = value.low, value.items, "elements"
        elif type(value) in (JointValue, MainJoint):
            low, items, what = 1, value.axes, "axes"
        else:
            raise Trouble("expected an array or a joint before `[`").located(selector.at)
        if type(index) is not int or not low <= index < low + len(items):
            span = f"the {what} have the numbers {low} to {low + len(items) - 1}"
            raise Trouble(f"there is no element {index}; {span}").located(selector.at)
        return items, index - low

    def store(self, target: tree.Expression, value: Any) -> VariableCell:
        """Assign to a variable or a part of one; returns the variable's cell."""
        selectors: tuple[tree.Index | tree.Member, ...] = ()
        base = target
        if isinstance(target, tree.Access):
            base, selectors = target.base, target.selectors
        assert isinstance(base, tree.Name)
        cell = self.cell(base.name)
        assert cell is not None
        if not selectors and KIND_OF.get(type(value)) == cell.type:
            cell.value = value
            return cell
        try:
            cell.value = self._updated(cell.value, cell.type, selectors, value)
        except Trouble as trouble:
            raise trouble.located(target.at) from None
        return cell

    def _updated(
        self, old: Any, kind: Type, selectors: tuple[tree.Index | tree.Member, ...], value: Any
    ) -> Any:
        if not selectors:
            return convert(value, kind)
        first, rest = selectors[0], selectors[1:]
        if old is None:
            raise Trouble("this has no value yet, so no part of it can change").located(first.at)
        if type(first) is tree.Member:
            assert isinstance(kind, str)
            part = None if not rest else member(old, first.name)
            inner = MEMBERS[kind][first.name]
            return with_member(old, first.name, self._updated(part, inner, rest, value))
        assert type(first) is tree.Index
        items, k = self.element(old, first)
        if isinstance(kind, Array):
            items[k] = self._updated(items[k], kind.element, rest, value)
            return old
        axes = [*items]
        axes[k] = convert(value, "real")
        return type(old)(tuple(axes))
