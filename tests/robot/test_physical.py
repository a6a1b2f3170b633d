"""The nearest inertia that a body can have: possible, nearest, the same where nothing is wrong."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import erfd
from erfd.errors import RobotError
from erfd.robot.physical import nearest_physical
from support.urdf_files import SMALL


def turned(moments, seed):
    turn, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return turn @ np.diag(moments) @ turn.T


@given(st.lists(st.floats(-1, 5), min_size=3, max_size=3), st.integers(0, 1000))
def test_it_is_possible_and_no_possible_one_is_nearer(moments, seed):
    tensor = turned(moments, seed)
    near, change = nearest_physical(tensor)
    erfd.Link("x", 1.0, inertia=tuple(map(tuple, ((near + near.T) / 2).tolist())))
    low, middle, high = sorted(moments)
    sound = low >= 0 and low + middle >= high
    if not change:
        np.testing.assert_array_equal(near, tensor)
        assert low > -1e-6
        assert low + middle > high - 1e-6
        return
    assert not sound
    away = np.linalg.norm(near - tensor)
    rng = np.random.default_rng(seed)
    for _ in range(50):  # a convex set: nothing near it in the set is nearer to the tensor
        a, b, c = rng.uniform(0, 3, 3)
        other = near + rng.uniform(0, 0.3) * (turned((a + b, b + c, a + c), rng) - near)
        assert np.linalg.norm(other - tensor) >= away - 1e-9


def test_a_urdf_that_no_body_has_and_the_way_out(tmp_path):
    path = tmp_path / "wrong.urdf"
    path.write_text(SMALL.read_text().replace('izz="0.01"', 'izz="0.1"', 1))
    with pytest.raises(RobotError, match=r"--nearest-physical \(nearest_physical=True\)"):
        erfd.load(path)
    with pytest.warns(UserWarning, match="nearest physical inertias: upper") as caught:
        robot = erfd.load(path, nearest_physical=True)
    said = "upper 0.04, 0.04, 0.1 -> 0.04667, 0.04667, 0.09333 kg m2"
    assert str(caught[0].message) == f"wrong.urdf: nearest physical inertias: {said}"
    assert f"inertia of {said}" in robot.illustrative
    assert erfd.load(SMALL).links[1:] == robot.links[1:] or robot.links[0].mass > 0
