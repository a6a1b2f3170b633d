"""L-IRL for the tests: a planner that only keeps the time, random trees, and trees as text."""

from __future__ import annotations

from collections.abc import Generator

from hypothesis import strategies as st

from erfd.lirl import SignalSchedule, interpret, parse
from erfd.lirl import syntax as tree
from erfd.lirl.words import KEYWORDS, KINDS, OPTIONS, PRECEDENCE, TURNINGS, TYPES
from erfd.planning.moves import Moment, Move, Pause, ReadTime, Step
from support.paths import EXAMPLES

EXAMPLE_PROGRAMS = sorted(EXAMPLES.glob("*.irl"))
UPRIGHT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class Clock:
    """A planner that only keeps the time: every move takes `move_time`, pauses as they are."""

    def __init__(self, move_time: float = 0.5, q: tuple = (0.0,) * 6):
        self.time, self.move_time, self.q = 0.0, move_time, q

    def pass_by(self, step: Step) -> None:
        self.time += step.seconds if isinstance(step, Pause) else 0.0
        self.time += self.move_time if isinstance(step, Move) else 0.0

    def every_step(self, run: Generator[Step, Moment | None, None]) -> list[Step]:
        """All steps; `ReadTime` is answered."""
        found: list[Step] = []
        answer = None
        while True:
            try:
                step = run.send(answer)
            except StopIteration:
                return found
            found.append(step)
            self.pass_by(step)
            asked = isinstance(step, ReadTime)
            answer = Moment(self.time, self.q, (1.0, 0.2, 0.3), UPRIGHT) if asked else None


def steps_of(
    program: tree.Program | str, *, move_time: float = 0.5, q: tuple = (0.0,) * 6, **options
) -> list[Step]:
    """All steps but `ReadTime`; every move takes the same time and ends at one place."""
    if isinstance(program, str):
        program = parse(program)
    steps = Clock(move_time, q).every_step(interpret(program, **options))
    return [step for step in steps if not isinstance(step, ReadTime)]


def results(body: str, *types: str, declarations: str = "", routines: str = "", **options) -> list:
    """What a program computes: the values it gives to r1, r2, ... of these types.

    Numbers leave the program through output signals; so do truths.
    """
    signals = "".join(f"signal out {kind}: r{i};" for i, kind in enumerate(types, 1))
    text = f"program t; var {signals} {declarations} endvar {routines} seq {body} endseq"
    values: dict[str, object] = {}
    for step in steps_of(text, signals=options.pop("signals", SignalSchedule()), **options):
        if hasattr(step, "signal"):
            values[step.signal] = step.value
    return [values[f"r{i}"] for i in range(1, len(types) + 1)]


def value(expression: str, kind: str = "real", declarations: str = "") -> object:
    """The value of one expression: a number or a truth."""
    return results(f"r1 := {expression};", kind, declarations=declarations)[0]


# random trees

NAMES = ("a", "b2", "p_home", "zähler", "s0", "speed", "tool", "x")
assert not set(NAMES) & {*KEYWORDS, *TYPES}


