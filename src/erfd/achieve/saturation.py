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
"""

from __future__ import annotations

from typing import Any

from ..drives.drives import REST
from ..drives.symbols import torque_limit
from ..dynamics.linear import solve
from ..kernels.trace import casadi, scalars
from .symbols import PROBLEM_VECTORS, SLACK, CycleSymbols


def set_up(s: CycleSymbols) -> list[Any]:
    """The problem of a part; the state is `q_at`, `qd_at` of the part, `source` its `cycle`."""
    ca, c = casadi(), s.c
    live = c["left"] > 0
    rate = ca.DM(s.K) @ c["qd"]
    y = ca.DM(s.K) @ ((s.r["qd"] - c["qd"]) / ca.if_else(live, c["left"], 1))
    A = ca.DM(s.to_load) @ s.mass_matrix @ ca.DM(s.inverse)
    b = s.w["load"] - damped(s, A, s.dt) @ (ca.DM(s.K) @ s.w["qdd"])
    if s.damping.any():  # which is that of the velocity at the start of the part
        b = b - ca.DM(s.to_load) @ (s.damping * (s.qd - c["qd"]))
    limit = torque_limit(s.robot, rate, s.p["torque_max"])
    after = rate + y * c["length"]
    direction = ca.if_else(ca.fabs(after) > REST, ca.sign(after), 0)
    return [b, y, rate, limit, direction, ca.vec(A.T), c["length"], 1 / c["length"], live]


def load_matrix(s: CycleSymbols) -> Any:
    """A of the problem: what the links' inertia loads the rotors with."""
    ca, n = casadi(), s.n
    first = len(PROBLEM_VECTORS) * n
    return ca.reshape(s.problem[first : first + n * n], n, n).T


def damped(s: CycleSymbols, A: Any, time: Any) -> Any:
    """A with the damping of the joints at the end of this time, in rotor coordinates."""
    if not s.damping.any():
        return A
    ca = casadi()
    return A + time * (ca.DM(s.to_load * s.damping) @ ca.DM(s.inverse))


def first_modes(s: CycleSymbols) -> list[Any]:
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


def next_modes(s: CycleSymbols) -> list[Any]:
    """One round: accelerations in these modes, and the motors that change theirs."""
    ca, p, b, n = casadi(), s.p, s.b, s.n
    A = damped(s, load_matrix(s), b["length"])
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
