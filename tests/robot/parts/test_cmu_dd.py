"""cmu_dd: the bundled robot is what its parts say, it hangs, its motors are as the report says."""

from __future__ import annotations

import math
from dataclasses import replace
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.cli import main
from erfd.dynamics.chain import chain_of
from erfd.robot.library import robots
from erfd.robot.parts import read, weigh

DATA = Path(str(resources.files("erfd.robot") / "data"))
ROBOT = erfd.load("cmu_dd")
BUILT = erfd.load(DATA / "cmu_dd.parts.toml")
LOW = [joint.position_min for joint in ROBOT.joints]
HIGH = [joint.position_max for joint in ROBOT.joints]
anywhere = st.lists(st.floats(-math.pi, math.pi), min_size=6, max_size=6)


def test_the_robot_file_is_the_parts_file_built() -> None:
    """But for rounding, which another processor or library may do otherwise, all is equal."""
    for ours, built in zip(ROBOT.links, BUILT.links, strict=True):
        assert ours.mass == pytest.approx(built.mass, rel=1e-12)
        assert ours.center == pytest.approx(built.center, rel=1e-12, abs=1e-15)
        size = max(map(max, built.inertia))
        assert np.abs(np.subtract(ours.inertia, built.inertia)).max() < 1e-12 * size
        for seen, drawn in zip(ours.visuals, built.visuals, strict=True):
            assert seen.pose.xyz == pytest.approx(drawn.pose.xyz, abs=1e-11)
            assert seen.pose.rpy == pytest.approx(drawn.pose.rpy, abs=1e-10)
            assert replace(seen, pose=drawn.pose) == drawn
    assert replace(ROBOT, links=BUILT.links) == BUILT


def test_the_parts_file_is_no_robot_of_its_own() -> None:
    assert "cmu_dd" in robots()
    assert not [name for name in robots() if "parts" in name]
    assert (DATA / "cmu_dd.parts.toml").exists()


def test_it_uses_what_the_report_names() -> None:
    """Cylinders, semi-cylinders, rectangles (boxes), spheres, prisms; hollow in both ways."""
    database = read(DATA / "cmu_dd.parts.toml")
    sections = [s for link in database.links for use in link.uses for s in use.part.sections]
    kinds = {section.shape.kind for section in sections}
    assert kinds == {"cylinder", "semi-cylinder", "box", "sphere", "prism"}
    assert any(section.hole for section in sections)
    assert any(getattr(section.shape, "inner_radius", 0) for section in sections)
    parts = [use.part.name for link in database.links for use in link.uses]
    assert max(parts.count(name) for name in parts) >= 4
    assert any(not link.frame.is_identity for link in database.links)


def test_masses_add_up() -> None:
    items = weigh(read(DATA / "cmu_dd.parts.toml"))
    assert [item.name for item in items] == [*(link.name for link in ROBOT.links), "base"]
    for item in items:
        assert item.body.mass == pytest.approx(sum(part.body.mass for part in item.items))
        for part in item.items:
            assert part.body.mass == pytest.approx(sum(s.body.mass for s in part.items))


# ----------------------------------------------------------------------------------------- geometry
def test_odd_joints_turn_about_the_link_and_even_ones_pivot() -> None:
    """At q = 0 every link runs along z_0: odd axes along it, even ones across."""
    frames = erfd.link_frames(ROBOT, np.zeros(6))
    axes = frames[:6, :3, 2]  # joint i moves about z of frame i-1
    for i, axis in enumerate(axes, 1):
        across = abs(axis[2]) < 1e-15
        assert across == (i % 2 == 0)
    assert all(joint.revolute for joint in ROBOT.joints)
    origins = frames[:, :3, 3]
    assert np.abs(origins[:, :2]).max() == 0.0
    assert (np.diff(origins[:, 2]) >= 0).all()


