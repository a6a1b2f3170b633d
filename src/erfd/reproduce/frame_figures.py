"""Pictures of a robot beside its coordinate frames, mass centres and loads (Matplotlib)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ground.arrays import Array
from ..mechanics.kinematics import forward_kinematics, link_frames, pose_matrix
from ..report.plots.layout import XYZ, few_ticks, new_figure
from ..report.plots.robot_picture import draw_robot
from ..robot.model import Robot

ZOOM = 0.84
"""Of the boxes, so that the names of their axes are within the picture."""
LOADS = ("#e8590c", "#862e9c")
"""The colours of forces and of moments."""


def robot_and_frames(
    robot: Robot, q: Array, *, centers: bool = False, loads: tuple[Array, Array] | None = None
) -> Any:
    """(a) the robot, (b) its frames 0..n with the steps between their origins.

    Args:
        robot: with visual shapes.
        q: joint positions (n,), rad, m.
        centers: also the mass centres, joined to the origins of their frames.
        loads: (c) force (n, 3), N, and moment (n, 3), N m, of each link at its mass centre, in base
            coordinates.

    Returns:
        A `matplotlib.figure.Figure`, axes in m.
    """
    count = 2 if loads is None else 3
    figure = new_figure(5.75 * count, 6.4, robot, "the robot and its frames")
    left, right, *more = (
        figure.add_subplot(1, count, k + 1, projection="3d") for k in range(count)
    )
    draw_robot(robot, q, left)
    left.set_title("(a) the robot", loc="left", fontsize=10)
    right.set_title(f"(b) frames 0 to {robot.n}", loc="left", fontsize=10)
    mount = pose_matrix(robot.mount)
    frames = mount @ link_frames(robot, q)
    origins = frames[:, :3, 3]
    tip = (mount @ forward_kinematics(robot, q))[:3, 3]
    points = np.vstack([origins, tip])
    right.plot(*points.T, color="#adb5bd", lw=3, solid_capstyle="round", zorder=1)
    size = 0.16 * float(np.ptp(points, axis=0).max())
    groups: dict[tuple[float, ...], list[int]] = {}
    for i, frame in enumerate(frames):
        groups.setdefault(tuple(np.round(frame[:3, 3], 6)), []).append(i)
        rank = len(groups[tuple(np.round(frame[:3, 3], 6))]) - 1
        shrink = 0.8**rank
        for axis, color in enumerate(XYZ):
            arrow = size * shrink * frame[:3, axis]
            right.quiver(*frame[:3, 3], *arrow, color=color, lw=1.5, arrow_length_ratio=0.2)
        end = frame[:3, 3] + (1.15 * shrink + 0.2 * rank) * size * frame[:3, 2]
        right.text(*end, f"$z_{{{i}}}$", color=XYZ[2], fontsize=9)
    for origin, members in groups.items():
        name = ", ".join(map(str, members))
        below = (0.45 + 0.4 * max(len(members) - 2, 0)) * size
        right.text(*(np.array(origin) - [0, 0, below]), name, fontsize=9, weight="bold")
    places = [
        frame[:3, :3] @ link.center + frame[:3, 3]
        for frame, link in zip(frames[1:], robot.links, strict=True)
    ]
    for ax in more:
        ax.plot(*points.T, color="#adb5bd", lw=3, solid_capstyle="round", zorder=1)
        _draw_loads(ax, np.array(places), loads, mount[:3, :3], 2 * size)
    if centers:
        for i, (link, center) in enumerate(zip(robot.links, places, strict=True)):
            right.plot(*np.array([origins[i + 1], center]).T, color="#343a40", lw=0.8, ls=":")
            right.plot(*center, "o", color="#343a40", ms=3 + link.mass**0.5 / 3)
            right.text(*center, f"  $m_{{{i + 1}}}$", fontsize=8.5)
    low, high = points.min(axis=0) - 1.5 * size, points.max(axis=0) + 1.5 * size
    middle, reach = (low + high) / 2, high - low
    reach = np.maximum(reach, 0.5 * reach.max())
    low, high = middle - reach / 2, middle + reach / 2
    for ax in (right, *more):
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    for ax in (left, right, *more):
        sides = [np.ptp(side) for side in (ax.get_xlim3d(), ax.get_ylim3d(), ax.get_zlim3d())]
        ax.set_box_aspect(sides, zoom=ZOOM)
        ax.set(xlabel="x (m)", ylabel="y (m)", zlabel="z (m)")
        ax.tick_params(labelsize=7)
        for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
            axis.set_major_locator(few_ticks())
        ax.view_init(elev=18, azim=-58)
    return figure


def _draw_loads(ax: Any, places: Array, loads: Any, turn: Array, longest: float) -> None:
    """Forces and moments at the mass centres; lengths go with the square roots of their sizes."""
    for vectors, color, letter, unit in zip(loads, LOADS, "FN", ("N", "N m"), strict=True):
        sizes = np.linalg.norm(vectors, axis=1)
        for i, (place, vector) in enumerate(zip(places, vectors @ turn.T, strict=True)):
            if sizes[i] < 1e-3 * sizes.max():
                continue  # nothing that one could see
            arrow = longest * (sizes[i] / sizes.max()) ** 0.5 * vector / sizes[i]
            ax.quiver(*place, *arrow, color=color, lw=1.6, arrow_length_ratio=0.15)
            ax.text(*(place + 1.12 * arrow), f"${letter}_{{{i + 1}}}$", color=color, fontsize=9)
        ax.plot([], [], color=color, label=f"${letter}_i$, at most {sizes.max():.0f} {unit}")
    ax.plot(*places.T, "o", color="#343a40", ms=3.5, ls="")
    ax.set_title("(c) forces and moments of the links", loc="left", fontsize=10)
    about = "lengths: square roots"
    ax.legend(fontsize=8, frameon=False, loc="upper right", title=about, title_fontsize=8)
