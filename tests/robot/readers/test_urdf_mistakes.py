"""Mistakes in URDF files, and in what is asked of them: each is one sentence."""

import math
import sys

import pytest

from erfd.errors import MissingDependencyError, RobotError
from erfd.robot.library import load
from support.urdf_files import ARM, END, LINK, SMALL

CHOICES = [
    ({}, "tip: expected one of mast, left_finger, right_finger, tool0, found none given"),
    ({"tip": "tol0"}, "tip: expected the name of a link, found 'tol0'; did you mean 'tool0'?"),
    ({"base": "word"}, "base: expected the name of a link, found 'word'; did you mean 'world'?"),
    (
        {"base": "hand", "tip": "?"},
        "tip: expected the name of a link, found '?'; known: world, pedestal, turret, mast, boom, "
        "slider, hand, left_finger, right_finger, tool0",
    ),
    (
        {"base": "boom", "tip": "mast"},
        "tip: expected a link below base 'boom', found 'mast'",
    ),
    (
        {"tip": "pedestal"},
        "expected a moving joint between 'world' and 'pedestal', found none",
    ),
    ({"base": "tool0"}, "expected a moving joint below 'tool0', found none"),
    (
        {"tip": "tool0", "locked": {"lift": 1.0}},
        "locked: expected joints off the chain, found 'lift' on it",
    ),
    (
        {"tip": "tool0", "locked": {"grop": 1.0}},
        "locked: expected the name of a moving joint off the chain, found 'grop'; "
        "did you mean 'grip'?",
    ),
    (
        {"tip": "tool0", "locked": {"flange": 1.0}},
        "locked: expected the name of a moving joint off the chain, found 'flange'; "
        "known: camera_tilt, grip, grip_mirror",
    ),
    (
        {"tip": "tool0", "locked": {"grip": math.nan}},
        "locked: grip: expected a finite number, found nan",
    ),
    (
        {"tip": "right_finger"},
        "joint 'grip_mirror': expected a joint of its own, found one that mimics 'grip', "
        "which is not supported",
    ),
]


@pytest.mark.parametrize(("choice", "sentence"), CHOICES, ids=[s[:30] for _, s in CHOICES])
def test_a_wrong_choice_is_one_sentence(choice, sentence):
    with pytest.raises(RobotError) as caught:
        load(ARM, **choice)
    assert str(caught.value) == f"gripper_arm.urdf: {sentence}"


