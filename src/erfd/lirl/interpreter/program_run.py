"""One run of a program: its statements, as steps that the planner asks for one by one."""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import replace
from typing import Any

from ...errors import InputError
from ...planning.moves import Halt, Moment, Pause, ReadTime, SetOutput, SetPayload, Step
from .. import syntax as tree
from ..analysis import Reads
from ..convert import convert, empty
from ..messages import Place, ProgramError, mistake_at
from ..types import Array, Type
from ..values import RobotState, Trouble
from ..words import MAX_ARRAY, MAX_WAIT
from .budget import Budget
from .evaluate import Evaluator, InputCell, Scope, VariableCell
from .inputs import TICK, InputSignals, first_time
from .move_steps import Machine, make_payload, move, standing

Steps = Generator[Step, Moment | None, None]


class _Return(Exception):  # noqa: N818
    """Leaves a routine, with its value."""

    def __init__(self, value: Any):
        self.value = value


class _Ended(Exception):  # noqa: N818
    """Leaves the program, at a `halt`."""


class Interpreter:
    """One run of a program."""

    def __init__(self, program: tree.Program, robot: Machine, inputs: InputSignals, budget: Budget):
        self.program, self.robot, self.inputs, self.budget = program, robot, inputs, budget
        self.evaluator = Evaluator(self._function)
        self.evaluator.routines = {routine.name: routine for routine in program.routines}
        self.reads = Reads(program)
        self.routine = ""  # the one that is running
        self.turning: Any = None  # what the program has said of it
        self._handlers = tree.handlers(self, tree.Statement)

    def run(self) -> Steps:
        """Yield the steps, one by one."""
        self.budget.start()
        try:
            yield from self._declare(self.program.declarations, self.evaluator.globals)
            yield from self._block(self.program.body)
        except _Ended:
            return
        except Trouble as trouble:
            mistake = mistake_at(trouble.at or self.budget.at, str(trouble))
            raise ProgramError([mistake], self.program.source) from None
        except RecursionError:
            mistake = mistake_at(self.budget.at, "calls and expressions are nested too deeply here")
            raise ProgramError([mistake], self.program.source) from None

    # the planner

    def _give(self, step: Step) -> Steps:
        """Hand a step to the planner; the time that it takes does not count."""
        self.budget.move()
        since = time.monotonic()
        yield step
        self.budget.exclude(since)

    def _ask(self, *expressions: tree.Expression | None) -> Steps:
        """Find out where the robot is if one of the expressions needs it."""
        if self._asks(*expressions):
            yield from self._stand(self.budget.at)

    def _asks(self, *expressions: tree.Expression | None) -> bool:
        """Whether these need to know where the robot is, and it is not known yet."""
        return self.evaluator.standing is None and self.reads.any(expressions, self.routine)

    def _stand(self, at: Place) -> Steps:
        """Ask the planner where the robot is."""
        since = time.monotonic()
        moment = yield ReadTime(at.line)
        self.budget.exclude(since)
        if not isinstance(moment, Moment):
            raise InputError("the step Now has to be answered with a Moment, by send()")
        self.evaluator.standing = standing(moment, self.robot)

    # declarations

    def _declare(
        self, declarations: tuple[tree.Declaration | tree.SignalDeclaration, ...], scope: Scope
    ) -> Steps:
        for node in declarations:
            self.budget.spend(node.at)
            kind = self._type(node.type)
            if node.value is not None:
                yield from self._ask(node.value)
            if isinstance(node, tree.SignalDeclaration):
                scope[node.name] = self._signal(node, kind)
            else:
                value = empty(kind) if node.value is None else self._converted(node.value, kind)
                scope[node.name] = VariableCell(kind, value)

    def _converted(self, node: tree.Expression, kind: Type) -> Any:
        try:
            return convert(self.evaluator.value(node), kind)
        except Trouble as trouble:
            raise trouble.located(node.at) from None

    def _signal(self, node: tree.SignalDeclaration, kind: Type) -> VariableCell:
        first: Any = False if kind == "bool" else convert(0, kind)
        if node.value is not None:
            first = self._converted(node.value, kind)
        if node.direction == "out":
            return VariableCell(kind, first)
        now = self.inputs.reader(node.name, kind, first, lambda: self.evaluator.standing)
        return InputCell(kind, now)

    def _type(self, node: tree.TypeName) -> Type:
        kind: Type = node.name
        for low, high in reversed(node.ranges):
            first = 1 if low is None else self.evaluator.value(low)
            last = self.evaluator.value(high)
            if not 0 < last - first + 1 <= MAX_ARRAY:
                sentence = f"an array has 1 to {MAX_ARRAY} elements, found {last - first + 1}"
                raise Trouble(sentence).located(node.at)
            kind = Array(kind, first, last)
        if isinstance(kind, Array):
            self.budget.keep(kind, node.at)
        return kind

    # statements

    def _block(self, block: tree.Block) -> Steps:
        for node in block:
            self.budget.spend(node.at)
            if type(node) is tree.Assign and not self._asks(node.value, node.target):
                steps = self._assigned(node)  # the commonest statement, most often without a step
                if steps is not None:
                    yield from steps
            else:
                yield from self._handlers[type(node)](node)

    def _assign(self, node: tree.Assign) -> Steps:
        yield from self._ask(node.value, node.target)
        yield from self._assigned(node) or ()

    def _assigned(self, node: tree.Assign) -> Steps | None:
        target = node.target
        cell = self.evaluator.store(target, self.evaluator.value(node.value))
        if isinstance(cell.type, Array):
            self.budget.copied(cell.type, node.at)
        if isinstance(target, tree.Name) and self.reads.is_output(target.name, self.routine):
            return self._give(SetOutput(target.name, cell.value, node.at.line))
        return None

    def _perform(self, node: tree.Perform) -> Steps:
        call = node.call
        assert isinstance(call, tree.Name | tree.Call)
        yield from self._ask(call)
        yield from self._call(call)

    def _if(self, node: tree.If) -> Steps:
        for condition, block in node.branches:
            yield from self._ask(condition)
            if self.evaluator.value(condition):
                yield from self._block(block)
                return
        yield from self._block(node.otherwise)

    def _for(self, node: tree.For) -> Steps:
        yield from self._ask(node.first, node.last, node.step)
        value = self.evaluator.value
        first, last = value(node.first), value(node.last)
        step = 1 if node.step is None else value(node.step)
        if step == 0:
            assert node.step is not None
            raise Trouble("the step of a loop cannot be 0").located(node.step.at)
        for count in range(first, last + (1 if step > 0 else -1), step):
            self.budget.spend(node.at)
            self.evaluator.store(node.variable, count)
            yield from self._block(node.body)

    def _while(self, node: tree.While) -> Steps:
        while True:
            self.budget.spend(node.at)
            if self._asks(node.condition):
                yield from self._stand(node.at)
            if not self.evaluator.value(node.condition):
                return
            yield from self._block(node.body)

    def _repeat(self, node: tree.Repeat) -> Steps:
        while True:
            self.budget.spend(node.at)
            yield from self._block(node.body)
            yield from self._ask(node.condition)
            if self.evaluator.value(node.condition):
                return

    def _case(self, node: tree.Case) -> Steps:
        yield from self._ask(node.selector)
        value = self.evaluator.value
        selector = value(node.selector)
        for branch in node.branches:
            for low, high in branch.labels:
                first = value(low)
                if first == selector if high is None else first <= selector <= value(high):
                    yield from self._block(branch.body)
                    return
        yield from self._block(node.otherwise)

    def _return(self, node: tree.Return) -> Steps:
        yield from self._ask(node.value)
        raise _Return(None if node.value is None else self.evaluator.value(node.value))

    def _wait(self, node: tree.Wait) -> Steps:
        yield from self._ask(node.seconds)
        seconds = float(self.evaluator.value(node.seconds))
        if seconds < 0:
            raise Trouble(f"a wait has to be at least 0 s, found {seconds:g}").located(node.at)
        yield from self._pause(seconds, node.at)

    def _pause(self, seconds: float, at: Place) -> Steps:
        self.budget.wait(seconds, at)
        yield from self._give(Pause(seconds, at.line))
        self.evaluator.standing = None

    def _wait_for(self, node: tree.WaitFor) -> Steps:
        least = 1e-6  # the planner may round a pause down to nothing: then ask for more
        while True:
            self.budget.spend(node.at)
            if self.evaluator.standing is None:
                yield from self._stand(node.at)
            if self.evaluator.value(node.condition):
                return
            now = self._now().time
            change = self.inputs.next_change(now)
            if self.reads.changes_with_time(node.condition, self.routine):
                change = self._holds(node, min(change, now + MAX_WAIT + TICK))
            if change == float("inf"):
                sentence = f"this waits for ever: no signal changes after {now:.3f} s"
                raise Trouble(sentence).located(node.at)
            yield from self._pause(max(change - now, least), node.at)
            least *= 2

    def _holds(self, node: tree.WaitFor, end: float) -> float:
        """When the condition holds as time goes by (s), `end` if not before that."""
        before = self._now()

        def holds(time: float) -> bool:
            self.budget.spend(node.at)
            self.evaluator.standing = before._replace(time=time)
            return bool(self.evaluator.value(node.condition))

        try:
            return first_time(holds, before.time, end)
        finally:
            self.evaluator.standing = before

    def _now(self) -> RobotState:
        assert self.evaluator.standing is not None
        return self.evaluator.standing

    def _halt_statement(self, node: tree.HaltStatement) -> Steps:
        yield from self._give(Halt(node.at.line))
        raise _Ended

    def _payload_statement(self, node: tree.PayloadStatement) -> Steps:
        yield from self._ask(node.mass, node.center)
        payload = None
        if node.mass is not None:
            mass = self._converted(node.mass, "real")
            center = None if node.center is None else self._converted(node.center, "position")
            try:
                payload = make_payload(mass, center)
            except Trouble as trouble:
                raise trouble.located(node.mass.at) from None
        yield from self._give(SetPayload(payload, node.at.line))

    def _turning_statement(self, node: tree.TurningStatement) -> Steps:
        self.turning = node.name
        yield from ()

    def _move_statement(self, node: tree.MoveStatement) -> Steps:
        values = [option.value for option in node.options]
        yield from self._ask(*node.targets, *values)
        names = self.reads.words(node)
        step = move(node, self.evaluator.value, self.robot, names)
        yield from self._give(replace(step, turning=self.turning))
        self.evaluator.standing = None

    # routines

    def _function(self, call: tree.Call | tree.Name) -> Any:
        """The value of a function; it only computes, so it has no steps."""
        try:
            for _ in self._call(call):
                raise Trouble("a function cannot move the robot").located(call.at)
            raise Trouble(f"`{call.text}` ended without a `return`").located(call.at)
        except _Return as returned:
            routine = self.evaluator.routines[call.name]
            if routine.result is None:
                raise Trouble(f"`{call.text}` has no value").located(call.at) from None
            return convert(returned.value, self._type_again(routine.result))

    def _type_again(self, node: tree.TypeName) -> Type:
        before = self.budget.elements
        kind = self._type(node)
        self.budget.elements = before
        return kind

    def _call(self, call: tree.Call | tree.Name) -> Steps:
        routine = self.evaluator.routines[call.name]
        arguments = call.arguments if isinstance(call, tree.Call) else ()
        scope: Scope = {}
        write_back: list[tuple[tree.Expression, VariableCell]] = []
        elements = self.budget.elements
        for parameter, argument in zip(routine.parameters, arguments, strict=True):
            scope[parameter.name] = self._argument(parameter, argument, write_back)
        caller, caller_routine = self.evaluator.locals, self.routine
        self.evaluator.locals, self.routine = scope, routine.name
        self.budget.enter(call.at)
        returned = None
        try:
            yield from self._declare(routine.declarations, scope)
            yield from self._block(routine.body)
        except _Return as left:
            returned = left
        finally:
            self.budget.depth -= 1
            self.evaluator.locals, self.routine = caller, caller_routine
            self.budget.elements = elements
        for argument, cell in write_back:
            if cell.value is not None:
                self.evaluator.store(argument, cell.value)
        if returned is not None and routine.result is not None:
            raise returned

    def _argument(
        self,
        parameter: tree.Parameter,
        argument: tree.Expression,
        write_back: list[tuple[tree.Expression, VariableCell]],
    ) -> VariableCell:
        """The cell of a parameter; of a `var` parameter, the caller's cell.

        A part of a variable has no cell: it comes in by value and goes back at the end.
        """
        if not parameter.by_reference:
            kind = self._type(parameter.type)
            return VariableCell(kind, self._converted(argument, kind))
        if isinstance(argument, tree.Name):
            cell = self.evaluator.cell(argument.name)
            assert cell is not None
            return cell
        assert isinstance(argument, tree.Access)
        fixed, value = self.evaluator.part(argument)
        cell = VariableCell(self._type(parameter.type), value)
        write_back.append((fixed, cell))
        return cell
