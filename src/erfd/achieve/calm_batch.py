"""Compiled loop over many variants of one motion, as long as no motor saturates.

As long as a motion is calm, positions, velocities and accelerations do not depend on payload,
friction, wrench or torque limits. Motor loads are then linear in a payload's ten numbers and in the
wrench, with coefficients that are worked out once a cycle for all variants (the regressor and the
Jacobian, at the rotors):

    x = x_0 + Y ten + J^T wrench

What is left for a variant is that sum, its friction and its limits. At the first cycle in which a
variant has too little, `compiled_loop` goes on with it.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from ..drives.symbols import torque_limit
from ..ground.arrays import Array
from ..kernels.cache_key import content_of, sources_version
from ..kernels.choice import choose_row_function
from ..kernels.compiler import host
from ..kernels.llvm.function_text import function_text
from ..kernels.llvm.writer import Writer, module_text
from ..kernels.machine_code import Assembly, MachineCode, header_of
from ..kernels.payload_parameters import PayloadParameters
from ..kernels.trace import casadi, scalars
from ..robot.model import Robot
from .symbols import SLACK, CycleOptions, CycleSymbols


class CalmBatch:
    """The compiled loops of calm variants: the table of a motion, and variants along it.

    `table(motion)` is what all variants share, (cycles, size), of states, accelerations and the
    velocities at the end (cycles, 4 n).
    """

    def __init__(self, robot: Robot, options: CycleOptions):
        self.n, self.width = robot.n, host().width
        traces: list[Any] = []

        def traced(place: int) -> Any:
            if not traces:
                traces.extend(_traces(robot, options))
            return traces[place]

        self.table = choose_row_function(
            robot, ("calm_cycle", options), lambda: traced(0), "shared motion",
            sources=("drives", "achieve"),
        )  # fmt: skip
        self.size = self.table.size

        def assembly() -> Assembly:
            text = _module(traced(1), self.size, self.n, self.width)
            return Assembly(header_of(robot, "achievable variants", options.policy), text)

        parts = ("calm_cycle", content_of(robot), robot.drives, options)
        code = MachineCode((parts, sources_version("drives", "achieve")), assembly)
        pointer, number = ctypes.c_void_p, ctypes.c_int64
        form = (*([pointer] * 2), number, *([pointer] * 3), number)
        self._loop = code.function("calm_cycles", number, *form)

    @classmethod
    def of(cls, robot: Robot, options: CycleOptions) -> CalmBatch:
        """The loops of a robot, made once."""
        return robot.once((cls, options), lambda: cls(robot, options))

    def run(self, table: Array, wrench: Array, ten: Array, fixed: Array, tally: Array) -> int:
        """Run variants until one saturates: the cycles done; fills `tally` with torque peaks.

        `tally` (n, width) has the largest torques so far, and those of the cycles done afterwards.

        `wrench` (cycles or 1, 6, width), `ten` (10, width) the numbers of the payloads, `fixed` as
        `drives.parameters.parameter_rows` has it.
        """
        step = wrench.strides[0] if len(wrench) > 1 else 0
        arrays = (table, wrench, ten, fixed, tally)
        places = [a.ctypes.data for a in arrays]
        return int(self._loop(places[0], places[1], step, *places[2:], len(table)))


def _traces(robot: Robot, options: CycleOptions) -> tuple[Any, Any]:
    """Trace `table` and a step of (table, wrench, ten, parameters, tally).

    The table is one of (q, qd, qdd, qd at the end).
    """
    ca, n = casadi(), robot.n
    bodies = PayloadParameters.of(robot)
    s = CycleSymbols(robot, options, bodies)
    ten, qdd, qd_end = ca.SX.sym("ten", 10), ca.SX.sym("qdd", n), ca.SX.sym("qd_end", n)
    link_values = ca.DM(np.array(bodies.unloaded)[list(bodies.places)])
    gain = ca.DM(np.array(bodies.gain).reshape(-1, 10))
    load = ca.DM(s.to_load) @ (s.torques(qdd) + s.damping * qd_end)
    if options.payload:
        load = ca.substitute(load, s.body, link_values + gain @ ten)
    effects = [
        (ten, ca.jacobian(load, ten)) if options.payload else None,
        (s.wrench, ca.jacobian(load, s.wrench)) if options.wrench else None,
    ]
    at_zero = ca.substitute(load, ca.vertcat(ten, s.wrench), ca.DM.zeros(16))
    K = ca.DM(s.K)
    rows = [K @ s.qd, K @ qdd, at_zero]
    entries: list[tuple[int, Any]] = []  # of motor i: which unknown its next coefficient goes with
    coefficients = []
    for effect in effects:
        if effect is None:
            continue
        unknown, matrix = effect
        matrix = ca.sparsify(ca.cse(matrix))
        for i, j in zip(*matrix.sparsity().get_triplet(), strict=True):
            entries.append((i, unknown[j]))
            coefficients.append(matrix[i, j])
    motion = ca.vertcat(s.state, qdd, qd_end)
    whole = ca.cse(ca.densify(ca.vertcat(*rows, *coefficients)))
    table = ca.Function("table", [motion], [whole])

    row, peak = ca.SX.sym("table", whole.numel()), ca.SX.sym("tally", n)
    values = scalars(row)
    rate, y, sums = values[:n], values[n : 2 * n], values[2 * n : 3 * n]
    for (i, unknown), value in zip(entries, values[3 * n :], strict=True):
        sums[i] = sums[i] + value * unknown
    result = _motors(s, ca.vertcat(*rate), ca.vertcat(*y), ca.vertcat(*sums), peak)
    step = ca.Function("calm_cycle", [row, s.wrench, ten, s.parameters, peak], [result])
    return table, step


def _motors(s: CycleSymbols, rate: Any, y: Any, load: Any, peak: Any) -> Any:
    """The largest torques so far, and whether a motor has too little; see `cycle`."""
    ca, p = casadi(), s.p
    limit = torque_limit(s.robot, rate, p["torque_max"])
    needed, helped = s.motor_torque(rate, y, load, rate + y * s.dt)
    excess = ca.fabs(needed) - limit * (1 + SLACK) - helped
    torque = ca.fmin(limit, ca.fabs(needed))
    need = excess[0]
    for i in range(1, s.n):
        need = ca.fmax(need, excess[i])
    return ca.cse(ca.vertcat(ca.fmax(peak, torque), need))


def _module(step: Any, size: int, n: int, width: int) -> str:
    """The whole module as LLVM assembly."""
    text = function_text("calm_cycle", step, width, host().fused, (0,))
    return module_text([text, _loop_text(size, n, width)], width)


def _loop_text(size: int, n: int, width: int) -> str:
    """The loop over the cycles as LLVM assembly; it ends before the first that is not calm."""
    w = Writer(width, True)
    w.put(f"%found = alloca <{(n + 1) * width} x double>, align 64")
    w.put("br label %test")
    w.label("test")
    w.put("%k = phi i64 [ 0, %entry ], [ %k2, %keep ]")
    w.put("%more = icmp slt i64 %k, %cycles")
    w.put("br i1 %more, label %do, label %end")
    w.label("do")
    (row,), (push,) = w.rows("%table", str(8 * size), ["%k"]), w.rows("%wrench", "%step", ["%k"])
    inputs = f"ptr {row}, ptr {push}, ptr %ten, ptr %fixed, ptr %tally"
    w.put(f"call void @calm_cycle({inputs}, ptr %found)")
    calm = w.compare("ole", w.load_lanes("%found", n), w.constant(0.0))
    w.put(f"br i1 {w.every(calm)}, label %keep, label %end")
    w.label("keep")
    w.copy("%tally", "%found", n)
    w.put("%k2 = add i64 %k, 1")
    w.put("br label %test")
    w.label("end")
    w.put("ret i64 %k")
    return w.function("define i64 @calm_cycles(ptr %table, ptr %wrench, i64 %step, ptr %ten, "
                      "ptr %fixed, ptr %tally, i64 %cycles)")  # fmt: skip
