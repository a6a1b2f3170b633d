"""Kinematics: frames, Jacobian, velocities and accelerations of links, energy and momentum."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..dynamics import energy, kinematics
from ..dynamics.chain import placed_links
from ..errors import InputError
from ..ground.arrays import Array
from ..kernels.kernel import single_call
from ..robot.library import RobotLike, robot_of
from ..robot.model import Robot
from ..robot.pose import IDENTITY, Pose
from .dispatch import compute, still
from .over_numpy import pose_matrix as pose_matrix
from .state import State


def link_frames(robot: RobotLike, q: ArrayLike) -> Array:
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
    return compute(robot, "link_frames", (q,))[0]


def forward_kinematics(robot: RobotLike, q: ArrayLike, link: int | str | None = None) -> Array:
    """The pose of the tool frame, or of another frame of the robot, in the base frame.

    Args:
        robot: The robot.
        q: Joint coordinates (rad, m), (..., n).
        link: None for the tool frame; 0..n for a D-H frame; or a name: of a frame of the robot's
            file (`robot.frames`: every link of a URDF file), else of a link (its D-H frame i).

    Returns:
        The homogeneous matrix (position in m), (..., 4, 4).

    Raises:
        InputError: No such frame, or `q` that is not finite or does not fit.

    >>> import erfd
    >>> erfd.forward_kinematics(erfd.load("lola15"), [0] * 6)[:3, 3].round(3)
    array([ 1.375, -0.12 ,  0.835])
    """
    if link is None:
        quick = single_call(robot, "forward_kinematics", "auto")(q)
        return compute(robot, "forward_kinematics", (q,))[0] if quick is None else quick
    robot = robot_of(robot)
    index, pose = _frame_place(robot, link)
    placed = link_frames(robot, q)[..., index, :, :]
    return np.asarray(placed if pose.is_identity else placed @ pose_matrix(pose))


def jacobian(robot: RobotLike, q: ArrayLike, link: int | str | None = None) -> Array:
    """The geometric Jacobian at the tool point, or at the origin of another frame.

    Args:
        robot: The robot.
        q: Joint coordinates (rad, m), (..., n).
        link: The frame, as in `forward_kinematics`; None for the tool frame.

    Returns:
        J in base coordinates, (..., 6, n): three rows for the linear velocity (m/s) of the point,
        then three for the angular velocity (rad/s). Joints beyond the frame have columns of zeros.

    >>> import erfd
    >>> erfd.jacobian(erfd.load("two_link"), [0, 0])[1].round(3).tolist()
    [0.9, 0.4]
    >>> erfd.jacobian(erfd.load("two_link"), [0, 0], link=1)[1].round(3).tolist()
    [0.5, 0.0]
    """
    if link is None:
        quick = single_call(robot, "jacobian", "auto")(q)
        return compute(robot, "jacobian", (q,))[0] if quick is None else quick
    robot = robot_of(robot)
    index, pose = _frame_place(robot, link)
    frames = link_frames(robot, q)
    point = (frames[..., index, :, :] @ pose_matrix(pose))[..., :3, 3]
    result = np.zeros((*frames.shape[:-3], 6, robot.n))
    for j, joint in enumerate(robot.joints[:index]):
        axis, origin = frames[..., j, :3, 2], frames[..., j, :3, 3]
        if joint.revolute:
            result[..., :3, j] = np.cross(axis, point - origin)
            result[..., 3:, j] = axis
        else:
            result[..., :3, j] = axis
    return result


def _frame_place(robot: Robot, link: int | str) -> tuple[int, Pose]:
    """A frame by number or name: the D-H frame that it is fixed to, and its pose in that."""
    if isinstance(link, str):
        for frame in robot.frames:
            if frame.name == link:
                return frame.link, frame.pose
        names = [body.name for body in robot.links]
        if link not in names:
            known = dict.fromkeys([*(frame.name for frame in robot.frames), *names])
            raise InputError(f"link: expected one of {', '.join(known)}, found {link!r}")
        return names.index(link) + 1, IDENTITY
    whole = isinstance(link, int | np.integer) and not isinstance(link, bool)
    if not whole or not 0 <= link <= robot.n:
        raise InputError(f"link: expected 0 to {robot.n} or the name of a frame, found {link!r}")
    return int(link), IDENTITY


def link_velocities(robot: RobotLike, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array]:
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
    arm = state.arm
    links = placed_links(arm.chain, arm.pose)
    moving = kinematics.link_velocities(arm.chain, links, arm.qd)
    return state.in_base([w for w, _ in moving]), state.in_base([v for _, v in moving])


def link_accelerations(
    robot: RobotLike, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike
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
    arm = state.arm
    links = placed_links(arm.chain, arm.pose)
    moving = kinematics.link_accelerations(arm.chain, links, arm.qd, arm.x)
    return state.in_base([wd for _, wd, _ in moving]), state.in_base([vd for _, _, vd in moving])


def kinetic_energy(robot: RobotLike, q: ArrayLike, qd: ArrayLike) -> Array:
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
    return compute(robot, "energy", (q, qd))[0]


def potential_energy(robot: RobotLike, q: ArrayLike) -> Array:
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
    return compute(robot, "energy", (q, still(robot)))[1]


def momentum(robot: RobotLike, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array]:
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
    linear, angular = energy.momentum(state.arm.chain, state.arm.pose, state.arm.qd)
    return state.in_base([linear])[..., 0, :], state.in_base([angular])[..., 0, :]
