"""Time laws: the length s of path that is done at time t, from rest to rest, within limits.

s is in m, rad, or parts of a move; its limits are per piece of the path, and no piece is faster,
speeds up or brakes harder than its own limits say.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..ground.arrays import Array
from ..ground.optional import import_optional

Phase = tuple[float, float, float, float, float]
"""A phase of a law: its duration, and s, v, a, j when it begins."""


@dataclass(frozen=True, slots=True, eq=False)
class TimeLaw:
    """A time law s(t) in phases of constant jerk: phase k begins at t[k] at s[k] with speed v[k].

    t and s have one entry more than v, a and j: the end. `rise` and `fall` are the times of the
    first and the last ramp in s. Outside of its time the law stands still.
    """

    t: Array
    s: Array
    v: Array
    a: Array
    j: Array
    rise: float
    fall: float

    @property
    def duration(self) -> float:
        """The time from rest to rest in s."""
        return float(self.t[-1])

    @property
    def length(self) -> float:
        """The whole length of path."""
        return float(self.s[-1])

    def at(self, t: Array) -> Array:
        """The length s at times t (N,) in s, from 0 to `length`."""
        k, x = self._phase(t)
        s = self.s[k] + x * (self.v[k] + x * (self.a[k] / 2 + x * self.j[k] / 6))
        return np.where(t >= self.t[-1], self.s[-1], np.clip(s, 0.0, self.s[-1]))

    def rate(self, t: Array) -> Array:
        """The speed s' at times t (N,) in s."""
        k, x = self._phase(t)
        rate = self.v[k] + x * (self.a[k] + x * self.j[k] / 2)
        return np.where((t <= 0) | (t >= self.t[-1]), 0.0, rate)

    def acceleration(self, t: Array) -> Array:
        """The acceleration s'' at times t (N,) in s."""
        k, x = self._phase(t)
        return np.where((t < 0) | (t > self.t[-1]), 0.0, self.a[k] + x * self.j[k])

    def stretched(self, factor: float) -> TimeLaw:
        """The law in `factor` times the time."""
        v, a, j = (x / factor**k for k, x in enumerate((self.v, self.a, self.j), 1))
        return TimeLaw(factor * self.t, self.s, v, a, j, factor * self.rise, factor * self.fall)

    def _phase(self, t: Array) -> tuple[NDArray[np.intp], Array]:
        """The phase of each time, and the time since it began."""
        k = np.searchsorted(self.t, t, side="right") - 1
        k = np.clip(k, 0, len(self.v) - 1)
        return k, np.clip(t - self.t[k], 0.0, None)

    def time_of(self, s: Array) -> Array:
        """The times in s at lengths s (N,)."""
        k = np.clip(np.searchsorted(self.s, s, side="right") - 1, 0, len(self.v) - 1)
        rest = np.clip(s - self.s[k], 0.0, None)
        root = np.sqrt(np.clip(self.v[k] ** 2 + 2 * self.a[k] * rest, 0.0, None))
        speed = self.v[k] + root
        x = np.divide(2 * rest, speed, out=np.zeros(len(s)), where=speed > 0)
        bent = np.flatnonzero(self.j[k])  # a cubic: by halving
        if len(bent):
            low, high = self.t[k[bent]], self.t[k[bent] + 1]
            for _ in range(60):
                middle = (low + high) / 2
                late = self.at(middle) > s[bent]
                low, high = np.where(late, low, middle), np.where(late, middle, high)
            x[bent] = high - self.t[k[bent]]
        return np.where(s >= self.s[-1], self.t[-1], np.minimum(self.t[k] + x, self.t[k + 1]))

    def peaks(self, cuts: Array) -> Array:
        """The largest speeds (M - 1,) from each of the times cuts (M,) in s to the next."""
        with np.errstate(divide="ignore", invalid="ignore"):
            turning = self.t[:-1] - self.a / self.j  # where the acceleration is zero
        inside = turning[(turning > self.t[:-1]) & (turning < self.t[1:])]
        times = np.sort(np.concatenate([cuts, self.t, inside]))
        rates = np.append(self.rate(times), 0.0)  # a span may end behind the last of them
        spans = np.empty(2 * len(cuts) - 2, dtype=np.intp)
        spans[::2] = np.searchsorted(times, cuts[:-1], side="left")
        spans[1::2] = np.searchsorted(times, cuts[1:], side="right")
        return np.asarray(np.maximum(np.maximum.reduceat(rates, spans)[::2], 0.0))


