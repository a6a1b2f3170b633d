"""What is kept back of the limits, cell by cell, for what happens within the cycles of a motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..ground.arrays import Array


@dataclass(frozen=True, slots=True, eq=False)
class Reserve:
    """What is kept back in each of N cells, (N, n).

    `up` and `down` of the torques above and below, N m; `part` of the accelerations of joints.
    """

    up: Array
    down: Array
    part: Array

    @classmethod
    def none(cls, cells: int, n: int) -> Reserve:
        """No reserve."""
        nothing = np.zeros((cells, n))
        return cls(nothing, nothing, nothing)

    def more(self, s: Array, at: Array, torque: Array, part: Array) -> Reserve:
        """The reserve with more of it where cycles lack something.

        `s` (N + 1,) are the ends of the cells, `at` (M + 1,) those of the cycles, `torque` (M, 2 n)
        what they lack above and below, `part` (M, n) by which they exceed an acceleration. The
        acceleration of a cycle is a mean over it and the cycle before.
        """
        n = part.shape[1]
        lacking = np.hstack([torque, part])
        added = np.zeros((len(s) - 1, 3 * n))
        for k in np.flatnonzero(lacking.max(axis=1) > 0).tolist():
            first = int(np.searchsorted(s, at[max(k - 1, 0)], side="right")) - 1
            last = int(np.searchsorted(s, at[k + 1], side="left"))
            rows = slice(min(max(first, 0), len(s) - 2), max(last, first + 1))
            added[rows] = np.maximum(added[rows], lacking[k])
        return Reserve(
            self.up + added[:, :n], self.down + added[:, n : 2 * n], self.part + added[:, 2 * n :]
        )
