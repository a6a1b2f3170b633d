"""The roofline: the least time that arithmetic and memory of a batch can take, and its time.

Operations are the kernel's multiplications and additions (a division counts as one) and those of a
sine and cosine for every angle that is read; the peak is that of one core's fused sums, the
bandwidth that of a copy of as many bytes. Both are measured in the same run.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..kernels.kernel import kernel
from ..kernels.llvm import sincos
from ..kernels.llvm.instructions import instructions_of
from ..kernels.llvm.writer import Writer
from ..kernels.trace import quantity_trace
from ..robot.model import Robot
from .loops import peak_flops
from .measure import best_of
from .states import BENCHED_QUANTITIES


def sincos_flops() -> int:
    """Count the operations of a sine and cosine: sums, products 1, fused ones 2, selections 0."""
    writer = Writer(1, True)
    sincos.emit(writer, "%x")
    costs = {"fadd ": 1, "fsub ": 1, "fmul ": 1, "@llvm.fma": 2}
    return sum(cost for line in writer.lines for key, cost in costs.items() if key in line)


def bandwidth(size: int) -> float:
    """Measure bytes per s, read and written, of a copy that touches `size` bytes in all."""
    source, target = np.ones(size // 16), np.empty(size // 16)
    np.copyto(target, source)
    return 2.0 * source.nbytes / best_of(lambda: np.copyto(target, source), 5)


def roofline(robot: Robot, count: int, measured: dict[str, float]) -> dict[str, Any]:
    """The roofline of every quantity of `measured`, ns per state in a batch of `count`."""
    peak = peak_flops()
    rows = []
    for quantity in BENCHED_QUANTITIES:
        compiled = kernel(robot, quantity)
        if compiled is None or quantity not in measured:
            continue
        header, layout = compiled.header, compiled.layout
        program = instructions_of(quantity_trace(robot, quantity, header["method"]))
        angles = {element for index, element in program.inputs() if layout.leaves[index][1]}
        flops = header["multiplications"] + header["additions"] + len(angles) * sincos_flops()
        size = 8 * sum(math.prod(shape) for shape in layout.shapes)
        speed = bandwidth(size * count)
        arithmetic, memory = flops / peak * 1e9, size / speed * 1e9
        rows.append(
            {
                "quantity": quantity,
                "multiplications": header["multiplications"],
                "additions": header["additions"],
                "angles": len(angles),
                "flops": flops,
                "bytes": size,
                "arithmetic_ns": arithmetic,
                "memory_ns": memory,
                "measured_ns": measured[quantity],
                "part": max(arithmetic, memory) / measured[quantity],
            }
        )
    return {"peak_flops": peak, "sincos_flops": sincos_flops(), "states": count, "rows": rows}
