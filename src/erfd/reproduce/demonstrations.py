"""The papers' machines, each on its own example: what is done, drawn and worth a look."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..achieve.achievable import achievable
from ..forward.simulate import simulate
from ..lirl import interpret, parse
from ..planning.planner import plan
from ..report.plots import layout
from ..report.plots import run as plots
from ..report.plots import simulation as simulation_plots
from ..robot.library import load
from ..run.run import Run
from ..shell.arm import inverse_arm, voltages
from ..studio.examples import example_texts
from . import lola15_demonstration as lola15
from .lola15_data import frames as lola15_frames
from .sdt_trainer import figure_of_frames


@dataclass(frozen=True, slots=True)
class Shown:
    """What came of a demonstration: its run, facts as (name, number, unit), figures by name."""

    run: Run
    facts: tuple[tuple[str, float, str], ...]
    figures: dict[str, Callable[[], Any]]


@dataclass(frozen=True, slots=True)
class Demonstration:
    """A machine of the papers: its robot, where it is described, what to look at, what to do."""

    name: str
    robot: str
    where: str
    look_at: str
    more: str
    make: Callable[[], Shown]


def _achieved(program: str, robot_name: str, wrench: tuple[float, ...] | None = None) -> Run:
    """What the motors achieve of one of the example programs."""
    robot = load(robot_name)
    planned = plan(robot, interpret(parse(example_texts()[program]), robot))
    return achievable(robot, planned.trajectory, wrench=wrench, payload=planned.payloads)


def _use(run: Run) -> tuple[tuple[str, float, str], ...]:
    limits = np.array([drive.torque_max for drive in run.robot.drives])
    use = (np.abs(run["u_a"]).max(axis=0) / limits).tolist()
    return tuple((f"motor {i}, of its torque", 100 * x, "%") for i, x in enumerate(use, 1))


def _sdt() -> Shown:
    run = _achieved("sdt4_tilt", "sdt4")
    rows = slice(0, -1), slice(1, None)
    motion = run["t"][rows[1]], run["q"][rows[0]], run["qd"][rows[0]], run["qdd"][rows[1]]
    figures: dict[str, Callable[[], Any]] = {
        "trainer": figure_of_frames,
        "torques": partial(plots.plot_sdt, run.robot, *motion),
        "load": partial(_load_figure, run, "what the pilot feels"),
    }
    return Shown(run, (("duration", float(run["t"][-1]), "s"), *_use(run)), figures)


def _centrifuge() -> Shown:
    run = _achieved("centrifuge3_profile", "centrifuge3")
    felt = np.linalg.norm(run["load"], axis=1)
    facts = (("duration", float(run["t"][-1]), "s"), ("largest load", float(felt.max()), "g"))
    figures: dict[str, Callable[[], Any]] = {
        "load": partial(_load_figure, run, "load at the pilot's head"),
        "motor-torques": partial(plots.plot_motor_torques, run),
        "velocities": partial(plots.plot_velocities, run),
    }
    return Shown(run, (*facts, *_use(run)), figures)


def _cmu() -> Shown:
    robot = load("cmu_dd")
    push = np.array([20.0, 25.0, 3.0, 15.0, 0.75, 2.0])
    still = np.zeros(robot.n)
    rise = np.linspace(0, 1, 500)
    steps = np.outer(np.concatenate([rise, rise[::-1]]), push)
    run = simulate(robot, still, still, steps, dt=0.001, kind="voltage", stops="inelastic")
    torque = inverse_arm(robot, run["q"], run["qd"], run["qdd"])
    gap = float(np.abs(voltages(robot, torque, run["qd"]) - run["voltage"]).max())
    facts = (
        ("duration", float(run["t"][-1]), "s"),
        ("largest angle", float(np.degrees(np.abs(run["q"])).max()), "deg"),
        ("voltages put in, and by InvArm (11) from the motion, apart by", gap, "V"),
    )
    figures: dict[str, Callable[[], Any]] = {
        name: partial(draw, run) for name, draw in simulation_plots.PLOTS.items()
    }
    return Shown(run, facts, figures)


def _lola15() -> Shown:
    run, bare = lola15.with_algorithm_1(), lola15.without_algorithm_1()
    limits = np.array([drive.torque_max for drive in run.robot.drives])
    short = int((np.abs(bare["u_a"]) / limits > 1).any(axis=1).sum())
    facts = (
        ("duration", float(run["t"][-1]), "s"),
        ("cycles whose torque no motor has", float(short), ""),
        ("the tool leaves its path by", 1000 * float(run["deviation"][:, 0].max()), "mm"),
    )
    figures: dict[str, Callable[[], Any]] = {
        "path": partial(plots.plot_path, run),
        "torques-and-accelerations": lola15.figure_6,
        "velocities-and-positions": lola15.figure_7,
    }
    if (frames := lola15_frames().figure) is not None:
        figures["robot"] = frames
    return Shown(run, facts, figures)


def _load_figure(run: Run, title: str) -> Any:
    """The felt load in the axes of the tool over time, g."""
    figure = layout.new_figure(9.5, 4.6, run.robot, title)
    ax = figure.subplots()
    layout.style_axes(ax)
    t, load = run["t"][1:], run["load"][1:]  # row 0 belongs to no cycle
    for axis, (color, name) in enumerate(zip(layout.XYZ, "xyz", strict=True)):
        ax.plot(t, load[:, axis], color=color, lw=1.6, label=f"{name} of the tool")
    size = np.linalg.norm(load, axis=1)
    ax.plot(t, size, color="#343a40", lw=1.1, ls=":", label="magnitude")
    ax.set(xlabel="time (s)", ylabel="load (g)")
    ax.margins(x=0)
    ax.legend(fontsize=9)
    return figure


DEMONSTRATIONS = {
    shown.name: shown
    for shown in (
        Demonstration(
            "sdt", "sdt4", "000 section IV; 001 section 5.4, Appendix E, Fig. A3",
            "In torques.png the torques by RNEA (broad) and by mRNEA (dashed) are one curve, and so"
            " are the accelerations put in and those that forward dynamics finds; in load.png the"
            " pilot feels the tilt (x and y) and next to nothing of the turning.",
            "erfd verify examples/sdt4_tilt.irl --robot sdt4", _sdt,
        ),
        Demonstration(
            "centrifuge", "centrifuge3", "001, 'Implementation in the trajectory planner', Fig. 10",
            "In load.png each of the three runs has a plateau on which the load is along z of the"
            " pilot alone, because the gondola has swung out before; x is what starting and"
            " stopping the arm adds. motor-torques.png shows what the arm takes of its motor.",
            "erfd verify examples/centrifuge3_profile.irl --robot centrifuge3", _centrifuge,
        ),
        Demonstration(
            "cmu", "cmu_dd", "003, Forward Arm",
            "The motors get voltages that rise for 0.5 s and fall for 0.5 s (input.png). Look how"
            " the arm goes on when they fall (positions.png): nothing brakes a direct drive but"
            " gravity and its back EMF, the green in power.png. InvArm finds the voltages again.",
            "erfd sim", _cmu,
        ),
        Demonstration(
            "lola15", "lola15", "001 section 8, Figs. A4, A6, A7",
            "In torques-and-accelerations-a.png the dashed torques, without Algorithm 1, leave the"
            " limits where two moves meet, and the blue ones, with it, stay within; what that costs"
            " is the lag in velocities-and-positions-b.png and the gap in path.png.",
            "erfd reproduce 001-fig-a6", _lola15,
        ),
    )
}  # fmt: skip
"""By the name that `erfd demo` takes."""
