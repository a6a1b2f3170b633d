"""Limits of joints as arrays, and positions beyond them."""

import numpy as np
import pytest

import erfd
from erfd.errors import InputError
from erfd.robot.limits import JointLimits, check_within


def test_positions_beyond_the_limits_are_named() -> None:
    low, high = np.array([-1.0, -np.inf]), np.array([1.0, 2.0])
    check_within("q0", np.array([[1.0 + 1e-10, -9.0], [0.0, 2.0]]), low, high)
    with pytest.raises(InputError, match=r"q0: expected joint 2 within -inf to 2, found 3$"):
        check_within("q0", np.array([0.0, 3.0]), low, high)
    with pytest.raises(InputError, match=r"q0\[1\]: expected joint 1 within -1 to 1, found -2$"):
        check_within("q0", np.array([[0.0, 0.0], [-2.0, 3.0]]), low, high)


@pytest.mark.parametrize("name", erfd.robots())
def test_limits_are_those_of_the_joints(name: str) -> None:
    robot = erfd.load(name)
    limits = JointLimits.of(robot)
    for i, joint in enumerate(robot.joints):
        assert (limits.lower[i], limits.upper[i]) == (joint.position_min, joint.position_max)
        assert limits.velocity[i] == joint.velocity_max
        assert (limits.acceleration[i], limits.jerk[i]) == (joint.acceleration_max, joint.jerk_max)
        assert limits.turns[i] == joint.revolute
    assert JointLimits.of(robot) is limits  # gathered once
    with pytest.raises(ValueError, match="read-only"):
        limits.lower[0] = 0.0
