"""Robot files: what is written reads back equal, and every mistake gets its sentence."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.errors import RobotError
from erfd.robot.readers import toml
from support.arms import BUNDLED, arms

GOOD = """
format = 1
name = "arm"
angle_unit = "deg"
[[joint]]
a = 0.5
position = [-90, 90]
[[joint]]
kind = "prismatic"
alpha = 90
[[link]]
mass = 2.0
center = [-0.25, 0, 0]
inertia = [0.1, 0.2, 0.2]
[[link.visual]]
shape = "cylinder"
radius = 0.05
length = 0.5
axis = [1, 0, 0]
[[link]]
mass = 1.0
[[drive]]
ratio = 10
coupling = [0, 2.0]
[[drive]]
torque_max = 3.0
"""


def read(tmp_path: Path, text: str) -> erfd.Robot:
    path = tmp_path / "arm.toml"
    path.write_text(text)
    return erfd.load(path)


def test_a_small_file(tmp_path: Path) -> None:
    robot = read(tmp_path, GOOD)
    assert repr(robot) == "Robot('arm', 2 joints RP, 3 kg)"
    assert robot.joints[0].position_max == pytest.approx(1.5707963267948966)
    assert robot.links[0].visuals[0].pose.rotation[0] == (0.0, 0.0, 1.0)  # z of the shape is x
    assert robot.gear_matrix == ((10.0, 2.0), (0.0, 1.0))
    assert robot.gravity == (0.0, 0.0, -9.81)
    (tmp_path / "arm.toml").write_text(GOOD, encoding="utf-8-sig")  # as some editors save it
    assert erfd.load(tmp_path / "arm.toml") == robot


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("format = 1", "format = 2", "arm.toml: format: expected 1 (the version of the file format), found 2"),
        ("format = 1", "", "arm.toml: format: expected 1, found nothing"),
        ('name = "arm"', "", "arm.toml: name: expected text, found nothing"),
        ('name = "arm"', "name = 3", "arm.toml: name: expected text, found 3"),
        ("a = 0.5", "A = 0.5", "arm.toml: [[joint]] 1: unknown key 'A'; did you mean 'a'?"),
        ("mass = 2.0", "maas = 2.0", "arm.toml: [[link]] 1: unknown key 'maas'; did you mean 'mass'?"),
        ("mass = 2.0", "", "arm.toml: [[link]] 1: mass: expected a mass in kg, found nothing"),
        ("mass = 2.0", "mass = 2.0\ncentre = [0, 0, 0]", "[[link]] 1: unknown key 'centre'; did you mean 'center'?"),
        ("mass = 2.0", "mass = -2.0", "[[link]] 1: mass: expected a mass >= 0 kg, found -2.0"),
        ("mass = 2.0", 'mass = "2"', "[[link]] 1: mass: expected a mass in kg, found text '2'"),
        ("mass = 2.0", "mass = true", "[[link]] 1: mass: expected a mass in kg, found true/false True"),
        ("mass = 2.0", "mass = nan", "[[link]] 1: mass: expected a finite number, found nan"),
        ("-0.25, 0, 0", "-0.25, 0", "[[link]] 1: center: expected a list of 3 numbers, found 2: a list [-0.25, 0]"),
        ("-0.25, 0, 0", "nan, 0, 0", "[[link]] 1: center[0]: expected a finite number, found nan"),
        ("0.1, 0.2, 0.2", "0.1, -0.2, 0.2", "inertia: expected principal moments >= 0, found -0.2, 0.1, 0.2"),
        ("0.1, 0.2, 0.2", "0.1, 0.2, 0.5", "inertia: expected principal moments of which no one exceeds the sum of the others, found 0.1, 0.2, 0.5"),
        ("[0.1, 0.2, 0.2]", "[[1, 0, 0], [0.1, 1, 0], [0, 0, 1]]", "inertia: expected a symmetric tensor, found 0.0 and 0.1 mirrored at xy"),
        ("[0.1, 0.2, 0.2]", "[1, 2]", "inertia: expected 3 numbers (Ixx, Iyy, Izz), 6 (then Ixy, Ixz, Iyz) or 3 rows of 3, found a list [1, 2]"),
        ("[0.1, 0.2, 0.2]", "[[1, 0], [0, 1], [0, 0]]", "inertia: expected 3 numbers"),
        ("axis = [1, 0, 0]", "axis = [1, 1, 0]", "[[link]] 1 [[visual]] 1: axis: expected a unit vector (length 1, not 1.41421), found a list [1.0, 1.0, 0.0]"),
        ("axis = [1, 0, 0]", "axis = [1, 0, 0]\nrpy = [0, 0, 0]", "axis: expected either axis or rpy, not both"),
        ('shape = "cylinder"', 'shape = "cone"', "shape: expected one of 'cylinder', 'capsule', 'sphere', 'box', 'prism', 'mesh', found text 'cone'"),
        ("radius = 0.05", "radius = 0", "[[visual]] 1: radius: expected a length > 0, found 0.0"),
        ('shape = "cylinder"', 'shape = "prism"', "[[link]] 1 [[visual]] 1: points: expected a list of points [x, y], found nothing"),
        ('shape = "cylinder"\nradius = 0.05', 'shape = "prism"\npoints = [[0, 0], [1, 0]]', "[[visual]] 1: points: expected at least 3 corners, found 2"),
        ('shape = "cylinder"\nradius = 0.05', 'shape = "prism"\npoints = [[0, 0], [1, 0], 1]', "[[visual]] 1: points: expected a list of points [x, y], found a list [[0, 0], [1, 0], 1]"),
        ('shape = "cylinder"\nradius = 0.05', 'shape = "prism"\npoints = [[0, 0], [1, 0], [0.1, 0.1], [0, 1]]', "[[visual]] 1: points: expected a convex polygon (cut others into convex ones), found a corner that points inward, 3 at [0.1, 0.1]"),
        ("axis = [1, 0, 0]", 'color = "red"', "color: expected a colour such as '#9aa5b1', found 'red'"),
        ('kind = "prismatic"', 'kind = "ball"', "[[joint]] 2: kind: expected one of 'revolute', 'prismatic', found text 'ball'"),
        ("-90, 90", "90, -90", "[[joint]] 1: position: expected a lower limit below the upper one, found a list [90.0, -90.0]"),
        ("coupling = [0, 2.0]", "coupling = [0, 2.0, 1]", "[[drive]] 1: coupling: expected a list of 2 numbers, found 3"),
        ("coupling = [0, 2.0]", "coupling = [1, 2.0]", "arm.toml: [[drive]] 1: coupling: expected 0 at place 1 (that is ratio), found 1.0"),
        ("torque_max = 3.0", "coupling = [10, 0]\nratio = 2.0", "arm.toml: coupling: expected a gear matrix of rank 2, found rank 1"),
        ("format = 1", "format = true", "format: expected 1 (the version of the file format), found true/false True"),
        ('name = "arm"', 'name = " "', "arm.toml: name: expected a name, found ' '"),
        ("-90, 90", "inf, nan", "[[joint]] 1: position[1]: expected a finite number, found nan"),
        ("ratio = 10", "ratio = 0", "[[drive]] 1: ratio: expected a gear ratio other than 0, found 0.0"),
        ("torque_max = 3.0", "torque_max = -3.0", "[[drive]] 2: torque_max: expected a limit > 0, found -3.0"),
        ("torque_max = 3.0", "gear_torque_average = 0", "[[drive]] 2: gear_torque_average: expected a limit > 0, found 0.0"),
        ("torque_max = 3.0", "gear_torque_peak = nan", "[[drive]] 2: gear_torque_peak: expected a finite number, found nan"),
        ("torque_max = 3.0", "thermal_time_constant = 0", "[[drive]] 2: thermal_time_constant: expected a number > 0, found 0.0"),
        ("torque_max = 3.0", "thermal_time_constant = inf", "[[drive]] 2: thermal_time_constant: expected a finite number, found inf"),
        ('angle_unit = "deg"', "bus_power = -5", "arm.toml: bus_power: expected a power > 0 W, found -5.0"),
        ('angle_unit = "deg"', 'bus_power = "5 kW"', "arm.toml: bus_power: expected a number, found text '5 kW'"),
        ("torque_max = 3.0", "curve = [[0, 3], [10, 2], [5, 1]]", "curve: expected points of rising speed from 0"),
        ("torque_max = 3.0", "curve = [[0, 3, 1]]", "curve: expected a list of points [speed rad/s, torque N m]"),
        ("[[link]]\nmass = 1.0", "", "arm.toml: link: expected 2 links, one a joint, found 1"),
        ("[[drive]]\ntorque_max = 3.0", "", "arm.toml: drive: expected 2 drives, one a joint (or none), found 1"),
        ('angle_unit = "deg"', "gravity = 9.81", "gravity: expected a list of 3 numbers, found 9.81"),
        ('angle_unit = "deg"', "tool = 3", "tool: expected a table, found 3"),
        ('angle_unit = "deg"', 'illustrative = "all"', "illustrative: expected a list of texts, found text 'all'"),
        ("mass = 1.0", "mass = 1.0\nvisual = 3", "visual: expected a list of tables [[visual]], found 3"),
        ('name = "arm"', 'name = "arm', "arm.toml: not valid TOML:"),
    ],
)  # fmt: skip
def test_mistakes(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    assert old in GOOD
    with pytest.raises(RobotError) as caught:
        read(tmp_path, GOOD.replace(old, new, 1))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).count("arm.toml") == 1


def test_no_joints(tmp_path: Path) -> None:
    with pytest.raises(RobotError, match=r"arm\.toml: joint: expected at least one joint"):
        read(tmp_path, 'format = 1\nname = "arm"')


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_robots_read_back_equal(name: str, tmp_path: Path) -> None:
    robot = erfd.load(name)
    erfd.save(robot, tmp_path / "copy.toml")
    assert erfd.load(tmp_path / "copy.toml") == robot
    assert toml.loads(toml.toml_text(robot)) == robot
    with pytest.raises(RobotError, match=r"robot\.toml: joint: expected at least one joint"):
        toml.loads('format = 1\nname = "arm"')


@settings(max_examples=60, deadline=None)
@given(
    arms(),
    st.lists(st.floats(0.01, 100), min_size=13, max_size=13),
    st.sampled_from(["box", "cylinder", "sphere", "capsule", "prism"]),
)
def test_any_robot_reads_back_equal(tmp_path_factory, robot, numbers, shape) -> None:
    """Whatever can be built can be written and read, to the last bit."""
    sizes = {"box": 3, "sphere": 1, "prism": 1}.get(shape, 2)
    turned = erfd.Pose((numbers[0], -numbers[1], 0.0), (numbers[2], -numbers[3], numbers[4]))
    corners = (0.0, 0.0, numbers[1], 0.0, 0.0, numbers[2]) if shape == "prism" else ()
    visual = erfd.Visual(shape, (*numbers[:sizes], *corners), turned, "#12aBcd")
    links = (replace(robot.links[0], visuals=(visual, visual)), *robot.links[1:])
    a, b, c, d, *rest = numbers
    joint = replace(
        robot.joints[0], position_min=-a, velocity_max=b, acceleration_max=c, jerk_max=a
    )
    row = tuple(0.0 if k == 0 else d for k in range(robot.n))
    first = erfd.Drive(-a, row, 0.2, a, b, c, *rest[:6], curve=((0.0, a), (b, c)),
                       thermal_time_constant=d, gear_torque_average=a, gear_torque_peak=b)  # fmt: skip
    drives = (first, *(erfd.Drive() for _ in range(robot.n - 1)))
    full = replace(
        robot, links=links, joints=(joint, *robot.joints[1:]), drives=drives, title='a "b" \\ ü',
        source="s", illustrative=("x", "y"), base_visuals=(visual,), cycle_time=1e-3 * min(a, 99),
        turning="even", bus_power=100 * b,
        frames=(erfd.NamedFrame("camera", robot.n, turned), erfd.NamedFrame("foot", 0)),
    )  # fmt: skip
    path = tmp_path_factory.mktemp("robots") / "robot.toml"
    erfd.save(full, path)
    again = erfd.load(path)
    assert again == full
    assert hash(again) == hash(full)
