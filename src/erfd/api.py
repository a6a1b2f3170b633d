"""The public functions: arrays in, arrays out, for one state or any batch of states.

Joint vectors have shape (..., n), wrenches (..., 6); leading axes broadcast. SI units and radians.
One state runs on floats, a batch on NumPy arrays: the text of the formulation is the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .dynamics import coriolis, dalembert, energy, fast, kinematics, lagrange, methods, mrnea
from .dynamics import ne_link as newton_euler
from .dynamics.chain import Chain, Motion, Wrench, chain_of, frames, motions, placed
from .dynamics.vectors import Matrix, Scalar, Vector
from .errors import InputError, MethodError, SingularError
from .kernels.kernel import BAD, Kernel, Setting, kernel, nothing
from .robot.model import Robot

Array = NDArray[np.float64]


class _State:
    """Checked arguments of one call: the joint motions and every argument as scalars."""

    def __init__(self, robot: Robot, wrench: ArrayLike | None = None, **arguments: ArrayLike):
        if not isinstance(robot, Robot):
            raise InputError(f"robot: expected an erfd.Robot (see erfd.load), found {robot!r:.60}")
        arrays = {name: _array(name, value, robot.n, robot) for name, value in arguments.items()}
        if wrench is not None:
            arrays["wrench"] = _array("wrench", wrench, 6, robot)
        try:
            self.shape = np.broadcast_shapes(*(a.shape[:-1] for a in arrays.values()))
        except ValueError:
            shapes = ", ".join(f"{name} {a.shape}" for name, a in arrays.items())
            raise InputError(f"shapes that do not broadcast: {shapes}") from None
        self.robot = robot
        self.chain = chain_of(robot)
        columns = {name: self._scalars(a) for name, a in arrays.items()}
        cos, sin = (math.cos, math.sin) if self.single else (np.cos, np.sin)
        self.pose: list[Motion] = motions(self.chain, columns["q"], cos, sin)
        self.qd, self.qdd, self.u = (columns.get(name, []) for name in ("qd", "qdd", "u"))
        self.wrench = self._wrench(columns["wrench"]) if "wrench" in columns else None

    @property
    def single(self) -> bool:
        return self.shape == ()

    def _scalars(self, array: Array) -> list[Scalar]:
        if array.ndim == 1 and self.single:
            return [float(x) for x in array]
        return [array[..., i] for i in range(array.shape[-1])]

    def _wrench(self, k: Sequence[Scalar]) -> Wrench:
        """Into frame 0: the caller speaks base coordinates."""
        if self.robot.base.is_identity:
            return Wrench(k[:3], k[3:])
        r = self.robot.base.rotation
        force, moment = (
            [sum(r[j][i] * v[j] for j in range(3)) for i in range(3)] for v in (k[:3], k[3:])
        )
        return Wrench(force, moment)

    def vector(self, values: Sequence[Scalar]) -> Array:
        """Scalars stacked along a new last axis."""
        result = np.empty((*self.shape, len(values)))
        for i, value in enumerate(values):
            result[..., i] = value
        return result

    def matrix(self, rows: Matrix) -> Array:
        """Rows of scalars stacked along two new last axes."""
        result = np.empty((*self.shape, len(rows), len(rows[0])))
        for i, row in enumerate(rows):
            for j, value in enumerate(row):
                result[..., i, j] = value
        return result

    def in_base(self, rows: Sequence[Vector]) -> Array:
        """Vectors of frame 0, stacked and turned into the base frame."""
        result = self.matrix(rows)
        if self.robot.base.is_identity:
            return result
        return np.asarray(result @ np.array(self.robot.base.rotation).T)


def _array(name: str, value: ArrayLike, length: int, robot: Robot) -> Array:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name}: expected numbers, found {value!r:.60}") from None
    if array.ndim == 0 or array.shape[-1] != length:
        for_whom = f" for robot {robot.name!r}" if name != "wrench" else ""
        expected = f"shape (..., {length}){for_whom}"
        raise InputError(f"{name}: expected {expected}, found {array.shape}")
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise InputError(f"{name}: expected finite numbers, found {array[where]} at {list(where)}")
    return array


def _method(robot: Robot, quantity: str, method: str) -> Callable[..., Any]:
    if method == "auto":
        from .kernels.count import best_method

        method = best_method(robot, quantity)
    return methods.function(method, quantity)


def _finite(result: Array, robot: Robot, what: str) -> Array:
    if not np.isfinite(result).all():
        raise InputError(f"{what} of robot {robot.name!r} overflows: the arguments are too large")
    return result


def _filled(result: Array, out: Array | None) -> Array:
    """The result, in `out` if one was given."""
    if out is None:
        return result
    try:
        np.copyto(out, result)
    except (TypeError, ValueError):
        found = f"{getattr(out, 'shape', type(out))} of {getattr(out, 'dtype', 'no dtype')}"
        raise InputError(
            f"out: expected an array {result.shape} of floats, found {found}"
        ) from None
    return out


def _kernel(robot: Robot, quantity: str, method: str, wrench: bool) -> Kernel | None:
    """The compiled kernel or None; a robot that has none gets the error it deserves."""
    if not isinstance(robot, Robot):
        raise InputError(f"robot: expected an erfd.Robot (see erfd.load), found {robot!r:.60}")
    if quantity in methods.QUANTITIES and (quantity, method, wrench) not in robot.memo:
        if method != "auto":
            methods.function(method, quantity)
        if quantity == "forward_dynamics":
            _require_regular(robot)
    return kernel(robot, quantity, method, wrench)


def _single(robot: Robot, quantity: str, method: str) -> Callable[..., Any]:
    """The kernel's function for one state in plain arrays; it answers None to all else."""
    if Setting.backend == "numpy":
        return nothing
    try:
        found: Callable[..., Any] = robot.memo[quantity][method]
    except (KeyError, AttributeError):  # not compiled yet, or not a robot
        return nothing
    return found