class Maker:
    """Makes random nodes; `budget` is how many more inner nodes there may be, `depth` how deep."""

    def __init__(self, draw, budget: int):
        self.draw, self.budget, self.depth = draw, budget, 0

    def pick(self, *choices):
        return self.draw(st.sampled_from(choices))

    def some(self, make, least: int = 0, most: int = 3) -> tuple:
        return tuple(make() for _ in range(self.draw(st.integers(least, most))))

    def maybe(self, make):
        return make() if self.draw(st.booleans()) else None

    def name(self) -> str:
        return self.pick(*NAMES)

    def atom(self) -> tree.Expression:
        kind = self.pick("name", "whole", "real", "text", "truth")
        if kind == "whole":
            return tree.Number(self.draw(st.integers(0, 2**53)))
        if kind == "real":
            return tree.Number(self.draw(st.floats(0, 1e300)))
        if kind == "text":
            printable = st.characters(exclude_characters='"\n', exclude_categories=["Cs"])
            return tree.Text(self.draw(st.text(printable, max_size=9)))
        return tree.Truth(self.pick(True, False)) if kind == "truth" else tree.Name(self.name())

    def expression(self) -> tree.Expression:
        self.budget -= 1
        if self.budget < 0 or self.depth > 10 or self.pick(True, False, False):
            return self.atom()
        self.depth += 1
        made = self.inner()
        self.depth -= 1
        return made

    def inner(self) -> tree.Expression:
        kind = self.pick("call", "group", "list", "unary", "binary", "access")
        make = self.expression
        if kind == "call":
            return tree.Call(self.pick(*NAMES, *TYPES), self.some(make))
        if kind == "group":
            return tree.Group(self.some(make, 2))
        if kind == "list":
            return tree.Listing(self.some(make, 1))
        if kind == "unary":
            return tree.Unary(self.pick("-", "+", "not"), make())
        if kind == "binary":
            return tree.Binary(self.pick(*PRECEDENCE), make(), make())
        return self.access(make())

    def access(self, base: tree.Expression) -> tree.Expression:
        if isinstance(base, tree.Access):  # (a.b).c reads as a.b.c
            return base
        return tree.Access(base, self.some(self.selector, 1))

    def selector(self) -> tree.Index | tree.Member:
        if self.pick(True, False):
            return tree.Member(self.name())
        return tree.Index(self.expression())

    def reference(self) -> tree.Name | tree.Call:
        if self.pick(True, False):
            return tree.Name(self.name())
        return tree.Call(self.name(), self.some(self.expression, 1))

    def place(self) -> tree.Expression:
        return self.access(self.reference()) if self.pick(True, False) else self.reference()

    def option(self) -> tree.Option:
        return tree.Option(self.pick(*OPTIONS, *NAMES), self.maybe(self.expression))

    def block(self) -> tree.Block:
        self.depth += 1
        made = self.some(self.statement)
        self.depth -= 1
        return made

    def statement(self) -> tree.Statement:
        self.budget -= 1
        simple = ("assign", "perform", "return", "wait", "for it", "halt", "payload")
        simple += ("turning", "move")
        nested = (
            ("if", "for", "while", "repeat", "case") if self.budget > 0 and self.depth < 5 else ()
        )
        make = self.expression
        match self.pick(*simple, *nested):
            case "assign":
                return tree.Assign(self.place(), make())
            case "perform":
                return tree.Perform(self.reference())
            case "return":
                return tree.Return(self.maybe(make))
            case "wait":
                return tree.Wait(make())
            case "for it":
                return tree.WaitFor(make())
            case "halt":
                return tree.HaltStatement()
            case "payload":
                mass = self.maybe(make)
                return tree.PayloadStatement(mass, None if mass is None else self.maybe(make))
            case "turning":
                return tree.TurningStatement(self.pick(*TURNINGS, *NAMES))
            case "if":
                return tree.If(self.some(lambda: (make(), self.block()), 1), self.block())
            case "for":
                step = self.maybe(make)
                return tree.For(tree.Name(self.name()), make(), make(), step, self.block())
            case "while":
                return tree.While(make(), self.block())
            case "repeat":
                return tree.Repeat(self.block(), make())
            case "case":
                return tree.Case(make(), self.some(self.when), self.block())
        options = self.some(self.option)
        kind, relative = self.pick(*KINDS), self.pick(True, False)
        return tree.MoveStatement(relative, kind, self.some(make, 1, 2), options)

    def when(self) -> tree.When:
        labels = self.some(lambda: (self.expression(), self.maybe(self.expression)), 1, 2)
        return tree.When(labels, self.block())

    def type(self) -> tree.TypeName:
        ranges = self.some(lambda: (self.maybe(self.atom), self.atom()), 0, 2)
        return tree.TypeName(self.pick(*TYPES), ranges)

    def declaration(self) -> tree.Declaration:
        constant = self.pick(True, False)
        return tree.Declaration(self.type(), self.name(), self.maybe(self.expression), constant)

    def signal(self) -> tree.SignalDeclaration:
        way = self.pick("in", "out")
        return tree.SignalDeclaration(way, self.type(), self.name(), self.maybe(self.expression))

    def routine(self) -> tree.Routine:
        parameters = self.some(
            lambda: tree.Parameter(self.type(), self.name(), self.pick(True, False))
        )
        result = self.maybe(self.type)
        locals_ = self.some(self.declaration, 0, 2)
        return tree.Routine(self.name(), parameters, result, locals_, self.block())

    def program(self) -> tree.Program:
        declared = self.some(lambda: self.pick(self.declaration, self.signal)())
        routines = self.some(self.routine, 0, 2)
        return tree.Program(self.name(), declared, routines, self.block())


@st.composite
def programs(draw) -> tree.Program:
    """Trees that the grammar can read, not that make sense."""
    return Maker(draw, draw(st.integers(0, 60))).program()


# trees as text, with more parentheses than they need


def text_of(node: object) -> str:
    """The text of a node; nothing of the formatter is used."""
    return _WRITERS[type(node)](node)


def _operand(node: object) -> str:
    plain = isinstance(node, tree.Number | tree.Text | tree.Truth | tree.Name | tree.Call)
    return text_of(node) if plain else f"({text_of(node)})"


def _commas(nodes: tuple) -> str:
    return ", ".join(text_of(node) for node in nodes)


def _access(node: tree.Access) -> str:
    plain = isinstance(node.base, tree.Name | tree.Call)
    text = text_of(node.base) if plain else f"({text_of(node.base)})"
    for selector in node.selectors:
        member = isinstance(selector, tree.Member)
        text += f".{selector.name}" if member else f"[{text_of(selector.index)}]"
    return text


