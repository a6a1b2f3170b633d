"""Programs as a whole: pauses, payloads, signals, halts; moves that are none; what is said."""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import erfd
from erfd.errors import InputError
from erfd.ik.inverse_kinematics import follow
from erfd.planning import reach as planner_reach
from erfd.planning.moves import (
    Carry,
    Halt,
    Increment,
    JointIncrement,
    JointTarget,
    Moment,
    Move,
    Now,
    Pause,
    PoseTarget,
    SetOutput,
    Step,
)
from erfd.planning.planner import Planner, plan

LOLA = erfd.load("lola15")
READY = np.radians([0.0, 20.0, -20.0, 0.0, -60.0, 0.0])
TOOL = erfd.forward_kinematics(LOLA, READY)
HERE = TOOL[:3, 3]


def off(*step: float) -> np.ndarray:
    """A point so far (m) from HERE."""
    return HERE + np.array(step)


def pose(dx: float = 0, dy: float = 0, dz: float = 0, turn: object = None) -> PoseTarget:
    """A target so far (m) from HERE, turned in base axes by a rotation vector."""
    place = tuple(off(dx, dy, dz).tolist())
    if turn is None:
        return PoseTarget(place)
    turned = Rotation.from_rotvec(turn).as_matrix() @ TOOL[:3, :3]
    return PoseTarget(place, tuple(map(tuple, turned.tolist())))


def lin(target: object, line: int = 1, **options: object) -> Move:
    return Move("lin", (target,), line, f"p{line}", **options)


def circle(via: object, end: object, line: int = 1, **options: object) -> Move:
    return Move("circle", (via, end), line, f"p{line}", names=(f"v{line}", f"p{line}"), **options)


def kinds(made: object) -> list[tuple[int, str]]:
    return [(note.line, note.kind) for note in made.notes]


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
        Carry(heavy, 3),
        SetOutput("grip", 1.0, 4),
        lin(pose(0.2), 5),
        Carry(None, 6),
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
        told.append((yield Now(1)))
        yield lin(pose(0.1), 2, c_speed=True)
        moment = yield Now(3)
        told.append(moment)
        there = PoseTarget((*moment.position[:2], moment.position[2] + 0.05), moment.rotation)
        yield lin(there, 4)
        told.append((yield Now(5)))
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
    for steps in ([], [Halt(1)], [Carry(None, 1)]):
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


def test_increments_in_tool_and_base() -> None:
    step, turn = (0.05, -0.03, 0.1), Rotation.from_rotvec([0.2, 0.1, -0.3]).as_matrix()
    rows = tuple(map(tuple, turn.tolist()))
    for kind in ("lin", "ptp"):
        made = plan(LOLA, [Move(kind, (Increment(step, rows),), 1)], q0=READY)
        wanted = TOOL.copy()
        wanted[:3, 3] += TOOL[:3, :3] @ step
        wanted[:3, :3] = TOOL[:3, :3] @ turn
        assert made.poses[-1] == pytest.approx(wanted, abs=1e-9)
        made = plan(LOLA, [Move(kind, (Increment(step, rows, "base"),), 1)], q0=READY)
        wanted[:3, 3] = HERE + step
        wanted[:3, :3] = turn @ TOOL[:3, :3]
        assert made.poses[-1] == pytest.approx(wanted, abs=1e-9)


def test_frames_tools_and_joint_targets_on_paths() -> None:
    frame = erfd.Pose((0.3, -0.2, 0.1), (0.1, 0.2, 0.3))
    local = frame.inverse().apply(off(0.1, 0, 0))
    made = plan(LOLA, [lin(PoseTarget(local), frame=frame)], q0=READY)
    assert made.poses[-1, :3, 3] == pytest.approx(off(0.1, 0, 0), abs=1e-9)

    tool = erfd.Pose((0.0, 0.0, 0.5), (0.0, 0.3, 0.0))
    flange = TOOL @ np.linalg.inv(_matrix(LOLA.tool))
    made = plan(LOLA, [lin(Increment((0, 0, 0.05)), tool=tool)], q0=READY)
    start = flange @ _matrix(tool)
    assert made.poses[0] == pytest.approx(start, abs=1e-12)
    assert made.poses[-1, :3, 3] == pytest.approx(start[:3, 3] + 0.05 * start[:3, 2], abs=1e-9)
    seen = erfd.forward_kinematics(replace(LOLA, tool=tool), made.trajectory.q)
    assert np.abs(seen - made.poses).max() < 1e-9
    assert (plan(LOLA, [lin(Increment((0, 0, 0.05)))], q0=READY, tool=tool).trajectory.q
            == made.trajectory.q).all()  # fmt: skip

    end = READY + 0.1
    made = plan(LOLA, [lin(JointTarget(tuple(end.tolist())))], q0=READY)
    assert made.trajectory.q[-1] == pytest.approx(end, abs=1e-9)
    made = plan(LOLA, [lin(pose(0.05), c_speed=True), lin(JointIncrement((0.1,)), 2)], q0=READY)
    first = erfd.inverse_kinematics(LOLA, TOOL + _shift(0.05), near=READY)
    first[0] += 0.1
    assert made.trajectory.q[-1] == pytest.approx(first, abs=1e-9)


