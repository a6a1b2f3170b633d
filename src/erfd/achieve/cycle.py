"""One cycle of Algorithm 1 as CasADi functions.

Each cycle, from the state at t_k: the wanted velocity at t_k+1 within the limits of joints and
rotors (step 1), the acceleration that takes (2), joint torques (3), motor torques (4), their limits
(5), the accelerations that are then left (6), new velocity and position (7, 8). This is the only
text of the algorithm; `compiled_loop` makes machine code of it, `casadi_loop` lets CasADi compute
it. The functions are one cycle, and the set-up of the saturation problem, one of its rounds, and
its end.

Wanted in step 6 are rotor accelerations y with motor torques within their limits, such that every
motor below its limit gives its rotor the desired acceleration, and every motor at its limit falls
short of it in the direction in which it pushes. With load x = A y + b (A symmetric positive
definite for the virtual-work path) and u_a = x + mu |x| s + c s + d y + f, d > 0, that is a
complementarity problem with exactly one solution (erratum 8). The set of saturated motors is grown
and released until it fits; after a few rounds only the lowest index changes (Murty).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..drives.drives import REST
from ..drives.symbols import MotorSymbols, named_parts, torque_limit
from ..dynamics.linear import solve
from ..kernels.payload_parameters import PayloadParameters
from ..kernels.trace import casadi, scalars
from ..robot.model import Robot

CYCLE_VECTORS = ("q", "qd", "qdd", "torque", "load")
"""What `cycle` gives: vectors of length n, in this order, then `need`."""
SATURATED_VECTORS = ("wanted", "needed", "side")
"""What `finish` adds for a cycle that needs the saturation problem."""
NOTE_VECTORS = ("limit", "clipped")
"""What `note` adds for the record."""
PROBLEM_VECTORS = ("b", "y", "direction", "limit", "drag")
"""What `setup` gives: vectors of length n, in this order, then A row by row."""
ROUND_VECTORS = ("y", "load", "torque", "side", "sign")
"""What `round` gives: vectors of length n, in this order, then `changed`."""

ALL_AT_ONCE = 6
"""Rounds in which every violated index changes; then only the lowest one of each state does."""
ROUNDS = 200
SLACK = 1e-12
"""A torque may exceed its limit by this part of it before its motor counts as saturated."""


def row_size(n: int) -> int:
    """Numbers that a cycle leaves: `CYCLE_VECTORS`, need, `SATURATED_VECTORS`, `NOTE_VECTORS`."""
    return (len(CYCLE_VECTORS) + len(SATURATED_VECTORS) + len(NOTE_VECTORS)) * n + 1


@dataclass(frozen=True, slots=True)
class CycleOptions:
    """The options that the traces of a cycle depend on, beside the robot."""

    path: str = "virtual-work"
    follow: str = "velocity"
    policy: str = "consistent"
    wrench: bool = False
    payload: bool = False


@dataclass(frozen=True, slots=True)
class CycleTraces:
    """The CasADi functions of one cycle and of the saturation problem.

    `cycle` and `note` are those of every cycle, `setup` to `finish` those of the problem.
    """

    cycle: Any
    note: Any
    setup: Any
    start: Any
    round: Any
    finish: Any


class CycleSymbols(MotorSymbols):
    """The inputs that the functions of a cycle share: those of the motors, and its own."""

    def __init__(self, robot: Robot, options: CycleOptions, bodies: PayloadParameters):
        super().__init__(
            robot, bodies, path=options.path, wrench=options.wrench, payload=options.payload
        )
        sx, n = casadi().SX.sym, robot.n
        self.options = options
        self.given = sx("given", 2 * n)
        self.row = sx("row", len(CYCLE_VECTORS) * n + 1)
        self.problem = sx("problem", len(PROBLEM_VECTORS) * n + n * n)
        self.turn = sx("turn", len(ROUND_VECTORS) * n + 1)
        self.single = sx("single", 1)
        self.r = named_parts(self.row, CYCLE_VECTORS, n)
        self.b = named_parts(self.problem, PROBLEM_VECTORS, n)
        self.t = named_parts(self.turn, ROUND_VECTORS, n)


def traces(robot: Robot, options: CycleOptions) -> CycleTraces:
    """Trace the functions of one robot; what `options` leaves out costs nothing."""
    ca = casadi()
    bodies = PayloadParameters.of(robot)
    s = CycleSymbols(robot, options, bodies)
    outside = [s.wrench, s.body, s.parameters]
    limit = torque_limit(robot, ca.DM(s.K) @ s.qd, s.p["torque_max"])
    note = [limit, _target(s)[1]]
    printed = options.policy == "printed"
    return CycleTraces(
        _function("cycle", [s.state, s.given, *outside], _printed(s) if printed else _cycle(s)),
        _function("note", [s.state, s.given, s.parameters], note),
        *_saturation_functions(s),
    )


def _function(name: str, inputs: list[Any], result: list[Any]) -> Any:
    """A CasADi function with one result, common parts computed once."""
    ca = casadi()
    return ca.Function(name, inputs, [ca.cse(ca.densify(ca.vertcat(*result)))])


def _saturation_functions(s: CycleSymbols) -> tuple[Any, Any, Any, Any]:
    """Set-up, start, round and finish; they are the same whatever is followed or pushed."""

    def make() -> tuple[Any, Any, Any, Any]:
        none = casadi().SX.zeros(s.n)
        sign = casadi().if_else(s.r["load"] < 0, -1, 1)
        return (
            _function("setup", [s.state, s.body, s.parameters, s.row], _setup(s)),
            _function("start", [s.row], [none, none, none, none, sign, 0]),
            _function("round", [s.problem, s.parameters, s.turn, s.single], _round(s)),
            _function("finish", [s.state, s.parameters, s.row, s.problem, s.turn], _finish(s)),
        )

    return s.robot.once((_saturation_functions, s.options.path, s.options.payload), make)


def _cycle(s: CycleSymbols) -> list[Any]:
    """Steps 1 to 5 and, if no motor has too little, 7 and 8."""
    ca, p = casadi(), s.p
    target, _ = _target(s)
    wanted = (target - s.qd) * s.per_dt  # step 2
    load = ca.DM(s.to_load) @ s.torques(wanted)
    rate, y = ca.DM(s.K) @ s.qd, ca.DM(s.K) @ wanted
    limit = torque_limit(s.robot, rate, p["torque_max"])
    needed, helped = s.motor_torque(rate, y, load)  # step 4
    excess = ca.fabs(needed) - limit * (1 + SLACK) - helped
    torque = ca.fmin(limit, ca.fmax(-limit, needed))
    need = excess[0]
    for i in range(1, s.n):
        need = ca.fmax(need, excess[i])
    return [s.q + target * s.dt, target, wanted, torque, load, need]  # steps 7, 8


def _target(s: CycleSymbols) -> tuple[Any, Any]:
    """Step 1: the velocity to reach, within limits, and which limit bent it (`events.LIMITS`).

    The limit comes first in fmin and fmax: what is no number stays none.
    """
    ca, p, n = casadi(), s.p, s.n
    target = s.given[n:]
    if s.options.follow == "position":
        target = target + _catch_up(s, s.given[:n] - target * s.dt - s.q)
    slowed = ca.fmin(p["fastest"], ca.fmax(-p["fastest"], target))
    turned = _within_rotor_speeds(s, slowed)
    low, high = (p["low"] - s.q) * s.per_dt, (p["high"] - s.q) * s.per_dt
    fitted = ca.fmin(high, ca.fmax(low, turned))
    clipped = ca.SX.zeros(n)
    for code, before, after in ((1, target, slowed), (2, slowed, turned), (3, turned, fitted)):
        bent = ca.fabs(after - before) > 1e-12 * (1 + ca.fabs(before))
        clipped = ca.if_else(bent, code, clipped)
    return fitted, clipped


def _within_rotor_speeds(s: CycleSymbols, rates: Any) -> Any:
    """Joint velocities that no rotor is too slow for (erratum 18); changes as few as it can.

    K is lower triangular in the papers' arms: joint i is slowed until rotor i can follow, given
    the joints before it. If rotors depend on later joints, too, what is left is scaled.
    """
    ca, most = casadi(), s.p["speed_max"]
    rates = ca.vertcat(rates)
    for i in range(s.n):
        rotor = ca.mtimes(ca.DM(s.K[i : i + 1]), rates)
        allowed = ca.fmin(most[i], ca.fmax(-most[i], rotor))
        rates[i] = rates[i] + (allowed - rotor) * float(1 / s.K[i, i])
    if np.triu(s.K, 1).any():
        worst = ca.SX(1.0)
        for i in range(s.n):
            speed = ca.fabs(ca.mtimes(ca.DM(s.K[i : i + 1]), rates))
            worst = ca.fmax(worst, speed / most[i])
        rates = ca.if_else(worst > 1 + 1e-12, rates / worst, rates)
    return rates


def _catch_up(s: CycleSymbols, lag: Any) -> Any:
    """The extra velocity that removes a lag and can be braked again without overshoot."""
    ca, braking = casadi(), s.p["braking"]
    size = ca.fabs(lag)
    unit = ca.if_else(braking < 1e300, braking, size / s.dt**2 + 1.0) * s.dt
    # the largest v with v + (v - unit) + (v - 2 unit) + ... <= lag / dt
    extra = unit * (ca.sqrt(0.25 + 2 * size / (unit * s.dt)) - 0.5)
    return ca.copysign(ca.fmin(extra, size / s.dt), lag)


def _setup(s: CycleSymbols) -> list[Any]:
    """The saturation problem of step 6, from the row of `cycle`."""
    ca, r = casadi(), s.r
    rate, y = ca.DM(s.K) @ s.qd, ca.DM(s.K) @ r["qdd"]
    motion = ca.if_else(ca.fabs(rate) > REST, rate, rate + y * s.dt)
    direction = ca.if_else(ca.fabs(motion) > REST, ca.sign(motion), 0)
    A = ca.DM(s.to_load) @ s.mass_matrix @ ca.DM(s.inverse)
    limit = torque_limit(s.robot, rate, s.p["torque_max"])
    return [r["load"] - A @ y, y, direction, limit, s.p["viscous"] * rate, ca.vec(A.T)]


def _against(direction: Any, load: Any) -> Any:
    """The sign of friction: a rotor that is to stay at rest can only slip with the load."""
    return casadi().if_else(direction == 0, -load, direction)


def _round(s: CycleSymbols) -> list[Any]:
    """One round of the saturation problem: accelerations for these sides, and which change."""
    ca, p, b, n = casadi(), s.p, s.b, s.n
    A = ca.reshape(s.problem[len(PROBLEM_VECTORS) * n :], n, n).T
    side, sign = s.t["side"], s.t["sign"]
    tight = side != 0
    against = _against(b["direction"], sign)
    slope = 1 + p["load_friction"] * sign * against  # of phi where the load has this sign
    free = ca.if_else(tight, 0, b["y"])
    at_limit = (side * b["limit"] - b["drag"] - p["coulomb"] * against) / slope - b["b"]
    right = ca.if_else(tight, at_limit - A @ free, b["y"])
    rows = []
    for i in range(n):
        row = [ca.if_else(ca.logic_and(tight[i], tight[j]), A[i, j], 0) for j in range(n)]
        row[i] = ca.if_else(tight[i], A[i, i] + s.effective_inertia[i] / slope[i], 1.0)
        rows.append(row)
    if s.options.path == "diagonal":  # A is not symmetric
        y = _eliminate(rows, scalars(right))
    else:
        y = ca.vertcat(*solve(rows, scalars(right)))
    load = A @ y + b["b"]
    dry = p["load_friction"] * ca.fabs(load) + p["coulomb"]
    dry = ca.if_else(b["direction"] == 0, ca.fmin(dry, ca.fabs(load)), dry)  # at rest it only holds
    now = _against(b["direction"], ca.sign(load))
    torque = load + dry * now + s.effective_inertia * y + b["drag"]
    over = ca.logic_and(side == 0, ca.fabs(torque) > b["limit"] * (1 + SLACK))
    short = side * (b["y"] - y)  # how much the motor would still have to push
    release = ca.logic_and(tight, short < -1e-12 * (ca.fabs(b["y"]) + ca.fabs(y)))
    flip = ca.logic_and(tight, load * sign < 0)
    seen, changed = ca.SX(0), ca.SX(0)
    sides, signs = [], []
    for i in range(n):
        violated = ca.logic_or(over[i], ca.logic_or(release[i], flip[i]))
        alone = ca.logic_or(s.single == 0, ca.logic_not(seen))
        allowed = ca.logic_and(violated, alone)
        seen = changed = ca.logic_or(seen, violated)
        fresh = ca.if_else(load[i] < 0, -1, 1)
        turned = ca.if_else(flip[i], -sign[i], ca.if_else(over[i], fresh, sign[i]))
        left = ca.logic_and(release[i], ca.logic_not(flip[i]))
        moved = ca.if_else(left, 0, ca.if_else(over[i], ca.sign(torque[i]), side[i]))
        signs.append(ca.if_else(allowed, turned, sign[i]))
        sides.append(ca.if_else(allowed, moved, side[i]))
    return [y, load, torque, ca.vertcat(*sides), ca.vertcat(*signs), changed]


def _eliminate(rows: list[list[Any]], right: list[Any]) -> Any:
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


def _finish(s: CycleSymbols) -> list[Any]:
    """Steps 7 and 8 for a cycle with a saturated motor; any other stays as `cycle` left it."""
    ca, r, b, t, p = casadi(), s.r, s.b, s.t, s.p
    saturated = s.row[-1] > 0
    dry = (p["load_friction"] * ca.fabs(r["load"]) + p["coulomb"]) * ca.sign(b["direction"])
    resting = b["direction"] == 0
    least = ca.copysign(
        ca.fmax(ca.fabs(r["load"]) * (1 - p["load_friction"]) - p["coulomb"], 0), r["load"]
    )
    needed = ca.if_else(resting, least, r["load"] + dry + s.effective_inertia * b["y"] + b["drag"])
    rested = ca.logic_and(resting, t["side"] == 0)
    torque = ca.fmin(b["limit"], ca.fmax(-b["limit"], ca.if_else(rested, t["load"], t["torque"])))
    qdd = ca.DM(s.inverse) @ t["y"]
    qd = s.qd + qdd * s.dt
    solved = {"q": s.q + qd * s.dt, "qd": qd, "qdd": qdd, "torque": torque, "load": t["load"]}
    columns = [ca.if_else(saturated, solved[name], r[name]) for name in CYCLE_VECTORS]
    side = ca.if_else(saturated, t["side"], 0)
    return [*columns, s.row[-1], r["qdd"], ca.if_else(saturated, needed, r["torque"]), side]


def _printed(s: CycleSymbols) -> list[Any]:
    """The whole cycle as printed: friction at the demanded u, clamped torques in all of (92)."""
    ca, p, n = casadi(), s.p, s.n
    target, _ = _target(s)
    wanted = (target - s.qd) * s.per_dt
    u = s.torques(wanted)
    k = ca.DM(np.diag(s.K))
    rate = ca.DM(s.K) @ s.qd
    h = s.mass_matrix
    h_a = ca.vertcat(
        *(h[i, :] / k[i] + s.effective_inertia[i] * ca.DM(s.K[i : i + 1]) for i in range(n))
    )  # D.3
    dry = p["load_friction"] * ca.sign(s.qd) * u + p["coulomb"] * k * ca.sign(s.qd)
    rest = (u - h @ wanted + dry) / k + p["viscous"] * rate
    needed = h_a @ wanted + rest
    limit = torque_limit(s.robot, rate, p["torque_max"])
    over = ca.fabs(needed) > limit  # step 5
    clamped = ca.fmin(limit, ca.fmax(-limit, needed))
    rows = [[h_a[i, j] for j in range(n)] for i in range(n)]
    solved = _eliminate(rows, scalars(clamped - rest))  # (92)
    qdd = ca.if_else(over, solved, wanted)
    qd = s.qd + qdd * s.dt
    side = ca.if_else(over, ca.sign(needed), 0)
    row = [s.q + qd * s.dt, qd, qdd, clamped, (u + dry) / k, 0, wanted, needed, side]
    return row
