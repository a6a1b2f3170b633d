"""Algorithm 1 a second time: what the motors make of a trajectory, cycle by cycle.

After docs/achievable.md ("One cycle, step by step"). Row k of the result is the cycle that ends at
t[k]; row 0 is the start. A cycle that has to be divided (the arm falls) is done in many small parts
here; how the product divides it is its own choice, so what follows is only roughly the same:
`divided` is the row of it, and behind it nothing is computed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from .arm import Arm, Array, carrying
from .model import Mechanics
from .motors import RESTING, limits, needed, rotors_of, solve

EDGE = 1e-9
"""What rounding may put beside a limit, as a part of it."""
BESIDE = 1e-9
"""rad (m): a joint that is asked to go so little beyond its limit goes to it."""
TURN = 0.05
"""A saturated cycle in which a joint turns farther (rad) is divided."""
FAST = 5.0
"""A saturated cycle in which a joint is faster (rad/s) is divided."""
LOOSE = 1.0
"""A saturated cycle that leaves a joint so far (rad/s) from what is wanted may be divided."""
PARTS = 64
"""Of a divided cycle, here."""
LOST = 200.0
"""An arm with a joint that turns faster (rad/s) has run away."""


@dataclass
class Outcome:
    """The achieved motion, arrays (N, n): `torque` and `load` of the motors, `most` their limits.

    `wanted` is the torque of the wanted velocity, `programmed` that of the programmed acceleration
    where the arm is. `slowed` says by cycle and joint which limit bent the wanted velocity, and the
    joint's largest speed by it, `stopped` how fast a joint was before its stop took its speed.
    `unclear` is where rounding says whether a rotor rubs, `doubt` what that makes of `programmed`,
    N m. A cycle that is `loose` may be divided for the sake of its energy; that is not judged here.
    """

    t: Array
    q: Array
    qd: Array
    torque: Array
    load: Array
    most: Array
    wanted: Array
    programmed: Array
    doubt: Array
    saturated: Array
    stalled: Array
    unclear: Array
    slowed: dict[tuple[int, int], tuple[str, float]] = field(default_factory=dict)
    stopped: dict[tuple[int, int], float] = field(default_factory=dict)
    loose: dict[int, bool] = field(default_factory=dict)
    divided: int = -1
    lost: int = -1


def fastest(arm: Arm) -> Array:
    """How fast each joint can be, by its own limit and its motor's, (n,)."""
    return np.minimum(arm.velocity, arm.drives.speed_max / abs(np.diag(arm.drives.K)))


def wanted_velocity(arm: Arm, q: Array, given: Array, dt: float) -> tuple[Array, dict[int, str]]:
    """Step 1: the programmed velocity within the limits, and the limit that bent it, by joint."""
    v, bent = given.copy(), dict[int, str]()
    if (
        (abs(v) <= arm.velocity).all()
        and (abs(arm.drives.K @ v) <= arm.drives.speed_max).all()
        and (q + v * dt >= arm.lower).all()
        and (q + v * dt <= arm.upper).all()
    ):
        return v, bent
    K, most = arm.drives.K, arm.drives.speed_max
    for i in range(arm.n):
        lowest, highest = (arm.lower[i] - q[i]) / dt, (arm.upper[i] - q[i]) / dt
        within = min(max(v[i], -arm.velocity[i]), arm.velocity[i])
        if within != v[i]:
            bent[i] = "joint speed limit"
        before = K[i, :i] @ v[:i]
        sides = sorted(((-most[i] - before) / K[i, i], (most[i] - before) / K[i, i]))
        slower = min(max(within, sides[0]), sides[1])
        if slower != within:
            bent[i] = "motor speed limit"
        inside = min(max(slower, lowest), highest)
        if abs(inside - slower) * dt > BESIDE:
            bent[i] = "position limit"
        v[i] = inside
        if abs(v[i] - given[i]) <= EDGE * abs(given[i]):
            bent.pop(i, None)
    return v, bent


def achieve(
    arm: Arm,
    t: Array,
    q_given: Array,
    qd_given: Array,
    payloads: list[tuple[float, tuple[float, ...], Array] | None],
    wrench: Array | None,
) -> Outcome:
    """What the motors achieve of a trajectory (N, n) with a fixed step."""
    rows, n, dt = len(t), arm.n, float(t[1] - t[0])
    numbers = (np.zeros((rows, n)) for _ in range(8))
    made = Outcome(t, *numbers, *(np.zeros((rows, n), bool) for _ in range(3)))
    made.q[0], made.qd[0] = q_given[0], qd_given[0]
    loaded: dict[object, Mechanics] = {}

    def mechanics(k: int) -> Mechanics:
        carried = payloads[k]
        key = None if carried is None else (carried[0], tuple(carried[1]), carried[2].tobytes())
        if key not in loaded:
            whole = arm if carried is None else carrying(arm, *carried)
            loaded[key] = Mechanics(whole, wrench)
        return loaded[key]

    for k in range(1 + _calm(arm, mechanics, made, qd_given, dt), rows):
        if not _cycle(arm, mechanics(k), made, k, qd_given, dt):
            made.lost = k
        if made.lost >= 0 or made.divided >= 0:
            break
    return made


