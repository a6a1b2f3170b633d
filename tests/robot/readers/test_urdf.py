"""The URDF importer against Pinocchio, an independent reader and an independent dynamics.

Both read the same text, so torques, mass matrix and tool pose may differ by rounding only. Data
with full digits agrees to 1e-14; 1e-9 leaves room for entries that Pose snaps to 0 and 1 (1e-12).
"""

import math
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from erfd.dynamics import fast
from erfd.dynamics.chain import chain_of, frames, motions
from erfd.errors import MissingDependencyError, RobotError
from erfd.robot.library import load, save
from erfd.robot.model import Robot, Visual
from erfd.robot.pose import Pose
from support.paths import DATA

ARM, SMALL = DATA / "gripper_arm.urdf", DATA / "two_joints.urdf"
TOLERANCE = 1e-9


def quiet(path: Path, **choice: object) -> Robot:
    """The robot, without the warnings that another test looks at."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return load(path, **choice)


def homogeneous(pose: Pose) -> np.ndarray:
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = pose.rotation, pose.xyz
    return result


class Pinocchio:
    """The same chain by Pinocchio: all other joints locked, gravity along -z of the base link."""

    def __init__(self, text: str, robot: Robot, base: str, tip: str, locked: Mapping[str, float]):
        full = pin.buildModelFromXML(text)
        names = [joint.name for joint in robot.joints]
        others = [name for name in list(full.names)[1:] if name not in names]
        at = np.zeros(full.nv)
        for name, value in locked.items():
            at[full.joints[full.getJointId(name)].idx_v] = value
        rest = pin.integrate(full, pin.neutral(full), at)
        self.model = pin.buildReducedModel(full, [full.getJointId(x) for x in others], rest)
        assert self.model.nv == robot.n
        self.data = self.model.createData()
        self.base, self.tip = (self.model.getFrameId(x, pin.BODY) for x in (base, tip))
        self.order = [self.model.joints[self.model.getJointId(x)].idx_v for x in names]
        self.tool([0.0] * robot.n)
        down = self.data.oMf[self.base].rotation @ [0.0, 0.0, -9.81]
        self.model.gravity.linear = down

    def q(self, q):  # continuous joints are (cos, sin) there
        return pin.integrate(self.model, pin.neutral(self.model), self.v(q))

    def v(self, v):
        result = np.zeros(self.model.nv)
        result[self.order] = v
        return result

    def torques(self, q, qd, qdd):
        full = pin.rnea(self.model, self.data, self.q(q), self.v(qd), self.v(qdd))
        return full[self.order]

    def mass_matrix(self, q):
        upper = np.triu(pin.crba(self.model, self.data, self.q(q)))
        return (upper + np.triu(upper, 1).T)[np.ix_(self.order, self.order)]

    def tool(self, q):
        pin.framesForwardKinematics(self.model, self.data, self.q(q))
        return (self.data.oMf[self.base].inverse() * self.data.oMf[self.tip]).homogeneous


def assert_agrees(
    path: Path, robot: Robot, base: str, tip: str, locked: Mapping[str, float], states: int = 4
) -> None:
    """Inverse dynamics, mass matrix and tool pose of both, at random states."""
    other = Pinocchio(path.read_text(), robot, base, tip, locked)
    chain, rng = chain_of(robot), np.random.default_rng(7)
    for _ in range(states):
        q, qd, qdd = rng.uniform(-2, 2, (3, robot.n))
        pose = motions(chain, q, math.cos, math.sin)
        ours, theirs = fast.inverse_dynamics(chain, pose, qd, qdd), other.torques(q, qd, qdd)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=TOLERANCE * abs(theirs).max())
        ours, theirs = np.array(fast.mass_matrix(chain, pose)), other.mass_matrix(q)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=TOLERANCE * abs(theirs).max())
        rotation, origin = frames(chain, pose)[-1]
        last = np.eye(4)
        last[:3, :3], last[:3, 3] = rotation, origin
        tool = homogeneous(robot.base) @ last @ homogeneous(robot.tool)
        np.testing.assert_allclose(tool, other.tool(q), rtol=0, atol=TOLERANCE)


class Writer:
    """A random URDF: a chain of n joints with lumps, branches and every kind of joint and axis."""

    def __init__(self, seed: int, n: int):
        self.rng, self.text, self.count = np.random.default_rng(seed), [], 0
        self.locked: dict[str, float] = {}
        link = self.base = self.link()
        for _ in range(n):
            link = self.fixed(link) if self.chance(0.4) else link
            self.branch(link)
            link = self.moving(link)
        self.branch(link)
        self.tip = self.fixed(link) if self.chance(0.6) else link

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def numbers(self, values) -> str:
        return " ".join(repr(float(x)) for x in values)

    def origin(self) -> str:
        xyz = np.round(self.rng.uniform(-0.5, 0.5, 3), 3)
        rpy = self.rng.uniform(-3, 3, 3)
        if self.chance(0.5):
            rpy = self.rng.integers(-2, 3, 3) * (math.pi / 2)
        return f'<origin xyz="{self.numbers(xyz)}" rpy="{self.numbers(rpy)}"/>'

    def link(self) -> str:
        self.count += 1
        name, inertial = f"link{self.count}", ""
        if self.chance(0.85):
            a, b, c = self.rng.uniform(0.001, 0.1, 3)  # any body: each moment a sum of two of them
            inertia = (
                f'<inertia ixx="{a + b}" iyy="{b + c}" izz="{a + c}" ixy="0" ixz="0" iyz="0"/>'
            )
            mass = f'<mass value="{self.rng.uniform(0.1, 9)}"/>'
            inertial = f"<inertial>{self.origin()}{mass}{inertia}</inertial>"
        self.text.append(f'<link name="{name}">{inertial}</link>')
        return name

    def joint(self, kind: str, parent: str, more: str = "") -> str:
        child = self.link()
        ends = f'<parent link="{parent}"/><child link="{child}"/>{self.origin()}{more}'
        self.text.append(f'<joint name="to_{child}" type="{kind}">{ends}</joint>')
        return child

    def fixed(self, parent: str) -> str:
        return self.joint("fixed", parent)

    def moving(self, parent: str) -> str:
        axis = self.rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        if self.chance(0.6):
            axis = np.eye(3)[self.rng.integers(3)] * self.rng.choice([-1, 1])
        limit = '<limit lower="-2" upper="2" effort="10" velocity="3"/>'
        kind = self.rng.choice(["revolute", "continuous", "prismatic"])
        return self.joint(kind, parent, f'<axis xyz="{self.numbers(axis)}"/>{limit}')

    def branch(self, link: str) -> None:
        if self.chance(0.3):
            child = self.moving(link)
            if self.chance(0.5):
                self.locked[f"to_{child}"] = float(self.rng.uniform(-1, 1))
            self.fixed(self.moving(child))

    def save(self, folder: Path) -> Path:
        path = folder / "random.urdf"
        path.write_text(f'<robot name="random">{"".join(self.text)}</robot>')
        return path


@pytest.mark.parametrize("seed", range(42))
def test_random_robots_agree_with_pinocchio(tmp_path, seed):
    n = 1 + seed % 7
    writer = Writer(seed, n)
    path = writer.save(tmp_path)
    robot = load(path, tip=writer.tip, locked=writer.locked)
    assert robot.n == n
    assert_agrees(path, robot, writer.base, writer.tip, writer.locked)


@pytest.mark.parametrize("seed", range(4))
def test_a_base_in_the_middle_drops_what_is_above_it(tmp_path, seed):
    writer = Writer(seed, 5)
    path = writer.save(tmp_path)
    whole = load(path, tip=writer.tip)
    base = whole.links[1].name
    robot = load(path, base=base, tip=writer.tip)
    assert [joint.name for joint in robot.joints] == [joint.name for joint in whole.joints[2:]]
    assert_agrees(path, robot, base, writer.tip, {})


@pytest.mark.parametrize("base", ["world", "pedestal", "turret"])
@pytest.mark.parametrize("tip", ["tool0", "hand", "left_finger", "boom", "mast"])
def test_the_written_arm_agrees_with_pinocchio(base, tip):
    robot = quiet(ARM, base=base, tip=tip)
    assert_agrees(ARM, robot, base, tip, {"grip_mirror": -0.002})  # the offset of its mimic tag


def test_locked_joints_stay_where_they_are_told_and_mimics_follow():
    at = {"grip": 0.03, "camera_tilt": -0.4}
    robot = quiet(ARM, tip="tool0", locked=at)
    assert_agrees(ARM, robot, "world", "tool0", at | {"grip_mirror": -0.03 - 0.002})
    apart = at | {"grip_mirror": 0.01}
    assert_agrees(ARM, quiet(ARM, tip="tool0", locked=apart), "world", "tool0", apart)


def test_only_the_last_of_an_unbranched_chain_needs_no_name():
    assert load(SMALL) == load(SMALL, base="base", tip="lower")
    assert_agrees(SMALL, load(SMALL), "base", "lower", {})


def test_turns_that_add_up_to_almost_a_right_angle_keep_their_digits(tmp_path):
    bracket = (
        '<link name="bracket"/><joint name="bend" type="fixed"><parent link="upper"/>'
        '<child link="bracket"/><origin rpy="0 0.4 0.7"/></joint>'
    )
    text = SMALL.read_text().replace('<parent link="upper"/>', '<parent link="bracket"/>')
    text = text.replace('xyz="0 0 0.4"/>', 'xyz="0 0 0.4" rpy="0.3 1.170796325 0"/>')
    path = tmp_path / "digits.urdf"
    path.write_text(text.replace(END, bracket + END))
    assert_agrees(path, load(path), "base", "lower", {})


@pytest.mark.parametrize("axis", [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
@pytest.mark.parametrize("sign", [1, -1])
def test_aligned_axes_turn_by_signed_permutations(tmp_path, axis, sign):
    axis = sign * np.array(axis)
    path = tmp_path / "aligned.urdf"
    text = SMALL.read_text().replace('"0 1 0"', f'"{axis[0]} {axis[1]} {axis[2]}"', 1)
    path.write_text(text)
    robot = load(path)
    rotation = np.array(robot.base.rotation)
    assert set(abs(rotation).ravel()) == {0.0, 1.0}
    assert rotation[:, 2].tolist() == axis.tolist()
    assert np.linalg.det(rotation) == 1.0
    assert set(abs(np.array(robot.joints[0].placement[0])).ravel()) == {0.0, 1.0}


def test_parallel_axes_need_no_turn_and_a_single_link_keeps_its_numbers():
    robot = load(SMALL)
    assert robot.joints[0].after.rpy == (0.0, 0.0, 0.0)
    assert robot.joints[1].after.is_identity
    assert (robot.joints[0].theta, robot.joints[0].d, robot.joints[0].a) == (0.0, 0.0, 0.0)
    lower = robot.links[1]
    assert (lower.name, lower.mass) == ("lower", 2.0)
    assert sorted(np.diag(lower.inertia)) == [0.01, 0.02, 0.02]
    assert sorted(lower.center) == [0.0, 0.0, 0.1]


def test_an_almost_unit_axis_is_made_one(tmp_path):
    path = tmp_path / "axis.urdf"
    path.write_text(SMALL.read_text().replace('"0 1 0"', '"0.7071 0 0.7071"'))
    rotation = np.array(load(path).base.rotation)
    np.testing.assert_allclose(rotation[:, 2], [0.5**0.5, 0, 0.5**0.5], atol=1e-15)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-15)


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
        ("sphere", (0.05,), Visual("sphere", (1.0,)).color)
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
        "gripper_arm.urdf: skipped 3 visuals that are no primitives: "
        "package://gripper_arm/turret.stl, meshes/slider.dae, <capsule>",
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


LINK, END = '<link name="lower">', "</robot>"
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
     "others, found 0.04, 0.04, 0.1"),
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
    with pytest.raises(RobotError, match=r"folder\.urdf: cannot be read: "):
        load(tmp_path / "folder.urdf")


def test_without_the_parser_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "yourdfpy", None)
    with pytest.raises(MissingDependencyError) as caught:
        load(SMALL)
    assert str(caught.value) == (
        "two_joints.urdf: reading URDF needs the package yourdfpy, which is not installed; "
        "pip install 'erfd[urdf]' installs it"
    )
