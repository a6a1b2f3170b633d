"""The witnesses of the errata tests agree with each other, with the library and a closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

import erfd
from erfd import Joint, Link, Robot
from support.errata_witness import LOLA, Arm, crooked, mass_matrix, newton_euler, state, torques


@pytest.mark.parametrize("robot", [LOLA, crooked()], ids=lambda robot: robot.name)
def test_witnesses_agree(robot: Robot) -> None:
    """Pinocchio, our recursion and the library agree before they judge the print."""
    q, qd, qdd = state(robot.n)
    arm = Arm.at(robot, q)
    expected = torques(robot, q, qd, qdd)
    size = np.abs(expected).max()
    assert newton_euler(arm, qd, qdd) == pytest.approx(expected, abs=1e-12 * size)
    assert erfd.inverse_dynamics(robot, q, qd, qdd) == pytest.approx(expected, abs=1e-12 * size)
    assert erfd.mass_matrix(robot, q) == pytest.approx(mass_matrix(robot, q), abs=1e-12 * size)


def test_witness_falls_like_a_pendulum() -> None:
    """Pinocchio against a closed form: a point mass on a horizontal axis."""
    link = Link("bob", 2.0, (0.0, 0.0, 0.0))
    robot = Robot("pendulum", (Joint("hinge", a=0.5),), (link,), gravity=(0.0, -9.81, 0.0))
    q, qd, qdd = np.array([0.3]), np.array([0.7]), np.array([1.1])
    expected = 2.0 * 0.5**2 * 1.1 + 2.0 * 9.81 * 0.5 * math.cos(0.3)
    assert torques(robot, q, qd, qdd) == pytest.approx(expected, rel=1e-14)