def _calm(
    arm: Arm, mechanics: Callable[[int], Mechanics], made: Outcome, given: Array, dt: float
) -> int:
    """The number of cycles up to the first in which a limit counts, all at once, into their rows.

    In them the arm does what is programmed, so that all states are known.
    """
    v, start = given[1:], np.vstack([made.qd[:1], given[1:-1]])
    end = made.q[0] + np.cumsum(v * dt, axis=0)
    q = np.vstack([made.q[:1], end[:-1]])
    K, drives = arm.drives.K, arm.drives
    free = (abs(v) <= arm.velocity) & (abs(v @ K.T) <= drives.speed_max)
    count = _first(~(free & (end >= arm.lower) & (end <= arm.upper)))
    v, start, end, q = v[:count], start[:count], end[:count], q[:count]
    qdd = (v - start) / dt
    torques = [
        mechanics(k + 1).torques(*state) for k, state in enumerate(zip(q, start, qdd, strict=True))
    ]
    x = (np.array(torques).reshape(-1, arm.n) + arm.damping * v) @ np.linalg.inv(K)
    asked = needed(drives, x, qdd @ K.T, start @ K.T, v @ K.T, dt)
    most = limits(drives, start @ K.T)
    count = _first(abs(asked) > most * (1 + EDGE))
    rows = slice(1, count + 1)
    made.q[rows], made.qd[rows] = end[:count], v[:count]
    made.torque[rows], made.wanted[rows] = asked[:count], asked[:count]
    made.load[rows], made.most[rows] = x[:count], most[:count]
    rubs = drives.load_friction * abs(x) + drives.coulomb > 0
    made.unclear[rows] = (_nearly_resting(v @ K.T) & rubs)[:count]
    return count


def _first(bad: Array) -> int:
    """The first row with a true value, or the number of rows."""
    rows = np.flatnonzero(bad.any(axis=1))
    return int(rows[0]) if len(rows) else len(bad)


def _cycle(arm: Arm, mechanics: Mechanics, made: Outcome, k: int, given: Array, dt: float) -> bool:
    """One cycle, into row k; whether the arm is still under control."""
    q, qd = made.q[k - 1], made.qd[k - 1]
    v, bent = wanted_velocity(arm, q, given[k], dt)
    K, drives = arm.drives.K, arm.drives
    for joint, kind in bent.items():
        limit = arm.velocity[joint]
        if kind == "motor speed limit":
            limit = arm.drives.speed_max[joint] / abs(K[joint, joint])
        elif kind == "position limit":
            limit = fastest(arm)[joint]
        made.slowed[k, joint] = (kind, float(limit))
    qdd = (v - qd) / dt
    torques = mechanics.torques(q, qd, qdd) + arm.damping * v
    x = np.linalg.solve(K.T, torques)
    ends = K @ v
    asked = needed(drives, x, K @ qdd, K @ qd, ends, dt)
    most = limits(drives, K @ qd)
    made.most[k], made.wanted[k] = most, asked
    rubs = drives.load_friction * abs(x) + drives.coulomb > 0
    made.unclear[k] = _nearly_resting(ends) & rubs
    short = abs(asked) > most * (1 + EDGE)
    if not short.any():
        made.q[k], made.qd[k] = q + v * dt, v
        made.torque[k], made.load[k] = asked, x
        return True
    made.programmed[k], made.doubt[k] = _programmed(
        arm, mechanics, made, k, given[k - 1 : k + 1], dt
    )
    rotors = rotors_of(
        arm, mechanics.mass_matrix(q), mechanics.torques(q, qd, np.zeros(arm.n)), qd, dt
    )
    y = solve(rotors, K @ qdd, most)
    new = qd + np.linalg.solve(K, y) * dt
    x = rotors.A @ y + rotors.b
    made.load[k] = x
    behind = K @ qdd - y
    made.saturated[k] = abs(behind) > 1e-7 * (1 + abs(y))
    made.torque[k] = np.where(
        made.saturated[k],
        np.sign(behind) * most,
        np.clip(rotors.needed(y, ends), -most, most),  # a free rotor ends as it is wanted to
    )
    made.stalled[k] = made.saturated[k] & _cannot_hold(arm, mechanics, q, most)
    speed = np.maximum(abs(qd), abs(new))[~np.array(arm.slides)].max(initial=0.0)
    if speed > FAST or speed * dt > TURN:
        if made.divided < 0:
            made.divided = k
        return _small_parts(arm, mechanics, made, k, v, dt)
    made.loose[k] = bool((abs(new - v) > LOOSE).any())
    made.q[k], made.qd[k] = q + new * dt, new
    _stops(arm, mechanics, made, k, dt)
    return bool((abs(made.qd[k]) < LOST).all())


