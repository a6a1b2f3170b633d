"""Figures of a simulation in the shell: one quantity joint by joint, or all of them on a page."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..ground.files import write_bytes
from ..report.plots.layout import ACHIEVED, MOTORS, finish_axes, joint_grid, new_figure, style_axes
from ..report.plots.run import save_figure
from .history import SERIES, History
from .variables import unit_text

SUFFIXES = (".png", ".svg", ".pdf")
_STEPPED = ("torque", "voltage", "DACOut")


def check_picture(path: Path) -> Path:
    """Check that a figure can be written to a file of this name."""
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"{path}: expected a name that ends in one of {', '.join(SUFFIXES)}")
    return path


def figure_of(history: History, name: str) -> Any:
    """A Matplotlib figure of one series, or of `all`."""
    return _page(history) if name == "all" else _joints(history, name)


def _joints(history: History, name: str) -> Any:
    robot = history.run.robot
    part = "motor" if name in _STEPPED and robot.drives else "joint"
    figure, axes = joint_grid(robot, name, SERIES[name], part)
    t, values = history.run["t"], history.series(name)
    for i, ax in enumerate(axes):
        ax.plot(t, values[:, i], color=ACHIEVED, lw=1.7)
    finish_axes(figure, axes, t)
    return figure


def _page(history: History) -> Any:
    robot, t = history.run.robot, history.run["t"]
    names = history.names
    figure = new_figure(9.0, 1.0 + 1.9 * len(names), robot, "simulation")
    axes = list(figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0])
    for ax, name in zip(axes, names, strict=True):
        style_axes(ax)
        values = history.series(name)
        for i in range(robot.n):
            color = MOTORS[i % len(MOTORS)]
            ax.plot(t, values[:, i], color=color, lw=1.5, label=f"joint {i + 1}")
        ax.set_ylabel(f"{name} ({unit_text(name, robot)})", fontsize=9)
    figure.align_ylabels(axes)
    finish_axes(figure, axes, t)
    return figure


def write_figure(figure: Any, path: Path) -> None:
    """Write a figure as PNG, SVG or PDF; the same figure gives the same bytes."""
    if path.suffix.lower() != ".pdf":
        save_figure(figure, path)
        return
    buffer = BytesIO()
    figure.savefig(buffer, format="pdf", metadata={"CreationDate": None, "Creator": None})
    write_bytes(path, buffer.getvalue())
