"""A course of several curves: continuous, and by length."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings

from erfd.planning.path.course import Course, CoursePiece, Stretch, course
from erfd.planning.path.curve import angle_between
from erfd.planning.path.orientation import OrientationPath
from support.random_paths import between, numbers, random_curve


def plain_poses(whole: Course, piece: CoursePiece, off: np.ndarray) -> np.ndarray:
    """The tool frames of a piece, one sample after the other, each move by itself."""
    one, result = whole.stretches[piece.index], []
    for length in off:
        pose, own = np.eye(4), np.array([piece.offset + length])
        if piece.corner is not None:
            own, starting = piece.corner.parts(np.array([length]))
        pose[:3, 3], pose[:3, :3] = one.curve.point(own)[0], one.orientation.at(own)[0]
        if piece.corner is not None:
            after = whole.stretches[piece.index + 1]
            pose[:3, 3] += after.curve.point(starting)[0] - after.curve.start
            pose[:3, :3] @= after.orientation.start.T @ after.orientation.at(starting)[0]
        result.append(pose)
    return np.array(result).reshape(-1, 4, 4)


@settings(max_examples=60, deadline=None)
@given(numbers)
def test_a_course_is_continuous_and_by_length(rng) -> None:
    """Position, tangent and rate of turning have no jump but at corners that stay."""
    stretches, here, turn = [], np.zeros(3), np.eye(3)
    for _ in range(3):
        curve = random_curve(rng, here)
        even = OrientationPath(turn, rng.uniform(-1, 1, 3), curve.length, *np.zeros((3, 3)))
        stretches.append(Stretch(curve, even, 1.0, 1.0))
        here, turn = curve.end, even.at(np.array([curve.length]))[0]
    for a, b in pairwise(stretches):
        sharp = angle_between(
            a.curve.tangent(np.array([a.curve.length]))[0], b.curve.tangent(np.zeros(1))[0]
        )
        assume(sharp < math.radians(150))
    reaches = [
        rng.uniform(0.1, 0.5) * min(a.curve.length, b.curve.length) for a, b in pairwise(stretches)
    ]
    whole = course(stretches, reaches)
    for joint in whole.starts[1:-1]:
        h = 1e-6
        around = np.array([joint - 2 * h, joint - h, joint, joint + h, joint + 2 * h])
        poses = whole.poses(around)
        p, r = poses[:, :3, 3], poses[:, :3, :3]
        assert (p[1] - p[0]) / h == pytest.approx((p[4] - p[3]) / h, abs=2e-3)
        slow, fast = between(r[[0, 3]], r[[1, 4]]) / h
        assert slow == pytest.approx(fast, abs=2e-3)
    s = np.linspace(0, whole.length, 3000)
    steps = np.linalg.norm(np.diff(whole.poses(s)[:, :3, 3], axis=0), axis=1)
    assert (steps <= whole.length / 2999 * (1 + 1e-9)).all()
    for piece, start, end in zip(whole.pieces, whole.starts, whole.starts[1:], strict=False):
        inside = s[(s >= start) & (s < end)][::40]
        assert (
            np.abs(whole.poses(inside) - plain_poses(whole, piece, inside - start)).max(initial=0.0)
            < 1e-12
        )
    for i, one in enumerate(stretches):  # off the corners the moves are as they were
        way = ([0.0, *reaches][i] + one.curve.length - [*reaches, 0.0][i]) / 2
        place = whole.way_of(i, way)
        pose, at = whole.poses(np.array([place]))[0], np.array([way])
        assert np.abs(pose[:3, 3] - one.curve.point(at)[0]).max() < 1e-12
        assert np.abs(pose[:3, :3] - one.orientation.at(at)[0]).max() < 1e-12
        assert whole.way_of(i, one.curve.length) == (whole.length if i == 2 else None)
