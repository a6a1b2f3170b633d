"""The saturation problem: what the motors achieve in a cycle in which one has too little (step 6).

Wanted are rotor accelerations y, with which the rotors turn at w = w_0 + y dt at the end of the
cycle, and motor torques within their limits such that

- every motor below its limit gives its rotor the desired acceleration, and every motor at its limit
  falls short of it in the direction in which it pushes;
- dry friction is against the end velocity, c + mu |x| in size, and no more than that at rest.

With the load x = A y + b (A symmetric positive definite for the virtual-work path) the torque is
u = x + friction + (I + f dt) y + f w_0. It grows with x_i at a slope of at least 1 - mu_i > 0, and
with y_i; two solutions would differ by z with z_i (A z)_i <= 0 for every i, so there is exactly one
y (erratum 8). A rotor that is to rest gets the torque nearest its load.

Every motor is in one of a few modes: free, or at the limit `side` with the rotor slipping in the
direction `slip` under a load of the `sign`, or at rest. A round solves for y and moves every motor
whose mode does not fit to the next one; after `ALL_AT_ONCE` rounds only the lowest index (Murty),
which ends, because a motor never comes back to a mode while those before it fit.

The cycle is one step with the equations of its start. A joint that turns by more than `TURN` in it,
or faster than `FAST`, is not described well by that any more: then the cycle is divided into parts,
each with the equations of its middle, where the velocity is extrapolated. A part turns no joint by
more than `TURN`, and is shorter where the extrapolation was wrong by more than `SURPRISE`, but no
shorter than 1 / `MOST_PARTS` of the cycle: an arm that turns so fast that it needs shorter ones, or
faster than `FASTEST`, has run away (`LOST`).

After every part a joint beyond its stop is brought to rest there by one inelastic impact, which is
a projection and takes energy only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..drives.drives import REST
from ..drives.symbols import torque_limit
from ..dynamics.linear import solve
from ..kernels.trace import casadi, scalars
from .symbols import PART_NUMBERS, PART_VECTORS, PROBLEM_VECTORS, SLACK, CycleSymbols, function

TURN = 0.05
"""A joint that turns by more than this (rad) in a saturated cycle divides it."""
FAST = 5.0
"""So does one that is faster than this (rad/s), if only into one part."""
SURPRISE = 0.05
"""A part is shortened if the velocity in its middle was extrapolated by this part of it wrongly."""
MOST_PARTS = 1024
"""A cycle is divided into about this many parts at most."""
WILD = 50.0
"""A joint that is faster than this (rad/s) and cannot be extrapolated has run away."""
FASTEST = 200.0
"""An arm with a joint that turns faster than this (rad/s) has run away: none is built for it."""
LOST = 1e300
"""The position of an arm that has run away."""
IMPACT_ROUNDS = 4
"""Rounds in which the joints that an impact takes are found."""
STOPPED = 1e-9
"""A joint this far (rad, m) beyond its limit is at its stop; less is rounding."""


def saturation_functions(s: CycleSymbols) -> dict[str, Any]:
    """`open`, `setup`, `start`, `round`, `advance`, `stop`, `close`, traced once for a robot."""

    def make() -> dict[str, Any]:
        return {
            "open": function("open", [s.state, s.parameters, s.row], _open(s)),
            "setup": function(
                "setup", [s.state, s.body, s.parameters, s.row, s.source, s.part], _setup(s)
            ),
            "start": function("start", [s.problem, s.parameters, s.row], _start(s)),
            "round": function("round", [s.problem, s.parameters, s.turn, s.single], _round(s)),
            "advance": function(
                "advance",
                [s.state, s.given, s.parameters, s.part, s.problem, s.turn],
                _advance(s),
            ),
            "stop": function("stop", [s.parameters, s.part, s.problem], _stop(s)),
            "close": function("close", [s.state, s.parameters, s.row, s.part], _close(s)),
        }

    return s.robot.once((saturation_functions, s.options.path, s.options.payload), make)


def _open(s: CycleSymbols) -> list[Any]:
    """The cycle in one piece; nothing is left of it where no motor has too little."""
    nothing = casadi().SX.zeros((len(PART_VECTORS) - 4) * s.n)
    left = casadi().if_else(s.row[-1] <= 0, 0, s.dt)
    return [s.q, s.qd, s.q, s.qd, nothing, s.dt, left, 0, 0]


def _setup(s: CycleSymbols) -> list[Any]:
    """The problem of a part; the state is `q_at`, `qd_at` of the part, `source` its `cycle`."""
    ca, c = casadi(), s.c
    live = c["left"] > 0
    rate = ca.DM(s.K) @ c["qd"]
    y = ca.DM(s.K) @ ((s.r["qd"] - c["qd"]) / ca.if_else(live, c["left"], 1))
    A = ca.DM(s.to_load) @ s.mass_matrix @ ca.DM(s.inverse)
    b = s.w["load"] - _damped(s, A, s.dt) @ (ca.DM(s.K) @ s.w["qdd"])
    limit = torque_limit(s.robot, rate, s.p["torque_max"])
    after = rate + y * c["length"]
    direction = ca.if_else(ca.fabs(after) > REST, ca.sign(after), 0)
    return [b, y, rate, limit, direction, ca.vec(A.T), c["length"], 1 / c["length"], live]


def _load_matrix(s: CycleSymbols) -> Any:
    """A of the problem: what the links' inertia loads the rotors with."""
    ca, n = casadi(), s.n
    first = len(PROBLEM_VECTORS) * n
    return ca.reshape(s.problem[first : first + n * n], n, n).T


