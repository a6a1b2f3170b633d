"""The equations of motion at the motors, H_a q'' + u'_a = u_a (77)-(79), Appendix D.

    H_a = P (H + b dt) + (I_a + f_v dt) K
    u'_a = P (u' + b q') + f_v K q' + friction,   P = K^-T (virtual work) or diag(1 / k_i) (print)

With a cycle time dt, viscous friction, damping b of the joints and the direction of dry friction
are taken at the end of the cycle (D.3); dt = 0 is the motion
at an instant. Friction is part of u'_a at the load of the given motion, as in print.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..ground.arguments import choice_of, number_of
from ..ground.arrays import Array
from ..kernels.choice import choose_row_function
from ..kernels.llvm.sincos import LARGEST
from ..kernels.payload_parameters import PayloadParameters
from ..kernels.row_function import RowFunction
from ..kernels.trace import casadi
from ..mechanics.state import State
from ..robot.library import RobotLike, robot_of
from ..robot.model import Robot
from .drives import REST, Drives
from .parameters import parameter_rows, parameters_of
from .symbols import MotorSymbols

FRICTIONS = ("dissipative", "printed")


def rotor_torque(
    robot: RobotLike, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *,
    wrench: ArrayLike | None = None, dt: float = 0.0, torque_path: str = "virtual-work",
    friction: str = "dissipative",
) -> Array:  # fmt: skip
    """The motor torques u_a that a motion takes (77).

    A rotor at rest rubs against the acceleration that it is to get.

    Args:
        robot: The robot; it must have drives.
        q: Joint positions in rad (m), (..., n).
        qd: Joint velocities in rad/s (m/s), (..., n).
        qdd: Joint accelerations in rad/s2 (m/s2), (..., n).
        wrench: Force in N, then moment in N m, that the tool exerts on the environment at the
            origin of its frame, in base axes, (..., 6); None: no contact.
        dt: Cycle time in s; viscous friction is taken at the end of the cycle. 0: at an instant.
        torque_path: How joint torques load the rotors: "virtual-work", or "diagonal" as printed.
        friction: "dissipative" (erratum 9) or "printed" (D.3).

    Returns:
        The motor torques at the rotors in N m, (..., n).

    >>> import erfd
    >>> robot = erfd.load("lola15")
    >>> erfd.rotor_torque(robot, [0] * 6, [0] * 6, [0] * 6).round(2).tolist()[1]
    3.96
    """
    robot = robot_of(robot)
    state = State(robot, wrench, q=q, qd=qd, qdd=qdd)
    return _quantity(robot, "torque", state, (q, qd, qdd), wrench, dt, torque_path, friction)


def rotor_bias(
    robot: RobotLike, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *,
    wrench: ArrayLike | None = None, dt: float = 0.0, torque_path: str = "virtual-work",
    friction: str = "dissipative",
) -> Array:  # fmt: skip
    """The part u'_a of the motor torques beside H_a q'' (78).

    It depends on q'' through the load that friction is proportional to.

    Args:
        robot: The robot; it must have drives.
        q: Joint positions in rad (m), (..., n).
        qd: Joint velocities in rad/s (m/s), (..., n).
        qdd: Joint accelerations in rad/s2 (m/s2), (..., n).
        wrench: Force in N, then moment in N m, that the tool exerts on the environment at the
            origin of its frame, in base axes, (..., 6); None: no contact.
        dt: Cycle time in s; viscous friction is taken at the end of the cycle. 0: at an instant.
        torque_path: How joint torques load the rotors: "virtual-work", or "diagonal" as printed.
        friction: "dissipative" (erratum 9) or "printed" (D.3).

    Returns:
        u_a - H_a q'' at the rotors in N m, (..., n).

    >>> import erfd
    >>> erfd.rotor_bias(erfd.load("lola15"), [0] * 6, [0] * 6, [0] * 6).shape
    (6,)
    """
    robot = robot_of(robot)
    state = State(robot, wrench, q=q, qd=qd, qdd=qdd)
    return _quantity(robot, "bias", state, (q, qd, qdd), wrench, dt, torque_path, friction)


def rotor_mass_matrix(
    robot: RobotLike, q: ArrayLike, *, dt: float = 0.0, torque_path: str = "virtual-work"
) -> Array:
    """The mass matrix H_a at the motors: motor torques per joint acceleration (77); not symmetric.

    Args:
        robot: The robot; it must have drives.
        q: Joint positions in rad (m), (..., n).
        dt: Cycle time in s, for viscous friction at the end of the cycle. 0: at an instant.
        torque_path: How joint torques load the rotors: "virtual-work", or "diagonal" as printed.

    Returns:
        H_a in kg m2 (kg m for a sliding joint), (..., n, n).

    >>> import erfd
    >>> erfd.rotor_mass_matrix(erfd.load("lola15"), [0] * 6).shape
    (6, 6)
    """
    robot = robot_of(robot)
    state = State(robot, q=q)
    still = np.zeros(robot.n)
    h = _quantity(robot, "matrix", state, (q, still, still), None, dt, torque_path, "dissipative")
    return h.reshape(*h.shape[:-1], robot.n, robot.n)


def _quantity(
    robot: Robot, what: str, state: State, motion: tuple[ArrayLike, ...],
    wrench: ArrayLike | None, dt: float, path: str, friction: str,
) -> Array:  # fmt: skip
    """One of the quantities "torque", "bias", "matrix", (..., size), compiled or by CasADi."""
    choice_of("friction", friction, FRICTIONS)
    dt = number_of("dt", dt, "a time >= 0 s")
    if dt < 0:
        raise InputError(f"dt: expected a time >= 0 s, found {dt}")
    drives = Drives.of(robot, path=path)
    key = ("rotors", what, path, friction, wrench is not None)
    arguments = [*motion] if wrench is None else [*motion, wrench]
    batch = state.shape
    rows = [
        np.broadcast_to(np.asarray(a, dtype=np.float64), (*batch, np.shape(a)[-1])).reshape(
            -1, np.shape(a)[-1]
        )
        for a in arguments
    ]
    fixed = parameter_rows(parameters_of(robot, drives), dt or 1.0, robot.n, 1)[:, 0]
    fixed[-2] = dt
    size = robot.n**2 if what == "matrix" else robot.n
    if not len(rows[0]):
        return np.zeros((*batch, size))
    in_range = bool(np.abs(rows[0]).max() <= LARGEST)
    make = partial(_trace, robot, *key[1:])
    run = choose_row_function(
        robot, key, make, f"rotor {what}", sources=("drives",), compiled=in_range
    )
    if isinstance(run, RowFunction):
        result = run(*rows, fixed)
    else:
        spread = np.broadcast_to(fixed[:, None], (len(fixed), len(rows[0])))
        result = np.array(run(*(row.T for row in rows), spread)).T
    return np.asarray(result.reshape(*batch, size))


def _trace(robot: Robot, what: str, path: str, friction: str, wrench: bool) -> Any:
    """A CasADi function of q, qd, qdd, perhaps the wrench, and `PARAMETERS`."""
    ca, n = casadi(), robot.n
    s = MotorSymbols(robot, PayloadParameters.of(robot), path=path, wrench=wrench)
    qdd = ca.SX.sym("qdd", n)
    K, to_load, p = ca.DM(s.K), ca.DM(s.to_load), s.p
    rate, y = K @ s.qd, K @ qdd
    links = s.mass_matrix + ca.diag(s.dt * s.damping)
    matrix = to_load @ links + ca.diag(s.effective_inertia) @ K
    if what == "matrix":
        result = ca.vec(matrix.T)
    else:
        u = s.torques(qdd) + s.damping * (s.qd + qdd * s.dt)
        load = to_load @ u
        if friction == "printed":
            k = ca.DM(np.diag(s.K))
            dry = (p["load_friction"] * u / k + p["coulomb"]) * ca.sign(s.qd)
        else:
            end = rate + y * s.dt
            direction = ca.if_else(ca.fabs(end) > REST, end, ca.if_else(s.dt > 0, 0, y))
            size = p["load_friction"] * ca.fabs(load) + p["coulomb"]
            dry = ca.if_else(direction == 0, 0, ca.copysign(size, direction))
        torque = load + dry + s.effective_inertia * y + p["viscous"] * rate
        result = torque if what == "torque" else torque - matrix @ qdd
    q, qd = ca.SX.sym("q", n), ca.SX.sym("qd", n)
    result = ca.substitute(result, s.state, ca.vertcat(q, qd))
    inputs = [q, qd, qdd, *([s.wrench] if wrench else []), s.parameters]
    return ca.Function("rotors", inputs, [ca.cse(ca.densify(result))])
