"""The quantities that a kernel may compute: inputs, outputs and expressions, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..dynamics import coriolis, energy, kinematics, methods, ne_link
from ..dynamics.chain import Chain, Wrench, chain_of, frames
from ..dynamics.vectors import Matrix, Scalar, Vector, add, mat_mul, mat_vec, transpose
from ..robot.model import Robot
from . import trace
from .trace import TraceInputs, scalars

Shapes = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity: arguments after q (names of `TraceInputs`), output shapes, expressions."""

    arguments: tuple[str, ...]
    outputs: Callable[[int], Shapes]
    express: Callable[[Robot, TraceInputs, str, bool], list[Scalar]]
    takes_wrench: bool = False


def _method(name: str) -> Callable[[Robot, TraceInputs, str, bool], list[Scalar]]:
    """The expressions of a quantity that several formulations define."""

    def express(robot: Robot, inputs: TraceInputs, method: str, wrench: bool) -> list[Scalar]:
        return trace.express(chain_of(robot), inputs, name, method, _load(robot, inputs, wrench))

    return express


def _load(robot: Robot, inputs: TraceInputs, wrench: bool) -> Wrench | None:
    """The wrench, given in base coordinates, in frame 0."""
    if not wrench:
        return None
    in_base = inputs.load()
    turn = transpose(robot.base.rotation)
    return Wrench(mat_vec(turn, in_base.force), mat_vec(turn, in_base.moment))


def _coriolis(robot: Robot, inputs: TraceInputs, method: str, wrench: bool) -> list[Scalar]:
    chain = chain_of(robot)
    rows = coriolis.coriolis_matrix(chain, inputs.motions(chain), scalars(inputs.qd))
    return [x for row in rows for x in row]


def _reactions(robot: Robot, inputs: TraceInputs, method: str, wrench: bool) -> list[Scalar]:
    chain = chain_of(robot)
    loads = ne_link.reactions(
        chain,
        inputs.motions(chain),
        scalars(inputs.qd),
        scalars(inputs.x),
        _load(robot, inputs, wrench),
    )
    return [x for k in (0, 1) for load in loads for x in load[k]]


def _homogeneous(rotation: Matrix, origin: Vector) -> list[Scalar]:
    rows = [[*row, p] for row, p in zip(rotation, origin, strict=True)]
    return [x for row in rows for x in row] + [0.0, 0.0, 0.0, 1.0]


def _placed(robot: Robot, chain: Chain, inputs: TraceInputs) -> list[tuple[Matrix, Vector]]:
    """The frames 0..n in the base frame."""
    base = robot.base
    return [
        (mat_mul(base.rotation, r), add(base.xyz, mat_vec(base.rotation, p)))
        for r, p in frames(chain, inputs.motions(chain))
    ]


def _frames(robot: Robot, inputs: TraceInputs, method: str, wrench: bool) -> list[Scalar]:
    placed = _placed(robot, chain_of(robot), inputs)
    return [x for rotation, origin in placed for x in _homogeneous(rotation, origin)]


def _tool(robot: Robot, inputs: TraceInputs, method: str, wrench: bool) -> list[Scalar]:
    rotation, origin = _placed(robot, chain_of(robot), inputs)[-1]
    point = add(origin, mat_vec(rotation, robot.tool.xyz))
    return _homogeneous(mat_mul(rotation, robot.tool.rotation), point)


def _jacobian(robot: Robot, inputs: TraceInputs, method: str, wrench: bool) -> list[Scalar]:
    chain = chain_of(robot)
    rows = kinematics.jacobian(chain, inputs.motions(chain))
    turned = [*mat_mul(robot.base.rotation, rows[:3]), *mat_mul(robot.base.rotation, rows[3:])]
    return [x for row in turned for x in row]


def _energy(robot: Robot, inputs: TraceInputs, method: str, wrench: bool) -> list[Scalar]:
    chain = chain_of(robot)
    motions = inputs.motions(chain)
    return [
        energy.kinetic_energy(chain, motions, scalars(inputs.qd)),
        energy.potential_energy(chain, motions),
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