def _matrix(pose: erfd.Pose) -> np.ndarray:
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = pose.rotation, pose.xyz
    return result


def _shift(dx: float) -> np.ndarray:
    result = np.zeros((4, 4))
    result[0, 3] = dx
    return result


def test_another_tool_stops_a_path() -> None:
    moves = [lin(pose(0.1), c_speed=True), lin(Increment((0, 0, 0.1)), 2, tool=erfd.Pose())]
    made = plan(LOLA, moves, q0=READY)
    assert made.moves[0].blend == "stop"
    assert kinds(made) == [(1, "blend")]


def test_every_sample_has_the_tool_of_its_move() -> None:
    """At the start, where ramps overlap, after a stop; so the tool's way and speed are true."""
    long = erfd.Pose((0.0, 0.0, 0.5))
    home = Move("ptp", (JointTarget(tuple((READY + 0.2).tolist())),), 3)
    nowhere = lin(Increment((0, 0, 0)), 1, tool=long)
    for steps in (
        [nowhere, home],
        [replace(home, line=1, c_ptp=True), lin(Increment((0, 0, 0.1)), 2, tool=long)],
        [lin(Increment((0, 0, 0.1)), 1, tool=long), replace(home, line=2)],
    ):
        made = plan(LOLA, steps, q0=READY)
        for k, step in enumerate(steps):
            own = made.move == k
            arm = LOLA if step.tool is None else replace(LOLA, tool=step.tool)
            seen = erfd.forward_kinematics(arm, made.trajectory.q[own])
            assert np.abs(seen - made.poses[own]).max(initial=0.0) < 1e-9
        assert all(move.peak_speed < 3 and move.length < 1 for move in made.moves)


# Moves that are none, or hardly any


def test_moves_without_motion_do_not_disturb() -> None:
    """A point twice: the path runs on, if both moves ask for that."""
    once = plan(LOLA, [lin(pose(0.1), 1, c_speed=True), lin(pose(0.2), 3)], q0=READY)
    twice = [lin(pose(0.1), 1, c_speed=True), lin(pose(0.1), 2, c_speed=True), lin(pose(0.2), 3)]
    made = plan(LOLA, twice, q0=READY)
    assert (made.trajectory.q == once.trajectory.q).all()
    assert kinds(made) == [(2, "no motion")]
    assert made.moves[1].start == made.moves[1].end == made.moves[0].end
    twice[1] = replace(twice[1], c_speed=False)
    assert plan(LOLA, twice, q0=READY).moves[0].blend == "stop"
    still = Move("ptp", (JointTarget(tuple(READY.tolist())),), 1)
    assert plan(LOLA, [still, replace(still, line=2)], q0=READY).duration == 0.01
    assert kinds(plan(LOLA, [lin(pose())], q0=READY)) == [(1, "no motion")]


def test_a_turn_on_the_spot() -> None:
    turn = np.array([0, 0, 1.2])
    slow = lin(pose(turn=turn), 2, speed_ori=0.5, acc_ori=1.0)
    made = plan(LOLA, [lin(pose(0.05), 1, c_speed=True), replace(slow, targets=(
        replace(pose(0.05, turn=turn)),)), lin(pose(0.1), 3)], q0=READY)  # fmt: skip
    assert [m.blend for m in made.moves] == ["stop", "stop", "stop"]
    assert made.moves[1].end - made.moves[1].start == pytest.approx(1.2 / 0.5 + 0.5, abs=0.01)
    assert made.moves[1].turn == pytest.approx(1.2)
    own = made.move == 1
    assert np.abs(made.poses[own][:, :3, 3] - HERE - [0.05, 0, 0]).max() < 1e-12
    assert kinds(made) == [(1, "blend")]
    made = plan(LOLA, [replace(slow, speed_ori=None)], q0=READY)
    assert kinds(made) == [(2, "orientation")]
    assert "57 deg/s" in made.notes[0].sentence


