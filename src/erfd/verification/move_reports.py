"""The reports of the moves of a plan, from the run that it became."""

from __future__ import annotations

import numpy as np

from ..planning.plan import Plan
from ..robot.limits import JointLimits
from ..run.events import programmed_accelerations
from ..run.run import Run
from .result import MoveReport


def move_reports(planned: Plan, run: Run) -> tuple[MoveReport, ...]:
    """The report of every move; one that the run did not come to is all zeros."""
    robot, t, n = run.robot, run["t"], run.robot.n
    fastest = np.array([drive.speed_max for drive in robot.drives])
    torque = np.abs(run["u_a"]) / np.where(run["u_a_max"] > 0, run["u_a_max"], np.inf)
    speed = np.abs(run["qd_a"]) / fastest
    asked = programmed_accelerations(run["qd_given"], planned.trajectory.dt, robot.cycle_time)
    acceleration = np.abs(asked) / JointLimits.of(robot).acceleration
    starts = np.searchsorted(planned.move, np.arange(len(planned.moves) + 1))
    starts = np.minimum(starts, len(run))
    reports = []
    for k, move in enumerate(planned.moves):
        rows = slice(int(starts[k]), int(starts[k + 1]))
        if rows.start == rows.stop:  # nothing moved
            still = np.zeros(n)
            reports.append(MoveReport(move, still, still, still, 0.0, 0.0, ()))
            continue
        begin, end = t[max(rows.start - 1, 0)], t[rows.stop - 1]
        events = [e for e in run.events if e.start < end - 1e-9 and e.end > begin + 1e-9]
        deviation = run["deviation"][rows].max(axis=0)
        reports.append(
            MoveReport(
                move,
                torque[rows].max(axis=0),
                speed[rows].max(axis=0),
                acceleration[rows].max(axis=0),
                float(deviation[0]),
                float(deviation[1]),
                tuple(events),
            )
        )
    return tuple(reports)
