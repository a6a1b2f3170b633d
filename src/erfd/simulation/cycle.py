"""Algorithm 1 as traces: one cycle, the box problem's set-up, one of its rounds, and the end.

The same rules as `achieve.Achiever` and `saturation.solve` (policy `consistent`), expressed over
CasADi's symbols so that the whole loop over the cycles can be compiled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..dynamics import fast
from ..dynamics.chain import Wrench, chain_of
from ..dynamics.linear import solve
from ..kernels.trace import casadi, scalars
from ..robot.model import Robot
from .saturation import SLACK

PARAMETERS = (
    "load_friction", "coulomb", "viscous", "inertia", "torque_max", "speed_max", "fastest", "low",
    "high", "braking",
)  # fmt: skip
"""Vectors of length n, in this order, then dt and 1 / dt."""
FIRST = ("wanted", "y", "load", "direction", "limit", "needed", "clipped")
"""What `cycle` gives: vectors of length n, in this order, then `need`."""
ROUND = ("y", "load", "torque", "side", "sign")
"""What `round` gives: vectors of length n, in this order, then `changed`."""
ROW = ("q", "qd", "qdd", "torque", "needed", "limit", "side", "clipped", "wanted")
"""What is recorded of a cycle."""


@dataclass(frozen=True, slots=True)
class CycleTraces:
    """CasADi functions: cycle; setup, round and finish if a motor saturates; calm if none does."""

    cycle: Any
    setup: Any
    round: Any
    finish: Any
    calm: Any


class _Symbols:
    """The inputs that the functions share, cut into vectors."""

    def __init__(self, n: int):
        sx = casadi().SX.sym
        self.state, self.given = sx("state", 2 * n), sx("given", 2 * n + 6)
        self.parameters = sx("parameters", len(PARAMETERS) * n + 2)
        self.first, self.box = sx("first", len(FIRST) * n + 1), sx("box", n * n + n)
        self.turn = sx("turn", len(ROUND) * n + 1)
        self.single = sx("single", 1)
        self.q, self.qd = self.state[:n], self.state[n:]
        self.p = _cut(self.parameters, PARAMETERS, n)
        self.dt, self.per_dt = self.parameters[-2], self.parameters[-1]
        self.f, self.t = _cut(self.first, FIRST, n), _cut(self.turn, ROUND, n)


def _cut(vector: Any, names: tuple[str, ...], n: int) -> dict[str, Any]:
    return {name: vector[k * n : (k + 1) * n] for k, name in enumerate(names)}


def traces(robot: Robot, K: np.ndarray, path: str, follow: str, wrench: bool) -> CycleTraces:
    """The functions of one robot; without `wrench` nothing is paid for it."""
    ca = casadi()
    n = robot.n
    s = _Symbols(n)
    inverse = np.linalg.inv(K)
    to_load = np.diag(1 / np.diag(K)) if path == "diagonal" else inverse.T

    cycle = ca.vertcat(*_cycle(robot, s, K, to_load, follow, wrench))
    h = fast.mass_matrix(chain_of(robot), _pose(robot, s))
    H = ca.vertcat(*(ca.horzcat(*row) for row in h))
    A = ca.DM(to_load) @ H @ ca.DM(inverse)
    box = ca.vertcat(ca.vec(A.T), s.f["load"] - A @ s.f["y"])
    turn = ca.vertcat(*_round(s, n))
    f = s.f
    easy = f | {"torque": f["needed"], "side": ca.SX.zeros(n)}
    calm = ca.vertcat(*_finish(s, f["wanted"], easy))
    # a lane that needs nothing gets, to the last bit, what it gets when no lane does
    hard = s.first[-1] > 0
    chosen = {k: ca.if_else(hard, s.t[k], easy[k]) for k in ("load", "torque", "side")}
    qdd = ca.if_else(hard, ca.DM(inverse) @ s.t["y"], f["wanted"])
    finish = ca.vertcat(*_finish(s, qdd, chosen))

    def function(name: str, inputs: list[Any], result: Any) -> Any:
        return ca.Function(name, inputs, [ca.cse(ca.densify(result))])

    return CycleTraces(
        function("cycle", [s.state, s.given, s.parameters], cycle),
        function("setup", [s.state, s.first], box),
        function("round", [s.first, s.box, s.parameters, s.state, s.turn, s.single], turn),
        function("finish", [s.state, s.parameters, s.first, s.turn], finish),
        function("calm", [s.state, s.parameters, s.first], calm),
    )


def _pose(robot: Robot, s: _Symbols) -> list[tuple[Any, Any, Any]]:
    ca = casadi()
    return [
        (ca.cos(s.q[i]), ca.sin(s.q[i]), 0.0) if joint.revolute else (1.0, 0.0, s.q[i])
        for i, joint in enumerate(robot.joints)
    ]


def _cycle(
    robot: Robot, s: _Symbols, K: np.ndarray, to_load: np.ndarray, follow: str, wrench: bool
) -> list[Any]:
    """Steps 1 to 5: what is wanted, what it takes, and whether a motor has too little."""
    ca = casadi()
    n, p = robot.n, s.p
    target, clipped = _target(s, K, n, follow)
    wanted = (target - s.qd) * s.per_dt
    k = scalars(s.given[2 * n :])
    turn = np.array(robot.base.rotation).T
    force, moment = (list(scalars(ca.DM(turn) @ ca.vertcat(*v))) for v in (k[:3], k[3:]))
    load_at_tool = Wrench(force, moment) if wrench else None
    u = fast.inverse_dynamics(
        chain_of(robot), _pose(robot, s), scalars(s.qd), scalars(wanted), load_at_tool
    )
    rate, y = ca.DM(K) @ s.qd, ca.DM(K) @ wanted
    load = ca.DM(to_load) @ ca.vertcat(*u)
    ahead = rate + y * s.dt
    direction = ca.if_else(rate != 0, ca.sign(rate), ca.sign(ahead))
    limit = _limit(robot, rate, p["torque_max"])
    against = ca.if_else(direction == 0, -ca.sign(load), direction)
    friction = (p["load_friction"] * ca.fabs(load) + p["coulomb"]) * against
    grip = p["inertia"] + p["viscous"] * s.dt
    needed = load + friction + grip * y + p["viscous"] * rate
    over = ca.fabs(needed) > limit * (1 + SLACK)
    need = ca.SX(0)
    for i in range(n):
        need = ca.fmax(need, over[i])
    return [wanted, y, load, direction, limit, needed, clipped, need]


def _limit(robot: Robot, rate: Any, most: Any) -> Any:
    """The torque limit at the rotor's speed, along the torque-speed curves."""
    ca = casadi()
    columns = []
    for i, drive in enumerate(robot.drives):
        column = most[i]
        if drive.curve:
            speed = ca.fabs(rate[i])
            torque = ca.SX(drive.curve[-1][1])
            for (v0, t0), (v1, t1) in reversed(
                list(zip(drive.curve, drive.curve[1:], strict=False))
            ):
                torque = ca.if_else(speed < v1, t0 + (speed - v0) * ((t1 - t0) / (v1 - v0)), torque)
            torque = ca.if_else(speed < drive.curve[0][0], drive.curve[0][1], torque)
            column = ca.fmin(column, torque)
        columns.append(column)
    return ca.vertcat(*columns)


