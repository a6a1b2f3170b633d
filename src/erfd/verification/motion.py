"""Verify a motion without a program: a recording, the output of a planner, a run of ERFD."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..cell.reader import CellLike, cell_of
from ..errors import InputError
from ..ground.arguments import flag_of, number_of, text_of
from ..mechanics.kinematics import forward_kinematics
from ..planning.motion_files.read import read_motion
from ..planning.motion_files.reading import MotionReading, check_start
from ..planning.plan import Plan, PlannedMove
from ..planning.trajectory import Trajectory
from ..robot.library import RobotLike, robot_of
from ..robot.model import Robot
from ..robot.payload import Payload, PayloadLike, payload_of
from .result import Verification
from .verify import Tell, judged, wrench_of

STANDS = 2e-3
"""A joint slower than this (rad/s, m/s) stands, and one slower than this part of its fastest."""
SHORTEST_REST = 0.1
"""The arm rests where it stands for so long, s."""


def verify_motion(
    motion: MotionReading | Trajectory | str | Path,
    robot: RobotLike,
    *,
    name: str = "",
    degrees: bool = False,
    resample: bool = True,
    dt: float | None = None,
    joints: Sequence[str] | None = None,
    topic: str | None = None,
    wrench: ArrayLike | None = None,
    payload: PayloadLike | None = None,
    cell: CellLike | None = None,
    policy: str = "consistent",
    follow: str = "velocity",
    torque_path: str = "virtual-work",
    pause: float = 0.0,
    strict: bool = False,
    tell: Tell = lambda part, what: None,
) -> Verification:
    """Verify a motion on a robot: all that `verify` says of a program, but for its lines.

    The motion is divided into moves where the arm rests.

    Args:
        motion: A motion file (docs/motions.md), what `read_motion` has read of one, or a
            `Trajectory`.
        robot: The arm, with a drive for every joint.
        name: The name of the motion in the verdict; left out, that of its file.
        degrees: As for `read_motion`, which reads the file: angles without a unit are in degrees.
        resample: Bring the times of the file to a fixed step.
        dt: The step in s that they are brought to.
        joints: The file's names of the robot's joints.
        topic: The topic of a bag.
        wrench: Force (N), then moment (N m), that the end effector exerts on the environment at
            the tool point, base coordinates, throughout, (6,).
        payload: What the robot carries: a `Payload`, or kg at the tool point.
        cell: What stands around the robot, for collisions: a `Cell`, or its file; its mount places
            the robot.
        policy: How Algorithm 1 shares a shortage of torque, "consistent" or "printed" (erratum 8).
        follow: What the arm follows after a shortfall, the given "velocity" or "position".
        torque_path: How joint torques come to the rotors, "virtual-work" or "diagonal".
        pause: The time between two repetitions of the motion, s, for the continuous load.
        strict: Whether joint accelerations beyond their limits, and what could not be checked, make
            the motion infeasible.
        tell: Called with the part that is done (0 to 1) and a word for what is being done.

    Returns:
        The `Verification`: verdict, run, moves, warnings, clearance, what was not checked; what
        was read, changed and suspected of the file is in its `motion`.

    Raises:
        InputError: The file cannot be read, or is another robot's, or an argument does not fit.

    >>> import erfd
    >>> still = erfd.Trajectory([0.0, 0.01, 0.02], [[0.0] * 6] * 3)
    >>> erfd.verify_motion(still, "lola15").feasible
    True
    """
    robot, payload = robot_of(robot), payload_of(payload)
    strict, pause = flag_of("strict", strict), number_of("pause", pause, "a time >= 0 s")
    if cell is not None:
        cell = cell_of(cell)
        robot = cell.placed(robot)
    tool_wrench = None if wrench is None else wrench_of(wrench)
    tell(0.0, "reading")
    if isinstance(motion, str | Path):
        motion = read_motion(
            motion, robot, degrees=degrees, resample=resample, dt=dt, joints=joints, topic=topic
        )
    elif isinstance(motion, Trajectory):
        motion = MotionReading(motion, "the motion", "trajectory", ())
    elif not isinstance(motion, MotionReading):
        expected = "a motion file, an erfd.MotionReading or an erfd.Trajectory"
        raise InputError(f"motion: expected {expected}, found {motion!r:.60}")
    if motion.trajectory.n != robot.n:
        found = f"{motion.trajectory.n}: the motion of another robot"
        raise InputError(f"motion: expected {robot.n} joints of {robot.name!r}, found {found}")
    check_start(motion, robot)
    planned = as_plan(robot, motion.trajectory, payload)
    reading = {"policy": policy, "follow": follow, "torque_path": torque_path}
    return judged(
        robot, planned, text_of("name", name) or motion.name, tool_wrench, cell, reading, pause,
        strict, tell, [(0, note) for note in motion.notes], motion=motion,
    )  # fmt: skip


def as_plan(robot: Robot, motion: Trajectory, payload: Payload | None) -> Plan:
    """The motion as a plan, in moves from rest to rest; its lines are 0, for it has none."""
    start = float(motion.t[0])
    moved = Trajectory(motion.t - start, motion.q, motion.qd) if start else motion
    poses = forward_kinematics(robot, motion.q)
    way = np.linalg.norm(np.diff(poses[:, :3, 3], axis=0), axis=1)
    places, moves, number = np.zeros(len(moved), dtype=np.intp), list[PlannedMove](), 0
    for place, (first, end, rests, stops) in enumerate(_parts(moved)):
        places[first:end] = place
        number += not rests
        own = way[max(first - 1, 0) : end - 1]
        kind, name = ("wait", "rest") if rests else ("motion", f"part {number}")
        begin, last = (float(moved.t[row]) for row in (max(first - 1, 0), end - 1))
        fastest = float(own.max(initial=0.0)) / moved.dt
        blend = "stop" if stops else "moving"
        moves.append(
            PlannedMove(
                kind, 0, name, begin, last, length=float(own.sum()), peak_speed=fastest, blend=blend
            )
        )
    lines = np.zeros(len(moved), dtype=np.intp)
    payloads = (payload,) * len(moved)
    return Plan(moved, lines, places, poses, payloads, tuple(moves), (), ())


def _parts(motion: Trajectory) -> Iterator[tuple[int, int, bool, bool]]:
    """The parts of a motion: first row, end, whether it rests, whether it stops at its end.

    Where the arm stands for a moment only, a part ends in the middle of that.
    """
    slow, least = _slow(motion), max(round(SHORTEST_REST / motion.dt), 2)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], slow.astype(int), [0]])))
    count, first = len(slow), 0
    for begin, end in edges.reshape(-1, 2).tolist():
        if end - begin >= least:
            if begin > first:
                yield first, begin, False, True
            yield begin, end, True, True
            first = end
        elif begin > 0 and end < count:
            middle = (begin + end + 1) // 2
            yield first, middle, False, True
            first = middle
    if first < count:
        yield first, count, False, bool(slow[-1])


def _slow(motion: Trajectory) -> NDArray[np.bool_]:
    """Whether all joints are slow at each point, (N,)."""
    fastest = np.abs(motion.qd).max(axis=0)
    return np.asarray((np.abs(motion.qd) <= np.minimum(STANDS, 0.05 * fastest)).all(axis=1))
