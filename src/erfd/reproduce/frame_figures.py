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


def robot_and_frames(robot: Robot, q: Array, *, centers: bool = False) -> Any:
    """(a) the robot, (b) its frames 0..n with the steps between their origins.

    Args:
        robot: with visual shapes.
        q: joint positions (n,), rad, m.
        centers: also the mass centres, joined to the origins of their frames.

    Returns:
        A `matplotlib.figure.Figure`, axes in m.
    """
    figure = new_figure(11.5, 6.4, robot, "the robot and its frames")
    left, right = (figure.add_subplot(1, 2, k, projection="3d") for k in (1, 2))
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
    if centers:
        for i, link in enumerate(robot.links):
            center = frames[i + 1, :3, :3] @ link.center + frames[i + 1, :3, 3]
            right.plot(*np.array([origins[i + 1], center]).T, color="#343a40", lw=0.8, ls=":")
            right.plot(*center, "o", color="#343a40", ms=3 + link.mass**0.5 / 3)
            right.text(*center, f"  $m_{{{i + 1}}}$", fontsize=8.5)
    low, high = points.min(axis=0) - 1.5 * size, points.max(axis=0) + 1.5 * size
    middle, reach = (low + high) / 2, high - low
    reach = np.maximum(reach, 0.5 * reach.max())
    low, high = middle - reach / 2, middle + reach / 2
    right.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    for ax in (left, right):
        sides = [np.ptp(side) for side in (ax.get_xlim3d(), ax.get_ylim3d(), ax.get_zlim3d())]
        ax.set_box_aspect(sides, zoom=ZOOM)
        ax.set(xlabel="x (m)", ylabel="y (m)", zlabel="z (m)")
        ax.tick_params(labelsize=7)
        for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
            axis.set_major_locator(few_ticks())
        ax.view_init(elev=18, azim=-58)
    return figure