def law_of(phases: Sequence[Phase], length: float) -> TimeLaw:
    """The time law of phases (duration, s, v, a, j)."""
    real = [phase for phase in phases if phase[0] > 0]
    duration, starts, v, a, j = np.array(real or [(0.0,) * 5]).T
    t = np.concatenate([[0.0], np.cumsum(duration)])
    s = np.append(starts, length if real else 0.0)
    gained = duration * (a + duration * j / 2)
    up, down = gained > 0, gained < 0
    rise = float(t[len(t) - 1 if up.all() else int(up.argmin())])
    fall = float(t[-1] - t[0 if down.all() else len(down) - int(down[::-1].argmin())])
    return TimeLaw(t, s, v, a, j, rise, fall)


def fastest_law(
    lengths: Sequence[float],
    speeds: Sequence[float],
    accs: Sequence[float],
    brakes: Sequence[float] | None = None,
) -> TimeLaw:
    """The fastest time law over pieces of path, each with its length and its own limits.

    Where two pieces meet the lower speed holds, and the faster piece brakes for it (or speeds up
    from it). A piece may be too short for its ramps; its speed is then not reached.
    """
    brakes = accs if brakes is None else brakes
    pieces = [p for p in zip(lengths, speeds, accs, brakes, strict=True) if p[0] > 0]
    count = len(pieces)
    square = [0.0] * (count + 1)  # of the speeds where pieces meet
    for i in range(1, count):
        before, (length, _, acc, _) = square[i - 1], pieces[i - 1]
        limit = min(pieces[i - 1][1], pieces[i][1]) ** 2
        square[i] = min(limit, before + 2 * acc * length)
    for i in range(count - 1, 0, -1):
        length, _, _, brake = pieces[i]
        square[i] = min(square[i], square[i + 1] + 2 * brake * length)
    phases: list[Phase] = []
    here = 0.0
    for i, (length, speed, acc, brake) in enumerate(pieces):
        w0, w1 = square[i], square[i + 1]
        phases += ramps(here, length, (speed, acc, brake), w0, w1)
        here += length
    return law_of(phases, here)


def ramps(
    here: float, length: float, limits: tuple[float, float, float], w0: float, w1: float
) -> list[Phase]:
    """The phases of a piece from `here` on: speed up, go on, brake.

    `limits` are speed, acceleration and braking, w0 and w1 the squares of the speeds at its ends.
    """
    speed, acc, brake = limits
    met = (2 * acc * brake * length + brake * w0 + acc * w1) / (acc + brake)
    peak = max(min(speed * speed, met), w0, w1)
    v0, v1, top = math.sqrt(w0), math.sqrt(w1), math.sqrt(peak)
    if top == 0.0:  # so short that its square of speed is none: it takes no time
        return []
    up, down = (peak - w0) / (2 * acc), (peak - w1) / (2 * brake)
    cruise = max(length - up - down, 0.0)
    return [
        ((top - v0) / acc, here, v0, acc, 0.0),
        (cruise / top, here + up, top, 0.0, 0.0),
        ((top - v1) / brake, here + length - down, top, -brake, 0.0),
    ]


def jerk_limited(length: float, speed: float, acc: float, brake: float, jerk: float) -> TimeLaw:
    """The fastest time law from rest to rest that keeps a jerk limit, too (by Ruckig)."""
    ruckig = import_optional("ruckig", "a jerk limit", "jerk")
    about = max(length / speed, math.sqrt(length / min(acc, brake)), (length / jerk) ** (1 / 3))
    for unit in (1.0, about):  # s; what is too much for numbers in one is not in the other
        request = ruckig.InputParameter(1)
        request.current_position, request.target_position = [0.0], [length]
        request.max_velocity, request.max_acceleration = [speed * unit], [acc * unit**2]
        request.min_acceleration, request.max_jerk = [-brake * unit**2], [jerk * unit**3]
        trajectory = ruckig.Trajectory(1)
        try:
            result = ruckig.Ruckig(1).calculate(request, trajectory)
        except ruckig.RuckigError:
            continue
        if result in (ruckig.Result.Working, ruckig.Result.Finished):
            p = trajectory.profiles[0][0]
            phases = zip(p.t, p.p[:-1], p.v[:-1], p.a[:-1], p.j, strict=True)
            scaled = [(d * unit, s, v / unit, a / unit**2, j / unit**3) for d, s, v, a, j in phases]
            return law_of(scaled, length)
    limits = f"{speed:g}, {acc:g}, {jerk:g}"
    raise InputError(f"jerk limits: expected a way of {length:g} within {limits}, found none")
