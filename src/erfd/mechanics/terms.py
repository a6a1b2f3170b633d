"""The intermediate terms of a formulation by their names in the papers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..dynamics import dalembert, lagrange, mrnea
from ..dynamics.chain import Chain, JointMotion
from ..dynamics.vectors import Vector
from ..errors import InputError, MethodError
from ..robot.model import Robot
from .state import Array, State


def terms(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    method: str = "mrnea",
    wrench: ArrayLike | None = None,
) -> dict[str, Array]:
    """The intermediate terms of a formulation by their names in the papers, for one state.

    mrnea: b_ik, b_ikj, d_ik, d_ikj, e_i, e_ik, d_i, E_ik, E_i, n_ic, n_ia1, n_ia2, n_ia3 (the n are
    the primed ones), vectors along the last axis. lagrange: D_ik, h_ikm, c_i. dalembert: D_rot,
    D_tran, h_rot, h_tran, c. Where a subscript is not defined (k > i) there is 0.
    """
    state = State(robot, wrench, q=q, qd=qd)
    if not state.single:
        raise InputError(f"q: expected one state of shape ({robot.n},), found {state.shape}")
    chain, pose = state.chain, state.pose
    if method == "mrnea":
        return _mrnea_terms(chain, pose, state)
    if method == "lagrange":
        D, h, c = lagrange.coefficients(chain, pose)
        return {"D_ik": np.array(D), "h_ikm": np.array(h), "c_i": np.array(c)}
    if method == "dalembert":
        known = dalembert.terms(chain, pose, state.qd)
        return {name: np.array(getattr(known, name)) for name in dalembert.DalembertTerms.__slots__}
    raise MethodError(f"method: expected one of mrnea, lagrange, dalembert, found {method!r}")


def _mrnea_terms(chain: Chain, pose: list[JointMotion], state: State) -> dict[str, Array]:
    n = chain.n
    known = mrnea.terms(chain, pose, state.qd, state.wrench)
    b_ikj, d_ikj = mrnea.velocity_coefficients(chain, pose)

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
        "b_ik": square(known.b),
        "b_ikj": cube(b_ikj),
        "d_ik": square(known.d),
        "d_ikj": cube(d_ikj),
        "e_i": np.array(known.ec),
        "e_ik": square(known.e),
        "d_i": np.array(known.dc),
        "E_ik": square(known.E),
        "E_i": np.array(known.Ec),
        "n_ic": np.array(known.n_ic),
        "n_ia1": square(known.n_ia1),
        "n_ia2": square(known.n_ia2),
        "n_ia3": square(known.n_ia3),
    }
