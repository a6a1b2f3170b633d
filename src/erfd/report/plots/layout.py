"""Layout of figures: grids of joints, styles, shaded spans, limits, labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...errors import InputError
from ...ground.arrays import Array
from ...ground.drawn_by import shown
from ...mechanics.dynamics import inverse_dynamics
from ...robot.model import Robot
from ...robot.payload import Payload, with_payload
from ...run.columns import SLIDING, UNITS
from ...run.events import spans
from ...run.run import Run
from ..curves.drawn import without_rounding
from ..event_colors import EVENT_COLORS
from .robot_picture import matplotlib_pyplot

ACHIEVED, PROGRAMMED = "#1f6fb2", "#868e96"
LIMIT, SATURATED = EVENT_COLORS["stall"], EVENT_COLORS["torque limit"]
WIDE, NARROW = "#a5c8e8", "#0b3d66"  # two lines that should coincide
TORQUE_KINDS = ("torque limit", "stall")
XYZ = ("#e03131", "#2f9e44", "#1971c2")
MOTORS = ("#1f6fb2", "#e8590c", "#2b8a3e", "#7048e8", "#c2255c", "#b8a01c", "#0b7285", "#845e3b")
SUFFIXES = (".png", ".svg")


FLAT = 1e-6
"""A panel does not show less than this part of its largest value."""
SYMBOLS = {"u": "u", "u_a": "$u_a$", "q": "q", "qd": "q\u0307", "qdd": "q\u0308"}
WORDS = {"stall": "cannot hold"}
DASHED = {"color": PROGRAMMED, "lw": 1.4, "ls": (0, (4, 2)), "label": "programmed"}
SOLID = {"color": ACHIEVED, "lw": 1.9, "label": "achieved"}


def unit(name: str, robot: Robot | None = None, joint: int = 0) -> str:
    """The unit of a column of a run; of a joint's own quantity, by the kind of that joint.

    >>> import erfd
    >>> [unit("u", erfd.load("stanford"), joint) for joint in (1, 2)]
    ['N m', 'N']
    """
    text = UNITS[name]
    if robot is not None and not robot.joints[joint].revolute:
        text = SLIDING.get(text, text)
    return text.replace("s2", "s\u00b2")


def axis_label(symbol: str, name: str, robot: Robot | None = None, joint: int = 0) -> str:
    """The label of an axis: a symbol and its unit."""
    return f"{symbol or name} ({unit(name, robot, joint)})"


def joint_title(robot: Robot, i: int) -> str:
    """The number of a joint, and its name if it has one of its own."""
    name = robot.joints[i].name
    return f"joint {i + 1}" + (f" ({name})" if name and str(i + 1) not in name else "")


def new_figure(width: float, height: float, robot: Robot, title: str) -> Any:
    """An empty figure with a title."""
    matplotlib_pyplot()  # says what to install if Matplotlib is missing
    from matplotlib.figure import Figure

    figure = shown(Figure(figsize=(width, height), layout="constrained", facecolor="white"))
    figure.get_layout_engine().set(h_pad=0.06, w_pad=0.06)
    figure.suptitle(
        f"{robot.title.partition(',')[0] or robot.name}: {title}", fontsize=12.5, weight="bold"
    )
    return figure


def joint_grid(
    robot: Robot, title: str, name: str, part: str, rows: int = 0
) -> tuple[Any, list[Any]]:
    """A figure with one panel a joint or motor, and room for `rows` more rows of panels."""
    n = robot.n
    columns = 3 if n > 4 else min(n, 2)
    lines = -(-n // columns)
    figure = new_figure(2.2 + 3.1 * columns, 1.3 + 2.25 * (lines + rows), robot, title)
    cells = figure.add_gridspec(lines + rows, 6)
    width = 6 // columns
    mixed = part == "joint" and len({joint.kind for joint in robot.joints}) > 1
    axes: list[Any] = []
    for i in range(n):
        row, column = divmod(i, columns)
        place = cells[row, width * column : width * (column + 1)]
        ax = figure.add_subplot(place, sharex=axes[0] if axes else None)
        style_axes(ax)
        ax.set_title(joint_title(robot, i) if part == "joint" else f"motor {i + 1}",
                     fontsize=10, loc="left")  # fmt: skip
        if column == 0 or mixed:
            joint = (robot, i) if part == "joint" else ()
            ax.set_ylabel(axis_label(SYMBOLS.get(name, name), name, *joint))
        axes.append(ax)
    return figure, axes


def style_axes(ax: Any) -> None:
    """Set the style of a panel: grid, spines, ticks."""
    ax.grid(color="#dee2e6", lw=0.7)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color("#868e96")
    ax.tick_params(labelsize=8.5, color="#868e96")


def finish_axes(
    figure: Any, axes: list[Any], t: Array, *, bottom: Iterable[Any] | None = None, note: str = ""
) -> None:
    """Add the time axis below the lowest panels, tick labels only there, and one legend."""
    axes[0].set_xlim(float(t[0]), float(t[-1]))
    columns = {ax.get_subplotspec().colspan.start: ax for ax in axes}
    lowest = list(columns.values()) if bottom is None else list(bottom)
    for ax in axes:
        low, high = ax.get_ylim()
        size = max(abs(low), abs(high))
        if high - low < FLAT * size:  # one value, and the last digits of it
            ax.set_ylim((low + high) / 2 - 0.05 * size, (low + high) / 2 + 0.05 * size)
        ax.tick_params(labelbottom=ax in lowest)
    for ax in lowest:
        ax.set_xlabel("time (s)")
    put_legend(figure, axes, note)


def put_legend(figure: Any, axes: Iterable[Any], note: str = "") -> None:
    """Add a legend below the figure, with every label of all panels once."""
    handles: dict[str, Any] = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    figure.legend(
        list(handles.values()), list(handles), loc="outside lower center",
        ncols=max(1, len(handles)), frameon=False, fontsize=9.5, title=note or None,
        title_fontsize=9,
    )  # fmt: skip


def shade_spans(ax: Any, run: Run, joint: int, kinds: Iterable[str]) -> None:
    """Shade the time of every event of one joint or motor."""
    for event in run.events:
        if event.joint == joint + 1 and event.kind in kinds:
            ax.axvspan(
                event.start, event.end, color=EVENT_COLORS[event.kind], alpha=0.18, lw=0,
                label=WORDS.get(event.kind, f"at its {event.kind}"),
            )  # fmt: skip


def shade_any(ax: Any, run: Run) -> None:
    """Shade the time in which any motor is at its torque limit."""
    for first, last in spans((run["saturated"] != 0).any(axis=1)):
        ax.axvspan(
            run["t"][max(first - 1, 0)], run["t"][last], color=SATURATED, alpha=0.18, lw=0,
            label="a motor at its torque limit",
        )  # fmt: skip


def draw_limits(ax: Any, t: Array, low: Array, high: Array) -> None:
    """Draw lines at the limits, and tint what lies beyond, as far as the panel shows it."""
    bottom, top = ax.get_ylim()
    for limit, edge in ((low, min(bottom, float(low.min()))), (high, max(top, float(high.max())))):
        if np.isfinite(limit).all():
            visible = bool(((limit > bottom) & (limit < top)).any())
            ax.plot(t, limit, color=LIMIT, lw=1.0, label="limit" if visible else None)
            ax.fill_between(t, limit, edge, color=LIMIT, alpha=0.07, lw=0)
    ax.set_ylim(bottom, top)


def joint_curves(
    run: Run, name: str, title: str, curves: Sequence[tuple[Array, dict[str, Any]]],
    limits: tuple[Array, Array] | None = None,
) -> Any:  # fmt: skip
    """A figure with one panel a joint: values (N, n) in their styles, limits (N, n) or (n,)."""
    figure, axes = joint_grid(run.robot, title, name, "joint")
    shape = curves[0][0].shape
    shown = without_rounding(*(values for values, _ in curves))
    t = run["t"][-shape[0] :]
    for i, ax in enumerate(axes):
        shade_spans(ax, run, i, EVENT_COLORS)
        for values, (_, style) in zip(shown, curves, strict=True):
            ax.plot(t, values[:, i], **style)
        if limits is not None:
            low, high = (np.broadcast_to(limit, shape)[:, i] for limit in limits)
            widen(ax, float(low.min()), float(high.max()))
            draw_limits(ax, t, low, high)
    finish_axes(figure, axes, run["t"])
    return figure


def widen(ax: Any, low: float, high: float) -> None:
    """Let a panel reach a limit that is near what it shows; far ones would flatten its curves."""
    bottom, top = ax.get_ylim()
    near = 0.3 * (top - bottom)
    pad = 0.08 * (top - bottom)
    ax.set_ylim(
        low - pad if bottom - near < low < bottom + pad else bottom,
        high + pad if top - pad < high < top + near else top,
    )


def draw_pair(ax: Any, t: Array, first: Array, second: Array, labels: tuple[str, str]) -> None:
    """Draw two curves that should coincide: a broad pale one and a thin dark one upon it."""
    ax.plot(t, first, color=WIDE, lw=4.5, label=labels[0], solid_capstyle="round")
    ax.plot(t, second, color=NARROW, lw=1.2, ls=(0, (4, 2)), label=labels[1])


def gap_text(pair: Sequence[Array], robot: Robot, name: str) -> str:
    """How far two results are apart at most; relative if joints have different units."""
    first, second = pair
    gap = float(np.abs(first - second).max())
    if len({joint.kind for joint in robot.joints}) > 1:
        return f"largest difference {gap / max(1e-300, float(np.abs(first).max())):.0e} (relative)"
    return f"largest difference {gap:.0e} {unit(name, robot)}"


def draw_powers(ax: Any, t: Array, power: Array) -> None:
    """Draw power (N,) in W, shaded where it drives and where it brakes."""
    ax.fill_between(t, np.maximum(power, 0), 0, color=ACHIEVED, alpha=0.25, lw=0, label="driving")
    ax.fill_between(t, np.minimum(power, 0), 0, color="#2b8a3e", alpha=0.35, lw=0, label="braking")
    ax.plot(t, power, color=ACHIEVED, lw=1.6)
    ax.axhline(0, color="#868e96", lw=0.8)


def draw_path(ax: Any, programmed: Array, achieved: Array, saturated: list[slice]) -> None:
    """Draw programmed and achieved points (N, 3) in m in space, with their shadows on the floor."""
    both = np.concatenate([programmed, achieved])
    low, high = both.min(axis=0), both.max(axis=0)
    size = np.maximum(high - low, 0.3 * (high - low).max() + 1e-6)
    low, high = (low + high - 1.15 * size) / 2, (low + high + 1.15 * size) / 2
    for points in (programmed, achieved):
        ax.plot(points[:, 0], points[:, 1], np.full(len(points), low[2]), color="#ced4da", lw=1.2)
    pieces = [np.vstack([achieved[rows], np.full(3, np.nan)]) for rows in saturated]
    if pieces:
        ax.plot(*np.concatenate(pieces).T, color=SATURATED, lw=7, alpha=0.45,
                label="a motor at its torque limit", solid_capstyle="butt")  # fmt: skip
    ax.plot(*programmed.T, **DASHED)
    ax.plot(*achieved.T, **SOLID)
    ax.plot(*achieved[:1].T, "o", color="#2b8a3e", ms=7, label="start")
    ax.plot(*programmed[-1:].T, "X", color="#343a40", ms=7, label="programmed end")
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    ax.set_box_aspect(high - low, zoom=1.04)
    for axis, name in zip((ax.xaxis, ax.yaxis, ax.zaxis), "xyz", strict=True):
        axis.set_label_text(f"{name} (m)")
        axis.labelpad = 1 if name == "z" else 8
        axis.set_pane_color("#f8f9fa")
        axis.set_major_locator(few_ticks())
    ax.tick_params(labelsize=8)
    ax.view_init(elev=24, azim=-58)


def few_ticks() -> Any:
    """A locator for small panels."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(5, steps=[1, 2, 5, 10])


def torques_by(run: Run, payloads: Sequence[Payload | None], method: str) -> Array:
    """Joint torques of every cycle by one method, (N - 1, n)."""
    if len(payloads) != len(run):
        raise InputError(f"payload: expected one or {len(run)}, found {len(payloads)}")
    result = np.array(run["u_external"][1:])
    groups: dict[Payload | None, list[int]] = {}
    for k, payload in enumerate(payloads[1:]):
        groups.setdefault(payload, []).append(k)
    for payload, cycles in groups.items():
        rows = np.array(cycles)
        state = run["q"][rows], run["qd"][rows], run["qdd"][rows + 1]
        result[rows] += inverse_dynamics(with_payload(run.robot, payload), *state, method=method)
    return result
