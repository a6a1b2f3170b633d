"""A robot from numbers, saved to a file and read back."""

import tempfile
from pathlib import Path

import numpy as np

import erfd


def rod(name: str, mass: float, length: float) -> erfd.Link:
    """A slender rod behind its joint; frame i is at its far end, so the centre is behind it."""
    moment = mass * length**2 / 12
    inertia = ((0.0, 0.0, 0.0), (0.0, moment, 0.0), (0.0, 0.0, moment))
    return erfd.Link(name, mass, (-length / 2, 0.0, 0.0), inertia)


joints = (
    erfd.Joint("shoulder", a=0.4, alpha=np.pi / 2, damping=0.2),
    erfd.Joint("elbow", a=0.3),
    erfd.Joint("slide", "prismatic", position_min=0.0, position_max=0.2),
)
links = (rod("upper", 2.0, 0.4), rod("fore", 1.5, 0.3), erfd.Link("ram", 0.5))
robot = erfd.Robot("mine", joints, links, tool=erfd.Pose((0.0, 0.0, 0.05)))

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "mine.toml"
    erfd.save(robot, path)
    assert erfd.load(path) == robot
    print(path.read_text().split("[[link]]")[0])

u = erfd.inverse_dynamics(robot, [0.1, 0.5, 0.1], [1.0, 0.0, 0.1], [0.0, 0.0, 0.0], damping=True)
print(f"torques and force that keep it moving: {u.round(4)} N m, N m, N")
