"""Axes without limits of acceleration take half of what their motors have left."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.planning.motor_ramps import LONGEST, SHORTEST, motor_acceleration
from erfd.planning.moves import JointTarget, Move

LOLA = erfd.load("lola15")
FREE = replace(LOLA, joints=tuple(replace(j, acceleration_max=math.inf) for j in LOLA.joints))
poses = st.lists(st.floats(-0.7, 0.7), min_size=6, max_size=6).map(np.array)


def torques(robot: erfd.Robot, q: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """Of the motors, at rest, by the recursion and with the definition of the gears written out."""
    u = erfd.inverse_dynamics(robot, q, 0 * q, qdd)
    k = np.array(robot.gear_matrix)
    load = np.linalg.solve(k.T, u)
    mu, rotor = (
        np.array([getattr(d, n) for d in robot.drives]) for n in ("load_friction", "inertia")
    )
    return np.abs(load) * (1 + mu) + np.abs(rotor * (k @ qdd))


@given(start=poses, end=poses)
@settings(max_examples=25)
def test_half_of_what_is_left_and_no_more(start: np.ndarray, end: np.ndarray) -> None:
    if np.abs(end - start).max() < 0.05:
        return
    top = 2.0
    found = motor_acceleration(FREE, start, end, top)
    limit = np.array([d.torque_max for d in FREE.drives])
    if found is None:  # nothing is left somewhere, or hardly anything
        return
    assert top / LONGEST <= found <= top / SHORTEST
    for q in (start, (start + end) / 2, end):
        held = torques(FREE, q, 0 * q)
        assert (
            torques(FREE, q, found * (end - start)) <= held + 0.51 * (limit - held) + 1e-9
        ).all()


def test_the_plan_takes_it_and_says_so() -> None:
    end = (0.6, 0.3, -0.3, 0.4, 0.5, 0.2)
    made = erfd.plan(FREE, [Move("ptp", (JointTarget(end),), 1)], q0=np.zeros(6))
    (note,) = [n for n in made.notes if n.kind == "limits"]
    assert "no axis that moves has an acceleration limit: full speed takes " in note.sentence
    assert note.sentence.endswith("s, half of what the motors can")
    assert erfd.achievable(FREE, made.trajectory).feasible
    weak = replace(
        FREE, drives=tuple(replace(d, torque_max=0.6 * d.torque_max) for d in FREE.drives)
    )
    slower = erfd.plan(weak, [Move("ptp", (JointTarget(end),), 1)], q0=np.zeros(6))
    assert slower.duration > made.duration
    assert erfd.achievable(weak, slower.trajectory).feasible


@pytest.mark.parametrize("change", [{"torque_max": math.inf}, {"torque_max": 1e-3}])
def test_what_motors_do_not_say(change: dict) -> None:
    """Without limits of torque, or too weak to hold the arm: 0.5 s to full speed."""
    robot = replace(FREE, drives=tuple(replace(d, **change) for d in FREE.drives))
    assert motor_acceleration(robot, np.zeros(6), np.full(6, 0.3), 2.0) is None
    assert motor_acceleration(replace(FREE, drives=()), np.zeros(6), np.full(6, 0.3), 2.0) is None
