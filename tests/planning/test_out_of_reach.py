"""What is named as out of reach is so, after the arm has left its reach, too, and soon said."""

import numpy as np
import pytest

import erfd
from erfd.errors import ReachError
from erfd.ik import follow_numeric
from erfd.planning.moves import Move, PoseTarget
from erfd.planning.plan import Plan
from erfd.planning.planner import plan
from support.move_programs import ARMS, Arm


def target(arm: Arm, rng: np.random.Generator, far: float) -> PoseTarget:
    """A pose near the start, its position so many times as far away as the arm reaches there."""
    bounds = [(joint.position_min, joint.position_max) for joint in arm.robot.joints]
    q = np.clip(arm.q0 + rng.uniform(-0.5, 0.5, arm.robot.n), *np.transpose(bounds))
    pose = erfd.forward_kinematics(arm.robot, q)
    return PoseTarget(tuple((far * pose[:3, 3]).tolist()), tuple(map(tuple, pose[:3, :3].tolist())))


def wandering(arm: Arm, seed: int) -> tuple[list[Move], Plan]:
    """An arc that leaves the reach, then moves here and there."""
    rng = np.random.default_rng(seed)
    moves = []
    for line in range(1, 7):
        ends = {"c_speed": True} if rng.random() < 0.4 else {}
        far = 2.2 if line == 1 else rng.choice([1.0, 1.0, 1.8])
        kind = "circle" if line == 1 else str(rng.choice(["lin", "circle", "ptp"]))
        last = target(arm, rng, 1.0 if kind == "circle" else far)
        targets = (target(arm, rng, far), last) if kind == "circle" else (last,)
        options = {} if kind == "ptp" else {"speed": 1.0, **ends}
        moves.append(Move(kind, targets, line, f"p{line}", **options))
    return moves, plan(arm.robot, moves, q0=arm.q0)


def reachable(robot: erfd.Robot, goal: PoseTarget) -> bool:
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = goal.rotation, goal.position
    try:
        erfd.inverse_kinematics(robot, pose)
    except ReachError:
        return False
    return True


@pytest.mark.parametrize(("name", "count"), [("lola15", 14), ("puma560", 4), ("seven", 1)])
def test_no_end_is_named_that_the_arm_can_reach(name: str, count: int) -> None:
    """Once it is out of reach its branch and turns are any: later ends are judged by themselves."""
    arm, named = ARMS[name], set()
    for seed in range(count):
        moves, made = wandering(arm, seed)
        lines = [failure.line for failure in made.failures]
        assert lines[0] == 1
        for failure in made.failures[1:]:
            move = moves[failure.line - 1]
            if failure.kind == "target" and failure.name == move.name and failure.line > 1:
                if move.kind != "circle":  # of an arc it may be the via point
                    assert not reachable(arm.robot, move.targets[-1]), failure.sentence
                named.add((seed, failure.line))
        for move in moves[1:]:  # and those out of reach are all named
            if move.kind != "circle" and not reachable(arm.robot, move.targets[-1]):
                assert move.line in lines
    assert named


def test_a_path_out_of_reach_takes_no_search_for_each_sample(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of an arm without a closed form: a descent for every 64 samples or so, not for every one."""
    calls, descend = [], follow_numeric.descend

    def counted(*args: object) -> object:
        calls.append(len(args[1]))
        return descend(*args)

    monkeypatch.setattr(follow_numeric, "descend", counted)
    arm = ARMS["seven"]
    pose = erfd.forward_kinematics(arm.robot, arm.q0)
    rotation = tuple(map(tuple, pose[:3, :3].tolist()))
    start, far = pose[:3, 3], 3.0 * pose[:3, 3]
    there = PoseTarget(tuple(far.tolist()), rotation)
    back = PoseTarget(tuple(start.tolist()), rotation)
    moves = [Move("lin", (there,), 1, "far", speed=0.1), Move("lin", (back,), 2, "near", speed=0.1)]
    made = plan(arm.robot, moves, q0=arm.q0)
    assert [(f.line, f.name) for f in made.failures] == [(1, "far")]
    end = pose.copy()
    end[:3, 3] = far
    with pytest.raises(ReachError) as caught:
        erfd.inverse_kinematics(arm.robot, end)
    assert made.failures[0].distance == pytest.approx(caught.value.distance, rel=0.1)
    assert len(calls) < len(made.trajectory) / 8
