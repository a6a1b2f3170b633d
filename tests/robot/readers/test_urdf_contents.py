"""What is taken over from a URDF file: names, limits, friction, drives, masses, shapes."""

import math
import warnings

import numpy as np
import pytest

from erfd.robot.library import load, save
from erfd.robot.model import Visual
from erfd.robot.pose import Pose
from support.urdf_files import ARM, LINK, SMALL, quiet


def test_names_limits_friction_and_drives():
    robot = quiet(ARM, tip="tool0")
    assert (robot.name, robot.source) == ("gripper_arm", "gripper_arm.urdf")
    assert robot.gravity == (0.0, 0.0, -9.81)
    assert [joint.name for joint in robot.joints] == ["pan", "lift", "reach"]
    assert [link.name for link in robot.links] == ["turret", "boom", "slider"]
    assert [joint.kind for joint in robot.joints] == ["revolute", "revolute", "prismatic"]
    bounds = [(joint.position_min, joint.position_max) for joint in robot.joints]
    assert bounds == [(-math.inf, math.inf), (-0.5, 1.8), (0.0, 0.3)]
    assert [joint.velocity_max for joint in robot.joints] == [3.0, 2.0, math.inf]
    assert [joint.damping for joint in robot.joints] == [0.6, 0.25, 0.0]
    assert [drive.ratio for drive in robot.drives] == [1.0, 1.0, 1.0]
    assert [drive.torque_max for drive in robot.drives] == [80.0, 120.0, math.inf]
    assert [drive.speed_max for drive in robot.drives] == [3.0, 2.0, math.inf]
    assert [drive.coulomb for drive in robot.drives] == [1.5, 0.0, 4.0]


def test_limits_that_are_left_out_do_not_stop_a_joint(tmp_path):
    path = tmp_path / "free.urdf"
    text = SMALL.read_text().replace(' lower="-1" upper="2" effort="50" velocity="4"', "")
    path.write_text(text.replace('lower="-2" ', ""))
    first, second = load(path).joints
    assert (first.position_min, first.position_max) == (-math.inf, math.inf)
    assert (second.position_min, second.position_max) == (0.0, 2.0)
    assert load(path).drives[0].torque_max == math.inf


def test_masses_add_up_and_what_stands_still_weighs_nothing():
    robot = quiet(ARM, tip="tool0")
    assert [link.mass for link in robot.links] == pytest.approx([6.8, 4.0, 1.5 + 0.7 + 0.2])


def test_visuals_keep_their_place_and_color():
    robot = quiet(ARM, base="pedestal", tip="tool0")
    assert robot.base_visuals == (Visual("cylinder", (0.1, 0.4), Pose((0.0, 0.0, 0.2)), "#336699"),)
    turret, boom, slider = (link.visuals for link in robot.links)
    assert [(v.shape, v.size, v.color) for v in turret] == [("box", (0.02, 0.03, 0.2), "#ff8000")]
    assert [(v.shape, v.size, v.color) for v in boom] == [("cylinder", (0.04, 0.4), "#336699")]
    assert [(v.shape, v.size, v.color) for v in slider] == [
        ("sphere", (0.05,), Visual("sphere", (1.0,)).color),
        ("capsule", (0.01, 0.05), Visual("sphere", (1.0,)).color),
    ]
    # the boom's cylinder is centred on its mass centre, along the line from lift to reach
    assert boom[0].pose.xyz == pytest.approx(robot.links[1].center, abs=1e-15)
    axis = np.array(boom[0].pose.rotation)[:, 2]
    np.testing.assert_allclose(axis * 0.2, -np.array(boom[0].pose.xyz), atol=1e-12)


def test_one_warning_names_the_meshes_and_one_the_mimics():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        load(ARM, tip="tool0", locked={"grip": 0.01})
    assert {w.category for w in caught} == {UserWarning}
    assert [str(w.message) for w in caught] == [
        "gripper_arm.urdf: skipped 3 shapes: package://gripper_arm/turret.stl, meshes/slider.dae "
        "(no such file); <ellipsoid> (unknown shape); "
        "where is gripper_arm? (--package NAME=DIR)",
        "gripper_arm.urdf: mimic joints are locked: grip_mirror at -0.012",
    ]
    assert {w.filename for w in caught} == {__file__}


def test_tags_of_other_languages_are_passed_over(tmp_path):
    path = tmp_path / "two_joints.urdf"
    other = '<link name="lower" sim:id="7"><sim:sensor><origin xyz="?"/></sim:sensor>'
    path.write_text(SMALL.read_text().replace(LINK, other))
    assert load(path) == load(SMALL)


def test_toml_keeps_all_of_it(tmp_path):
    for robot in (quiet(ARM, tip="tool0", locked={"grip": 0.02}), load(SMALL)):
        save(robot, tmp_path / "same.toml")
        assert load(tmp_path / "same.toml") == robot
