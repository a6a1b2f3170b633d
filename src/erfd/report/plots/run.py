"""Figures of a run, one call each: the papers' Figs. A3 to A7, reactions and power (Matplotlib).

Every function returns a `matplotlib.figure.Figure` of its own, without pyplot, so that nothing has
to be closed and no display is needed. Quantities of a cycle are drawn at the cycle's end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError
from ...ground.files import write_bytes
from ...mechanics.dynamics import forward_dynamics, inverse_dynamics
from ...mechanics.kinematics import forward_kinematics
from ...robot.limits import JointLimits
from ...robot.model import Robot
from ...robot.payload import Payload, payload_from_numbers
from ...run.events import spans
from ...run.run import Run
from ..curves.drawn import without_rounding
from .layout import (
    ACHIEVED,
    DASHED,
    MOTORS,
    PROGRAMMED,
    SOLID,
    SUFFIXES,
    SYMBOLS,
    TORQUE_KINDS,
    XYZ,
    axis_label,
    draw_limits,
    draw_pair,
    draw_path,
    draw_powers,
    finish_axes,
    gap_text,
    joint_curves,
    joint_grid,
    joint_title,
    new_figure,
    put_legend,
    shade_any,
    shade_spans,
    style_axes,
    torques_by,
)
from .robot_picture import matplotlib_pyplot


def plot_joint_torques(
    run: Run, *, payload: Payload | Sequence[Payload | None] | None = None
) -> Any:
    """Joint torques of the achieved motion by RNEA and by mRNEA, which must coincide (Fig. A5).

    Args:
        run: an achieved motion (`erfd.achievable`) of N points.
        payload: one for all points, or N of them (None: what the run says was carried).

    Returns:
        A `matplotlib.figure.Figure`, one panel a joint: N m, N where it slides.

    Raises:
        InputError: if the run was made with another payload.
    """
    if payload is None and "payload" in run.data:
        payload = [payload_from_numbers(row) for row in run["payload"].tolist()]
    payloads = list(payload) if isinstance(payload, Sequence) else [payload] * len(run)
    torques = [torques_by(run, payloads, method) for method in ("ne_link", "mrnea")]
    shown = without_rounding(*torques)
    size = max(1.0, float(np.abs(run["u"]).max()))
    if np.abs(torques[0] - run["u"][1:]).max() > 1e-6 * size:
        raise InputError("payload: expected what the run was made with, found other joint torques")
    figure, axes = joint_grid(run.robot, "joint torques by RNEA and mRNEA", "u", "joint")
    for i, ax in enumerate(axes):
        draw_pair(ax, run["t"][1:], shown[0][:, i], shown[1][:, i], ("RNEA (link frames)", "mRNEA"))
    finish_axes(figure, axes, run["t"], note=gap_text(torques, run.robot, "u"))
    return figure


def plot_motor_torques(run: Run) -> Any:
    """Motor torques, achieved and wanted, with their limits and the saturated spans (Fig. A6a).

    Args:
        run: an achieved motion (`erfd.achievable`).

    Returns:
        A `matplotlib.figure.Figure`, one panel a motor: N m at the rotor.
    """
    figure, axes = joint_grid(run.robot, "motor torques", "u_a", "motor")
    all_wanted, achieved = without_rounding(run["u_a_wanted"][1:], run["u_a"][1:])
    for i, ax in enumerate(axes):
        t, limit, wanted = run["t"][1:], run["u_a_max"][1:, i], all_wanted[:, i]
        shade_spans(ax, run, i, TORQUE_KINDS)
        ax.plot(t, wanted, color=PROGRAMMED, lw=1.3, ls=(0, (4, 2)), label="wanted")
        ax.plot(t, achieved[:, i], color=ACHIEVED, lw=1.9, label="achieved")
        top = float(limit.max())
        if np.isfinite(top):
            beyond = min(float(np.abs(wanted).max()), 1.8 * top)
            ax.set_ylim(*(np.array([-1, 1]) * 1.12 * max(top, beyond)))
            draw_limits(ax, t, -limit, limit)
            if np.abs(wanted).max() > 1.8 * top:
                peak = float(wanted[np.abs(wanted).argmax()])
                ax.text(0.98, 0.04, f"wanted: up to {peak:.3g} N m", transform=ax.transAxes,
                        ha="right", va="bottom", fontsize=8, color="#495057",
                        bbox={"fc": "white", "ec": "none", "alpha": 0.85, "pad": 2})  # fmt: skip
    finish_axes(figure, axes, run["t"])
    return figure


def plot_accelerations(run: Run) -> Any:
    """Joint accelerations, programmed and achieved: without and with Algorithm 1 (Fig. A6b).

    Args:
        run: an achieved motion (`erfd.achievable`).

    Returns:
        A `matplotlib.figure.Figure`, one panel a joint: rad/s2, m/s2.
    """
    dt = float(run["t"][1] - run["t"][0])
    programmed = np.diff(run["qd_given"], axis=0) / dt
    curves = [(programmed, DASHED), (run["qdd"][1:], SOLID)]
    return joint_curves(run, "qdd", "joint accelerations", curves)


def plot_velocities(run: Run) -> Any:
    """Joint velocities, programmed and achieved, with the limits of joints and rotors (Fig. A7).

    Args:
        run: an achieved motion (`erfd.achievable`).

    Returns:
        A `matplotlib.figure.Figure`, one panel a joint: rad/s, m/s.
    """
    matrix = np.array(run.robot.gear_matrix)
    ratio = np.diag(matrix)
    fastest = np.array([drive.speed_max for drive in run.robot.drives])
    others = run["qd_a"] - run["qd"] * ratio  # what the other joints already ask of a rotor
    rotor = np.stack([(-fastest - others) / ratio, (fastest - others) / ratio])
    joint = JointLimits.of(run.robot).velocity
    limits = np.maximum(-joint, rotor.min(axis=0)), np.minimum(joint, rotor.max(axis=0))
    curves = [(run["qd_given"], DASHED), (run["qd"], SOLID)]
    return joint_curves(run, "qd", "joint velocities", curves, limits)


def plot_positions(run: Run) -> Any:
    """Joint positions, programmed and achieved, with their limits (Fig. A7).

    Args:
        run: an achieved motion (`erfd.achievable`).

    Returns:
        A `matplotlib.figure.Figure`, one panel a joint: rad, m.
    """
    limits = JointLimits.of(run.robot)
    curves = [(run["q_given"], DASHED), (run["q"], SOLID)]
    return joint_curves(run, "q", "joint positions", curves, (limits.lower, limits.upper))


def plot_path(run: Run) -> Any:
    """The tool's path, its speed and how far it is from the programmed one (Fig. A4).

    Args:
        run: an achieved motion (`erfd.achievable`).

    Returns:
        A `matplotlib.figure.Figure`, path in m, speed in m/s, deviation in mm.
    """
    figure = new_figure(11.5, 5.6, run.robot, "path and speed of the tool")
    cells = figure.add_gridspec(2, 2, width_ratios=(1.25, 1))
    space = figure.add_subplot(cells[:, 0], projection="3d")
    speed, deviation = figure.add_subplot(cells[0, 1]), figure.add_subplot(cells[1, 1])
    speed.sharex(deviation)
    programmed = forward_kinematics(run.robot, run["q_given"])[:, :3, 3]
    achieved = run["pose"][:, :3, 3]
    rows = spans((run["saturated"] != 0).any(axis=1))
    draw_path(space, programmed, achieved, [slice(max(a - 1, 0), b + 1) for a, b in rows])
    t, dt = run["t"], float(run["t"][1] - run["t"][0])
    for ax in (speed, deviation):
        style_axes(ax)
        shade_any(ax, run)
    for points, style in ((programmed, DASHED), (achieved, SOLID)):
        speed.plot(t[1:], np.linalg.norm(np.diff(points, axis=0), axis=1) / dt, **style)
    speed.set_ylabel("tool speed (m/s)")
    speed.set_ylim(bottom=0)
    speed.tick_params(labelbottom=False)
    deviation.plot(t, 1000 * run["deviation"][:, 0], color=ACHIEVED, lw=1.9)
    deviation.set_ylabel("deviation (mm)")
    deviation.set_ylim(bottom=0)
    deviation.margins(x=0)
    deviation.set_xlabel("time (s)")
    figure.align_ylabels([speed, deviation])
    put_legend(figure, [space])
    return figure


def plot_reactions(run: Run) -> Any:
    """Forces and moments on link i by link i-1, in frame i-1 (bearing loads of the motion).

    Args:
        run: an achieved motion (`erfd.achievable`).

    Returns:
        A `matplotlib.figure.Figure`, two panels a joint: N and N m.
    """
    n = run.robot.n
    figure = new_figure(10.5, 1.2 + 1.55 * n, run.robot, "joint forces and moments")
    axes = figure.subplots(n, 2, sharex=True, squeeze=False)
    loads = {name: without_rounding(run[name][1:])[0] for name in ("force", "moment")}
    for i, row in enumerate(axes):
        for ax, name in zip(row, ("force", "moment"), strict=True):
            style_axes(ax)
            shade_any(ax, run)
            load = loads[name][:, i]
            size = np.linalg.norm(load, axis=1)
            for axis, color in enumerate(XYZ):
                ax.plot(run["t"][1:], load[:, axis], color=color, lw=1.4, label="xyz"[axis])
            ax.plot(run["t"][1:], size, color="#343a40", lw=1.1, ls=":", label="magnitude")
            ax.set_ylabel(axis_label("", name))
        row[0].set_title(joint_title(run.robot, i), fontsize=10, loc="left")
    figure.align_ylabels(axes[:, 0])
    figure.align_ylabels(axes[:, 1])
    finish_axes(figure, list(axes.flat), run["t"], bottom=list(axes[-1]))
    return figure


def plot_power(run: Run) -> Any:
    """Mechanical power of every motor, of all of them, and the energy they gave.

    Args:
        run: an achieved motion (`erfd.achievable`).

    Returns:
        A `matplotlib.figure.Figure`, power in W, energy in J.
    """
    n = run.robot.n
    figure, axes = joint_grid(run.robot, "mechanical power of the motors", "power", "motor", rows=1)
    t, (power,) = run["t"][1:], without_rounding(run["power"][1:])
    cells = figure.get_axes()[0].get_subplotspec().get_gridspec()
    total = figure.add_subplot(cells[-1, : cells.ncols // 2], sharex=axes[0])
    energy = figure.add_subplot(cells[-1, cells.ncols // 2 :], sharex=axes[0])
    for i, ax in enumerate(axes):
        shade_spans(ax, run, i, TORQUE_KINDS)
        draw_powers(ax, t, power[:, i])
    style_axes(total)
    draw_powers(total, t, power.sum(axis=1))
    total.set_title("all motors", fontsize=10, loc="left")
    total.set_ylabel(axis_label("", "power"))
    style_axes(energy)
    for i in range(n):
        color = MOTORS[i % len(MOTORS)]
        energy.plot(run["t"], run["energy"][:, i], color=color, lw=1.5, label=f"motor {i + 1}")
    energy.set_title("energy given since the start", fontsize=10, loc="left")
    energy.set_ylabel(axis_label("", "energy"))
    energy.legend(fontsize=8, ncols=2 if n > 4 else 1, framealpha=0.8)
    finish_axes(figure, axes, run["t"], bottom=[total, energy])
    return figure


def plot_sdt(robot: Robot, t: ArrayLike, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Any:
    """Torques by RNEA and mRNEA, and the accelerations that forward dynamics recovers (Fig. A3).

    The paper shows its spatial disorientation trainer (`sdt4`).

    Args:
        robot: of n joints.
        t: times (N,) in s.
        q: joint positions (N, n) in rad, m.
        qd: joint velocities (N, n) in rad/s, m/s.
        qdd: joint accelerations (N, n) in rad/s2, m/s2.

    Returns:
        A `matplotlib.figure.Figure`, two panels a joint: torques and accelerations.

    Raises:
        InputError: if the shapes of t and qdd do not fit the robot.
    """
    times = np.asarray(t, dtype=np.float64)
    qdd_given = np.asarray(qdd, dtype=np.float64)
    if times.ndim != 1 or qdd_given.shape != (len(times), robot.n):
        shapes = f"t {times.shape} and qdd {qdd_given.shape}"
        raise InputError(f"motion: expected t (N,) and qdd (N, {robot.n}), found {shapes}")
    torques = [inverse_dynamics(robot, q, qd, qdd, method=m) for m in ("ne_link", "mrnea")]
    shown = without_rounding(*torques)
    recovered = forward_dynamics(robot, q, qd, torques[1], method="mrnea")
    figure = new_figure(10.5, 1.4 + 1.6 * robot.n, robot, "torques and accelerations")
    axes = figure.subplots(robot.n, 2, sharex=True, squeeze=False)
    names = ("torque: RNEA", "torque: mRNEA"), ("acceleration: given", "acceleration: recovered")
    for i, (left, right) in enumerate(axes):
        for ax, name in ((left, "u"), (right, "qdd")):
            style_axes(ax)
            ax.set_ylabel(axis_label(SYMBOLS[name], name, robot, i))
        draw_pair(left, times, shown[0][:, i], shown[1][:, i], names[0])
        draw_pair(right, times, qdd_given[:, i], recovered[:, i], names[1])
        left.set_title(joint_title(robot, i), fontsize=10, loc="left")
    for ax, pair, name in ((axes[0, 0], torques, "u"), (axes[0, 1], (qdd_given, recovered), "qdd")):
        ax.set_title(gap_text(pair, robot, name), fontsize=9, loc="right", color="#495057")
    figure.align_ylabels(axes[:, 0])
    figure.align_ylabels(axes[:, 1])
    finish_axes(figure, list(axes.flat), times, bottom=list(axes[-1]))
    return figure


PLOTS: dict[str, Callable[[Run], Any]] = {
    "joint-torques": plot_joint_torques,
    "motor-torques": plot_motor_torques,
    "accelerations": plot_accelerations,
    "velocities": plot_velocities,
    "positions": plot_positions,
    "path": plot_path,
    "reactions": plot_reactions,
    "power": plot_power,
}
"""Every figure of a run, by the name of its file."""


def save_figure(figure: Any, path: str | Path, *, dpi: int = 130) -> Path:
    """Write a figure as PNG or SVG; the same figure gives the same bytes.

    Args:
        figure: a `matplotlib.figure.Figure`.
        path: the file, which ends in .png or .svg.
        dpi: dots per inch of a PNG.

    Returns:
        The path.

    Raises:
        InputError: if the name ends otherwise.
    """
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"{path.name}: expected a name ending in .png or .svg")
    matplotlib_pyplot()
    from matplotlib import rc_context

    kind = path.suffix.lower()[1:]
    metadata = {"Software": None} if kind == "png" else {"Date": None, "Creator": None}
    buffer = BytesIO()
    with rc_context({"svg.hashsalt": "erfd"}):
        figure.savefig(buffer, format=kind, dpi=dpi, metadata=metadata)
    write_bytes(path, buffer.getvalue())
    return path


def save_all(
    run: Run,
    folder: str | Path,
    *,
    suffix: str = ".png",
    payload: Payload | Sequence[Payload | None] | None = None,
) -> list[Path]:
    """Write every figure of a run into a folder, which is made if need be.

    Args:
        run: an achieved motion (`erfd.achievable`) of N points.
        folder: where; files are called after the names in `PLOTS`.
        suffix: .png or .svg.
        payload: what the run was made with, as for `plot_joint_torques`.

    Returns:
        The paths of the files.

    Raises:
        InputError: if the suffix is another one, or the run was made with another payload.
    """
    if suffix not in SUFFIXES:
        raise InputError(f"suffix: expected one of {', '.join(SUFFIXES)}, found {suffix!r}")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    special = {"joint-torques": plot_joint_torques(run, payload=payload)}
    return [
        save_figure(special.get(name) or plot(run), folder / f"{name}{suffix}")
        for name, plot in PLOTS.items()
    ]
