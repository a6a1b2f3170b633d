"""What bearings carry: against the joint reactions of plain Newton-Euler at the achieved motion."""

from __future__ import annotations

import re

import numpy as np
import pytest

import erfd
from erfd.verification.reactions import joint_reactions_of, reaction_data, reactions_by_move
from support.paths import EXAMPLES

DEMO = EXAMPLES / "lola15_demo.irl"
WRENCH = (100.0, 100.0, -150.0, 0.0, 0.0, 0.0)
FOUND = erfd.verify(DEMO, erfd.load("lola15"), wrench=WRENCH)


def test_peaks_and_means_are_those_of_the_motion() -> None:
    """Columns of a cycle: its start in q, its end in q'', as Algorithm 1 has them (32)."""
    run = FOUND.run
    forces, moments = erfd.joint_reactions(
        run.robot, run["q"][:-1], run["qd"][:-1], run["qdd"][1:], wrench=WRENCH
    )
    plain = ~(run["saturated"][1:] != 0).any(axis=1)  # divided cycles have means
    assert np.abs(forces - run["force"][1:])[plain].max() < 1e-8 * np.abs(forces).max()
    moments[..., 2] = 0.0
    for i, row in enumerate(joint_reactions_of(run)):
        assert row.joint == i + 1
        force = np.linalg.norm(run["force"][1:, i], axis=1)
        assert (row.force_peak, row.force_mean) == pytest.approx((force.max(), force.mean()))
        calm = np.linalg.norm(moments[plain, i], axis=1)
        assert row.moment_peak >= calm.max() * (1 - 1e-8)


def test_the_drive_carries_its_own_component() -> None:
    """Revolute: no moment about the axis; sliding: no force along it."""
    robot = erfd.load("stanford")
    still = erfd.Trajectory(0.01 * np.arange(3), np.tile([0.3, 0.8, 0.5, 0.2, 0.6, 0.1], (3, 1)))
    rows = joint_reactions_of(erfd.achievable(robot, still))
    forces, moments = erfd.joint_reactions(robot, still.q[0], 0 * still.q[0], 0 * still.q[0])
    for i, joint in enumerate(robot.joints):
        (moments if joint.revolute else forces)[i, 2] = 0.0
        assert rows[i].force_peak == pytest.approx(np.linalg.norm(forces[i]), rel=1e-9)
        assert rows[i].moment_mean == pytest.approx(np.linalg.norm(moments[i]), rel=1e-9, abs=1e-12)


def test_moves_make_up_the_program() -> None:
    rows, whole = reactions_by_move(FOUND), joint_reactions_of(FOUND.run)
    assert len(rows) == len(FOUND.moves)
    for i in range(6):
        assert whole[i].force_peak == max(move[i].force_peak for move in rows if move)
        assert whole[i].moment_peak == max(move[i].moment_peak for move in rows if move)
    data = reaction_data(FOUND)
    assert [move["line"] for move in data["moves"]] == [r.move.line for r in FOUND.moves]
    assert data["program"][1]["force_peak"] == whole[1].force_peak


def test_the_report_has_them() -> None:
    page = erfd.report_page(FOUND)
    assert "<h2>Joint forces and moments</h2>" in page
    assert f"{joint_reactions_of(FOUND.run)[1].force_peak:.4g}" in page
    assert len(re.findall(r"<title>(?:Force|Moment) in joint \d", page)) == 12
