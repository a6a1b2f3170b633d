"""Write a kernel as one LLVM module: a scalar function, a block of lanes, and NumPy's loop.

    one(in.., out..) -> bad               one state, contiguous
    block(in.., out.., strides..) -> bad  `width` states: rows are loaded and transposed, and back
    alone(args, dims, steps, data)        blocks, then the rest
    erfd_loop(args, dims, steps, data)    the loop of a generalized ufunc: alone, or a large batch
                                          shared with other threads (`thread_team_text`)

A state has the same result to the last bit in all of them. `bad` means that an output is not
finite; the loop then adds 1 to the counter at `data` and clears the floating-point flags, for the
caller will ask for the reason.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Callable
from dataclasses import dataclass

from . import sincos
from .instructions import InstructionList, emit
from .thread_team_text import shared_loop
from .writer import Writer, module_text

LOOP_HEAD = "define internal void @alone(ptr %args, ptr %dims, ptr %steps, ptr %data)"
FE_ALL = 0x1F if platform.machine().lower() in ("aarch64", "arm64") else 0x3D


@dataclass(frozen=True, slots=True)
class Layout:
    """The arguments and results of a kernel: their shapes, and the sources of the trace's inputs.

    `leaves[input]` says for each input of the program: (argument, "sin" | "cos" | "") .
    """

    inputs: tuple[tuple[int, ...], ...]
    outputs: tuple[tuple[int, ...], ...]
    leaves: tuple[tuple[int, str], ...]

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """All arguments, inputs first."""
        return (*self.inputs, *self.outputs)

    @property
    def signature(self) -> str:
        """NumPy's text for it, such as (6),(6)->(6)."""
        sides = (",".join(f"({','.join(map(str, s))})" for s in side)
                 for side in (self.inputs, self.outputs))  # fmt: skip
        return "->".join(sides)


def kernel_text(program: InstructionList, layout: Layout, width: int, fused: bool) -> str:
    """The whole module as LLVM assembly."""
    parts = [_one(program, layout, fused)]
    if width > 1:
        parts.append(_block(program, layout, width, fused))
    parts += [_loop(layout, width), shared_loop("erfd_loop", "alone", len(layout.shapes))]
    declared = ["declare double @sin(double)", "declare double @cos(double)",
                "declare i32 @feclearexcept(i32)"]  # fmt: skip
    return module_text(parts, 1, width, declared=declared)


def _pointers(layout: Layout) -> str:
    ins = [f"ptr noalias readonly %a{k}" for k in range(len(layout.inputs))]
    n = len(layout.inputs)
    outs = [f"ptr noalias %a{k + n}" for k in range(len(layout.outputs))]
    return ", ".join([*ins, *outs])


def _angles(program: InstructionList, layout: Layout) -> list[tuple[int, int]]:
    """(argument, element) of every angle whose sine or cosine is read."""
    angles = set()
    for index, element in program.inputs():
        argument, kind = layout.leaves[index]
        if kind:
            angles.add((argument, element))
    return sorted(angles)


def _leaf(
    layout: Layout, load: Callable[[int, int], str], sin_cos: dict[tuple[int, int], tuple[str, str]]
) -> Callable[[int, int], str]:
    def leaf(index: int, element: int) -> str:
        argument, kind = layout.leaves[index]
        if kind:
            return sin_cos[argument, element][0 if kind == "sin" else 1]
        return load(argument, element)

    return leaf


def _bad(w: Writer, values: list[str]) -> str:
    """One truth value: some value is NaN or infinite, even an input that is not used."""
    zero = w.constant(0.0)
    terms = [w.mul(value, zero) for value in values if value.startswith("%")]
    while len(terms) > 1:  # as a tree: one after the other they would wait for each other
        pairs = [w.add(a, b) for a, b in zip(terms[::2], terms[1::2], strict=False)]
        terms = pairs + terms[len(terms) - len(terms) % 2 :]
    fine = w.every(w.compare("oeq", terms[0] if terms else zero, zero))
    return w.value(f"xor i1 {fine}, true")