def _run(
    compiled: Kernel, robot: Robot, out: Any, wrench: ArrayLike | None, **arguments: ArrayLike
) -> Any:
    """The kernel's result; what is not finite or does not fit becomes one sentence."""
    before = BAD[0]
    values = arguments.values() if wrench is None else (*arguments.values(), wrench)
    try:
        result = compiled(*values, out=out)
    except (TypeError, ValueError) as error:
        _State(robot, wrench, **arguments)  # finds what is wrong with the arguments
        raise InputError(f"out: {error}") from None
    if BAD[0] != before:
        _explain(compiled, robot, result, wrench, arguments)
    return result


def _explain(
    compiled: Kernel,
    robot: Robot,
    result: Any,
    wrench: ArrayLike | None,
    arguments: dict[str, ArrayLike],
) -> None:
    """Raise the reason for a result that is not finite, if it is one of ours."""
    found = np.concatenate(
        [np.ravel(r) for r in (result if isinstance(result, tuple) else [result])]
    )
    if np.isfinite(found).all():
        return  # another thread's
    _State(robot, wrench, **arguments)
    quantity = compiled.header["quantity"]
    if quantity == "forward_dynamics":
        raise _singular_here(robot, result)
    raise InputError(
        f"the {quantity} of robot {robot.name!r} overflows: the arguments are too large"
    )


def _singular_here(robot: Robot, qdd: Array) -> SingularError:
    where = tuple(int(i) for i in np.argwhere(~np.isfinite(qdd))[0][:-1])
    place = f" at state {list(where)}" if where else ""
    return SingularError(f"robot {robot.name!r}: H is singular or overflows{place}")


def _require_regular(robot: Robot) -> None:
    """A joint that nothing behind it resists at any pose has no forward dynamics."""
    if "loose" not in robot.memo:
        robot.memo["loose"] = _loose_joint(robot)
    if robot.memo["loose"] is not None:
        raise SingularError(
            f"robot {robot.name!r}: H is singular: joint {robot.memo['loose']} moves no inertia,"
            " expected a mass or an inertia behind every joint"
        )


def _loose_joint(robot: Robot) -> int | None:
    """The last joint (from 1) that moves no inertia of its own, or None."""
    chain = chain_of(robot)
    found: list[int] = []
    for seed in (1.0, 2.0):  # two poses without symmetry: H singular at both is singular anywhere
        q = [math.sin(seed + 3.7 * i) for i in range(robot.n)]
        h: Array = np.array(fast.mass_matrix(chain, motions(chain, q, math.cos, math.sin)))
        loose = 0
        for k in range(robot.n):
            part = h[k:, k:]
            size = np.sqrt(np.abs(np.diag(part)))
            if not size.all() or np.linalg.eigvalsh(part / np.outer(size, size))[0] < 1e-13:
                loose = k + 1
        found.append(loose)
    return min(found) or None


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
        u = _single(robot, "inverse_dynamics", method)(q, qd, qdd)
        if u is not None:
            return u
    compiled = _kernel(robot, "inverse_dynamics", method, wrench is not None)
    if compiled is not None:
        u = _run(compiled, robot, out, wrench, q=q, qd=qd, qdd=qdd)
    else:
        state = _State(robot, wrench, q=q, qd=qd, qdd=qdd)
        text = _method(robot, "inverse_dynamics", method)
        with np.errstate(all="ignore"):
            u = state.vector(text(state.chain, state.pose, state.qd, state.qdd, state.wrench))
        u = _filled(_finite(u, robot, "the inverse_dynamics"), out)
    if friction:
        u += _damping(robot) * np.asarray(qd, dtype=np.float64)
    return u


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
        qdd = _single(robot, "forward_dynamics", method)(q, qd, u)
        if qdd is not None:
            return qdd
    compiled = _kernel(robot, "forward_dynamics", method, wrench is not None)
    if friction:
        u = np.asarray(u, np.float64) - _damping(robot) * np.asarray(qd, np.float64)
    if compiled is not None:
        return _run(compiled, robot, out, wrench, q=q, qd=qd, u=u)
    state = _State(robot, wrench, q=q, qd=qd, u=u)
    _require_regular(robot)
    text = _method(robot, "forward_dynamics", method)
    try:
        with np.errstate(all="ignore"):
            qdd = state.vector(text(state.chain, state.pose, state.qd, state.u, state.wrench))
    except ZeroDivisionError:
        qdd = np.full((*state.shape, robot.n), np.nan)
    if not np.isfinite(qdd).all():
        raise _singular_here(robot, qdd)
    return _filled(qdd, out)


