"""Read a CasADi function as a list of instructions, and translate it to LLVM assembly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..count import op_names
from . import atan2, sincos
from .writer import Writer


@dataclass(frozen=True, slots=True)
class Instruction:
    """One operation on earlier results; `value` of a constant, `place` of an input."""

    op: str
    args: tuple[int, ...] = ()
    value: float = 0.0
    place: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class InstructionList:
    """Instructions in order, and which of them are the outputs."""

    instructions: tuple[Instruction, ...]
    outputs: tuple[int, ...]

    def inputs(self) -> set[tuple[int, int]]:
        """(input, element) of everything that is read."""
        return {i.place for i in self.instructions if i.op == "INPUT"}


def instructions_of(function: Any) -> InstructionList:
    """The instructions of a CasADi function with one output; work places become single values."""
    names = op_names()
    lines: list[Instruction] = []
    work: dict[int, int] = {}
    outputs: list[int | None] = [None] * function.numel_out(0)
    rows = dict(enumerate(function.sparsity_out(0).row()))
    for k in range(function.n_instructions()):
        op = names[function.instruction_id(k)].removeprefix("OP_")
        into, out_of = function.instruction_output(k), function.instruction_input(k)
        if op == "OUTPUT":
            outputs[rows[into[1]]] = work[out_of[0]]
            continue
        if op == "CONST":
            line = Instruction(op, value=function.instruction_constant(k))
        elif op == "INPUT":
            line = Instruction(op, place=(out_of[0], out_of[1]))
        else:
            line = Instruction(op, tuple(work[place] for place in out_of))
        work[into[0]] = len(lines)
        lines.append(line)
    if None in outputs:  # a structural zero of the sparse output
        lines.append(Instruction("CONST", value=0.0))
    last = len(lines) - 1
    return InstructionList(tuple(lines), tuple(last if k is None else k for k in outputs))


def emit(w: Writer, program: InstructionList, leaf: Callable[[int, int], str]) -> list[str]:
    """Write the instructions; returns the outputs. `leaf(input, element)` gives the inputs.

    A product with one use in a sum is fused with it here, not by the compiler, so that a state has
    the same result to the last bit whether it comes alone or in a batch.
    """
    return _Emitter(w, program, leaf).outputs()


COMPARISONS = {"LT": "olt", "LE": "ole", "EQ": "oeq", "NE": "une"}
TRUTHS = (*COMPARISONS, "NOT", "AND", "OR")
"""Operations whose result is true or false; as a number that is 1 or 0."""


class _Emitter:
    """Writes a program as LLVM assembly, in the order in which its values are first needed."""

    def __init__(self, w: Writer, program: InstructionList, leaf: Callable[[int, int], str]):
        self.w, self.program, self.leaf = w, program, leaf
        self.lines = program.instructions
        self.uses = [0] * len(self.lines)
        for line in self.lines:
            for k in line.args:
                self.uses[k] += 1
        for k in program.outputs:
            self.uses[k] += 1
        self.values: list[str | None] = [None] * len(self.lines)
        self.truths: dict[int, str] = {}
        self.sin_cos: dict[int, tuple[str, str]] = {}

    def outputs(self) -> list[str]:
        """Write every line; what can be fused, or is a choice, waits for its use."""
        for k, line in enumerate(self.lines):
            if not self._waits(k, line):
                self.value(k)
        return [self.value(k) for k in self.program.outputs]

    def _waits(self, k: int, line: Instruction) -> bool:
        if line.op in ("MUL", "SQ"):
            return self.w.fused and self.uses[k] == 1
        return line.op in TRUTHS or line.op == "IF_ELSE_ZERO"

    def value(self, k: int) -> str:
        """The name of the number k."""
        name = self.values[k]
        if name is None:
            name = self.values[k] = self._number(k, self.lines[k])
        return name

    def _number(self, k: int, line: Instruction) -> str:
        w, args, value = self.w, line.args, self.value
        match line.op:
            case "MUL" | "SQ":
                return w.mul(value(args[0]), value(args[-1]))
            case "ADD" | "SUB":
                return self._either(args) if self._is_choice(line) else self._sum(line)
            case "INPUT":
                return self.leaf(*line.place)
            case "CONST":
                return w.constant(line.value)
            case "NEG":
                return w.neg(value(args[0]))
            case "TWICE":
                return w.add(value(args[0]), value(args[0]))
            case "INV":
                return w.div(w.constant(1.0), value(args[0]))
            case "DIV":
                return w.div(value(args[0]), value(args[1]))
            case "SIN" | "COS":
                if args[0] not in self.sin_cos:
                    self.sin_cos[args[0]] = sincos.emit(w, value(args[0]))
                return self.sin_cos[args[0]][line.op == "COS"]
            case "IF_ELSE_ZERO":
                return w.select(self.truth(args[0]), value(args[1]), w.constant(0.0))
        if line.op in TRUTHS:
            return w.select(self.truth(k), w.constant(1.0), w.constant(0.0))
        return _function(w, line.op, [value(a) for a in args])

    def _sum(self, line: Instruction) -> str:
        w, (a, b), value = self.w, line.args, self.value
        if line.op == "ADD":
            if not self._product(a) and self._product(b):
                a, b = b, a
            if self._product(a):
                x, y = self._factors(a)
                return w.fma(value(x), value(y), value(b))
            return w.add(value(a), value(b))
        if self._product(b):
            x, y = self._factors(b)
            return w.fma(w.neg(value(x)), value(y), value(a))
        if self._product(a):
            x, y = self._factors(a)
            return w.fma(value(x), value(y), w.neg(value(b)))
        return w.sub(value(a), value(b))

    def _product(self, k: int) -> bool:
        """Whether k is a product that waits for its sum."""
        line = self.lines[k]
        return self.values[k] is None and line.op in ("MUL", "SQ") and self._waits(k, line)

    def _factors(self, k: int) -> tuple[int, int]:
        args = self.lines[k].args
        return args[0], args[-1]

    def _is_choice(self, line: Instruction) -> bool:
        """CasADi's if_else(c, x, y) is if_else_zero(c, x) + if_else_zero(not c, y)."""
        first, second = (self.lines[k] for k in line.args)
        if line.op != "ADD" or first.op != "IF_ELSE_ZERO" or second.op != "IF_ELSE_ZERO":
            return False
        return self._is_not(second.args[0], first.args[0]) or self._is_not(
            first.args[0], second.args[0]
        )

    def _is_not(self, k: int, of: int) -> bool:
        return self.lines[k].op == "NOT" and self.lines[k].args[0] == of

    def _either(self, args: tuple[int, ...]) -> str:
        first, second = (self.lines[k].args for k in args)
        if self._is_not(first[0], second[0]):
            first, second = second, first
        return self.w.select(self.truth(first[0]), self.value(first[1]), self.value(second[1]))

    def truth(self, k: int) -> str:
        """Whether the number k is not zero, as a truth value."""
        if k not in self.truths:
            self.truths[k] = self._truth(k, self.lines[k])
        return self.truths[k]

    def _truth(self, k: int, line: Instruction) -> str:
        w, args = self.w, line.args
        if line.op in COMPARISONS:
            return w.compare(COMPARISONS[line.op], self.value(args[0]), self.value(args[1]))
        if line.op == "NOT":
            return w.opposite(self.truth(args[0]))
        if line.op in ("AND", "OR"):
            join = w.both if line.op == "AND" else w.one_of
            return join(self.truth(args[0]), self.truth(args[1]))
        return w.compare("une", self.value(k), w.constant(0.0))


def _function(w: Writer, op: str, args: list[str]) -> str:
    """Any other operation; of FMIN and FMAX the second argument wins if one is NaN."""
    if op in ("FMIN", "FMAX"):
        how = "olt" if op == "FMIN" else "ogt"
        return w.select(w.compare(how, *args), args[0], args[1])
    if op == "SQRT":
        return w.root(args[0])
    if op == "FABS":
        return w.size(args[0])
    if op == "ATAN2":
        return atan2.emit(w, args[0], args[1])
    if op == "COPYSIGN":
        return w.with_sign_of(args[0], args[1])
    if op == "SIGN":
        one, zero = w.constant(1.0), w.constant(0.0)
        above = w.select(w.compare("ogt", args[0], zero), one, zero)
        return w.select(w.compare("olt", args[0], zero), w.constant(-1.0), above)
    raise AssertionError(f"no translation for the operation {op}")
