"""`State`: the checked arguments of a public function, as scalars for the formulations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ..dynamics.chain import ArmState, Wrench, chain_of, motions
from ..dynamics.vectors import Scalar, Vector
from ..errors import InputError
from ..ground.arrays import Array, require_finite
from ..robot.library import RobotLike, robot_of
from ..robot.model import Robot


class State:
    """The checked arguments of one call, as arrays and as scalars."""

    def __init__(self, robot: RobotLike, wrench: ArrayLike | None = None, **arguments: ArrayLike):
        robot = robot_of(robot)
        arrays = {name: checked(name, value, robot) for name, value in arguments.items()}
        if wrench is not None:
            arrays["wrench"] = checked("wrench", wrench, robot)
        try:
            self.shape = np.broadcast_shapes(*(a.shape[:-1] for a in arrays.values()))
        except ValueError:
            shapes = ", ".join(f"{name} {a.shape}" for name, a in arrays.items())
            raise InputError(f"shapes that do not broadcast: {shapes}") from None
        self.robot, self.arrays = robot, arrays

    @cached_property
    def arm(self) -> ArmState:
        """The arguments as scalars; worked out when first needed, for a mere check does not."""
        columns = {name: self._scalars(a) for name, a in self.arrays.items()}
        chain = chain_of(self.robot)
        cos, sin = (math.cos, math.sin) if self.single else (np.cos, np.sin)
        pose = motions(chain, columns["q"], cos, sin)
        x = columns.get("qdd") or columns.get("u", [])
        wrench = Wrench.from_base(self.robot, columns["wrench"]) if "wrench" in columns else None
        return ArmState(chain, pose, columns.get("qd", []), x, wrench)

    @property
    def single(self) -> bool:
        """Whether it is one state, not a batch."""
        return self.shape == ()

    def _scalars(self, array: Array) -> list[Scalar]:
        if array.ndim == 1 and self.single:
            return [float(x) for x in array]
        return [array[..., i] for i in range(array.shape[-1])]

    def vector(self, values: Sequence[Scalar]) -> Array:
        """Scalars stacked along a new last axis."""
        result = np.empty((*self.shape, len(values)))
        for i, value in enumerate(values):
            result[..., i] = value
        return result

    def in_base(self, rows: Sequence[Vector]) -> Array:
        """Vectors of frame 0, stacked and turned into the base frame."""
        result = self.vector([x for row in rows for x in row]).reshape(*self.shape, len(rows), 3)
        if self.robot.base.is_identity:
            return result
        return np.asarray(result @ np.array(self.robot.base.rotation).T)


def checked(name: str, value: ArrayLike, robot: Robot) -> Array:
    """The argument as finite float64 numbers (..., n), a wrench as (..., 6); else an error."""
    length = 6 if name == "wrench" else robot.n
    if np.ma.is_masked(value):
        raise InputError(f"{name}: expected numbers, found some that are masked")
    try:
        raw = np.asarray(value)
        if raw.dtype.kind not in "biufO":  # neither complex numbers nor text nor dates
            raise TypeError
        with np.errstate(over="ignore"):  # of longer floats: infinity is found below
            array = raw.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):  # the last one of Python's long integers
        raise InputError(f"{name}: expected numbers, found {value!r:.60}") from None
    if array.ndim == 0 or array.shape[-1] != length:
        owner = f" for robot {robot.name!r}" if name != "wrench" else ""
        expected = f"shape (..., {length}){owner}"
        raise InputError(f"{name}: expected {expected}, found {array.shape}")
    return require_finite(name, array)
