"""The reports of the moves of a plan, from the run that it became."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..planning.plan import Plan
from ..robot.limits import JointLimits
from ..run.events import Event, programmed_accelerations
from ..run.run import Run
from .result import MoveReport


def move_reports(planned: Plan, run: Run) -> tuple[MoveReport, ...]:
    """The report of every move; one that the run did not come to is all zeros."""
    robot, n = run.robot, run.robot.n
    fastest = np.array([drive.speed_max for drive in robot.drives])
    torque = np.abs(run["u_a"]) / np.where(run["u_a_max"] > 0, run["u_a_max"], np.inf)
    speed = np.abs(run["qd_a"]) / fastest
    asked = programmed_accelerations(run["qd_given"], planned.trajectory.dt, robot.cycle_time)
    acceleration = np.abs(asked) / JointLimits.of(robot).acceleration
    starts = np.searchsorted(planned.move, np.arange(len(planned.moves) + 1))
    starts = np.minimum(starts, len(run))
    events = _events(run, starts)
    reports = []
    for k, move in enumerate(planned.moves):
        rows = slice(int(starts[k]), int(starts[k + 1]))
        if rows.start == rows.stop:  # nothing moved
            still = np.zeros(n)
            reports.append(MoveReport(move, still, still, still, 0.0, 0.0, ()))
            continue
        deviation = run["deviation"][rows].max(axis=0)
        reports.append(
            MoveReport(
                move,
                torque[rows].max(axis=0),
                speed[rows].max(axis=0),
                acceleration[rows].max(axis=0),
                float(deviation[0]),
                float(deviation[1]),
                tuple(events[k]),
            )
        )
    return tuple(reports)


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
