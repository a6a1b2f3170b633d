"""What was read of a motion file, and what was changed on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import InputError
from ...robot.limits import SLACK, shown_in
from ...robot.model import Robot
from ..trajectory import Trajectory


@dataclass(frozen=True, slots=True, eq=False)
class MotionReading:
    """A motion from a file: its trajectory, and what was done to get it.

    Args:
        trajectory: The motion in rad (m), rad/s (m/s) and s.
        name: The file's name.
        format: What it is in: `CSV`, `Parquet`, `NPZ`, `ROS 2 YAML`, `ROS bag`.
        columns: The titles of the positions in the file, in the order of the robot's joints.
        notes: Sentences on what was understood, changed or suspected.
        changed: Whether the trajectory differs from the samples in the file by more than units;
            points of a command are joined, not changed.
        time_change: The largest change of a time, in s.
        position_change: The largest change of a position, in rad (m).
        velocity_change: The largest difference of a velocity in the file from the one that leads
            from point to point, in rad/s (m/s).

    >>> import erfd
    >>> erfd.read_motion("motion.csv", "lola15").notes  # doctest: +SKIP
    """

    trajectory: Trajectory
    name: str
    format: str
    columns: tuple[str, ...]
    notes: tuple[str, ...] = ()
    changed: bool = False
    time_change: float = 0.0
    position_change: float = 0.0
    velocity_change: float = 0.0

    def __repr__(self) -> str:
        said = f", {len(self.notes)} notes" if self.notes else ""
        return f"MotionReading({self.name!r}, {self.format}, {self.trajectory!r}{said})"

    @property
    def data(self) -> dict[str, Any]:
        """All but the trajectory, as JSON values; SI units."""
        return {
            "file": self.name, "format": self.format, "columns": list(self.columns),
            "points": len(self.trajectory), "dt": self.trajectory.dt, "changed": self.changed,
            "time_change": self.time_change, "position_change": self.position_change,
            "velocity_change": self.velocity_change, "notes": list(self.notes),
        }  # fmt: skip


def check_start(reading: MotionReading, robot: Robot) -> None:
    """Raise an error if a motion begins where the robot cannot be, with what the file may mean."""
    for joint, value in zip(robot.joints, reading.trajectory.q[0].tolist(), strict=True):
        low, high = joint.position_min, joint.position_max
        if low - SLACK <= value <= high + SLACK:
            continue
        scale, unit = shown_in(joint)
        bounds = f"within {low * scale:.6g} to {high * scale:.6g} {unit}"
        suspected = [f"; {note}" for note in reading.notes if note.startswith("suspected")]
        raise InputError(
            f"{reading.name}: expected {joint.name} to begin {bounds},"
            f" found {value * scale:.6g} {unit}{''.join(suspected)}"
        )
