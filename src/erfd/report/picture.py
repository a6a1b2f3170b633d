"""A picture of a robot from its visual primitives (Matplotlib; for documents, not for motion)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..api.kinematics import link_frames, pose_matrix
from ..errors import MissingDependencyError
from ..robot.model import Robot, Visual

Array = NDArray[np.float64]


def matplotlib_pyplot() -> Any:
    """Matplotlib's pyplot, imported when something must be drawn."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingDependencyError(
            "drawing needs the package matplotlib, which is not installed;"
            " pip install 'erfd[plots]' installs it"
        ) from None
    return plt


def draw_robot(robot: Robot, q: ArrayLike, ax: Any, *, alpha: float = 1.0) -> None:
    """Draw the robot at joint coordinates `q` (n,) into a 3D axes, mounted as in the world."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    mount = pose_matrix(robot.mount)
    frames = mount @ link_frames(robot, q)
    shapes = [(mount, visual) for visual in robot.base_visuals]
    for frame, link in zip(frames[1:], robot.links, strict=True):
        shapes += [(frame, visual) for visual in link.visuals]
    corners = []
    for frame, visual in shapes:
        place = frame @ pose_matrix(visual.pose)
        faces = [face @ place[:3, :3].T + place[:3, 3] for face in faces_of(visual)]
        corners += faces
        patch = Poly3DCollection(faces, shade=True, facecolors=visual.color, alpha=alpha)
        ax.add_collection3d(patch)
    points = np.concatenate(corners) if corners else frames[:, :3, 3]
    low, high = points.min(axis=0), points.max(axis=0)
    ax.set(**{f"{k}lim": pair for k, pair in zip("xyz", zip(low, high, strict=True), strict=True)})
    ax.set_box_aspect(np.maximum(high - low, 1e-3))


def faces_of(visual: Visual, sides: int = 28) -> list[Array]:
    """The shape's faces as polygons (k, 3) in its own frame, m."""
    if visual.shape == "box":
        return _box(visual.size)
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


def _turned(profile: list[tuple[float, float]], sides: int) -> list[Array]:
    """The surface that a profile of (radius, z) sweeps about z."""
    turn = np.linspace(0, 2 * np.pi, sides + 1)
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    faces = []
    for (r0, z0), (r1, z1) in pairwise(profile):
        for a, b in pairwise(ring):
            corners = [(*r0 * a, z0), (*r0 * b, z0), (*r1 * b, z1), (*r1 * a, z1)]
            faces.append(np.array(corners))
    return faces
