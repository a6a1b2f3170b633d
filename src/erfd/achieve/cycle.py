"""One cycle of Algorithm 1 as CasADi functions.

Each cycle, from the state at t_k: the wanted velocity at t_k+1 within the limits of joints and
rotors (step 1), the acceleration that takes (2), joint torques (3), motor torques (4), their limits
(5), the accelerations that are then left (6), new velocity and position (7, 8). `cycle` does all of
it where no motor has too little; where one has, the functions of `saturation` find what is left,
those of `parts` go through the cycle, and `balance` watches the energy.
This is the only text of the algorithm; `compiled_loop` makes machine code of it, `casadi_loop` lets
CasADi compute it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..drives.symbols import torque_limit
from ..kernels.payload_parameters import PayloadParameters
from ..kernels.trace import casadi, scalars
from ..robot.model import Robot
from . import parts
from .balance import judge
from .saturation import eliminate, first_modes, next_modes, set_up
from .symbols import SLACK, CycleOptions, CycleSymbols, function

OVER_LIMIT = 1e-9
"""How far a wanted position may be beyond its limit without an event: rounding, rad (m)."""


@dataclass(frozen=True, slots=True)
class CycleTraces:
    """The CasADi functions of one cycle.

    `cycle` and `note` are those of every cycle, the others those of the saturation problem.
    """

    cycle: Any
    note: Any
    open: Any
    setup: Any
    start: Any
    round: Any
    advance: Any
    stop: Any
    judge: Any
    close: Any


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
        function("cycle", [s.state, s.given, *outside], _printed(s) if printed else _cycle(s)),
        function("note", [s.state, s.given, s.parameters], note),
        **_saturation_functions(s),
    )


def _saturation_functions(s: CycleSymbols) -> dict[str, Any]:
    """The functions of a cycle in which a motor has too little, traced once for a robot."""
    parts_of: dict[str, tuple[Callable[[CycleSymbols], list[Any]], list[Any]]] = {
        "open": (parts.in_one_piece, [s.state, s.parameters, s.row]),
        "setup": (set_up, [s.state, s.body, s.parameters, s.row, s.source, s.part]),
        "start": (first_modes, [s.problem, s.parameters, s.row]),
        "round": (next_modes, [s.problem, s.parameters, s.turn, s.single]),
        "advance": (
            parts.advance, [s.state, s.given, s.parameters, s.part, s.problem, s.turn]
        ),
        "stop": (parts.stop, [s.parameters, s.part, s.problem]),
        "judge": (
            judge,
            [s.state, s.wrench, s.body, s.parameters, s.part, s.later, s.problem, s.turn],
        ),
        "close": (parts.close, [s.state, s.parameters, s.row, s.part]),
    }  # fmt: skip

    def make() -> dict[str, Any]:
        return {name: function(name, inputs, text(s)) for name, (text, inputs) in parts_of.items()}

    options = s.options
    key = (_saturation_functions, options.path, options.wrench, options.payload)
    return s.robot.once(key, make)


def _cycle(s: CycleSymbols) -> list[Any]:
    """Steps 1 to 5 and, if no motor has too little, 7 and 8."""
    ca, p = casadi(), s.p
    target, _ = _target(s)
    wanted = (target - s.qd) * s.per_dt  # step 2
    load = ca.DM(s.to_load) @ (s.torques(wanted) + s.damping * target)
    rate, y = ca.DM(s.K) @ s.qd, ca.DM(s.K) @ wanted
    limit = torque_limit(s.robot, rate, p["torque_max"])
    needed, helped = s.motor_torque(rate, y, load, ca.DM(s.K) @ target)  # step 4
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
    target = s.g["qd"]
    if s.options.follow == "position":
        target = target + _catch_up(s, s.g["q"] - target * s.dt - s.q)
    slowed = ca.fmin(p["fastest"], ca.fmax(-p["fastest"], target))
    low, high = (p["low"] - s.q) * s.per_dt, (p["high"] - s.q) * s.per_dt
    turned, fitted = _within_rotor_speeds(s, slowed, low, high)
    scaled = _scaled_to_rotor_speeds(s, fitted)
    clipped = ca.SX.zeros(n)
    steps = ((1, target, slowed), (2, slowed, turned), (3, turned, fitted), (2, fitted, scaled))
    for code, before, after in steps:
        # positions are sums of many steps: who goes right to a limit is not beyond it
        rounding = OVER_LIMIT * s.per_dt if code == 3 else 1e-12 * (1 + ca.fabs(before))
        bent = ca.fabs(after - before) > rounding
        clipped = ca.if_else(bent, code, clipped)
    return scaled, clipped


def _within_rotor_speeds(s: CycleSymbols, rates: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """Joint velocities that no rotor is too slow for (erratum 18), then those that stay in reach.

    K is lower triangular in the papers' arms: joint i is slowed until rotor i can follow, given
    the joints before it as they will be, that is, kept within their positions (`low` to `high`).
    """
    ca, most = casadi(), s.p["speed_max"]
    turned, rates = ca.vertcat(rates), ca.vertcat(rates)
    for i in range(s.n):
        rotor = ca.mtimes(ca.DM(s.K[i : i + 1]), rates)
        allowed = ca.fmin(most[i], ca.fmax(-most[i], rotor))
        turned[i] = rates[i] + (allowed - rotor) * float(1 / s.K[i, i])
        rates[i] = ca.fmin(high[i], ca.fmax(low[i], turned[i]))
    return turned, rates


def _scaled_to_rotor_speeds(s: CycleSymbols, rates: Any) -> Any:
    """All velocities scaled if rotors depend on later joints, too, and one is too slow."""
    ca, most = casadi(), s.p["speed_max"]
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
    solved = eliminate(rows, scalars(clamped - rest))  # (92)
    qdd = ca.if_else(over, solved, wanted)
    qd = s.qd + qdd * s.dt
    side = ca.if_else(over, ca.sign(needed), 0)
    none = ca.SX.zeros(n)
    row = [s.q + qd * s.dt, qd, qdd, clamped, (u + dry) / k, 0, wanted, needed, side, none]
    return row