def _target(s: _Symbols, K: np.ndarray, n: int, follow: str) -> tuple[Any, Any]:
    """Step 1; see `achieve.Achiever._target`."""
    ca = casadi()
    p, q_given, target = s.p, s.given[:n], s.given[n : 2 * n]
    if follow == "position":
        lag = q_given - target * s.dt - s.q
        size = ca.fabs(lag)
        unit = ca.if_else(p["braking"] < 1e300, p["braking"], size / s.dt**2 + 1.0) * s.dt
        extra = unit * (ca.sqrt(0.25 + 2 * size / (unit * s.dt)) - 0.5)
        target = target + ca.sign(lag) * ca.fmin(extra, size / s.dt)
    slowed = ca.fmin(ca.fmax(target, -p["fastest"]), p["fastest"])
    rates = ca.vertcat(slowed)
    for i in range(n):
        rotor = ca.mtimes(ca.DM(K[i : i + 1]), rates)
        excess = ca.fmax(ca.fabs(rotor) - p["speed_max"][i], 0)
        rates[i] = rates[i] - ca.sign(rotor) * excess * float(1 / K[i, i])
    if np.triu(K, 1).any():
        worst = ca.SX(1.0)
        for i in range(n):
            speed = ca.fabs(ca.mtimes(ca.DM(K[i : i + 1]), rates))
            worst = ca.fmax(worst, speed / p["speed_max"][i])
        rates = ca.if_else(worst > 1 + 1e-12, rates / worst, rates)
    low, high = (p["low"] - s.q) * s.per_dt, (p["high"] - s.q) * s.per_dt
    fitted = ca.fmin(ca.fmax(rates, low), high)
    clipped = ca.SX.zeros(n)
    for code, before, after in ((1, target, slowed), (2, slowed, rates), (3, rates, fitted)):
        bent = ca.fabs(after - before) > 1e-12 * (1 + ca.fabs(before))
        clipped = ca.if_else(bent, code, clipped)
    return fitted, clipped


