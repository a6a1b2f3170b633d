"""Kinematics: frames, Jacobian, velocities and accelerations of links, energy and momentum."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..dynamics import energy, kinematics
from ..dynamics.chain import frames, placed_links
from ..errors import InputError
from ..ground.arrays import Array
from ..robot.model import Robot
from ..robot.pose import Pose
from .dispatch import compiled_kernel, run_kernel, run_kernel_outputs, single_state
from .state import State


def link_frames(robot: Robot, q: ArrayLike) -> Array:
    """The poses of the frames 0..n in the base frame.

    Args:
        robot: The robot.
        q: Joint coordinates (rad, m), (..., n).

    Returns:
        Homogeneous matrices (positions in m), (..., n+1, 4, 4).

    >>> import erfd
    >>> erfd.link_frames(erfd.load("two_link"), [0, 0]).shape
    (3, 4, 4)
    """
    compiled = compiled_kernel(robot, "link_frames", "auto", False)
    if compiled is not None:
        return run_kernel(compiled, robot, q=q)
    state = State(robot, q=q)
    result = np.zeros((*state.shape, robot.n + 1, 4, 4))
    for i, (rotation, origin) in enumerate(frames(state.chain, state.pose)):
        result[..., i, :3, :3] = state.matrix(rotation)
        result[..., i, :3, 3] = state.vector(origin)
    result[..., 3, 3] = 1.0
    if not robot.base.is_identity:
        result = pose_matrix(robot.base) @ result
    return result


def forward_kinematics(robot: Robot, q: ArrayLike, link: int | str | None = None) -> Array:
    """The pose of the tool frame, or of a link's frame, in the base frame.

    Args:
        robot: The robot.
        q: Joint coordinates (rad, m), (..., n).
        link: None for the tool frame, 0..n for a frame, or the name of a link (its frame i).

    Returns:
        The homogeneous matrix (position in m), (..., 4, 4).

    Raises:
        InputError: No such link, or `q` that is not finite or does not fit.

    >>> import erfd
    >>> erfd.forward_kinematics(erfd.load("lola15"), [0] * 6)[:3, 3].round(3)
    array([ 1.375, -0.12 ,  0.835])
    """
    if link is None:
        pose = single_state(robot, "forward_kinematics", "auto")(q)
        if pose is not None:
            return pose
        compiled = compiled_kernel(robot, "forward_kinematics", "auto", False)
        if compiled is not None:
            return run_kernel(compiled, robot, q=q)
    poses = link_frames(robot, q)
    if link is None:
        return np.asarray(poses[..., -1, :, :] @ pose_matrix(robot.tool))
    names = [body.name for body in robot.links]
    if isinstance(link, str):
        if link not in names:
            raise InputError(f"link: expected one of {', '.join(names)}, found {link!r}")
        link = names.index(link) + 1
    whole = isinstance(link, int | np.integer) and not isinstance(link, bool)
    if not whole or not 0 <= link <= robot.n:
        raise InputError(f"link: expected 0 to {robot.n} or a link's name, found {link!r}")
    return np.asarray(poses[..., link, :, :])


def pose_matrix(pose: Pose) -> Array:
    """A constant pose as a homogeneous 4x4 matrix."""
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = pose.rotation, pose.xyz
    return result


def jacobian(robot: Robot, q: ArrayLike) -> Array:
    """The geometric Jacobian at the tool point, in base coordinates.

    Args:
        robot: The robot.
        q: Joint coordinates (rad, m), (..., n).

    Returns:
        J, (..., 6, n): three rows for the linear velocity (m/s) of the tool point, then three for
        the angular velocity (rad/s).

    >>> import erfd
    >>> erfd.jacobian(erfd.load("two_link"), [0, 0])[1].round(3).tolist()
    [0.9, 0.4]
    """
    j = single_state(robot, "jacobian", "auto")(q)
    if j is not None:
        return j
    compiled = compiled_kernel(robot, "jacobian", "auto", False)
    if compiled is not None:
        return run_kernel(compiled, robot, q=q)
    state = State(robot, q=q)
    result = state.matrix(kinematics.jacobian(state.chain, state.pose))
    if not robot.base.is_identity:
        r = np.array(robot.base.rotation)
        result = np.concatenate([r @ result[..., :3, :], r @ result[..., 3:, :]], axis=-2)
    return result


def link_velocities(robot: Robot, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array]:
    """The velocities of the links in base coordinates.

    Args:
        robot: The robot.
        q: Joint coordinates (rad, m), (..., n).
        qd: Joint velocities (rad/s, m/s), (..., n).

    Returns:
        Angular velocities (rad/s), and linear velocities (m/s) of the origins of frames 1..n, each
        (..., n, 3).

    >>> import erfd
    >>> angular, linear = erfd.link_velocities(erfd.load("two_link"), [0, 0], [1, 0])
    >>> linear.round(3).tolist()
    [[0.0, 0.5, 0.0], [0.0, 0.9, 0.0]]
    """
    state = State(robot, q=q, qd=qd)
    links = placed_links(state.chain, state.pose)
    moving = kinematics.link_velocities(state.chain, links, state.qd)
    return state.in_base([w for w, _ in moving]), state.in_base([v for _, v in moving])


def link_accelerations(
    robot: Robot, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike
) -> tuple[Array, Array]:
    """The accelerations of the links in base coordinates, without gravity.

    Args:
        robot: The robot.
        q: Joint coordinates (rad, m), (..., n).
        qd: Joint velocities (rad/s, m/s), (..., n).
        qdd: Joint accelerations (rad/s2, m/s2), (..., n).

    Returns:
        Angular accelerations (rad/s2), and linear accelerations (m/s2) of the origins of frames
        1..n, each (..., n, 3).

    >>> import erfd
    >>> angular, linear = erfd.link_accelerations(erfd.load("two_link"), [0, 0], [1, 0], [0, 0])
    >>> linear.round(3).tolist()
    [[-0.5, 0.0, 0.0], [-0.9, 0.0, 0.0]]
    """
    state = State(robot, q=q, qd=qd, qdd=qdd)
    links = placed_links(state.chain, state.pose)
    moving = kinematics.link_accelerations(state.chain, links, state.qd, state.qdd)
    return state.in_base([wd for _, wd, _ in moving]), state.in_base([vd for _, _, vd in moving])


def kinetic_energy(robot: Robot, q: ArrayLike, qd: ArrayLike) -> Array:
    """The kinetic energy of the links; rotors are not counted.

    Args:
        robot: The robot.
        q: Joint coordinates (rad, m), (..., n).
        qd: Joint velocities (rad/s, m/s), (..., n).

    Returns:
        The energy in J, (...).

    >>> import erfd
    >>> erfd.kinetic_energy(erfd.load("two_link"), [0, 0], [1, 0]).round(3).tolist()
    1.006
    """
    compiled = compiled_kernel(robot, "energy", "auto", False)
    if compiled is not None:
        return run_kernel_outputs(compiled, robot, q=q, qd=qd)[0]
    state = State(robot, q=q, qd=qd)
    return state.vector([energy.kinetic_energy(state.chain, state.pose, state.qd)])[..., 0]


def potential_energy(robot: Robot, q: ArrayLike) -> Array:
    """The potential energy of the links, zero where all mass centres are at the origin of frame 0.

    Args:
        robot: The robot.
        q: Joint coordinates (rad, m), (..., n).

    Returns:
        The energy in J, (...).

    >>> import erfd
    >>> erfd.potential_energy(erfd.load("two_link"), [1.0, 0]).round(3).tolist()
    29.717
    """
    compiled = compiled_kernel(robot, "energy", "auto", False)
    if compiled is not None:
        return run_kernel_outputs(compiled, robot, q=q, qd=np.zeros(robot.n))[1]
    state = State(robot, q=q)
    return state.vector([energy.potential_energy(state.chain, state.pose)])[..., 0]


def momentum(robot: Robot, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array]:
    """The momentum of the links in base coordinates.

    Args:
        robot: The robot.
        q: Joint coordinates (rad, m), (..., n).
        qd: Joint velocities (rad/s, m/s), (..., n).

    Returns:
        Linear momentum (kg m/s), and angular momentum (kg m2/s) about the origin of frame 0, each
        (..., 3).

    >>> import erfd
    >>> linear, angular = erfd.momentum(erfd.load("two_link"), [0, 0], [1, 0])
    >>> linear.round(3).tolist(), angular.round(4).tolist()
    ([0.0, 3.6, 0.0], [0.0, 0.0, 2.0127])
    """
    state = State(robot, q=q, qd=qd)
    linear, angular = energy.momentum(state.chain, state.pose, state.qd)
    return state.in_base([linear])[..., 0, :], state.in_base([angular])[..., 0, :]
