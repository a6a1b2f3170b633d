"""What a plan says of reach: targets and paths beyond it, branches, turns, singularities."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import erfd
from erfd.ik.inverse_kinematics import follow
from erfd.planning import path_joints as planner_reach
from erfd.planning.moves import JointTarget, Move, PoseTarget
from erfd.planning.planner import plan
from support.lola_moves import LOLA, READY, TOOL, circle, kinds, lin, off, pose


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
