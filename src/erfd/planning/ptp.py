"""Point to point: all axes start and stop together, straight in joint space, within limits."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..robot.model import Robot
from .profile import Law, along, jerk_limited

Array = NDArray[np.float64]

SPEED = 1.0
"""rad/s or m/s of an axis without any limit of speed."""
RAMP = 0.5
"""s to full speed of an axis without a limit of acceleration."""


@dataclass(frozen=True, slots=True, eq=False)
class Axes:
    """The limits of a robot's axes, (n,) each: joints, and rotors q_a = K q (erratum 18)."""

    velocity: Array
    acceleration: Array
    jerk: Array
    K: Array
    rotor: Array
    low: Array
    high: Array

    @classmethod
    def of(cls, robot: Robot) -> Axes:
        """The limits, kept with the robot."""
        if "axes" not in robot.memo:
            robot.memo["axes"] = cls._of(robot)
        found: Axes = robot.memo["axes"]
        return found

    @classmethod
    def _of(cls, robot: Robot) -> Axes:
        joints = robot.joints
        return cls(
            velocity=np.array([j.velocity_max for j in joints]),
            acceleration=np.array([j.acceleration_max for j in joints]),
            jerk=np.array([j.jerk_max for j in joints]),
            K=np.array(robot.gear_matrix),
            rotor=np.array([d.speed_max for d in robot.drives] or [math.inf] * robot.n),
            low=np.array([j.position_min for j in joints]),
            high=np.array([j.position_max for j in joints]),
        )


@dataclass(frozen=True, slots=True)
class Pace:
    """Limits of a move as a whole, in parts of the move per s, s2, s3; what the speed keeps to."""

    speed: float
    acc: float
    jerk: float
    limit: str
    missing: bool


def pace(axes: Axes, way: Array, speed_ptp: float, acc_ptp: float) -> Pace:
    """How fast the axes can go `way` (n,) together; `missing`: an axis without limits moves."""
    size = np.abs(way)
    moving = size > 0
    joint = _parts(axes.velocity, size)
    rotor = _parts(axes.rotor, np.abs(axes.K @ way))
    top = min(float(joint.min()), float(rotor.min()))
    limit = (
        f"axis {int(joint.argmin()) + 1} speed"
        if joint.min() <= rotor.min()
        else f"motor {int(rotor.argmin()) + 1} speed"
    )
    bare = math.isinf(top)
    if bare:
        top = SPEED / float(size.max())
    speed = speed_ptp * top
    acceleration = _parts(axes.acceleration, size)
    harsh = float(acceleration.min())
    unlimited = math.isinf(harsh)
    if unlimited:
        harsh = top / RAMP
    acc = acc_ptp * harsh
    jerk = float(_parts(axes.jerk, size).min())
    if not unlimited and speed * speed > acc:  # the ramps meet before the speed is reached
        limit = f"axis {int(acceleration.argmin()) + 1} acceleration"
    return Pace(speed, acc, jerk, limit, bool((bare or unlimited) and moving.any()))


def _parts(limits: Array, sizes: Array) -> Array:
    """limits / sizes, infinite where nothing moves, or hardly anything."""
    parts = np.full(len(sizes), math.inf)
    with np.errstate(over="ignore"):
        np.divide(limits, sizes, out=parts, where=sizes > 0)
    return parts


def time_law(pace: Pace, ease_in: float = 1.0, ease_out: float = 1.0) -> Law:
    """The law of a move from 0 to 1; its ramps are gentler by the factors `ease_in`, `ease_out`."""
    acc, brake = pace.acc / ease_in, pace.acc / ease_out
    if math.isinf(pace.jerk):
        return along([1.0], [pace.speed], [acc], [brake])
    return jerk_limited(1.0, pace.speed, acc, brake, pace.jerk / max(ease_in, ease_out))


def ease(axes: Axes, ways: tuple[Array, Array], paces: tuple[Pace, Pace], share: float) -> float:
    """By what factor two overlapping ramps must be gentler to stay within the limits together.

    `ways` (n,) are what two moves move the axes by, `share` the part of the accelerations that they
    may use. The first move brakes while the second one speeds up, so that the turns of an axis that
    goes back add up. Jerks may come together in any direction.
    """
    braking, rising = (pace.acc * way for way, pace in zip(ways, paces, strict=True))
    needed = float((np.abs(rising - braking) / (share * axes.acceleration)).max())
    jerks = np.zeros(len(axes.jerk))
    for way, pace in zip(ways, paces, strict=True):
        if math.isfinite(pace.jerk):
            jerks += pace.jerk * np.abs(way)
    return max(needed, float((jerks / axes.jerk).max()), 1.0)


def overlap(axes: Axes, before: Law, way: Array, after: Law, next_way: Array) -> float:
    """For how long (s) the last ramp of one move and the first of the next may overlap.

    As long as the shorter one; with jerk limits less, where both together would be too fast.
    Between even ramps the speed changes evenly from one allowed speed to another, which is allowed.
    """
    shared = min(before.fall, after.rise)
    if not (before.j.any() or after.j.any()):
        return shared
    for _ in range(40):
        if _peak(axes, before, way, after, next_way, shared) <= 1 + 1e-12:
            return shared
        shared *= 0.8
    return 0.0


def _peak(axes: Axes, before: Law, way: Array, after: Law, next_way: Array, shared: float) -> float:
    """The largest speed of an axis or rotor while both moves run, as a part of its limit."""
    begin = before.duration - shared
    cuts = np.concatenate([before.t - begin, after.t, [0.0, shared]])
    cuts = np.unique(np.clip(cuts, 0.0, shared))
    if len(cuts) < 2:
        return 0.0
    rows = np.vstack([np.eye(len(way)), axes.K])
    limits = np.concatenate([axes.velocity, axes.rotor])

    def rates(t: Array) -> Array:
        first, second = before.rate(begin + t), after.rate(t)
        together = np.outer(first, way) + np.outer(second, next_way)
        return np.asarray(together @ rows.T / limits)

    left, right, mid = rates(cuts[:-1]), rates(cuts[1:]), rates((cuts[:-1] + cuts[1:]) / 2)
    # each is a parabola over its piece: 2 c x^2 + b x + mid, x from -1/2 to 1/2
    b, c = right - left, left + right - 2 * mid
    x = np.divide(-b, 4 * c, out=np.zeros_like(b), where=np.abs(4 * c) > np.abs(2 * b))
    top = mid + x * (b + 2 * c * x)
    return float(np.abs(np.concatenate([left, right, mid, top])).max())
