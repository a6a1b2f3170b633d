"""Check a whole program: names, types, routines, moves, and suspicious units."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .. import syntax as tree
from ..analysis import acting_routines, acts, everything, local_names, names_in, outputs
from ..functions import FUNCTIONS
from ..interpreter.move_steps import Machine
from ..messages import Mistake, ProgramError, did_you_mean
from ..parser.parse import parse_with_mistakes
from ..types import UNKNOWN, Type, fits, type_text
from ..values import Position
from ..words import KEYWORDS, MAX_MISTAKES
from .expressions import Typer
from .moves import MoveChecker
from .scope import Scopes, Signature, Symbol, SymbolKind, TooManyMistakes

if TYPE_CHECKING:
    from ...robot.model import Robot


def check(text: str, robot: Robot | None = None) -> list[Mistake]:
    """List all mistakes of a program.

    Args:
        text: an L-IRL program.
        robot: the robot that it has to fit (name, number of axes), if that is to be checked.

    Returns:
        Mistakes and suspicions (`severity` "error" or "warning"), in the order of the text; empty
        if there are none.

    >>> [str(mistake) for mistake in check('program p; seq mvoe ptp home; endseq')]
    ... # doctest: +NORMALIZE_WHITESPACE
    ['line 1, column 16: unknown word `mvoe`; did you mean `move`?',
     'line 1, column 25: `home` is not declared']
    """
    return _read(text, robot)[1]


def parse(text: str) -> tree.Program:
    """Parse and check a program.

    Args:
        text: an L-IRL program; its lengths are in mm, its angles in degrees, its times in s.

    Returns:
        The syntax tree, fit to be run by `interpret`.

    Raises:
        ProgramError: with all mistakes of the text, each with line and column.

    >>> parse('program demo; seq move ptp joint(mainjoint(10, 20)); endseq').name
    'demo'
    """
    return parse_and_check(text)[0]


def parse_and_check(text: str, robot: Robot | None = None) -> tuple[tree.Program, list[Mistake]]:
    """Parse and check: a program fit to be run on a robot, and its warnings, or `ProgramError`."""
    program, mistakes = _read(text, robot)
    errors = [mistake for mistake in mistakes if mistake.severity == "error"]
    if program is None or errors:
        raise ProgramError(errors, text)
    return program, mistakes


def _read(text: str, robot: Robot | None) -> tuple[tree.Program | None, list[Mistake]]:
    """The tree, if there is one, and its mistakes: in order, at most `MAX_MISTAKES` errors."""
    program, mistakes, lost = parse_with_mistakes(text)
    if program is not None:
        checker = Checker(program, lost, Machine.of(robot))
        with suppress(TooManyMistakes):
            checker.run()
        mistakes = mistakes + checker.scopes.mistakes
    ordered = sorted(set(mistakes))
    errors = [mistake for mistake in ordered if mistake.severity == "error"]
    surplus = set(errors[MAX_MISTAKES:])
    return program, [mistake for mistake in ordered if mistake not in surplus]


class Checker:
    """Checks one program; the mistakes are in `scopes.mistakes`."""

    def __init__(self, program: tree.Program, lost: set[str], robot: Machine):
        self.program = program
        self.scopes = Scopes(lost)
        self.typer = Typer(self.scopes)
        self.moves = MoveChecker(self.scopes, self.typer, robot)
        self.acting = acting_routines(program)
        self.signals = outputs(program)
        self.routine: tree.Routine | None = None
        self._handlers = tree.handlers(self, tree.Statement)

    def run(self) -> None:
        """Check declarations, the heads of the routines, their bodies, and the program's body."""
        for node in self.program.declarations:  # routines may use constants in their types
            if isinstance(node, tree.Declaration) and node.constant and not node.type.ranges:
                value = self.scopes.constant(node.value)
                if value is not None:
                    self.scopes.remember(node.name, node.type.name, value, local=False)
        for routine in self.program.routines:
            self._head(routine)
        for node in self.program.declarations:
            self._declaration(node, local=False)
        for routine in self.program.routines:
            self._routine(routine)
        self._block(self.program.body)

    # declarations

    def _head(self, routine: tree.Routine) -> None:
        before = self.scopes.routines.get(routine.name)
        if before is not None:
            line = before.node.at.line
            self.scopes.error(routine.at, f"`{routine.text}` is declared already, in line {line}")
            return
        parameters = tuple(
            (self.scopes.type_of(p.type), p.by_reference) for p in routine.parameters
        )
        result = None if routine.result is None else self.scopes.type_of(routine.result)
        self.scopes.routines[routine.name] = Signature(routine, parameters, result)
        self.scopes.constants.routines[routine.name] = routine

    def _declaration(self, node: tree.Declaration | tree.SignalDeclaration, local: bool) -> None:
        scopes = self.scopes
        kind = scopes.type_of(node.type)
        have: Type = UNKNOWN
        if node.value is not None:
            have = self.typer.expect(node.value, kind, f"`{node.text}`: ")
        if isinstance(node, tree.SignalDeclaration):
            self._signal(node, kind, have)
            return
        what: SymbolKind = "constant" if node.constant else "variable"
        scopes.declare(node, node.name, Symbol(what, kind, node.at), local)
        if node.value is None:
            if node.constant:
                sentence = f"the constant `{node.text}` needs a value"
                scopes.error(node.at, sentence, f"write `{node.text} = ...`")
            return
        value = scopes.constant(node.value)
        self.moves.suspect(node.value, value)
        if node.constant:
            if value is None and UNKNOWN not in (kind, have):
                scopes.error(
                    node.value.at, f"the value of the constant `{node.text}` is not constant"
                )
            elif value is not None:
                scopes.remember(node.name, kind, value, local)

    def _signal(self, node: tree.SignalDeclaration, kind: Type, have: Type) -> None:
        if kind not in ("bool", "int", "real", UNKNOWN):
            sentence = f"a signal is bool, int or real, found {type_text(kind)}"
            self.scopes.error(node.type.at, sentence)
        constant = node.value is None or self.scopes.constant(node.value) is not None
        if node.value is not None and not constant and have != UNKNOWN:
            self.scopes.error(node.value.at, "the first value of a signal has to be constant")
        what: SymbolKind = "input" if node.direction == "in" else "output"
        self.scopes.declare(node, node.name, Symbol(what, kind, node.at), local=False)

    def _routine(self, routine: tree.Routine) -> None:
        signature = self.scopes.routines[routine.name]
        if signature.node is not routine:
            return
        self.routine = routine
        self.scopes.locals = {}
        self.scopes.constants.locals = {}
        for parameter, (kind, _) in zip(routine.parameters, signature.parameters, strict=True):
            symbol = Symbol("parameter", kind, parameter.at)
            self.scopes.declare(parameter, parameter.name, symbol, local=True)
        for node in routine.declarations:
            if isinstance(node, tree.SignalDeclaration):
                self.scopes.error(node.at, "signals are declared in the program, not in a routine")
            else:
                self._declaration(node, local=True)
        self._block(routine.body)
        if routine.result is not None:
            self._function(routine)
        self.routine = None
        self.scopes.locals = {}
        self.scopes.constants.locals = {}

    def _function(self, routine: tree.Routine) -> None:
        """Check that a function returns a value and has no effect on the robot."""
        inside = list(everything(routine.body))
        if not any(isinstance(node, tree.Return) for node in inside):
            self.scopes.error(routine.at, f"the function `{routine.text}` has no `return`")
        outer = self.signals - local_names(routine)
        for node in inside:
            if acts(node, self.acting, outer):
                sentence = "a function only computes: it cannot move, wait, halt or set signals"
                self.scopes.error(node.at, sentence, "use a procedure")

    # statements

    def _block(self, block: tree.Block) -> None:
        for node in block:
            self._handlers[type(node)](node)

    def _assign(self, node: tree.Assign) -> None:
        have = self.typer.type(node.value)
        if not self.typer.assignable(node.target):
            return
        want = self.typer.type(node.target)
        if not fits(have, want):
            text = node.target.text if isinstance(node.target, tree.Name) else ""
            where = f"`{text}`: " if text else ""
            self.scopes.mismatch(node.value.at, want, have, where)

    def _perform(self, node: tree.Perform) -> None:
        call = node.call
        scopes = self.scopes
        if not isinstance(call, tree.Name | tree.Call):
            scopes.error(node.at, "this is no statement", "an assignment needs `:=`")
            return
        if isinstance(call, tree.Name):
            call = tree.Call(call.name, (), text=call.text, at=call.at)
        if scopes.find(call.name) is not None:
            hint = f"an assignment is `{call.text} := ...`"
            scopes.error(node.at, f"`{call.text}` is no procedure", hint)
        elif call.name in scopes.routines:
            signature = scopes.routines[call.name]
            self.typer.arguments(call, signature)
            if signature.result is not None:
                scopes.error(node.at, f"the value of the function `{call.text}` is not used")
        elif call.name in FUNCTIONS:
            self.typer.type(call)
            scopes.error(node.at, f"the value of `{call.text}` is not used")
        else:
            for argument in call.arguments:
                self.typer.type(argument)
            if call.name not in scopes.lost:
                scopes.lost.add(call.name)
                hint = did_you_mean(call.name, [*scopes.routines, *KEYWORDS])
                scopes.error(node.at, f"there is no procedure `{call.text}`", hint)

    def _if(self, node: tree.If) -> None:
        for condition, block in node.branches:
            self.typer.expect(condition, "bool", "condition: ")
            self._block(block)
        self._block(node.otherwise)

    def _for(self, node: tree.For) -> None:
        if self.typer.assignable(node.variable, "loop: "):
            self.typer.expect(node.variable, "int", "the variable of a loop: ")
        self.typer.expect(node.first, "int", "loop: ")
        self.typer.expect(node.last, "int", "loop: ")
        if node.step is not None:
            self.typer.expect(node.step, "int", "step: ")
            if self.scopes.constant(node.step) == 0:
                self.scopes.error(node.step.at, "the step of a loop cannot be 0")
        self._block(node.body)

    def _while(self, node: tree.While | tree.Repeat) -> None:
        self.typer.expect(node.condition, "bool", "condition: ")
        self._block(node.body)

    _repeat = _while

    def _case(self, node: tree.Case) -> None:
        kind = self.typer.type(node.selector)
        if kind not in ("int", "string", UNKNOWN):
            sentence = f"`case` needs an int or a string, found {type_text(kind)}"
            self.scopes.error(node.selector.at, sentence)
            kind = UNKNOWN
        seen: dict[Any, int] = {}
        for branch in node.branches:
            for low, high in branch.labels:
                self._label(low, high, kind, seen)
            self._block(branch.body)
        self._block(node.otherwise)

    def _label(
        self, low: tree.Expression, high: tree.Expression | None, kind: Type, seen: dict[Any, int]
    ) -> None:
        bounds = []
        for part in (low, high):
            if part is None:
                continue
            have = self.typer.expect(part, kind, "label: ")
            bounds.append(self.scopes.constant(part))
            if bounds[-1] is None and have != UNKNOWN:
                self.scopes.error(part.at, "a label has to be constant")
        if {type(bound) for bound in bounds} not in ({int}, {str}):
            return
        if len(bounds) == 2 and bounds[0] > bounds[1]:
            self.scopes.error(low.at, f"the range {bounds[0]}..{bounds[1]} is empty")
        if len(bounds) == 1:
            if bounds[0] in seen:
                sentence = f"the label {bounds[0]} stands already in line {seen[bounds[0]]}"
                self.scopes.error(low.at, sentence)
            seen.setdefault(bounds[0], low.at.line)

    def _return(self, node: tree.Return) -> None:
        scopes, routine = self.scopes, self.routine
        if routine is None:
            if node.value is not None:
                self.typer.type(node.value)
            scopes.error(node.at, "`return` leaves a routine", "the program ends with `halt`")
        elif routine.result is None:
            if node.value is not None:
                self.typer.type(node.value)
                scopes.error(node.value.at, f"the procedure `{routine.text}` has no value")
        elif node.value is None:
            scopes.error(node.at, f"the function `{routine.text}` returns a value")
        else:
            want = scopes.routines[routine.name].result
            assert want is not None
            self.typer.expect(node.value, want, "return: ")

    def _wait(self, node: tree.Wait) -> None:
        self.typer.expect(node.seconds, "real", "wait: ")
        seconds = self.scopes.constant(node.seconds)
        if type(seconds) not in (int, float):
            return
        if seconds < 0:
            self.scopes.error(node.seconds.at, f"a wait has to be at least 0 s, found {seconds:g}")
        elif seconds >= 100:
            hint = f"if ms were meant, write {seconds / 1000:g}"
            self.scopes.warn(node.seconds.at, f"{seconds:g} s is a long wait", hint)

    def _wait_for(self, node: tree.WaitFor) -> None:
        self.typer.expect(node.condition, "bool", "condition: ")
        for name in names_in(node.condition):
            symbol = self.scopes.find(name)
            if name in self.scopes.routines or name in self.scopes.lost:
                return
            if symbol is not None and symbol.kind == "input":
                return
            if symbol is None and name == "time":  # the clock
                return
        self.scopes.warn(node.at, "no input signal stands in this condition, it cannot change")

    def _halt_statement(self, node: tree.HaltStatement) -> None:
        """Nothing can be wrong with it."""

    def _move_statement(self, node: tree.MoveStatement) -> None:
        self.moves.check(node)

    def _turning_statement(self, node: tree.TurningStatement) -> None:
        self.moves.turning(node)

    def _payload_statement(self, node: tree.PayloadStatement) -> None:
        if node.mass is None:
            return
        self.typer.expect(node.mass, "real", "payload: ")
        mass = self.scopes.constant(node.mass)
        if type(mass) in (int, float):
            if mass < 0:
                self.scopes.error(node.mass.at, f"a mass has to be at least 0 kg, found {mass:g}")
            elif mass >= 1000:
                hint = f"if g were meant, write {mass / 1000:g}"
                self.scopes.warn(node.mass.at, f"{mass:g} kg is a heavy payload", hint)
        if node.center is not None:
            self.typer.expect(node.center, "position", "centre: ")
            center = self.scopes.constant(node.center)
            if isinstance(center, tuple) and len(center) == 3:
                self.moves.suspect(node.center, Position(*center))
