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
        w.store_lanes("%out", k, value)
    w.put("ret void")
    inputs = ", ".join(f"ptr %a{k}" for k in range(function.n_in()))
    return w.function(f"define internal void @{name}({inputs}, ptr %out) noinline")


def _load(w: Writer, argument: int, element: int, shared: bool) -> str:
    if not shared:
        return w.load_lanes(f"%a{argument}", element)
    return w.spread(w.load(w.at(f"%a{argument}", element), "double"))
