"""Robots and witnesses for the tests: random arms, random states, Pinocchio models."""

from __future__ import annotations

import csv

import numpy as np
from hypothesis import strategies as st

import erfd
from support.paths import DATA
from support.pinocchio_or_skip import pin

BUNDLED = erfd.robots()


def random_inertia(rng: np.random.Generator) -> tuple[float, tuple, tuple]:
    """Mass, mass centre and inertia of a cloud of six point masses: physical by construction."""
    points = rng.normal(scale=0.3, size=(6, 3))
    masses = rng.uniform(0.1, 1.0, 6)
    center = masses @ points / masses.sum()
    arms = points - center
    inertia = sum(
        m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, arms, strict=True)
    )
    return float(masses.sum()), tuple(center.tolist()), tuple(map(tuple, inertia.tolist()))


def random_robot(seed: int, kinds: str) -> erfd.Robot:
    """An arm with one joint per letter of `kinds` (R or P), some right angles, some zeros."""
    rng = np.random.default_rng(seed)
    joints, links = [], []
    for i, kind in enumerate(kinds, 1):
        theta, alpha = rng.choice(
            [0.0, np.pi / 2, -np.pi / 2, rng.uniform(-np.pi, np.pi)], 2
        ).tolist()
        d, a = (rng.uniform(-0.5, 0.5, 2) * rng.integers(0, 2, 2)).tolist()
        after = erfd.Pose()
        if rng.random() < 0.3:
            xyz, rpy = rng.uniform(-0.3, 0.3, 3), rng.uniform(-3, 3, 3)
            after = erfd.Pose(tuple(xyz.tolist()), tuple(rpy.tolist()))
        word = "revolute" if kind == "R" else "prismatic"
        damping = float(rng.uniform(0, 2))
        joints.append(erfd.Joint(f"j{i}", word, theta, d, a, alpha, after, damping))
        links.append(erfd.Link(f"l{i}", *random_inertia(rng)))
    pose = lambda: erfd.Pose(*(tuple(rng.uniform(-1, 1, 3).tolist()) for _ in range(2)))  # noqa: E731
    gravity = tuple(rng.uniform(-10, 10, 3).tolist())
    return erfd.Robot(
        "random",
        tuple(joints),
        tuple(links),
        gravity=gravity,
        mount=pose(),
        base=pose(),
        tool=pose(),
    )


@st.composite
def arms(draw: st.DrawFn, kinds: str = "RP", most: int = 8) -> erfd.Robot:
    """Random arms of 1 to `most` joints."""
    letters = draw(st.text(kinds, min_size=1, max_size=most))
    return random_robot(draw(st.integers(0, 2**32 - 1)), letters)


def random_state(seed: int, n: int, *batch: int) -> tuple[np.ndarray, ...]:
    """q, qd, qdd of shape (*batch, n) and a wrench of shape (*batch, 6)."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-np.pi, np.pi, (*batch, n))
    qd, qdd = rng.uniform(-3, 3, (2, *batch, n))
    return q, qd, qdd, rng.uniform(-100, 100, (*batch, 6))


def relative(found: np.ndarray, wanted: np.ndarray) -> float:
    """The largest difference as a part of the largest value (per state: the last axis)."""
    size = np.abs(wanted).max(axis=-1, keepdims=True)
    return float((np.abs(found - wanted) / np.maximum(size, 1e-12)).max())


def reference() -> dict[str, np.ndarray]:
    """tests/data/lola15_reference.csv: q, qd, u, qdd, each (40, 6), computed with Pinocchio."""
    with (DATA / "lola15_reference.csv").open() as file:
        rows = list(csv.DictReader(file))
    return {
        name: np.array([[float(row[f"{name}{i}"]) for i in range(1, 7)] for row in rows])
        for name in ("q", "qd", "u", "qdd")
    }


class Witness:
    """The same arm in Pinocchio, built from the robot's data without our dynamics code."""

    def __init__(self, robot: erfd.Robot):
        self.model = pin.Model()
        mount, base = (
            pin.SE3(np.array(p.rotation), np.array(p.xyz)) for p in (robot.mount, robot.base)
        )
        self.model.gravity.linear = (mount * base).rotation.T @ np.array(robot.gravity)
        before, parent = pin.SE3.Identity(), 0
        for joint, link in zip(robot.joints, robot.links, strict=True):
            kind = pin.JointModelRZ() if joint.revolute else pin.JointModelPZ()
            parent = self.model.addJoint(parent, kind, before, joint.name)
            before = self._transform(joint)
            inertia = pin.Inertia(link.mass, np.array(link.center), np.array(link.inertia))
            self.model.appendBodyToJoint(parent, inertia, before)
        tool = pin.SE3(np.array(robot.tool.rotation), np.array(robot.tool.xyz))
        frame = pin.Frame("tool", parent, 0, before * tool, pin.FrameType.OP_FRAME)
        self.tool = self.model.addFrame(frame)
        self.base = base
        self.data = self.model.createData()

    @staticmethod
    def _transform(joint: erfd.Joint) -> pin.SE3:
        ct, st_, ca, sa = (f(x) for x in (joint.theta, joint.alpha) for f in (np.cos, np.sin))
        turn = pin.SE3(
            np.array([[ct, -st_, 0], [st_, ct, 0], [0, 0, 1.0]]), np.array([0, 0, joint.d])
        )
        tilt = pin.SE3(
            np.array([[1.0, 0, 0], [0, ca, -sa], [0, sa, ca]]), np.array([joint.a, 0, 0])
        )
        after = joint.after
        return turn * tilt * pin.SE3(np.array(after.rotation), np.array(after.xyz))

    def tool_pose(self, q: np.ndarray) -> np.ndarray:
        pin.framesForwardKinematics(self.model, self.data, q)
        return (self.base * self.data.oMf[self.tool]).homogeneous

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        reference = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        j = pin.computeFrameJacobian(self.model, self.data, q, self.tool, reference)
        j, r = j.reshape(6, -1), self.base.rotation
        return np.vstack([r @ j[:3], r @ j[3:]])

    def _loads(self, q: np.ndarray, wrench: np.ndarray | None) -> pin.StdVec_Force:
        loads = pin.StdVec_Force()
        for _ in range(self.model.njoints):
            loads.append(pin.Force.Zero())
        if wrench is not None:  # Pinocchio takes what acts on the robot, at the joint frame
            pin.framesForwardKinematics(self.model, self.data, q)
            turned = [self.base.rotation.T @ w for w in (wrench[:3], wrench[3:])]
            at_tool = pin.Force(-turned[0], -turned[1])
            place = self.data.oMf[self.tool]
            at_origin = pin.SE3(np.eye(3), place.translation).act(at_tool)
            loads[self.model.njoints - 1] = self.data.oMi[self.model.njoints - 1].actInv(at_origin)
        return loads

    def inverse_dynamics(self, q, qd, qdd, wrench=None) -> np.ndarray:
        return pin.rnea(self.model, self.data, q, qd, qdd, self._loads(q, wrench)).copy()

    def forward_dynamics(self, q, qd, u, wrench=None) -> np.ndarray:
        loads = self._loads(q, wrench)
        return pin.aba(self.model, self.data, q, qd, u, loads).copy()

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        h = np.triu(pin.crba(self.model, self.data, q))
        return h + np.triu(h, 1).T
