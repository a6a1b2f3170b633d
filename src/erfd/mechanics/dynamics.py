"""The equations of motion: joint torques, accelerations, H, and the parts of the bias."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..dynamics import coriolis, fast, kinematics, ne_link
from ..ground.arrays import Array
from ..robot.model import Robot
from .dispatch import (
    compiled_kernel,
    filled,
    finite,
    formulation,
    require_regular,
    run_kernel,
    run_kernel_outputs,
    single_state,
    singular_here,
)
from .state import State


def inverse_dynamics(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    wrench: ArrayLike | None = None,
    method: str = "auto",
    friction: bool = False,
    out: Array | None = None,
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
        friction: Whether to add the viscous damping b_i q'_i of the joints.
        out: An array (..., n) of float64 for the result.

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
    if wrench is None and out is None and not friction:
        torques = single_state(robot, "inverse_dynamics", method)(q, qd, qdd)
        if torques is not None:
            return torques
    compiled = compiled_kernel(robot, "inverse_dynamics", method, wrench is not None)
    drag = _drag(State(robot, wrench, q=q, qd=qd, qdd=qdd)) if friction else None  # out may be qd
    if compiled is not None:
        u = run_kernel(compiled, robot, wrench, out, q=q, qd=qd, qdd=qdd)
    else:
        state = State(robot, wrench, q=q, qd=qd, qdd=qdd)
        text = formulation(robot, "inverse_dynamics", method)
        with np.errstate(all="ignore"):
            u = state.vector(text(state.chain, state.pose, state.qd, state.qdd, state.wrench))
        u = filled(finite(u, robot, "the inverse_dynamics"), out)
    return u if drag is None else _with_drag(robot, u, drag)


def forward_dynamics(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    u: ArrayLike,
    *,
    wrench: ArrayLike | None = None,
    method: str = "auto",
    friction: bool = False,
    out: Array | None = None,
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
        friction: Whether to take the viscous damping b_i q'_i of the joints off u.
        out: An array (..., n) of float64 for the result.

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
    if wrench is None and out is None and not friction:
        qdd = single_state(robot, "forward_dynamics", method)(q, qd, u)
        if qdd is not None:
            return qdd
    compiled = compiled_kernel(robot, "forward_dynamics", method, wrench is not None)
    if friction:
        state = State(robot, wrench, q=q, qd=qd, u=u)
        u = state.arrays["u"] - _drag(state)
    if compiled is not None:
        return run_kernel(compiled, robot, wrench, out, q=q, qd=qd, u=u)
    state = State(robot, wrench, q=q, qd=qd, u=u)
    require_regular(robot)
    text = formulation(robot, "forward_dynamics", method)
    try:
        with np.errstate(all="ignore"):
            qdd = state.vector(text(state.chain, state.pose, state.qd, state.u, state.wrench))
    except ZeroDivisionError:
        qdd = np.full((*state.shape, robot.n), np.nan)
    if not np.isfinite(qdd).all():
        raise singular_here(robot, qdd)
    return filled(qdd, out)


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
    robot: Robot, q: ArrayLike, *, method: str = "auto", out: Array | None = None
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
        h = single_state(robot, "mass_matrix", method)(q)
        if h is not None:
            return h
    compiled = compiled_kernel(robot, "mass_matrix", method, False)
    if compiled is not None:
        return run_kernel(compiled, robot, None, out, q=q)
    state = State(robot, q=q)
    h = state.matrix(formulation(robot, "mass_matrix", method)(state.chain, state.pose))
    return filled(h, out)


def bias(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    wrench: ArrayLike | None = None,
    method: str = "auto",
    friction: bool = False,
    out: Array | None = None,
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
        friction: Whether to add the viscous damping b_i q'_i of the joints.
        out: An array (..., n) of float64 for the result.

    Returns:
        The torques (N m) or forces (N) at the joints, (..., n).

    Raises:
        InputError: Arguments that are not finite or whose shapes do not fit.
        MethodError: No such method, or one that does not define the bias.

    >>> import erfd
    >>> erfd.bias(erfd.load("two_link"), [0, 0], [1, 0]).round(3).tolist()
    [35.316, 5.886]
    """
    if wrench is None and out is None and not friction:
        torques = single_state(robot, "bias", method)(q, qd)
        if torques is not None:
            return torques
    compiled = compiled_kernel(robot, "bias", method, wrench is not None)
    drag = _drag(State(robot, wrench, q=q, qd=qd)) if friction else None
    if compiled is not None:
        u = run_kernel(compiled, robot, wrench, out, q=q, qd=qd)
    else:
        state = State(robot, wrench, q=q, qd=qd)
        text = formulation(robot, "bias", method)
        with np.errstate(all="ignore"):
            u = state.vector(text(state.chain, state.pose, state.qd, state.wrench))
        u = filled(finite(u, robot, "the bias"), out)
    return u if drag is None else _with_drag(robot, u, drag)


def coriolis_matrix(robot: Robot, q: ArrayLike, qd: ArrayLike) -> Array:
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
    compiled = compiled_kernel(robot, "coriolis_matrix", "auto", False)
    if compiled is not None:
        return run_kernel(compiled, robot, q=q, qd=qd)
    state = State(robot, q=q, qd=qd)
    with np.errstate(all="ignore"):
        c = state.matrix(coriolis.coriolis_matrix(state.chain, state.pose, state.qd))
    return finite(c, robot, "the coriolis_matrix")


def gravity_torque(robot: Robot, q: ArrayLike) -> Array:
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
    compiled = compiled_kernel(robot, "bias", "auto", False)
    if compiled is not None:
        return run_kernel(compiled, robot, q=q, qd=np.zeros(robot.n))
    state = State(robot, q=q)
    still = [0.0] * robot.n
    return state.vector(fast.inverse_dynamics(state.chain, state.pose, still, still))


def external_torque(robot: Robot, q: ArrayLike, wrench: ArrayLike) -> Array:
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
    state = State(robot, wrench, q=q)
    compiled = compiled_kernel(robot, "jacobian", "auto", False)
    with np.errstate(all="ignore"):
        if compiled is not None:
            rows, load = run_kernel(compiled, robot, q=q), state.arrays.get("wrench", np.zeros(6))
            u = sum((rows[..., k, :] * load[..., k, None] for k in range(6)), np.zeros(robot.n))
        else:
            u = state.vector(kinematics.external_torque(state.chain, state.pose, state.wrench))
    return finite(u, robot, "the external torque")


def joint_reactions(
    robot: Robot,
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
    compiled = compiled_kernel(robot, "joint_reactions", "auto", wrench is not None)
    if compiled is not None:
        forces, moments = run_kernel_outputs(compiled, robot, wrench, None, q=q, qd=qd, qdd=qdd)
        return forces, moments
    state = State(robot, wrench, q=q, qd=qd, qdd=qdd)
    with np.errstate(all="ignore"):
        loads = ne_link.reactions(state.chain, state.pose, state.qd, state.qdd, state.wrench)
    forces, moments = (state.matrix([load[k] for load in loads]) for k in (0, 1))
    return finite(forces, robot, "a reaction"), finite(moments, robot, "a reaction")
