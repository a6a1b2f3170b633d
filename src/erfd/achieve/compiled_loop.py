"""The loop of Algorithm 1 in machine code, for one robot or as many variants as lanes."""

from __future__ import annotations

import ctypes
from functools import cached_property
from typing import Any

import numpy as np

from ..ground.arrays import Array
from ..kernels.cache_key import content_of, sources_version
from ..kernels.compiler import host
from ..kernels.llvm.function_text import function_text
from ..kernels.llvm.writer import module_text
from ..kernels.machine_code import Assembly, MachineCode, header_of
from ..kernels.payload_parameters import PayloadParameters
from ..kernels.trace import casadi
from ..robot.model import Robot
from .cycle import CycleTraces, traces
from .loop_text import TALLY, LoopLayout, loop_text, step_text, stretch_text
from .symbols import (
    CYCLE_VECTORS,
    GIVEN_VECTORS,
    NOTE_VECTORS,
    SATURATED_VECTORS,
    CycleOptions,
    calm_size,
    row_size,
)


class CycleLoop:
    """The compiled loop of one robot; `width` lanes are variants of one motion.

    It is compiled in a thread; the first run waits for that.
    """

    def __init__(self, robot: Robot, options: CycleOptions, width: int):
        self.robot, self.n, self.width, self.options = robot, robot.n, width, options
        count = len(self.bodies.places) if options.payload else 0
        self.layout = LoopLayout(robot.n, 6 if options.wrench else 0, count)
        calm = options.policy == "consistent" and options.follow == "velocity"
        self.stretch = host().width if width == 1 and calm else 0
        parts = ("achievable", content_of(robot), robot.drives, options, width)
        sources = sources_version("drives", "achieve")
        self._code = MachineCode((parts, sources), self._assembly, background=True)
        self.work = np.zeros(self.layout.work_size(width, self.stretch) + 1)

    @cached_property
    def bodies(self) -> PayloadParameters:
        """The base parameters of the arm that a payload changes."""
        return PayloadParameters.of(self.robot)

    def _assembly(self) -> Assembly:
        policy = self.options.policy
        traced = traces(self.robot, self.options)
        header = header_of(self.robot, f"achievable x{self.width}", policy)
        return Assembly(header, _module(traced, self.layout, self.width, self.stretch, policy))

    @cached_property
    def run_cycles(self) -> Any:
        """The loop as a C function, see `loop_text`."""
        pointer, number = ctypes.c_void_p, ctypes.c_int64
        return self._code.function(
            "run_cycles", number, pointer, *([pointer, number] * 3), *([pointer] * 3), number,
            pointer, number, number,
        )  # fmt: skip

    @cached_property
    def step(self) -> Any:
        """The loop as a C function of one array that holds its arguments."""
        return self._code.function("step", ctypes.c_int64, ctypes.c_void_p)

    @classmethod
    def of(cls, robot: Robot, options: CycleOptions, width: int = 1) -> CycleLoop:
        """The loop of a robot, made once."""
        return robot.once((cls, options, width), lambda: cls(robot, options, width))

    def run(
        self,
        state: Array,
        given: Array,
        parameters: Array,
        *,
        wrench: Array | None = None,
        body: Array | None = None,
        tally: Array | None = None,
        last: bool = False,
        noted: bool = False,
    ) -> Array:
        """Run all cycles: rows (1 + cycles, row, width), the start first, or only the `last` row.

        `state` (2 n, width), `given` (cycles, 3 n), `parameters` (10 n + 2, width), `wrench`
        (cycles or 1, 6, width), `body` (cycles or 1, places, width), `tally` (3 n + 1, width),
        which is added to; `noted`: fill in `NOTE_VECTORS`, too. Fewer rows than that: an angle left
        the range of the kernels' sine, or the arm has run away.
        """
        cycles = len(given)
        rows = np.zeros((1 if last else 1 + cycles, row_size(self.n), self.width))
        rows[0, : 2 * self.n] = state
        first = rows if last else rows[1:]
        current, given = np.array(state, order="C"), np.ascontiguousarray(given)
        fixed = np.ascontiguousarray(parameters)
        wrenches, wrench_step = _stepped(wrench)
        bodies, body_step = _stepped(body)
        work = self.work.copy()  # calls from many threads at once
        done = self.run_cycles(
            current.ctypes.data, given.ctypes.data, given.strides[0],
            wrenches.ctypes.data, wrench_step, bodies.ctypes.data, body_step, fixed.ctypes.data,
            work.ctypes.data, first.ctypes.data, 0 if last else rows.strides[0],
            None if tally is None else tally.ctypes.data, int(noted), cycles,
        )  # fmt: skip
        return rows[: int(done == cycles)] if last else rows[: 1 + done]


