"""The quantities that are computed, by name: arguments, results, and expressions over any scalar.

A kernel is traced from the expressions; without a compiler NumPy runs them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..dynamics import coriolis, energy, kinematics, methods, ne_link
from ..dynamics.chain import ArmState, frames
from ..dynamics.vectors import Matrix, Scalar, Vector, add, mat_mul, mat_vec
from ..robot.model import Robot

Shapes = tuple[tuple[int, ...], ...]
Express = Callable[[Robot, ArmState, str], list[Scalar]]
"""The scalars of all results of a robot in a state, by a method."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity: arguments after q (names of `ArmState`), output shapes, expressions."""

    arguments: tuple[str, ...]
    outputs: Callable[[int], Shapes]
    express: Express
    takes_wrench: bool = False


def _method(name: str) -> Express:
    """The expressions of a quantity that several formulations define."""
    return lambda robot, arm, method: methods.evaluate(method, name, arm)


def _coriolis(robot: Robot, arm: ArmState, method: str) -> list[Scalar]:
    return [x for row in coriolis.coriolis_matrix(arm.chain, arm.pose, arm.qd) for x in row]


def _reactions(robot: Robot, arm: ArmState, method: str) -> list[Scalar]:
    loads = ne_link.reactions(arm.chain, arm.pose, arm.qd, arm.x, arm.wrench)
    return [x for k in (0, 1) for load in loads for x in load[k]]


def _homogeneous(rotation: Matrix, origin: Vector) -> list[Scalar]:
    rows = [[*row, p] for row, p in zip(rotation, origin, strict=True)]
    return [x for row in rows for x in row] + [0.0, 0.0, 0.0, 1.0]


def _placed(robot: Robot, arm: ArmState) -> list[tuple[Matrix, Vector]]:
    """The frames 0..n in the base frame."""
    base = robot.base
    return [
        (mat_mul(base.rotation, r), add(base.xyz, mat_vec(base.rotation, p)))
        for r, p in frames(arm.chain, arm.pose)
    ]


def _frames(robot: Robot, arm: ArmState, method: str) -> list[Scalar]:
    return [x for rotation, origin in _placed(robot, arm) for x in _homogeneous(rotation, origin)]


def _tool(robot: Robot, arm: ArmState, method: str) -> list[Scalar]:
    rotation, origin = _placed(robot, arm)[-1]
    point = add(origin, mat_vec(rotation, robot.tool.xyz))
    return _homogeneous(mat_mul(rotation, robot.tool.rotation), point)


def _jacobian(robot: Robot, arm: ArmState, method: str) -> list[Scalar]:
    rows = kinematics.jacobian(arm.chain, arm.pose)
    turned = [*mat_mul(robot.base.rotation, rows[:3]), *mat_mul(robot.base.rotation, rows[3:])]
    return [x for row in turned for x in row]


def _energy(robot: Robot, arm: ArmState, method: str) -> list[Scalar]:
    return [
        energy.kinetic_energy(arm.chain, arm.pose, arm.qd),
        energy.potential_energy(arm.chain, arm.pose),
    ]


QUANTITIES: dict[str, Quantity] = {
    "inverse_dynamics": Quantity(
        ("qd", "x"), lambda n: ((n,),), _method("inverse_dynamics"), takes_wrench=True
    ),
    "forward_dynamics": Quantity(
        ("qd", "x"), lambda n: ((n,),), _method("forward_dynamics"), takes_wrench=True
    ),
    "mass_matrix": Quantity((), lambda n: ((n, n),), _method("mass_matrix")),
    "bias": Quantity(("qd",), lambda n: ((n,),), _method("bias"), takes_wrench=True),
    "coriolis_matrix": Quantity(("qd",), lambda n: ((n, n),), _coriolis),
    "joint_reactions": Quantity(
        ("qd", "x"), lambda n: ((n, 3), (n, 3)), _reactions, takes_wrench=True
    ),
    "link_frames": Quantity((), lambda n: ((n + 1, 4, 4),), _frames),
    "forward_kinematics": Quantity((), lambda n: ((4, 4),), _tool),
    "jacobian": Quantity((), lambda n: ((6, n),), _jacobian),
    "energy": Quantity(("qd",), lambda n: ((), ()), _energy),
}
HAS_METHODS = methods.FORMULATED_QUANTITIES


def argument_names(quantity: str) -> tuple[str, ...]:
    """The names of a quantity's arguments for a user: what is `x` is u or qdd."""
    x = "u" if quantity == "forward_dynamics" else "qdd"
    return ("q", *(x if key == "x" else key for key in QUANTITIES[quantity].arguments))
