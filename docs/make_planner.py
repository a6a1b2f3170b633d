"""Makes the figures and the measured table of docs/planner.md."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

import erfd
from erfd.ground.files import write_text
from erfd.lirl import interpret, parse
from erfd.planning.moves import JointTarget, Move, PoseTarget
from erfd.planning.path.orientation import rotation_vector
from erfd.report.plots.layout import MOTORS, PROGRAMMED, style_axes
from erfd.report.plots.run import save_figure

DOCS = Path(__file__).parent
START, END = "<!-- measured: begin -->", "<!-- measured: end -->"
LOLA = erfd.load("lola15")
READY = np.radians([0.0, 20.0, -20.0, 0.0, -60.0, 0.0])
TOOL = erfd.forward_kinematics(LOLA, READY)
FINE = 0.001
Array = NDArray[np.float64]


def demonstration() -> erfd.Plan:
    """The program of the technical solution."""
    text = (DOCS.parent / "examples" / "lola15_demo.irl").read_text(encoding="utf-8")
    return erfd.plan(LOLA, interpret(parse(text), LOLA))


def measured(made: erfd.Plan) -> str:
    """The demonstration move by move."""
    head = (
        "| line | move | start s | end s | length mm | radius mm | angle deg | corner deg | end |"
    )
    rows = [head + " fastest mm/s |", "|---|---|---|---|---|---|---|---|---|---|"]
    for m in made.moves:
        bend = f"{1000 * m.radius:.1f} | {math.degrees(m.angle):.2f}" if m.radius else " | "
        corner = f"{math.degrees(m.corner):.2f}" if m.kind != "ptp" and m.blend != "stop" else ""
        end = f"{m.blend} {1000 * m.reach:.1f} mm" if m.reach else m.blend
        rows.append(
            f"| {m.line} | {m.kind} {m.name} | {m.start:.3f} | {m.end:.3f} | {1000 * m.length:.1f}"
            f" | {bend} | {corner} | {end} | {1000 * m.peak_speed:.0f} |"
        )
    notes = "\n".join(f"line {note.line}: {note.sentence}" for note in made.notes)
    return "\n".join(rows) + f"\n\n```\n{notes}\n```"


def new(width: float, height: float) -> Any:
    """An empty figure."""
    return Figure(figsize=(width, height), layout="constrained", facecolor="white")


def finish(ax: Any, x: str, y: str, title: str = "", legend: bool = False) -> None:
    """Labels in one style."""
    style_axes(ax)
    ax.set(xlabel=x, ylabel=y)
    ax.set_title(title, loc="left", fontsize=10.5, weight="bold")
    if legend:
        ax.legend(fontsize=8.5)


def speeds(made: erfd.Plan) -> Array:
    """The speed of the tool point (N - 1,), mm/s."""
    steps = np.diff(made.poses[:, :3, 3], axis=0)
    return 1000 * np.linalg.norm(steps, axis=1) / made.trajectory.dt


def demonstration_figure(made: erfd.Plan) -> Any:
    """The path from above, its speed, and the joints."""
    figure = new(11.5, 8.4)
    top, bottom = figure.subfigures(2, 1, height_ratios=(1.3, 1.0))
    above = top.subplots()
    p, t = 1000 * made.poses[:, :3, 3], made.trajectory.t
    for k, move in enumerate(made.moves[:10]):
        own = np.flatnonzero(made.move == k)
        own = np.concatenate([[max(own[0] - 1, 0)], own])
        color = PROGRAMMED if move.kind == "ptp" else MOTORS[k % len(MOTORS)]
        above.plot(p[own, 1], p[own, 0], color=color, lw=2.2 if move.kind != "ptp" else 1.2)
        if k:
            end = p[own[-1]]
            above.plot(end[1], end[0], "o", ms=4, color="#212529")
            above.annotate(move.name, (end[1], end[0]), xytext=(5, 5), textcoords="offset points")
    above.set_aspect("equal")
    above.invert_xaxis()
    finish(above, "y (mm)", "x (mm)", "the path from above, z left out")
    speed, joints = bottom.subplots(1, 2)
    speed.plot(t[1:], speeds(made), color=MOTORS[0], lw=1.6)
    for move in made.moves:
        for ax in (speed, joints):
            ax.axvline(move.end, color="#ced4da", lw=0.8)
        if move.kind != "ptp":
            speed.text((move.start + move.end) / 2, 1180, move.line, ha="center", fontsize=8)
    speed.set_ylim(0, 1300)
    finish(speed, "time (s)", "tool (mm/s)", "speed of the tool point; lines of the path moves")
    q = np.degrees(made.trajectory.q)
    for i in range(6):
        joints.plot(t, q[:, i], color=MOTORS[i], lw=1.5, label=f"q{i + 1}")
    finish(joints, "time (s)", "joint (deg)", "joint positions", legend=True)
    return figure


def pose(dx: float, dy: float, turn: Array | None = None) -> PoseTarget:
    """A target beside the tool's place."""
    x, y, z = (TOOL[:3, 3] + [dx, dy, 0]).tolist()
    rotation: Any = None
    if turn is not None:
        rotation = tuple(map(tuple, (turn @ TOOL[:3, :3]).tolist()))
    return PoseTarget((x, y, z), rotation)


