"""Two small compiled loops: a kernel's scalar function state by state, and fused sums."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from typing import Any

from ..kernels.compiler import compile_object, host, load_object
from ..kernels.kernel import Kernel
from ..kernels.llvm.writer import Writer, module_text
from .measure import best_of

ACCUMULATORS = 12
"""Independent sums: more than latency x ports of the machines of today, fewer than registers."""


def scalar_loop(kernel: Kernel) -> tuple[Callable[..., None], int]:
    """The function `loop(one, inputs.., output, count)` on addresses, and the kernel's `one`.

    It is what a simulation that is compiled would do: one call of the scalar function per state.
    """
    address = kernel.engine.get_function_address("one")
    if not address:
        raise LookupError("the kernel has no scalar function")
    sizes = [math.prod(shape) for shape in kernel.layout.shapes]
    return _function(_scalar_text(sizes), "many", None, len(sizes) + 1), address


def _scalar_text(sizes: list[int]) -> str:
    """The loop over contiguous states of so many doubles per argument."""
    places = []
    for k, size in enumerate(sizes):
        places += [
            f"  %at{k} = mul i64 %i, {size}",
            f"  %p{k} = getelementptr double, ptr %a{k}, i64 %at{k}",
        ]
    arguments = ", ".join(f"ptr %a{k}" for k in range(len(sizes)))
    given = ", ".join(f"ptr %p{k}" for k in range(len(sizes)))
    lines = [
        f"define void @many(ptr %one, {arguments}, i64 %count) {{",
        "entry:",
        "  br label %state",
        "state:",
        "  %i = phi i64 [ 0, %entry ], [ %next, %state ]",
        *places,
        f"  %bad = call i1 %one({given})",
        "  %next = add i64 %i, 1",
        "  %more = icmp slt i64 %next, %count",
        "  br i1 %more, label %state, label %done",
        "done:",
        "  ret void",
        "}",
    ]
    return "\n".join(lines) + "\n"


def peak_flops(repeats: int = 7, count: int = 400_000) -> float:
    """Measure the operations per s of one core with vectors of fused sums (two operations each)."""
    run = _function(_peak_text(host().width, host().fused), "peak", ctypes.c_double, 0)
    run(1000)
    seconds = best_of(lambda: run(count), repeats)
    return 2.0 * host().width * ACCUMULATORS * count / seconds


def _peak_text(width: int, fused: bool) -> str:
    """The loop of fused sums as LLVM assembly."""
    writer = Writer(width, fused)
    kind, suffix = writer.type, writer.suffix
    factor, term = f"splat (double {0.9999999:e})", f"splat (double {1e-7:e})"
    lines = ["entry:", "  br label %turn", "turn:", "  %i = phi i64 [ 0, %entry ], [ %j, %turn ]"]
    chains = range(ACCUMULATORS)
    lines += [
        f"  %x{k} = phi {kind} [ splat (double {k + 1:e}), %entry ], [ %y{k}, %turn ]"
        for k in chains
    ]
    for k in chains:
        if fused:
            given = f"{kind} %x{k}, {kind} {factor}, {kind} {term}"
            lines.append(f"  %y{k} = call {kind} @llvm.fma.{suffix}({given})")
        else:
            lines += [
                f"  %m{k} = fmul {kind} %x{k}, {factor}",
                f"  %y{k} = fadd {kind} %m{k}, {term}",
            ]
    lines += [
        "  %j = add i64 %i, 1",
        "  %more = icmp slt i64 %j, %count",
        "  br i1 %more, label %turn, label %done",
        "done:",
        f"  %s0 = fadd {kind} %y0, %y1",
    ]
    last = "%s0"
    for k in range(2, ACCUMULATORS):  # all of them are needed: none may be left out
        lines.append(f"  %s{k} = fadd {kind} {last}, %y{k}")
        last = f"%s{k}"
    lines += [f"  %r = extractelement {kind} {last}, i32 0", "  ret double %r", "}"]
    return module_text(["\n".join(["define double @peak(i64 %count) #0 {", *lines])], width)


def _function(text: str, name: str, result: Any, pointers: int) -> Callable[..., Any]:
    """A function of so many addresses and a count; its machine code lives as long as it does."""
    engine = load_object(compile_object(text))
    types = [ctypes.c_void_p] * pointers + [ctypes.c_int64]
    call = ctypes.CFUNCTYPE(result, *types)(engine.get_function_address(name))

    def run(*arguments: int, keep: Any = engine) -> Any:
        return call(*arguments)

    return run
