"""How robots, runs and timings show themselves in a notebook: a table, a picture, the arm in 3D."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..errors import InputError
from ..robot.limits import JointLimits, shown_in
from ..robot.model import Robot
from ..run.run import Run
from .curves.drawn import drawn, has
from .curves.svg_chart import Chart
from .play.graphic_file import graphic_of
from .play.page import page
from .plots.run import (
    plot_accelerations,
    plot_joint_torques,
    plot_motor_torques,
    plot_path,
    plot_positions,
    plot_power,
    plot_reactions,
    plot_velocities,
)
from .plots.simulation import (
    plot_energy,
    plot_input,
    plot_simulated_positions,
    plot_simulated_velocities,
)
from .tables.table import number
from .wording.texts import Words
from .wording.verdict import run_facts, verdict

DIAGRAMS = {
    "q": plot_positions, "qd": plot_velocities, "qdd": plot_accelerations, "u": plot_joint_torques,
    "u_a": plot_motor_torques, "path": plot_path, "force": plot_reactions, "power": plot_power,
}  # fmt: skip
"""What `Run.plot` draws, by the name of the quantity."""
SIMULATED = DIAGRAMS | {
    "q": plot_simulated_positions, "qd": plot_simulated_velocities, "u_a": plot_input,
    "energy": plot_energy,
}  # fmt: skip
"""The same of a motion that nobody asked for: what a simulation found."""
MOST_EVENTS = 8
HEIGHT = 420
"""Of the 3D view, in pixels."""


def plot_run(run: Run, quantity: str | None) -> Any:
    """A figure of a run (Matplotlib); by default its motor torques, else its positions."""
    asked = has(run, "q_given")
    diagrams = DIAGRAMS if asked else SIMULATED
    name = quantity or ("u_a" if has(run, "u_a") else "q")
    if name not in diagrams:
        raise InputError(f"plot: expected one of {', '.join(diagrams)}, found {quantity!r}")
    needed = {"path": "pose"}.get(name, name)
    if not has(run, needed):
        raise InputError(f"plot: this run has no {needed}, only {', '.join(run.data)}")
    return diagrams[name](run)


def robot_html(robot: Robot) -> str:
    """A robot: its joints with limits and motors, and its picture in 3D."""
    drives = robot.drives or (None,) * robot.n
    limits = JointLimits.of(robot)
    rows = []
    for k, (joint, link, drive) in enumerate(zip(robot.joints, robot.links, drives, strict=True)):
        scale, unit = shown_in(joint)
        low, high = (number(scale * x) for x in (joint.position_min, joint.position_max))
        speed = number(scale * limits.velocity[k])
        motor = [number(drive.torque_max), number(drive.ratio)] if drive else ["-", "-"]
        name = joint.name or f"{k + 1}"
        rows.append(
            [name, f"{low} to {high} {unit}", f"{speed} {unit}/s", number(link.mass), *motor]
        )
    columns = ("joint", "range", "speed", "link kg", "motor N m", "ratio")
    q = np.clip(np.zeros(robot.n), limits.lower, limits.upper)
    still = Run(robot, {"t": np.array([0.0, 1.0]), "q": np.stack([q, q])}, ())
    title = f"{robot.title or robot.name}: {robot.n} joints"
    return head(title) + table(columns, rows) + view(still, "The robot in 3D")


def run_html(run: Run) -> str:
    """A run: its verdict and events, motors beside their limits, a chart, the arm in motion."""
    parts = [head(f"{run.robot.name}, {len(run)} points, {run['t'][-1] - run['t'][0]:g} s")]
    judged = has(run, "u_a_max")
    if has(run, "deviation"):  # something was asked for
        parts.append(sentence(verdict(Words(), run_facts(run)), good=run.feasible))
    if judged:
        shown = sorted(run.events, key=lambda event: not event.fails)[:MOST_EVENTS]
        more = len(run.events) - len(shown)
        parts.append(listed([*map(str, shown), *([f"and {more} more"] if more else [])]))
        parts.append(motors(run))
    quantity, unit = ("u_a", "N m") if has(run, "u_a") else ("q", "rad, m")
    limits = run["u_a_max"][1:].max(axis=0) if judged else None
    names = [f"{'motor' if quantity == 'u_a' else 'joint'} {i + 1}" for i in range(run.robot.n)]
    title = "Motor torques" if quantity == "u_a" else "Joint positions"
    parts.append(Chart(title, unit, run["t"], drawn(run, quantity), names, limits).svg())
    return "".join(parts) + view(run, "The arm in motion")


def motors(run: Run) -> str:
    """What each motor had to give, beside what it can."""
    rpm = 30 / math.pi
    rows = [
        [str(row["motor"]), *(number(row[f"torque_{key}"]) for key in ("peak", "max", "rms")),
         *(number(rpm * row[f"speed_{key}"]) for key in ("peak", "max"))]
        for row in run.summary()
    ]  # fmt: skip
    return table(("motor", "peak N m", "limit N m", "RMS N m", "peak 1/min", "limit 1/min"), rows)


def timing_html(timing: Any) -> str:
    """The fastest motion of a path: what it is lost to, in sentences, and its run."""
    return head(repr(timing)) + listed(timing.explain()) + run_html(timing.run)


def head(text: str) -> str:
    """A title."""
    return f"<p><b>{html.escape(text)}</b></p>"


def sentence(text: str, *, good: bool) -> str:
    """A verdict in its colour."""
    return (
        f"<p style='color:{'#2a7a2a' if good else '#c22'};font-weight:600'>{html.escape(text)}</p>"
    )


def listed(lines: Iterable[str]) -> str:
    """Sentences as a list; nothing if there are none."""
    items = "".join(f"<li>{html.escape(line)}</li>" for line in lines)
    return f"<ul>{items}</ul>" if items else ""


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; every cell is text."""
    top = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def view(run: Run, title: str) -> str:
    """The arm in 3D, folded up until somebody opens it: a page within the page."""
    inside = html.escape(page(graphic_of(run)), quote=True)
    return (
        f"<details><summary>{title}</summary><iframe title='{title}' loading='lazy'"
        f" style='width:100%;height:{HEIGHT}px;border:0' srcdoc='{inside}'></iframe></details>"
    )
