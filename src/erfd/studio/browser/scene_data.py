"""Robots, cells and poses for the browser's scene, as plain numbers; lengths in m."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...cell.mesh import prism_mesh
from ...cell.model import Cell, Mesh
from ...ground.arrays import Array
from ...mechanics.kinematics import forward_kinematics, link_frames, pose_matrix
from ...report.play.graphic_file import mesh_lists, pose_numbers
from ...robot.model import Robot
from ...robot.visual import Visual
from ..teach import home

STICK = "#8d99a6"


def scene_of(robot: Robot) -> dict[str, Any]:
    """The robot's shapes, link by link: frames 0..n and the tool, which has none.

    One that has no shapes at all is drawn as sticks from joint to joint.
    """
    links = [[], *([_shape(v) for v in link.visuals] for link in robot.links), []]
    return {
        "name": robot.name,
        "mount": pose_matrix(robot.mount).tolist(),
        "base": [_shape(visual) for visual in robot.base_visuals],
        "links": links if has_shapes(robot) else _sticks(robot),
        "names": ["", *(link.name for link in robot.links), ""],
    }


def has_shapes(robot: Robot) -> bool:
    """Whether a link has anything to draw, or to collide with."""
    return any(link.visuals for link in robot.links)


def _sticks(robot: Robot) -> list[list[dict[str, Any]]]:
    """A capsule in each frame, from the origin of the frame before to its own."""
    frames = _frames(robot, np.array([home(robot)]))[0]
    lengths = np.linalg.norm(np.diff(frames[:, :3, 3], axis=0), axis=1)
    radius = 0.02 * max(float(lengths.sum()), 0.1)
    links: list[list[dict[str, Any]]] = [[]]
    for frame, before, length in zip(frames[1:], frames, lengths, strict=False):
        start = frame[:3, :3].T @ (before[:3, 3] - frame[:3, 3])
        pose = np.eye(4)
        if length > 1e-9:
            pose[:3, :3] = _along(-start / length)
        pose[:3, 3] = start / 2
        shape = {"pose": pose.tolist(), "color": STICK, "shape": "capsule"}
        links.append([shape | {"size": [radius, float(length)]}])
    return links


def _along(z: Array) -> Array:
    """A rotation whose third axis is z."""
    x = np.cross(z, np.eye(3)[np.abs(z).argmin()])
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)


def cell_of(cell: Cell | None) -> dict[str, Any]:
    """The things of the cell, in world coordinates."""
    if cell is None:
        return {"things": []}
    things = []
    for thing in cell.things:
        pose = pose_matrix(thing.placement).tolist()
        if isinstance(thing.shape, Mesh):
            shape = {"shape": "mesh"} | mesh_lists(thing.shape)
        else:
            shape = _shape(thing.shape)
        things.append(shape | {"name": thing.name, "pose": pose, "color": thing.color})
    return {"things": things}


def poses_of(robot: Robot, q: ArrayLike) -> Array:
    """Frames 0..n and the tool in the base, (N, n + 2, 7): x y z, then a quaternion x y z w."""
    return pose_numbers(_frames(robot, np.atleast_2d(np.asarray(q, dtype=np.float64))))


def _frames(robot: Robot, q: Array) -> Array:
    """Frames 0..n and the tool in the base, (N, n + 2, 4, 4)."""
    return np.concatenate([link_frames(robot, q), forward_kinematics(robot, q)[:, None]], axis=1)


def _shape(visual: Visual) -> dict[str, Any]:
    pose = pose_matrix(visual.pose).tolist()
    shape: dict[str, Any] = {"pose": pose, "color": visual.color, "shape": visual.shape}
    mesh = prism_mesh(visual) if visual.shape == "prism" else visual.mesh
    if mesh is not None:
        return shape | {"shape": "mesh"} | mesh_lists(mesh)
    return shape | {"size": list(visual.size)}
