"""The equations of motion: torques, accelerations, H, and the parts of the bias."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..dynamics import coriolis, fast, kinematics, ne_link
from ..robot.model import Robot
from .dispatch import (
    compiled_kernel,
    filled,
    finite,
    formulation,
    require_regular,
    run_kernel,
    run_kernel_for_all,
    single_state,
    singular_here,
)
from .state import Array, State


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
    """u = H q'' + C q' + g + J^T k_e (1): the joint torques (N m, N) for a motion, (..., n).

    `wrench` (..., 6) is force, then moment, that the end effector exerts on the environment at the
    tool point, in base coordinates. With `friction` the viscous damping b_i q'_i is added. `out` is
    an array for the result.

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
    """q'' = H^-1 (u - u') (2): the joint accelerations (rad/s2, m/s2) under torques u, (..., n).

    `wrench` and `out` as in `inverse_dynamics`. With `friction` the viscous damping is taken off u.

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
    """H(q) of (1), (..., n, n): symmetric, in kg m2 (kg m, kg)."""
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
    """u' = C q' + g + J^T k_e (3), (..., n): the torques at zero acceleration."""
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
    """C(q, q') of (1), (..., n, n), the one with dH/dt - 2C skew (Christoffel symbols)."""
    compiled = compiled_kernel(robot, "coriolis_matrix", "auto", False)
    if compiled is not None:
        return run_kernel(compiled, robot, q=q, qd=qd)
    state = State(robot, q=q, qd=qd)
    with np.errstate(all="ignore"):
        c = state.matrix(coriolis.coriolis_matrix(state.chain, state.pose, state.qd))
    return finite(c, robot, "the coriolis_matrix")


def gravity_torque(robot: Robot, q: ArrayLike) -> Array:
    """g(q) of (1), (..., n), in N m (N): what holds the arm still."""
    compiled = compiled_kernel(robot, "bias", "auto", False)
    if compiled is not None:
        return run_kernel(compiled, robot, q=q, qd=np.zeros(robot.n))
    state = State(robot, q=q)
    still = [0.0] * robot.n
    return state.vector(fast.inverse_dynamics(state.chain, state.pose, still, still))


def external_torque(robot: Robot, q: ArrayLike, wrench: ArrayLike) -> Array:
    """J^T k_e of (1), (..., n): what the wrench on the environment costs at the joints."""
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
    """Forces (N) and moments (N m) on link i by link i-1 in frame i-1 (32), each (..., n, 3).

    Moments are about the origin of frame i-1. True parameters, so bearings can be designed by them.
    """
    compiled = compiled_kernel(robot, "joint_reactions", "auto", wrench is not None)
    if compiled is not None:
        forces, moments = run_kernel_for_all(compiled, robot, wrench, None, q=q, qd=qd, qdd=qdd)
        return forces, moments
    state = State(robot, wrench, q=q, qd=qd, qdd=qdd)
    with np.errstate(all="ignore"):
        loads = ne_link.reactions(state.chain, state.pose, state.qd, state.qdd, state.wrench)
    forces, moments = (state.matrix([load[k] for load in loads]) for k in (0, 1))
    return finite(forces, robot, "a reaction"), finite(moments, robot, "a reaction")
