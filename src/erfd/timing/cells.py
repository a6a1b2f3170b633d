"""A piece of a path cut into cells, with all limits of every cell as lines over s'' and s'^2."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ..drives.drives import Drives
from ..ground.arrays import Array
from ..mechanics.kinematics import jacobian
from ..planning.trajectory import Trajectory
from ..robot.limits import JointLimits
from ..robot.model import Robot
from .coefficients import PathLoads, rotor_loads
from .joint_path import Piece
from .limit_lines import NODE
from .span import BIG

SHY = 1e-9
"""Limits are kept to but for this part of them, so that rounding does not break them."""
STANDS = 1e-9
"""A rotor that turns by less than this (rad) per length of path (rad, m) rests."""


PROGRAMMED = "programmed speed"
"""The name of the limit that is the motion given."""


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """What bounds a motion along a path: limits of motors, joints and tool.

    `gain` (n,) are parts of the torque limits that count (1 less the margin); `volt` and `emf` (n,)
    the torque that the voltage gives at rest, N m, infinite where it is not known, and what it
    loses with the rotor's speed, N m s/rad; `acceleration` (n,) is None unless those count.
    """

    robot: Robot
    drives: Drives
    gain: Array
    velocity: Array
    acceleration: Array | None
    volt: Array
    emf: Array
    tool_speed: float

    @classmethod
    def of(cls, robot: Robot, *, margin: float, accelerations: bool, tool_speed: float) -> Bounds:
        """The bounds of a robot."""
        drives, limits = robot.once(Bounds, lambda: (Drives.of(robot), JointLimits.of(robot)))
        volt, emf = np.full(robot.n, math.inf), np.zeros(robot.n)
        for i, drive in enumerate(robot.drives):
            known = (drive.resistance, drive.torque_constant, drive.voltage_max)
            if all(math.isfinite(value) for value in known):
                per_volt = drive.torque_constant / drive.resistance
                volt[i], emf[i] = drive.voltage_max * per_volt, drive.torque_constant * per_volt
        gain = np.full(robot.n, 1 - margin)
        acceleration = limits.acceleration if accelerations else None
        return cls(
            robot, drives, gain, limits.velocity, acceleration, volt * (1 - margin), emf, tool_speed
        )

    def raised(self, name: str, part: float) -> Bounds:
        """The bounds with the limit of this name (`binding`) raised to so many times itself."""
        what, number, quantity = f"{name} ".split(" ", 2)
        if what == "tool":
            return replace(self, tool_speed=self.tool_speed * part)
        factor = np.ones(self.robot.n)
        factor[int(number) - 1] = part
        match what, quantity.strip():
            case "motor", "torque":
                return replace(self, gain=self.gain * factor)
            case "motor", "voltage":
                return replace(self, volt=self.volt * factor)
            case "motor", _:
                drives = replace(self.drives, speed_max=self.drives.speed_max * factor)
                return replace(self, drives=drives)
            case _, "speed":
                return replace(self, velocity=self.velocity * factor)
        assert self.acceleration is not None, name
        return replace(self, acceleration=self.acceleration * factor)

    def torque_limit(self, rate: Array) -> Array:
        """The torque that motors (..., n) may give at rotor speeds, less the margin, N m."""
        return self.gain * self.drives.limit(rate)

    def vectors(self) -> dict[str, Array]:
        """The vectors of `limit_lines.ROBOT`."""
        d = self.drives
        free = np.full(self.robot.n, BIG)
        shy = 1 - SHY
        acceleration = free if self.acceleration is None else self.acceleration
        return {
            "load_friction": d.load_friction, "coulomb": d.coulomb, "viscous": d.viscous,
            "inertia": d.inertia, "kept": self.gain * shy,
            "volt": np.minimum(self.volt * shy, BIG), "emf": self.emf,
            "acceleration": np.minimum(acceleration * shy, BIG),
        }  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """N cells of a piece of a path.

    `s` (N + 1,) and `q` (N + 1, n) are the nodes. `left` and `right` (N, 8 n) are the vectors of
    `limit_lines.NODE` at both ends of each cell, `direction` (N, n) in which the path turns each
    rotor, 0 for one at rest; `cap` (N + 1,) is the largest s'^2 that speeds allow, and `capped`
    (N + 1,) which of `speed_names` says so.
    """

    bounds: Bounds
    s: Array
    q: Array
    left: Array
    right: Array
    direction: Array
    cap: Array
    capped: Array

    @property
    def length(self) -> Array:
        """The length of each cell, (N,)."""
        return np.diff(self.s)

    @property
    def n(self) -> int:
        """The number of joints."""
        return self.bounds.robot.n

    def start(self, name: str) -> Array:
        """A vector of `NODE` at the start of every cell, (N, n)."""
        k = NODE.index(name)
        return self.left[:, k * self.n : (k + 1) * self.n]

    def end(self, name: str) -> Array:
        """A vector of `NODE` at the end of every cell, (N, n)."""
        k = NODE.index(name)
        return self.right[:, k * self.n : (k + 1) * self.n]


def cells_of(bounds: Bounds, piece: Piece, s: Array, loads: PathLoads) -> Cells:
    """The cells of a piece between places `s`; `loads` are those of its points."""
    q, first, second = piece.at(s)
    K, robot = bounds.drives.K, bounds.robot
    turn = first @ K.T
    damping = np.array([joint.damping for joint in robot.joints])
    others = [turn, second @ K.T, (first * damping) @ bounds.drives.K_inverse, first, second]
    if loads.changing:
        here = loads.at(piece.point_after((s[:-1] + s[1:]) / 2))
        left, right = (
            np.hstack(
                [*rotor_loads(robot, q[e], first[e], second[e], here), *(x[e] for x in others)]
            )
            for e in (slice(None, -1), slice(1, None))
        )
    else:
        nodes = np.hstack([*rotor_loads(robot, q, first, second, loads), *others])
        left, right = nodes[:-1], nodes[1:]
    moved = np.diff(q, axis=0) @ K.T / np.diff(s)[:, None]
    direction = np.where(np.abs(moved) > STANDS, np.sign(moved), 0.0)
    return Cells(bounds, s, q, left, right, direction, *_speed_cap(bounds, piece, s, q, first))


def slowed(cells: Cells, piece: Piece, given: Trajectory) -> Cells:
    """The cells of a piece whose speeds are those of a motion at most."""
    steps = np.linalg.norm(np.diff(given.q, axis=0), axis=1) / given.dt
    speed = np.zeros(len(given.q))
    speed[1:-1] = (steps[:-1] + steps[1:]) / 2
    programmed = np.interp(cells.s, piece.knots, speed[piece.points] ** 2)
    slower = programmed < cells.cap
    capped = np.where(slower, speed_names(cells.bounds).index(PROGRAMMED), cells.capped)
    return replace(cells, cap=np.minimum(cells.cap, programmed), capped=capped)


def speed_names(bounds: Bounds) -> list[str]:
    """The names of the limits of speed, in the order of `Cells.capped`."""
    n = bounds.robot.n
    return (
        [f"joint {i + 1} speed" for i in range(n)]
        + [f"motor {i + 1} speed" for i in range(n)]
        + ["tool speed", PROGRAMMED]
    )


def _speed_cap(
    bounds: Bounds, piece: Piece, s: Array, q: Array, first: Array
) -> tuple[Array, Array]:
    """The largest s'^2 at each node that joints, rotors and tool allow, and which of them says so.

    Between two nodes s'^2 goes evenly, so that it is lower at both where it is too high between.
    """
    parts = _parts_of_limits(bounds, q, first)
    middle = (s[:-1] + s[1:]) / 2
    q_middle = piece.curve(middle) if math.isfinite(bounds.tool_speed) else q
    between = _parts_of_limits(bounds, q_middle, piece.curve(middle, 1)).max(axis=1) ** 2
    capped = parts.argmax(axis=1)
    per_cap = parts[np.arange(len(s)), capped] ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        cap = (1 - SHY) / per_cap
        over = (cap[:-1] + cap[1:]) * between / (2 * (1 - SHY))
    if not over.max() < math.inf:
        over = np.nan_to_num(over, nan=1.0, posinf=1.0)
    over = over.clip(1.0, 4.0)
    lower = np.ones(len(s))
    lower[:-1] = over
    lower[1:] = np.maximum(lower[1:], over)
    return cap / lower, capped


def _parts_of_limits(bounds: Bounds, q: Array, first: Array) -> Array:
    """How much of their speeds joints, rotors and tool use at s' = 1, (N, 2 n + 1)."""
    d = bounds.drives
    rates = np.vstack([np.diag(1 / bounds.velocity), d.K / d.speed_max[:, None]])
    parts = np.abs(first @ rates.T)
    if not math.isfinite(bounds.tool_speed):
        return np.asarray(parts)
    moved = np.einsum("kij,kj->ki", jacobian(bounds.robot, q)[:, :3], first)
    return np.column_stack([parts, np.linalg.norm(moved, axis=1) / bounds.tool_speed])