def _damping(robot: Robot) -> Array:
    return np.array([joint.damping for joint in robot.joints])


def mass_matrix(
    robot: Robot, q: ArrayLike, *, method: str = "auto", out: Array | None = None
) -> Array:
    """H(q) of (1), (..., n, n): symmetric, in kg m2 (kg m, kg)."""
    if out is None:
        h = _single(robot, "mass_matrix", method)(q)
        if h is not None:
            return h
    compiled = _kernel(robot, "mass_matrix", method, False)
    if compiled is not None:
        return _run(compiled, robot, out, None, q=q)
    state = _State(robot, q=q)
    h = state.matrix(_method(robot, "mass_matrix", method)(state.chain, state.pose))
    return _filled(h, out)


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
        u = _single(robot, "bias", method)(q, qd)
        if u is not None:
            return u
    compiled = _kernel(robot, "bias", method, wrench is not None)
    if compiled is not None:
        u = _run(compiled, robot, out, wrench, q=q, qd=qd)
    else:
        state = _State(robot, wrench, q=q, qd=qd)
        text = _method(robot, "bias", method)
        with np.errstate(all="ignore"):
            u = state.vector(text(state.chain, state.pose, state.qd, state.wrench))
        u = _filled(_finite(u, robot, "the bias"), out)
    if friction:
        u += _damping(robot) * np.asarray(qd, dtype=np.float64)
    return u


def coriolis_matrix(robot: Robot, q: ArrayLike, qd: ArrayLike) -> Array:
    """C(q, q') of (1), (..., n, n), the one with dH/dt - 2C skew (Christoffel symbols)."""
    state = _State(robot, q=q, qd=qd)
    with np.errstate(all="ignore"):
        c = state.matrix(coriolis.coriolis_matrix(state.chain, state.pose, state.qd))
    return _finite(c, robot, "the Coriolis matrix")


def gravity_torque(robot: Robot, q: ArrayLike) -> Array:
    """g(q) of (1), (..., n), in N m (N): what holds the arm still."""
    compiled = _kernel(robot, "bias", "auto", False)
    if compiled is not None:
        return _run(compiled, robot, None, None, q=q, qd=np.zeros(robot.n))
    state = _State(robot, q=q)
    return state.vector(fast.bias(state.chain, state.pose, [0.0] * robot.n))


def external_torque(robot: Robot, q: ArrayLike, wrench: ArrayLike) -> Array:
    """J^T k_e of (1), (..., n): what the wrench on the environment costs at the joints."""
    state = _State(robot, wrench, q=q)
    return state.vector(kinematics.external_torque(state.chain, state.pose, state.wrench))


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
    compiled = _kernel(robot, "joint_reactions", "auto", wrench is not None)
    if compiled is not None:
        forces, moments = _run(compiled, robot, None, wrench, q=q, qd=qd, qdd=qdd)
        return forces, moments
    state = _State(robot, wrench, q=q, qd=qd, qdd=qdd)
    with np.errstate(all="ignore"):
        loads = newton_euler.reactions(state.chain, state.pose, state.qd, state.qdd, state.wrench)
    forces, moments = (state.matrix([load[k] for load in loads]) for k in (0, 1))
    return _finite(forces, robot, "a reaction"), _finite(moments, robot, "a reaction")


def link_frames(robot: Robot, q: ArrayLike) -> Array:
    """The frames 0..n in the base frame, (..., n+1, 4, 4)."""
    compiled = _kernel(robot, "link_frames", "auto", False)
    if compiled is not None:
        return _run(compiled, robot, None, None, q=q)
    state = _State(robot, q=q)
    result = np.zeros((*state.shape, robot.n + 1, 4, 4))
    for i, (rotation, origin) in enumerate(frames(state.chain, state.pose)):
        result[..., i, :3, :3] = state.matrix(rotation)
        result[..., i, :3, 3] = state.vector(origin)
    result[..., 3, 3] = 1.0
    if not robot.base.is_identity:
        result = pose_matrix(robot.base) @ result
    return result


