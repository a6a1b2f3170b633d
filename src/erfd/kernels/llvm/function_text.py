"""Translate a CasADi function to one LLVM function over arrays in memory, for loops to call.

    void NAME(ptr in0, ptr in1, .., ptr out)

Element e of an array is at e * width doubles, `width` lanes side by side; of a shared input one
double for all lanes. Angles must stay below `sincos.LARGEST`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .instructions import emit, instructions_of
from .writer import Writer


def function_text(
    name: str, function: Any, width: int, fused: bool, shared: Sequence[int] = ()
) -> str:
    """The function as LLVM assembly; `shared` inputs have no lanes."""
    w = Writer(width, fused)
    program = instructions_of(function)
    loaded: dict[tuple[int, int], str] = {}

    def leaf(argument: int, element: int) -> str:
        if (argument, element) not in loaded:
            loaded[argument, element] = _load(w, argument, element, argument in shared)
        return loaded[argument, element]

    for argument, element in sorted(program.inputs()):
        leaf(argument, element)  # all of them before a result is written
    for k, value in enumerate(emit(w, program, leaf)):
        pointer = w.value(f"getelementptr double, ptr %out, i64 {k * width}")
        w.put(f"store {w.type} {value}, ptr {pointer}, align 8")
    w.put("ret void")
    inputs = ", ".join(f"ptr %a{k}" for k in range(function.n_in()))
    return "\n".join([f"define internal void @{name}({inputs}, ptr %out) noinline #0 {{",
                      "entry:", *w.lines, "}"])  # fmt: skip


def _load(w: Writer, argument: int, element: int, shared: bool) -> str:
    place = element if shared else element * w.width
    pointer = w.value(f"getelementptr double, ptr %a{argument}, i64 {place}")
    if not shared or w.width == 1:
        return w.value(f"load {w.type}, ptr {pointer}, align 8")
    number = w.value(f"load double, ptr {pointer}, align 8")
    first = w.value(f"insertelement {w.type} poison, double {number}, i32 0")
    mask = f"<{w.width} x i32> zeroinitializer"
    return w.value(f"shufflevector {w.type} {first}, {w.type} poison, {mask}")


def declarations(width: int) -> list[str]:
    """The declarations of the intrinsics that `function_text` calls."""
    w = Writer(width, True)
    t, s = w.type, w.suffix
    return [
        f"declare {t} @llvm.fma.{s}({t}, {t}, {t})",
        f"declare {t} @llvm.fabs.{s}({t})",
        f"declare {t} @llvm.sqrt.{s}({t})",
        f"declare {t} @llvm.copysign.{s}({t}, {t})",
    ]


def attributes(width: int) -> str:
    """The attributes #0 of every function: vectors of this many lanes may be used whole."""
    bits = 64 * width
    return (f'attributes #0 = {{ nounwind "min-legal-vector-width"="{bits}" '
            f'"prefer-vector-width"="{bits}" }}')  # fmt: skip
