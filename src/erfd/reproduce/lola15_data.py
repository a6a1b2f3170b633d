"""Lola 15 as 001 prints it: Table A1, the data of Appendices B, D and E, Figs. A1 and D1."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from ..ground.arrays import Array
from ..mechanics.kinematics import link_frames
from ..mechanics.terms import terms
from ..robot.library import load
from ..robot.model import Robot
from .item import Check, ItemOutcome, identical, number

TABLE_A1 = (
    (0.0, 200.0, 0.0, 90.0),
    (90.0, 600.0, 0.0, 0.0),
    (0.0, 115.0, 0.0, 90.0),
    (0.0, 0.0, 825.0, -90.0),
    (0.0, 0.0, 0.0, 90.0),
    (0.0, 0.0, 0.0, 0.0),
)
"""Offset of the variable (deg), a (mm), d (mm), alpha (deg) of links 1 to 6."""
CENTERS = (
    (-0.086, -0.1875, -0.00012), (-0.4454, 0.0283, 0.0033), (0.00225, 0.00017, -0.7223),
    (0.0, 0.212, 0.00082), (0.0, 0.027, 0.007), (0.0, 0.0, 0.195),
)  # fmt: skip
MASSES = (252.0, 86.2, 81.0, 45.0, 4.5, 11.0)
INERTIAS = (
    (None, 19.0, None), (1.157, 21.185, 21.75), (45.0, 45.1, 0.478), (2.691, 0.23, 2.7),
    (0.014, 0.008, 0.011), (0.273, 0.272, 0.004),
)  # fmt: skip
"""Ix, Iy, Iz in kg m2; of link 1 only Iy is printed, of Ix2 only in Serbian all digits."""
TOOL = (0.12, 0.12, 0.35)
STATIC = (0.22, 0.22, 0.22, 0.22, 0.35, 0.21)
VISCOUS = (0.00025, 0.00025, 0.00025, 0.002, 0.003, 0.002)
TORQUES = (17.8, 38.6, 17.8, 3.47, 3.47, 3.47)
SPEEDS = (3150.0, 2800.0, 3150.0, 3400.0, 3400.0, 3400.0)
ROTORS = (0.0042, 0.009, 0.0042, 0.0008, 0.001, 0.0007)
VELOCITIES = (3.05, 3.46, 3.08, 2.66, 1.62, 6.67)
ACCELERATIONS = (3.75, 2.1, 3.75, 3.75, 1.5, 6.0)
Q = np.array([0.5, -0.4, 0.8, 1.1, -0.7, 0.9])


def table_a1() -> ItemOutcome:
    """Table A1 = A.1: D-H parameters, against the frames of `lola15`."""
    robot = load("lola15")
    checks: list[Check] = []
    for i, (joint, row) in enumerate(zip(robot.joints, TABLE_A1, strict=True), 1):
        shift = robot.joints[i - 2].after.xyz[2] if i > 1 else 0.0  # of frame 3 (erratum 15)
        found = (
            math.degrees(joint.theta), 1000 * joint.a, 1000 * (joint.d + shift),
            math.degrees(joint.alpha),
        )  # fmt: skip
        names, units = ("offset", "a", "d", "alpha"), ("deg", "mm", "mm", "deg")
        checks += [
            number(f"{name} of link {i}", printed, computed, 1e-9, unit)
            for name, printed, computed, unit in zip(names, row, found, units, strict=True)
        ]
    by_table = [np.eye(4)]
    for row, q in zip(TABLE_A1, Q, strict=True):
        by_table.append(by_table[-1] @ _dh(row, float(q)))
    frames = link_frames(robot, Q)
    apart = np.abs(np.array(by_table) - frames).max(axis=(1, 2))
    checks += [
        identical("frames 1, 2, 4, 5, 6 by the table and ours", apart[[1, 2, 4, 5, 6]].max(), 1e-14)
    ]
    remark = (
        "The table puts d_4 = 825 mm on link 4; the matrices (A.1), (A.2) put it on link 3, and so"
        f" does lola15: frame 3 is {np.linalg.norm(by_table[3][:3, 3] - frames[3, :3, 3]):.3f} m"
        " further out, at the wrist centre."
    )
    return ItemOutcome(tuple(checks), (15,), remark=remark)


def _dh(row: tuple[float, float, float, float], q: float) -> Array:
    offset, a, d, alpha = row
    theta, ca, sa = q + math.radians(offset), *_whole(math.radians(alpha))
    c, s = math.cos(theta), math.sin(theta)
    rows = [
        [c, -s * ca, s * sa, a / 1000 * c], [s, c * ca, -c * sa, a / 1000 * s],
        [0, sa, ca, d / 1000], [0, 0, 0, 1],
    ]  # fmt: skip
    return np.array(rows)


def _whole(angle: float) -> tuple[int, int]:
    return round(math.cos(angle)), round(math.sin(angle))


def data() -> ItemOutcome:
    """The numbers of section 8 and of Appendices B, D and E, one by one."""
    robot = load("lola15")
    checks: list[Check] = []
    for i, link in enumerate(robot.links):
        checks.append(number(f"m_{i + 1}", MASSES[i], link.mass, unit="kg"))
        checks += [
            number(f"r_{axis}{i + 1}", printed, found, unit="m")
            for axis, printed, found in zip("xyz", CENTERS[i], link.center, strict=True)
        ]
        checks += [
            number(f"I_{axis}{i + 1}", printed, link.inertia[k][k], unit="kg m2")
            for k, (axis, printed) in enumerate(zip("xyz", INERTIAS[i], strict=True))
            if printed is not None
        ]
    checks += [
        number(f"p_e{axis}", printed, found, unit="m")
        for axis, printed, found in zip("xyz", TOOL, robot.tool.xyz, strict=True)
    ]
    rpm = math.pi / 30
    for i, (drive, joint) in enumerate(zip(robot.drives, robot.joints, strict=True)):
        name = i + 1
        checks += [
            number(f"mu_s{name}", STATIC[i], drive.load_friction),
            number(f"f_v{name}", VISCOUS[i], drive.viscous, unit="N m s/rad"),
            number(f"I_a{name}", ROTORS[i], drive.inertia, unit="kg m2"),
            number(f"M_max{name}", TORQUES[i], drive.torque_max, unit="N m"),
            number(f"revolutions of motor {name}", SPEEDS[i], drive.speed_max / rpm, 1e-9, "1/min"),
            number(f"velocity of axis {name}", VELOCITIES[i], joint.velocity_max, unit="rad/s"),
            number(f"acceleration of axis {name}", ACCELERATIONS[i], joint.acceleration_max,
                   unit="rad/s2"),
        ]  # fmt: skip
    remark = "I_x1 and I_z1 are printed nowhere and have no effect; I_a4 is printed as I_a3."
    return ItemOutcome(tuple(checks), (17,), remark=remark)


def frames() -> ItemOutcome:
    """Fig. A1(a) = 3(a): frames, mass centres, forces and moments; three axes meet at the wrist.

    The forces F_i and moments N_i of the links are those of Eq. 32, at joint speeds of 1 rad/s and
    accelerations of 1 rad/s2, weights included.
    """
    placed = link_frames(load("lola15"), Q)
    wrist = placed[3:, :3, 3]
    checks = (
        number("rotary axes", 6, sum(joint.revolute for joint in load("lola15").joints)),
        identical("origins of frames 3 to 6: the wrist", np.abs(wrist - wrist[0]).max(), 1e-14,
                  "m"),
    )  # fmt: skip
    return ItemOutcome(checks, (15,), figure=_figure_a1)


def coupling() -> ItemOutcome:
    """(D.1), (D.2), Figs. A1(b) and D1: rotor angles of coupled axes."""
    robot = load("lola15")
    matrix = np.array(robot.gear_matrix)
    ka, kon, kz = 24 / 14, 1.6, 10 / 15
    k5, k6 = ka * kon * 120 * kz, kon * 50 * kz
    printed = {
        "k_1": (0, 0, 120.0), "k_2": (1, 1, 119.0), "k_3": (2, 2, 119.0), "k_3/k_2": (2, 1, 1.0),
        "k_4": (3, 3, ka * 78), "k_5": (4, 4, k5), "k_54": (4, 3, ka), "k_6": (5, 5, k6),
        "k_64": (5, 3, -1.0), "k_65": (5, 4, k6),
    }  # fmt: skip
    checks = [
        number(name, value, matrix[row, column], 1e-9)
        for name, (row, column, value) in printed.items()
    ]
    others = matrix.copy()
    for row, column, _ in printed.values():
        others[row, column] = 0.0
    checks.append(number("all other entries of K", 0.0, np.abs(others).max()))
    return ItemOutcome(tuple(checks), figure=partial(_figure_d1, robot))


def _figure_a1() -> Any:
    from .frame_figures import robot_and_frames

    robot, q = load("lola15"), np.radians([0, 10, -20, 20, -30, 0])
    known = terms(robot, q, np.ones(robot.n), np.ones(robot.n))
    return robot_and_frames(robot, q, centers=True, loads=(known["F_i"], known["N_i"]))


def _figure_d1(robot: Robot) -> Any:
    """Which rotor turns with which joint: turns of the rotor for one turn of the joint."""
    from ..report.plots.layout import ACHIEVED, SATURATED, new_figure, style_axes

    figure = new_figure(11.5, 5.2, robot, "turns of the rotors for one turn of a joint")
    matrix = np.array(robot.gear_matrix)
    for j, ax in enumerate(figure.subplots(2, 3, sharex=True, sharey=True).flat):
        style_axes(ax)
        turns = matrix[:, j]
        colors = [ACHIEVED if i == j else SATURATED for i in range(robot.n)]
        ax.bar(np.arange(1, robot.n + 1), turns, color=colors)
        for i, value in enumerate(turns):
            if value:
                ax.text(i + 1, max(value, 0.0) + 3, f"{value:.4g}", ha="center", fontsize=8.5)
        ax.set_title(f"joint {j + 1} turns once", fontsize=10, loc="left")
        ax.set_ylim(-15, 235)
        if j >= 3:
            ax.set_xlabel("rotor")
        if j % 3 == 0:
            ax.set_ylabel("turns")
    return figure
