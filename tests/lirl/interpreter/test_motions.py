"""Moves of a program as steps for the planner: SI units, defaults, axes, payloads, waits."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.lirl import ProgramError
from erfd.planning.moves import (
    Increment,
    JointIncrement,
    JointTarget,
    Move,
    Pause,
    PoseTarget,
    SetPayload,
)
from erfd.robot.payload import Payload
from erfd.robot.pose import Pose
from support.lirl_programs import steps_of

FAST = settings(max_examples=60, deadline=None)


def one(statement: str, declarations: str = "", **options) -> Move:
    """The move of a program with one move."""
    text = f"program p; var {declarations} endvar seq {statement} endseq"
    (step,) = steps_of(text, **options)
    assert isinstance(step, Move)
    return step


def test_units_and_defaults() -> None:
    plain = one("move lin position(100, 200, 300);")
    assert plain == Move(
        "lin",
        (PoseTarget((0.1, 0.2, 0.3)),),
        1,
        "position(100, 200, 300)",
        speed=0.25,
        acc=1.0,
        names=("position(100, 200, 300)",),
    )
    full = one(
        """move circle a, b speed=500 acc=2000 speed_ori=90 acc_ori=180 c_speed c_cp=25
             c_ori=o_pvo angle=360 tool=t frame=f;""",
        """robtarg: a = robtarg(position(1, 2, 3)); pose: b = ((4, 5, 6), (90, 0, 0));
           pose: t = ((0, 0, 120), (0, 0, 180)), f = ((1000, 0, 0), (0, 0, 0));""",
    )
    assert full.names == ("a", "b")
    assert full.name == "b"
    assert (full.speed, full.acc) == (0.5, 2.0)
    assert full.speed_ori == pytest.approx(math.pi / 2)
    assert full.acc_ori == pytest.approx(math.pi)
    assert full.angle == pytest.approx(2 * math.pi)
    assert full.c_cp == pytest.approx(0.025)
    assert full.c_speed
    assert not full.c_ptp
    assert full.c_ori == "o_pvo"
    assert full.tool == Pose((0.0, 0.0, 0.12), (math.pi, 0.0, 0.0))
    assert full.frame == Pose((1.0, 0.0, 0.0))
    assert full.targets[1].rotation == ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))


@FAST
@given(st.lists(st.floats(-180, 180), min_size=1, max_size=6), st.sampled_from(["", "_inc"]))
def test_axes(axes: list[float], way: str) -> None:
    listed = ", ".join(map(repr, axes))
    move = one(f"move{way} ptp joint(mainjoint({listed}));", n=6)
    expected = JointTarget if way == "" else JointIncrement
    assert move.targets == (expected(tuple(math.radians(x) for x in axes)),)


def test_sliding_axes_are_in_millimetres() -> None:
    move = one("move ptp joint(90, 0, 250);", n=3, prismatic=(3,))
    assert move.targets[0].joints == pytest.approx((math.pi / 2, 0.0, 0.25))


@pytest.mark.parametrize("name", erfd.robots())
def test_the_robot_says_what_is_known_of_it(name: str) -> None:
    robot = erfd.load(name)
    slides = [i for i, joint in enumerate(robot.joints, 1) if not joint.revolute]
    axes = ", ".join("10" for _ in robot.joints)
    text = f'move ptp joint({axes}) act_rob="{name}";'
    alone = one(text, robot_name=name, n=robot.n, prismatic=slides)
    assert one(text, robot=robot) == alone
    with pytest.raises(ProgramError, match=f"the robot has {robot.n} axes"):
        one("move ptp j;", f"joint: j = joint({axes}, 1);", robot=robot)


def test_relative_moves() -> None:
    assert one("move_inc lin position(0, 0, 50);").targets == (Increment((0.0, 0.0, 0.05)),)
    based = one("move_inc lin (0, 10, 0) ref=base;")
    assert based.targets == (Increment((0.0, 0.01, 0.0), None, "base"),)
    turned = one("move_inc lin orientation(90, 0, 0);").targets[0]
    assert turned.translation == (0.0, 0.0, 0.0)
    assert turned.rotation == ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    both = one("move_inc ptp ((1, 2, 3), (90, 0, 0));").targets[0]
    assert both == Increment((0.001, 0.002, 0.003), turned.rotation)


@pytest.mark.parametrize("name", ["lola_15", "LOLA-15", "Lola15"])
def test_the_right_robot(name: str) -> None:
    one(f'move ptp joint(1) act_rob="{name}";', robot_name="lola15")
    with pytest.raises(ProgramError, match="the robot is"):
        one(f'move ptp joint(1) act_rob="{name}";', robot_name="puma560")


def test_too_many_axes() -> None:
    declared = "joint: j = joint(1, 2, 3, 4);"
    with pytest.raises(ProgramError, match="the robot has 3 axes, found 4"):
        one("move ptp j;", declared, n=3)


def test_settings_belong_to_one_move() -> None:
    text = "program p; seq move lin (1, 2, 3) speed=100 c_speed; move lin (4, 5, 6); endseq"
    first, second = steps_of(text)
    assert (first.speed, first.c_speed) == (0.1, True)
    assert (second.speed, second.c_speed) == (0.25, False)


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("speed=zero", "above 0 mm/s"),
        ("speed_ptp=zero + 2", "at most 1"),
        ("c_cp=zero - 1", "at least 0 mm"),
        ("angle=zero", "above 0 deg"),
    ],
)
def test_numbers_out_of_range(option: str, said: str) -> None:
    with pytest.raises(ProgramError, match=said) as caught:
        one(f"move lin (1, 2, 3) {option};", "real: zero = 0;")
    assert caught.value.mistakes[0].column > 50


def test_payload_and_waits() -> None:
    text = """program p; seq
      payload 2.5 at (0, 0, 100); wait 0.5 sec; payload 1; payload none; endseq"""
    assert steps_of(text) == [
        SetPayload(Payload(2.5, (0.0, 0.0, 0.1)), 2),
        Pause(0.5, 2),
        SetPayload(Payload(1.0), 2),
        SetPayload(None, 2),
    ]