def _damped(s: CycleSymbols, A: Any, time: Any) -> Any:
    """A with the damping of the joints at the end of this time, in rotor coordinates."""
    if not s.damping.any():
        return A
    ca = casadi()
    return A + time * (ca.DM(s.to_load * s.damping) @ ca.DM(s.inverse))


def _start(s: CycleSymbols) -> list[Any]:
    """Modes to start with: motors that have too little for what is wanted are at their limits."""
    ca, p, b, load = casadi(), s.p, s.b, s.r["load"]
    dry = p["load_friction"] * ca.fabs(load) + p["coulomb"]
    torque = load + s.effective_inertia * b["y"] + p["viscous"] * b["rate"] + dry * b["direction"]
    over = _over(s, torque, dry)
    side = ca.if_else(over, ca.sign(torque), 0)
    slip = ca.if_else(over, _started(s, torque), 0)
    return [ca.SX.zeros(3 * s.n), side, slip, ca.if_else(load < 0, -1, 1), 0]


def _over(s: CycleSymbols, torque: Any, dry: Any) -> Any:
    """Whether a motor has too little, where friction cannot hold the rest."""
    ca, b = casadi(), s.b
    helped = ca.if_else(b["direction"] == 0, dry, 0)
    return ca.fabs(torque) - helped > b["limit"] * (1 + SLACK)


def _started(s: CycleSymbols, torque: Any) -> Any:
    """How a rotor slips whose motor has just got to its limit."""
    ca, direction = casadi(), s.b["direction"]
    return ca.if_else(direction == 0, -ca.sign(torque), direction)