def _type(node: tree.TypeName) -> str:
    if not node.ranges:
        return node.name
    spans = (text_of(b) if a is None else f"{text_of(a)}..{text_of(b)}" for a, b in node.ranges)
    return f"array[{', '.join(spans)}] of {node.name}"


def _block(nodes: tuple) -> str:
    return "".join(f"{text_of(node)}\n" for node in nodes)


def _declared(node: tree.Declaration | tree.SignalDeclaration) -> str:
    first = f" = {text_of(node.value)}" if node.value is not None else ""
    text = f"{_type(node.type)}: {node.name}{first};"
    if isinstance(node, tree.SignalDeclaration):
        return f"var signal {node.direction} {text} endvar\n"
    return f"const {text} endconst\n" if node.constant else f"var {text} endvar\n"


def _routine(node: tree.Routine) -> str:
    listed = "; ".join(
        f"{'var ' if p.by_reference else ''}{_type(p.type)}: {p.name}" for p in node.parameters
    )
    sections = "".join(_declared(d) for d in node.declarations)
    body = f"{sections}seq\n{_block(node.body)}endseq\n"
    if node.result is None:
        return f"procedure {node.name}({listed});\n{body}endproc\n"
    return f"function {node.name}({listed}): {_type(node.result)};\n{body}endfct\n"


def _if(node: tree.If) -> str:
    parts = [
        f"{'elsif' if k else 'if'} {text_of(condition)} then\n{_block(block)}"
        for k, (condition, block) in enumerate(node.branches)
    ]
    otherwise = f"else\n{_block(node.otherwise)}" if node.otherwise else ""
    return f"{''.join(parts)}{otherwise}endif"


def _for(node: tree.For) -> str:
    step = f" step {text_of(node.step)}" if node.step is not None else ""
    head = f"for {node.variable.name} := {text_of(node.first)} to {text_of(node.last)}{step}"
    return f"{head}\n{_block(node.body)}endfor"


def _when(node: tree.When) -> str:
    labels = (text_of(a) if b is None else f"{text_of(a)}..{text_of(b)}" for a, b in node.labels)
    return f"when {', '.join(labels)}:\n{_block(node.body)}"


def _case(node: tree.Case) -> str:
    otherwise = f"else\n{_block(node.otherwise)}" if node.otherwise else ""
    whens = "".join(text_of(branch) for branch in node.branches)
    return f"case {text_of(node.selector)} of\n{whens}{otherwise}endcase"


def _payload(node: tree.PayloadStatement) -> str:
    if node.mass is None:
        return "payload none;"
    center = f" at {text_of(node.center)}" if node.center is not None else ""
    return f"payload {text_of(node.mass)}{center};"


def _move(node: tree.MoveStatement) -> str:
    words = "".join(
        f" {o.name}" + (f"={_operand(o.value)}" if o.value is not None else "")
        for o in node.options
    )
    word = "move_inc" if node.relative else "move"
    return f"{word} {node.kind} {_commas(node.targets)}{words};"


def _program(node: tree.Program) -> str:
    parts = "".join(_declared(d) for d in node.declarations)
    parts += "".join(_routine(r) for r in node.routines)
    return f"program {node.name};\n{parts}seq\n{_block(node.body)}endseq\nendprogram\n"


_WRITERS = {
    tree.Number: lambda n: repr(n.value),
    tree.Text: lambda n: f'"{n.value}"',
    tree.Truth: lambda n: "true" if n.value else "false",
    tree.Name: lambda n: n.name,
    tree.Call: lambda n: f"{n.name}({_commas(n.arguments)})",
    tree.Group: lambda n: f"({_commas(n.items)})",
    tree.Listing: lambda n: f"[{_commas(n.items)}]",
    tree.Unary: lambda n: f"{n.operator} {_operand(n.operand)}",
    tree.Binary: lambda n: f"{_operand(n.left)} {n.operator} {_operand(n.right)}",
    tree.Access: _access,
    tree.Assign: lambda n: f"{text_of(n.target)} := {text_of(n.value)};",
    tree.Perform: lambda n: f"{text_of(n.call)};",
    tree.If: _if,
    tree.For: _for,
    tree.While: lambda n: f"while {text_of(n.condition)}\n{_block(n.body)}endwhile",
    tree.Repeat: lambda n: f"repeat\n{_block(n.body)}until {text_of(n.condition)};",
    tree.Case: _case,
    tree.When: _when,
    tree.Return: lambda n: f"return {text_of(n.value)};" if n.value is not None else "return;",
    tree.Wait: lambda n: f"wait {text_of(n.seconds)} sec;",
    tree.WaitFor: lambda n: f"wait for {text_of(n.condition)};",
    tree.HaltStatement: lambda n: "halt;",
    tree.PayloadStatement: _payload,
    tree.TurningStatement: lambda n: f"turning {n.name};",
    tree.MoveStatement: _move,
    tree.Program: _program,
}
