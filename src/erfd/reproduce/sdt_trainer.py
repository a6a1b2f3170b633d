"""The spatial disorientation trainer of 000 (section IV) and 001 (section 5.4, Appendix E)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ground.arrays import Array
from ..mechanics.dynamics import forward_dynamics, inverse_dynamics
from ..mechanics.kinematics import link_frames
from ..mechanics.terms import terms
from ..report.plots import run as plots
from ..robot.library import load
from .item import ItemOutcome, identical, number

Q, QD = np.array([0.3, -0.8, 0.6, 1.1]), np.array([0.9, -1.2, 0.7, 0.4])
STILL = np.zeros(4)


def motion() -> tuple[Array, Array, Array, Array]:
    """Times (s), positions, velocities and accelerations of all four axes over 10 s."""
    t = np.linspace(0, 10, 401)
    size, rate = np.array([1.0, 0.6, 0.5, 0.7]), np.array([0.5, 0.8, 0.6, 0.9])
    angle = np.outer(t, rate)
    q, qd = size * np.sin(angle), size * rate * np.cos(angle)
    return t, q, qd, -size * rate**2 * np.sin(angle)


def torques_and_accelerations() -> ItemOutcome:
    """Fig. A3 = E2 = 000 Fig. 3: torques by RNEA and mRNEA, accelerations recovered by (34)."""
    robot = load("sdt4")
    t, q, qd, qdd = motion()
    u = [inverse_dynamics(robot, q, qd, qdd, method=m) for m in ("ne_base", "ne_link", "mrnea")]
    recovered = forward_dynamics(robot, q, qd, u[2], method="mrnea")
    size = float(np.abs(u[2]).max())
    checks = (
        identical("u by RNEA (base frame) and mRNEA", np.abs(u[0] - u[2]).max(), 1e-12 * size,
                  "N m"),
        identical("u by RNEA (link frames) and mRNEA", np.abs(u[1] - u[2]).max(), 1e-12 * size,
                  "N m"),
        identical("q'' from (34) and those put in", np.abs(recovered - qdd).max(), 1e-10,
                  "rad/s2"),
    )  # fmt: skip
    remark = "The motion and the trainer's masses are ours: the papers print neither."
    return ItemOutcome(
        checks, (1, 4, 5), remark=remark, figure=lambda: plots.plot_sdt(robot, t, q, qd, qdd)
    )


def equations() -> ItemOutcome:
    """(77)-(89) = (E.1)-(E13) = 000 (37)-(41): the terms of the trainer, written out."""
    robot = load("sdt4")
    frames = link_frames(robot, Q)
    z, step = frames[:4, :3, 2], np.diff(frames[:, :3, 3], axis=0)
    c1, s1, c12, s12 = np.cos(Q[0]), np.sin(Q[0]), np.cos(Q[0] + Q[1]), np.sin(Q[0] + Q[1])
    c3, s3 = np.cos(Q[2]), np.sin(Q[2])
    axes = np.array([[0, 0, 1], [0, 0, 1], [s12, -c12, 0], [c12 * c3, s12 * c3, s3]])  # (89)
    a1, d2 = robot.joints[0].a, robot.joints[1].d
    steps = np.array([[a1 * c1, a1 * s1, 0], [0, 0, d2], [0, 0, 0], [0, 0, 0]])
    known = terms(robot, Q, QD)
    e, d, ei, di = (known[name] for name in ("e_ik", "d_ik", "e_i", "d_i"))
    centers = np.array([f[:3, :3] @ link.center for f, link in zip(frames[1:], robot.links,
                                                                   strict=True)])  # fmt: skip
    arm = steps + centers  # l_i
    own = d + np.cross(arm[:, None], e)  # n_ika1 of (78), (79)
    n_a1 = np.cumsum(own[::-1], axis=0)[::-1]  # (80)-(83)
    beyond = np.cumsum(ei[::-1], axis=0)[::-1]
    own_c = di + np.cross(arm, ei)
    own_c[1] += np.cross(steps[1], beyond[2])
    own_c[0] += np.cross(steps[0], beyond[1])  # (77)
    n_c = np.cumsum(own_c[::-1], axis=0)[::-1]
    E31, E32, E33 = e[3, 0] + e[2, 0], e[3, 1] + e[2, 1], e[3, 2] + e[2, 2]
    E21, E22, E44 = E31 + e[1, 0], E32 + e[1, 1], e[3, 3]  # (87) as in erratum 5
    n_a2 = np.zeros((4, 4, 3))  # (84)
    n_a2[1, :3] = np.cross(steps[1], [E31, E32, E33])  # (85)
    n_a2[0, :3] = n_a2[1, :3]
    n_a2[0, :2] += np.cross(steps[0], [E21, E22])  # (86)
    n_a3 = np.zeros((4, 4, 3))  # (88)
    n_a3[1, 3] = np.cross(steps[1], E44)
    n_a3[0, 2:] = np.cross(steps[0], E33), np.cross(steps[0] + steps[1], E44)
    h = np.einsum("ix,ikx->ik", axes, n_a1 + n_a2 + n_a3)  # (35)
    printed = np.cross(steps[0], [e[2, 0] + e[1, 0], e[2, 1] + e[1, 1]])
    lost = axes[0] @ (np.cross(steps[0], [E21, E22]) - printed).T
    checks = (
        identical("axes z_0 to z_3 (89)", np.abs(z - axes).max(), 1e-14),
        identical("p*_1 to p*_4 (before (77))", np.abs(step - steps).max(), 1e-14, "m"),
        identical("n'_ic by (77)", np.abs(n_c - known["n_ic"]).max(), 1e-8, "N m"),
        identical("n'_ia1 by (78)-(83)", np.abs(n_a1 - known["n_ia1"]).max(), 1e-9, "kg m2"),
        identical("n'_ia2 by (84)-(87)", np.abs(n_a2 - known["n_ia2"]).max(), 1e-9, "kg m2"),
        identical("n'_ia3 by (88)", np.abs(n_a3 - known["n_ia3"]).max(), 1e-9, "kg m2"),
        identical("H by (35) and by Lagrange-Euler",
                  np.abs(h - terms(robot, Q, QD, method="lagrange")["D_ik"]).max(), 1e-9, "kg m2"),
    )  # fmt: skip
    remark = f"As printed, (87) loses {abs(lost[0]):.0f} kg m2 of h_11 of our trainer."
    return ItemOutcome(checks, (1, 5), remark=remark)


def frames() -> ItemOutcome:
    """Fig. A2 = E1 = 000 Fig. 2: the trainer and its frames."""
    robot = load("sdt4")
    placed = link_frames(robot, STILL)
    checks = (
        number("axes", 4, robot.n),
        identical("z_0 and z_1", np.abs(placed[0, :3, 2] - placed[1, :3, 2]).max(), 1e-14),
        identical("origins of frames 2, 3 and 4",
                  np.abs(placed[3:, :3, 3] - placed[2, :3, 3]).max(), 1e-14, "m"),
    )  # fmt: skip
    remark = "The geometry is printed; the lengths a1 and d2 and all shapes are illustrative."
    return ItemOutcome(checks, remark=remark, figure=figure_of_frames)


def figure_of_frames() -> Any:
    """The trainer beside its frames."""
    from .frame_figures import robot_and_frames

    return robot_and_frames(load("sdt4"), np.array([0.4, 0.3, 0.3, 0.4]))
