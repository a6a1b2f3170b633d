"""The demonstration of 001 (section 8): Figs. 4-7 = A4-A7, and what its text says of them.

The program is the papers' own (Fig. 8) in the reading of errata 20, 25 and 26: `turning even`.
"Without Algorithm 1" is the programmed motion by motors without limits, "with" is what
`erfd.achievable` makes of it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import inf
from typing import Any

import numpy as np

from ..achieve.achievable import achievable
from ..ground.arrays import Array
from ..lirl import interpret, parse
from ..mechanics.dynamics import inverse_dynamics, joint_reactions
from ..planning.plan import Plan
from ..planning.planner import plan
from ..report.plots import layout
from ..report.plots import run as plots
from ..robot.library import load
from ..robot.limits import JointLimits
from ..robot.model import Robot, Turning
from ..run.run import Run
from ..studio.examples import example_texts
from .item import Check, ItemOutcome, identical, number

WRENCH = (100.0, 100.0, -150.0, 0.0, 0.0, 0.0)
"""f_e in N of the demonstration, base coordinates (erratum 17 for its sign)."""
DT = 0.01
SLIGHTLY = 0.01
"""How far from its path, m, the tool may be for "differs slightly": ours, not theirs."""
PROGRAM = (20, 25, 26)
DRIVES = (8, 9, 10, 14)
SHADED = ("torque limit", "stall", "joint speed limit", "motor speed limit")
WITHOUT = {"color": layout.PROGRAMMED, "lw": 1.4, "ls": (0, (4, 2)), "label": "without Algorithm 1"}
WITH = {"color": layout.ACHIEVED, "lw": 1.9, "label": "with Algorithm 1"}


@lru_cache(maxsize=1)
def programmed() -> tuple[Robot, Plan]:
    """Lola 15 and the demonstration as it is planned, cycles of 10 ms."""
    robot = load("lola15")
    return robot, _planned(robot)


def _planned(robot: Robot, turning: Turning | None = None) -> Plan:
    steps = interpret(parse(example_texts()["lola15_demo"]), robot)
    return plan(robot, steps, DT, turning=turning)


@lru_cache(maxsize=1)
def with_algorithm_1() -> Run:
    """What the motors achieve of the demonstration."""
    robot, motion = programmed()
    return achievable(robot, motion.trajectory, wrench=WRENCH)


@lru_cache(maxsize=1)
def without_algorithm_1() -> Run:
    """The demonstration as programmed, its torques whatever they may be."""
    robot, motion = programmed()
    joints = tuple(replace(joint, velocity_max=inf) for joint in robot.joints)
    drives = tuple(replace(d, torque_max=inf, speed_max=inf, curve=()) for d in robot.drives)
    return achievable(
        replace(robot, joints=joints, drives=drives), motion.trajectory, wrench=WRENCH
    )


def _torque_limits() -> Array:
    return np.array([drive.torque_max for drive in programmed()[0].drives])


def path() -> ItemOutcome:
    """Fig. 4 = A4: the path of the end effector and its speed."""
    _, motion = programmed()
    kinds = [move.kind for move in motion.moves]
    passed = [move.blend != "stop" for move in motion.moves[:9]]
    run = with_algorithm_1()
    checks = (
        number("moves", 13, len(kinds)),
        number("first moves without a stop", 10, 1 + sum(passed)),
        number("moves on a path, after the first", 9, sum(k != "ptp" for k in kinds[1:10])),
        number("moves from point to point at the end", 3, sum(k == "ptp" for k in kinds[10:])),
        number("cycle", 0.01, motion.trajectory.dt, 0.0, "s"),
    )
    remark = (
        f"{motion.duration:.2f} s, {len(run) - 1} cycles. Of the figure nothing but the path can be"
        " compared: what remains of it in the text has no numbers."
    )
    return ItemOutcome(checks, PROGRAM, remark=remark, figure=lambda: plots.plot_path(run))


def joint_torques() -> ItemOutcome:
    """Fig. 5 = A5: joint torques by RNEA and by mRNEA, "identical in each interpolation cycle"."""
    robot, _ = programmed()
    run = without_algorithm_1()
    state = run["q"][:-1], run["qd"][:-1], run["qdd"][1:]
    u = [
        inverse_dynamics(robot, *state, wrench=WRENCH, method=method)
        for method in ("ne_base", "ne_link", "mrnea")
    ]
    size = float(np.abs(u[0]).max())
    checks = (
        identical("u by RNEA (base frame) and mRNEA, worst cycle",
                  np.abs(u[0] - u[2]).max(), 1e-12 * size, "N m"),
        identical("u by RNEA (link frames) and mRNEA, worst cycle",
                  np.abs(u[1] - u[2]).max(), 1e-12 * size, "N m"),
    )  # fmt: skip
    remark = f"Limit: 1e-12 of the largest torque, {size:.0f} N m."
    achieved = with_algorithm_1()
    return ItemOutcome(
        checks, (1, 2, 4, 5, *PROGRAM), remark=remark,
        figure=lambda: plots.plot_joint_torques(achieved),
    )  # fmt: skip


def torques_and_accelerations() -> ItemOutcome:
    """Fig. 6 = A6: motor torques and joint accelerations with and without Algorithm 1."""
    bare, run, limit = without_algorithm_1(), with_algorithm_1(), _torque_limits()
    use = np.abs(bare["u_a"][1:]) / limit
    short = np.asarray((use > 1).any(axis=1))
    held = np.abs(run["u_a"][1:]) / limit
    changed = np.abs(run["qdd"][1:] - bare["qdd"][1:]).max(axis=1) > 1e-9
    checks = (
        Check("cycles in which a motor cannot achieve the required torque", '"certain"',
              float(short.sum()), 1, 0.1 * len(short)),
        Check("largest torque with Algorithm 1, as a part of the limit", "at most the limit",
              float(held.max()), 0, 1 + 1e-9),
        Check("cycles that miss a torque and keep their accelerations", "none",
              float((short & ~changed).sum()), 0, 0),
    )  # fmt: skip
    peaks = ", ".join(f"{100 * x:.0f}" for x in use.max(axis=0))
    remark = f"Without Algorithm 1 motors 1 to 6 need up to {peaks} % of what they have."
    return ItemOutcome(checks, (*DRIVES, *PROGRAM), remark=remark, figure=figure_6)


def velocities_and_positions() -> ItemOutcome:
    """Fig. 7 = A7: joint velocities and positions with and without Algorithm 1."""
    robot, _ = programmed()
    bare, run = without_algorithm_1(), with_algorithm_1()
    limits = JointLimits.of(robot).velocity
    rotor = np.array([drive.speed_max for drive in robot.drives])
    lag = np.degrees(np.abs(run["q"] - bare["q"]))
    checks = (
        Check("largest joint velocity, as a part of its limit", '"only achievable"',
              float((np.abs(run["qd"]) / limits).max()), 0, 1 + 1e-9),
        Check("largest rotor velocity, as a part of its limit", '"only achievable"',
              float((np.abs(run["qd_a"]) / rotor).max()), 0, 1 + 1e-9),
        Check("largest delay of a joint behind its program", '"delays"',
              float(lag.max()), 0.01, 90.0, "deg"),
    )  # fmt: skip
    most = int(lag.max(axis=0).argmax()) + 1
    remark = (
        f"Joint {most} falls behind most. The lag stays, as the papers have it; follow='position'"
        " catches up."
    )
    return ItemOutcome(checks, (*DRIVES, *PROGRAM), remark=remark, figure=figure_7)


def path_differs() -> ItemOutcome:
    """The claim "The end effector path differs slightly from the programmed path" (section 8)."""
    robot, motion = programmed()
    run = with_algorithm_1()
    slow = tuple(replace(drive, speed_max=inf) for drive in robot.drives)
    joints = tuple(replace(joint, velocity_max=inf) for joint in robot.joints)
    torque_alone = achievable(
        replace(robot, joints=joints, drives=slow), motion.trajectory, wrench=WRENCH
    )
    away = run["deviation"][:, 0]
    checks = (
        Check("the tool leaves its path by up to", '"differs"',
              1000 * float(away.max()), 0.1, inf, "mm"),
        Check("the same", '"slightly"', 1000 * float(away.max()), 0, 1000 * SLIGHTLY, "mm"),
    )  # fmt: skip
    only = 1000 * torque_alone["deviation"][:, 0].max()
    why = (
        f"{1000 * away.max():.0f} mm at worst and {1000 * away[-1]:.0f} mm at the end is not slight"
        f" ({1000 * SLIGHTLY:g} mm would be, by our measure): with the limits of torque alone"
        f" it would be {only:.0f} mm; axis 4 also meets its speed limit; no lag is ever caught up"
    )
    gentle = achievable(robot, _planned(robot, turning="smooth").trajectory, wrench=WRENCH)
    short = (gentle["saturated"] != 0).any()
    remark = (
        f"With `turning smooth`, our default for programs, {'a' if short else 'no'} motor lacks"
        f" torque; what is left are the speed limits of axes 4 and 5:"
        f" {1000 * gentle['deviation'][:, 0].max():.0f} mm."
    )
    return ItemOutcome(checks, (*DRIVES, *PROGRAM), why, remark, lambda: plots.plot_path(run))


def reactions() -> ItemOutcome:
    """(32): forces and moments in the joints, for the design of bearings and links."""
    robot, _ = programmed()
    run = with_algorithm_1()
    force, moment = joint_reactions(
        robot, run["q"][:-1], run["qd"][:-1], run["qdd"][1:], wrench=WRENCH
    )
    axis = moment[..., 2]  # z_(i-1) is the third axis of frame i-1 (33)
    u = inverse_dynamics(
        robot, run["q"][:-1], run["qd"][:-1], run["qdd"][1:], wrench=WRENCH, method="mrnea"
    )
    weight = 9.81 * sum(link.mass for link in robot.links)
    checks = (
        identical("z-components of the moments (32) and u (33) by mRNEA",
                  np.abs(axis - u).max(), 1e-9, "N m"),
        identical("forces and moments of the run and (32)",
                  max(np.abs(run["force"][1:] - force).max(),
                      np.abs(run["moment"][1:] - moment).max()), 1e-8, "N, N m"),
    )  # fmt: skip
    remark = (
        f"Largest force in joint 1: {np.linalg.norm(force[:, 0], axis=1).max():.0f} N"
        f" (the arm weighs {weight:.0f} N)."
    )
    return ItemOutcome(
        checks, (1, 2, *PROGRAM), remark=remark, figure=lambda: plots.plot_reactions(run)
    )


def _panels(title: str, name: str, symbol: str, part: str, limits: Array | None) -> Any:
    """Six panels: a quantity with and without Algorithm 1, and the limits."""
    robot, _ = programmed()
    bare, run = without_algorithm_1(), with_algorithm_1()
    figure, axes = layout.joint_grid(robot, title, symbol, part)
    t = run["t"][1:]
    for i, ax in enumerate(axes):
        layout.shade_spans(ax, run, i, SHADED)
        ax.plot(t, bare[name][1:, i], **WITHOUT)
        ax.plot(t, run[name][1:, i], **WITH)
        if limits is not None:
            layout.draw_limits(ax, t, *np.outer([-limits[i], limits[i]], np.ones(len(t))))
    layout.finish_axes(figure, axes, run["t"])
    return figure


def figure_6() -> dict[str, Any]:
    """Fig. 6 = A6: (a) motor torques, (b) accelerations."""
    return {
        "a": _panels("actuator torques", "u_a", "u_a", "motor", _torque_limits()),
        "b": _panels("joint accelerations", "qdd", "qdd", "joint", None),
    }


def figure_7() -> dict[str, Any]:
    """Fig. 7 = A7: (a) velocities, (b) positions."""
    velocity = JointLimits.of(programmed()[0]).velocity
    return {
        "a": _panels("joint velocities", "qd", "qd", "joint", velocity),
        "b": _panels("joint positions", "q", "q", "joint", None),
    }
