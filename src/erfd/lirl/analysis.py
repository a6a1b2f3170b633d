"""Analyse a program: which expressions read the clock, signals or the robot's place, and more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from functools import cache
from typing import Any

from . import syntax as tree
from .functions import FUNCTIONS
from .words import PRECEDENCE

LONGEST = 40
"""Characters of an expression in a message, at most."""
ASKING = {name for name, function in FUNCTIONS.items() if function.asks}
"""The functions that need to know where the robot is, or what time it is."""
_ACTING = (
    *(tree.MoveStatement, tree.Wait, tree.WaitFor, tree.HaltStatement),
    *(tree.PayloadStatement, tree.TurningStatement),
)


def everything(*nodes: Any) -> Iterator[tree.Node]:
    """These nodes, or tuples of nodes, and all nodes inside them, in no special order."""
    waiting = [*nodes]
    while waiting:
        node = waiting.pop()
        if type(node) is tuple:
            waiting.extend(node)
        elif isinstance(node, tree.Node):
            yield node
            inside = _contents(type(node))  # type: ignore[arg-type]  # classes have a hash
            waiting.extend(getattr(node, name) for name in inside)


@cache
def _contents(kind: type[tree.Node]) -> tuple[str, ...]:
    """The fields of a class of nodes that may hold nodes: not its place, nor its spelling."""
    return tuple(field.name for field in fields(kind) if field.compare)


def carries(program: tree.Program) -> bool:
    """Whether there is a statement that gives the robot a payload."""
    payloads = (n for n in everything(program) if isinstance(n, tree.PayloadStatement))
    return any(node.mass is not None for node in payloads)


def outputs(program: tree.Program) -> set[str]:
    """The names of the output signals."""
    signals = (s for s in program.declarations if isinstance(s, tree.SignalDeclaration))
    return {s.name for s in signals if s.direction == "out"}


def local_names(routine: tree.Routine) -> set[str]:
    """The names that a routine declares for itself."""
    return {p.name for p in routine.parameters} | {d.name for d in routine.declarations}


def acts(node: tree.Node, acting: set[str], signals: set[str]) -> bool:
    """Whether a node itself moves the robot, lets time pass or sets one of the signals."""
    if isinstance(node, tree.Assign):
        return isinstance(node.target, tree.Name) and node.target.name in signals
    if isinstance(node, tree.Perform):
        return isinstance(node.call, tree.Name | tree.Call) and node.call.name in acting
    return isinstance(node, _ACTING)


def spread(first: set[str], calls: dict[str, set[str]]) -> set[str]:
    """The routines in `first` and all that call one of them, directly or through others."""
    callers: dict[str, list[str]] = {}
    for caller, called in calls.items():
        for name in called:
            callers.setdefault(name, []).append(caller)
    reached, waiting = set(first), list(first)
    while waiting:
        for caller in callers.get(waiting.pop(), ()):
            if caller not in reached:
                reached.add(caller)
                waiting.append(caller)
    return reached


def acting_routines(program: tree.Program) -> set[str]:
    """The procedures that act, by themselves or through others."""
    signals = outputs(program)
    acting: set[str] = set()
    calls: dict[str, set[str]] = {}
    for routine in program.routines:
        inside = list(everything(routine.body))
        outer = signals - local_names(routine)
        if any(acts(node, set(), outer) for node in inside):
            acting.add(routine.name)
        calls[routine.name] = {
            node.call.name
            for node in inside
            if isinstance(node, tree.Perform) and isinstance(node.call, tree.Name | tree.Call)
        }
    return spread(acting, calls)


def names_in(*nodes: Any) -> Iterator[str]:
    """All names in nodes, or tuples of nodes: they may be variables, signals or routines."""
    for node in everything(*nodes):
        if isinstance(node, tree.Name | tree.Call):
            yield node.name


class Reads:
    """Which expressions of a program read input signals, the clock or the robot's place."""

    def __init__(self, program: tree.Program):
        signals = [s for s in program.declarations if isinstance(s, tree.SignalDeclaration)]
        self.inputs = {s.name for s in signals if s.direction == "in"}
        self.outputs = outputs(program)
        self.declared = {d.name for d in program.declarations} | {r.name for r in program.routines}
        self.locals = {r.name: local_names(r) for r in program.routines} | {"": set()}
        self._reads_cache: dict[int, bool] = {}
        self._words_cache: dict[int, tuple[str, ...]] = {}
        self.asking: set[str] = set()
        self.timing: set[str] = set()
        reading: set[str] = set()
        timed: set[str] = set()
        calls: dict[str, set[str]] = {}
        for routine in program.routines:
            inside = (*(d.value for d in routine.declarations), routine.body)
            if self._reads(inside, routine.name):
                reading.add(routine.name)
            if self.changes_with_time(inside, routine.name):
                timed.add(routine.name)
            calls[routine.name] = set(names_in(inside))
        self.asking, self.timing = spread(reading, calls), spread(timed, calls)

    def _reads(self, nodes: Any, routine: str) -> bool:
        reading = self.inputs | self.asking | (ASKING - self.declared)
        return not (reading - self.locals[routine]).isdisjoint(names_in(nodes))

    def changes_with_time(self, nodes: Any, routine: str) -> bool:
        """Whether a value in these nodes may change by time alone: it reads the clock."""
        clock_names = self.timing if "time" in self.declared else self.timing | {"time"}
        return not (clock_names - self.locals[routine]).isdisjoint(names_in(nodes))

    def any(self, nodes: Iterable[tree.Expression | None], routine: str) -> bool:
        """Whether one of these expressions, inside this routine, needs the time or the place."""
        for node in nodes:
            if node is None:
                continue
            reads = self._reads_cache.get(id(node))
            if reads is None:
                reads = self._reads_cache[id(node)] = self._reads(node, routine)
            if reads:
                return True
        return False

    def is_output(self, name: str, routine: str) -> bool:
        """Whether this name is an output signal there."""
        return name in self.outputs and name not in self.locals[routine]

    def words(self, node: tree.MoveStatement) -> tuple[str, ...]:
        """The targets of a move as text, for messages; long ones are cut."""
        words = self._words_cache.get(id(node))
        if words is None:
            words = self._words_cache[id(node)] = tuple(
                expression_text(target) for target in node.targets
            )
        return words