def _round(s: CycleSymbols) -> list[Any]:
    """One round: accelerations in these modes, and the motors that change theirs."""
    ca, p, b, n = casadi(), s.p, s.b, s.n
    A = _damped(s, _load_matrix(s), b["length"])
    inertia = p["inertia"] + p["viscous"] * b["length"]
    drag = p["viscous"] * b["rate"]
    side, slip, sign = s.t["side"], s.t["slip"], s.t["sign"]
    held = side != 0
    tight = ca.logic_and(held, slip != 0)
    ease = 1 / (1 + p["load_friction"] * sign * slip)  # of the load by the torque, at this sign
    fixed = ca.if_else(held, -b["rate"] * b["per_length"], b["y"])
    free = ca.if_else(tight, 0, fixed)
    at_limit = (side * b["limit"] - drag - p["coulomb"] * slip) * ease - b["b"]
    right = ca.if_else(tight, at_limit - A @ free, fixed)
    rows = []
    for i in range(n):
        row = [ca.if_else(ca.logic_and(tight[i], tight[j]), A[i, j], 0) for j in range(n)]
        row[i] = ca.if_else(tight[i], A[i, i] + inertia[i] * ease[i], 1.0)
        rows.append(row)
    if s.options.path == "diagonal":  # A is not symmetric
        y = eliminate(rows, scalars(right))
    else:
        y = ca.vertcat(*solve(rows, scalars(right)))
    load = A @ y + b["b"]
    dry = p["load_friction"] * ca.fabs(load) + p["coulomb"]
    frictionless = load + inertia * y + drag
    torque = frictionless + dry * ca.if_else(held, slip, b["direction"])
    over = ca.logic_and(ca.logic_not(held), _over(s, torque, dry))
    after = b["rate"] + y * b["length"]
    rounding = 1e-12 * (ca.fabs(b["rate"]) + ca.fabs(y) * b["length"])
    turned = ca.logic_and(tight, slip * after < -rounding)
    more = side * (y - b["y"])  # than the motor is asked for
    done = ca.logic_and(tight, more > 1e-12 * (ca.fabs(b["y"]) + ca.fabs(y)))
    # a rotor that turns the other way than wanted comes to rest first
    foreign = ca.logic_and(b["direction"] != 0, slip != b["direction"])
    done = ca.logic_and(done, ca.logic_not(ca.logic_and(turned, foreign)))
    flip = ca.logic_and(tight, load * sign < 0)
    spare = side * b["limit"] - frictionless  # what friction has to hold of a rotor at rest
    loose = ca.logic_and(
        ca.logic_and(held, slip == 0),
        ca.fabs(spare) > dry + SLACK * (b["limit"] + ca.fabs(load)),
    )
    started = _started(s, torque)
    seen = ca.SX(0)
    modes: list[list[Any]] = []
    for i in range(n):
        wrong = ca.logic_or(
            ca.logic_or(over[i], flip[i]), ca.logic_or(done[i], ca.logic_or(turned[i], loose[i]))
        )
        wrong = ca.logic_and(wrong, b["live"])
        may = ca.logic_and(wrong, ca.logic_or(s.single == 0, ca.logic_not(seen)))
        seen = ca.logic_or(seen, wrong)
        begins, ends = ca.logic_and(over[i], may), ca.logic_and(done[i], may)
        slips = ca.logic_and(loose[i], may)
        rests = ca.logic_or(ends, ca.logic_and(turned[i], may))
        new_side = ca.if_else(ends, 0, side[i])
        new_slip = ca.if_else(slips, ca.sign(spare[i]), ca.if_else(rests, 0, slip[i]))
        modes.append(
            [
                ca.if_else(begins, ca.sign(torque[i]), new_side),
                ca.if_else(begins, started[i], new_slip),
                ca.if_else(may, ca.if_else(load[i] < 0, -1, 1), sign[i]),
            ]
        )
    sides, slips, signs = (ca.vertcat(*column) for column in zip(*modes, strict=True))
    return [y, load, torque, sides, slips, signs, seen]


def eliminate(rows: list[list[Any]], right: list[Any]) -> Any:
    """Solve by elimination without pivots; rows of free motors are those of the unit matrix."""
    ca, n = casadi(), len(rows)
    a, x = [list(row) for row in rows], list(right)
    for k in range(n):
        for i in range(k + 1, n):
            factor = a[i][k] / a[k][k]
            a[i] = [a[i][j] - factor * a[k][j] if j > k else a[i][j] for j in range(n)]
            x[i] = x[i] - factor * x[k]
    for k in reversed(range(n)):
        x[k] = (x[k] - sum(a[k][j] * x[j] for j in range(k + 1, n))) / a[k][k]
    return ca.vertcat(*x)