LOOP = '<joint name="loop" type="fixed"><parent link="lower"/><child link="base"/></joint>'
ISLAND = (
    '<link name="a"/><link name="b"/><joint name="ab" type="fixed"><parent link="a"/>'
    '<child link="b"/></joint><joint name="ba" type="fixed"><parent link="b"/><child link="a"/>'
    "</joint>"
)
FILES = [
    ('<axis xyz="0 1 0"/>', '<axis xyz="0 2 0"/>',
     "joint 'shoulder': axis: expected a unit vector, found 0 2 0"),
    ('<axis xyz="0 1 0"/>', '<axis xyz="0 1"/>',
     "line 23: <axis>: xyz: expected 3 numbers, found text '0 1'"),
    ('<axis xyz="0 1 0"/>', '<axis xyz="0 ${up} 0"/>',
     "line 23: <axis>: xyz: expected 3 numbers, found text '0 ${up} 0'"),
    ('type="revolute"', 'type="floating"',
     "joint 'shoulder': type: expected revolute, continuous, prismatic or fixed, "
     "found 'floating'"),
    ('type="revolute"', 'type="screw"',
     "line 20: <joint>: type: expected one of 'fixed', 'revolute', 'continuous', 'prismatic', "
     "'floating', 'planar', found text 'screw'"),
    ('<child link="upper"/>', "",
     "line 20: <joint>: <child>: expected a value, found nothing"),
    ('<child link="upper"/>', '<child link="uper"/>',
     "joint 'shoulder': child: expected the name of a link, found 'uper'; did you mean 'upper'?"),
    ('<limit lower="-1" upper="2" effort="50" velocity="4"/>', "",
     "joint 'shoulder': expected a <limit>, found nothing"),
    ('lower="-1" upper="2"', 'lower="2" upper="-1"',
     "joint 'shoulder': position: expected a lower limit below the upper one, found 2.0 and -1.0"),
    ('effort="50"', 'effort="-50"',
     "joint 'shoulder': torque_max: expected a limit > 0, found -50.0"),
    ('effort="50"', 'effort="much"',
     "line 24: <limit>: effort: expected a number, found text 'much'"),
    ('<mass value="3"/>', '<mass value="-3"/>',
     "link 'upper': mass: expected a mass >= 0 kg, found -3.0"),
    ('<mass value="3"/>', '<mass value="nan"/>',
     "line 8: <mass>: value: expected a number, found text 'nan'"),
    ('<mass value="3"/>', "", "line 6: <inertial>: <mass>: expected a value, found nothing"),
    ('ixx="0.04" ', "", "line 9: <inertia>: ixx: expected a number, found nothing"),
    ('izz="0.01"', 'izz="0.1"',
     "link 'upper': inertia: expected principal moments of which no one exceeds the sum of the "
     "others, found 0.04, 0.04, 0.1; --nearest-physical (nearest_physical=True) takes the nearest "
     "one that a body has"),
    ('<box size="0.1 0.1 0.4"/>', '<box size="0.1 0 0.4"/>',
     "link 'upper': visual: y: expected a length > 0, found 0.0"),
    ('<box size="0.1 0.1 0.4"/>', "",
     "line 11: <geometry>: shape: expected an element such as <box>, found nothing"),
    (LINK, '<link name="upper">', "link 'upper': expected a name of its own, found two"),
    ('name="elbow"', 'name="shoulder"', "joint 'shoulder': expected a name of its own, found two"),
    ('<parent link="base"/>', '<parent link="lower"/>',
     "expected a tree of links, found a loop through 'lower'"),
    (END, LOOP + END, "expected one link without a parent joint, found none"),
    (END, '<link name="stray"/>' + END,
     "expected one link without a parent joint, found base, stray"),
    (END, LOOP.replace("base", "upper") + END,
     "link 'upper': expected one parent joint, found 'shoulder' and 'loop'"),
    (END, ISLAND + END, "expected a tree of links, found a loop through 'a'"),
    ('<robot name="two_joints">', "<robot>",
     "line 3: <robot>: name: expected a value, found nothing"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "sentence"), FILES, ids=[s[:40] for *_, s in FILES])
def test_a_wrong_file_is_one_sentence(tmp_path, old, new, sentence):
    path = tmp_path / "wrong.urdf"
    text = SMALL.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(RobotError) as caught:
        load(path)
    assert str(caught.value) == f"wrong.urdf: {sentence}"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "expected XML, found: Document is empty, line 1, column 1"),
        (b"PK\x03\x04", "line 1: expected XML: Start tag expected, '<' not found"),
        (b"<sdf version='1.6'/>", "expected a <robot> element, found <sdf>"),
        (b"<robot name='x'/>", "expected one link without a parent joint, found none"),
        (
            b"<robot name='x'>\n<link name='a'>\n</robot>",
            "line 3: expected XML: Opening and ending tag mismatch: link line 2 and robot",
        ),
    ],
)
def test_what_is_no_urdf_is_refused(tmp_path, content, sentence):
    path = tmp_path / "wrong.urdf"
    path.write_bytes(content)
    with pytest.raises(RobotError) as caught:
        load(path)
    assert str(caught.value) == f"wrong.urdf: {sentence}"


def test_mimics_in_a_circle_are_refused(tmp_path):
    path = tmp_path / "circle.urdf"
    old = 'velocity="0.1"/>'
    path.write_text(ARM.read_text().replace(old, old + '<mimic joint="grip_mirror"/>', 1))
    with pytest.raises(
        RobotError, match=r"'grip': mimic: expected a joint to follow, found a circle$"
    ):
        load(path, tip="tool0")


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(RobotError, match=r"none\.urdf: no such file$"):
        load(tmp_path / "none.urdf")
    (tmp_path / "folder.urdf").mkdir()
    with pytest.raises(RobotError, match=r"folder\.urdf: expected a file, found a folder"):
        load(tmp_path / "folder.urdf")


def test_without_the_parser_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "yourdfpy", None)
    with pytest.raises(MissingDependencyError) as caught:
        load(SMALL)
    assert str(caught.value) == (
        "two_joints.urdf: reading URDF needs the package yourdfpy, which is not installed; "
        "pip install 'erfd[urdf]' installs it"
    )
