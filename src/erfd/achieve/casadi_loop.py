"""The loop of Algorithm 1 by CasADi's interpreter, where machine code is not wanted or possible."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ground.arrays import Array
from ..kernels.payload_parameters import PayloadParameters
from ..robot.model import Robot
from .cycle import (
    ALL_AT_ONCE,
    CYCLE_VECTORS,
    ROUNDS,
    SATURATED_VECTORS,
    CycleOptions,
    row_size,
    traces,
)


class CasadiLoop:
    """The loop of one robot by CasADi's interpreter; the interface of `CycleLoop`."""

    def __init__(self, robot: Robot, options: CycleOptions):
        self.n, self.options = robot.n, options
        self.bodies = PayloadParameters.of(robot)
        self.traced = traces(robot, options)

    @classmethod
    def of(cls, robot: Robot, options: CycleOptions) -> CasadiLoop:
        """The loop of a robot, traced once."""
        return robot.once((cls, options), lambda: cls(robot, options))

    def run(
        self,
        state: Array,
        given: Array,
        parameters: Array,
        *,
        wrench: Array | None = None,
        body: Array | None = None,
    ) -> Array:
        """Run all cycles: rows (1 + cycles, row, 1), the start first.

        Arguments are those of `CycleLoop.run`.
        """
        n, fixed = self.n, parameters[:, 0]
        wrenches = np.zeros((1, 6)) if wrench is None else wrench[..., 0]
        bodies = np.zeros((1, len(self.bodies.places))) if body is None else body[..., 0]
        rows = np.zeros((1 + len(given), row_size(n), 1))
        rows[0, : 2 * n] = state
        for k, target in enumerate(given):
            loads = wrenches[k % len(wrenches)], bodies[k % len(bodies)]
            rows[k + 1, :, 0] = self._cycle(rows[k, : 2 * n, 0], target, loads, fixed)
        return rows

    def _cycle(self, now: Array, given: Array, loads: tuple[Array, Array], fixed: Array) -> Array:
        """The row of one cycle; `loads` are the wrench and the body."""
        traced, n, (wrench, body) = self.traced, self.n, loads
        row = np.zeros(row_size(n))
        calm_row = _flat(traced.cycle(now, given, wrench, body, fixed))
        row[: len(calm_row)] = calm_row
        calm_size = len(CYCLE_VECTORS) * n + 1
        if self.options.policy == "consistent" and not calm_row[calm_size - 1] <= 0:
            problem = traced.setup(now, body, fixed, calm_row)
            turn = traced.start(calm_row)
            for count in range(ROUNDS):
                turn = traced.round(problem, fixed, turn, float(count >= ALL_AT_ONCE))
                if not float(turn[-1]) > 0:
                    break
            row[: calm_size + len(SATURATED_VECTORS) * n] = _flat(
                traced.finish(now, fixed, calm_row, problem, turn)
            )
        row[calm_size + len(SATURATED_VECTORS) * n :] = _flat(traced.note(now, given, fixed))
        return row


def _flat(column: Any) -> Array:
    """A column of CasADi as an array (k,)."""
    return np.array(column, dtype=np.float64)[:, 0]
