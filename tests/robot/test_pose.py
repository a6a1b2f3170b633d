"""Poses: products, inverses, points."""

import pytest

import erfd


def test_pose_algebra() -> None:
    a = erfd.Pose((1.0, 2.0, 3.0), (0.3, -1.2, 2.5))
    b = erfd.Pose((-0.5, 0.1, 0.0), (1.0, 1.5707963267948966, -0.4))
    point = (0.7, -0.2, 0.9)
    assert (a @ b).apply(point) == pytest.approx(a.apply(b.apply(point)), abs=1e-14)
    assert a.inverse().apply(a.apply(point)) == pytest.approx(point, abs=1e-14)
    for row, wanted in zip((a @ a.inverse()).rotation, erfd.Pose().rotation, strict=True):
        assert row == pytest.approx(wanted, abs=1e-14)
