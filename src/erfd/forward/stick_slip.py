"""Stick and slip of rotors, joints at their stops: which of them move, and their acceleration.

For a given set of modes (the direction `slip` of every rotor, 0 if it sticks; the `load` sign; the
joints `held` by a stop) the accelerations y are one linear system. The modes fit if

- a rotor that slips has a load of the sign it is taken for; if it just starts, it starts that way;
- a rotor that sticks needs no more friction than there is: |tau - x| <= mu |x| + c;
- a stop pushes, it never pulls, and a joint at a stop that does not hold it moves away from it.

With A symmetric and positive definite and a load x_i that falls with y_i (a slope of 1 +- mu > 0)
this is the minimum of a strictly convex function: exactly one y fits (compare erratum 8). As in
`achieve.cycle`, the modes are changed until they fit, after a few rounds only the first that does
not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..dynamics.linear import solve
from ..dynamics.vectors import Scalar, dot, minus, plus, times, total
from .plant import Instant, ScalarPlant
from .scalars import Condition, Ops, magnitude, sign
from .stops import ROUNDING, balance

SLACK = 1e-12
"""A rotor breaks away if it needs this part of its torques more than friction can give."""
ALL_AT_ONCE, ROUNDS = 6, 60
"""Rounds in which everything that does not fit changes, and rounds in all."""


@dataclass(frozen=True, slots=True)
class Modes:
    """Modes of n joints: slip -1, 0, 1; load sign -1 or 1; held and near (at a stop) -1, 0, 1."""

    slip: list[Scalar]
    load: list[Scalar]
    held: list[Scalar]
    near: list[Scalar]

    @classmethod
    def of(cls, values: Sequence[Scalar]) -> Modes:
        """Modes from 4 n numbers."""
        n = len(values) // 4
        return cls(*(list(values[k * n : (k + 1) * n]) for k in range(4)))

    @property
    def values(self) -> list[Scalar]:
        """The modes as 4 n numbers."""
        return [*self.slip, *self.load, *self.held, *self.near]


@dataclass(frozen=True, slots=True)
class Response:
    """The response in given modes: rotor accelerations y, dry friction, torques of the stops.

    `spare` is the friction in N m that a rotor which sticks does not need; 1 for the others.
    `load` is that of the links on the rotors, `slipping` what is left for it of a rotor that slips.
    """

    y: list[Scalar]
    rubbing: list[Scalar]
    stop: list[Scalar]
    spare: list[Scalar]
    load: list[Scalar]
    slipping: list[Scalar]


def start_modes(arm: ScalarPlant, state: Sequence[Scalar], modes: Modes) -> Modes:
    """Modes to start with: moving rotors slip, those at rest are as they were."""
    plant, ops, p = arm.plant, arm.ops, arm.p
    q, w, _ = plant.cut(state)
    slip = [
        ops.choose(rate > 0, 1.0, ops.choose(rate < 0, -1.0, before)) if sticks else before
        for rate, before, sticks in zip(w, modes.slip, plant.can_stick, strict=True)
    ]
    if not plant.stops:
        return Modes(slip, modes.load, modes.held, modes.near)
    near, held = [], []
    for i, row in enumerate(plant.K_inverse):
        terms = [times(k, rate) for k, rate in zip(row, w, strict=True)]
        speed, scale = total(terms), total([magnitude(ops, x) for x in terms])
        place = ops.choose(q[i] >= p["high"][i], 1.0, ops.choose(q[i] <= p["low"][i], -1.0, 0.0))
        away = speed * place < -ROUNDING * scale
        near.append(ops.choose(away, 0.0, place))
        held.append(ops.choose(near[i] * modes.held[i] > 0, modes.held[i], 0.0))
    return Modes(slip, modes.load, held, near)


def mode_round(
    arm: ScalarPlant, now: Instant, modes: Modes, *, frozen: Scalar, single: Scalar
) -> tuple[Response, Modes, Scalar]:
    """Do one round: the response in these modes, better modes, and 1 if they have changed.

    `frozen` (1 or 0): only load signs may change, as within a step. `single`: only the first
    mode that does not fit changes.
    """
    plant, ops, p, tau = arm.plant, arm.ops, arm.p, now.tau
    n, (A, b, _) = plant.n, now.equations
    stuck = [modes.slip[i] == 0 if plant.can_stick[i] else None for i in range(n)]
    ease = [_ease(arm, modes, i) for i in range(n)]
    net_torque = [
        minus(minus(t, times(p["viscous"][i], rate)), times(p["coulomb"][i], modes.slip[i]))
        for i, (t, rate) in enumerate(zip(tau, now.w, strict=True))
    ]
    matrix: list[list[Scalar]] = []
    for i in range(n):
        row = [_masked(ops, stuck[i], stuck[j], A[i][j]) for j in range(i)]
        diagonal = plus(A[i][i], times(p["inertia"][i], ease[i]))
        row.append(diagonal if stuck[i] is None else ops.choose(stuck[i], 1.0, diagonal))
        matrix.append([*row, *([0.0] * (n - i - 1))])
    right = [
        _unless_stuck(ops, stuck[i], minus(times(net_torque[i], ease[i]), b[i])) for i in range(n)
    ]
    y = solve(matrix, right)
    stop: list[Scalar] = [0.0] * n
    if plant.stops:
        y, stop = balance(arm, matrix, y, stuck=stuck, held=modes.held)
    at_rotors = [dot([row[i] for row in plant.K_inverse], stop) for i in range(n)]
    slipping = [minus(net_torque[i], times(p["inertia"][i], y[i])) for i in range(n)]
    x = [times(slipping[i], ease[i]) for i in range(n)]
    for i in range(n):
        if stuck[i] is not None:
            x[i] = ops.choose(stuck[i], minus(plus(dot(A[i], y), b[i]), at_rotors[i]), x[i])
    rubbing = [
        times(
            modes.slip[i], plus(p["coulomb"][i], times(p["load_friction"][i], magnitude(ops, x[i])))
        )
        if plant.can_stick[i]
        else 0.0
        for i in range(n)
    ]
    spare: list[Scalar] = [1.0] * n
    for i in range(n):
        if stuck[i] is not None:
            left = _room(arm, tau[i], x[i], i) - magnitude(ops, tau[i] - x[i])
            spare[i] = ops.choose(stuck[i], left, 1.0)
    response = Response(y, rubbing, stop, spare, x, slipping)
    better, changed = _better(arm, now, modes, response, frozen=frozen, single=single)
    return response, better, changed


def _room(arm: ScalarPlant, tau: Scalar, x: Scalar, i: int) -> Scalar:
    """The friction that can hold rotor i, and a little for rounding."""
    ops, p = arm.ops, arm.p
    most = plus(times(p["load_friction"][i], magnitude(ops, x)), p["coulomb"][i])
    return plus(most, SLACK * (magnitude(ops, tau) + magnitude(ops, x)))


def _ease(arm: ScalarPlant, modes: Modes, i: int) -> Scalar:
    """1 / (1 + mu s): what a unit of motor torque brings of load."""
    if not arm.plant.used["load_friction"][i]:
        return 1.0
    up, down = arm.p["inverse_slope_up"][i], arm.p["inverse_slope_down"][i]
    return arm.ops.choose(modes.load[i] * modes.slip[i] > 0, up, down)


def _masked(ops: Ops, a: Condition | None, b: Condition | None, x: Scalar) -> Scalar:
    """The number x, or 0 where one of two rotors sticks."""
    for mask in (a, b):
        x = _unless_stuck(ops, mask, x)
    return x


def _unless_stuck(ops: Ops, stuck: Condition | None, x: Scalar) -> Scalar:
    """The number x, or 0 where a rotor sticks."""
    return x if stuck is None else ops.choose(stuck, 0.0, x)


def _better(
    arm: ScalarPlant,
    now: Instant,
    modes: Modes,
    response: Response,
    *,
    frozen: Scalar,
    single: Scalar,
) -> tuple[Modes, Scalar]:
    """Modes with what does not fit changed, and whether anything did not."""
    plant, ops, tau, y = arm.plant, arm.ops, now.tau, response.y
    seen: Scalar = 0.0
    free = frozen < 0.5

    def allowed(wrong: Condition) -> Condition:
        """Whether this one may change now."""
        nonlocal seen
        first = ops.either(single < 0.5, seen < 0.5)
        seen = ops.choose(wrong, 1.0, seen)
        return ops.both(wrong, first)

    slip, load, held = list(modes.slip), list(modes.load), list(modes.held)
    for i in (k for k in range(plant.n) if plant.can_stick[k]):
        sliding, resting = modes.slip[i] != 0, now.w[i] == 0
        loaded = plant.used["load_friction"][i]  # else the sign of the load does not matter
        flip = ops.both(sliding, response.slipping[i] * modes.load[i] < 0) if loaded else frozen > 1
        breaks = ops.both(free, response.spare[i] < 0)
        starts = ops.both(free, ops.both(sliding, resting))
        stops = ops.both(starts, y[i] * modes.slip[i] < 0)
        direction = sign(ops, tau[i] - response.load[i])
        fresh = ops.choose(tau[i] - arm.p["coulomb"][i] * direction < 0, -1.0, 1.0)
        may = allowed(ops.either(flip, ops.either(breaks, stops)))
        slip[i] = ops.choose(
            ops.both(may, stops), 0.0, ops.choose(ops.both(may, breaks), direction, slip[i])
        )
        turned = ops.choose(flip, -load[i], ops.choose(breaks, fresh, load[i]))
        load[i] = ops.choose(may, turned, load[i])
    for j in sorted({joint for joint, _ in plant.stop_sides}):
        terms = [times(k, rate) for k, rate in zip(plant.K_inverse[j], y, strict=True)]
        outward = total(terms) * modes.near[j] > SLACK * total([magnitude(ops, t) for t in terms])
        leaves = ops.both(free, response.stop[j] * modes.held[j] > 0)
        leans = ops.both(ops.both(modes.held[j] == 0, modes.near[j] != 0), outward)
        leans = ops.both(free, leans)
        may = allowed(ops.either(leaves, leans))
        held[j] = ops.choose(may, ops.choose(leaves, 0.0, modes.near[j]), held[j])
    return Modes(slip, load, held, list(modes.near)), seen
