"""Singularities: their measures against the Jacobian, and what a motion past them takes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.errors import InputError
from erfd.ik.closed_form.arm import arm_of
from support.inverse_arms import STRUCTURES, positions, spherical_robot

seeds = st.integers(0, 2**32 - 1)


@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from(STRUCTURES), st.booleans())
def test_the_three_kinds_are_the_factors_of_the_determinant(
    seed: int, structure: str, right_angles: bool
) -> None:
    """Shoulder times elbow times wrist is det J, up to a constant of the arm.

    So the three numbers vanish exactly where the Jacobian is singular, and nowhere else.
    """
    robot = spherical_robot(seed, structure, right_angles)
    q = positions(robot, 30, seed)
    product = np.prod(arm_of(robot).signs(q), axis=0)
    determinant = np.linalg.det(erfd.jacobian(robot, q))
    ratio = np.abs(determinant / product)
    assert ratio == pytest.approx(ratio[0], rel=1e-6)


@pytest.mark.parametrize("name", ["lola15", "puma560", "stanford"])
def test_measure_is_the_smallest_singular_value(name: str) -> None:
    """And it goes to 0 with what is left, at a rate that the arm gives."""
    robot = erfd.load(name)
    q = positions(robot, 200, 1)
    found = erfd.singularity(robot, q)
    jacobian = erfd.jacobian(robot, q)
    reach = sum(float(np.linalg.norm(joint.placement[1])) for joint in robot.joints)
    reach += float(np.linalg.norm(robot.tool.xyz))
    if name == "stanford":
        reach += robot.joints[2].position_max
    jacobian[:, :3] /= reach
    assert found.measure == pytest.approx(
        np.linalg.svd(jacobian, compute_uv=False)[:, -1], rel=1e-9
    )
    for left in (1e-2, 1e-4, 1e-6):
        straight = np.array([0.3, 0.2, 0.6, 0.2, left, 0.1])
        here = erfd.singularity(robot, straight)
        assert str(here.kind) == "wrist"
        assert here.angle == pytest.approx(left, rel=1e-9)
        assert 0 < here.measure < 2 * left
        assert here.near


def test_elbow_and_shoulder_of_lola() -> None:
    """Stretched at q3 = atan(825 / 115); and what is left there and above axis 1, from frames."""
    robot = erfd.load("lola15")
    stretched = np.arctan2(0.825, 0.115)
    reach = 0.6 + np.hypot(0.115, 0.825)
    for off in (0.0, 0.01, -0.02):
        q = np.array([0.1, 0.2, stretched + off, 0.3, 0.8, 0.4])
        here = erfd.singularity(robot, q)
        frames = erfd.link_frames(robot, q)[:, :3, 3]
        assert str(here.kind) == "elbow"
        assert here.angle == pytest.approx(abs(off), abs=1e-9)
        left = reach - np.linalg.norm(frames[3] - frames[1])
        assert here.length == pytest.approx(left, abs=1e-9)
    q = np.array([0.3, 0.9, 0.3, 0.3, 0.8, 0.4])
    forward = erfd.link_frames(robot, q)[3, :3, 3] @ [np.cos(0.3), np.sin(0.3), 0.0]
    here = erfd.singularity(robot, q)
    assert str(here.kind) == "shoulder"
    assert here.length == pytest.approx(abs(forward), abs=1e-12)
    assert np.isnan(here.angle)


def test_arms_without_a_closed_form() -> None:
    """Stretched, two links are singular; the centrifuge's head always is: it has but one way."""
    two = erfd.load("two_link")
    here = erfd.singularity(two, [[0.3, 0.9], [0.3, 1e-6], [0.3, 0.0]])
    assert here.kind.tolist() == ["other"] * 3
    assert here.near.tolist() == [False, True, True]
    assert here.measure[2] < 1e-15
    assert np.isnan(here.angle).all()
    assert erfd.singularity(erfd.load("centrifuge3"), np.zeros(3)).near


def test_a_passage_says_what_it_takes() -> None:
    """Past the wrist singularity on a straight line: q4 turns by pi, within what is left."""
    robot = erfd.load("lola15")
    q = np.array([0.3, 0.4, -0.5, 0.0, 0.4, 0.0])
    start = erfd.forward_kinematics(robot, q)
    frames = erfd.link_frames(robot, q)
    # the tool tilts about an axis through the wrist centre: axis 6 passes axis 4 by 0.02 rad
    center, z4 = frames[4, :3, 3], frames[3, :3, 2]
    side = np.cross(z4, frames[5, :3, 2])
    side /= np.linalg.norm(side)
    lean = np.cos(0.02) * side + np.sin(0.02) * z4
    t = np.linspace(0, 0.8, 401)
    pose = []
    for angle in t:
        k = np.array([[0, -lean[2], lean[1]], [lean[2], 0, -lean[0]], [-lean[1], lean[0], 0]])
        turn = np.eye(3) - np.sin(angle) * k + (1 - np.cos(angle)) * k @ k
        here = start.copy()
        here[:3, :3] = turn @ start[:3, :3]
        here[:3, 3] = center + turn @ (start[:3, 3] - center)
        pose.append(here)
    dt = 0.01
    found = erfd.follow(robot, np.array(pose), q)
    assert not found.missed.any()
    (passage,) = erfd.passages(robot, found.q, dt)
    assert passage.kind == "wrist"
    assert 0 < passage.angle < 0.05
    assert passage.joint in (4, 6)
    rates = np.abs(np.diff(found.q, axis=0)) / dt
    assert passage.speed == pytest.approx(rates[:, passage.joint - 1].max())
    assert passage.speed > passage.limit
    assert passage.slower == pytest.approx(passage.limit / passage.speed)
    # at that part of the speed the motion keeps all limits of joints and rotors (erratum 18)
    slow = erfd.passages(robot, found.q, dt / passage.slower)[0]
    assert slow.slower == pytest.approx(1.0)
    gears = np.array(robot.gear_matrix)
    rotors = np.abs(np.diff(found.q, axis=0) @ gears.T) / dt * passage.slower
    near = slice(passage.first, passage.last)
    limits = np.array([drive.speed_max for drive in robot.drives])
    joints = np.array([joint.velocity_max for joint in robot.joints])
    use = max((rotors[near] / limits).max(), (rates[near] * passage.slower / joints).max())
    assert use == pytest.approx(1.0, abs=1e-9)


def test_a_motion_far_away_has_no_passage() -> None:
    robot = erfd.load("lola15")
    q = np.linspace([0.3, 0.4, -0.5, 0.8, -0.7, 0], [0.4, 0.5, -0.4, 0.9, -0.8, 0.1], 50)
    assert erfd.passages(robot, q, 0.01) == ()
    with pytest.raises(InputError, match="dt: expected a time > 0 s"):
        erfd.passages(robot, q, 0.0)
    with pytest.raises(InputError, match="q: expected shape"):
        erfd.passages(robot, q[0], 0.01)
