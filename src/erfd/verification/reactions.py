"""Forces and moments in the joints, what bearings and guides carry: peaks and means (Eq. 32)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..run.run import Run
from .result import Verification


@dataclass(frozen=True, slots=True)
class JointReaction:
    """What a bearing (or a guide) carries in a span of the motion.

    The force in N and the moment in N m that link i-1 exerts on link i, about the origin of frame
    i-1, without the component that the drive gives: the moment about the axis of a revolute joint,
    the force along that of a sliding one. `mean` is that of the sizes over time.
    """

    joint: int
    force_peak: float
    force_mean: float
    moment_peak: float
    moment_mean: float

    def data(self) -> dict[str, Any]:
        """Its numbers by name."""
        return {name: getattr(self, name) for name in self.__slots__}


def joint_reactions_of(run: Run, rows: slice = slice(1, None)) -> tuple[JointReaction, ...]:
    """What each joint carries in the cycles that end at some rows of a run, (n,)."""
    result = []
    for i, joint in enumerate(run.robot.joints):
        carried = {"force": run["force"][rows, i].copy(), "moment": run["moment"][rows, i].copy()}
        carried["moment" if joint.revolute else "force"][:, 2] = 0.0  # the drive's
        sizes = [np.linalg.norm(carried[name], axis=1) for name in ("force", "moment")]
        values = [float(x) for size in sizes for x in (size.max(), size.mean())]
        result.append(JointReaction(i + 1, *values))
    return tuple(result)


def reactions_by_move(verification: Verification) -> tuple[tuple[JointReaction, ...], ...]:
    """What each joint carries in each move; nothing for a move that the run did not come to."""
    planned, run = verification.plan, verification.run
    starts = np.searchsorted(planned.move, np.arange(len(planned.moves) + 1))
    starts = np.clip(starts, 1, len(run))  # row 0 belongs to no cycle
    return tuple(
        joint_reactions_of(run, slice(a, b)) if b > a else ()
        for a, b in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    )


COLUMNS = ("joint", "force N", "mean N", "moment N m", "mean N m")


def reaction_cells(row: JointReaction) -> tuple[str, ...]:
    """A row of a table: joint, peak and mean of force and moment."""
    values = (row.force_peak, row.force_mean, row.moment_peak, row.moment_mean)
    return (f"{row.joint}", *(f"{value:.4g}" for value in values))


def reaction_data(verification: Verification) -> dict[str, Any]:
    """All of it as plain data: of the whole program, and of each move with its line."""
    moves = zip(verification.moves, reactions_by_move(verification), strict=True)
    return {
        "program": [row.data() for row in joint_reactions_of(verification.run)],
        "moves": [
            {"line": report.move.line, "joints": [row.data() for row in rows]}
            for report, rows in moves
        ],
    }
