"""The equations of motion: joint torques, accelerations, H, and the parts of the bias."""

from __future__ import annotations

from warnings import warn

import numpy as np
from numpy.typing import ArrayLike

from ..dynamics import kinematics
from ..ground.arguments import flag_of
from ..ground.arrays import Array
from ..kernels.kernel import single_call
from ..robot.library import RobotLike, robot_of
from ..robot.model import Robot
from .dispatch import compiled_kernel, compute, finite, still
from .state import State


def inverse_dynamics(
    robot: RobotLike,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    wrench: ArrayLike | None = None,
    method: str = "auto",
    damping: bool = False,
    out: Array | None = None,
    friction: bool | None = None,
) -> Array:
    """The joint torques for a motion: u = H q'' + C q' + g + J^T k_e (1).

    Args:
        robot: The robot.
        q: Joint coordinates (rad, m), (..., n).
        qd: Joint velocities (rad/s, m/s), (..., n).
        qdd: Joint accelerations (rad/s2, m/s2), (..., n).
        wrench: Force (N), then moment (N m), that the end effector exerts on the environment at the
            tool point, in base coordinates, (..., 6); none if None.
        method: A formulation (`erfd opcount` lists them); `auto` is the one with the fewest
            operations.
        damping: Whether to add the viscous damping b_i q'_i of the joints. Friction and inertia of
            the drives are no part of it: `rotor_torque` has all that a motor has to give.
        out: An array (..., n) of float64 for the result.
        friction: The name of `damping` before; it will go.

    Returns:
        The torques (N m) or forces (N) at the joints, (..., n).

    Raises:
        InputError: Arguments that are not finite or whose shapes do not fit.
        MethodError: No such method, or one that does not define inverse dynamics.

    >>> import erfd
    >>> robot = erfd.load("two_link")
    >>> u = erfd.inverse_dynamics(robot, [0, 0], [0, 0], [0, 0])
    >>> u.shape
    (2,)
    """
    damping = damping if friction is None else _renamed(friction)
    if wrench is None and out is None and damping is False:
        quick = single_call(robot, "inverse_dynamics", method)(q, qd, qdd)
        if quick is not None:
            return quick
    robot = robot_of(robot)
    damping = flag_of("damping", damping)
    drag = _drag(State(robot, wrench, q=q, qd=qd, qdd=qdd)) if damping else None  # out may be qd
    torque = compute(robot, "inverse_dynamics", (q, qd, qdd), method, wrench, out)[0]
    return torque if drag is None else _with_drag(robot, torque, drag)


def forward_dynamics(
    robot: RobotLike,
    q: ArrayLike,
    qd: ArrayLike,
    u: ArrayLike,
    *,
    wrench: ArrayLike | None = None,
    method: str = "auto",
    damping: bool = False,
    out: Array | None = None,
    friction: bool | None = None,
) -> Array:
    """The joint accelerations under torques: q'' = H^-1 (u - u') (2).

    Args:
        robot: The robot.
        q: Joint coordinates (rad, m), (..., n).
        qd: Joint velocities (rad/s, m/s), (..., n).
        u: Joint torques (N m) or forces (N), (..., n).
        wrench: Force (N), then moment (N m), that the end effector exerts on the environment at the
            tool point, in base coordinates, (..., 6); none if None.
        method: A formulation (`erfd opcount` lists them); `auto` is the one with the fewest
            operations.
        damping: Whether to take the viscous damping b_i q'_i of the joints off u. Friction and
            inertia of the drives are no part of it: `simulate` has them.
        out: An array (..., n) of float64 for the result.
        friction: The name of `damping` before; it will go.

    Returns:
        The accelerations (rad/s2, m/s2), (..., n).

    Raises:
        InputError: Arguments that are not finite or whose shapes do not fit.
        MethodError: No such method, or one that does not define forward dynamics.
        SingularError: H cannot be inverted.

    >>> import erfd
    >>> robot = erfd.load("lola15")
    >>> erfd.forward_dynamics(robot, [0] * 6, [0] * 6, [0] * 6).shape
    (6,)
    """
    damping = damping if friction is None else _renamed(friction)
    if wrench is None and out is None and damping is False:
        quick = single_call(robot, "forward_dynamics", method)(q, qd, u)
        if quick is not None:
            return quick
    robot = robot_of(robot)
    if flag_of("damping", damping):
        state = State(robot, wrench, q=q, qd=qd, u=u)
        u = state.arrays["u"] - _drag(state)
    return compute(robot, "forward_dynamics", (q, qd, u), method, wrench, out)[0]


