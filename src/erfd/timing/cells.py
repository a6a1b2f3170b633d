"""A piece of a path cut into cells, with all limits of every cell as lines over s'' and s'^2."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ..drives.drives import Drives
from ..ground.arrays import Array, Mask
from ..mechanics.kinematics import jacobian
from ..robot.limits import JointLimits
from ..robot.model import Robot
from .coefficients import PathLoads, rotor_loads
from .joint_path import Piece

SHY = 1e-9
"""Limits are kept to but for this part of them, so that rounding does not break them."""
STANDS = 1e-9
"""A rotor that turns by less than this (rad) per length of path (rad, m) rests."""


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """What bounds a motion along a path: limits of motors, joints and tool.

    `drives` has torque limits without their `margin`; `resistance` and so on are NaN or infinite
    where they are not known; `acceleration` (n,) is infinite unless joints' accelerations count.
    """

    robot: Robot
    drives: Drives
    margin: float
    velocity: Array
    acceleration: Array
    volt: Array
    per_volt: Array
    emf: Array
    tool_speed: float

    @classmethod
    def of(cls, robot: Robot, *, margin: float, accelerations: bool, tool_speed: float) -> Bounds:
        """The bounds of a robot."""
        drives, limits = Drives.of(robot), JointLimits.of(robot)
        numbers = [
            (drive.voltage_max, drive.torque_constant / drive.resistance, drive.torque_constant)
            if math.isfinite(drive.resistance)
            and math.isfinite(drive.torque_constant)
            and math.isfinite(drive.voltage_max)
            else (math.inf, 1.0, 0.0)
            for drive in robot.drives
        ]
        volt, per_volt, emf = np.array(numbers).T
        free = np.full(robot.n, math.inf)
        return cls(
            robot, drives, margin, limits.velocity, limits.acceleration if accelerations else free,
            volt, per_volt, emf, tool_speed,
        )  # fmt: skip

    def raised(self, name: str, part: float) -> Bounds:
        """The bounds with the limit of this name raised to so many times itself."""
        what, _, rest = name.partition(" ")
        if what == "tool":
            return replace(self, tool_speed=self.tool_speed * part)
        i = int(rest.split()[0]) - 1
        quantity = rest.split(" ", 1)[1]
        factor = np.ones(self.robot.n)
        factor[i] = part
        d = self.drives
        if quantity == "torque":
            curves = tuple(
                tuple((w, t * f) for w, t in curve) if curve else curve
                for curve, f in zip(d.curves, factor.tolist(), strict=True)
            )
            return replace(
                self, drives=replace(d, torque_max=d.torque_max * factor, curves=curves)
            )
        if quantity == "voltage":
            return replace(self, volt=self.volt * factor)
        if what == "motor":
            return replace(self, drives=replace(d, speed_max=d.speed_max * factor))
        if quantity == "speed":
            return replace(self, velocity=self.velocity * factor)
        return replace(self, acceleration=self.acceleration * factor)

    def torque_limit(self, rate: Array) -> Array:
        """The torque limit of the motors (..., n) at rotor speeds, without the margin."""
        return self.drives.limit(rate)


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """N cells of a piece; arrays of nodes are (N + 1, n), of cells (N, n).

    `loads_left` and `loads_right` are a, b, c of `coefficients` at both ends of each cell, `turn`
    (N + 1, n) and `bend` the derivatives of the rotors by s, `direction` (N, n) in which the path
    turns each rotor, 0 for one at rest; `cap` (N + 1,) is the largest s'^2 that speeds allow and
    `capped` (N + 1,) which of `speed_names` says so.
    """

    bounds: Bounds
    s: Array
    q: Array
    first: Array
    second: Array
    loads_left: tuple[Array, Array, Array]
    loads_right: tuple[Array, Array, Array]
    turn: Array
    bend: Array
    direction: Array
    cap: Array
    capped: Array

    @property
    def length(self) -> Array:
        """The length of each cell, (N,)."""
        return np.diff(self.s)


def cells_of(bounds: Bounds, piece: Piece, s: Array, loads: PathLoads) -> Cells:
    """The cells of a piece between places `s`; `loads` are those of its points."""
    q, first, second = piece.at(s)
    K = bounds.drives.K
    turn, bend = first @ K.T, second @ K.T
    robot = bounds.robot
    if loads.changing:
        own = piece.point_after((s[:-1] + s[1:]) / 2)
        here = loads.at(own)
        left = rotor_loads(robot, q[:-1], first[:-1], second[:-1], here)
        right = rotor_loads(robot, q[1:], first[1:], second[1:], here)
    else:
        at_nodes = rotor_loads(robot, q, first, second, loads)
        a, b, c = at_nodes
        left, right = (a[:-1], b[:-1], c[:-1]), (a[1:], b[1:], c[1:])
    moved = np.diff(q, axis=0) @ K.T / np.diff(s)[:, None]
    direction = np.where(np.abs(moved) > STANDS, np.sign(moved), 0.0)
    cap, capped = _speed_cap(bounds, piece, s, q, first)
    return Cells(
        bounds, s, q, first, second, left, right, turn, bend, direction, cap, capped
    )


def speed_names(bounds: Bounds) -> list[str]:
    """The names of the limits of speed, in the order of `Cells.capped`."""
    n = bounds.robot.n
    return [f"joint {i + 1} speed" for i in range(n)] + [
        f"motor {i + 1} speed" for i in range(n)
    ] + ["tool speed"]


def _speed_cap(bounds: Bounds, piece: Piece, s: Array, q: Array, first: Array) -> tuple[Array, Array]:
    """The largest s'^2 at each node that joints, rotors and tool allow, and which of them says so.

    Between two nodes s'^2 goes evenly, so that it is lower at both where it is too high between.
    """
    caps = _squares(bounds, q, first)
    cap = caps.min(axis=1) * (1 - SHY)
    middle = (s[:-1] + s[1:]) / 2
    between = _squares(bounds, piece.curve(middle), piece.curve(middle, 1)).min(axis=1) * (1 - SHY)
    with np.errstate(invalid="ignore"):
        over = np.nan_to_num((cap[:-1] + cap[1:]) / (2 * between), nan=1.0, posinf=1.0).clip(1.0, 4.0)
    lower = np.maximum(np.append(over, 1.0), np.append(1.0, over))
    return cap / lower, caps.argmin(axis=1)


def _squares(bounds: Bounds, q: Array, first: Array) -> Array:
    """The s'^2 (N, 2 n + 1) at which joints, rotors and tool reach their speeds."""
    with np.errstate(divide="ignore"):
        caps = [bounds.velocity / np.abs(first), bounds.drives.speed_max / np.abs(first @ bounds.drives.K.T)]
        if math.isfinite(bounds.tool_speed):
            moved = np.einsum("kij,kj->ki", jacobian(bounds.robot, q)[:, :3], first)
            caps.append(bounds.tool_speed / np.linalg.norm(moved, axis=1)[:, None])
    return np.asarray(np.hstack(caps) ** 2)
