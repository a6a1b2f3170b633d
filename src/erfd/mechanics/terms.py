"""The intermediate terms of a formulation by their names in the papers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..dynamics import dalembert, kinematics, lagrange, methods, mrnea, wo3
from ..dynamics.chain import ArmState, frames
from ..dynamics.vectors import Vector
from ..errors import InputError, MethodError
from ..ground.arguments import text_of
from ..ground.arrays import Array
from ..robot.library import RobotLike, robot_of
from .state import State

METHODS_WITH_TERMS = ("mrnea", "lagrange", "dalembert", "wo3")


def terms(
    robot: RobotLike,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike | None = None,
    *,
    method: str = "mrnea",
    wrench: ArrayLike | None = None,
) -> dict[str, Array]:
    """The intermediate terms of a formulation by their names in the papers, for one state.

    Args:
        robot: The robot.
        q: Joint coordinates (rad, m), (n,).
        qd: Joint velocities (rad/s, m/s), (n,).
        qdd: Joint accelerations (rad/s2, m/s2), (n,); only mrnea has terms with them.
        method: `mrnea`, `lagrange`, `dalembert` or `wo3`.
        wrench: Force (N), then moment (N m), that the end effector exerts on the environment at the
            tool point, in base coordinates, (6,); none if None.

    Returns:
        Arrays by name, in SI units, subscripts along the first axes. mrnea: b_ik, b_ikj, d_ik,
        d_ikj, e_i, e_ik, d_i, E_ik, E_i, n_ic, n_ia1, n_ia2, n_ia3 (the n are the primed ones; with
        `_link` behind their names those without a prime, what link i alone adds), vectors along the
        last axis; with `qdd` also F_i, N_i, f_i, n_i and f_hat_i, n_hat_i (32). lagrange: D_ik,
        h_ikm, c_i, U_ij, U_ijk (4x4 matrices along the last axes). dalembert: D_rot, D_tran, h_rot,
        h_tran, c. wo3: M_j, c_j, E_j of the links j..n (in frame j), K_f, K_n (3, n), H, B. Where a
        subscript is not defined (k > i) there is 0.

    Raises:
        InputError: More than one state, or `qdd` for a method that has no terms with it.
        MethodError: Another method, or `dalembert` for a robot with a prismatic joint.

    >>> import erfd
    >>> terms = erfd.terms(erfd.load("two_link"), [0, 0], [1, 0], method="wo3")
    >>> terms["M_j"].shape, terms["K_f"].shape, terms["H"].shape
    ((2,), (3, 2), (2, 2))
    """
    text_of("method", method)
    robot = robot_of(robot)
    given = {} if qdd is None else {"qdd": qdd}
    state = State(robot, wrench, q=q, qd=qd, **given)
    if not state.single:
        raise InputError(f"q: expected one state of shape ({robot.n},), found {state.shape}")
    if method not in METHODS_WITH_TERMS:
        listed = ", ".join(METHODS_WITH_TERMS)
        raise MethodError(f"method: expected one of {listed}, found {method!r}")
    if given and method != "mrnea":
        raise InputError(f"qdd: expected none for method {method!r}, only mrnea has terms with it")
    arm = state.arm
    if method == "mrnea":
        return _mrnea_terms(arm, with_accelerations=bool(given))
    if method == "lagrange":
        return _lagrange_terms(arm)
    if method == "wo3":
        return _composite_terms(arm)
    values = dalembert.terms(arm.chain, arm.pose, arm.qd)
    return {name: np.array(getattr(values, name)) for name in dalembert.DalembertTerms.__slots__}


def _lagrange_terms(arm: ArmState) -> dict[str, Array]:
    """Coefficients (2.11), (2.14), (2.15), and the derivatives of the frames they are made of."""
    n = arm.chain.n
    D, h, c = lagrange.coefficients(arm.chain, arm.pose)
    partials = lagrange.derivatives(arm.chain, arm.pose)
    U, UU = np.zeros((n, n, 4, 4)), np.zeros((n, n, n, 4, 4))
    for j in range(n):
        U[j, : j + 1] = partials.U[j]
        UU[j, : j + 1, : j + 1] = partials.UU[j]
    return {"D_ik": np.array(D), "h_ikm": np.array(h), "c_i": np.array(c), "U_ij": U, "U_ijk": UU}


def _composite_terms(arm: ArmState) -> dict[str, Array]:
    """The terms of 003: composites (16)-(18), the Jacobians of (13), H and the bias B (14)."""
    composites = wo3.composites(arm.chain, arm.pose)
    columns = np.array(kinematics.jacobian(arm.chain, arm.pose), dtype=float)
    B = methods.function("wo3", "bias")(arm.chain, arm.pose, arm.qd, arm.wrench)
    return {
        "M_j": np.array([mass for mass, _, _ in composites]),
        "c_j": np.array([center for _, center, _ in composites]),
        "E_j": np.array([inertia for _, _, inertia in composites]),
        "K_f": columns[:3],
        "K_n": columns[3:],
        "H": np.array(wo3.mass_matrix(arm.chain, arm.pose)),
        "B": np.array(B),
    }


def _mrnea_terms(arm: ArmState, with_accelerations: bool) -> dict[str, Array]:
    n = arm.chain.n
    values = mrnea.terms(arm.chain, arm.pose, arm.qd, arm.wrench)
    alone = mrnea.link_moments(arm.chain, arm.pose, values, arm.wrench)
    b_ikj, d_ikj = mrnea.velocity_coefficients(arm.chain, arm.pose)

    def square(rows: Sequence[Sequence[Vector]]) -> Array:
        result = np.zeros((n, n, 3))
        for i, row in enumerate(rows):
            result[i, : len(row)] = row
        return result

    def cube(blocks: Sequence[Sequence[Sequence[Vector]]]) -> Array:
        result = np.zeros((n, n, n, 3))
        for i, block in enumerate(blocks):
            result[i, : i + 1, : i + 1] = block
        return result

    found = {
        "b_ik": square(values.b),
        "b_ikj": cube(b_ikj),
        "d_ik": square(values.d),
        "d_ikj": cube(d_ikj),
        "e_i": np.array(values.ec),
        "e_ik": square(values.e),
        "d_i": np.array(values.dc),
        "E_ik": square(values.E),
        "E_i": np.array(values.Ec),
        "n_ic": np.array(values.n_ic),
        "n_ia1": square(values.n_ia1),
        "n_ia2": square(values.n_ia2),
        "n_ia3": square(values.n_ia3),
        "n_ic_link": np.array(alone.n_ic),
        "n_ia1_link": square(alone.n_ia1),
        "n_ia2_link": square(alone.n_ia2),
        "n_ia3_link": square(alone.n_ia3),
    }
    return found | _loads(arm, found) if with_accelerations else found


def _loads(arm: ArmState, found: dict[str, Array]) -> dict[str, Array]:
    """Forces and moments at the accelerations, in frame 0, and in the axes of frame i-1 (32)."""

    def by_joint(columns: Array) -> Array:
        return np.asarray(np.einsum("ikx,k->ix", columns, np.array(arm.x, dtype=float)))

    f = found["E_i"] + by_joint(found["E_ik"])  # (20)
    n = found["n_ic"] + by_joint(found["n_ia1"] + found["n_ia2"] + found["n_ia3"])  # (27)
    before = np.array([rotation for rotation, _ in frames(arm.chain, arm.pose)[:-1]], dtype=float)
    return {
        "F_i": found["e_i"] + by_joint(found["e_ik"]),  # (12)
        "N_i": found["d_i"] + by_joint(found["d_ik"]),  # (16)
        "f_i": f,
        "n_i": n,
        "f_hat_i": np.einsum("iba,ib->ia", before, f),
        "n_hat_i": np.einsum("iba,ib->ia", before, n),
    }
