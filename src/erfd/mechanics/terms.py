"""The intermediate terms of a formulation by their names in the papers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..dynamics import dalembert, lagrange, mrnea
from ..dynamics.chain import ArmState
from ..dynamics.vectors import Vector
from ..errors import InputError, MethodError
from ..ground.arguments import text_of
from ..ground.arrays import Array
from ..robot.library import RobotLike, robot_of
from .state import State


def terms(
    robot: RobotLike,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    method: str = "mrnea",
    wrench: ArrayLike | None = None,
) -> dict[str, Array]:
    """The intermediate terms of a formulation by their names in the papers, for one state.

    Args:
        robot: The robot.
        q: Joint coordinates (rad, m), (n,).
        qd: Joint velocities (rad/s, m/s), (n,).
        method: `mrnea`, `lagrange` or `dalembert`.
        wrench: Force (N), then moment (N m), that the end effector exerts on the environment at the
            tool point, in base coordinates, (6,); none if None.

    Returns:
        Arrays by name, in SI units, subscripts along the first axes. mrnea: b_ik, b_ikj, d_ik,
        d_ikj, e_i, e_ik, d_i, E_ik, E_i, n_ic, n_ia1, n_ia2, n_ia3 (the n are the primed ones),
        vectors along the last axis. lagrange: D_ik, h_ikm, c_i. dalembert: D_rot, D_tran, h_rot,
        h_tran, c. Where a subscript is not defined (k > i) there is 0.

    Raises:
        InputError: More than one state.
        MethodError: Another method, or `dalembert` for a robot with a prismatic joint.

    >>> import erfd
    >>> terms = erfd.terms(erfd.load("two_link"), [0, 0], [1, 0], method="lagrange")
    >>> {name: term.shape for name, term in terms.items()}
    {'D_ik': (2, 2), 'h_ikm': (2, 2, 2), 'c_i': (2,)}
    """
    text_of("method", method)
    robot = robot_of(robot)
    state = State(robot, wrench, q=q, qd=qd)
    if not state.single:
        raise InputError(f"q: expected one state of shape ({robot.n},), found {state.shape}")
    arm = state.arm
    if method == "mrnea":
        return _mrnea_terms(arm)
    if method == "lagrange":
        D, h, c = lagrange.coefficients(arm.chain, arm.pose)
        return {"D_ik": np.array(D), "h_ikm": np.array(h), "c_i": np.array(c)}
    if method == "dalembert":
        values = dalembert.terms(arm.chain, arm.pose, arm.qd)
        return {
            name: np.array(getattr(values, name)) for name in dalembert.DalembertTerms.__slots__
        }
    raise MethodError(f"method: expected one of mrnea, lagrange, dalembert, found {method!r}")


def _mrnea_terms(arm: ArmState) -> dict[str, Array]:
    n = arm.chain.n
    values = mrnea.terms(arm.chain, arm.pose, arm.qd, arm.wrench)
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

    return {
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
    }
