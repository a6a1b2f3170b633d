"""Poses: products, inverses, points."""

import re

import numpy as np
import pytest

import erfd
from erfd.errors import InputError


def test_pose_algebra() -> None:
    a = erfd.Pose((1.0, 2.0, 3.0), (0.3, -1.2, 2.5))
    b = erfd.Pose((-0.5, 0.1, 0.0), (1.0, 1.5707963267948966, -0.4))
    point = (0.7, -0.2, 0.9)
    assert (a @ b).apply(point) == pytest.approx(a.apply(b.apply(point)), abs=1e-14)
    assert a.inverse().apply(a.apply(point)) == pytest.approx(point, abs=1e-14)
    for row, wanted in zip((a @ a.inverse()).rotation, erfd.Pose().rotation, strict=True):
        assert row == pytest.approx(wanted, abs=1e-14)


@pytest.mark.parametrize(
    ("numbers", "sentence"),
    [
        ({"xyz": (np.nan, 0.0, 0.0)}, "three finite numbers (m) for xyz, found (nan, 0.0, 0.0)"),
        ({"rpy": (0.0, np.inf, 0.0)}, "three finite numbers (rad) for rpy, found (0.0, inf, 0.0)"),
        ({"xyz": (1.0, 2.0)}, "three finite numbers (m) for xyz, found (1.0, 2.0)"),
        ({"xyz": 1.0}, "three finite numbers (m) for xyz, found 1.0"),
        ({"xyz": "abc"}, "three finite numbers (m) for xyz, found 'abc'"),
        ({"rpy": (0, 0, 10**400)}, "three finite numbers (rad) for rpy, found (0, 0, 10000"),
        ({"rpy": (0, 0, None)}, "three finite numbers (rad) for rpy, found (0, 0, None)"),
    ],
)
def test_numbers_that_are_no_pose(numbers, sentence) -> None:
    with pytest.raises(InputError, match=f"^pose: expected {re.escape(sentence)}"):
        erfd.Pose(**numbers)


def test_lists_and_arrays_become_tuples_of_floats() -> None:
    """Poses are compared and looked up, so that their numbers are of one kind."""
    pose = erfd.Pose(np.array([1, 2, 3]), [0, 0, 1])
    assert pose == erfd.Pose((1.0, 2.0, 3.0), (0.0, 0.0, 1.0))
    assert hash(pose) == hash(erfd.Pose((1.0, 2.0, 3.0), (0.0, 0.0, 1.0)))
    assert repr(pose) == "Pose(xyz=(1.0, 2.0, 3.0), rpy=(0.0, 0.0, 1.0))"