def _renamed(friction: bool) -> bool:
    """The argument `damping`, given by its old name."""
    said = (
        "friction= is now called damping=: it is that of the joints; rotor_torque has the drives'"
    )
    warn(said, DeprecationWarning, stacklevel=3)
    return friction


def _drag(state: State) -> Array:
    """The viscous damping b_i q'_i, (..., n)."""
    damping = np.array([joint.damping for joint in state.robot.joints])
    with np.errstate(over="ignore"):
        return finite(damping * state.arrays["qd"], state.robot, "the damping")


def _with_drag(robot: Robot, u: Array, drag: Array) -> Array:
    """Torques and the damping, in the place of the torques."""
    with np.errstate(over="ignore"):
        u += drag
    return finite(u, robot, "the torque")


def mass_matrix(
    robot: RobotLike, q: ArrayLike, *, method: str = "auto", out: Array | None = None
) -> Array:
    """The mass matrix H(q) of (1).

    Args:
        robot: The robot.
        q: Joint coordinates (rad, m), (..., n).
        method: A formulation (`erfd opcount` lists them); `auto` is the one with the fewest
            operations.
        out: An array (..., n, n) of float64 for the result.

    Returns:
        H in kg m2 (kg m, kg), (..., n, n), symmetric.

    Raises:
        InputError: Arguments that are not finite or whose shapes do not fit.
        MethodError: No such method, or one that does not define H.

    >>> import erfd
    >>> erfd.mass_matrix(erfd.load("two_link"), [0, 0]).round(4).tolist()
    [[2.0127, 0.4609], [0.4609, 0.1609]]
    """
    if out is None:
        quick = single_call(robot, "mass_matrix", method)(q)
        if quick is not None:
            return quick
    return compute(robot, "mass_matrix", (q,), method, None, out)[0]


def bias(
    robot: RobotLike,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    wrench: ArrayLike | None = None,
    method: str = "auto",
    damping: bool = False,
    out: Array | None = None,
    friction: bool | None = None,
) -> Array:
    """The joint torques at zero acceleration: u' = C q' + g + J^T k_e (3).

    Args:
        robot: The robot.
        q: Joint coordinates (rad, m), (..., n).
        qd: Joint velocities (rad/s, m/s), (..., n).
        wrench: Force (N), then moment (N m), that the end effector exerts on the environment at the
            tool point, in base coordinates, (..., 6); none if None.
        method: A formulation (`erfd opcount` lists them); `auto` is the one with the fewest
            operations.
        damping: Whether to add the viscous damping b_i q'_i of the joints. Friction and inertia of
            the drives are no part of it: `rotor_torque` has all that a motor has to give.
        out: An array (..., n) of float64 for the result.
        friction: The name of `damping` before; it will go.

    Returns:
        The torques (N m) or forces (N) at the joints, (..., n).

    Raises:
        InputError: Arguments that are not finite or whose shapes do not fit.
        MethodError: No such method, or one that does not define the bias.

    >>> import erfd
    >>> erfd.bias(erfd.load("two_link"), [0, 0], [1, 0]).round(3).tolist()
    [35.316, 5.886]
    """
    damping = damping if friction is None else _renamed(friction)
    if wrench is None and out is None and damping is False:
        quick = single_call(robot, "bias", method)(q, qd)
        if quick is not None:
            return quick
    robot = robot_of(robot)
    damping = flag_of("damping", damping)
    drag = _drag(State(robot, wrench, q=q, qd=qd)) if damping else None  # out may be qd
    torque = compute(robot, "bias", (q, qd), method, wrench, out)[0]
    return torque if drag is None else _with_drag(robot, torque, drag)


