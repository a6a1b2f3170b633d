"""What URDF files say of motors: transmissions of ROS 1 and 2, limits of ros2_control."""

import math
from pathlib import Path

import pytest

import erfd
from support.urdf_files import END, SMALL

ROS1 = """<transmission name="t"><type>transmission_interface/SimpleTransmission</type>
<joint name="shoulder"><hardwareInterface>EffortJointInterface</hardwareInterface></joint>
<actuator name="m"><mechanicalReduction>-80</mechanicalReduction></actuator></transmission>"""
ROS2 = """<ros2_control name="r" type="system"><joint name="shoulder">
<command_interface name="position"><param name="min">-0.5</param><param name="max">3</param>
</command_interface><command_interface name="velocity"><param name="min">-2</param>
<param name="max">3</param></command_interface>
<command_interface name="effort"><param name="min">-40</param><param name="max">40</param>
</command_interface><command_interface name="acceleration"><limit min="-6" max="6"/>
</command_interface><state_interface name="position"/></joint>
<transmission name="t"><plugin>transmission_interface/SimpleTransmission</plugin>
<actuator name="m" role="a"/><joint name="shoulder" role="j">
<mechanical_reduction>50</mechanical_reduction></joint></transmission></ros2_control>"""


def arm(folder: Path, text: str) -> erfd.Robot:
    path = folder / "arm.urdf"
    path.write_text(SMALL.read_text().replace(END, text + END))
    return erfd.load(path)


def test_the_reduction_of_ros_1(tmp_path: Path) -> None:
    drive, other = arm(tmp_path, ROS1).drives
    assert drive.ratio == -80
    assert drive.torque_max == pytest.approx(50 / 80)
    assert drive.speed_max == pytest.approx(4 * 80)
    assert other == erfd.load(SMALL).drives[1]


def test_the_limits_of_ros_2(tmp_path: Path) -> None:
    robot = arm(tmp_path, ROS2)
    joint, drive = robot.joints[0], robot.drives[0]
    assert (joint.position_min, joint.position_max) == (-0.5, 2.0)  # the narrower of both
    assert (joint.velocity_max, joint.acceleration_max) == (2, 6)
    assert drive.torque_max == pytest.approx(40 / 50)
    assert drive.speed_max == pytest.approx(2 * 50)
    assert math.isinf(robot.joints[1].acceleration_max)


def test_a_differential_is_named_and_left_out(tmp_path: Path) -> None:
    text = ROS1.replace("Simple", "Differential").replace('name="t"', 'name="both"')
    with pytest.warns(UserWarning, match="transmissions of several joints are not read: both"):
        robot = arm(tmp_path, text)
    assert robot.drives == erfd.load(SMALL).drives


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (ROS1.replace("-80", "0"), "<mechanicalReduction>: reduction: expected a number other"),
        (ROS1.replace("-80", "?"), "reduction: expected a number other than 0, found text '?'"),
        (ROS2.replace(">3<", ">fast<", 1), "<command_interface name='position'>: max: expected a"),
        (ROS2.replace("-0.5", "4", 1), "position: expected a lower limit below the upper one"),
    ],
)
def test_mistakes(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(erfd.errors.RobotError) as found:
        arm(tmp_path, text)
    assert sentence in str(found.value)
    assert str(found.value).startswith("arm.urdf: ")
