"""The loop of Algorithm 1 by CasADi's interpreter, where machine code is not wanted or possible."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ground.arrays import Array
from ..kernels.payload_parameters import PayloadParameters
from ..robot.model import Robot
from .cycle import traces
from .symbols import (
    ALL_AT_ONCE,
    CYCLE_VECTORS,
    PART_NUMBERS,
    ROUNDS,
    SATURATED_VECTORS,
    CycleOptions,
    row_size,
)

LARGEST = 1e200
"""A joint beyond this (rad, m) has run away."""


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
        """Run all cycles: rows (1 + cycles, row, 1), the start first; fewer: the arm ran away.

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
            if not np.all(np.abs(rows[k + 1, :n, 0]) < LARGEST):
                return rows[: k + 1]
        return rows

    def _cycle(self, now: Array, given: Array, loads: tuple[Array, Array], fixed: Array) -> Array:
        """The row of one cycle; `loads` are the wrench and the body."""
        traced, n, (wrench, body) = self.traced, self.n, loads
        row = np.zeros(row_size(n))
        calm_row = _flat(traced.cycle(now, given, wrench, body, fixed))
        row[: len(calm_row)] = calm_row
        calm_size = len(CYCLE_VECTORS) * n + 1
        if self.options.policy == "consistent" and not calm_row[calm_size - 1] <= 0:
            part = _flat(traced.open(now, fixed, calm_row))
            left, beyond, doubt = (
                PART_NUMBERS.index(name) - len(PART_NUMBERS) for name in ("left", "beyond", "doubt")
            )
            turn = None
            source = calm_row
            while True:
                problem = traced.setup(part[: 2 * n], body, fixed, calm_row, source, part)
                if turn is None:  # later parts begin with the modes in which one ended
                    turn = _flat(traced.start(problem, fixed, calm_row))
                for count in range(ROUNDS):
                    turn = _flat(traced.round(problem, fixed, turn, float(count >= ALL_AT_ONCE)))
                    if not turn[-1] > 0:
                        break
                later = _flat(traced.advance(now, given, fixed, part, problem, turn))
                if later[beyond] > 0:
                    later = _flat(traced.stop(fixed, later, problem))
                if later[doubt] > 0:
                    at = part[: 2 * n]
                    later = _flat(traced.judge(at, wrench, body, fixed, part, later, problem, turn))
                part = later
                if not part[left] > 0:
                    break
                source = _flat(traced.cycle(part[: 2 * n], given, wrench, body, fixed))
            row[: calm_size + len(SATURATED_VECTORS) * n] = _flat(
                traced.close(now, fixed, calm_row, part)
            )
        row[calm_size + len(SATURATED_VECTORS) * n :] = _flat(traced.note(now, given, fixed))
        return row


def _flat(column: Any) -> Array:
    """A column of CasADi as an array (k,)."""
    return np.array(column, dtype=np.float64)[:, 0]