def expression_text(node: tree.Expression) -> str:
    """An expression as text, for messages; long ones are cut."""
    text = _text(node)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _text(node: Any) -> str:
    if isinstance(node, tree.Name):
        return node.text
    if isinstance(node, tree.Number):
        return f"{node.value:.10g}"
    if isinstance(node, tree.Call | tree.Group):
        head = node.text if isinstance(node, tree.Call) else ""
        items = node.arguments if isinstance(node, tree.Call) else node.items
        return f"{head}({', '.join(_text(item) for item in items)})"
    if isinstance(node, tree.Unary):
        space = " " if node.operator == "not" else ""
        return f"{node.operator}{space}{_signed_text(node)}"
    if isinstance(node, tree.Binary):
        return _binary_text(node)
    if isinstance(node, tree.Access):
        marks = (
            f".{s.name}" if isinstance(s, tree.Member) else f"[{_text(s.index)}]"
            for s in node.selectors
        )
        return _text(node.base) + "".join(marks)
    return "..."


def _signed_text(node: tree.Unary) -> str:
    """What a sign or `not` stands before, with the parentheses that it needs."""
    text = _text(node.operand)
    powers = isinstance(node.operand, tree.Binary) and node.operand.operator == "**"
    bare = not isinstance(node.operand, tree.Binary | tree.Unary)
    return text if bare or (powers and node.operator != "not") else f"({text})"


def _binary_text(node: tree.Binary) -> str:
    """Operands and operators with the parentheses that they need."""
    first, chain = tree.spine(node)
    text, before = _text(first), 99
    if isinstance(first, tree.Unary) and chain[0].operator == "**":
        text = f"({text})"  # a sign is weaker than a power
    for part in chain:
        if len(text) > LONGEST:
            break
        strength = PRECEDENCE[part.operator]
        right = _text(part.right)
        if isinstance(part.right, tree.Binary) and PRECEDENCE[part.right.operator] <= strength:
            right = f"({right})"
        if isinstance(part.right, tree.Unary) and part.operator in ("+", "-"):
            right = f"({right})"  # two signs in a row
        text = f"({text})" if before < strength else text
        text, before = f"{text} {part.operator} {right}", strength
    return text
