"""The result of `fastest`: a trajectory, its time, and what it is lost to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..achieve.achievable import achievable
from ..ground.arrays import Array
from ..planning.trajectory import Trajectory
from ..robot.model import Robot
from ..run.run import Run
from .cells import Bounds
from .coefficients import PathLoads
from .joint_path import JointPath
from .rounds import TimedPiece


@dataclass(frozen=True, eq=False)
class Timing:
    """The fastest motion along a path."""

    robot: Robot
    bounds: Bounds
    path: JointPath
    pieces: tuple[TimedPiece, ...]
    trajectory: Trajectory
    loads: PathLoads

    @classmethod
    def of(cls, robot: Robot, bounds: Bounds, path: JointPath, timed: list[TimedPiece], loads: PathLoads, dt: float) -> "Timing":
        rows, own = [], []
        for k, piece in enumerate(timed):
            q = piece.piece.curve(piece.at)
            hold = round(path.pauses[k] / dt)
            if k == 0:
                rows.append(q[:1])
                qd0 = piece.cells.start("first")[0] * np.sqrt(piece.profile.x[0])
            rows.append(np.repeat(q[:1], hold, axis=0))
            rows.append(q[1:])
        rows.append(np.repeat(q[-1:], round(path.pauses[-1] / dt), axis=0))
        q = np.vstack(rows)
        qd = np.vstack([qd0[None], np.diff(q, axis=0) / dt])
        return cls(robot, bounds, path, tuple(timed), Trajectory(dt * np.arange(len(q)), q, qd), loads)

    @property
    def seconds(self) -> float:
        return float(self.trajectory.t[-1])

    @cached_property
    def run(self) -> Run:
        return achievable(self.robot, self.trajectory)
