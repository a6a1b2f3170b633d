"""Trajectories written for others and read back."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import erfd
from erfd.errors import InputError
from support.motion_writing import smooth

LOLA = erfd.load("lola15")
NAMES = ["base", "lift", "elbow.1", "roll joint", "back\\slash", "tip"]


@given(
    dt=st.sampled_from([0.001, 0.004, 0.01, 1 / 30]),
    speed=st.sampled_from([1e-7, 0.5, 3.0]),
    names=st.permutations(NAMES),
    start=st.sampled_from([0.0, 5.0]),
)
def test_it_reads_back(
    tmp_path_factory, dt: float, speed: float, names: list, start: float
) -> None:
    """CSV to the last bit; YAML in positions and in what the controller passes through."""
    folder = tmp_path_factory.mktemp("out")
    t = start + dt * np.arange(25)
    q = smooth(t, 6, speed)
    rates = np.vstack([np.full(6, 0.1), np.diff(q, axis=0) / ((t[-1] - t[0]) / 24)])
    written = erfd.Trajectory(t, q, rates)
    for name in ("a.csv", "a.yaml"):
        erfd.write_trajectory(written, folder / name, joints=names)
    exact = erfd.read_motion(folder / "a.csv", LOLA, joints=names)
    for name in ("t", "q", "qd"):
        assert np.array_equal(getattr(exact.trajectory, name), getattr(written, name))
    assert not exact.changed
    command = erfd.read_motion(folder / "a.yaml", LOLA, joints=names, dt=dt).trajectory
    assert np.allclose(command.t, t - start, rtol=0, atol=1e-8)
    # 2 ns of time at the motion's speed, and what is gone over in them
    assert np.abs(command.q[:25] - q).max() < 1e-7
    assert np.array_equal(command.qd[0], written.qd[0])


def test_without_names_they_are_numbers(tmp_path: Path) -> None:
    t = 0.01 * np.arange(9)
    written = erfd.Trajectory(t, smooth(t, 6))
    erfd.write_trajectory(written, tmp_path / "a.csv")
    assert np.array_equal(erfd.read_trajectory(tmp_path / "a.csv", 6).q, written.q)


@pytest.mark.parametrize("joints", [["a"], ["a", "a"], ["a", "b,c"], ["a", ""], "ab", [1, 2]])
def test_names_that_cannot_be(tmp_path: Path, joints: object) -> None:
    motion = erfd.Trajectory([0.0, 0.1], np.zeros((2, 2)))
    with pytest.raises(InputError, match="joints: expected 2 different names"):
        erfd.write_trajectory(motion, tmp_path / "a.csv", joints=joints)
    with pytest.raises(InputError, match=r"expected a name that ends in one of \.csv"):
        erfd.write_trajectory(motion, tmp_path / "a.txt")