def _advance(s: CycleSymbols) -> list[Any]:
    """The state after a part (steps 7, 8); a cycle in one piece that turns too far begins anew."""
    ca, c, b, t = casadi(), s.c, s.b, s.t
    whole, live = c["shift"] == 0, c["left"] > 0
    limit, side = b["limit"], t["side"]
    load = t["load"]
    clipped = ca.fmin(limit, ca.fmax(-limit, t["torque"]))
    torque = ca.if_else(side == 0, clipped, side * limit)
    qdd = ca.DM(s.inverse) @ t["y"]
    qd = c["qd"] + qdd * c["length"]
    q = c["q"] + (qd - c["shift"] * (qd - c["qd"])) * c["length"]
    speed = ca.fmax(_fastest(s, c["qd"]), _fastest(s, qd))
    turn = speed * ca.if_else(whole, ca.fmax(c["length"], TURN / FAST), c["length"])
    wide = ca.logic_not(turn <= ca.if_else(whole, TURN, 1.5 * TURN))
    least = s.dt / MOST_PARTS
    shortest = c["length"] <= least
    surprise = ca.logic_and(
        ca.logic_not(whole),
        _largest(qdd - c["qdd"]) * c["length"] > SURPRISE * ca.fmax(speed, FAST),
    )
    unfit = ca.logic_or(wide, ca.logic_and(surprise, speed > WILD))
    lost = ca.logic_or(ca.logic_and(unfit, shortest), ca.logic_not(_largest(load) < LOST))
    again = ca.logic_and(ca.logic_or(wide, surprise), ca.logic_not(ca.logic_or(lost, shortest)))
    lost = ca.logic_or(lost, ca.logic_and(ca.logic_not(again), speed > FASTEST))
    share = ca.if_else(whole, 1, c["length"] * s.per_dt)
    left = c["left"] - c["length"]
    left = ca.if_else(again, c["left"], ca.if_else(left > 1e-9 * s.dt, left, 0))
    fine = ca.fmax(least, TURN / ca.if_else(speed > 1e-300, speed, 1e-300))
    most = ca.if_else(again, c["length"] / 2, left)  # so that trying again ends
    length = ca.fmin(fine, ca.if_else(left > 0, most, s.dt))
    shift = ca.if_else(ca.logic_or(again, ca.logic_not(whole)), 0.5, 0)
    q, qd = ca.if_else(again, c["q"], q), ca.if_else(again, c["qd"], qd)
    q = ca.if_else(lost, LOST, q)
    sums = {
        "torque": c["torque"] + share * torque,
        "load": c["load"] + share * load,
        "side": ca.if_else(c["side"] == 0, side, c["side"]),
    }
    sums = {name: ca.if_else(again, c[name], value) for name, value in sums.items()}
    qdd = ca.if_else(ca.logic_and(again, ca.logic_not(whole)), c["qdd"], qdd)
    needed = ca.if_else(whole, _needed(s), c["needed"])
    left = ca.if_else(lost, 0, left)
    after = [
        q + shift * length * qd, qd + shift * length * qdd, q, qd, qdd, *sums.values(), needed,
        c["stop"], length, left, shift, ca.if_else(ca.logic_or(again, lost), 0, _farthest(s, q)),
    ]  # fmt: skip
    before = [c[name] for name in (*PART_VECTORS, *PART_NUMBERS[:-1])] + [ca.SX(0)]
    return [ca.if_else(live, new, old) for new, old in zip(after, before, strict=True)]


def _fastest(s: CycleSymbols, qd: Any) -> Any:
    """The speed of the fastest joint that turns, rad/s; 0 if none turns."""
    ca, speed = casadi(), casadi().SX(0)
    for i, joint in enumerate(s.robot.joints):
        if joint.revolute:
            speed = ca.fmax(speed, ca.fabs(qd[i]))
    return speed


def _largest(vector: Any) -> Any:
    """The largest size of an element; no number if one is none."""
    ca = casadi()
    first, *others = (ca.fabs(x) for x in scalars(vector))
    for other in others:
        first = ca.if_else(first > other, first, other) + 0 * other
    return first


def _needed(s: CycleSymbols) -> Any:
    """The motor torque that the programmed acceleration takes at the state of the cycle's start.

    It is apart from what catching up would ask: it does not depend on dt. Friction that can hold a
    rotor which is to rest is taken off.
    """
    ca, b = casadi(), s.b
    y = ca.DM(s.K) @ ((s.g["qd"] - s.g["qd_before"]) * s.per_dt)
    load = _damped(s, _load_matrix(s), s.dt) @ y + b["b"]
    after = b["rate"] + y * s.dt
    needed, helped = s.motor_torque(b["rate"], y, load, after)
    return ca.copysign(ca.fmax(ca.fabs(needed) - helped, 0), needed)


