"""URDF files for the tests: two that are written by hand, and random ones."""

import math
import warnings
from pathlib import Path

import numpy as np

from erfd.robot.library import load
from erfd.robot.model import Robot
from support.paths import DATA

ARM, SMALL = DATA / "gripper_arm.urdf", DATA / "two_joints.urdf"


def quiet(path: Path, **choice: object) -> Robot:
    """The robot, without the warnings that another test looks at."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return load(path, **choice)


class Writer:
    """A random URDF: a chain of n joints with lumps, branches and every kind of joint and axis."""

    def __init__(self, seed: int, n: int):
        self.rng, self.text, self.count = np.random.default_rng(seed), [], 0
        self.locked: dict[str, float] = {}
        link = self.base = self.link()
        for _ in range(n):
            link = self.fixed(link) if self.chance(0.4) else link
            self.branch(link)
            link = self.moving(link)
        self.branch(link)
        self.tip = self.fixed(link) if self.chance(0.6) else link

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def numbers(self, values) -> str:
        return " ".join(repr(float(x)) for x in values)

    def origin(self) -> str:
        xyz = np.round(self.rng.uniform(-0.5, 0.5, 3), 3)
        rpy = self.rng.uniform(-3, 3, 3)
        if self.chance(0.5):
            rpy = self.rng.integers(-2, 3, 3) * (math.pi / 2)
        return f'<origin xyz="{self.numbers(xyz)}" rpy="{self.numbers(rpy)}"/>'

    def link(self) -> str:
        self.count += 1
        name, inertial = f"link{self.count}", ""
        if self.chance(0.85):
            a, b, c = self.rng.uniform(0.001, 0.1, 3)  # any body: each moment a sum of two of them
            inertia = (
                f'<inertia ixx="{a + b}" iyy="{b + c}" izz="{a + c}" ixy="0" ixz="0" iyz="0"/>'
            )
            mass = f'<mass value="{self.rng.uniform(0.1, 9)}"/>'
            inertial = f"<inertial>{self.origin()}{mass}{inertia}</inertial>"
        self.text.append(f'<link name="{name}">{inertial}</link>')
        return name

    def joint(self, kind: str, parent: str, more: str = "") -> str:
        child = self.link()
        ends = f'<parent link="{parent}"/><child link="{child}"/>{self.origin()}{more}'
        self.text.append(f'<joint name="to_{child}" type="{kind}">{ends}</joint>')
        return child

    def fixed(self, parent: str) -> str:
        return self.joint("fixed", parent)

    def moving(self, parent: str) -> str:
        axis = self.rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        if self.chance(0.6):
            axis = np.eye(3)[self.rng.integers(3)] * self.rng.choice([-1, 1])
        limit = '<limit lower="-2" upper="2" effort="10" velocity="3"/>'
        kind = self.rng.choice(["revolute", "continuous", "prismatic"])
        return self.joint(kind, parent, f'<axis xyz="{self.numbers(axis)}"/>{limit}')

    def branch(self, link: str) -> None:
        if self.chance(0.3):
            child = self.moving(link)
            if self.chance(0.5):
                self.locked[f"to_{child}"] = float(self.rng.uniform(-1, 1))
            self.fixed(self.moving(child))

    def save(self, folder: Path) -> Path:
        path = folder / "random.urdf"
        path.write_text(f'<robot name="random">{"".join(self.text)}</robot>')
        return path


LINK, END = '<link name="lower">', "</robot>"