def test_opposite_orientations() -> None:
    """Half a turn: some way round, said so, and the end is reached."""
    for axis in np.vstack([np.eye(3), [0.6, 0.0, 0.8], [-0.6, 0.64, 0.48]]):
        move = lin(pose(0.1, turn=math.pi * axis), speed=0.05)
        made = plan(LOLA, [move], q0=READY)
        assert (1, "orientation") in kinds(made)
        assert np.abs(made.poses[-1, :3, :3] - move.targets[0].rotation).max() < 1e-9
        r = made.poses[:, :3, :3]
        steps = Rotation.from_matrix(r[1:] @ np.swapaxes(r[:-1], 1, 2)).magnitude()
        assert steps.sum() == pytest.approx(math.pi, abs=1e-9)


@pytest.mark.parametrize(
    ("via", "end", "kind", "sentence"),
    [
        ((0.05, 0, 0), (0.1, 0, 0), "path", "v1 is on the line from start to end"),
        ((0, 0, 0), (0.1, 0, 0), "path", "v1 is the start"),
        ((0.1, 0, 0), (0.1, 0, 0), "path", "v1 is the end"),
        ((0.2, 0, 0), (0.1, 0, 0), "circle", "v1 is on the line through start and end, but not"),
        ((-0.1, 0, 0), (0.1, 0, 0), "circle", "v1 is on the line through start and end, but not"),
        ((0.1, 0, 0), (0, 0, 0), "circle", "start and end are one point"),
    ],
)
def test_circles_that_are_none(via, end, kind, sentence) -> None:
    made = plan(LOLA, [circle(pose(*via), pose(*end))], q0=READY)
    said = made.failures if kind == "circle" else made.notes
    assert [(x.line, x.kind) for x in said] + [(1, "no motion")] * (end == (0, 0, 0)) == (
        [(1, kind)] + kinds(made) * (kind == "circle")
    )
    assert sentence in said[0].sentence
    assert made.poses[-1, :3, 3] == pytest.approx(HERE + end, abs=1e-9)
    assert plan(LOLA, [circle(pose(), pose())], q0=READY).reachable


def test_tiny_moves() -> None:
    """Much shorter than their ramps, even than a cycle: no faster than acc allows."""
    for size in (1e-8, 1e-6, 1e-4, 1e-2):
        moves = [lin(pose(size * k, size * (k % 2)), k, c_cp=0.1) for k in range(1, 6)]
        made = plan(LOLA, moves, q0=READY)
        assert np.abs(made.poses[-1, :3, 3] - HERE - [5 * size, size, 0]).max() < 1e-9
        steps = np.linalg.norm(np.diff(made.poses[:, :3, 3], axis=0), axis=1)
        assert steps.max() <= 0.25 * 0.01
        assert made.duration < 5.5


def test_many_moves() -> None:
    """A finely cut circle of 2000 lines, each a corner below 1 degree: one chain, in short time."""
    turn = np.linspace(0, 2 * math.pi, 2001)[1:]
    places = 0.1 * np.column_stack([np.sin(turn), 1 - np.cos(turn)])
    moves = [lin(pose(x, y), k, c_speed=True, speed=0.1) for k, (x, y) in enumerate(places, 1)]
    made = plan(LOLA, moves, q0=READY)
    assert made.reachable
    assert made.duration == pytest.approx(0.2 * math.pi / 0.1 + 0.1, abs=0.02)
    off = made.poses[:, :2, 3] - HERE[:2]
    assert np.abs(np.linalg.norm(off - [0, 0.1], axis=1) - 0.1).max() < 1e-6
    assert {m.blend for m in made.moves[:-1]} == {"c_speed"}


def test_the_way_back_cannot_be_rounded() -> None:
    made = plan(LOLA, [lin(pose(0.1), c_cp=0.02), lin(pose(0.0), 2)], q0=READY)
    assert made.moves[0].blend == "stop"
    assert kinds(made) == [(1, "stop")]
    assert made.moves[0].corner == pytest.approx(math.pi)


# Out of reach


def test_every_target_out_of_reach_is_named_and_the_plan_goes_on() -> None:
    moves = [
        Move("ptp", (pose(2.0),), 1, "far"),
        lin(pose(0.1), 2),
        circle(pose(0.15, 0.05, 0.0), pose(0.2), 3, c_cp=0.05),
        lin(pose(0.1, 2.0), 4, c_speed=True),
        lin(pose(0.1), 5),
        Move("ptp", (JointTarget(tuple(READY.tolist())),), 6, "home"),
    ]
    made = plan(LOLA, moves, q0=READY)
    assert [(f.line, f.name, f.kind) for f in made.failures] == [
        (1, "far", "target"),
        (4, "p4", "target"),
    ]
    assert all(f.distance > 0.5 for f in made.failures)
    assert np.isfinite(made.trajectory.q).all()
    assert made.trajectory.q[-1] == pytest.approx(READY)
    assert made.poses[made.move == 2][-1, :3, 3] == pytest.approx(off(0.2, 0, 0), abs=1e-9)