def _one(program: InstructionList, layout: Layout, fused: bool) -> str:
    w = Writer(1, fused)
    loaded: dict[tuple[int, int], str] = {}

    def load(argument: int, element: int) -> str:
        if (argument, element) not in loaded:
            loaded[argument, element] = w.load_lanes(f"%a{argument}", element)
        return loaded[argument, element]

    angles = _angles(program, layout)
    for argument, shape in enumerate(layout.inputs):
        for element in range(math.prod(shape)):
            load(argument, element)
    sin_cos: dict[tuple[int, int], tuple[str, str]] = {}
    if angles:
        within = w.within([load(*a) for a in angles], sincos.LARGEST)
        w.put(f"br i1 {within}, label %fast, label %slow")
        w.label("fast")
        quick = {a: sincos.emit(w, load(*a)) for a in angles}
        w.put("br label %join")
        w.label("slow")
        careful = {
            a: (w.value(f"call double @sin(double {load(*a)})"),
                w.value(f"call double @cos(double {load(*a)})"))
            for a in angles
        }  # fmt: skip
        w.put("br label %join")
        w.label("join")
        for a in angles:
            pairs = zip(quick[a], careful[a], strict=True)
            both = [w.value(f"phi double [ {x}, %fast ], [ {y}, %slow ]") for x, y in pairs]
            sin_cos[a] = (both[0], both[1])
    values = emit(w, program, _leaf(layout, load, sin_cos))
    place = 0
    for k, shape in enumerate(layout.outputs):
        for element in range(math.prod(shape)):
            w.store_lanes(f"%a{len(layout.inputs) + k}", element, values[place])
            place += 1
    w.put(f"ret i1 {_bad(w, [*loaded.values(), *values])}")
    return w.function(f"define i1 @one({_pointers(layout)})")


def _block(program: InstructionList, layout: Layout, width: int, fused: bool) -> str:
    w = Writer(width, fused)
    columns: dict[tuple[int, int], str] = {}
    for argument, shape in enumerate(layout.inputs):
        loaded = w.gather(_rows(w, argument), math.prod(shape))
        columns |= {(argument, e): vector for e, vector in enumerate(loaded)}
    angles = _angles(program, layout)
    sin_cos = {}
    if angles:
        within = w.within([columns[a] for a in angles], sincos.LARGEST)
        w.put(f"br i1 {within}, label %go, label %apart")
        w.label("apart")
        _lanes_apart(w, layout)
        w.label("go")
        sin_cos = {a: sincos.emit(w, columns[a]) for a in angles}
    values = emit(w, program, _leaf(layout, lambda a, e: columns[a, e], sin_cos))
    place = 0
    for k, shape in enumerate(layout.outputs):
        count = math.prod(shape)
        w.scatter(_rows(w, len(layout.inputs) + k), 0, values[place : place + count])
        place += count
    w.put(f"ret i1 {_bad(w, [*columns.values(), *values])}")
    strides = ", ".join(f"i64 %s{k}" for k in range(len(layout.shapes)))
    return w.function(f"define internal i1 @block({_pointers(layout)}, {strides}) noinline")


def _rows(w: Writer, argument: int) -> list[str]:
    """The addresses of an argument in every lane."""
    return w.rows(f"%a{argument}", f"%s{argument}", range(w.width))


def _lanes_apart(w: Writer, layout: Layout) -> None:
    """Pass every lane through `one` and return, as an angle is beyond the fast range."""
    bad = "false"
    for lane in zip(*(_rows(w, k) for k in range(len(layout.shapes))), strict=True):
        now = w.value(f"call i1 @one({', '.join(f'ptr {row}' for row in lane)})")
        bad = w.value(f"or i1 {bad}, {now}")
    w.put(f"ret i1 {bad}")


