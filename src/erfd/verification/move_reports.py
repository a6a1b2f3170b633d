"""The reports of the moves of a plan, from the run that it became."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..ground.arrays import Array
from ..planning.plan import Plan
from ..robot.limits import JointLimits
from ..run.events import Event, programmed_accelerations
from ..run.run import Run
from .result import MoveReport


def move_reports(planned: Plan, run: Run) -> tuple[MoveReport, ...]:
    """The report of every move; one that the run did not come to is all NaN."""
    robot, n = run.robot, run.robot.n
    fastest = np.array([drive.speed_max for drive in robot.drives])
    most = run["u_a_max"]  # 0 in the first row, and of a motor that is too fast to have torque
    torque = _parts(run["u_a"], np.where(most > 0, most, np.inf))
    speed = _parts(run["qd_a"], fastest)
    asked = programmed_accelerations(run["qd_given"], planned.trajectory.dt, robot.cycle_time)
    acceleration = _parts(asked, JointLimits.of(robot).acceleration)
    starts = np.searchsorted(planned.move, np.arange(len(planned.moves) + 1))
    starts = np.minimum(starts, len(run))
    events = _events(run, starts)
    reports = []
    for k, move in enumerate(planned.moves):
        rows = slice(int(starts[k]), int(starts[k + 1]))
        if rows.start == rows.stop:  # nothing moved
            none = np.full(n, math.nan)
            reports.append(MoveReport(move, none, none, none, math.nan, math.nan, ()))
            continue
        deviation = run["deviation"][rows].max(axis=0)
        reports.append(
            MoveReport(
                move,
                _largest(torque[rows]),
                _largest(speed[rows]),
                _largest(acceleration[rows]),
                float(deviation[0]),
                float(deviation[1]),
                tuple(events[k]),
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


def _events(run: Run, starts: NDArray[np.intp]) -> list[list[Event]]:
    """The events during each move; move k has the rows from starts[k] to starts[k + 1]."""
    during: list[list[Event]] = [[] for _ in starts[1:]]
    moved = np.flatnonzero(np.diff(starts))
    begins = run["t"][np.maximum(starts[moved] - 1, 0)]
    ends = run["t"][starts[moved + 1] - 1]
    for event in run.events:
        first = int(np.searchsorted(ends, event.start + 1e-9, side="right"))
        last = int(np.searchsorted(begins, event.end - 1e-9, side="left"))
        for k in moved[first:last].tolist():
            during[k].append(event)
    return during