def _programmed(
    arm: Arm, mechanics: Mechanics, made: Outcome, k: int, given: Array, dt: float
) -> tuple[Array, Array]:
    """Motor torques of the programmed acceleration where the arm is, and how doubtful they are.

    Dry friction is against the programmed velocity at the end; where a rotor shall rest then, it
    holds what is more than the motor has.
    """
    q, qd, most = made.q[k - 1], made.qd[k - 1], made.most[k]
    qdd = (given[1] - given[0]) / dt
    drives, K = arm.drives, arm.drives.K
    x = np.linalg.solve(K.T, mechanics.torques(q, qd, qdd) + arm.damping * (qd + qdd * dt))
    ends = K @ given[1]
    dry = drives.load_friction * abs(x) + drives.coulomb
    asked = needed(drives, x, K @ qdd, K @ qd, ends, dt)
    held = np.maximum(np.minimum(abs(asked), most), abs(asked) - dry)
    doubt = np.where(_nearly_resting(ends), dry, 0.0)
    return np.where(abs(ends) <= RESTING, np.copysign(held, asked), asked), doubt


def _nearly_resting(ends: Array) -> Array:
    """Where rounding says whether a rotor rests at the end, or turns and rubs."""
    return (abs(ends) > 0.1 * RESTING) & (abs(ends) < 10 * RESTING)


def _cannot_hold(arm: Arm, mechanics: Mechanics, q: Array, most: Array) -> Array:
    """Which motors have too little for the arm at rest, friction helping."""
    rest = np.zeros(arm.n)
    x = np.linalg.solve(arm.drives.K.T, mechanics.torques(q, rest, rest))
    return abs(x) - arm.drives.load_friction * abs(x) - arm.drives.coulomb > most


def _small_parts(
    arm: Arm, mechanics: Mechanics, made: Outcome, k: int, v: Array, dt: float
) -> bool:
    """A divided cycle: many small parts, each with its own equations."""
    part = dt / PARTS
    made.q[k], made.qd[k] = made.q[k - 1], made.qd[k - 1]
    for _ in range(PARTS):
        q, qd = made.q[k].copy(), made.qd[k].copy()
        bias = mechanics.torques(q, qd, np.zeros(arm.n))
        if not np.isfinite(bias).all():
            return False
        rotors = rotors_of(arm, mechanics.mass_matrix(q), bias, qd, part)
        most = limits(arm.drives, rotors.speed)
        # the wanted velocity at the end of the cycle, as far as it can be had in this part
        y = solve(rotors, arm.drives.K @ (v - qd) / part, most)
        made.qd[k] = qd + np.linalg.solve(arm.drives.K, y) * part
        made.q[k] = q + made.qd[k] * part
        _stops(arm, mechanics, made, k, part)
        if (abs(made.qd[k]) > LOST).any():
            return False
    return True


def _stops(arm: Arm, mechanics: Mechanics, made: Outcome, k: int, dt: float) -> None:
    """Steps 7, 8: joints beyond their limits are put on them and lose their speed for good."""
    q, qd = made.q[k], made.qd[k]
    low, high = q < arm.lower - 1e-12, q > arm.upper + 1e-12
    if not (low | high).any():
        return
    made.q[k] = q = np.clip(q, arm.lower, arm.upper)
    inward = np.where(low, 1.0, -1.0)
    at_stop = [int(i) for i in np.flatnonzero(low | high)]
    held = (qd[at_stop] * inward[at_stop] < 0).any()
    K = arm.drives.K
    H = mechanics.mass_matrix(made.q[k - 1])
    M = H + K.T @ np.diag(arm.drives.inertia) @ K
    inverse = np.linalg.inv(M)
    # every set of joints that their stops push: none pulled, none moves outwards
    for size in range(int(held), len(at_stop) + 1):
        for chosen in combinations(at_stop, size):
            c = list(chosen)
            push = np.linalg.solve(inverse[np.ix_(c, c)], -qd[c])
            after = qd + inverse[:, c] @ push
            after[c] = 0.0
            if (push * inward[c] >= 0).all() and (after[at_stop] * inward[at_stop] >= -1e-9).all():
                made.qd[k] = after
                for joint in (i for i, p in zip(c, push, strict=True) if p != 0):
                    made.stopped.setdefault((k, joint), float(abs(made.qd[k - 1, joint])))
                # what the stop carries is no load of the gears
                jolt = H @ (after - qd) + dt * arm.damping * (after - qd)
                jolt[c] -= push
                made.load[k] += np.linalg.solve(K.T, jolt / dt)
                return
