"""What the errata tests judge by: Pinocchio fed from a Robot, and an arm without special geometry.

`newton_euler` is the textbook recursion in the base frame, (4)-(7), (18), (19), (33), with every
input that some document prints wrongly as an argument: a test changes one thing at a time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import erfd
from erfd import Joint, Link, Pose, Robot
from support.pinocchio_or_skip import pin

LOLA = erfd.load("lola15")
S0 = np.radians([44.1, 44.4, -32.7, -27.9, -47.3, 34.8])  # first point of the demonstration program
F_E = np.array([100.0, 100.0, -150.0])  # its external force, N
GRAVITY = np.array([0.0, 0.0, -9.81])


def crooked(n: int = 6, seed: int = 1) -> Robot:
    """An arm in which nothing vanishes: skew axes, offsets, products of inertia, a tool."""
    rng = np.random.default_rng(seed)
    joints, links = [], []
    for i in range(n):
        theta, d, a, alpha = rng.uniform(0.2, 0.9, 4)
        joints.append(Joint(f"joint {i + 1}", theta=theta, d=d, a=a, alpha=alpha))
        points = rng.normal(scale=0.3, size=(3, 5))  # five mass points make a possible inertia
        points -= points.mean(axis=1, keepdims=True)
        second = points @ points.T
        tensor = np.trace(second) * np.eye(3) - second
        center = tuple(float(x) for x in rng.uniform(-0.3, 0.3, 3))
        links.append(Link(f"link {i + 1}", float(rng.uniform(2, 8)), center, as_rows(tensor)))
    return Robot("crooked", tuple(joints), tuple(links), tool=Pose((0.12, -0.2, 0.35)))


def as_rows(matrix: np.ndarray) -> tuple:
    return tuple(tuple(float(x) for x in row) for row in matrix)


def state(n: int, seed: int = 7) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random q, q', q''."""
    return tuple(np.random.default_rng(seed).uniform(-1.5, 1.5, (3, n)))


def model_of(robot: Robot) -> pin.Model:
    """The robot as Pinocchio takes it: revolute joints about z of frame i-1."""
    model = pin.Model()
    model.gravity.linear = np.array(robot.gravity)
    parent, placement = 0, pin.SE3.Identity()
    for joint, link in zip(robot.joints, robot.links, strict=True):
        parent = model.addJoint(parent, pin.JointModelRZ(), placement, joint.name)
        rotation, origin = joint.placement
        placement = pin.SE3(np.array(rotation), np.array(origin))
        body = pin.Inertia(link.mass, np.array(link.center), np.array(link.inertia))
        model.appendBodyToJoint(parent, body, placement)
    return model


def torques(
    robot: Robot,
    q: np.ndarray,
    qd: np.ndarray,
    qdd: np.ndarray,
    on_hand: tuple[np.ndarray, np.ndarray] | None = None,
) -> np.ndarray:
    """Pinocchio's joint torques; `on_hand` is force and moment that act ON the hand at the tool."""
    model = model_of(robot)
    data = model.createData()
    if on_hand is None:
        return pin.rnea(model, data, q, qd, qdd)
    pin.forwardKinematics(model, data, q)
    tip = erfd.forward_kinematics(robot, q)[:3, 3]
    at_origin = pin.Force(on_hand[0], on_hand[1] + np.cross(tip, on_hand[0]))
    loads = [pin.Force.Zero() for _ in range(model.njoints)]
    loads[-1] = data.oMi[model.njoints - 1].actInv(at_origin)
    return pin.rnea(model, data, q, qd, qdd, loads)


def mass_matrix(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Pinocchio's H."""
    model = model_of(robot)
    upper = np.triu(pin.crba(model, model.createData(), q))
    return upper + np.triu(upper, 1).T


@dataclass
class Arm:
    """A pose in base coordinates: what the papers' base-frame recursions start from."""

    mass: np.ndarray
    rotation: np.ndarray
    origin: np.ndarray  # p_0 .. p_n
    axis: np.ndarray  # z_0 .. z_(n-1)
    step: np.ndarray  # p*_i = p_i - p_(i-1)
    center: np.ndarray  # r_i^cm
    inertia: np.ndarray
    lever: np.ndarray  # p_e

    @classmethod
    def at(cls, robot: Robot, q: np.ndarray) -> Arm:
        frames = erfd.link_frames(robot, q)
        rotation, origin = frames[1:, :3, :3], frames[:, :3, 3]
        tensors = np.array([link.inertia for link in robot.links])
        centers = np.array([link.center for link in robot.links])
        return cls(
            mass=np.array([link.mass for link in robot.links]),
            rotation=rotation,
            origin=origin,
            axis=frames[:-1, :3, 2],
            step=np.diff(origin, axis=0),
            center=np.einsum("ijk,ik->ij", rotation, centers),
            inertia=rotation @ tensors @ rotation.swapaxes(1, 2),
            lever=rotation[-1] @ np.array(robot.tool.xyz),
        )

    @property
    def arm(self) -> np.ndarray:
        """l_i = p*_i + r_i^cm."""
        return self.step + self.center


def newton_euler(
    arm: Arm,
    qd: np.ndarray,
    qdd: np.ndarray,
    *,
    gravity: np.ndarray = GRAVITY,
    tip_force: np.ndarray | None = None,
    tip_moment: np.ndarray | None = None,
    backward_step: np.ndarray | None = None,
    projected_on: np.ndarray | None = None,
) -> np.ndarray:
    """Joint torques; tip_moment is n_(n+1), about the origin of frame n."""
    n = len(qd)
    w = wd = np.zeros(3)
    vd = np.zeros(3)
    F, N = np.zeros((n, 3)), np.zeros((n, 3))
    for i in range(n):
        z, p, r = arm.axis[i], arm.step[i], arm.center[i]
        wd = wd + z * qdd[i] + np.cross(w, z * qd[i])
        w = w + z * qd[i]
        vd = vd + np.cross(wd, p) + np.cross(w, np.cross(w, p))
        a = vd + np.cross(wd, r) + np.cross(w, np.cross(w, r))  # (4)
        F[i] = arm.mass[i] * (a - gravity)  # (6)
        N[i] = arm.inertia[i] @ wd + np.cross(w, arm.inertia[i] @ w)  # (7)
    step = arm.step if backward_step is None else backward_step
    axis = arm.axis if projected_on is None else projected_on
    f = np.zeros(3) if tip_force is None else tip_force
    moment = np.zeros(3) if tip_moment is None else tip_moment
    u = np.zeros(n)
    for i in reversed(range(n)):
        lever = step[i] + arm.center[i]
        moment = moment + N[i] + np.cross(lever, F[i]) + np.cross(step[i], f)  # (19)
        f = f + F[i]  # (18)
        u[i] = axis[i] @ moment  # (33)
    return u
