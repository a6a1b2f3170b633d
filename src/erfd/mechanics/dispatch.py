"""Compute a quantity by a compiled kernel or over NumPy, and check arguments and results."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ..dynamics import fast, methods
from ..dynamics.chain import chain_of, motions
from ..errors import ErfdError, InputError, SingularError
from ..ground.arrays import Array
from ..kernels.kernel import Kernel, kernel, ready_kernel
from ..kernels.quantities import argument_names
from ..kernels.thread_team import LOOP_DATA
from ..robot.library import RobotLike, robot_of
from ..robot.model import Robot
from .over_numpy import results_over_numpy
from .state import State, checked

PLAIN = {np.ndarray, list, tuple}
"""Types of arguments whose results are plain arrays."""


def compute(
    robot: RobotLike,
    quantity: str,
    arguments: tuple[ArrayLike, ...],
    method: str = "auto",
    wrench: ArrayLike | None = None,
    out: Array | None = None,
) -> tuple[Array, ...]:
    """All results of a quantity, compiled or over NumPy; what is not finite raises an error.

    What is called with one state most often asks `single_call` before: a call less.
    """
    compiled = ready_kernel(robot, quantity, method, wrench is not None)
    robot = robot_of(robot)
    if compiled is None:
        compiled = compiled_kernel(robot, quantity, method, wrench is not None)
    if compiled is not None:
        return _run_kernel(compiled, robot, arguments, wrench, out)
    named = dict(zip(argument_names(quantity), arguments, strict=True))
    state = State(robot, wrench, **named)
    with np.errstate(all="ignore"):
        results = results_over_numpy(state, quantity, method)
    _require_finite_results(robot, quantity, results)
    return results if out is None else (_filled(results[0], out),)


def compiled_kernel(robot: Robot, quantity: str, method: str, wrench: bool) -> Kernel | None:
    """The compiled kernel, or None if NumPy is to compute; an error if nothing can compute it."""
    if not isinstance(method, str):  # it may have no hash
        methods.function(str(method), quantity)
    if quantity in methods.FORMULATED_QUANTITIES:
        key = (compiled_kernel, quantity, method)
        robot.once(key, lambda: _require_defined(robot, quantity, method))
    return kernel(robot, quantity, method, wrench)


def _require_defined(robot: Robot, quantity: str, method: str) -> None:
    """Raise an error if the method or the robot has no such quantity."""
    if method != "auto":
        methods.function(method, quantity)
    if quantity == "forward_dynamics":
        require_regular(robot)


def still(robot: RobotLike) -> Array:
    """The joint velocities of an arm at rest."""
    return np.zeros(robot_of(robot).n)


def _run_kernel(
    compiled: Kernel,
    robot: Robot,
    arguments: tuple[ArrayLike, ...],
    wrench: ArrayLike | None,
    out: Array | None,
) -> tuple[Array, ...]:
    """Run a kernel; arguments or results that are not valid raise an error."""
    before = LOOP_DATA[0]
    values = arguments if wrench is None else (*arguments, wrench)
    try:
        if not PLAIN.issuperset(map(type, values)):
            named = _named(compiled, values)
            values = tuple(_plain(name, value, robot) for name, value in named.items())
        result = compiled(*values, out=out)
    except ErfdError:  # a wrong setting
        raise
    except (TypeError, ValueError):
        State(robot, wrench, **_named(compiled, arguments))  # finds what is wrong with them
        try:  # numbers of a kind that NumPy does not convert by itself
            result = compiled(*(np.asarray(v, dtype=np.float64) for v in values), out=out)
        except (TypeError, ValueError) as error:
            raise InputError(f"out: {error}") from None
    results: tuple[Array, ...] = result if isinstance(result, tuple) else (result,)
    if LOOP_DATA[0] != before:  # perhaps another thread's
        _require_finite(robot, _named(compiled, values), results, out)
        _require_finite_results(robot, compiled.header["quantity"], results)
    return results


def _named(compiled: Kernel, values: tuple[ArrayLike, ...]) -> dict[str, ArrayLike]:
    """The arguments of a kernel by name; a wrench comes last."""
    names = (*argument_names(compiled.header["quantity"]), "wrench")
    return dict(zip(names, values, strict=False))


def _require_finite_results(robot: Robot, quantity: str, results: tuple[Array, ...]) -> None:
    """Raise an error for results that are not finite though the arguments were."""
    for result in results:
        if quantity == "forward_dynamics" and not np.isfinite(result).all():
            raise _singular_here(robot, result)
        finite(result, robot, f"the {quantity}")


def _plain(name: str, value: ArrayLike, robot: Robot) -> ArrayLike:
    """The argument as a plain array, by position; a Dask array stays as it is.

    A table would sort its rows by their labels, and a mask or a matrix knows nothing of H.
    """
    if hasattr(value, "__dask_graph__"):
        return value
    return checked(name, value, robot) if np.ma.is_masked(value) else np.asarray(value)


def _require_finite(
    robot: Robot, inputs: dict[str, ArrayLike], results: tuple[Array, ...], out: Array | None
) -> None:
    """Raise an error for an argument that is not finite; `out` may have overwritten one."""
    lost = [
        name
        for name, value in inputs.items()
        if out is not None and isinstance(value, np.ndarray) and np.may_share_memory(value, out)
    ]
    for name, value in inputs.items():
        if name not in lost:
            checked(name, value, robot)
    if lost and not all(np.isfinite(result).all() for result in results):
        raise InputError(f"{lost[0]}: it, or the result that out put in its place, is not finite")


def finite(result: Array, robot: Robot, what: str) -> Array:
    """The result, or an error if it is not finite though the arguments were."""
    if not np.isfinite(result).all():
        raise InputError(f"{what} of robot {robot.name!r} overflows: the arguments are too large")
    return result


def _filled(result: Array, out: Array) -> Array:
    """The result, copied into `out`."""
    try:
        np.copyto(out, result)
    except (TypeError, ValueError):
        array = f"{getattr(out, 'shape', type(out))} of {getattr(out, 'dtype', 'no dtype')}"
        raise InputError(
            f"out: expected an array {result.shape} of floats, found {array}"
        ) from None
    return out


def _singular_here(robot: Robot, qdd: Array) -> SingularError:
    """The error for accelerations that are not finite: H is singular or overflows."""
    where = tuple(int(i) for i in np.argwhere(~np.isfinite(qdd))[0][:-1])
    place = f" at state {list(where)}" if where else ""
    return SingularError(f"robot {robot.name!r}: H is singular or overflows{place}")


def require_regular(robot: Robot) -> None:
    """Raise a SingularError if a joint moves no inertia: there is no forward dynamics then."""
    loose = robot.once(_loose_joint, lambda: _loose_joint(robot))
    if loose is not None:
        raise SingularError(
            f"robot {robot.name!r}: H is singular: joint {loose} moves no inertia,"
            " expected a mass or an inertia behind every joint"
        )


def _loose_joint(robot: Robot) -> int | None:
    """The last joint (from 1) that moves no inertia of its own, or None."""
    chain = chain_of(robot)
    loose_joints: list[int] = []
    for seed in (1.0, 2.0):  # two poses without symmetry: H singular at both is singular anywhere
        q = [math.sin(seed + 3.7 * i) for i in range(robot.n)]
        h: Array = np.array(fast.mass_matrix(chain, motions(chain, q, math.cos, math.sin)))
        loose = 0
        for k in range(robot.n):
            part = h[k:, k:]
            size = np.sqrt(np.abs(np.diag(part)))
            if not size.all() or np.linalg.eigvalsh(part / np.outer(size, size))[0] < 1e-13:
                loose = k + 1
        loose_joints.append(loose)
    return min(loose_joints) or None
