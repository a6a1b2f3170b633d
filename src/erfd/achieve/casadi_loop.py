"""Algorithm 1 computed by CasADi, cycle by cycle: where no machine code is wanted or possible."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernels.payload_parameters import PayloadParameters
from ..robot.model import Robot
from .cycle import ALL_AT_ONCE, CALM, HARD, ROUNDS, CycleOptions, row_size, traces

Array = NDArray[np.float64]


class CasadiLoop:
    """The traces of one robot, run by CasADi's own interpreter; the interface of `Loop`."""

    def __init__(self, robot: Robot, variety: CycleOptions):
        self.n, self.variety = robot.n, variety
        self.bodies = PayloadParameters.of(robot)
        self.made = traces(robot, variety)

    @classmethod
    def of(cls, robot: Robot, variety: CycleOptions) -> CasadiLoop:
        """The steps of a robot, traced once."""
        key = ("steps", variety)
        if key not in robot.memo:
            robot.memo[key] = cls(robot, variety)
        found: CasadiLoop = robot.memo[key]
        return found

    def run(
        self,
        state: Array,
        given: Array,
        parameters: Array,
        *,
        wrench: Array | None = None,
        body: Array | None = None,
    ) -> Array:
        """Rows (1 + cycles, row, 1), the state at the start first; arguments as for `Loop.run`."""
        n, fixed = self.n, parameters[:, 0]
        push = np.zeros((1, 6)) if wrench is None else wrench[..., 0]
        carried = np.zeros((1, len(self.bodies.places))) if body is None else body[..., 0]
        rows = np.zeros((1 + len(given), row_size(n), 1))
        rows[0, : 2 * n] = state
        for k, asked in enumerate(given):
            loads = push[k % len(push)], carried[k % len(carried)]
            rows[k + 1, :, 0] = self._cycle(rows[k, : 2 * n, 0], asked, *loads, fixed)
        return rows

    def _cycle(self, now: Array, asked: Array, push: Array, carried: Array, fixed: Array) -> Array:
        made, n = self.made, self.n
        row = np.zeros(row_size(n))
        found = _flat(made.cycle(now, asked, push, carried, fixed))
        row[: len(found)] = found
        calm = len(CALM) * n + 1
        if self.variety.policy == "consistent" and not found[calm - 1] <= 0:
            box = made.setup(now, carried, fixed, found)
            turn = made.start(found)
            for count in range(ROUNDS):
                turn = made.round(box, fixed, turn, float(count >= ALL_AT_ONCE))
                if not float(turn[-1]) > 0:
                    break
            row[: calm + len(HARD) * n] = _flat(made.finish(now, fixed, found, box, turn))
        row[calm + len(HARD) * n :] = _flat(made.note(now, asked, fixed))
        return row


def _flat(column: Any) -> Array:
    return np.array(column, dtype=np.float64)[:, 0]
