"""What is kept back of the limits, cell by cell, for what happens within the cycles of a motion."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..ground.arrays import Array
from .cells import Cells
from .discrete_cycles import CycleDemand

MORE = 1.1
"""What a cycle lacks is kept back so many times."""
OVER = 5e-7
"""A joint's acceleration may exceed its limit by this part: half of `run.events.OVER`."""


@dataclass(frozen=True, slots=True, eq=False)
class Reserve:
    """What is kept back in each of N cells, (N, n).

    `up` and `down` of the torques above and below, N m; `part` of the accelerations of joints;
    `speed` (N + 1,) of s'^2 at the nodes.
    """

    up: Array
    down: Array
    part: Array
    speed: Array

    @classmethod
    def none(cls, cells: Cells) -> Reserve:
        """No reserve."""
        nothing = np.zeros(cells.direction.shape)
        return cls(nothing, nothing, nothing, np.zeros(len(cells.s)))

    def everywhere(self, torque: Array) -> Reserve:
        """The reserve with so much more of the torques (n,) in all cells, N m."""
        return replace(self, up=self.up + torque, down=self.down + torque)

    def more(
        self, cells: Cells, at: Array, demand: CycleDemand, least: Array, most: Array
    ) -> Reserve:
        """The reserve with more of it where cycles lack something.

        `at` (M + 1,) are the ends of the cycles. The acceleration of a cycle is a mean over it and
        the cycle before, so the cells of both keep back what it lacks and a little more, from
        `least` to `most` (n,) more than before, N m. A rotor that turns the other way than in a
        cell rubs the other way: that much at least, within `most`.
        """
        s, up, down = cells.s, self.up.copy(), self.down.copy()
        part, speed = self.part.copy(), self.speed.copy()
        torque = np.where(demand.lack > 0, np.clip(MORE * demand.lack, least, most), 0.0)
        over = np.where(demand.over > OVER, MORE * demand.over, 0.0)
        fast = np.where(demand.fast > 0, 3 * demand.fast, 0.0)
        bad = (torque.max(axis=1) > 0) | (over.max(axis=1) > 0) | (fast > 0)
        for k in np.flatnonzero(bad).tolist():
            first = int(np.searchsorted(s, at[max(k - 1, 0)], side="right")) - 1
            last = int(np.searchsorted(s, at[k + 1], side="left"))
            first = min(max(first, 0), len(s) - 2)
            rows = slice(first, max(last, first + 1))
            for side, sign, own in ((up, 1, self.up), (down, -1, self.down)):
                lacks = (torque[k] > 0) & (np.sign(demand.torque[k]) == sign)
                if lacks.any():
                    side[rows] = np.maximum(
                        side[rows],
                        np.where(
                            lacks,
                            np.clip(
                                _rub(cells, rows, demand, k, sign),
                                own[rows] + torque[k],
                                own[rows] + most,
                            ),
                            0.0,
                        ),
                    )
            part[rows] = np.maximum(
                part[rows], np.where(over[k] > 0, self.part[rows] + over[k], 0.0)
            )
            nodes = slice(rows.start, rows.stop + 1)
            speed[nodes] = np.maximum(
                speed[nodes], np.where(fast[k] > 0, self.speed[nodes] + fast[k], 0.0)
            )
        return Reserve(up, down, part, speed)


def _rub(cells: Cells, rows: slice, demand: CycleDemand, k: int, sign: int) -> Array:
    """How much more friction is against a motor that pushes to `sign` in cycle k than in the cells.

    A rotor at rest is helped by it.
    """
    own, cycle = sign * cells.direction[rows], sign * demand.direction[k]
    return np.asarray(
        demand.dry[k] * (np.where(cycle == 0, -1.0, cycle) - np.where(own == 0, -1.0, own))
    )
