"""Figures of a simulation, one call each (Matplotlib)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...robot.limits import JointLimits
from ...run.run import Run
from ..curves.drawn import without_rounding
from ..tables.simulation import BALANCE
from .layout import (
    ACHIEVED,
    MOTORS,
    axis_label,
    draw_limits,
    finish_axes,
    joint_curves,
    joint_grid,
    new_figure,
    put_legend,
    shade_spans,
    style_axes,
    widen,
)
from .run import plot_power, plot_reactions

PLAIN = {"color": ACHIEVED, "lw": 1.9}


def plot_simulated_positions(run: Run) -> Any:
    """Joint positions with their limits.

    Args:
        run: a simulation (`erfd.simulate`).

    Returns:
        A `matplotlib.figure.Figure`, one panel a joint: rad, m.
    """
    limits = JointLimits.of(run.robot)
    curves = [(run["q"], PLAIN)]
    return joint_curves(run, "q", "joint positions", curves, (limits.lower, limits.upper))


def plot_simulated_velocities(run: Run) -> Any:
    """Joint velocities with their limits.

    Args:
        run: a simulation (`erfd.simulate`).

    Returns:
        A `matplotlib.figure.Figure`, one panel a joint: rad/s, m/s.
    """
    high = JointLimits.of(run.robot).velocity
    return joint_curves(run, "qd", "joint velocities", [(run["qd"], PLAIN)], (-high, high))


def plot_input(run: Run) -> Any:
    """Motor torques with their limits, or voltages if the motors are fed so.

    Args:
        run: a simulation (`erfd.simulate`).

    Returns:
        A `matplotlib.figure.Figure`, one panel a motor: N m or V.
    """
    name = "voltage" if "voltage" in run.data else "u_a"
    title = "motor voltages" if name == "voltage" else "motor torques"
    figure, axes = joint_grid(run.robot, title, name, "motor")
    t, (values,) = run["t"], without_rounding(run[name])
    for i, ax in enumerate(axes):
        shade_spans(ax, run, i, ("torque limit", "voltage limit"))
        ax.step(t, values[:, i], where="post", color=ACHIEVED, lw=1.6)
        limit = np.full(len(t), np.inf)
        if name == "u_a":
            limit = run["u_a_max"][:, i]
        elif run.robot.drives:
            limit = np.full(len(t), run.robot.drives[i].voltage_max)
        if np.isfinite(limit).all():
            widen(ax, -float(limit.max()), float(limit.max()))
            draw_limits(ax, t, -limit, limit)
    finish_axes(figure, axes, t)
    return figure


def plot_energy(run: Run) -> Any:
    """Where the work of the motors goes: energies and losses since the start.

    Args:
        run: a simulation (`erfd.simulate`).

    Returns:
        A `matplotlib.figure.Figure`, energies in J.
    """
    figure = new_figure(9.0, 4.8, run.robot, "energy since the start")
    ax = figure.add_subplot()
    style_axes(ax)
    for k, (name, words) in enumerate(BALANCE.items()):
        values = run[name] - (run[name][0] if name in ("kinetic", "potential") else 0.0)
        if name != "energy_gap" and np.abs(values).max() > 0:
            wide = 2.4 if name == "work_motors" else 1.5
            ax.plot(run["t"], values, color=MOTORS[k % len(MOTORS)], lw=wide, label=words)
    ax.margins(x=0)
    ax.set_xlabel("time (s)")
    ax.set_ylabel(axis_label("energy", "kinetic"))
    put_legend(
        figure, [ax], f"largest error of the balance {np.abs(run['energy_gap']).max():.1e} J"
    )
    return figure


PLOTS: dict[str, Callable[[Run], Any]] = {
    "positions": plot_simulated_positions,
    "velocities": plot_simulated_velocities,
    "input": plot_input,
    "energy": plot_energy,
    "power": plot_power,
    "reactions": plot_reactions,
}
"""Every figure of a simulation, by the name of its file."""
