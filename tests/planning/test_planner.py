"""Programs as a whole: pauses, payloads, signals, halts; arms with other numbers of joints."""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import replace

import numpy as np
import pytest

import erfd
from erfd.errors import InputError
from erfd.planning.moves import (
    Halt,
    JointTarget,
    Moment,
    Move,
    Pause,
    PoseTarget,
    ReadTime,
    SetOutput,
    SetPayload,
    Step,
)
from erfd.planning.planner import Planner, plan
from support.lola_moves import LOLA, READY, TOOL, kinds, lin, off, pose


def test_pauses_hold_and_have_lines() -> None:
    made = plan(LOLA, [lin(pose(0.1)), Pause(0.255, 2), lin(pose(0.2), 3)], q0=READY)
    wait = made.moves[1]
    assert (wait.kind, wait.line) == ("wait", 2)
    assert wait.end - wait.start == pytest.approx(0.26)  # whole cycles, no fewer
    held = made.lines == 2
    assert held.sum() == 26
    assert (made.trajectory.qd[held] == 0).all()
    assert (np.diff(made.poses[held], axis=0) == 0).all()
    assert (np.diff(made.lines) >= 0).all()


def test_payloads_change_between_moves_and_signals_after_them() -> None:
    heavy = erfd.Payload(5.0)
    steps: list[Step] = [
        SetOutput("ready", True, 1),
        lin(pose(0.1), 2, c_speed=True),
        SetPayload(heavy, 3),
        SetOutput("grip", 1.0, 4),
        lin(pose(0.2), 5),
        SetPayload(None, 6),
        Pause(0.1, 7),
        SetOutput("open", False, 8),
    ]
    made = plan(LOLA, steps, q0=READY)
    assert [m.blend for m in made.moves] == ["c_speed", "stop", "stop"]  # neither one stops
    by_line = {line: {p for p, at in zip(made.payloads, made.lines, strict=True) if at == line}
               for line in (2, 5, 7)}  # fmt: skip
    assert by_line == {2: {None}, 5: {heavy}, 7: {None}}
    ends = [0.0, made.moves[0].end, made.moves[2].end]
    assert [(s.name, s.value, s.line) for s in made.signals] == [
        ("ready", True, 1),
        ("grip", 1.0, 4),
        ("open", False, 8),
    ]
    assert [s.time for s in made.signals] == pytest.approx(ends)


def test_a_program_is_told_where_the_robot_stands() -> None:
    told: list[Moment] = []

    def program() -> Generator[Step, Moment | None, None]:
        told.append((yield ReadTime(1)))
        yield lin(pose(0.1), 2, c_speed=True)
        moment = yield ReadTime(3)
        told.append(moment)
        there = PoseTarget((*moment.position[:2], moment.position[2] + 0.05), moment.rotation)
        yield lin(there, 4)
        told.append((yield ReadTime(5)))
        yield Halt(6)
        raise AssertionError("after the end")

    made = plan(LOLA, program(), q0=READY)
    assert [m.blend for m in made.moves] == ["stop", "stop"]
    assert told[0].time == 0
    assert told[0].q == tuple(READY)
    assert told[1].position == pytest.approx(tuple(off(0.1, 0, 0)))
    assert told[1].time == pytest.approx(made.moves[0].end)
    assert np.array(told[2].rotation) == pytest.approx(TOOL[:3, :3])
    assert told[2].time == pytest.approx(made.duration)
    assert told[2].q == tuple(made.trajectory.q[-1])


def test_a_planner_step_by_step_is_the_plan() -> None:
    steps = [lin(pose(0.1), 1, c_speed=True), lin(pose(0.2, 0.001), 2), Pause(0.1, 3)]
    planner = Planner(LOLA, q0=READY)
    for step in steps:
        planner.add(step)
    planner.add(Halt(4))
    planner.add(lin(pose(0.3), 5))  # too late
    made, again = planner.finish(), plan(LOLA, iter(steps), q0=READY)
    assert (made.trajectory.q == again.trajectory.q).all()
    assert made.moves == again.moves


def test_an_empty_program_stands_still() -> None:
    for steps in ([], [Halt(1)], [SetPayload(None, 1)]):
        made = plan(LOLA, steps)
        assert len(made.trajectory) == 2
        assert not made.trajectory.q.any()


def test_a_loop_says_things_once() -> None:
    far = Move("ptp", (pose(2.0),), 3, "p3")
    home = Move("ptp", (JointTarget(tuple(READY.tolist())),), 4)
    steps = [lin(pose(0.1), 1), lin(pose(0.1), 2), far, home]
    made = plan(LOLA, [*steps, *steps, *steps], q0=READY)
    assert kinds(made) == [(2, "no motion")]
    assert [(f.line, f.name) for f in made.failures] == [(3, "p3")]


def test_the_default_start_is_zero_or_the_nearest_limit() -> None:
    stanford = erfd.load("stanford")
    made = plan(stanford, [Move("ptp", (JointTarget((0.5,)),), 1)])
    assert made.trajectory.q[0] == pytest.approx([0, 0, 0.3048, 0, 0, 0])
    assert kinds(made) == [(1, "start")]
    assert kinds(plan(stanford, [Pause(0.1, 1)], q0=made.trajectory.q[0])) == []


