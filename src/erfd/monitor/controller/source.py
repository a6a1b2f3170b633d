"""Read the motion that a controller plays from a program, a run or a CSV trajectory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InputError
from ...ground.arrays import Array
from ...robot.model import Robot
from ...robot.payload import Payload, payload_from_numbers

if TYPE_CHECKING:
    from ...lirl.signal_schedule import SignalSchedule
    from ...planning.plan import PlannedSignal
    from ...planning.trajectory import Trajectory


@dataclass(frozen=True, slots=True, eq=False)
class PlayedMotion:
    """A motion to play: joint positions q (N, n) every dt s, program lines (N,) and payloads.

    `text` is the program, empty if there is none; `name` says where it comes from; `signals` are
    the outputs that the program sets, in the order of their path times, `wrench` (N, 6) what the
    tool exerts on its surroundings, None if nothing is known of it.
    """

    name: str
    q: Array
    dt: float
    lines: Array
    payloads: tuple[Payload | None, ...]
    text: str = ""
    signals: tuple[PlannedSignal, ...] = ()
    wrench: Array | None = None

    @property
    def loads(self) -> set[Payload | None]:
        """The different payloads of the motion."""
        return set(self.payloads)


def motion_of(trajectory: Trajectory, name: str = "trajectory") -> PlayedMotion:
    """The motion of a trajectory, without a program."""
    size = len(trajectory)
    return PlayedMotion(name, trajectory.q, trajectory.dt, np.zeros(size), (None,) * size)


def read_played_motion(
    path: Path,
    robot: Robot,
    *,
    dt: float | None = None,
    payload: Payload | None = None,
    signals: SignalSchedule | None = None,
) -> PlayedMotion:
    """Read the motion in a file: .irl (planned every dt s, 0.01 if left out), .parquet or .csv.

    `payload` is what the robot carries until the file says something else; `signals` are the inputs
    of a program, those in the file beside it if left out.
    """
    suffix = path.suffix.lower()
    if suffix == ".irl":
        return _motion_of_program(path, robot, dt or 0.01, payload, signals)
    if suffix == ".parquet":
        motion = _motion_of_run(path, robot)
    elif suffix == ".csv":
        from ...planning.motion_files.read import read_trajectory

        motion = motion_of(read_trajectory(path, robot), path.name)
    else:
        raise InputError(f"{path}: expected a name that ends in .irl, .parquet or .csv")
    return replace(motion, payloads=tuple(payload if p is None else p for p in motion.payloads))


def _motion_of_program(
    path: Path, robot: Robot, dt: float, payload: Payload | None, signals: SignalSchedule | None
) -> PlayedMotion:
    """Read and plan a program."""
    from ...lirl import ProgramError, interpret, parse, signals_beside
    from ...lirl.program_file import read_program
    from ...planning.moves import StepError
    from ...planning.planner import plan

    text = read_program(path)
    signals = signals_beside(path) if signals is None else signals
    try:
        steps = interpret(parse(text), robot, signals=signals)
        planned = plan(robot, steps, dt=dt, payload=payload).refined(1)  # to rest
    except ProgramError as error:
        raise ProgramError(error.mistakes, text, path.name) from None
    except StepError as error:
        raise InputError(f"{path.name}: {error}") from None
    if planned.failures:
        first = planned.failures[0]
        more = f" (and {len(planned.failures) - 1} more)" if len(planned.failures) > 1 else ""
        raise InputError(f"{path.name}: line {first.line}: {first.sentence}{more}")
    lines = planned.lines.astype(np.float64)
    q = planned.trajectory.q
    return PlayedMotion(path.name, q, dt, lines, planned.payloads, text, planned.signals)


def _motion_of_run(path: Path, robot: Robot) -> PlayedMotion:
    """Read what was asked of the robot in a run."""
    from ...planning.trajectory import Trajectory
    from ...run.parquet import read_run, read_run_program

    run = read_run(path)
    if run.robot.n != robot.n:
        raise InputError(f"{path}: expected a run of {robot.n} joints, found {run.robot.n}")
    motion = motion_of(Trajectory(run["t"], run["q_given"]), path.name)
    rows = run.data.get("payload")
    payloads = motion.payloads if rows is None else tuple(map(payload_from_numbers, rows.tolist()))
    return PlayedMotion(
        path.name,
        motion.q,
        motion.dt,
        run.data.get("line", motion.lines),
        payloads,
        read_run_program(path),
        wrench=run.data.get("wrench"),
    )
