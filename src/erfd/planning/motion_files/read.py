"""Read a motion file of any kind: the format by the name's ending, the joints by their titles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ...errors import InputError
from ...ground.arguments import flag_of, number_of, path_of, text_of
from ...ground.arrays import Array
from ...ground.caller import warn_caller
from ...robot.library import RobotLike, robot_of
from ...robot.model import Robot
from ..trajectory import Trajectory
from .bag_file import read_bag
from .columns import ColumnOwner, JointColumns, joint_columns
from .csv_file import read_csv
from .npz_file import read_npz
from .parquet_file import read_parquet
from .reading import MotionReading
from .ros_yaml import read_ros_yaml
from .sampling import MotionSamples, at_fixed_step, starting_velocity
from .suspicion import suspicions
from .table import MotionTable
from .times import with_times

READERS: dict[str, Callable[[Path], MotionTable]] = {
    ".parquet": read_parquet, ".npz": read_npz, ".yaml": read_ros_yaml, ".yml": read_ros_yaml,
    ".mcap": read_bag, ".db3": read_bag, ".bag": read_bag,
}  # fmt: skip
"""The reader by the ending of the name; a folder is a bag, everything else is tried as CSV."""


def read_motion(
    path: str | Path,
    robot: RobotLike,
    *,
    degrees: bool = False,
    resample: bool = True,
    dt: float | None = None,
    joints: Sequence[str] | None = None,
    topic: str | None = None,
) -> MotionReading:
    """The motion in a file for a robot, with what was understood and changed (docs/motions.md).

    Args:
        path: CSV with any separator, `.parquet`, `.npz`, a JointTrajectory in `.yaml`, a bag of
            ROS 1 or 2 (`.bag`, `.mcap`, `.db3` or its folder).
        robot: The robot: the file's joints are found by its joints' names, or by q1..qn.
        degrees: Angles whose title names no unit are in deg and deg/s, not rad and rad/s.
        resample: Bring times to a fixed step and velocities to the differences of the positions
            where they are not; otherwise that is an error.
        dt: The step of the trajectory in s; left out, the file's own, for the points of a
            JointTrajectory the robot's cycle time.
        joints: The names that the file has for the robot's joints, in the robot's order.
        topic: The topic of a bag that has several with joints.

    Returns:
        The trajectory, and notes on what was done and how large the change was.

    Raises:
        InputError: A file that cannot be read, that has not all joints or that of another robot,
            times that run backwards, numbers that are none.
        MissingDependencyError: A package for the format is not installed.

    >>> erfd.read_motion("motion.csv", "lola15")  # doctest: +SKIP
    """
    return _read(path, robot_of(robot), degrees, resample, dt, joints, topic)


def read_trajectory(
    path: str | Path,
    n: int | Robot,
    *,
    degrees: bool = False,
    resample: bool = True,
    dt: float | None = None,
    joints: Sequence[str] | None = None,
) -> Trajectory:
    """The trajectory in a motion file; a warning says what had to be changed (`read_motion`).

    Args:
        path: The file.
        n: The robot, or its number of joints: then q1..qn, or `joints`, say which column is which.
        degrees: Angles whose title names no unit are in deg and deg/s, not rad and rad/s.
        resample: Bring times to a fixed step and velocities to the differences of the positions
            where they are not; otherwise that is an error.
        dt: The step of the trajectory in s; left out, the file's own.
        joints: The names that the file has for the robot's joints, in the robot's order.

    Returns:
        The trajectory in rad (m) and rad/s (m/s), times in s.

    Raises:
        InputError: As for `read_motion`.

    >>> erfd.read_trajectory("motion.csv", robot.n)  # doctest: +SKIP
    """
    reading = _read(path, n, degrees, resample, dt, joints)
    suspected = any(note.startswith("suspected") for note in reading.notes)
    if reading.changed or suspected:
        warn_caller(f"{reading.name}: {'; '.join(reading.notes)}")
    return reading.trajectory


def read_table(path: Path, topic: str | None = None) -> MotionTable:
    """The table of a motion file, whatever its format; `topic` is of a bag."""
    if path.is_dir() or READERS.get(path.suffix.lower()) is read_bag:
        return read_bag(path, topic)
    if topic is not None:
        raise InputError(f"topic: expected a bag, which has topics, found {path.name}")
    return READERS.get(path.suffix.lower(), read_csv)(path)


def _read(
    path: str | Path, robot: Robot | int, degrees: bool, resample: bool, dt: float | None,
    joints: Sequence[str] | None, topic: str | None = None,
) -> MotionReading:  # fmt: skip
    path = path_of("path", path)
    flag_of("degrees", degrees)
    flag_of("resample", resample)
    if dt is not None and number_of("dt", dt, "a time > 0 s") <= 0:
        raise InputError(f"dt: expected a time > 0 s, found {dt!r}")
    if topic is not None:
        text_of("topic", topic)
    machine = ColumnOwner.of(robot, joints)
    table = read_table(path, topic)
    motion = joint_columns(table, machine, degrees)
    if dt is None and table.setpoints:
        dt = 0.01 if machine.robot is None else machine.robot.cycle_time
    try:
        if not resample:
            return _as_it_is(table, motion, machine, degrees)
        rows = len(motion.t)
        motion = with_times(table.name, motion)
        samples = at_fixed_step(table.name, motion, dt, table.setpoints)
        return _reading(table, motion, machine, samples, degrees, rows)
    except InputError as error:
        text = str(error)
        raise (
            error if text.startswith(table.name) else InputError(f"{table.name}: {text}")
        ) from None


def _as_it_is(
    table: MotionTable, motion: JointColumns, machine: ColumnOwner, degrees: bool
) -> MotionReading:
    """The motion of a file with a fixed step and velocities that lead from point to point."""
    if table.setpoints:
        raise InputError("expected samples of a motion, found the points of a command")
    if len(motion.t) < 2:
        raise InputError(f"expected at least two rows of numbers, found {len(motion.t)}")
    if (np.diff(motion.t) == 0).any():
        raise InputError("t: expected rising times, found the same one twice")
    motion = with_times(table.name, motion)
    trajectory = Trajectory(motion.t, motion.q, _started(motion.q, motion.qd, motion.t))
    told = suspicions(machine, motion.t, motion.q, degrees, motion.unit_said)
    notes = (*motion.notes, *told)
    return MotionReading(trajectory, table.name, table.format, motion.titles, notes)


def _started(q: Array, qd: Array | None, t: Array) -> Array:
    """Velocities that lead from point to point, the first one as the motion itself begins."""
    if qd is not None:
        return qd
    dt = float(t[-1] - t[0]) / (len(t) - 1)
    return np.vstack([starting_velocity(q, dt), np.diff(q, axis=0) / dt])


def _reading(
    table: MotionTable,
    motion: JointColumns,
    machine: ColumnOwner,
    samples: MotionSamples,
    degrees: bool,
    rows: int,
) -> MotionReading:
    """The trajectory at the samples, with the start that the file says or shows."""
    dt = float(samples.t[-1] - samples.t[0]) / (len(samples.t) - 1)
    notes = [*motion.notes, *samples.notes]
    rates = np.vstack([starting_velocity(samples.q, dt), np.diff(samples.q, axis=0) / dt])
    changed, away = bool(samples.notes) or len(motion.t) < rows, 0.0
    if motion.qd is None:
        _say_start(rates[0], machine, notes)
    else:
        rates[0] = motion.qd[0]
        new = np.stack(
            [np.interp(motion.t, samples.t, rates[:, j]) for j in range(machine.n)], axis=-1
        )
        away = float(np.abs(new - motion.qd).max())
        allowed = 1e-9 * max(1.0, float(np.abs(rates).max())) + 1e-12 / dt
        if not samples.notes and away <= allowed:
            away, rates = 0.0, motion.qd  # the file's own, to the last bit
        elif away > allowed:
            changed = True
        if away > allowed and not table.setpoints:
            what = "velocities are differences of the positions (q[k] - q[k-1]) / dt"
            notes.append(f"{what}: those of the file differ by up to {away:.3g}")
    times = samples.t if table.setpoints else motion.t
    notes += suspicions(machine, times, motion.q, degrees, motion.unit_said)
    return MotionReading(
        Trajectory(samples.t, samples.q, rates, resample=True) if changed
        else Trajectory(samples.t, samples.q, rates),
        table.name, table.format, motion.titles, tuple(notes), changed and not table.setpoints,
        samples.time_change, samples.position_change, away,
    )  # fmt: skip


def _say_start(start: Array, machine: ColumnOwner, notes: list[str]) -> None:
    """A note on joints that move at the first moment of a file without velocities."""
    moving = np.flatnonzero(np.abs(start) > 1e-3)
    if len(moving):
        joint = int(np.abs(start).argmax())
        unit = "rad/s" if not machine.revolute or machine.revolute[joint] else "m/s"
        notes.append(
            f"starts moving: joint {joint + 1} at {start[joint]:.3g} {unit}, from its first points"
        )
