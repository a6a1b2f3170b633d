"""Point-to-point moves: all axes start and stop together, straight in joint space, in limits."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..ground.arrays import Array
from ..robot.limits import JointLimits
from ..robot.model import Robot
from .profile import TimeLaw, fastest_law, jerk_limited

SPEED = 1.0
"""rad/s or m/s of an axis without any limit of speed."""
RAMP = 0.5
"""s to full speed of axes without a limit of acceleration, if their motors do not say it."""


@dataclass(frozen=True, slots=True, eq=False)
class Axes:
    """The limits of a robot's axes: joints, and speeds (n,) of rotors q_a = K q (erratum 18)."""

    joints: JointLimits
    K: Array
    rotor: Array

    @classmethod
    def of(cls, robot: Robot) -> Axes:
        """The limits of a robot's axes, computed once."""

        def gather() -> Axes:
            speeds = [drive.speed_max for drive in robot.drives] or [math.inf] * robot.n
            return cls(JointLimits.of(robot), np.array(robot.gear_matrix), np.array(speeds))

        return robot.once(cls, gather)


@dataclass(frozen=True, slots=True)
class Pace:
    """The limits of a point-to-point move as a whole, in parts of the move per s, s2, s3.

    `limit` names the axis or motor that sets the speed ("": none), `fastest` is what the axis that
    moves most gets of it in rad/s (m/s). `no_speed_limit`, `no_acc_limit`: no axis that moves has
    one, so that `SPEED` takes its place, and what the motors have left (`by_motors`) or `RAMP`.
    """

    speed: float
    acc: float
    jerk: float
    limit: str
    fastest: float
    no_speed_limit: bool
    no_acc_limit: bool
    by_motors: bool = False

    def assumptions(self, revolute: bool) -> list[str]:
        """What is taken for limits that are missing; `revolute`: the axis that moves most turns."""
        found = []
        if self.no_speed_limit:
            fast = f"{self.fastest:g} {'rad/s' if revolute else 'm/s'}"
            found.append(f"no axis that moves has a speed limit: the fastest goes at {fast}")
        if self.no_acc_limit:
            ramp = f"{self.speed / self.acc:.3g} s"
            why = ", half of what the motors can" if self.by_motors else ""
            found.append(
                f"no axis that moves has an acceleration limit: full speed takes {ramp}{why}"
            )
        return found


def pace(
    axes: Axes,
    travel: Array,
    speed_ptp: float,
    acc_ptp: float,
    motors: Callable[[float], float | None] = lambda top: None,
) -> Pace:
    """How fast the axes can travel together by `travel` (n,) in rad (m), which is not zero.

    `motors` is asked where no axis that moves has a limit of acceleration: for the acceleration of
    the move at a speed, both in parts of it.
    """
    size = np.abs(travel)
    joint = _parts(axes.joints.velocity, size)
    rotor = _parts(axes.rotor, np.abs(axes.K @ travel))
    slowest, what = (joint, "axis") if joint.min() <= rotor.min() else (rotor, "motor")
    top, limit = float(slowest.min()), f"{what} {int(slowest.argmin()) + 1} speed"
    no_speed_limit = math.isinf(top)
    if no_speed_limit:
        limit = ""
        top = SPEED / float(size.max())
    acceleration = _parts(axes.joints.acceleration, size)
    hardest = float(acceleration.min())
    no_acc_limit = math.isinf(hardest)
    by_motors = False
    if no_acc_limit:
        driven = motors(top)
        by_motors = driven is not None
        hardest = top / RAMP if driven is None else driven
    speed, acc = speed_ptp * top, acc_ptp * hardest
    jerk = float(_parts(axes.joints.jerk, size).min())
    if not no_acc_limit and speed * speed > acc:  # the ramps meet before it is reached
        limit = f"axis {int(acceleration.argmin()) + 1} acceleration"
    fastest = speed * float(size.max())
    return Pace(speed, acc, jerk, limit, fastest, no_speed_limit, no_acc_limit, by_motors)