def test_a_path_between_reachable_ends() -> None:
    """A line past the shoulder: its ends can be reached, its middle is too near to joint 2."""
    bare = erfd.Pose()
    start = np.eye(4)
    start[:3, :3], start[:3, 3] = TOOL[:3, :3], [0.4, -0.6, 0.0]
    q0 = erfd.inverse_kinematics(LOLA, start, tool=bare)
    end = PoseTarget((0.4, 0.6, 0.0))
    assert plan(LOLA, [Move("ptp", (end,), 1)], q0=q0, tool=bare).reachable
    for speed, dt in ((0.25, 0.01), (5.0, 0.04)):
        made = plan(LOLA, [lin(end, 1, speed=speed, acc=50.0)], dt, q0=q0, tool=bare)
        (failure,) = made.failures
        assert (failure.line, failure.kind, failure.name) == (1, "path", "p1")
        assert failure.sentence.startswith("the path to p1")


def test_a_jump_to_another_branch_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever inverse kinematics does at a singularity: axes do not jump."""

    def jumping(robot: erfd.Robot, poses: np.ndarray, q0: np.ndarray, **options: object) -> object:
        found = follow(robot, poses, q0, **options)
        turned = found.q.copy()
        turned[len(turned) // 2 :, 3] += math.pi
        beyond = found.beyond.copy()
        beyond[len(turned) // 2 :] = 1.0  # on the wrong branch that says nothing
        return replace(found, q=turned, beyond=beyond)

    monkeypatch.setattr(planner_reach, "follow", jumping)
    (failure,) = plan(LOLA, [lin(pose(0.1), 3)], q0=READY).failures
    assert (failure.line, failure.kind, failure.name) == (3, "path", "p3")
    assert failure.sentence == "the path to p3: axis 4 would have to jump by 180 deg"


def test_a_corner_out_of_reach_counts_though_it_is_rounded() -> None:
    moves = [lin(pose(0.33), 1, c_cp=0.3), lin(pose(0.33, -0.4, -0.4), 2)]
    reach = plan(LOLA, moves, q0=READY)
    assert reach.reachable
    moves = [lin(pose(0.75), 1, c_cp=0.3), lin(pose(0.1, -0.4, -0.4), 2)]
    made = plan(LOLA, moves, q0=READY)
    assert [(f.line, f.name) for f in made.failures if f.kind == "target"] == [(1, "p1")]


def test_config_is_taken_or_noted() -> None:
    target = replace(pose(0.05), config=0)
    made = plan(LOLA, [Move("ptp", (target,), 1)], q0=READY)
    assert made.trajectory.q[-1, 4] > 0  # the other wrist
    assert made.poses[-1, :3, 3] == pytest.approx(off(0.05, 0, 0), abs=1e-9)
    made = plan(LOLA, [lin(target)], q0=READY)
    assert made.trajectory.q[-1, 4] < 0  # a path cannot change it
    assert kinds(made) == [(1, "config")]
    assert kinds(plan(LOLA, [lin(replace(target, config=4))], q0=READY)) == []


def test_turns_and_singularities_are_noted() -> None:
    near = READY.copy()
    near[4] = -0.05
    start = erfd.forward_kinematics(LOLA, near)
    move = lin(PoseTarget(tuple((start[:3, 3] + [0, 0.2, 0]).tolist())), 3)
    made = plan(LOLA, [move], q0=near)
    said = {note.kind: note for note in made.notes}
    assert "singularity" in said
    assert said["singularity"].line == 3
    assert said["singularity"].value <= 0.05
    wound = np.radians([0.0, 20.0, -20.0, 0.0, -60.0, 200.0])
    made = plan(LOLA, [Move("ptp", (JointTarget(tuple(wound.tolist())),), 5)], q0=READY)
    (note,) = made.notes
    assert (note.line, note.kind) == (5, "turn")
    assert note.sentence == "axis 6 is turned beyond 180 deg, to 200 deg"
    assert math.degrees(note.value) == pytest.approx(200)


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
    assert kinds(made) == [(1, "blend")]
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
        ("go", "step: expected a step of motion.moves, found 'go'"),
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
