"""Motions where a command takes a program: which word is one, and how its file is read."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .common import named_options
from .parser import number

if TYPE_CHECKING:
    from ..planning.motion_files.reading import MotionReading
    from ..planning.trajectory import Trajectory
    from ..robot.model import Robot

ENDINGS = (".csv", ".parquet", ".npz", ".yaml", ".yml", ".mcap", ".db3", ".bag")
"""Names that end so are motions, and folders, where a command takes a program as well."""
FILES = "CSV, Parquet, NPZ, ROS 2 YAML or a bag"
FOR_PROGRAMS = ("signals", "turning", "adapt", "start")
"""Options that only a program can have."""


def add_reading(command: Any, *, step: bool = True) -> None:
    """Add the options that say how a motion file is read; `step`: --dt, too."""
    group = command.add_argument_group("how a motion file is read")
    group.add_argument("--degrees", action="store_true", help="angles in degrees, not in rad")
    group.add_argument(
        "--resample",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="a fixed step, velocities from q (the default); --no-resample refuses them",
    )
    if step:
        group.add_argument("--dt", type=number, metavar="S", help="step in s (default: the file's)")
    group.add_argument(
        "--joints", metavar="A,B,...", help="the file's names of the joints, in the robot's order"
    )
    group.add_argument("--topic", metavar="NAME", help="the topic of a bag that has several")


def add_trajectory(command: Any, what: str) -> None:
    """Add --trajectory, the file for `what`."""
    text = "write it: .csv, .yaml, .mcap, or a new bag (a name without an ending)"
    command.add_argument("--trajectory", metavar="FILE", help=f"{what} for others; {text}")


def write_motion(options: argparse.Namespace, robot: Robot, motion: Trajectory) -> list[Path]:
    """Write the motion with the names of the robot's joints where --trajectory says."""
    if options.trajectory is None:
        return []
    from ..planning.motion_files.write import write_trajectory

    with named_options(joints="--trajectory"):
        write_trajectory(motion, options.trajectory, joints=[j.name for j in robot.joints])
    return [Path(options.trajectory)]


def is_motion(options: argparse.Namespace) -> bool:
    """Whether the word for the program is a motion; an option that does not fit is an error."""
    path = Path(options.program)
    found = path.suffix.lower() in ENDINGS or (options.program != "-" and path.is_dir())
    names = FOR_PROGRAMS if found else ("joints", "topic", "degrees")
    for name in names:
        if getattr(options, name, None) not in (None, False):
            what = "a program (.irl)" if found else f"a motion ({', '.join(ENDINGS)})"
            raise InputError(f"--{name}: expected {what} beside it, found {options.program!r:.60}")
    return found


def read_options(options: argparse.Namespace, path: str, robot: Robot) -> MotionReading:
    """Read the motion as the options say."""
    from ..planning.motion_files.read import read_motion

    return read_motion(
        Path(path), robot, degrees=options.degrees, resample=options.resample, dt=options.dt,
        joints=None if options.joints is None else options.joints.split(","), topic=options.topic,
    )  # fmt: skip
