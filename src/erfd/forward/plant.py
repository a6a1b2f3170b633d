"""The equations of an arm under its motors that a forward simulation integrates.

They are written over any scalar. Coordinates are joint positions q and rotor velocities w = K q',
so that a rotor at rest has w = 0 exactly. With load x at the rotors, motor torque tau,
A = K^-T H K^-1 and b = K^-T (u' + D q'):

    x = A w' + b - K^-T l,      tau = x + (mu |x| + c) s + I_a w' + f_v w,

s the direction of the rotor, D the damping of the joints, l the torque of a stop. Without drives K
is 1 and tau is the torque at the joint. A motor fed with a voltage gives tau = Kt (V - Kt w) / R.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..drives.dc_motor import motors_of
from ..dynamics import fast, kinematics
from ..dynamics.chain import Chain, JointMotion, Wrench, chain_of
from ..dynamics.linear import solve
from ..dynamics.regroup import Moments, regrouped_moments
from ..dynamics.vectors import (
    Matrix,
    Scalar,
    dot,
    mat_vec,
    minus,
    plus,
    rotate_tensor,
    times,
    total,
    transpose,
)
from ..ground.arrays import Array
from ..robot.limits import JointLimits
from ..robot.model import Robot
from .scalars import Ops

ArmEquations = tuple[Matrix, Sequence[Scalar], Scalar]
"""The arm at its rotors, at one state: A (n x n), b (n), power on the environment in W."""
KINDS = ("torque", "voltage", "joint_torque")
"""What the input is: torques of the motors, their voltages, or torques at the joints, no drives."""
PARAMETERS = (
    "gain",
    "back_emf",
    "limit",
    "inertia",
    "viscous",
    "load_friction",
    "coulomb",
    "inverse_slope_up",
    "inverse_slope_down",
    "damping",
    "low",
    "high",
)
"""Vectors of length n: tau = gain V - back_emf w, the input's limit, drives, stops.