def forward_kinematics(robot: Robot, q: ArrayLike, link: int | str | None = None) -> Array:
    """The pose of a frame in the base frame, (..., 4, 4).

    `link` is None for the tool frame, 0..n for a frame, or the name of a link (its frame i).

    >>> import erfd
    >>> erfd.forward_kinematics(erfd.load("lola15"), [0] * 6)[:3, 3].round(3)
    array([ 1.375, -0.12 ,  0.835])
    """
    if link is None:
        pose = _single(robot, "forward_kinematics", "auto")(q)
        if pose is not None:
            return pose
        compiled = _kernel(robot, "forward_kinematics", "auto", False)
        if compiled is not None:
            return _run(compiled, robot, None, None, q=q)
    poses = link_frames(robot, q)
    if link is None:
        return np.asarray(poses[..., -1, :, :] @ pose_matrix(robot.tool))
    names = [one.name for one in robot.links]
    if isinstance(link, str):
        if link not in names:
            raise InputError(f"link: expected one of {', '.join(names)}, found {link!r}")
        link = names.index(link) + 1
    if not isinstance(link, int | np.integer) or not 0 <= link <= robot.n:
        raise InputError(f"link: expected 0 to {robot.n} or a link's name, found {link!r}")
    return np.asarray(poses[..., link, :, :])


def pose_matrix(pose: Any) -> Array:
    """A constant placement as a 4x4 matrix."""
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = pose.rotation, pose.xyz
    return result


def jacobian(robot: Robot, q: ArrayLike) -> Array:
    """The geometric Jacobian at the tool point in base coordinates, (..., 6, n), linear first."""
    j = _single(robot, "jacobian", "auto")(q)
    if j is not None:
        return j
    compiled = _kernel(robot, "jacobian", "auto", False)
    if compiled is not None:
        return _run(compiled, robot, None, None, q=q)
    state = _State(robot, q=q)
    result = state.matrix(kinematics.jacobian(state.chain, state.pose))
    if not robot.base.is_identity:
        r = np.array(robot.base.rotation)
        result = np.concatenate([r @ result[..., :3, :], r @ result[..., 3:, :]], axis=-2)
    return result


def link_velocities(robot: Robot, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array]:
    """Angular (rad/s) and linear (m/s, of frame i's origin) velocity of each link, (..., n, 3)."""
    state = _State(robot, q=q, qd=qd)
    links = placed(state.chain, state.pose)
    moving = kinematics.link_velocities(state.chain, links, state.qd)
    return state.in_base([w for w, _ in moving]), state.in_base([v for _, v in moving])


def link_accelerations(
    robot: Robot, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike
) -> tuple[Array, Array]:
    """Angular (rad/s2) and linear (m/s2, of frame i's origin) acceleration, (..., n, 3) each."""
    state = _State(robot, q=q, qd=qd, qdd=qdd)
    links = placed(state.chain, state.pose)
    moving = kinematics.link_accelerations(state.chain, links, state.qd, state.qdd)
    return state.in_base([wd for _, wd, _ in moving]), state.in_base([vd for _, _, vd in moving])


def kinetic_energy(robot: Robot, q: ArrayLike, qd: ArrayLike) -> Array:
    """Kinetic energy of the links in J, (...)."""
    compiled = _kernel(robot, "energy", "auto", False)
    if compiled is not None:
        return _run(compiled, robot, None, None, q=q, qd=qd)[0]
    state = _State(robot, q=q, qd=qd)
    return state.vector([energy.kinetic_energy(state.chain, state.pose, state.qd)])[..., 0]


def potential_energy(robot: Robot, q: ArrayLike) -> Array:
    """Potential energy in J, (...), zero where every mass centre is at the origin of frame 0."""
    compiled = _kernel(robot, "energy", "auto", False)
    if compiled is not None:
        return _run(compiled, robot, None, None, q=q, qd=np.zeros(robot.n))[1]
    state = _State(robot, q=q)
    return state.vector([energy.potential_energy(state.chain, state.pose)])[..., 0]


def momentum(robot: Robot, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array]:
    """Linear (kg m/s) and angular momentum (kg m2/s, about frame 0's origin), (..., 3) each."""
    state = _State(robot, q=q, qd=qd)
    linear, angular = energy.momentum(state.chain, state.pose, state.qd)
    return state.in_base([linear])[..., 0, :], state.in_base([angular])[..., 0, :]


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
    state = _State(robot, wrench, q=q, qd=qd)
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
        return {name: np.array(getattr(known, name)) for name in dalembert.Terms.__slots__}
    raise MethodError(f"method: expected one of mrnea, lagrange, dalembert, found {method!r}")


def _mrnea_terms(chain: Chain, pose: list[Motion], state: _State) -> dict[str, Array]:
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