def corner_figure() -> Any:
    """Corners of several angles, rounded, and one with the speeds of its neighbours."""
    figure = new(11.5, 3.8)
    shape, speed = figure.subplots(1, 2)
    for angle, color in zip((30, 60, 120, 150), MOTORS, strict=False):
        way = math.radians(angle)
        end = (0.2 + 0.2 * math.cos(way), 0.2 * math.sin(way))
        moves = [
            Move("lin", (pose(0.2, 0),), 1, c_cp=0.08, speed=0.3, acc=1.0),
            Move("lin", (pose(*end),), 2, speed=0.2, acc=1.0),
        ]
        made = erfd.plan(LOLA, moves, FINE, q0=READY)
        p = 1000 * (made.poses[:, :3, 3] - TOOL[:3, 3])
        corner = np.array([[0, 0], [200, 0], [1000 * end[0], 1000 * end[1]]])
        shape.plot(*corner.T, color="#ced4da", lw=1)
        shape.plot(p[:, 0], p[:, 1], color=color, lw=1.8, label=f"{angle} deg")
        speed.plot(made.trajectory.t[1:], speeds(made), color=color, lw=1.6)
    round_ = np.linspace(0, 2 * math.pi, 200)
    shape.plot(200 + 80 * np.cos(round_), 80 * np.sin(round_), color="#212529", lw=0.8, ls=":")
    shape.set_aspect("equal")
    finish(shape, "mm", "mm", "c_cp=80", legend=True)
    finish(speed, "time (s)", "tool (mm/s)", "speed=300, then speed=200")
    return figure


def junction_figure() -> Any:
    """c_speed: who brakes for whom; and the rates of turning."""
    figure = new(11.5, 3.8)
    speed, turn = figure.subplots(1, 2)
    ways, tops = (0.15, 0.1, 0.02, 0.2), (0.3, 0.1, 0.5, 0.4)
    moves, here = [], 0.0
    turns = (0.1, 0.6, 0.0, -0.4)
    angle = 0.0
    for k, (way, top) in enumerate(zip(ways, tops, strict=True)):
        here, angle = here + way, angle + turns[k]
        target = pose(0, here - 0.25, _about_x(angle))
        moves.append(Move("lin", (target,), k + 1, speed=top, acc=0.8, c_speed=True))
    start = Move("ptp", (pose(0, -0.25),), 0)
    joined = erfd.plan(LOLA, [start, *moves], FINE, q0=READY)
    stopped = erfd.plan(LOLA, [start, *(replace(m, c_speed=False) for m in moves)], FINE, q0=READY)
    for made, color, name in ((stopped, PROGRAMMED, "stop"), (joined, MOTORS[0], "c_speed")):
        own = np.flatnonzero(made.move >= 1)
        t = made.trajectory.t[own] - made.moves[1].start
        speed.plot(t, speeds(made)[own - 1], color=color, lw=1.7, label=name)
        r = made.poses[:, :3, :3]
        rate = [math.degrees(rotation_vector(r[k] @ r[k - 1].T)[0]) / FINE for k in own]
        turn.plot(t, rate, color=color, lw=1.7, label=name)
    for k, move in enumerate(joined.moves[1:]):
        left, right = (x - joined.moves[1].start for x in (move.start, move.end))
        speed.plot([left, right], [1000 * tops[k]] * 2, color="#c92a2a", lw=1, ls="--")
    finish(
        speed, "time (s)", "tool (mm/s)", "four lines, each with its speed (dashed)", legend=True
    )
    finish(turn, "time (s)", "tool (deg/s)", "rate of turning about x", legend=True)
    return figure


def _about_x(angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def ptp_figure() -> Any:
    """c_ptp: velocities of two axes with and without, on and back."""
    figure = new(11.5, 3.8)
    axes = figure.subplots(1, 2, sharey=True)
    points = ((0.8, 0.3), (0.2, 0.8), (1.0, 0.9))
    for ax, c_ptp in zip(axes, (False, True), strict=True):
        moves = [
            Move("ptp", (JointTarget(q),), k, speed_ptp=0.5, c_ptp=c_ptp)
            for k, q in enumerate(points, 1)
        ]
        made = erfd.plan(LOLA, moves, FINE, q0=np.zeros(6))
        t = made.trajectory.t
        for i in range(2):
            ax.plot(t, made.trajectory.qd[:, i], color=MOTORS[i], lw=1.7, label=f"axis {i + 1}")
        for move in made.moves[:-1]:
            ax.axvline(move.end, color="#ced4da", lw=0.9)
        title = "c_ptp" if c_ptp else "with stops"
        finish(ax, "time (s)", "velocity (rad/s)", f"{title}: {made.duration:.2f} s", legend=True)
    return figure


def main() -> None:
    """Everything."""
    made = demonstration()
    figures = {
        "demo": demonstration_figure(made),
        "corner": corner_figure(),
        "junction": junction_figure(),
        "ptp": ptp_figure(),
    }
    (DOCS / "images").mkdir(exist_ok=True)
    for name, figure in figures.items():
        save_figure(figure, DOCS / "images" / f"planner-{name}.svg")
    page = DOCS / "planner.md"
    before, _, rest = page.read_text(encoding="utf-8").partition(START)
    _, _, after = rest.partition(END)
    write_text(page, f"{before}{START}\n\n{measured(made)}\n\n{END}{after}")


if __name__ == "__main__":
    main()