The inverse slopes are those of the motor torque over the load, 1 / (1 + mu) where the rotor drives
the load up, 1 / (1 - mu) where the load drives it down.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Plant:
    """An arm under one kind of input, without the numbers of its drives.

    `used` says of every parameter at which joints it is not zero: the rest costs nothing.
    `can_stick`: which rotors have dry friction. `stop_sides`: (joint, -1 or 1) of every stop that
    can be met. `has_modes`: rotors can stick or joints meet stops, where the motion has corners.
    """

    robot: Robot
    kind: str
    wrench: bool
    stops: bool
    ramp: bool
    chain: Chain
    moments: list[Moments]
    K: Matrix
    K_inverse: Matrix
    used: dict[str, tuple[bool, ...]]
    can_stick: tuple[bool, ...]
    stop_sides: tuple[tuple[int, float], ...]
    has_modes: bool

    @property
    def n(self) -> int:
        """The number of joints."""
        return self.robot.n

    @property
    def dry(self) -> bool:
        """Whether a rotor can stick."""
        return any(self.can_stick)

    @property
    def size(self) -> int:
        """Numbers of a state: q, w, works of motors, friction, external work, works at stops."""
        return 3 * self.n + 2 + (self.n if self.stops else 0)

    @property
    def row(self) -> int:
        """Numbers of a recorded moment: the state, w', and torques of stops if there are any."""
        return self.size + self.n * (2 if self.stops else 1)

    @property
    def key(self) -> tuple[Any, ...]:
        """The key of the traced plant, beside the robot's equations."""
        curves = tuple(drive.curve for drive in self.robot.drives)
        text = self.kind, self.wrench, self.ramp, self.stop_sides, sorted(self.used.items()), self.K
        return (*text, curves if self.kind == "torque" else ())

    def cut(self, state: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
        """Cut a state into q, w and the works."""
        n = self.n
        return list(state[:n]), list(state[n : 2 * n]), list(state[2 * n :])

    def joint_rates(self, w: Sequence[Scalar]) -> list[Scalar]:
        """Joint velocities q' = K^-1 w, rad/s (m/s)."""
        return list(mat_vec(self.K_inverse, w))


@dataclass(frozen=True, slots=True, eq=False)
class ScalarPlant:
    """A plant over one kind of scalar: its choices, and the parameters by name, n each."""

    plant: Plant
    ops: Ops
    p: dict[str, list[Scalar]]

    @classmethod
    def of(cls, plant: Plant, ops: Ops, values: dict[str, Array]) -> ScalarPlant:
        """The plant over numbers, with parameters (n,) by name."""
        return cls(plant, ops, {name: values[name].tolist() for name in PARAMETERS})


@dataclass(frozen=True, slots=True, eq=False)
class Instant:
    """The arm's equations, motor torques tau (N m) and rotor velocities w (rad/s) at one state."""

    equations: ArmEquations
    tau: Sequence[Scalar]
    w: Sequence[Scalar]


def plant_of(
    robot: Robot, kind: str, *, wrench: bool = False, stops: bool = False, ramp: bool = False
) -> tuple[Plant, dict[str, Array]]:
    """The plant of a robot under one kind of input, and its parameters by name, (n,) each.

    It is made once for a robot.
    """
    options = {"wrench": wrench, "stops": stops, "ramp": ramp}
    return robot.once(
        (plant_of, kind, *options.values()), lambda: _plant_of(robot, kind, **options)
    )


def _plant_of(
    robot: Robot, kind: str, *, wrench: bool, stops: bool, ramp: bool
) -> tuple[Plant, dict[str, Array]]:
    """Make a plant and its parameters."""
    n = robot.n
    values: dict[str, Array] = {name: np.zeros(n) for name in PARAMETERS}
    values["gain"], values["limit"] = np.ones(n), np.full(n, np.inf)
    values["damping"] = np.array([joint.damping for joint in robot.joints])
    values["low"], values["high"] = JointLimits.of(robot).lower, JointLimits.of(robot).upper
    geared = bool(robot.drives) and kind != "joint_torque"
    if geared:
        for name in ("inertia", "viscous", "load_friction", "coulomb"):
            values[name] = np.array([getattr(drive, name) for drive in robot.drives])
        values["limit"] = np.array([drive.torque_max for drive in robot.drives])
    if kind == "voltage":
        motors = motors_of(robot)
        values["gain"] = motors.constant / motors.resistance
        values["back_emf"] = motors.constant**2 / motors.resistance
        values["limit"] = motors.voltage_max
    values["inverse_slope_up"] = 1 / (1 + values["load_friction"])
    values["inverse_slope_down"] = 1 / (1 - values["load_friction"])
    matrix = np.array(robot.gear_matrix) if geared else np.eye(n)
    inverse = np.linalg.inv(matrix)
    inverse[np.abs(inverse) < 1e-14 * np.abs(inverse).max()] = 0.0  # what elimination left behind
    used = {name: tuple(bool(x) for x in values[name]) for name in PARAMETERS}
    can_stick = tuple(bool(x) for x in values["load_friction"] + values["coulomb"])
    stop_sides = [(i, 1.0) for i in range(n) if stops and values["high"][i] < np.inf]
    stop_sides += [(i, -1.0) for i in range(n) if stops and values["low"][i] > -np.inf]
    chain = chain_of(robot)
    plant = Plant(
        robot, kind, wrench, bool(stop_sides), ramp, chain, regrouped_moments(chain),
        matrix.tolist(), inverse.tolist(), used, can_stick, tuple(stop_sides),
        any(can_stick) or bool(stop_sides),
    )  # fmt: skip
    return plant, values


def pose_of(plant: Plant, q: Sequence[Scalar], turned: Sequence[Scalar]) -> list[JointMotion]:
    """The motion (c, s, d) of every joint, `turned` the cosines and then the sines of the q."""
    half = len(turned) // 2
    return [
        (turned[i], turned[half + i], 0.0) if body.revolute else (1.0, 0.0, q[i])
        for i, body in enumerate(plant.chain.bodies)
    ]


def arm_equations(
    arm: ScalarPlant,
    turned: Sequence[Scalar],
    state: Sequence[Scalar],
    wrench: Sequence[Scalar],
) -> ArmEquations:
    """The arm at its rotors: A (n x n), b (n), and its power on the environment in W."""
    plant = arm.plant
    q, w, _ = plant.cut(state)
    pose, rates = pose_of(plant, q, turned), plant.joint_rates(w)
    still = [0.0] * plant.n
    load, power = None, 0.0
    if plant.wrench:
        turn = transpose(plant.robot.base.rotation)
        load = Wrench(mat_vec(turn, wrench[:3]), mat_vec(turn, wrench[3:]))
        power = dot(kinematics.external_torque(plant.chain, pose, load), rates)
    u = fast.inverse_dynamics(plant.chain, pose, rates, still, load, plant.moments)
    bias = [plus(x, times(d, rate)) for x, d, rate in zip(u, arm.p["damping"], rates, strict=True)]
    h = fast.mass_matrix(plant.chain, pose, plant.moments)
    to_rotors = transpose(plant.K_inverse)
    return rotate_tensor(to_rotors, h), list(mat_vec(to_rotors, bias)), power


def torque(
    arm: ScalarPlant, u: Sequence[Scalar], part: Scalar, w: Sequence[Scalar]
) -> list[Scalar]:
    """Motor torques tau in N m at a part (0 to 1) of a step with input u, at rotor velocities w."""
    n, now = arm.plant.n, list(u[: arm.plant.n])
    if arm.plant.ramp:
        now = [a + (b - a) * part for a, b in zip(now, u[n : 2 * n], strict=True)]
    if arm.plant.kind != "voltage":
        return now
    rows = zip(arm.p["gain"], now, arm.p["back_emf"], w, strict=True)
    return [minus(times(g, x), times(d, rate)) for g, x, d, rate in rows]


def smooth_rates(arm: ScalarPlant, now: Instant) -> list[Scalar]:
    """The derivative of the state where nothing can stick: w' from one linear system."""
    p, (A, b, _) = arm.p, now.equations
    matrix = [
        [plus(x, p["inertia"][i]) if i == j else x for j, x in enumerate(row)]
        for i, row in enumerate(A)
    ]
    rows = zip(now.tau, b, p["viscous"], now.w, strict=True)
    y = solve(matrix, [minus(minus(t, x), times(f, rate)) for t, x, f, rate in rows])
    return rates(arm, now, y, [0.0] * arm.plant.n)


def rates(
    arm: ScalarPlant, now: Instant, y: Sequence[Scalar], rubbing: Sequence[Scalar]
) -> list[Scalar]:
    """The derivative of the state: q', w' = y, powers; `rubbing` is dry friction, N m."""
    plant, p, w = arm.plant, arm.p, now.w
    moving = plant.joint_rates(w)
    drag = [plus(a, times(f, x)) for a, f, x in zip(rubbing, p["viscous"], w, strict=True)]
    lost = [times(a, x) for a, x in zip(drag, w, strict=True)]
    lost += [times(times(d, x), x) for d, x in zip(p["damping"], moving, strict=True)]
    motors = [times(t, x) for t, x in zip(now.tau, w, strict=True)]
    return [
        *moving,
        *y,
        *motors,
        total(lost),
        now.equations[2],
        *([0.0] * plant.n if plant.stops else []),
    ]


def applied(arm: ScalarPlant, given: Sequence[Scalar], state: Sequence[Scalar]) -> list[Scalar]:
    """The input within its limits, both ends of a ramp, and the wrench behind it as it is."""
    n, w = arm.plant.n, arm.plant.cut(state)[1]
    ends = 2 if arm.plant.ramp else 1
    parts = [given[k * n : (k + 1) * n] for k in range(ends)]
    return [*(x for part in parts for x in limited(arm, part, w)), *given[ends * n :]]


def limited(arm: ScalarPlant, u: Sequence[Scalar], w: Sequence[Scalar]) -> list[Scalar]:
    """Clip the input to its limits at the rotor speeds w, those at the start of a step."""
    plant, ops, result = arm.plant, arm.ops, []
    curves = [drive.curve if plant.kind == "torque" else () for drive in plant.robot.drives]
    curves += [()] * (plant.n - len(curves))
    for x, most, curve, rate in zip(u, arm.p["limit"], curves, w, strict=True):
        if curve:
            speed = ops.choose(rate < 0, -rate, rate)
            most = _lower(ops, most, _curve_torque(ops, speed, curve))
        result.append(ops.choose(x > most, most, ops.choose(x < -most, -most, x)))
    return result


def _lower(ops: Ops, a: Scalar, b: Scalar) -> Scalar:
    """The lower of two numbers."""
    return ops.choose(b < a, b, a)


def _curve_torque(ops: Ops, speed: Scalar, curve: Sequence[tuple[float, float]]) -> Scalar:
    """The torque of a torque-speed curve at a speed, N m."""
    value: Scalar = curve[-1][1]
    for (v0, t0), (v1, t1) in reversed(list(pairwise(curve))):
        value = ops.choose(speed < v1, t0 + (speed - v0) * ((t1 - t0) / (v1 - v0)), value)
    return ops.choose(speed < curve[0][0], curve[0][1], value)
