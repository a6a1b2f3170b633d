"""Where a move leads: increments, frames, tools, joint targets on paths."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import erfd
from erfd.planning.moves import Increment, JointIncrement, JointTarget, Move, PoseTarget
from erfd.planning.planner import plan
from support.lola_moves import HERE, LOLA, READY, TOOL, kinds, lin, off, pose


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
