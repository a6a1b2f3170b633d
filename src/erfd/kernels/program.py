"""A CasADi function as a straight line of instructions, and its translation to LLVM assembly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import sincos
from .count import op_names
from .writer import Writer


@dataclass(frozen=True, slots=True)
class Instruction:
    """One operation on earlier results; `value` of a constant, `place` of an input."""

    op: str
    args: tuple[int, ...] = ()
    value: float = 0.0
    place: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Program:
    """Instructions in order, and which of them are the outputs."""

    instructions: tuple[Instruction, ...]
    outputs: tuple[int, ...]

    def inputs(self) -> set[tuple[int, int]]:
        """(input, element) of everything that is read."""
        return {i.place for i in self.instructions if i.op == "INPUT"}


def program_of(function: Any) -> Program:
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
    return Program(tuple(lines), tuple(last if k is None else k for k in outputs))


def emit(w: Writer, program: Program, leaf: Callable[[int, int], str]) -> list[str]:
    """The values of the outputs; `leaf(input, element)` gives those of the inputs.

    A product with one use in a sum is fused with it here, not by the compiler, so that a state has
    the same result to the last bit whether it comes alone or in a batch.
    """
    uses = [0] * len(program.instructions)
    for line in program.instructions:
        for k in line.args:
            uses[k] += 1
    for k in program.outputs:
        uses[k] += 1
    values: list[str | None] = [None] * len(program.instructions)

    def value(k: int) -> str:
        known = values[k]
        if known is None:  # a product that waited to be fused
            line = program.instructions[k]
            known = values[k] = w.mul(value(line.args[0]), value(line.args[-1]))
        return known

    def waiting(k: int) -> bool:
        return values[k] is None

    turned: dict[int, tuple[str, str]] = {}

    for k, line in enumerate(program.instructions):
        args = line.args
        if line.op in ("MUL", "SQ"):
            if uses[k] > 1 or not w.fused:
                values[k] = w.mul(value(args[0]), value(args[-1]))
        elif line.op == "ADD":
            a, b = args if waiting(args[0]) else args[::-1]
            if waiting(a):
                x, y = _factors(program, a)
                values[k] = w.fma(value(x), value(y), value(b))
            else:
                values[k] = w.add(value(args[0]), value(args[1]))
        elif line.op == "SUB":
            a, b = args
            if waiting(b):
                x, y = _factors(program, b)
                values[k] = w.fma(w.neg(value(x)), value(y), value(a))
            elif waiting(a):
                x, y = _factors(program, a)
                values[k] = w.fma(value(x), value(y), w.neg(value(b)))
            else:
                values[k] = w.sub(value(a), value(b))
        elif line.op == "INPUT":
            values[k] = leaf(*line.place)
        elif line.op == "CONST":
            values[k] = w.constant(line.value)
        elif line.op == "NEG":
            values[k] = w.neg(value(args[0]))
        elif line.op == "TWICE":
            values[k] = w.add(value(args[0]), value(args[0]))
        elif line.op == "INV":
            values[k] = w.div(w.constant(1.0), value(args[0]))
        elif line.op == "DIV":
            values[k] = w.div(value(args[0]), value(args[1]))
        elif line.op in ("SIN", "COS"):
            if args[0] not in turned:
                turned[args[0]] = sincos.emit(w, value(args[0]))
            values[k] = turned[args[0]][line.op == "COS"]
        else:
            values[k] = _choice(w, line.op, [value(a) for a in args])
    return [value(k) for k in program.outputs]


COMPARISONS = {"LT": "olt", "LE": "ole", "EQ": "oeq", "NE": "une"}


def _choice(w: Writer, op: str, args: list[str]) -> str:
    """Operations that compare and choose; a truth value is 1 or 0."""
    one, zero = w.constant(1.0), w.constant(0.0)
    if op in COMPARISONS:
        return w.select(w.compare(COMPARISONS[op], *args), one, zero)
    if op in ("FMIN", "FMAX"):
        how = "olt" if op == "FMIN" else "ogt"
        return w.select(w.compare(how, *args), args[0], args[1])
    if op == "SQRT":
        return w.value(f"call {w.type} @llvm.sqrt.{w.suffix}({w.type} {args[0]})")
    if op == "FABS":
        return w.size(args[0])
    if op == "SIGN":
        above = w.select(w.compare("ogt", args[0], zero), one, zero)
        return w.select(w.compare("olt", args[0], zero), w.constant(-1.0), above)
    if op == "IF_ELSE_ZERO":
        return w.select(w.compare("une", args[0], zero), args[1], zero)
    if op == "NOT":
        return w.select(w.compare("oeq", args[0], zero), one, zero)
    if op == "AND":
        return w.mul(args[0], args[1])
    if op == "OR":
        return w.select(w.compare("ogt", args[0], args[1]), args[0], args[1])
    raise AssertionError(f"no translation for the operation {op}")


def _factors(program: Program, k: int) -> tuple[int, int]:
    args = program.instructions[k].args
    return args[0], args[-1]
