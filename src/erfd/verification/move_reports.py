"""The reports of the moves of a plan, from the run that it became."""

from __future__ import annotations

import math

import numpy as np

from ..ground.arrays import Array
from ..planning.plan import Plan
from ..robot.limits import JointLimits
from ..run.events import programmed_accelerations
from ..run.run import Run
from .result import MoveReport


def move_reports(planned: Plan, run: Run) -> tuple[MoveReport, ...]:
    """The report of every move; one that the run did not come to is all NaN."""
    robot, t, n = run.robot, run["t"], run.robot.n
    fastest = np.array([drive.speed_max for drive in robot.drives])
    most = run["u_a_max"]  # 0 in the first row, and of a motor that is too fast to have torque
    torque = _parts(run["u_a"], np.where(most > 0, most, np.inf))
    speed = _parts(run["qd_a"], fastest)
    asked = programmed_accelerations(run["qd_given"], planned.trajectory.dt, robot.cycle_time)
    acceleration = _parts(asked, JointLimits.of(robot).acceleration)
    starts = np.searchsorted(planned.move, np.arange(len(planned.moves) + 1))
    starts = np.minimum(starts, len(run))
    reports = []
    for k, move in enumerate(planned.moves):
        rows = slice(int(starts[k]), int(starts[k + 1]))
        if rows.start == rows.stop:  # nothing moved
            none = np.full(n, math.nan)
            reports.append(MoveReport(move, none, none, none, math.nan, math.nan, ()))
            continue
        begin, end = t[max(rows.start - 1, 0)], t[rows.stop - 1]
        events = [e for e in run.events if e.start < end - 1e-9 and e.end > begin + 1e-9]
        deviation = run["deviation"][rows].max(axis=0)
        reports.append(
            MoveReport(
                move,
                _largest(torque[rows]),
                _largest(speed[rows]),
                _largest(acceleration[rows]),
                float(deviation[0]),
                float(deviation[1]),
                tuple(events),
            )
        )
    return tuple(reports)


def _parts(values: Array, limits: Array) -> Array:
    """Sizes of values (N, n) as parts of their limits; NaN where a limit is infinite."""
    return np.asarray(np.where(np.isinf(limits), math.nan, np.abs(values) / limits))


def _largest(parts: Array) -> Array:
    """The largest part of each column of (N, n), NaN where nothing could be compared."""
    largest = np.where(np.isnan(parts), -1.0, parts).max(axis=0)
    return np.asarray(np.where(largest < 0, math.nan, largest))
