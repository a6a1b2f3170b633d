"""The quantities of the public functions: names of their arguments, and how NumPy computes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..dynamics import coriolis, energy, kinematics, methods, ne_link
from ..dynamics.chain import frames
from ..ground.arrays import Array
from ..robot.model import Robot
from ..robot.pose import Pose
from .state import State

Results = tuple[Array, ...]


@dataclass(frozen=True, slots=True)
class PublicQuantity:
    """A quantity: the names of its arguments, and its results of a state (and a method)."""

    names: tuple[str, ...]
    results: Callable[[State, str], Results]


def _by_method(quantity: str, *names: str) -> PublicQuantity:
    """A quantity that several formulations define."""

    def results(state: State, method: str) -> Results:
        compute = methods.function(chosen_method(state.robot, quantity, method), quantity)
        if quantity == "mass_matrix":
            return (state.matrix(compute(state.chain, state.pose)),)
        rates = [getattr(state, name) for name in names[1:]]
        try:
            return (state.vector(compute(state.chain, state.pose, *rates, state.wrench)),)
        except ZeroDivisionError:  # H is singular
            return (np.full((*state.shape, state.robot.n), np.nan),)

    return PublicQuantity(names, results)


def chosen_method(robot: Robot, quantity: str, method: str) -> str:
    """The method by name, `auto` resolved."""
    if method != "auto":
        return method
    from ..kernels.count import best_method

    return best_method(robot, quantity)


def _coriolis_matrix(state: State, method: str) -> Results:
    return (state.matrix(coriolis.coriolis_matrix(state.chain, state.pose, state.qd)),)


def _joint_reactions(state: State, method: str) -> Results:
    loads = ne_link.reactions(state.chain, state.pose, state.qd, state.qdd, state.wrench)
    return tuple(state.matrix([load[k] for load in loads]) for k in (0, 1))


def _link_frames(state: State, method: str) -> Results:
    robot = state.robot
    result = np.zeros((*state.shape, robot.n + 1, 4, 4))
    for i, (rotation, origin) in enumerate(frames(state.chain, state.pose)):
        result[..., i, :3, :3] = state.matrix(rotation)
        result[..., i, :3, 3] = state.vector(origin)
    result[..., 3, 3] = 1.0
    return (result if robot.base.is_identity else pose_matrix(robot.base) @ result,)


def pose_matrix(pose: Pose) -> Array:
    """A constant pose as a homogeneous 4x4 matrix."""
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = pose.rotation, pose.xyz
    return result


def _forward_kinematics(state: State, method: str) -> Results:
    (poses,) = _link_frames(state, method)
    return (np.asarray(poses[..., -1, :, :] @ pose_matrix(state.robot.tool)),)


def _jacobian(state: State, method: str) -> Results:
    result = state.matrix(kinematics.jacobian(state.chain, state.pose))
    if state.robot.base.is_identity:
        return (result,)
    r = np.array(state.robot.base.rotation)
    return (np.concatenate([r @ result[..., :3, :], r @ result[..., 3:, :]], axis=-2),)


def _energy(state: State, method: str) -> Results:
    kinetic = energy.kinetic_energy(state.chain, state.pose, state.qd)
    both = state.vector([kinetic, energy.potential_energy(state.chain, state.pose)])
    return both[..., 0], both[..., 1]


PUBLIC_QUANTITIES: dict[str, PublicQuantity] = {
    "inverse_dynamics": _by_method("inverse_dynamics", "q", "qd", "qdd"),
    "forward_dynamics": _by_method("forward_dynamics", "q", "qd", "u"),
    "mass_matrix": _by_method("mass_matrix", "q"),
    "bias": _by_method("bias", "q", "qd"),
    "coriolis_matrix": PublicQuantity(("q", "qd"), _coriolis_matrix),
    "joint_reactions": PublicQuantity(("q", "qd", "qdd"), _joint_reactions),
    "link_frames": PublicQuantity(("q",), _link_frames),
    "forward_kinematics": PublicQuantity(("q",), _forward_kinematics),
    "jacobian": PublicQuantity(("q",), _jacobian),
    "energy": PublicQuantity(("q", "qd"), _energy),
}
"""By the names of `kernels.quantities.QUANTITIES`."""
