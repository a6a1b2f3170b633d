"""Drive files: what they say replaces what the robot's file says; the rest stays as it was."""

import math
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import erfd
from erfd.drives.drives import Drives
from erfd.robot.drive_file.read import attach_text
from erfd.robot.drive_file.seen_at import seen_at
from erfd.robot.drive_file.template import template
from support.urdf_files import SMALL

LOLA = erfd.load("lola15")
ARM = erfd.load(SMALL)
BOTH = """
[[drive]]
joint = "shoulder"
ratio = 100
inertia = 2e-5
[[drive]]
joint = "elbow"
"""


def test_what_is_not_said_stays_the_same_at_the_joint(tmp_path: Path) -> None:
    path = tmp_path / "arm.drives.toml"
    path.write_text(BOTH)
    robot = erfd.load(SMALL, drives=path)
    first, second = robot.drives
    assert (first.ratio, first.inertia) == (100, 2e-5)
    assert first.torque_max * 100 == pytest.approx(ARM.drives[0].torque_max, rel=1e-15)
    assert first.speed_max / 100 == pytest.approx(ARM.drives[0].speed_max, rel=1e-15)
    assert second == ARM.drives[1]
    assert replace(robot, drives=ARM.drives) == ARM


@given(st.floats(0.01, 1000), st.booleans())
def test_a_faster_rotor_is_the_same_arm(factor: float, turned: bool) -> None:
    """Torques of the motors times their rates, for any motion: friction, inertia, coupling."""
    sign = -1 if turned else 1
    other = replace(LOLA, drives=tuple(seen_at(d, sign * factor * d.ratio) for d in LOLA.drives))
    u, rate = np.array([100.0, -300.0, 50.0, 9.0, -4.0, 2.0]), np.array([3, -2, 1, -3, 2, 1.0])
    before, after = Drives.of(LOLA), Drives.of(other)
    loads = [d.load(u) for d in (before, after)]
    np.testing.assert_allclose(loads[1] * sign * factor, loads[0], rtol=1e-9)
    rates = [d.K @ rate for d in (before, after)]
    np.testing.assert_allclose(rates[1], sign * factor * rates[0], rtol=1e-12)
    torques = [
        d.motor_torque(x, w, w / 2, 0.01)
        for d, x, w in zip((before, after), loads, rates, strict=True)
    ]
    np.testing.assert_allclose(torques[1] * sign * factor, torques[0], rtol=1e-9)


def test_a_template_changes_nothing() -> None:
    for robot in (ARM, LOLA, erfd.load("stanford"), erfd.load("centrifuge3")):
        text = template(robot)
        assert [d["joint"] for d in tomllib.loads(text)["drive"]] == [j.name for j in robot.joints]
        assert attach_text(robot, text) == robot


def test_every_line_of_a_template_is_right() -> None:
    """With all the # taken away but from the prose: the numbers are read, with their units."""
    lines = template(ARM).splitlines()
    known = [line[2:] if line[:2] == "# " and " = " in line else line for line in lines]
    known = [line[2:] if line.startswith("# [") else line for line in known]
    once = [line for line in known if not line.startswith(('peak_torque = "0.8', "#"))]
    robot = attach_text(ARM, "\n".join(once))
    for joint, drive in zip(robot.joints, robot.drives, strict=True):
        assert joint.acceleration_max == 5
        assert drive.inertia == pytest.approx(181e-7 + 79e-9)
        assert drive.coulomb == pytest.approx(0.0404 * 0.27 + 0.02)
        assert drive.torque_max == pytest.approx(0.0404 * 20)
        assert drive.speed_max == pytest.approx(6500 * math.pi / 30)
        assert drive.load_friction == pytest.approx(1 / 3)
        assert drive.curve[-1] == (586, 0.3)
    assert robot.bus_power == 1500


def test_joints_source_and_what_is_illustrative() -> None:
    text = 'source = "maker"\nillustrative = ["friction"]\n' + BOTH + "acceleration = 7\njerk = 90"
    robot = attach_text(ARM, text)
    assert robot.joints[1].acceleration_max == 7
    assert robot.joints[1].jerk_max == 90
    assert math.isinf(robot.joints[0].acceleration_max)
    assert robot.source == "two_joints.urdf; drives: maker"
    assert robot.illustrative == ("drives: friction",)


MISTAKES = [
    ("", "d.toml: drive: expected a table [[drive]] for a joint, found none"),
    (BOTH.replace("elbow", "elbw"), "[[drive]] 2: joint: expected a joint of two_joints (shoulder,"
     " elbow), found 'elbw'; did you mean 'elbow'?"),
    (BOTH.replace("elbow", "shoulder"), "expected one [[drive]] a joint, found a second one of"),
    (BOTH.replace("2e-5", '"2 gcm"'), "inertia: expected a number, or text with one of kgm2, "),
    (BOTH.replace("2e-5", "-1"), "[[drive]] 1: inertia: expected a number >= 0, found -1"),
    (BOTH.replace("2e-5", "nan"), "inertia: expected a finite number, found nan"),
    (BOTH.replace("ratio", "rato"), "[[drive]] 1: unknown key 'rato'; did you mean 'ratio'?"),
    (BOTH.replace("inertia", "couplng"), "did you mean 'coupling'?"),
    (BOTH + "[drive.gear]\nefficiency = 0.4", "efficiency: expected a part above 0.5 and up to 1"),
    (BOTH + "[drive.gear]\nefficiency = 75", "efficiency: expected a part above 0.5 and up to 1"),
    (BOTH + "[drive.motor]\nno_load_current = 1", "torque_constant: expected it beside no_load_"),
    (BOTH + "[drive.motor]\nrotor_inertia = 0", "rotor_inertia: expected a number > 0, found 0"),
    (BOTH + "inertia = 1e-5\n[drive.motor]\nrotor_inertia = 1e-5",
     "[[drive]] 2: inertia: expected it once, found it here and from the data sheets"),
    ("[[drive]", "d.toml: not valid TOML"),
    ("format = 2" + BOTH, "format: expected 1"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "sentence"), MISTAKES)
def test_mistakes(text: str, sentence: str) -> None:
    with pytest.raises(erfd.errors.RobotError) as found:
        attach_text(ARM, text, "d.toml")
    assert sentence in str(found.value)
    assert str(found.value).startswith("d.toml: ")


def test_a_robot_without_drives_needs_all() -> None:
    bare = replace(ARM, drives=())
    with pytest.raises(erfd.errors.RobotError, match="expected 2 drives, one a joint, found none"):
        attach_text(bare, BOTH[: BOTH.rindex("[[")])
    assert attach_text(bare, BOTH).drives[1] == erfd.Drive()


def test_no_such_file() -> None:
    with pytest.raises(erfd.errors.ErfdError, match="no such file"):
        erfd.load("lola15", drives="nobody.drives.toml")
    with pytest.raises(erfd.errors.InputError, match="drives: expected the path of a file"):
        erfd.load("lola15", drives=3)
