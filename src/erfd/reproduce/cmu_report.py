"""003: Inverse Arm, Forward Arm, the methods for H and the step of the integrator."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np

from ..drives.dc_motor import motor_torque, motor_voltage
from ..forward.simulate import simulate
from ..ground.arrays import Array
from ..kernels.count import operation_count
from ..mechanics.dynamics import (
    coriolis_matrix,
    forward_dynamics,
    gravity_torque,
    inverse_dynamics,
    mass_matrix,
)
from ..mechanics.kinematics import forward_kinematics, link_frames
from ..mechanics.terms import terms
from ..robot.library import load
from ..robot.model import Robot
from ..shell.arm import base_acceleration, forward_arm, inverse_arm, torques, voltages
from .item import Check, ItemOutcome, identical, number

HAND = np.array([12.0, -8.0, 20.0, 1.5, 0.5, -2.0])
"""f_hand (N) and n_hand (N m) that the equations are tried with."""
LIMIT = 1e-11
STEP, FIFTEENTH = 0.001, 15.0


def _states(robot: Robot, count: int = 50) -> Array:
    return np.asarray(np.random.default_rng(3).uniform(-1.5, 1.5, (3, count, robot.n)))


def _apart(first: Array, second: Array) -> float:
    return float(np.abs(first - second).max() / np.abs(second).max())


def inverse_arm_equations() -> ItemOutcome:
    """(1)-(15): InvArm, motor voltages, the general equation of arm dynamics."""
    robot = load("cmu_dd")
    theta, omega, alpha = _states(robot)
    tau = inverse_arm(robot, theta, omega, alpha, wrench=HAND)
    by_energy = inverse_dynamics(robot, theta, omega, alpha, wrench=HAND, method="dalembert")
    V = voltages(robot, tau, omega)
    R = np.array([drive.resistance for drive in robot.drives])
    Kt = np.array([drive.torque_constant for drive in robot.drives])
    known = terms(robot, theta[0], omega[0], method="wo3", wrench=HAND)
    B = coriolis_matrix(robot, theta[0], omega[0]) @ omega[0] + gravity_torque(robot, theta[0])
    B = B + known["K_f"].T @ HAND[:3] + known["K_n"].T @ HAND[3:]  # (14)
    unit = "of the largest"
    checks = (
        identical("InvArm (1)-(10) and d'Alembert", _apart(tau, by_energy), LIMIT, unit),
        identical("V = R tau / Kt + Kt theta' (11)", _apart(V, R * tau / Kt + Kt * omega), LIMIT,
                  unit),
        identical("tau (12) of these voltages", _apart(torques(robot, V, omega), tau), LIMIT, unit),
        identical("tau by (13)", _apart(known["H"] @ alpha[0] + B, tau[0]), LIMIT, unit),
        identical("B by (14) and InvArm at theta'' = 0",
                  _apart(B, inverse_arm(robot, theta[0], omega[0], 0 * alpha[0], wrench=HAND)),
                  LIMIT, unit),
        identical("theta'' by (15)",
                  _apart(np.linalg.solve(known["H"], tau[0] - B), alpha[0]), LIMIT, unit),
        number("gravity, the default of sim", -9.80621, float(base_acceleration(robot)[2]), 1e-12,
               "m/s2"),
        number("joints", 6, robot.n),
    )  # fmt: skip
    remark = "The arm hangs, as the report's; its numbers are illustrative: the report prints none."
    return ItemOutcome(checks, (2, 12), remark=remark)


def forward_arm_equations() -> ItemOutcome:
    """(16)-(26) and ForArm: composite bodies, H, accelerations from voltages."""
    robot = load("cmu_dd")
    theta, omega, alpha = _states(robot)
    known = terms(robot, theta[0], omega[0], method="wo3")
    mass = np.array([link.mass for link in robot.links])
    frames = link_frames(robot, theta[0])[1:]
    placed = np.array([f[:3, :3] @ k.center + f[:3, 3]
                       for f, k in zip(frames, robot.links, strict=True)])  # fmt: skip
    M = np.cumsum(mass[::-1])[::-1]
    centers, tensors = [], []
    for j in range(robot.n):
        center = mass[j:] @ placed[j:] / M[j]
        away = placed[j:] - center
        total = sum(
            f[:3, :3] @ np.array(k.inertia) @ f[:3, :3].T + m * (a @ a * np.eye(3) - np.outer(a, a))
            for f, k, m, a in zip(frames[j:], robot.links[j:], mass[j:], away, strict=True)
        )
        turn = frames[j, :3, :3]
        centers.append(turn.T @ (center - frames[j, :3, 3]))
        tensors.append(turn.T @ total @ turn)
    H = mass_matrix(robot, theta[:5], method="wo3")
    by_energy = np.array([terms(robot, *state, method="lagrange")["D_ik"]
                          for state in zip(theta[:5], omega[:5], strict=True)])  # fmt: skip
    V = voltages(robot, inverse_arm(robot, theta, omega, alpha), omega)
    back = [forward_arm(robot, *state) for state in zip(theta[:5], omega[:5], V[:5], strict=True)]
    unit = "of the largest"
    checks = (
        identical("M_j (16)", _apart(known["M_j"], M), LIMIT, unit),
        identical("c_j (17)", _apart(known["c_j"], np.array(centers)), LIMIT, unit),
        identical("E_j (18)", _apart(known["E_j"], np.array(tensors)), LIMIT, unit),
        identical("H (19)-(26) and Lagrange-Euler", _apart(H, by_energy), LIMIT, unit),
        identical("ForArm of the voltages of InvArm and theta''", _apart(np.array(back), alpha[:5]),
                  1e-9, unit),
    )  # fmt: skip
    return ItemOutcome(checks, (12,))


def methods() -> ItemOutcome:
    """The claim "Method 1, which is simple, but computationally slow"; method 3 "for speed"."""
    robot = load("cmu_dd")
    counts = {m: operation_count(robot, m, "mass_matrix").total for m in ("wo1", "wo3")}
    theta, omega, _ = _states(robot)
    u = np.random.default_rng(5).uniform(-20, 20, theta.shape)
    by = {m: forward_dynamics(robot, theta, omega, u, method=m)
          for m in ("wo1", "wo2", "wo3", "wo4")}  # fmt: skip
    size = np.abs(by["wo1"]).max()
    # method 1 as the text has it: one InvArm for each column, nothing shared between them
    column = operation_count(robot, "ne_link", "inverse_dynamics").total
    checks = (
        identical("accelerations by methods 1, 2 and 3",
                  max(np.abs(by[m] - by["wo1"]).max() for m in ("wo2", "wo3")) / size, 1e-9,
                  "of the largest"),
        identical("accelerations by methods 1 and 4",
                  np.abs(by["wo4"] - by["wo1"]).max() / size, 1e-6, "of the largest"),
        Check("H by method 1 (InvArm for each column) beyond method 3", '"slow"',
              float(robot.n * column - counts["wo3"]), 1.0, unit="M + A"),
        Check("the same, our trace of method 1", '"slow"', float(counts["wo1"] - counts["wo3"]),
              1.0, unit="M + A"),
    )  # fmt: skip
    remark = (
        f"H: {robot.n * column} by {robot.n} InvArm, {counts['wo1']} by a trace that drops what is"
        f" zero, {counts['wo3']} by method 3."
    )
    return ItemOutcome(checks, (12,), remark=remark)


def time_step() -> ItemOutcome:
    """Third order, and "1 millisecond, approximately 1/15th of the smallest time constant"."""
    robot = load("cmu_dd")
    straight = np.zeros((1, robot.n))
    poses = np.vstack([straight, _states(robot, 400)[0]])
    H = np.einsum("...ii->...i", mass_matrix(robot, poses))
    R = np.array([drive.resistance for drive in robot.drives])
    Kt = np.array([drive.torque_constant for drive in robot.drives])
    constants = H * R / Kt**2
    ends = {}
    for dt in (0.002, 0.001, 0.00025):
        run = simulate(
            robot, straight[0] + 0.2, straight[0], _PUSH, duration=0.2, dt=dt, kind="voltage"
        )
        ends[dt] = run["q"][-1]
    errors = [np.abs(ends[dt] - ends[0.00025]).max() for dt in (0.002, 0.001)]
    checks = (
        number("smallest mechanical time constant over the step", FIFTEENTH,
               constants.min() / STEP, 0.5),
        number("order of the integrator", 3, np.log2(errors[0] / errors[1]), 0.25),
        number("step, the default of simulate", STEP,
               signature(simulate).parameters["dt"].default, unit="s"),
    )  # fmt: skip
    joint = int(constants.min(axis=0).argmin()) + 1
    remark = (
        f"H_ii R / Kt2 is least at joint {joint}. R and Kt of our arm were chosen for this: the"
        " report prints none, so the rule is checked, not the machine."
    )
    return ItemOutcome(checks, (12,), remark=remark, figure=_step_figure)


_PUSH = np.array([20.0, 25.0, 3.0, 15.0, 0.75, 2.0])
"""Volts at the motors in the trial of the integrator."""


def frames() -> ItemOutcome:
    """Figure 1: the frames of the arm; odd joints turn about their link, even ones pivot."""
    robot = load("cmu_dd")
    placed = link_frames(robot, np.zeros(robot.n))
    points = np.vstack([placed[:, :3, 3], forward_kinematics(robot, np.zeros(robot.n))[:3, 3]])
    along = []
    for i in range(robot.n):
        beyond = points[i + 1 :] - points[i]
        link = beyond[np.linalg.norm(beyond, axis=1) > 1e-6][0]  # to the next other origin
        along.append(float(np.abs(link @ placed[i, :3, 2]) / np.linalg.norm(link)))
    checks = (
        number("links, with the base", 7, robot.n + 1),
        identical("odd joints: 1 - cosine between axis and link",
                  max(abs(1 - x) for x in along[::2]), 1e-9),
        identical("even joints: cosine between axis and link", max(along[1::2]), 1e-9),
        identical("gravity points along z_0 of the hanging arm",
                  abs(base_acceleration(robot)[2] + np.linalg.norm(robot.gravity)), 1e-9, "m/s2"),
    )  # fmt: skip
    return ItemOutcome(checks, remark="Lengths are illustrative.", figure=_frames_figure)


def motor() -> ItemOutcome:
    """Figure 2: the back EMF closes a loop around the arm."""
    robot = load("cmu_dd")
    theta, omega, _ = _states(robot)
    V = np.random.default_rng(6).uniform(-40, 40, theta.shape)
    R = np.array([drive.resistance for drive in robot.drives])
    Kt = np.array([drive.torque_constant for drive in robot.drives])
    loop = Kt / R * (V - Kt * omega)
    checks = (
        identical("Kt / R (V - Kt theta') and erfd.motor_torque",
                  _apart(motor_torque(robot, V, omega), loop), LIMIT, "of the largest"),
        identical("the voltage of that torque",
                  _apart(motor_voltage(robot, loop, omega), V), LIMIT, "of the largest"),
        Check("volts that motor 1 needs to hold speed without load", "Kt theta'",
              float(motor_voltage(robot, 0 * loop, omega)[0, 0] - Kt[0] * omega[0, 0]), -1e-12,
              1e-12, "V"),
    )  # fmt: skip
    return ItemOutcome(checks, figure=_motor_figure)


def _frames_figure() -> Any:
    from .frame_figures import robot_and_frames

    return robot_and_frames(load("cmu_dd"), np.zeros(6))


def _step_figure() -> Any:
    """The error at the end over the step, beside a line of third order."""
    from ..report.plots.layout import ACHIEVED, PROGRAMMED, new_figure, style_axes

    robot = load("cmu_dd")
    steps = np.array([0.008, 0.004, 0.002, 0.001])
    start = np.full(robot.n, 0.2)
    ends = [
        simulate(robot, start, 0 * start, _PUSH, duration=0.2, dt=dt, kind="voltage")["q"][-1]
        for dt in (*steps, 0.00025)
    ]
    errors = np.array([np.abs(end - ends[-1]).max() for end in ends[:-1]])
    figure = new_figure(7.6, 4.8, robot, "error of rk3 after 0.2 s")
    ax = figure.subplots()
    style_axes(ax)
    ax.loglog(1000 * steps, errors, "o-", color=ACHIEVED, label="largest error of a joint")
    ax.loglog(1000 * steps, errors[0] * (steps / steps[0]) ** 3, ":", color=PROGRAMMED,
              label="third order")  # fmt: skip
    ax.axvline(1.0, color="k", lw=0.8)
    ax.text(1.03, errors.max(), "the report's 1 ms", fontsize=9, va="top")
    ax.set(xlabel="step (ms)", ylabel="error (rad)")
    ax.legend(fontsize=9, loc="lower right")
    return figure


def _motor_figure() -> Any:
    """The block diagram of a motor around the arm."""
    from ..report.plots.layout import ACHIEVED, new_figure

    robot = load("cmu_dd")
    figure = new_figure(9.5, 3.6, robot, "a motor as a control system (Figure 2)")
    ax = figure.subplots()
    ax.set(xlim=(0, 12), ylim=(0, 4))
    ax.axis("off")
    box = {"boxstyle": "round,pad=0.6", "fc": "white", "ec": ACHIEVED, "lw": 1.6}
    for x, y, text in ((4.2, 3, "$K_t / R$"), (7.4, 3, "arm (Walker & Orin)"), (5.5, 0.8, "$K_t$")):
        ax.text(x, y, text, ha="center", va="center", fontsize=11, bbox=box)
    ax.text(
        2.2,
        3,
        "$-$",
        ha="center",
        va="center",
        fontsize=12,
        bbox={"boxstyle": "circle,pad=0.4", "fc": "white", "ec": ACHIEVED, "lw": 1.6},
    )
    arrow = {"arrowstyle": "-|>", "color": "k"}
    for end, start in (((1.85, 3), (0.4, 3)), ((3.45, 3), (2.55, 3)), ((5.85, 3), (4.95, 3)),
                       ((11.4, 3), (8.95, 3)), ((6.1, 0.8), (10.2, 0.8)), ((2.2, 2.62),
                       (2.2, 0.8))):  # fmt: skip
        ax.annotate("", end, start, arrowprops=arrow)
    ax.plot([10.2, 10.2], [3, 0.8], color="k", lw=1)
    ax.plot([4.95, 2.2], [0.8, 0.8], color="k", lw=1)
    for x, y, text in ((0.9, 3.25, "$V$"), (5.4, 3.25, "$\\tau$"), (10.6, 3.25, "$\\dot\\theta$"),
                       (2.4, 1.6, "back EMF")):  # fmt: skip
        ax.text(x, y, text, fontsize=11)
    return figure
