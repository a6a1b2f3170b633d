"""Trajectories from CSV files: what is read, and what is refused with its place."""

from pathlib import Path

import numpy as np
import pytest

from erfd.errors import InputError
from erfd.planning.trajectory_csv import read_trajectory
from support.joint_tables import motion_rows, write_table


def test_reading(tmp_path: Path) -> None:
    t, q = motion_rows(0.5)
    plain = read_trajectory(write_table(tmp_path / "a.csv", np.column_stack([t, q])), 6)
    assert np.array_equal(plain.q, q)
    full = np.column_stack([t, q, plain.qd])
    assert np.array_equal(read_trajectory(write_table(tmp_path / "b.csv", full), 6).qd, plain.qd)
    header = "q6,q5,q4,q3,q2,q1,note,t"
    mixed = np.column_stack([q[:, ::-1], 0 * t, t])
    assert np.array_equal(read_trajectory(write_table(tmp_path / "c.csv", mixed, header), 6).q, q)
    in_degrees = np.column_stack([t, np.degrees(q)])
    found = read_trajectory(write_table(tmp_path / "d.csv", in_degrees), 6, degrees=True)
    assert np.allclose(found.q, q, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "x.csv: expected rows of numbers, found none"),
        ("t,q1\n0,0\n", "x.csv: expected columns t, q1, q2, found no q2"),
        ("t,q1,q2,qd1\n0,0,0,0\n", "x.csv: expected all of qd1..qd2, no qd2"),
        ("0,0\n1,0\n", r"x.csv: expected 3 columns \(t, q1..q2\) or 5"),
        ("0,0,0\n1,0,zwei\n", "x.csv: line 2: column 3: expected a number, found 'zwei'"),
        ("0,0,0\n1,0\n", "x.csv: line 2: column 3: expected a number, found nothing"),
        ("0,0,0\n1,0,nan\n", "x.csv: line 2: column 3: expected a number, found 'nan'"),
        ("t,q1,q2\n# only\n", "x.csv: expected at least two rows of numbers, found 0"),
        ("0,0,0\n1,0,0\n3,0,0\n", "x.csv: t: expected a fixed step of 1.5 s, found 1 s after"),
    ],
)
def test_wrong_files(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(InputError, match=sentence):
        read_trajectory(tmp_path / "x.csv", 2, resample=False)
    with pytest.raises(InputError, match=r"none\.csv: no such file"):
        read_trajectory(tmp_path / "none.csv", 2)
