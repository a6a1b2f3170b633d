"""A picture of a robot from its visual primitives (Matplotlib; for documents, not for motion)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...ground.arrays import Array
from ...ground.drawn_by import shown
from ...ground.optional import import_optional
from ...mechanics.kinematics import link_frames, pose_matrix
from ...robot.model import Robot
from ...robot.visual import Visual


def matplotlib_pyplot() -> Any:
    """Matplotlib's pyplot, imported when something must be drawn."""
    return import_optional("matplotlib.pyplot", "drawing", "plots")


def draw_robot(robot: Robot, q: ArrayLike, ax: Any, *, alpha: float = 1.0) -> None:
    """Draw a robot, mounted as in the world.

    Args:
        robot: with visual shapes; one without is only given room.
        q: joint coordinates (n,) in rad, m.
        ax: a 3D axes of Matplotlib; its limits are set, in m.
        alpha: opacity, 0 to 1.
    """
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    mount = pose_matrix(robot.mount)
    frames = mount @ link_frames(robot, q)
    shapes = [(mount, visual) for visual in robot.base_visuals]
    for frame, link in zip(frames[1:], robot.links, strict=True):
        shapes += [(frame, visual) for visual in link.visuals]
    corners, colors = [], []
    for frame, visual in shapes:
        place = frame @ pose_matrix(visual.pose)
        faces = [face @ place[:3, :3].T + place[:3, 3] for face in faces_of(visual)]
        corners += faces
        colors += [visual.color] * len(faces)
    if corners:  # one collection: Matplotlib sorts by depth within one, not across several
        faces = equal_corners(corners)
        ax.add_collection3d(Poly3DCollection(faces, shade=True, facecolors=colors, alpha=alpha))
    points = np.concatenate(corners) if corners else frames[:, :3, 3]
    low, high = points.min(axis=0), points.max(axis=0)
    ax.set(**{f"{k}lim": pair for k, pair in zip("xyz", zip(low, high, strict=True), strict=True)})
    ax.set_box_aspect(np.maximum(high - low, 1e-3))


def robot_figure(robot: Robot, q: ArrayLike) -> Any:
    """Draw a robot in a figure of its own.

    Args:
        robot: with visual shapes.
        q: joint coordinates (n,) in rad, m.

    Returns:
        A `matplotlib.figure.Figure` with 3D axes in m.

    Raises:
        MissingDependencyError: if Matplotlib is not installed.
    """
    matplotlib_pyplot()
    import mpl_toolkits.mplot3d  # noqa: F401  (knows the projection "3d")
    from matplotlib.figure import Figure

    figure = shown(Figure(figsize=(6.4, 7.2), facecolor="white"))
    figure.subplots_adjust(left=0.02, right=0.94, bottom=0.04, top=0.94)
    ax = figure.add_subplot(projection="3d")
    draw_robot(robot, q, ax)
    ax.set(xlabel="x (m)", ylabel="y (m)", zlabel="z (m)")
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.set_major_locator(_few())
    ax.tick_params(labelsize=7)
    ax.view_init(elev=18, azim=-58)
    figure.suptitle(robot.title or robot.name, fontsize=11, weight="bold")
    return figure


def _few() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(4)


def equal_corners(faces: list[Array]) -> list[Array]:
    """Give all faces the same number of corners, some of them twice.

    Matplotlib fills up the corners of faces that have fewer with whatever is in memory, and warns
    of overflow when it projects that.
    """
    most = max(len(face) for face in faces)
    return [face[np.arange(most) * len(face) // most] for face in faces]


def faces_of(visual: Visual, sides: int = 28) -> list[Array]:
    """The faces of a shape as polygons (k, 3) in its own frame, m."""
    if visual.mesh is not None:
        return list(visual.mesh.vertices[visual.mesh.faces])
    if visual.shape == "box":
        return _box(visual.size)
    if visual.shape == "prism":
        return _prism(visual)
    radius = visual.size[0]
    if visual.shape == "cylinder":
        half = visual.size[1] / 2
        return _turned([(0.0, -half), (radius, -half), (radius, half), (0.0, half)], sides)
    half = visual.size[1] / 2 if visual.shape == "capsule" else 0.0
    bow = np.linspace(-np.pi / 2, np.pi / 2, 13)
    shift = np.where(bow < 0, -half, half)
    profile = zip(radius * np.cos(bow), radius * np.sin(bow) + shift, strict=True)
    return _turned([(float(r), float(z)) for r, z in profile], sides)


def _box(size: tuple[float, ...]) -> list[Array]:
    x, y, z = np.array(size) / 2
    faces = []
    for axis, (a, b, c) in enumerate(((x, y, z), (y, z, x), (z, x, y))):
        for sign in (-1.0, 1.0):
            square = [(sign * a, b, c), (sign * a, -b, c), (sign * a, -b, -c), (sign * a, b, -c)]
            faces.append(np.roll(np.array(square[:: int(sign)]), axis, axis=1))
    return faces


def _prism(visual: Visual) -> list[Array]:
    """Both ends and one face an edge, all of them seen counterclockwise from outside."""
    flat = np.array(visual.points)
    after = np.roll(flat, -1, axis=0)
    if (flat[:, 0] * after[:, 1] - flat[:, 1] * after[:, 0]).sum() < 0:
        flat = flat[::-1]
    half = visual.size[0] / 2
    low, high = (np.column_stack([flat, np.full(len(flat), z)]) for z in (-half, half))
    following = np.roll(np.arange(len(flat)), -1)
    sides = [np.array([low[i], low[j], high[j], high[i]]) for i, j in enumerate(following.tolist())]
    return [low[::-1], high, *sides]


def _turned(profile: list[tuple[float, float]], sides: int) -> list[Array]:
    """The surface that a profile of (radius, z) sweeps about z."""
    turn = np.linspace(0, 2 * np.pi, sides + 1)
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    faces = []
    for (r0, z0), (r1, z1) in pairwise(profile):
        if z0 == z1 and 0 in (r0, r1):  # an end: one face, which is sorted by depth as a whole
            order = 1 if r1 == 0 else -1
            faces.append(np.array([(*max(r0, r1) * a, z0) for a in ring[:-1][::order]]))
            continue
        for a, b in pairwise(ring):
            corners = [(*r0 * a, z0), (*r0 * b, z0), (*r1 * b, z1), (*r1 * a, z1)]
            faces.append(np.array(corners))
    return faces
