"""Analyse a program: which expressions read the clock, signals or the robot's place, and more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from . import syntax as tree
from .functions import FUNCTIONS
from .words import PRECEDENCE

LONGEST = 40
"""Characters of an expression in a message, at most."""


def parts(node: Any) -> Iterator[Any]:
    """The expressions directly inside an expression."""
    kind = type(node)
    if kind is tree.Binary:
        yield node.left
        yield node.right
    elif kind is tree.Unary:
        yield node.operand
    elif kind is tree.Call:
        yield from node.arguments
    elif kind is tree.Group or kind is tree.Listing:
        yield from node.items
    elif kind is tree.Access:
        yield node.base
        yield from (s.index for s in node.selectors if type(s) is tree.Index)


def everything(node: Any) -> Iterator[Any]:
    """An expression and all expressions inside it."""
    waiting = [node]
    while waiting:
        expression = waiting.pop()
        yield expression
        waiting.extend(parts(expression))


def inner_blocks(node: tree.Statement) -> tuple[tree.Block, ...]:
    """The blocks of a statement."""
    if isinstance(node, tree.If):
        return (*(block for _, block in node.branches), node.otherwise)
    if isinstance(node, tree.For | tree.While | tree.Repeat):
        return (node.body,)
    if isinstance(node, tree.Case):
        return (*(branch.body for branch in node.branches), node.otherwise)
    return ()


def expressions(node: tree.Statement) -> tuple[tree.Expression | None, ...]:
    """The expressions of a statement, those of inner statements left out."""
    if isinstance(node, tree.Assign):
        return (node.target, node.value)
    if isinstance(node, tree.Perform):
        return (node.call,)
    if isinstance(node, tree.If):
        return tuple(condition for condition, _ in node.branches)
    if isinstance(node, tree.For):
        return (node.variable, node.first, node.last, node.step)
    if isinstance(node, tree.While | tree.Repeat | tree.WaitFor):
        return (node.condition,)
    if isinstance(node, tree.Case):
        labels = (label for branch in node.branches for label in branch.labels)
        return (node.selector, *(part for label in labels for part in label))
    if isinstance(node, tree.Return):
        return (node.value,)
    if isinstance(node, tree.Wait):
        return (node.seconds,)
    if isinstance(node, tree.PayloadStatement):
        return (node.mass, node.center)
    if isinstance(node, tree.MoveStatement):
        return (*node.targets, *(option.value for option in node.options))
    return ()


def statements(block: tree.Block) -> Iterator[tree.Statement]:
    """All statements of a block and of the blocks inside it, in no special order."""
    waiting = [*block]
    while waiting:
        node = waiting.pop()
        yield node
        for inner in inner_blocks(node):
            waiting.extend(inner)


def carries(program: tree.Program) -> bool:
    """Whether there is a statement that gives the robot a payload."""
    blocks = (program.body, *(routine.body for routine in program.routines))
    nodes = (node for block in blocks for node in statements(block))
    return any(isinstance(node, tree.PayloadStatement) and node.mass is not None for node in nodes)


def outputs(program: tree.Program) -> set[str]:
    """The names of the output signals."""
    signals = (s for s in program.declarations if isinstance(s, tree.SignalDeclaration))
    return {s.name for s in signals if s.direction == "out"}


def local_names(routine: tree.Routine) -> set[str]:
    """The names that a routine declares for itself."""
    return {p.name for p in routine.parameters} | {d.name for d in routine.declarations}


def acts(node: tree.Statement, acting: set[str], signals: set[str]) -> bool:
    """Whether a statement itself moves the robot, lets time pass or sets one of the signals."""
    if isinstance(node, tree.Assign):
        return isinstance(node.target, tree.Name) and node.target.name in signals
    if isinstance(node, tree.Perform):
        return isinstance(node.call, tree.Name | tree.Call) and node.call.name in acting
    acting_kinds = tree.MoveStatement | tree.Wait | tree.WaitFor | tree.HaltStatement
    return isinstance(node, acting_kinds | tree.PayloadStatement)


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
        inside = list(statements(routine.body))
        outer = signals - local_names(routine)
        if any(acts(node, set(), outer) for node in inside):
            acting.add(routine.name)
        calls[routine.name] = {
            node.call.name
            for node in inside
            if isinstance(node, tree.Perform) and isinstance(node.call, tree.Name | tree.Call)
        }
    return spread(acting, calls)


def _names(expression: tree.Expression) -> Iterator[str]:
    """All names in an expression: they may be variables, signals or routines."""
    for node in everything(expression):
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
            inside = [e for s in statements(routine.body) for e in expressions(s)]
            inside += [d.value for d in routine.declarations]
            nodes = [e for e in inside if e is not None]
            if any(self._reads(node, routine.name) for node in nodes):
                reading.add(routine.name)
            if any(self.changes_with_time(node, routine.name) for node in nodes):
                timed.add(routine.name)
            calls[routine.name] = {name for node in nodes for name in _names(node)}
        self.asking, self.timing = spread(reading, calls), spread(timed, calls)

    def _reads(self, expression: tree.Expression, routine: str) -> bool:
        local = self.locals[routine]
        for name in _names(expression):
            if name in local:
                continue
            if name in self.inputs or name in self.asking:
                return True
            if name not in self.declared and name in FUNCTIONS and FUNCTIONS[name].asks:
                return True
        return False

    def changes_with_time(self, expression: tree.Expression, routine: str) -> bool:
        """Whether its value may change by time alone: it reads the clock."""
        clock_names = self.timing if "time" in self.declared else self.timing | {"time"}
        return not (clock_names - self.locals[routine]).isdisjoint(_names(expression))

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
        return f"{node.operator}{space}{_text(node.operand)}"
    if isinstance(node, tree.Binary):
        return _binary_text(node)
    if isinstance(node, tree.Access):
        marks = (
            f".{s.name}" if isinstance(s, tree.Member) else f"[{_text(s.index)}]"
            for s in node.selectors
        )
        return _text(node.base) + "".join(marks)
    return "..."


def _binary_text(node: tree.Binary) -> str:
    """Operands and operators with the parentheses that they need."""
    spine = []
    first: Any = node
    while isinstance(first, tree.Binary):
        spine.append(first)
        first = first.left
    text, before = _text(first), 99
    for part in reversed(spine):
        if len(text) > LONGEST:
            break
        strength = PRECEDENCE[part.operator]
        right = _text(part.right)
        if isinstance(part.right, tree.Binary) and PRECEDENCE[part.right.operator] <= strength:
            right = f"({right})"
        text = f"({text})" if before < strength else text
        text, before = f"{text} {part.operator} {right}", strength
    return text