def _parts(limits: Array, sizes: Array) -> Array:
    """limits / sizes, infinite where nothing moves, or hardly anything."""
    parts = np.full(len(sizes), math.inf)
    with np.errstate(over="ignore"):
        np.divide(limits, sizes, out=parts, where=sizes > 0)
    return parts


def time_law(pace: Pace, ease_in: float = 1.0, ease_out: float = 1.0) -> TimeLaw:
    """The time law of a move from 0 to 1; `ease_in`, `ease_out` make its ramps gentler."""
    acc, brake = pace.acc / ease_in, pace.acc / ease_out
    if math.isinf(pace.jerk):
        return fastest_law([1.0], [pace.speed], [acc], [brake])
    return jerk_limited(1.0, pace.speed, acc, brake, pace.jerk / max(ease_in, ease_out))


def ease(axes: Axes, travels: tuple[Array, Array], paces: tuple[Pace, Pace], share: float) -> float:
    """By what factor two overlapping ramps must be gentler to stay within the limits together.

    `travels` (n,) are what two moves move the axes by, `share` the part of the accelerations that
    they may use. The first move brakes while the second one speeds up, so that the turns of an axis
    that goes back add up. Jerks may come together in any direction.
    """
    braking, rising = (pace.acc * travel for travel, pace in zip(travels, paces, strict=True))
    needed = float((np.abs(rising - braking) / (share * axes.joints.acceleration)).max())
    jerks = np.zeros(len(axes.joints.jerk))
    for travel, pace in zip(travels, paces, strict=True):
        if math.isfinite(pace.jerk):
            jerks += pace.jerk * np.abs(travel)
    return max(needed, float((jerks / axes.joints.jerk).max()), 1.0)


def overlap(axes: Axes, travels: tuple[Array, Array], laws: tuple[TimeLaw, TimeLaw]) -> float:
    """For how long (s) the last ramp of one move and the first of the next may overlap.

    As long as the shorter one; with jerk limits less, where both together would be too fast.
    Between even ramps the speed changes evenly from one allowed speed to another, which is allowed.
    """
    shared = min(laws[0].fall, laws[1].rise)
    if not any(law.j.any() for law in laws):
        return shared
    for _ in range(40):
        if _peak(axes, travels, laws, shared) <= 1 + 1e-12:
            return shared
        shared *= 0.8
    return 0.0


def _peak(
    axes: Axes, travels: tuple[Array, Array], laws: tuple[TimeLaw, TimeLaw], shared: float
) -> float:
    """The largest speed of an axis or rotor while both moves run, as a part of its limit."""
    before, after = laws
    begin = before.duration - shared
    cuts = np.concatenate([before.t - begin, after.t, [0.0, shared]])
    cuts = np.unique(np.clip(cuts, 0.0, shared))
    if len(cuts) < 2:
        return 0.0
    rows = np.vstack([np.eye(len(travels[0])), axes.K])
    limits = np.concatenate([axes.joints.velocity, axes.rotor])

    def rates(t: Array) -> Array:
        first, second = before.rate(begin + t), after.rate(t)
        together = np.outer(first, travels[0]) + np.outer(second, travels[1])
        return np.asarray(together @ rows.T / limits)

    left, right, mid = rates(cuts[:-1]), rates(cuts[1:]), rates((cuts[:-1] + cuts[1:]) / 2)
    # each is a parabola over its piece: 2 c x^2 + b x + mid, x from -1/2 to 1/2
    b, c = right - left, left + right - 2 * mid
    x = np.divide(-b, 4 * c, out=np.zeros_like(b), where=np.abs(4 * c) > np.abs(2 * b))
    top = mid + x * (b + 2 * c * x)
    return float(np.abs(np.concatenate([left, right, mid, top])).max())
