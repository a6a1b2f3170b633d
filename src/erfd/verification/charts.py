"""The charts of a verification, Figs. A4 to A7 of the paper."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..ground.arrays import Array
from ..report.curves.drawn import drawn
from ..report.curves.svg_chart import Chart
from ..robot.limits import JointLimits
from ..run.columns import SLIDING, UNITS
from ..run.events import spans
from ..run.run import Run
from .result import Verification


def charts(verification: Verification) -> dict[str, Chart]:
    """Charts by name, in the order of the report."""
    run, robot = verification.run, verification.robot
    t, n = run["t"], robot.n
    motors = [f"motor {i + 1}" for i in range(n)]
    tight = _spans(run, "saturated")
    bent = _spans(run, "clipped")
    most = run["u_a_max"][1:].max(axis=0)
    fastest = np.array([drive.speed_max for drive in robot.drives])
    rpm = 30 / np.pi
    limits = JointLimits.of(robot).velocity
    speed = np.full(len(t), np.nan)
    speed[1:] = np.linalg.norm(np.diff(run["pose"][:, :3, 3], axis=0), axis=1) / np.diff(t)
    pairs = np.column_stack([1e3 * run["deviation"][:, 0], np.degrees(run["deviation"][:, 1])])
    return {
        "tool-speed": Chart("Speed of the tool", "m/s", t, speed[:, None], ["achieved"]),
        "deviation": Chart("Tool off the programmed one", "mm, deg", t, pairs, ["mm", "deg"],
                           spans=[*tight, *bent]),
        "motor-torques": Chart("Motor torques", "N m", t, drawn(run, "u_a"), motors, most, tight),
        "motor-speeds": Chart("Motor speeds", "1/min", t, run["qd_a"] * rpm, motors, fastest * rpm,
                              bent),
        **_joints(run, "joint-torques", "Joint torques", "u", drawn(run, "u")),
        **_joints(run, "accelerations", "Joint accelerations, achieved", "qdd", drawn(run, "qdd"),
                  spans=tight),
        **_joints(run, "accelerations-wanted", "Joint accelerations, without Algorithm 1", "qdd",
                  _asked(run)),
        **_joints(run, "velocities", "Joint velocities", "qd", run["qd"], limits, bent),
        **_joints(run, "positions", "Joint positions", "q", run["q"]),
        "power": Chart("Motor power", "W", t, drawn(run, "power"), motors),
        "load": Chart("Load felt at the tool", "g", t, drawn(run, "load"), ["x", "y", "z"]),
    }  # fmt: skip


def _joints(
    run: Run, name: str, title: str, column: str, values: Array, limits: Array | None = None,
    spans: Sequence[tuple[float, float]] = (),
) -> dict[str, Chart]:  # fmt: skip
    """The chart of a quantity of joints; two where some turn and some slide, of other units."""
    turning = np.array([joint.revolute for joint in run.robot.joints])
    charts_ = {}
    for chosen, ending, words in ((turning, "", ""), (~turning, "-sliding", ", sliding joints")):
        if not chosen.any():
            continue
        unit = UNITS[column] if chosen is turning else SLIDING[UNITS[column]]
        alone = chosen.all()
        charts_[name if alone else name + ending] = Chart(
            title if alone else title + words, unit.replace("s2", "s²"), run["t"],
            values[:, chosen], [f"joint {i + 1}" for i in np.flatnonzero(chosen)],
            None if limits is None else limits[chosen], spans,
        )  # fmt: skip
    return charts_


def _asked(run: Run) -> Array:
    """The accelerations that the program asks for: the changes of its velocities, rad/s2 (m/s2)."""
    result = np.full_like(run["qd_given"], np.nan)
    result[1:] = np.diff(run["qd_given"], axis=0) / (run["t"][1] - run["t"][0])
    return result


def _spans(run: Run, name: str) -> list[tuple[float, float]]:
    """The times from .. to in s in which a column is not 0 for some joint."""
    t = run["t"]
    intervals = spans((run[name] != 0).any(axis=1))
    return [(float(t[max(a - 1, 0)]), float(t[b])) for a, b in intervals]