def _beyond(s: CycleSymbols, q: Any) -> Any:
    """How far every joint is beyond its limits, less `STOPPED`."""
    ca, p = casadi(), s.p
    return ca.fmax(q - p["high"], p["low"] - q) - STOPPED


def _farthest(s: CycleSymbols, q: Any) -> Any:
    """How far a joint is beyond its limits, the farthest of all; 0 if none is."""
    worst = casadi().SX(0)
    for excess in scalars(_beyond(s, q)):
        worst = casadi().fmax(worst, excess)
    return worst


def _stop(s: CycleSymbols) -> list[Any]:
    """Joints beyond their stops come to rest there, by one impact that takes energy only.

    M d = C^T l with M = K^T (A + I) K, d = -qd for the joints that are hit and l = 0 for the
    others. A stop does not pull: a joint that the others push back from it is let go; and a joint
    beyond its stop that they push outward is hit, too.
    """
    ca, c = casadi(), s.c
    K, A = ca.DM(s.K), _load_matrix(s)
    if s.options.path == "diagonal":
        A = ca.DM(s.inverse.T * np.diag(s.K)) @ A
    M = K.T @ (A + ca.diag(s.p["inertia"])) @ K
    outward = ca.if_else(c["q"] > s.p["high"], 1, -1)
    beyond = ca.logic_and(_beyond(s, c["q"]) > 0, c["beyond"] > 0)
    hit = ca.logic_and(beyond, outward * c["qd"] > 0)
    for _ in range(IMPACT_ROUNDS):
        change = _impact(M, hit, c["qd"])
        pushed = outward * (M @ change) < 0
        leaving = outward * (c["qd"] + change) > 0
        hit = ca.logic_and(beyond, ca.if_else(hit, pushed, leaving))
    change = _impact(M, hit, c["qd"])
    push = ca.if_else(hit, M @ change, 0) * s.per_dt
    qd = ca.if_else(hit, 0, c["qd"] + change)
    q = ca.fmin(s.p["high"], ca.fmax(s.p["low"], c["q"]))
    q = ca.if_else(c["beyond"] > 0, q, c["q"])
    lost = ca.logic_not(_fastest(s, qd) <= FASTEST)
    q, left = ca.if_else(lost, LOST, q), ca.if_else(lost, 0, c["left"])
    ahead = c["shift"] * c["length"]
    rest = [c[name] for name in ("qdd", "torque", "load", "side", "needed")]
    return [
        q + ahead * qd, qd + ahead * c["qdd"], q, qd, *rest, c["stop"] + push,
        c["length"], left, c["shift"], 0,
    ]  # fmt: skip


def _impact(M: Any, hit: Any, qd: Any) -> Any:
    """The change of the velocities that brings the joints that are hit to rest."""
    ca, n = casadi(), qd.numel()
    stopped = ca.if_else(hit, -qd, 0)
    right = ca.if_else(hit, stopped, -(M @ stopped))
    rows = [
        [
            ca.if_else(hit[i], 1.0, M[i, i])
            if i == j
            else ca.if_else(ca.logic_or(hit[i], hit[j]), 0, M[i, j])
            for j in range(n)
        ]
        for i in range(n)
    ]
    return ca.vertcat(*solve(rows, scalars(right)))


def _close(s: CycleSymbols) -> list[Any]:
    """The row of the cycle; one in which no motor has too little stays as `cycle` left it."""
    ca, r, c = casadi(), s.r, s.c
    saturated = ca.logic_not(s.row[-1] <= 0)
    mean = (c["qd"] - s.qd) * s.per_dt
    stopped = ca.SX(0)
    for push in scalars(c["stop"]):
        stopped = ca.logic_or(stopped, push != 0)
    plain = ca.logic_and(c["shift"] == 0, ca.logic_not(stopped))
    solved = {name: c[name] for name in ("q", "qd", "torque", "load")}
    solved["qdd"] = ca.if_else(plain, c["qdd"], mean)
    columns = [ca.if_else(saturated, solved[name], value) for name, value in r.items()]
    side, stop = (ca.if_else(saturated, c[name], 0) for name in ("side", "stop"))
    needed = ca.if_else(saturated, c["needed"], r["torque"])
    return [*columns, s.row[-1], r["qdd"], needed, side, stop]