# Other arms


def test_arms_with_few_joints_follow_positions() -> None:
    robot = erfd.load("centrifuge3")
    made = plan(robot, [Move("ptp", (JointTarget((3.0, 0.5, -0.5)),), 1)])
    assert made.trajectory.q[-1] == pytest.approx([3.0, 0.5, -0.5])
    two = erfd.load("two_link")
    q0 = np.array([0.3, 1.0])
    start = erfd.forward_kinematics(two, q0)
    down = start[:3, :3] @ [0, 0, 1.0]
    along = np.cross(down, start[:3, 0])
    end = start[:3, 3] + 0.1 * along
    made = plan(two, [lin(PoseTarget(tuple(end.tolist())))], q0=q0)
    assert made.reachable
    seen = erfd.forward_kinematics(two, made.trajectory.q)
    assert np.abs(seen - made.poses).max() < 1e-9
    off = seen[:, :3, 3] - start[:3, 3]
    assert np.abs(off - np.outer(off @ along, along)).max() < 1e-9


def test_a_redundant_arm_stops_before_ptp() -> None:
    links, joints = [], []
    for i in range(7):
        twist = (math.pi / 2) * (-1) ** i if i < 6 else 0.0
        joints.append(erfd.Joint(f"j{i}", d=0.3 * (i % 2 == 0), alpha=twist, velocity_max=2.0,
                                 acceleration_max=5.0))  # fmt: skip
        links.append(erfd.Link(f"l{i}", 1.0))
    arm = erfd.Robot("seven", tuple(joints), tuple(links))
    q0 = np.array([0.1, 0.5, -0.2, 1.2, 0.3, 0.8, 0.0])
    start = erfd.forward_kinematics(arm, q0)
    end = PoseTarget(tuple((start[:3, 3] + [0.05, 0.02, 0.0]).tolist()))
    moves = [lin(end, 1, c_ptp=True), Move("ptp", (JointTarget((0.0, 0.4)),), 2)]
    made = plan(arm, moves, q0=q0)
    assert made.moves[0].blend == "stop"
    assert kinds(made) == [(1, "blend"), (1, "redundancy")]
    seen = erfd.forward_kinematics(arm, made.trajectory.q)
    assert np.abs(seen - made.poses).max() < 1e-8
    assert made.trajectory.q[-1, :2] == pytest.approx([0.0, 0.4])


# Wrong input


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (
            lin(pose(0.1), 3, speed=0.0),
            "line 3: speed: expected a number from 1e-09 to 1e+06 m/s, found 0",
        ),
        (
            lin(pose(0.1), 3, acc=math.nan),
            "line 3: acc: expected a number from 1e-09 to 1e+06 m/s2, found nan",
        ),
        (
            lin(pose(0.1), 3, speed_ptp=1.5),
            "line 3: speed_ptp: expected a part from 1e-09 to 1, found 1.5",
        ),
        (lin(pose(0.1), 3, c_cp=-0.1), "line 3: c_cp: expected a distance >= 0, found -0.1"),
        (lin(pose(0.1), 3, c_ori="o_x"), "line 3: c_ori: expected o_var, o_pco, o_pvo, found o_x"),
        (lin(pose(math.inf), 3), "line 3: target: expected a position within 1e+06 m"),
        (lin(replace(pose(), config=9), 3), "line 3: CONFIG: expected 0 to 8, found 9"),
        (lin(replace(pose(), rotation=((1, 0, 0), (0, 1, 0), (0, 0, -1))), 3), "a rotation matrix"),
        (
            lin(JointTarget((0.0,) * 7), 3),
            "line 3: target: expected 1 to 6 joint positions, found 7",
        ),
        (lin(JointTarget((math.nan,)), 3), "line 3: target: expected joint positions up to 1e+06"),
        (Move("lin", (pose(), pose(0.1)), 3), "line 3: lin: expected 1 target(s), found 2"),
        (Move("arc", (pose(),), 3), "line 3: move: expected ptp, lin or circle, found 'arc'"),
        (Pause(-1.0, 3), "line 3: wait: expected a time >= 0 s, found -1.0"),
        (Pause(1e9, 3), "line 3: expected at most 500000 cycles of 0.01 s, found moves of 1e+09 s"),
        (lin(pose(0.1), 3, speed=1e-9), "line 3: expected at most 500000 cycles of 0.01 s, found"),
        (lin(pose(0.1), 3, acc=1e-9), "line 3: expected at most 500000 cycles of 0.01 s, found"),
        ("go", "step: expected a step of planning.moves, found 'go'"),
    ],
)
def test_wrong_steps(step, sentence) -> None:
    with pytest.raises(InputError) as caught:
        plan(LOLA, [step], q0=READY)
    assert sentence in str(caught.value)


def test_wrong_planners() -> None:
    with pytest.raises(InputError, match="dt: expected a time > 0 s, found 0"):
        plan(LOLA, [], 0.0)
    with pytest.raises(InputError, match="q0: expected 6 finite numbers"):
        plan(LOLA, [], q0=[0.0] * 5)