def _round(s: _Symbols, n: int) -> list[Any]:
    """One round of the box problem; see `saturation`."""
    ca = casadi()
    f, p = s.f, s.p
    A = ca.reshape(s.box[: n * n], n, n).T
    b = s.box[n * n :]
    side, sign = s.t["side"], s.t["sign"]
    tight = side != 0
    against = ca.if_else(f["direction"] == 0, -sign, f["direction"])
    slope = 1 + p["load_friction"] * sign * against
    grip = p["inertia"] + p["viscous"] * s.dt
    # q_a' is not among the inputs: what viscous friction takes is what `needed` has beside the rest
    calm = ca.if_else(f["direction"] == 0, -ca.sign(f["load"]), f["direction"])
    dry = (p["load_friction"] * ca.fabs(f["load"]) + p["coulomb"]) * calm
    drag = f["needed"] - f["load"] - dry - grip * f["y"]
    free = ca.if_else(tight, 0, f["y"])
    given = (side * f["limit"] - drag - p["coulomb"] * against) / slope - b
    right = ca.if_else(tight, given - A @ free, f["y"])
    rows = []
    for i in range(n):
        row = [ca.if_else(ca.logic_and(tight[i], tight[j]), A[i, j], 0) for j in range(i + 1)]
        row[i] = ca.if_else(tight[i], A[i, i] + grip[i] / slope[i], 1.0)
        rows.append([*row, *([0.0] * (n - i - 1))])
    y = ca.vertcat(*solve(rows, scalars(right)))
    load = A @ y + b
    now = ca.if_else(f["direction"] == 0, -ca.sign(load), f["direction"])
    torque = load + (p["load_friction"] * ca.fabs(load) + p["coulomb"]) * now + grip * y + drag
    over = ca.logic_and(side == 0, ca.fabs(torque) > f["limit"] * (1 + SLACK))
    short = side * (f["y"] - y)
    release = ca.logic_and(tight, short < -1e-12 * (ca.fabs(f["y"]) + ca.fabs(y)))
    flip = ca.logic_and(tight, load * sign < 0)
    seen, changed = ca.SX(0), ca.SX(0)
    sides, signs = [], []
    for i in range(n):
        violated = ca.fmax(over[i], ca.fmax(release[i], flip[i]))
        allowed = ca.fmax(1 - s.single, 1 - seen) * violated
        seen = ca.fmax(seen, violated)
        changed = ca.fmax(changed, violated)
        fresh = ca.if_else(load[i] < 0, -1, 1)
        turned = ca.if_else(flip[i], -sign[i], ca.if_else(over[i], fresh, sign[i]))
        left = ca.logic_and(release[i], 1 - flip[i])
        moved = ca.if_else(left, 0, ca.if_else(over[i], ca.sign(torque[i]), side[i]))
        signs.append(ca.if_else(allowed, turned, sign[i]))
        sides.append(ca.if_else(allowed, moved, side[i]))
    return [y, load, torque, ca.vertcat(*sides), ca.vertcat(*signs), changed]


def _finish(s: _Symbols, qdd: Any, found: dict[str, Any]) -> list[Any]:
    """Steps 7 and 8: the new state, which is the beginning of the row that is recorded."""
    ca = casadi()
    f = s.f
    resting = ca.logic_and(f["direction"] == 0, found["side"] == 0)
    held = ca.fmin(ca.fmax(found["load"], -f["limit"]), f["limit"])
    torque = ca.if_else(resting, held, found["torque"])
    qd = s.qd + qdd * s.dt
    q = s.q + qd * s.dt
    return [q, qd, qdd, torque, f["needed"], f["limit"], found["side"], f["clipped"], f["wanted"]]
