"""The fixed-step simulation in machine code.

    run_steps(memory, fixed, given, step, rows, row step, fence, steps, every) -> steps done

All blocks of `traces.blocks` lie in `memory`, one behind the other; `loop_text` has the control
flow around the traces. `width` lanes are simulated side by side.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from ..ground.arrays import Array
from ..kernels.cache_key import content_of, sources_version
from ..kernels.compiler import host
from ..kernels.llvm.function_text import function_text
from ..kernels.llvm.writer import module_text
from ..kernels.machine_code import Assembly, MachineCode, effort_for, header_of
from .loop_text import Flow, places_of, step_of
from .plant import PARAMETERS, Plant
from .traces import SHARED, elementwise, traces


class SimulationLoop:
    """The compiled loop of one plant and method; the interface of `fixed_step.PythonLoop`."""

    def __init__(
        self, plant: Plant, values: dict[str, Array], method: str, dt: float, width: int = 1
    ):
        self.plant, self.width = plant, width
        self.places, self.length = places_of(plant, method, width)
        self.run_steps, self.derive = _compiled(plant, method, width)
        self.fixed = np.concatenate([values[name] for name in PARAMETERS])
        self.memory = np.zeros(self.length)
        self._block("dt")[:] = np.array([[dt], [1 / dt]])

    def _block(self, name: str, count: int | None = None) -> Array:
        """A view of a block, (count, width)."""
        start, length = self.places[name]
        block = self.memory[start : start + length * self.width].reshape(length, self.width)
        return block if count is None else block[:count]

    def run(
        self, state: Array, modes: Array, given: Array, steps: int, every: int, fence: Array
    ) -> tuple[Array, int]:
        """Run steps as `PythonLoop.run` does; `state` and `modes` have exactly `width` lanes."""
        self._block("state", len(state))[:] = state
        self._block("modes")[:] = modes
        inputs = np.ascontiguousarray(np.broadcast_to(given, (*given.shape[:2], self.width)))
        rows = np.empty((steps // every + 1, self.plant.row, self.width))
        step = inputs.strides[0] if len(inputs) > 1 else 0
        edges = np.ascontiguousarray(fence)
        done = self.run_steps(
            self.memory.ctypes.data, self.fixed.ctypes.data, inputs.ctypes.data, step,
            rows.ctypes.data, rows.strides[0], edges.ctypes.data, steps, every,
        )  # fmt: skip
        state[:] = self._block("state", len(state))
        modes[:] = self._block("modes")
        full = done // every + 1 if done == steps else (done - 1) // every + 1
        return rows[:full], done

    def rates(
        self, state: Array, modes: Array, given: Array, part: float, frozen: bool
    ) -> tuple[Array, Array, Array]:
        """The derivative and the modes at a state, as `PythonLoop.rates` has them."""
        n, size = self.plant.n, self.plant.size
        self._block("state", size)[:, 0], self._block("modes")[:, 0] = state, modes
        self._block("input")[:, 0], self._block("when")[:] = given, part
        flags = np.array([float(frozen), 0.0, 0.0])
        self.derive(self.memory.ctypes.data, self.fixed.ctypes.data, flags.ctypes.data)
        slope = self._block("slope0")[:, 0]
        extra = slope[size : size + 2 * n] if self.plant.has_modes else np.zeros(2 * n)
        return slope[:size].copy(), extra.copy(), self._block("modes")[:, 0].copy()


def _compiled(plant: Plant, method: str, width: int) -> tuple[Any, Any]:
    """The functions `run_steps` and `derive`, from memory, from disk or made now."""
    robot = plant.robot

    def assembly() -> Assembly:
        text = _module(plant, method, width)
        longest = max(body.count("\n") for body in text.split("define "))
        header = header_of(robot, f"simulate {plant.kind} x{width}", method)
        return Assembly(header, text, effort_for(longest))

    def make() -> tuple[Any, Any]:
        parts = ("forward", content_of(robot), plant.key, method, width)
        code = MachineCode((parts, sources_version("drives", "forward")), assembly)
        pointer, number = ctypes.c_void_p, ctypes.c_int64
        form = (pointer, pointer, pointer, number, pointer, number, pointer, number, number)
        derive = code.function("derive", None, pointer, pointer, pointer)
        return code.function("run_steps", number, *form), derive

    return robot.once((SimulationLoop, repr(plant.key), method, width), make)


def _module(plant: Plant, method: str, width: int) -> str:
    """The whole module as LLVM assembly: functions of the traces, and the control flow."""
    fused, step = host().fused, step_of(width)
    lanes = width * step
    traced, uniform = traces(plant, method, step), elementwise(plant, method, step)
    texts = []
    for name, trace in (traced | uniform).items():
        alone = ("pace",) if name in uniform and step > 1 else ()
        shared = [k for k, read in enumerate(trace.reads) if read in (*SHARED, *alone)]
        wide = lanes if name in uniform else width
        texts.append(function_text(name, trace.function, wide, fused, shared))
    flow = Flow(plant, method, width, traced | uniform)
    texts += [flow.rates(), flow.part(), *([flow.corners()] if plant.has_modes else [])]
    return module_text([*texts, flow.run_steps(), flow.derive()], width, lanes)
