"""The equations of motion along a path: loads of the rotors for s'', for s'^2, and at rest.

With q' and q'' the derivatives by the length s of a path, the joint torques are a s'' + b s'^2 + c,

    c = ID(q, 0, 0),   a = ID(q, 0, q') - c,   b = ID(q, q', q'') - c,

and through K^-T they load the rotors. b + c with velocities for q' and accelerations for q'' are
the loads of a moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..drives.symbols import MotorSymbols
from ..dynamics import fast
from ..dynamics.chain import chain_of
from ..ground.arrays import Array
from ..kernels.choice import choose_row_function
from ..kernels.llvm.sincos import LARGEST
from ..kernels.payload_parameters import PayloadParameters
from ..kernels.row_function import RowFunction
from ..kernels.trace import casadi, scalars
from ..robot.model import Robot
from ..robot.payload import Payload


@dataclass(frozen=True, slots=True, eq=False)
class PathLoads:
    """What acts on the arm at each of N places: a wrench (N, 6) or (6,), and a payload."""

    wrench: Array | None = None
    payloads: Sequence[Payload | None] | Payload | None = None

    def at(self, rows: Any) -> PathLoads:
        """The loads at some of the places."""
        wrench, payloads = self.wrench, self.payloads
        if wrench is not None and wrench.ndim == 2:
            wrench = wrench[rows]
        if isinstance(payloads, Sequence):
            payloads = [payloads[k] for k in np.arange(len(payloads))[rows].tolist()]
        return PathLoads(wrench, payloads)

    @property
    def changing(self) -> bool:
        """Whether they differ from place to place."""
        return (self.wrench is not None and self.wrench.ndim == 2) or isinstance(
            self.payloads, Sequence
        )


def rotor_loads(
    robot: Robot, q: Array, first: Array, second: Array, loads: PathLoads
) -> tuple[Array, Array, Array]:
    """The loads a, b, c of the rotors per s'', s'^2 and 1, (N, n) each, N m.

    `q`, `first`, `second` (N, n) are positions and their derivatives by s.
    """
    inputs: list[Any] = [q, first, second]
    loaded = loads.payloads is not None
    if loads.wrench is not None:
        inputs.append(loads.wrench)
    if loaded:
        bodies = PayloadParameters.of(robot)
        many = isinstance(loads.payloads, Sequence)
        payloads = (
            list(loads.payloads) if isinstance(loads.payloads, Sequence) else [loads.payloads]
        )
        numbers = {p: bodies.numbers([p])[0] for p in dict.fromkeys(payloads)}
        body = np.array([numbers[p] for p in payloads])
        inputs.append(body if many else body[0])
    key = ("path loads", loads.wrench is not None, loaded)
    run = choose_row_function(
        robot,
        key,
        partial(_trace, robot, *key[1:]),
        "path loads",
        sources=("drives", "timing"),
        compiled=bool(np.abs(q).max(initial=0.0) <= LARGEST),
    )
    if isinstance(run, RowFunction):
        result = run(*inputs)
    else:
        spread = [np.broadcast_to(x, (len(q), np.shape(x)[-1])).T for x in inputs]
        result = np.array(run(*spread)).T
    a, b, c = np.split(result, 3, axis=1)
    return a, b, c


def _trace(robot: Robot, wrench: bool, payload: bool) -> Any:
    """A CasADi function of q, its derivatives, perhaps wrench and payload, that gives a, b, c."""
    ca, n = casadi(), robot.n
    s = MotorSymbols(
        robot, PayloadParameters.of(robot), path="virtual-work", wrench=wrench, payload=payload
    )
    chain, pose = chain_of(robot), s.pose
    nothing = scalars(ca.SX.zeros(n))
    q, first, second = (ca.SX.sym(name, n) for name in ("q", "first", "second"))

    def torque(qd: Any, qdd: Any) -> Any:
        u = fast.inverse_dynamics(chain, pose, qd, qdd, s.wrench_in_base(), s.moments)
        return ca.DM(s.to_load) @ ca.vertcat(*u)

    still = torque(nothing, nothing)
    a = torque(nothing, scalars(first)) - still
    b = torque(scalars(first), scalars(second)) - still
    result = ca.substitute(ca.vertcat(a, b, still), s.q, q)
    inputs = [q, first, second, *([s.wrench] if wrench else []), *([s.body] if payload else [])]
    return ca.Function("path_loads", inputs, [ca.cse(ca.densify(result))])
