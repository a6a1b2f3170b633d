"""Algorithm 1 of 001, its flow chart (Fig. 2 in Serbian) and its velocities (Fig. 1)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..achieve.achievable import achievable
from ..mechanics.dynamics import inverse_dynamics
from ..robot.limits import JointLimits
from .item import Check, ItemOutcome, identical
from .lola15_demonstration import DRIVES, DT, PROGRAM, WRENCH, programmed, with_algorithm_1

STEPS = (
    ("1", "velocities within their limits"),
    ("2", "q'' = (q'(k+1) - q'(k)) / dt"),
    ("3", "joint torques u: inverse dynamics (34)"),
    ("4", "motor torques u_a (Appendix D)"),
    ("5", "too large? u_a = M_max, i_u = 1"),
    ("6", "q'' from (92) where i_u = 1"),
    ("7", "q'(k+1), q(k+1)"),
    ("8", "return q'(k+1), q(k+1)"),
)
"""The steps of Algorithm 1, in few words."""


def steps() -> ItemOutcome:
    """Algorithm 1, every step, on the demonstration."""
    robot, _ = programmed()
    run = with_algorithm_1()
    limits = JointLimits.of(robot).velocity
    q, qd, qdd = run["q"], run["qd"], run["qdd"]
    u = inverse_dynamics(robot, q[:-1], qd[:-1], qdd[1:], wrench=WRENCH, method="mrnea")
    most, torque = run["u_a_max"][1:], np.abs(run["u_a"][1:])
    held = run["saturated"][1:] != 0
    asked = (run["qd_given"][1:] - qd[:-1]) / DT
    free = ~held & (run["clipped"][1:] == 0)
    checks = (
        Check("1: largest velocity, as a part of its limit", "at most the limit",
              float((np.abs(qd) / limits).max()), 0, 1 + 1e-9),
        identical("2: q'' of joints whose motors are free and what was asked for",
                  np.abs(qdd[1:] - asked)[~held.any(axis=1) & free.all(axis=1)].max(), 1e-9,
                  "rad/s2"),
        identical("3: u of the run and by mRNEA (34)", np.abs(run["u"][1:] - u).max(), 1e-8,
                  "N m"),
        Check("5: largest motor torque, as a part of its limit", "at most the limit",
              float((torque / most).max()), 0, 1 + 1e-9),
        identical("5: torque of a motor with i_u = 1 and its limit",
                  np.abs(torque - most)[held].max(), 1e-8, "N m"),
        identical("7: q' + q'' dt and the next q'",
                  np.abs(qd[:-1] + DT * qdd[1:] - qd[1:]).max(), 1e-9, "rad/s"),
        identical("7: q + q'(k+1) dt and the next q",
                  np.abs(q[:-1] + DT * qd[1:] - q[1:]).max(), 1e-12, "rad"),
    )  # fmt: skip
    robot, motion = programmed()
    printed = achievable(
        robot, motion.trajectory, wrench=WRENCH, policy="printed", torque_path="diagonal"
    )
    away = [1000 * r["deviation"][:, 0].max() for r in (run, printed)]
    remark = (
        f"Step 6 in the consistent reading (erratum 8): the tool leaves its path by {away[0]:.0f}"
        f" mm; as printed (policy='printed', torque_path='diagonal') {away[1]:.0f} mm."
    )
    return ItemOutcome(checks, (*DRIVES, *PROGRAM), remark=remark, figure=_flow_chart)


def flow_chart() -> ItemOutcome:
    """Fig. 2 in Serbian: the order in which Algorithm 1 computes."""
    run = with_algorithm_1()
    short = int((run["saturated"][1:] != 0).any(axis=1).sum())
    checks = (
        Check("cycles that take the branch of step 6", "some", float(short), 1,
              float(len(run) - 1)),
        Check("cycles that take the other", "some", float(len(run) - 1 - short), 1,
              float(len(run) - 1)),
    )  # fmt: skip
    remark = "The picture itself is not in the text; drawn from Algorithm 1, with our counts."
    return ItemOutcome(checks, (8, *PROGRAM), remark=remark, figure=_flow_chart)


def velocity_change() -> ItemOutcome:
    """Fig. 1: the velocity of a joint is constant within a cycle, and steps between two."""
    _, motion = programmed()
    trajectory = motion.trajectory
    q, qd = trajectory.q, trajectory.qd
    rate = (q[1:] - q[:-1]) / DT
    checks = (
        identical("q'(k+1) and (q(k+1) - q(k)) / dt, one sample later than printed",
                  np.abs(rate - qd[1:]).max(), 1e-9, "rad/s"),
        identical("q'(k) + q''(k) dt and q'(k+1)",
                  np.abs(qd[:-1] + DT * ((qd[1:] - qd[:-1]) / DT) - qd[1:]).max(), 1e-12, "rad/s"),
    )  # fmt: skip
    return ItemOutcome(checks, (14,), figure=_figure_1)


def _figure_1() -> Any:
    from ..report.plots.layout import ACHIEVED, PROGRAMMED, new_figure, style_axes

    robot, motion = programmed()
    trajectory = motion.trajectory
    figure = new_figure(8.5, 4.4, robot, "given change of the velocity of joint 1 (Fig. 1)")
    ax = figure.subplots()
    style_axes(ax)
    first = 20
    t, v = trajectory.t[first : first + 7], trajectory.qd[first : first + 7, 0]
    ax.step(t, v, where="pre", color=ACHIEVED, lw=2, label="q' held in the cycle that ends at t")
    ax.plot(t, v, "o--", color=PROGRAMMED, lw=1, ms=4, label="q'(k) + q''(k) dt")
    ax.annotate("", (t[3], v[2]), (t[2], v[2]), arrowprops={"arrowstyle": "<->", "color": "k"})
    ax.text((t[2] + t[3]) / 2, v[2], "dt", ha="center", va="top", fontsize=10)
    ax.annotate("", (t[3], v[3]), (t[3], v[2]), arrowprops={"arrowstyle": "<->", "color": "k"})
    ax.text(t[3] + 0.0005, (v[2] + v[3]) / 2, "q'' dt", fontsize=10, va="center")
    ax.set(xlabel="time (s)", ylabel="velocity (rad/s)", xticks=t)
    ax.legend(fontsize=9)
    return figure


def _flow_chart() -> Any:
    """The boxes of Algorithm 1 from top to bottom, with how many cycles pass each."""
    from ..report.plots.layout import ACHIEVED, NARROW, SATURATED, new_figure

    robot, _ = programmed()
    run = with_algorithm_1()
    cycles = len(run) - 1
    short = int((run["saturated"][1:] != 0).any(axis=1).sum())
    slowed = int((run["clipped"][1:] != 0).any(axis=1).sum())
    figure = new_figure(7.6, 9.2, robot, "Algorithm 1 on the demonstration")
    ax = figure.subplots()
    ax.set(xlim=(0, 10), ylim=(-0.6, 8.6))
    ax.axis("off")
    notes = {"1": f"bent in {slowed}", "5": f"too large in {short}", "7": f"{cycles} cycles"}
    for row, (name, text) in enumerate(STEPS):
        y = 8 - row * 1.1
        branch = name in ("1", "5", "6")
        color = SATURATED if branch else ACHIEVED
        ax.text(
            4,
            y,
            f"{name}   {text}",
            ha="center",
            va="center",
            fontsize=10.5,
            bbox={"boxstyle": "round,pad=0.55", "fc": "white", "ec": color, "lw": 1.6},
        )
        if name in notes:
            ax.text(8.4, y, notes[name], va="center", fontsize=9.5, color=NARROW)
        if row:
            ax.annotate("", (4, y + 0.33), (4, y + 0.77),
                        arrowprops={"arrowstyle": "-|>", "color": "k"})  # fmt: skip
    y5, y7 = 8 - 4 * 1.1, 8 - 6 * 1.1
    ax.plot([1.9, 0.9, 0.9], [y5, y5, y7], color="k", lw=1)
    ax.annotate("", (2.9, y7), (0.9, y7), arrowprops={"arrowstyle": "-|>", "color": "k"})
    ax.text(0.75, (y5 + y7) / 2, "no", fontsize=9.5, ha="right")
    return figure
