"""One step of a fixed-step method, and the moment in it when a rotor or a joint stops.

`rk3` is the report's third-order Runge-Kutta (003, with erratum 12), `rk4` the classical one,
`semi-implicit` takes the new velocity for the new position. A step is taken in modes that stay as
they are (`stick_slip`); if at its end a rotor has reversed or a joint is beyond its stop, the
moment when that happened is looked for by taking shorter steps, the step ends there, and the rest
follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..dynamics.vectors import Scalar, dot, plus, times
from .plant import ScalarPlant
from .scalars import Ops, indicator, least, magnitude
from .stick_slip import Modes


@dataclass(frozen=True, slots=True)
class Scheme:
    """An explicit Runge-Kutta method: rows of coefficients of its later stages, and weights."""

    rows: tuple[tuple[float, ...], ...]
    weights: tuple[float, ...]

    @property
    def times(self) -> tuple[float, ...]:
        """The time of each stage as a part of the step."""
        return (0.0, *(sum(row) for row in self.rows))


SCHEMES = {
    "rk3": Scheme(((1 / 2,), (-1.0, 2.0)), (1 / 6, 4 / 6, 1 / 6)),
    "rk4": Scheme(((1 / 2,), (0.0, 1 / 2), (0.0, 0.0, 1.0)), (1 / 6, 2 / 6, 2 / 6, 1 / 6)),
    "semi-implicit": Scheme((), (1.0,)),
}
METHODS = (*SCHEMES, "dop853")
TRIES = 100
"""Shorter steps to find a moment; a third of them halve the span, so that 2^-33 is sure."""
MOMENT_TOLERANCE = 1e-13
"""The moment is found when a velocity (a distance) is this part of what it was in the step."""


def state_after(
    state: Sequence[Scalar], slopes: Sequence[Sequence[Scalar]], row: Sequence[float], h: Scalar
) -> list[Scalar]:
    """The state after h by a weighted sum of slopes, without constraints."""
    return [plus(x, times(h, dot(row, [k[i] for k in slopes]))) for i, x in enumerate(state)]


def constrained_end(
    arm: ScalarPlant,
    method: str,
    modes: Modes,
    *,
    state: Sequence[Scalar],
    end: Sequence[Scalar],
    h: Scalar,
) -> list[Scalar]:
    """The state at the end of a step: by the new velocities if semi-implicit, held joints held."""
    plant, ops, p = arm.plant, arm.ops, arm.p
    n, result = plant.n, list(end)
    if method == "semi-implicit":
        moving = plant.joint_rates(end[n : 2 * n])
        result[:n] = [plus(x, times(h, rate)) for x, rate in zip(state, moving, strict=False)]
    for i in sorted({joint for joint, _ in plant.stop_sides}):
        bound = ops.choose(modes.held[i] > 0, p["high"][i], p["low"][i])
        result[i] = ops.choose(modes.held[i] != 0, bound, result[i])
    return result


def margins(arm: ScalarPlant, state: Sequence[Scalar], modes: Modes) -> list[Scalar]:
    """Numbers that are negative once a rotor has reversed, or a free joint has passed a stop."""
    plant, p = arm.plant, arm.p
    q, w, _ = plant.cut(state)
    values = [modes.slip[i] * w[i] for i in range(plant.n) if plant.can_stick[i]]
    for i, side in plant.stop_sides:
        room = p["high"][i] - q[i] if side > 0 else q[i] - p["low"][i]
        values.append(arm.ops.choose(modes.held[i] != 0, 1.0, room))
    return values


def passed(ops: Ops, values: Sequence[Scalar]) -> Scalar:
    """1 if any margin is negative."""
    return indicator(ops, least(ops, values) < 0)


@dataclass(frozen=True, slots=True)
class Search:
    """The search for the moment between `low` (nothing passed) and `high`; `h` is tried next.

    `g_low`, `g_high` are the smallest margins there, as parts of `scales` (0: not one of those that
    were passed); `done` is 1 at the end.
    """

    h: Scalar
    low: Scalar
    high: Scalar
    g_low: Scalar
    g_high: Scalar
    done: Scalar
    scales: list[Scalar]

    @property
    def values(self) -> list[Scalar]:
        """The search as a list of numbers."""
        head = [self.h, self.low, self.high, self.g_low, self.g_high, self.done]
        return [*head, *self.scales]

    @classmethod
    def of(cls, values: Sequence[Scalar]) -> Search:
        """A search from such a list."""
        h, low, high, g_low, g_high, done = values[:6]
        return cls(h, low, high, g_low, g_high, done, list(values[6:]))


def begin_search(
    ops: Ops, before: Sequence[Scalar], after: Sequence[Scalar], span: Scalar
) -> Search:
    """Begin a search, from the margins at both ends of a step of length `span`."""
    scales = [
        ops.choose(ops.both(b < 0, b < a), magnitude(ops, a) + magnitude(ops, b), 0.0)
        for a, b in zip(before, after, strict=True)
    ]
    low, high = (_smallest(ops, values, scales) for values in (before, after))
    fine = high >= 0
    low = ops.choose(low < 0, 0.0, low)  # rounding: at the beginning nothing had passed
    zero = 0.0 * span
    done = ops.choose(fine, 1.0, 0.0)
    h = ops.choose(fine, span, _guess(ops, (zero, span), (low, high), 0.0))
    return Search(h, zero, span, low, high, done, scales)


def search_on(ops: Ops, search: Search, values: Sequence[Scalar], halve: Scalar) -> Search:
    """Go on after a try of length `h`, from its margins; `halve` (1 or 0): no guess next."""
    g = _smallest(ops, values, search.scales)
    late = g < 0
    low, high = ops.choose(late, search.low, search.h), ops.choose(late, search.h, search.high)
    g_low, g_high = ops.choose(late, search.g_low, g), ops.choose(late, g, search.g_high)
    narrow = high - low <= 1e-15 * search.high
    close = ops.either(magnitude(ops, g) <= MOMENT_TOLERANCE, narrow)
    done = ops.choose(ops.either(search.done > 0.5, close), 1.0, 0.0)
    still = done > 0.5
    h = ops.choose(still, search.h, _guess(ops, (low, high), (g_low, g_high), halve))

    def unless_done(before: Scalar, now: Scalar) -> Scalar:
        return ops.choose(search.done > 0.5, before, now)

    return Search(
        h,
        unless_done(search.low, low),
        unless_done(search.high, high),
        unless_done(search.g_low, g_low),
        unless_done(search.g_high, g_high),
        done,
        search.scales,
    )


def _smallest(ops: Ops, values: Sequence[Scalar], scales: Sequence[Scalar]) -> Scalar:
    """The smallest margin as a part of its scale, of those with a scale."""
    parts = [
        ops.choose(s > 0, v / ops.choose(s > 0, s, 1.0), 1.0)
        for v, s in zip(values, scales, strict=True)
    ]
    return least(ops, parts)


def _guess(
    ops: Ops, ends: tuple[Scalar, Scalar], values: tuple[Scalar, Scalar], halve: Scalar
) -> Scalar:
    """The zero of the straight line between both ends; the middle if that tells nothing."""
    (low, high), (g_low, g_high) = ends, values
    part = g_low / (g_low - g_high + 1e-300)
    sound = ops.both(part > 1e-9, ops.both(part < 1 - 1e-9, halve < 0.5))
    return low + (high - low) * ops.choose(sound, part, 0.5)


def settle(
    arm: ScalarPlant, search: Search, state: Sequence[Scalar], modes: Modes
) -> tuple[list[Scalar], Modes, Scalar]:
    """Set reversed velocities to 0 and stopped joints onto their stops.

    Also the modes to go on with, and 1 if a joint has met its stop (`near` says where).
    """
    plant, ops, n = arm.plant, arm.ops, arm.plant.n
    result, slip, near = list(state), list(modes.slip), [0.0 * x for x in modes.near]
    values = margins(arm, state, modes)
    at_zero = [
        ops.both(s > 0, v <= 10 * MOMENT_TOLERANCE * s)
        for v, s in zip(values, search.scales, strict=True)
    ]
    rubbing = [i for i in range(n) if plant.can_stick[i]]
    for i, value, zero in zip(rubbing, values, at_zero, strict=False):
        arrived = ops.either(zero, value < 0)
        result[n + i] = ops.choose(arrived, 0.0, state[n + i])
        slip[i] = ops.choose(arrived, 0.0, slip[i])
    speeds = plant.joint_rates(result[n : 2 * n])
    hit: Scalar = 0.0
    for (i, side), zero in zip(plant.stop_sides, at_zero[len(rubbing) :], strict=True):
        there = ops.both(zero, speeds[i] * side > 0)
        bound = arm.p["high" if side > 0 else "low"][i]
        result[i] = ops.choose(there, bound, result[i])
        hit = ops.choose(there, 1.0, hit)
        beyond = result[i] >= bound if side > 0 else result[i] <= bound
        near[i] = ops.choose(beyond, side, near[i])
    return result, Modes(slip, modes.load, modes.held, near), hit