def coriolis_matrix(robot: RobotLike, q: ArrayLike, qd: ArrayLike) -> Array:
    """The Coriolis matrix C(q, q') of (1), the one with dH/dt - 2C skew (Christoffel symbols).

    Args:
        robot: The robot.
        q: Joint coordinates (rad, m), (..., n).
        qd: Joint velocities (rad/s, m/s), (..., n).

    Returns:
        C in N m s/rad (N s/m), (..., n, n): C q' are the centrifugal and Coriolis torques.

    >>> import erfd
    >>> erfd.coriolis_matrix(erfd.load("two_link"), [0, 1], [1, 0])[1, 0].round(3).tolist()
    0.252
    """
    return compute(robot, "coriolis_matrix", (q, qd))[0]


def gravity_torque(robot: RobotLike, q: ArrayLike) -> Array:
    """The joint torques that hold the arm still against gravity: g(q) of (1).

    Args:
        robot: The robot.
        q: Joint coordinates (rad, m), (..., n).

    Returns:
        The torques (N m) or forces (N) at the joints, (..., n).

    >>> import erfd
    >>> erfd.gravity_torque(erfd.load("two_link"), [0, 0]).round(3).tolist()
    [35.316, 5.886]
    """
    return compute(robot, "bias", (q, still(robot)))[0]


def external_torque(robot: RobotLike, q: ArrayLike, wrench: ArrayLike) -> Array:
    """The joint torques of a wrench on the environment: J^T k_e of (1).

    Args:
        robot: The robot.
        q: Joint coordinates (rad, m), (..., n).
        wrench: Force (N), then moment (N m), that the end effector exerts on the environment at the
            tool point, in base coordinates, (..., 6).

    Returns:
        The torques (N m) or forces (N) at the joints, (..., n).

    >>> import erfd
    >>> robot = erfd.load("two_link")
    >>> erfd.external_torque(robot, [0, 0], [0, 1, 0, 0, 0, 0]).round(3).tolist()
    [0.9, 0.4]
    """
    robot = robot_of(robot)
    state = State(robot, wrench, q=q)
    with np.errstate(all="ignore"):
        if compiled_kernel(robot, "jacobian", "auto", False) is None:
            arm = state.arm
            u = state.vector(kinematics.external_torque(arm.chain, arm.pose, arm.wrench))
        else:
            (rows,) = compute(robot, "jacobian", (q,))
            load = state.arrays.get("wrench", np.zeros(6))
            u = sum((rows[..., k, :] * load[..., k, None] for k in range(6)), np.zeros(robot.n))
    return finite(u, robot, "the external torque")


def joint_reactions(
    robot: RobotLike,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    wrench: ArrayLike | None = None,
) -> tuple[Array, Array]:
    """The forces and moments on link i by link i-1, in frame i-1 (32).

    Moments are about the origin of frame i-1. The links have their true, not regrouped parameters,
    so bearings can be designed by the results.

    Args:
        robot: The robot.
        q: Joint coordinates (rad, m), (..., n).
        qd: Joint velocities (rad/s, m/s), (..., n).
        qdd: Joint accelerations (rad/s2, m/s2), (..., n).
        wrench: Force (N), then moment (N m), that the end effector exerts on the environment at the
            tool point, in base coordinates, (..., 6); none if None.

    Returns:
        Forces (N) and moments (N m), each (..., n, 3).

    >>> import erfd
    >>> robot = erfd.load("two_link")
    >>> forces, moments = erfd.joint_reactions(robot, [0, 0], [0, 0], [0, 0])
    >>> forces.round(2).tolist()
    [[0.0, 88.29, 0.0], [0.0, 29.43, 0.0]]
    """
    forces, moments = compute(robot, "joint_reactions", (q, qd, qdd), wrench=wrench)
    return forces, moments