def _loop(layout: Layout, width: int) -> str:
    """NumPy's inner loop: strides of the batch first, then those of the core dimensions."""
    w = Writer(1, True)
    shapes = layout.shapes
    n = len(shapes)
    total = w.load("%dims", "i64")
    pointers = [w.load(w.at("%args", k, "ptr"), "ptr") for k in range(n)]
    strides = [w.load(w.at("%steps", k, "i64"), "i64") for k in range(n)]
    position = n
    core: list[list[str]] = []
    dense = "true"
    for shape in shapes:
        steps = []
        for axis in range(len(shape)):
            step = w.load(w.at("%steps", position, "i64"), "i64")
            natural = 8 * math.prod(shape[axis + 1 :])
            if shape[axis] > 1:
                same = w.value(f"icmp eq i64 {step}, {natural}")
                dense = w.value(f"and i1 {dense}, {same}")
            steps.append(step)
            position += 1
        core.append(steps)
    w.put(f"br i1 {dense}, label %blocks, label %strided")

    def shifted(at: str) -> list[str]:
        return [w.rows(p, s, [at])[0] for p, s in zip(pointers, strides, strict=True)]

    w.label("blocks")
    if width > 1:
        w.put("br label %block_test")
        w.label("block_test")
        w.put("%bi = phi i64 [ 0, %blocks ], [ %bi2, %block_do ]")
        w.put("%bbad = phi i1 [ false, %blocks ], [ %bbad2, %block_do ]")
        w.put(f"%bi2 = add i64 %bi, {width}")
        w.put(f"%bmore = icmp sle i64 %bi2, {total}")
        w.put("br i1 %bmore, label %block_do, label %single_test")
        w.label("block_do")
        places = ", ".join([f"ptr {p}" for p in shifted("%bi")] + [f"i64 {s}" for s in strides])
        w.put(f"%bnow = call i1 @block({places})")
        w.put("%bbad2 = or i1 %bbad, %bnow")
        w.put("br label %block_test")
        begin, source = ("%bi", "%bbad"), "block_test"
    else:
        w.put("br label %single_test")
        begin, source = ("0", "false"), "blocks"
    w.label("single_test")
    w.put(f"%si = phi i64 [ {begin[0]}, %{source} ], [ %si2, %single_do ]")
    w.put(f"%sbad = phi i1 [ {begin[1]}, %{source} ], [ %sbad2, %single_do ]")
    w.put(f"%smore = icmp slt i64 %si, {total}")
    w.put("br i1 %smore, label %single_do, label %end")
    w.label("single_do")
    places = ", ".join(f"ptr {p}" for p in shifted("%si"))
    w.put(f"%snow = call i1 @one({places})")
    w.put("%sbad2 = or i1 %sbad, %snow")
    w.put("%si2 = add i64 %si, 1")
    w.put("br label %single_test")

    w.label("strided")  # core dimensions that are not contiguous: through a buffer, one by one
    buffers = [w.value(f"alloca [{max(math.prod(s), 1)} x double], align 64") for s in shapes]
    w.put("br label %strided_test")
    w.label("strided_test")
    w.put("%ti = phi i64 [ 0, %strided ], [ %ti2, %strided_do ]")
    w.put("%tbad = phi i1 [ false, %strided ], [ %tbad2, %strided_do ]")
    w.put(f"%tmore = icmp slt i64 %ti, {total}")
    w.put("br i1 %tmore, label %strided_do, label %end")
    w.label("strided_do")
    places_at = shifted("%ti")
    inputs = range(len(layout.inputs))
    for k in inputs:
        _copy(w, shapes[k], places_at[k], core[k], buffers[k], into_buffer=True)
    w.put(f"%tnow = call i1 @one({', '.join(f'ptr {b}' for b in buffers)})")
    for k in range(len(layout.inputs), n):
        _copy(w, shapes[k], places_at[k], core[k], buffers[k], into_buffer=False)
    w.put("%tbad2 = or i1 %tbad, %tnow")
    w.put("%ti2 = add i64 %ti, 1")
    w.put("br label %strided_test")

    w.label("end")
    w.put("%wrong = phi i1 [ %sbad, %single_test ], [ %tbad, %strided_test ]")
    w.put("br i1 %wrong, label %report, label %done")
    w.label("report")
    w.put("%old = atomicrmw add ptr %data, i64 1 monotonic")
    w.put(f"%cleared = call i32 @feclearexcept(i32 {FE_ALL})")
    w.put("br label %done")
    w.label("done")
    w.put("ret void")
    return w.function(LOOP_HEAD)


def _copy(
    w: Writer,
    shape: tuple[int, ...],
    base: str,
    steps: list[str],
    buffer: str,
    *,
    into_buffer: bool,
) -> None:
    """Copy one argument between a strided place and a contiguous buffer, unrolled."""
    for element in range(math.prod(shape)):
        index, pointer = element, base
        for axis in reversed(range(len(shape))):
            k, index = index % shape[axis], index // shape[axis]
            pointer = w.rows(pointer, steps[axis], [k])[0]
        inside = w.at(buffer, element)
        source, target = (pointer, inside) if into_buffer else (inside, pointer)
        w.store(w.load(source), target)
