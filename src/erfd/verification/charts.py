"""The charts of a verification, Figs. A4 to A7 of the paper."""

from __future__ import annotations

import numpy as np

from ..report.curves.svg_chart import Chart
from ..robot.limits import JointLimits
from ..run.events import spans
from ..run.run import Run
from .result import Verification


def charts(verification: Verification) -> dict[str, Chart]:
    """Charts by name, in the order of the report."""
    run = verification.run
    t, n = run["t"], verification.robot.n
    motors = [f"motor {i + 1}" for i in range(n)]
    joints = [f"joint {i + 1}" for i in range(n)]
    tight = _spans(run, "saturated")
    bent = _spans(run, "clipped")
    unit = ("rad", "rad/s", "rad/s²")
    most = run["u_a_max"][1:].max(axis=0)
    fastest = np.array([drive.speed_max for drive in verification.robot.drives])
    rpm = 30 / np.pi
    limits = JointLimits.of(verification.robot).velocity
    speed = np.zeros(len(t))
    speed[1:] = np.linalg.norm(np.diff(run["pose"][:, :3, 3], axis=0), axis=1) / np.diff(t)
    pairs = np.column_stack([1e3 * run["deviation"][:, 0], np.degrees(run["deviation"][:, 1])])
    return {
        "tool-speed": Chart("Speed of the tool", "m/s", t, speed[:, None], ["achieved"]),
        "deviation": Chart("Tool off the programmed one", "mm, deg", t, pairs, ["mm", "deg"],
                           spans=[*tight, *bent]),
        "motor-torques": Chart("Motor torques", "N m", t, run["u_a"], motors, most, tight),
        "motor-speeds": Chart("Motor speeds", "1/min", t, run["qd_a"] * rpm, motors, fastest * rpm,
                              bent),
        "joint-torques": Chart("Joint torques", "N m", t, run["u"], joints),
        "accelerations": Chart("Joint accelerations, achieved", unit[2], t, run["qdd"], joints,
                               spans=tight),
        "accelerations-wanted": Chart("Joint accelerations, without Algorithm 1", unit[2], t,
                                      _asked(run), joints),
        "velocities": Chart("Joint velocities", unit[1], t, run["qd"], joints, limits, bent),
        "positions": Chart("Joint positions", unit[0], t, run["q"], joints),
        "power": Chart("Motor power", "W", t, run["power"], motors),
        "load": Chart("Load felt at the tool", "g", t, run["load"], ["x", "y", "z"]),
    }  # fmt: skip


def _asked(run: Run) -> np.ndarray:
    """The accelerations that the program asks for: the changes of its velocities, rad/s2 (m/s2)."""
    result = np.zeros_like(run["qd_given"])
    result[1:] = np.diff(run["qd_given"], axis=0) / (run["t"][1] - run["t"][0])
    return result


def _spans(run: Run, name: str) -> list[tuple[float, float]]:
    """The times from .. to in s in which a column is not 0 for some joint."""
    t = run["t"]
    intervals = spans((run[name] != 0).any(axis=1))
    return [(float(t[max(a - 1, 0)]), float(t[b])) for a, b in intervals]
