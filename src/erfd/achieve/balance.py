"""The energy of a part of a saturated cycle: it must not come from nowhere.

What links, payload and rotors have at the end of a part may exceed what they had at its start, plus
what the motors gave and minus what the wrench took, by no more than

    GAIN dt h (T + E),

h being the length of the part, T the kinetic energy at its start and E what lifts the arm's links
by 1 m. The same is asked with the losses of friction and damping taken off, behind which an error
could hide. A part that gains more is tried again at half its length; if the shortest one does, the
arm has run away. So over a run of t seconds no arm gains more than GAIN dt t (T + E), T being its
largest kinetic energy.

Cycles in one piece in which the arm does about what it is asked for (`parts.STRAY`) are not looked
at: the energy of such an arm is that of the motion it is asked for.
"""

from __future__ import annotations

from typing import Any

from ..dynamics import fast, kinematics
from ..dynamics.chain import chain_of
from ..dynamics.regroup import regrouped_moments
from ..kernels.trace import casadi
from .parts import LOST, MOST_PARTS, TRIED, motor_torques
from .symbols import PART_NUMBERS, PART_VECTORS, CycleSymbols

GAIN = 20.0
"""How much energy may come from nowhere, 1/s2."""
G = 9.81
"""m/s2: what the scale of energies is taken with, whatever gravity the arm is in."""
ROUNDING = 1e-13
"""What rounding may change in energies, as a part of their sizes."""


def judge(s: CycleSymbols) -> list[Any]:
    """The part as it is, or, if it has gained too much, once more from its start at half length.

    `state` is where the equations of the part were taken, `part` its start, `later` its end.
    """
    ca, c, e = casadi(), s.c, s.e
    chain = chain_of(s.robot)
    heavy = sum(body.mass for body in chain.bodies) * G * 1.0
    moments = s.moments or regrouped_moments(chain)
    links, rotors, heights = zip(*(_energies(s, x["q"], x["qd"], moments) for x in (c, e)),
                                 strict=True)  # fmt: skip
    turned = e["q"] - c["q"]
    outside = ca.vertcat(*kinematics.external_torque(chain, s.pose, s.wrench_in_base()))
    change = links[1] - links[0] + rotors[1] - rotors[0] + heights[1] - heights[0]
    change = change + ca.dot(turned, outside)
    qd = c["qd"] + ca.DM(s.inverse) @ s.t["y"] * c["length"]
    load = ca.inv(ca.DM(s.to_load)) @ s.t["load"] - s.damping * qd
    gain = change - ca.dot(turned, load + ca.DM(s.K.T) @ (s.p["inertia"] * s.t["y"]))
    if s.options.path != "diagonal":  # whose motors' work is not that of the joints
        gain = ca.fmax(gain, change - ca.dot(ca.DM(s.K) @ turned, motor_torques(s)))
    size = sum((ca.fabs(x) for x in (*links, *rotors, *heights)), ca.SX(0))
    most = GAIN * s.dt * c["length"] * (links[0] + rotors[0] + heavy) + ROUNDING * size
    bad = ca.logic_and(e["doubt"] > 0, ca.logic_not(gain <= most))
    lost = ca.logic_and(bad, c["length"] <= s.dt / MOST_PARTS)
    again = ca.logic_and(bad, ca.logic_not(lost))
    length, ahead = c["length"] / 2, c["length"] / 4
    anew = {name: c[name] for name in (*PART_VECTORS, *PART_NUMBERS)} | {
        "q_at": c["q"] + ahead * c["qd"], "qd_at": c["qd"] + ahead * e["qdd"], "qdd": e["qdd"],
        "side": ca.if_else(c["shift"] == 0, TRIED * e["side"], c["side"]),
        "needed": e["needed"], "length": length, "shift": 0.5,
    }  # fmt: skip
    result = {name: ca.if_else(again, value, e[name]) for name, value in anew.items()}
    result["q"] = ca.if_else(lost, LOST, result["q"])
    result["left"] = ca.if_else(lost, 0, result["left"])
    return list(result.values())


def _energies(s: CycleSymbols, q: Any, qd: Any, moments: Any) -> tuple[Any, Any, Any]:
    """Kinetic energies of links and rotors, and the potential energy up to a constant, J."""
    ca, chain, pose = casadi(), chain_of(s.robot), s.pose_at(q)
    H = ca.vertcat(*(ca.horzcat(*row) for row in fast.mass_matrix(chain, pose, moments)))
    rate = ca.DM(s.K) @ qd
    links, rotors = ca.dot(qd, H @ qd) / 2, ca.dot(s.p["inertia"], rate**2) / 2
    return links, rotors, fast.potential_energy(chain, pose, moments)
