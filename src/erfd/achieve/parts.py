"""The parts of a cycle in which a motor has too little (steps 7 and 8), and the joints' stops.

The cycle is one step with the equations of its start. A joint that turns by more than `TURN` in it,
or faster than `FAST`, is not described well by that any more: then the cycle is divided into parts,
each with the equations of its middle, where the velocity is extrapolated. A part turns no joint by
more than `TURN`, and is shorter where the extrapolation was wrong by more than `SURPRISE` or where
energy came from nowhere (`balance`), but no shorter than 1 / `MOST_PARTS` of the cycle: an arm that
needs shorter ones, or that turns faster than `FASTEST`, has run away (`LOST`).

After every part a joint beyond its stop is brought to rest there by one inelastic impact, which is
a projection and takes energy only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dynamics.linear import solve
from ..kernels.trace import casadi, scalars
from .saturation import damped, load_matrix
from .symbols import PART_NUMBERS, PART_VECTORS, CycleSymbols

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
STRAY = 1.0
"""The energy of a cycle in one piece is looked at if the arm leaves what it is asked for by more
than this, rad/s (m/s) of a joint."""
TRIED = 0.5
"""What stands for the limit of a motor in one piece, until it comes to one in a part."""
LOST = 1e300
"""The position of an arm that has run away."""
IMPACT_ROUNDS = 4
"""Rounds in which the joints that an impact takes are found."""
STOPPED = 1e-9
"""A joint this far (rad, m) beyond its limit is at its stop; less is rounding."""


def in_one_piece(s: CycleSymbols) -> list[Any]:
    """The cycle in one piece; nothing is left of it where no motor has too little."""
    nothing = casadi().SX.zeros((len(PART_VECTORS) - 4) * s.n)
    left = casadi().if_else(s.row[-1] <= 0, 0, s.dt)
    return [s.q, s.qd, s.q, s.qd, nothing, s.dt, left, 0, 0, 0]


def advance(s: CycleSymbols) -> list[Any]:
    """The state after a part (steps 7, 8); a cycle in one piece that turns too far begins anew."""
    ca, c, t = casadi(), s.c, s.t
    whole, live = c["shift"] == 0, c["left"] > 0
    load = t["load"]
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
    longer = ca.fmin(left, 2 * c["length"])
    most = ca.if_else(again, c["length"] / 2, longer)  # so that trying again ends
    length = ca.fmin(fine, ca.if_else(left > 0, most, s.dt))
    shift = ca.if_else(ca.logic_or(again, ca.logic_not(whole)), 0.5, 0)
    q, qd = ca.if_else(again, c["q"], q), ca.if_else(again, c["qd"], qd)
    q = ca.if_else(lost, LOST, q)
    sums = {
        "torque": c["torque"] + share * motor_torques(s),
        "load": c["load"] + share * load,
        "side": ca.if_else(
            ca.logic_or(t["side"] == 0, ca.fabs(c["side"]) == 1), c["side"], t["side"]
        ),
    }
    sums = {name: ca.if_else(again, c[name], value) for name, value in sums.items()}
    sums["side"] = ca.if_else(ca.logic_and(again, whole), TRIED * t["side"], sums["side"])
    qdd = ca.if_else(ca.logic_and(again, ca.logic_not(whole)), c["qdd"], qdd)
    needed = ca.if_else(whole, _needed(s), c["needed"])
    left = ca.if_else(lost, 0, left)
    given_up = ca.logic_or(again, lost)
    doubt = ca.logic_and(ca.logic_not(given_up), ca.logic_or(ca.logic_not(whole), _strays(s)))
    after = [
        q + shift * length * qd, qd + shift * length * qdd, q, qd, qdd, *sums.values(), needed,
        c["stop"], length, left, shift, ca.if_else(given_up, 0, _farthest(s, q)), doubt,
    ]  # fmt: skip
    before = [c[name] for name in (*PART_VECTORS, *PART_NUMBERS[:-2])] + [ca.SX(0)] * 2
    return [ca.if_else(live, new, old) for new, old in zip(after, before, strict=True)]


def motor_torques(s: CycleSymbols) -> Any:
    """The motor torques of a part."""
    ca, limit, side = casadi(), s.b["limit"], s.t["side"]
    clipped = ca.fmin(limit, ca.fmax(-limit, s.t["torque"]))
    return ca.if_else(side == 0, clipped, side * limit)


def _strays(s: CycleSymbols) -> Any:
    """Whether the arm leaves what it is asked for by more than `STRAY`, measured at the rotors."""
    ca, ratios = casadi(), np.abs(np.diag(s.K))
    short = ca.fabs(s.t["y"] - s.b["y"]) * s.b["length"]
    return _largest(short / ca.DM(ratios)) > STRAY


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
    """The motor torque that the programmed motion takes at the state of the cycle's start.

    It is that of the programmed acceleration, apart from what catching up would ask, with dry
    friction against the programmed velocity: it does not depend on dt. Against the velocity of the
    arm it would, where a rotor that has lagged behind rests or turns round: there a little more or
    less of acceleration decides for one side. Friction that can hold a rotor which is to rest is
    taken off.
    """
    ca, b = casadi(), s.b
    y = ca.DM(s.K) @ ((s.g["qd"] - s.g["qd_before"]) * s.per_dt)
    load = damped(s, load_matrix(s), s.dt) @ y + b["b"]
    needed, helped = s.motor_torque(b["rate"], y, load, ca.DM(s.K) @ s.g["qd"])
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


def stop(s: CycleSymbols) -> list[Any]:
    """Joints beyond their stops come to rest there, by one impact that takes energy only.

    M d = C^T l with M = K^T (A + I) K, d = -qd for the joints that are hit and l = 0 for the
    others. A stop does not pull: a joint that the others push back from it is let go; and a joint
    beyond its stop that they push outward is hit, too.
    """
    ca, c = casadi(), s.c
    K, A = ca.DM(s.K), load_matrix(s)
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
        c["length"], left, c["shift"], 0, ca.if_else(lost, 0, c["doubt"]),
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


def _sides(s: CycleSymbols) -> Any:
    """The limits of the parts; where no motor came to one, those of the cycle in one piece."""
    ca, found = casadi(), casadi().SX(0)
    for side in scalars(s.c["side"]):
        found = ca.logic_or(found, ca.fabs(side) == 1)
    reached = ca.logic_or(ca.logic_not(found), ca.fabs(s.c["side"]) == 1)
    return ca.if_else(reached, ca.sign(s.c["side"]), 0)


def close(s: CycleSymbols) -> list[Any]:
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
    side, stop = (ca.if_else(saturated, x, 0) for x in (_sides(s), c["stop"]))
    needed = ca.if_else(saturated, c["needed"], r["torque"])
    return [*columns, s.row[-1], r["qdd"], needed, side, stop]
