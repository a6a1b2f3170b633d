"""Moves that are none, or hardly any, and chains of very many."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from erfd.planning.moves import JointTarget, Move
from erfd.planning.planner import plan
from support.lola_moves import HERE, LOLA, READY, circle, kinds, lin, pose


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
