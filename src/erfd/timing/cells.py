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
from .reserve import Reserve
from .span import BIG, Lines

SHY = 1e-9
"""Limits are kept to but for this part of them, so that rounding does not break them."""
STANDS = 1e-9
"""A rotor that turns by less than this (rad) per length of path (rad, m) rests."""
TINY = 1e-30


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
    cap, capped = _speed_cap(bounds, q, first, turn)
    return Cells(
        bounds, s, q, first, second, left, right, turn, bend, direction, cap, capped
    )


def speed_names(bounds: Bounds) -> list[str]:
    """The names of the limits of speed, in the order of `Cells.capped`."""
    n = bounds.robot.n
    return [f"joint {i + 1} speed" for i in range(n)] + [
        f"motor {i + 1} speed" for i in range(n)
    ] + ["tool speed"]


def _speed_cap(bounds: Bounds, q: Array, first: Array, turn: Array) -> tuple[Array, Array]:
    """The largest s'^2 at each node that joints, rotors and tool allow, and which of them says so."""
    with np.errstate(divide="ignore"):
        caps = [bounds.velocity / np.abs(first), bounds.drives.speed_max / np.abs(turn)]
        if math.isfinite(bounds.tool_speed):
            moved = np.einsum("kij,kj->ki", jacobian(bounds.robot, q)[:, :3], first)
            caps.append(bounds.tool_speed / np.linalg.norm(moved, axis=1)[:, None])
    speeds = np.hstack(caps)
    least = speeds.argmin(axis=1)
    return (speeds.min(axis=1) * (1 - SHY)) ** 2, least


def lines_of(cells: Cells, reserve: Reserve) -> tuple[Lines, list[int]]:
    """The limits of all cells, fields (N, R), and the rows that may have holes.

    R is 2 n, motors at the left and at the right end of a cell, and 2 n more if accelerations of
    joints count. `reserve` is taken off the limits.
    """
    bounds = cells.bounds
    d, n = bounds.drives, bounds.robot.n
    mu, inertia, viscous = d.load_friction, d.inertia, d.viscous
    sign = np.where(cells.direction < 0, -1.0, 1.0)
    rests = cells.direction == 0
    step = 2 * cells.length[:, None]
    damping = np.array([joint.damping for joint in bounds.robot.joints])
    drag = (cells.first * damping) @ d.K_inverse
    kept = (1 - bounds.margin) * (1 - SHY)
    parts: list[dict[str, Array]] = []
    for (a, b, c), rows, right in (
        (cells.loads_left, slice(None, -1), 0.0),
        (cells.loads_right, slice(1, None), 1.0),
    ):
        r1, r2 = cells.turn[rows], cells.bend[rows]
        slope = a + right * step * b
        rotor = inertia * (r1 + right * step * r2)
        own_x, own_v = inertia * r2, viscous * r1
        part = {}
        for name, gain in (("plus", 1 + mu), ("minus", 1 - mu)):
            part[f"m_{name}"] = _not_zero(sign * (rotor + gain * slope))
            part[f"x_{name}"] = sign * (own_x + gain * b)
            part[f"v_{name}"] = sign * (own_v + gain * drag[rows])
            part[f"c_{name}"] = sign * gain * c
        dry = np.where(rests, -1.0, 1.0) * d.coulomb
        up = np.where(sign > 0, reserve.up, reserve.down)
        down = np.where(sign > 0, reserve.down, reserve.up)
        part["scale"] = np.full_like(r1, kept)
        part["rate"] = np.abs(r1)
        part["top_shift"], part["low_shift"] = up + dry, down - d.coulomb
        part["volt"] = np.broadcast_to(
            np.minimum(bounds.volt * bounds.per_volt * kept, BIG), r1.shape
        )
        part["emf"] = sign * bounds.per_volt * bounds.emf * r1
        part["rests"] = rests.astype(float)
        parts.append(part)
    if np.isfinite(bounds.acceleration).any():
        parts += _acceleration_rows(cells, step, 1 - reserve.part)
    lines = Lines(**{name: np.hstack([part[name] for part in parts]) for name in parts[0]})
    mixed = (lines.m_plus > 0) != (lines.m_minus > 0)
    return lines, np.flatnonzero(mixed.any(axis=0)).tolist()


def _acceleration_rows(cells: Cells, step: Array, kept: Array) -> list[dict[str, Array]]:
    """The rows of the joints' accelerations, q' s'' + q'' s'^2, at both ends of each cell."""
    most = np.minimum(cells.bounds.acceleration * kept, BIG)
    parts = []
    for rows, right in ((slice(None, -1), 0.0), (slice(1, None), 1.0)):
        q1, q2 = cells.first[rows], cells.second[rows]
        nothing = np.zeros_like(q1)
        slope = _not_zero(q1 + right * step * q2)
        parts.append(
            {
                "m_plus": slope, "m_minus": slope, "x_plus": q2, "x_minus": q2,
                "v_plus": nothing, "v_minus": nothing, "c_plus": nothing, "c_minus": nothing,
                "scale": nothing, "rate": nothing,
                "top_shift": nothing - most, "low_shift": nothing - most,
                "volt": nothing + BIG, "emf": nothing, "rests": nothing,
            }
        )  # fmt: skip
    return parts


def _not_zero(slope: Array) -> Array:
    """The slopes, none of them zero: a line without slope meets its limit far away or nowhere."""
    return np.where(np.abs(slope) < TINY, TINY, slope)


def moving(cells: Cells) -> Mask:
    """Which rotors the path turns in each cell, (N, n)."""
    return cells.direction != 0