_NOTHING = np.zeros(1)


def _stepped(values: Array | None) -> tuple[Array, int]:
    """Contiguous values, and the bytes from one cycle to the next."""
    if values is None:
        return _NOTHING, 0
    array = np.ascontiguousarray(values)
    return array, array.strides[0] if len(array) > 1 else 0


def _module(traced: CycleTraces, layout: LoopLayout, width: int, stretch: int, policy: str) -> str:
    """The whole module as LLVM assembly: functions of the traces, and the loop."""
    fused = host().fused
    functions: list[tuple[str, Any, tuple[int, ...]]] = [
        ("cycle", traced.cycle, (1,)), ("note", traced.note, (1,)),
    ]  # fmt: skip
    if policy != "printed":
        functions += [
            ("open", traced.open, ()), ("setup", traced.setup, ()),
            ("start", traced.start, ()), ("round", traced.round, (3,)),
            ("advance", traced.advance, (1,)), ("stop", traced.stop, ()),
            ("judge", traced.judge, ()), ("close", traced.close, ()),
        ]  # fmt: skip
    if width > 1:
        functions += [
            ("tally", _tally(layout.n), (1,)),
            ("tally_saturated", _tally_saturated(layout.n), ()),
        ]
    texts = [function_text(name, f, width, fused, shared) for name, f, shared in functions]
    if stretch:
        texts.append(function_text("cycles", traced.cycle, stretch, fused, (4,)))
        texts.append(function_text("notes", traced.note, stretch, fused, (2,)))
        texts.append(stretch_text(layout, stretch, fused))
    texts += [loop_text(layout, width, stretch, policy), step_text()]
    return module_text(texts, width, *([stretch] if stretch else []))


def _tally(n: int) -> Any:
    """Trace the largest motor torque and lag so far."""
    ca = casadi()
    row = ca.SX.sym("row", calm_size(n))
    given = ca.SX.sym("given", len(GIVEN_VECTORS) * n)
    sums = ca.SX.sym("tally", len(TALLY) * n)
    torque = ca.fabs(row[CYCLE_VECTORS.index("torque") * n :][:n])
    lag = ca.fabs(row[:n] - given[:n])
    result = [ca.fmax(sums[:n], torque), ca.fmax(sums[n : 2 * n], lag), sums[2 * n :]]
    return ca.Function("tally", [row, given, sums], [ca.vertcat(*result)])


def _tally_saturated(n: int) -> Any:
    """Trace the count of cycles in which a motor was at its limit."""
    ca = casadi()
    row, sums = ca.SX.sym("row", row_size(n)), ca.SX.sym("tally", len(TALLY) * n)
    side = row[(len(CYCLE_VECTORS) + SATURATED_VECTORS.index("side")) * n + 1 :][:n]
    result = ca.vertcat(sums[: 2 * n], sums[2 * n :] + ca.fabs(side))
    return ca.Function("tally_saturated", [row, sums], [result])


def columns(rows: Array, n: int, policy: str) -> dict[str, Array]:
    """Cut rows (cycles, row, ...) by name: arrays (cycles, n, ...).

    The names are `CYCLE_VECTORS`, `SATURATED_VECTORS`, `NOTE_VECTORS`.
    """
    values = {name: rows[:, k * n : (k + 1) * n] for k, name in enumerate(CYCLE_VECTORS)}
    after = len(CYCLE_VECTORS) * n + 1
    for k, name in enumerate((*SATURATED_VECTORS, *NOTE_VECTORS)):
        values[name] = rows[:, after + k * n : after + (k + 1) * n]
    if policy == "consistent":  # what the saturation problem has not written; the rest is zero
        calm = ~(rows[:, after - 1 : after] > 0)
        for name, calm_value in (("wanted", values["qdd"]), ("needed", values["torque"])):
            values[name] = calm_value if calm.all() else np.where(calm, calm_value, values[name])
    return values
