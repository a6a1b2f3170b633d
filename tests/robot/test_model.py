"""Robots are values."""

from dataclasses import replace

import pytest

import erfd


def test_robots_cannot_be_changed() -> None:
    robot = erfd.load("lola15")
    with pytest.raises(AttributeError):
        robot.links[0].mass = 1.0
    assert robot is erfd.load("lola15")
    assert robot != replace(robot, gravity=(0.0, 0.0, 0.0))