def test_z_0_points_down_and_the_hand_is_below() -> None:
    """v'_0 of the report is (0, 0, -9.80621): the base accelerates against gravity, upward."""
    assert chain_of(ROBOT).gravity == pytest.approx((0.0, 0.0, 9.80621), abs=1e-12)
    hand = np.array([*erfd.forward_kinematics(ROBOT, np.zeros(6))[:3, 3]])
    world = np.array(ROBOT.mount.rotation) @ hand + ROBOT.mount.xyz
    assert world[2] == pytest.approx(ROBOT.mount.xyz[2] - hand[2])
    assert world[2] > 0.2  # it does not touch the floor
    level = erfd.forward_kinematics(ROBOT, [0, math.pi / 2, 0, 0, 0, 0])[2, 3]
    assert level == pytest.approx(ROBOT.joints[0].d)


@settings(max_examples=200)
@given(anywhere)
def test_it_hangs(q: list[float]) -> None:
    """Nowhere is its potential energy lower than hanging straight along z_0."""
    straight = float(erfd.potential_energy(ROBOT, np.zeros(6)))
    assert float(erfd.potential_energy(ROBOT, q)) >= straight - 1e-12 * abs(straight)


def test_it_comes_back_when_pushed() -> None:
    """Gravity holds nothing at rest and turns every pivot back; the odd joints do not care."""
    assert np.abs(erfd.gravity_torque(ROBOT, np.zeros(6))).max() < 1e-12
    for i in range(6):
        push = np.zeros(6)
        push[i] = 0.2
        torque = float(erfd.gravity_torque(ROBOT, push)[i])  # that holds it there
        assert torque > 0.1 if i % 2 else abs(torque) < 1e-12
    straight, turned = (erfd.potential_energy(ROBOT, q) for q in (np.zeros(6), [1, 0, 2, 0, -1, 0]))
    assert turned == pytest.approx(straight, rel=1e-14)


# ------------------------------------------------------------------------------------------- motors
def time_constants(q: np.ndarray) -> np.ndarray:
    """H_ii R / Kt^2 in s."""
    diagonal = np.diagonal(erfd.mass_matrix(ROBOT, q), axis1=-2, axis2=-1)
    return diagonal * [d.resistance / d.torque_constant**2 for d in ROBOT.drives]


def test_the_smallest_mechanical_time_constant_is_15_ms() -> None:
    """Over postures within the limits; the report's step of 1 ms is about a fifteenth of it."""
    rng = np.random.default_rng(1)
    hanging = time_constants(np.zeros(6))
    assert hanging.min() == pytest.approx(0.015, rel=0.02)
    everywhere = time_constants(rng.uniform(LOW, HIGH, (2000, 6)))
    assert everywhere.min() > 0.0149


def test_the_comments_of_the_parts_file_say_the_time_constants() -> None:
    text = (DATA / "cmu_dd.parts.toml").read_text()
    for i, constant in enumerate(time_constants(np.zeros(6)), 1):
        assert f"# {i}: {1000 * constant:.3g} ms" in text


def test_direct_drives() -> None:
    for drive, joint in zip(ROBOT.drives, ROBOT.joints, strict=True):
        assert drive.ratio == 1.0
        assert not drive.coupling
        friction = (drive.load_friction, drive.coulomb, drive.viscous, joint.damping)
        assert friction == (0.0, 0.0, 0.0, 0.0)
        assert drive.inertia == 0.0  # the rotor is a part of its link
        stall = drive.torque_constant * drive.voltage_max / drive.resistance
        assert drive.torque_rated < drive.torque_max <= stall
        free = drive.voltage_max / drive.torque_constant
        assert joint.velocity_max < drive.speed_max <= free
    assert len({(d.resistance, d.torque_constant) for d in ROBOT.drives}) == 3
    motors = [i for i, d in enumerate(ROBOT.drives) if d == ROBOT.drives[0]]
    assert motors == [0, 1]  # joints 1 and 2 have the same stator and rotor


def test_it_is_told_to_be_illustrative(capsys: pytest.CaptureFixture) -> None:
    assert main(["show", "cmu_dd"]) == 0
    text = capsys.readouterr().out
    assert "Illustrative, not published: all numbers and shapes" in text
    assert "CMU-RI-TR-82-17" in text
