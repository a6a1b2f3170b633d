"""The bundled robots: complete, marked where invented, and true to what is published of them."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from erfd.dynamics.chain import chain_of, frames, motions
from erfd.dynamics.fast import inverse_dynamics, mass_matrix
from erfd.robot.library import load, robots
from support.paths import DATA

NAMES = ("centrifuge3", "cmu_dd", "lola15", "puma560", "sdt4", "stanford", "two_link")
GOLDEN = json.loads((DATA / "puma560_rtb.json").read_text())
G = 9.81

angles = st.floats(-math.pi, math.pi)


def pose_at(robot, q):
    return motions(chain_of(robot), q, math.cos, math.sin)


def frames_at(robot, q):
    """Rotations and origins of the frames 0..n in frame 0, as arrays."""
    placed = frames(chain_of(robot), pose_at(robot, q))
    return [(np.array(r, float), np.array(p, float)) for r, p in placed]


def test_exactly_these_are_bundled():
    assert robots() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_complete(name):
    robot = load(name)
    assert robot.name == name
    assert robot.title
    assert robot.source
    assert robot.illustrative, "every bundled robot has numbers that no document prints"
    assert len(robot.drives) == robot.n
    assert robot.base_visuals
    assert all(link.visuals for link in robot.links)
    assert all(math.isfinite(j.velocity_max + j.acceleration_max) for j in robot.joints)


@pytest.mark.parametrize("name", NAMES)
def test_invented_numbers_are_marked_in_the_file_too(name):
    import erfd.robot

    text = (Path(erfd.robot.__file__).parent / "data" / f"{name}.toml").read_text()
    comments = [line.partition("#")[2] for line in text.splitlines()]
    assert any("llustrative" in comment for comment in comments)


@pytest.mark.parametrize("name", NAMES)
def test_motors_hold_the_arm(name):
    """Gravity alone never asks for more than the motors have, anywhere within the limits."""
    robot = load(name)
    rng = np.random.default_rng(1)
    low = [max(joint.position_min, -math.pi) for joint in robot.joints]
    high = [min(joint.position_max, math.pi) for joint in robot.joints]
    gears = np.array(robot.gear_matrix)
    zero = [0.0] * robot.n
    for q in rng.uniform(low, high, (100, robot.n)):
        u = np.array(inverse_dynamics(chain_of(robot), pose_at(robot, q), zero, zero))
        load_of_motors = np.linalg.solve(gears.T, u)
        for torque, drive in zip(load_of_motors, robot.drives, strict=True):
            assert abs(torque) < drive.torque_max


@pytest.mark.parametrize("name", ["puma560", "stanford"])
def test_agrees_with_robotics_toolbox(name):
    """Torque, gravity load and H as in the golden file, which says how they were computed."""
    robot = load(name)
    chain, zero = chain_of(robot), [0.0] * robot.n
    assert len(GOLDEN[name]) == 20
    for state in GOLDEN[name]:
        pose = pose_at(robot, state["q"])
        results = {
            "torque": inverse_dynamics(chain, pose, state["qd"], state["qdd"]),
            "gravity": inverse_dynamics(chain, pose, zero, zero),
            "mass_matrix": mass_matrix(chain, pose),
        }
        for key, found in results.items():
            expected = np.array(state[key])
            # relative to the largest entry: small ones are differences of large ones
            tolerance = 1e-9 * abs(expected).max()
            np.testing.assert_allclose(np.array(found), expected, rtol=0, atol=tolerance)


def test_golden_numbers_carry_their_origin():
    assert "robotics-toolbox-python 1.5.0" in GOLDEN["origin"]


def test_puma_joint_torques_are_those_of_armstrong():
    torques = [abs(drive.ratio) * drive.torque_max for drive in load("puma560").drives]
    np.testing.assert_allclose(torques, [97.6, 186.4, 89.4, 24.2, 20.1, 21.3], rtol=1e-5)


@given(q=st.tuples(*[angles] * 4))
def test_sdt_geometry_as_printed(q):
    """Axes z_0..z_3 and vectors p*_1..p*_4 of the paper."""
    robot = load("sdt4")
    a1, d2 = robot.joints[0].a, robot.joints[1].d
    q1, q2, q3, _ = q
    c1, s1, c3, s3 = math.cos(q1), math.sin(q1), math.cos(q3), math.sin(q3)
    c12, s12 = math.cos(q1 + q2), math.sin(q1 + q2)
    placed = frames_at(robot, q)
    axes = [rotation[:, 2] for rotation, _ in placed[:4]]
    steps = np.diff([origin for _, origin in placed], axis=0)
    printed_axes = [(0, 0, 1), (0, 0, 1), (s12, -c12, 0), (c12 * c3, s12 * c3, s3)]
    printed_steps = [(a1 * c1, a1 * s1, 0), (0, 0, d2), (0, 0, 0), (0, 0, 0)]
    np.testing.assert_allclose(axes, printed_axes, rtol=0, atol=1e-14)
    np.testing.assert_allclose(steps, printed_steps, rtol=0, atol=1e-14)


@given(q=st.tuples(*[angles] * 6))
def test_lola15_wrist_centre_as_printed(q):
    """X6, Y6, Z6 of (A.2), lengths from Table A.1; frames 3 to 6 share the wrist centre."""
    a1, a2, a3, d4 = 0.2, 0.6, 0.115, 0.825
    q1, q2, q3 = q[:3]
    c1, s1, c2, s2 = math.cos(q1), math.sin(q1), math.cos(q2), math.sin(q2)
    c23, s23 = math.cos(q2 + q3), math.sin(q2 + q3)
    v5 = a1 - s2 * a2
    v31 = d4 * c23 - s23 * a3
    u0 = v5 + v31
    v12 = c23 * a3 + s23 * d4
    v14 = c2 * a2
    for _, origin in frames_at(load("lola15"), q)[3:]:
        np.testing.assert_allclose(origin, (c1 * u0, s1 * u0, v12 + v14), rtol=0, atol=1e-14)


@given(q=st.tuples(angles, angles), qd=st.tuples(*[st.floats(-5, 5)] * 2))
def test_two_link_closed_form(q, qd):
    """The textbook equations of the two-link arm, angles from the horizontal."""
    robot = load("two_link")
    first, second = robot.links
    l1, l2 = robot.joints[0].a, robot.joints[1].a
    r1, r2 = l1 + first.center[0], l2 + second.center[0]
    i1, i2 = first.inertia[2][2], second.inertia[2][2]
    m1, m2 = first.mass, second.mass
    c1, c2, s2, c12 = math.cos(q[0]), math.cos(q[1]), math.sin(q[1]), math.cos(q[0] + q[1])
    h22 = i2 + m2 * r2**2
    h12 = h22 + m2 * l1 * r2 * c2
    h11 = i1 + m1 * r1**2 + h22 + m2 * (l1**2 + 2 * l1 * r2 * c2)
    h = m2 * l1 * r2 * s2
    g2 = m2 * r2 * G * c12
    g1 = (m1 * r1 + m2 * l1) * G * c1 + g2
    bias = (g1 - h * (2 * qd[0] * qd[1] + qd[1] ** 2), g2 + h * qd[0] ** 2)
    pose = pose_at(robot, q)
    found = inverse_dynamics(chain_of(robot), pose, qd, (0.0, 0.0))
    np.testing.assert_allclose(np.array(found, float), bias, rtol=0, atol=1e-12)
    expected = [[h11, h12], [h12, h22]]
    np.testing.assert_allclose(mass_matrix(chain_of(robot), pose), expected, rtol=1e-13)


@given(speed=st.floats(0, 4.4), q1=angles)
def test_centrifuge_presses_the_pilot_into_the_seat(speed, q1):
    """In a steady turn, the right roll angle leaves only a load along the pilot's spine."""
    robot = load("centrifuge3")
    centripetal = robot.joints[0].a * speed**2
    roll = math.atan2(centripetal, G)
    rotation, head = frames_at(robot, (q1, roll, 0.0))[-1]
    axes = rotation @ np.array(robot.tool.rotation)
    assert robot.tool.xyz == (0.0, 0.0, 0.0)
    a = -(speed**2) * head  # the head is level with the centre
    felt = axes.T @ (a - np.array(robot.gravity)) / G
    expected = (0.0, 0.0, math.hypot(centripetal, G) / G)
    np.testing.assert_allclose(felt, expected, rtol=0, atol=1e-12)
    forward = np.array([-math.sin(q1), math.cos(q1), 0.0])
    np.testing.assert_allclose(axes[:, 0], forward, rtol=0, atol=1e-14)


def test_trainer_pilot_sits_upright():
    """At q = 0 the tool axes are forward (outward along the arm), left, up."""
    robot = load("sdt4")
    rotation, _ = frames_at(robot, [0.0] * 4)[-1]
    np.testing.assert_allclose(rotation @ np.array(robot.tool.rotation), np.eye(3), atol=1e-14)
