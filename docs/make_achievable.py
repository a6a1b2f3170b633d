"""Makes the figures and the measured numbers of docs/achievable.md."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

import erfd
from erfd.drives.drives import Drives
from erfd.ground.files import write_text
from erfd.report.plots import layout
from erfd.report.plots import run as plots

DOCS = Path(__file__).parent
START, END = "<!-- measured: begin -->", "<!-- measured: end -->"
LOLA = erfd.load("lola15")
WRENCH = np.array([100.0, 100.0, -150.0, 0.0, 0.0, 0.0])
HOME = np.array([0.0, 0.2, -0.3, 0.0, -0.8, 0.0])
FAR = np.array([1.5, -0.8, 0.9, 1.0, 0.5, 2.0])
SECONDS, DT = 0.9, 0.01
POLICIES = {"consistent": layout.ACHIEVED, "printed": "#e8590c"}
Array = NDArray[np.float64]


def motion(seconds: float = SECONDS) -> erfd.Trajectory:
    """Point to point from HOME to FAR with a smooth start and stop."""
    t = DT * np.arange(round(seconds / DT) + 1)
    s = t / t[-1]
    s = 10 * s**3 - 15 * s**4 + 6 * s**5
    return erfd.Trajectory(t, HOME + s[:, None] * (FAR - HOME))


def runs(robot: erfd.Robot = LOLA) -> dict[str, erfd.Run]:
    """The same motion under both policies."""
    return {p: erfd.achievable(robot, motion(), policy=p, wrench=WRENCH) for p in POLICIES}


def frictionless() -> erfd.Robot:
    """Lola 15 with gears whose friction does not depend on the load, to tell two causes apart."""
    return replace(LOLA, drives=tuple(replace(drive, load_friction=0.0) for drive in LOLA.drives))


def needed(run: erfd.Run, policy: str) -> Array:
    """The motor torques that the recorded motion takes, cycle by cycle, N m, (N - 1, n).

    Computed anew from q, qd and qdd alone, with the drives as the policy models them: virtual work
    and dissipative friction, or division by the gear ratio and the printed friction (D.3).
    """
    q, qd, qdd = run["q"][:-1], run["qd"][:-1], run["qdd"][1:]
    u = erfd.inverse_dynamics(run.robot, q, qd, qdd, wrench=WRENCH)
    drives = Drives.of(run.robot, path="diagonal" if policy == "printed" else "virtual-work")
    after = run["qd"][1:] @ drives.K.T
    load = drives.load(u)
    if policy == "printed":
        friction = drives.load_friction * np.sign(qd) * load + drives.coulomb * np.sign(qd)
    else:
        friction = drives.friction(load, drives.direction(after))
    return load + friction + drives.inertia * (qdd @ drives.K.T) + drives.viscous * after


def measured(found: dict[str, erfd.Run], bare: dict[str, erfd.Run]) -> str:
    """The table of the page: as Lola 15 is, and without load-dependent friction."""
    columns = []
    for policy, run in (*found.items(), *bare.items()):
        limit, torque = run["u_a_max"][1:], run["u_a"][1:]
        own = needed(run, policy)
        real = needed(run, "consistent")
        over = (np.abs(own) > limit * (1 + 1e-9)).any(axis=1)
        gap = np.abs(own - torque).max()
        columns.append(
            [
                f"{1000 * run['deviation'][:, 0].max():.0f} mm",
                f"{1000 * run['deviation'][-1, 0]:.0f} mm",
                f"{np.degrees(run['deviation'][:, 1].max()):.0f} deg",
                f"{(run['saturated'][1:] != 0).any(axis=1).sum()} of {len(own)}",
                f"{100 * np.abs(torque / limit).max():.0f} %",
                f"{100 * np.abs(own / limit).max():.0f} %",
                f"{100 * np.abs(real / limit).max():.0f} %",
                f"{over.sum()} of {len(own)}",
                "less than 1e-9 N m" if gap < 1e-9 else f"{gap:.1f} N m",
            ]
        )
    names = (
        "largest deviation of the tool",
        "deviation at the end",
        "largest error of orientation",
        "cycles with a motor at its limit",
        "largest torque that the run reports, of the limit",
        "largest torque that its motion needs, of the limit, by the policy's own drive model",
        "the same, by virtual work and dissipative friction",
        "cycles whose motion needs more than a limit",
        "largest difference between torque reported and needed",
    )
    titles = [f"`{policy}`" for policy in found] + [f"`{policy}`, mu = 0" for policy in bare]
    head = ["| | " + " | ".join(titles) + " |", "|---|" + "---|" * len(titles)]
    rows = [f"| {name} | " + " | ".join(c) + " |" for name, *c in zip(names, *columns, strict=True)]
    return "\n".join(head + rows)


def said(run: erfd.Run) -> str:
    """What the robot could not do in a run, as it prints it; warnings are left out."""
    return "\n".join(["```", *(str(event) for event in run.events if event.fails), "```"])


def comparison_figure(found: dict[str, erfd.Run]) -> Any:
    """Left: motor 1, torque reported and needed; right: speed and deviation under both policies."""
    figure = Figure(figsize=(11.5, 6.2), layout="constrained", facecolor="white")
    axes = figure.subplots(2, 2, sharex=True)
    for row, (policy, run) in enumerate(found.items()):
        ax, t = axes[row, 0], run["t"][1:]
        own, limit = needed(run, policy)[:, 0], run["u_a_max"][1:, 0]
        ax.axhspan(limit[0], 1e4, color=layout.LIMIT, alpha=0.07, lw=0)
        ax.axhspan(-1e4, -limit[0], color=layout.LIMIT, alpha=0.07, lw=0)
        for sign in (-1, 1):
            ax.plot(t, sign * limit, color=layout.LIMIT, lw=1, label="limit" if sign > 0 else None)
        ax.plot(t, own, color="#343a40", lw=3.6, alpha=0.35, label="needed by the motion")
        ax.plot(t, run["u_a"][1:, 0], color=POLICIES[policy], lw=1.6, label="reported")
        ax.set_ylabel("motor 1 (N m)")
        ax.set_title(policy, loc="left", fontsize=10.5, weight="bold")
        reach = 1.3 * max(30.0, float(np.abs(own).max()))
        ax.set_ylim(-reach, reach)
        ax.legend(fontsize=8.5, loc="upper right", ncols=3)
    speed, away = axes[:, 1]
    run = found["consistent"]
    speed.plot(
        run["t"], run["qd_given"][:, 0], color=layout.PROGRAMMED, ls="--", label="programmed"
    )
    for policy, run in found.items():
        color = POLICIES[policy]
        speed.plot(run["t"], run["qd"][:, 0], color=color, lw=1.8, label=policy)
        away.plot(run["t"], 1000 * run["deviation"][:, 0], color=color, lw=1.8, label=policy)
    speed.set_ylabel("velocity of joint 1 (rad/s)")
    away.set_ylabel("deviation of the tool (mm)")
    for ax in (speed, away):
        ax.legend(fontsize=8.5)
    for ax in axes.flat:
        layout.style_axes(ax)
        ax.margins(x=0)
    for ax in axes[1]:
        ax.set_xlabel("time (s)")
    figure.suptitle("Lola 15: one motion, two readings of step 6", fontsize=12.5, weight="bold")
    return figure


def follow_figure() -> Any:
    """A shortfall with time to spare behind it: the lag stays, or is caught up."""
    brief, rest = motion(), 80
    t = np.concatenate([brief.t, brief.t[-1] + DT * np.arange(1, rest + 1)])
    trajectory = erfd.Trajectory(t, np.vstack([brief.q, np.repeat(brief.q[-1:], rest, axis=0)]))
    figure = Figure(figsize=(11.5, 3.6), layout="constrained", facecolor="white")
    speed, away = figure.subplots(1, 2, sharex=True)
    speed.plot(t, trajectory.qd[:, 0], color=layout.PROGRAMMED, ls="--", label="programmed")
    for follow, color in (("velocity", layout.ACHIEVED), ("position", "#2b8a3e")):
        run = erfd.achievable(LOLA, trajectory, wrench=WRENCH, follow=follow)
        speed.plot(t, run["qd"][:, 0], color=color, lw=1.8, label=f'follow="{follow}"')
        away.plot(t, 1000 * run["deviation"][:, 0], color=color, lw=1.8)
    for ax, name in ((speed, "velocity of joint 1 (rad/s)"), (away, "deviation of the tool (mm)")):
        layout.style_axes(ax)
        ax.margins(x=0)
        ax.set(xlabel="time (s)", ylabel=name)
    speed.legend(fontsize=9)
    return figure


def trainer_figure() -> Any:
    """The trainer on a motion of all four axes (Fig. A3)."""
    t = np.linspace(0, 10, 401)
    size, rate = np.array([1.0, 0.6, 0.5, 0.7]), np.array([0.5, 0.8, 0.6, 0.9])
    angle = np.outer(t, rate)
    q, qd, qdd = size * np.sin(angle), size * rate * np.cos(angle), -size * rate**2 * np.sin(angle)
    return plots.plot_sdt(erfd.load("sdt4"), t, q, qd, qdd)


def main() -> None:
    """Everything."""
    found = runs()
    run = found["consistent"]
    figures = {
        "motor-torques": plots.plot_motor_torques(run),
        "accelerations": plots.plot_accelerations(run),
        "velocities": plots.plot_velocities(run),
        "path": plots.plot_path(run),
        "joint-torques": plots.plot_joint_torques(run),
        "comparison": comparison_figure(found),
        "follow": follow_figure(),
        "sdt": trainer_figure(),
    }
    (DOCS / "images").mkdir(exist_ok=True)
    for name, figure in figures.items():
        plots.save_figure(figure, DOCS / "images" / f"achievable-{name}.png", dpi=100)
    page = DOCS / "achievable.md"
    pieces = page.read_text(encoding="utf-8").split(START)
    bodies = (said(run), measured(found, runs(frictionless())))
    text = pieces[0]
    for piece, body in zip(pieces[1:], bodies, strict=True):
        text += f"{START}\n\n{body}\n\n{END}" + piece.split(END, 1)[1]
    write_text(page, text)


if __name__ == "__main__":
    main()
