"""From the times of a file to a fixed step, with how large the change was.

- Samples of a motion: times that are a fixed step within their own digits are that step, and no
  position changes. Else a cubic spline through all samples (twice continuously differentiable, not
  a knot at its second and last but one) is read at the mean step.
- Points of a command (JointTrajectory) are joined as ROS 2's joint_trajectory_controller does it:
  straight lines through positions alone, cubics with velocities, quintics with accelerations too.

Velocities are differences of the positions then, those of the file say how the motion begins.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...errors import InputError
from ...ground.arrays import Array
from .columns import JointColumns

MOST_ROWS = 20_000_000
"""Numbers in the positions of a resampled motion: 9 hours of six joints at 10 ms."""
FIXED = 1e-6
"""How far a step may be from the mean one, as a part of it: what `Trajectory` takes."""
GAP = 3.0
"""Steps of the median from which on a step is called a gap."""


@dataclass(frozen=True, slots=True, eq=False)
class MotionSamples:
    """Times (N,) in s with a fixed step, positions (N, n), and what was changed for them.

    `time_change` in s is the largest distance of a time of the file from the fixed step;
    `position_change` in rad (m) that of a position of the file from the straight line between the
    new ones.
    """

    t: Array
    q: Array
    time_change: float
    position_change: float
    notes: tuple[str, ...]


def at_fixed_step(
    name: str, motion: JointColumns, dt: float | None, setpoints: bool
) -> MotionSamples:
    """The motion at a fixed step: `dt` in s, or what the times of the file are nearest to."""
    t, q = motion.t, motion.q
    steps = np.diff(t)
    count = _count(name, steps)
    mean = float(t[-1] - t[0]) / count
    grid = t[0] + (t[-1] - t[0]) * np.arange(count + 1) / count
    if dt is None or abs(dt - mean) <= FIXED * mean:
        even = float(t[-1] - t[0]) / len(steps)
        if np.abs(steps - even).max() <= FIXED * even:
            return MotionSamples(t, q, 0.0, 0.0, ())
        if len(grid) == len(t):
            away = float(np.abs(t - grid).max())
            if away <= min(_rounding(t, motion.time_rounding), mean / 10):
                said = f"times are rounded: a fixed step of {mean:.9g} s within {away:.1g} s"
                return MotionSamples(grid, q, away, 0.0, (said,))
        dt = mean
    curve, method = _command(motion) if setpoints else (_spline(t, q), "a cubic spline")
    wanted = float(t[-1] - t[0]) / dt
    if not wanted * q.shape[1] <= MOST_ROWS:
        raise InputError(
            f"{name}: expected at most {MOST_ROWS:,} positions, found more: dt = {dt:g} s"
        )
    count = max(1, int(np.ceil(wanted - 1e-6)))
    times = t[0] + dt * np.arange(count + 1)
    new = curve(np.minimum(times, t[-1]))
    moved = max(
        float(np.abs(np.interp(t, times, new[:, j]) - q[:, j]).max()) for j in range(q.shape[1])
    )
    nearest = t[0] + dt * np.round((t - t[0]) / dt)
    away = float(np.abs(t - nearest).max())
    return MotionSamples(
        times, new, away, moved, _notes(t, dt, steps, method, away, moved, setpoints)
    )


def _notes(
    t: Array, dt: float, steps: Array, method: str, away: float, moved: float, setpoints: bool
) -> tuple[str, ...]:
    """What was done, and how large the change was."""
    rate = f"resampled every {dt:.6g} s through {method}"
    change = f"times were up to {away:.3g} s off that step, positions change by up to {moved:.3g}"
    notes = [f"{rate}: {change}"]
    gaps = np.flatnonzero(steps > GAP * np.median(steps))
    if len(gaps) and not setpoints:
        worst = int(steps.argmax())
        where = f"the longest of {steps[worst]:.3g} s after t = {t[worst]:g} s"
        one = len(gaps) == 1
        notes.append(
            f"{len(gaps)} gap{'' if one else 's'}, {where}: what happened there is guessed"
        )
    return tuple(notes)


def _count(name: str, steps: Array) -> int:
    """How many steps of a fixed length take the place of these: as many, but more in gaps."""
    usual = steps[steps <= GAP * np.median(steps)]
    if len(usual) == len(steps):
        return len(steps)
    count = float(steps.sum() / usual.mean())
    if not count <= MOST_ROWS:
        span = f"{steps.sum():.3g} s in steps of {usual.mean():.3g} s"
        raise InputError(f"{name}: expected at most {MOST_ROWS:,} steps, found {span}")
    return max(1, round(count))


def _rounding(t: Array, least: float) -> float:
    """One of the last decimal that the times have, in s, but at least `least`.

    A fixed step between rounded ends is half of it off the true one, a rounded time another half.
    """
    limit = max(float(np.spacing(np.abs(t)).max()) * 2, least)
    for digits in range(9):
        scaled = t * 10.0**digits
        if np.abs(scaled - np.round(scaled)).max() <= limit * 10.0**digits:
            return 10.0**-digits * (1 + 1e-6) + limit
    return limit


def _spline(t: Array, q: Array) -> Callable[[Array], Array]:
    """The cubic spline through all samples; a straight line through two."""
    from scipy.interpolate import CubicSpline

    curve: Callable[[Array], Array] = CubicSpline(t, q, axis=0)
    return curve


def _command(motion: JointColumns) -> tuple[Callable[[Array], Array], str]:
    """The curve between the points of a command, and its name."""
    from scipy.interpolate import BPoly, make_interp_spline

    t, q, qd, qdd = motion.t, motion.q, motion.qd, motion.qdd
    if qd is None:
        line: Callable[[Array], Array] = make_interp_spline(t, q, k=1, axis=0)
        return line, "straight lines between the points of the command"
    known = [q, qd] if qdd is None else [q, qd, qdd]
    curve: Callable[[Array], Array] = BPoly.from_derivatives(t, np.stack(known, axis=1))
    kind = "cubics" if qdd is None else "quintics"
    return curve, f"{kind} between the points of the command"


def starting_velocity(q: Array, dt: float) -> Array:
    """The velocity (n,) with which a motion begins that does not say it, in rad/s (m/s).

    What the first two differences v1 and v2 continue backwards, 2 v1 - v2. A joint is taken to
    begin at rest if that is below a fifth of v1, or against it: less than a quarter of what
    one cycle of its acceleration changes.
    """
    if len(q) < 3:
        return np.zeros(q.shape[1])
    first, second = (q[1] - q[0]) / dt, (q[2] - q[1]) / dt
    start = 2 * first - second
    moving = (start * np.sign(first) >= 0.2 * np.abs(first)) & (np.abs(first) > 1e-9)
    return np.where(moving, np.clip(start, -2 * np.abs(first), 2 * np.abs(first)), 0.0)
