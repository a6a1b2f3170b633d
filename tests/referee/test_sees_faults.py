"""The referee sees what is wrong: changed robots, runs and plans are told apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("pinocchio", exc_type=ImportError)

import erfd
from referee.arms import Pair, pair
from referee.compare import compare, verified
from referee.planning_check import planning_faults
from referee.programs import Meant, Program
from referee.rules.arm import Arm, placed, rotation
from referee.rules.plan_samples import Piece, motion_of
from referee.rules.planner_output import faults

TEXT = """program Corner;
seq
  move lin position(950, 0, 700) speed=300 acc=2000;
  move lin position(950, 200, 700) speed=300 acc=2000 c_cp=40;
  move lin position(950, 200, 900) speed=200 acc=2000;
  move circle position(950, 100, 1000), position(950, 0, 900) speed=250 acc=1500;
  move ptp joint(mainjoint(5, 5, -30, 10, -50, 20)) speed_ptp=0.6 acc_ptp=0.7;
endseq
endprogram
"""
START = np.radians([0, 20, -30, 0, -60, 0])


@pytest.fixture(scope="module")
def arm() -> Pair:
    return pair("lola15")


@pytest.fixture(scope="module")
def program() -> Program:
    from referee.rules.model import Mechanics

    turn = Mechanics(pair("lola15").arm, None).pose(START)[:3, :3]

    def pose(y: float, z: float) -> np.ndarray:
        return placed(turn, [0.95, y, z])

    goal = np.radians([5, 5, -30, 10, -50, 20])
    meant = [
        Meant("lin", 3, pose=pose(0, 0.7), speed=0.3, acc=2.0),
        Meant("lin", 4, pose=pose(0.2, 0.7), speed=0.3, acc=2.0, blend="c_cp", reach=0.04),
        Meant("lin", 5, pose=pose(0.2, 0.9), speed=0.2, acc=2.0),
        Meant("circle", 6, pose=pose(0, 0.9), via=np.array([0.95, 0.1, 1.0]), speed=0.25, acc=1.5),
        Meant("ptp", 7, joints=goal, part=0.6, part_acc=0.7),
    ]
    return Program(TEXT, START, meant, np.array([50.0, 0, -80, 0, 0, 0]), None, None, 0.0, 1)


@pytest.fixture(scope="module")
def found(arm: Pair, program: Program) -> erfd.Verification:
    return verified(arm, program)


def test_the_program_is_as_it_is_meant(
    arm: Pair, program: Program, found: erfd.Verification
) -> None:
    assert not planning_faults(arm, program, found)
    assert not compare(arm, program, found).differences
    assert found.feasible


def _move(place: int, **changes: object) -> Callable[[Program], Program]:
    def change(program: Program) -> Program:
        meant = list(program.meant)
        meant[place] = replace(meant[place], **changes)  # type: ignore[arg-type]
        return replace(program, meant=meant)

    return change


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_move(0, speed=0.29), "m/s instead of"),
        (_move(2, pose=placed(np.eye(3), [0.95, 0.2, 0.9001])), "beside its target"),
        (_move(2, acc=1.9), "accelerates by"),
        (_move(1, reach=0.03), "rounded within 0.04"),
        (_move(3, via=np.array([0.95, 0.1, 1.0001])), "off its path"),
        (_move(3, speed_ori=1e-9, pose=placed(rotation(0, 0, 1e-5), [0.95, 0, 0.9])), "beside"),
        (_move(4, part_acc=0.69), "of the axis acceleration"),
        (_move(4, part=0.2), "speed that is allowed"),
        (_move(4, joints=np.radians([5, 5, -30, 10, -50, 20.001])), "beside its target"),
    ],
)
def test_a_plan_that_does_not_keep_the_program(
    arm: Pair,
    program: Program,
    found: erfd.Verification,
    change: Callable[[Program], Program],
    told: str,
) -> None:
    faults = planning_faults(arm, change(program), found)
    assert any(told in fault for fault in faults), faults


@pytest.mark.parametrize(("line", "place"), [(3, 0.5), (6, 0.3)])
def test_a_tool_that_turns_unevenly(
    arm: Pair, program: Program, found: erfd.Verification, line: int, place: float
) -> None:
    """A tool that is turned by 10 urad in the midst of a line, or of an arc along it."""
    moves = [move for move in found.plan.moves if move.kind != "wait"]
    pieces = [Piece(m.kind, m.start, m.end, m.blend, m.reach) for m in moves]
    path = found.plan.trajectory
    motion = motion_of(arm.arm, np.array(path.t), np.array(path.q))
    asked = list(zip(program.meant, pieces, strict=True))
    assert not faults(arm.arm, motion, asked, True)
    piece = asked[line - 3][1]
    row = round((piece.start + place * (piece.end - piece.start)) / motion.dt)
    frames = motion.frames.copy()
    frames[row, :3, :3] = frames[row, :3, :3] @ rotation(1e-5, 0, 0)
    told = faults(arm.arm, replace(motion, frames=frames), asked, True)
    assert len(told) == 1
    assert f"line {line} " in told[0]
    assert "1e-05 rad off its turn" in told[0]


@pytest.mark.parametrize("along", [False, True])
def test_turns_in_space_and_along_an_arc(arm: Pair, along: bool) -> None:
    """The other mode than the one that is meant is told."""
    from referee.programs import _numbers, _target
    from referee.rules.model import Mechanics

    start = Mechanics(arm.arm, None).pose(START)
    via, end = (np.round(start[:3, 3] + step, 6) for step in ([0, 0.05, 0.02], [0, 0.1, 0.1]))
    goal = placed(start[:3, :3] @ rotation(0.2, 0.1, -0.15), end)
    mode = " c_ori=o_pvo" if along else ""
    move = f"move circle position({_numbers(1000 * via)}), {_target(goal)} speed=200{mode};"
    text = f"program Arc; seq\n{move}\nendseq endprogram"
    meant = Meant("circle", 2, pose=goal, via=via, speed=0.2, acc=1.0, along=along)
    program = Program(text, START, [meant], None, None, None, 0.0, 1)
    found = verified(arm, program)
    assert not found.plan.failures
    assert not planning_faults(arm, program, found)
    other = replace(program, meant=[replace(meant, along=not along)])
    told = planning_faults(arm, other, found)
    assert any("off its turn" in fault for fault in told), told


def _drives(**changes: object) -> Callable[[Arm], Arm]:
    return lambda arm: replace(arm, drives=replace(arm.drives, **changes))  # type: ignore[arg-type]


def _heavier(arm: Arm) -> Arm:
    links = list(arm.links)
    links[3] = replace(links[3], mass=links[3].mass * 1.001)
    return replace(arm, links=tuple(links))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_heavier, "u_a differs"),
        (_drives(load_friction=np.full(6, 0.2)), "u_a differs"),
        (_drives(viscous=np.full(6, 1e-4)), "u_a differs"),
        (_drives(torque_max=np.full(6, 3.0)), "events: ERFD []"),
        (_drives(speed_max=np.full(6, 60.0)), "motor speed limit"),
        (lambda arm: replace(arm, velocity=np.full(6, 0.3)), "joint speed limit"),
        (lambda arm: replace(arm, acceleration=np.full(6, 0.3)), "accelerations beyond"),
        (lambda arm: replace(arm, damping=np.full(6, 1e-3)), "u_a differs"),
    ],
)
def test_a_robot_that_is_another(
    arm: Pair,
    program: Program,
    found: erfd.Verification,
    change: Callable[[Arm], Arm],
    told: str,
) -> None:
    result = compare(replace(arm, arm=change(arm.arm)), program, found)
    assert any(told in sentence for sentence in result.differences), result.differences
