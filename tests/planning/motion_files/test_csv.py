"""Motions from CSV: separators, titles, order of columns, units; laws over random files."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import erfd
from erfd.errors import InputError
from support.motion_writing import smooth, write_csv

LOLA = erfd.load("lola15")
T = 0.01 * np.arange(40)
Q = smooth(T, 6)
NAMES = ("q{0}", "q_{0}", "position[{0}]", "joint{0}", "Joint_{0}", "position.axis {0}", "axis {0}",
         "/joint_states/axis {0}/position", "axis {0}_pos", "actual_q_{0}",
         "position.joint_{0}")  # fmt: skip


@given(
    order=st.permutations(range(7)),
    separator=st.sampled_from([",", ";", "\t", "|"]),
    name=st.sampled_from(NAMES),
    time=st.sampled_from(["t", "time", "Time", "timestamp", "t [s]", "time_from_start"]),
    comma=st.booleans(),
)
def test_order_separator_and_titles_do_not_matter(
    tmp_path_factory, order: list, separator: str, name: str, time: str, comma: bool
) -> None:
    titles = [time, *(name.format(i) for i in range(1, 7))]
    table = np.column_stack([T, Q])
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    comma = comma and separator != ","
    write_csv(path, [titles[k] for k in order], table[:, order], separator, comma)
    reading = erfd.read_motion(path, LOLA)
    assert np.array_equal(reading.trajectory.q, Q)
    assert reading.columns == tuple(titles[1:])
    assert not reading.changed


@pytest.mark.parametrize("base", [0, 1])
def test_joints_are_counted_from_zero_or_one(tmp_path: Path, base: int) -> None:
    titles = ["t", *(f"actual_q_{i + base}" for i in range(6)), "actual_current_0"]
    path = write_csv(tmp_path / "a.csv", titles, np.column_stack([T, Q, T]))
    assert np.array_equal(erfd.read_motion(path, LOLA).trajectory.q, Q)
    assert np.array_equal(erfd.read_trajectory(path, 6).q, Q)


@pytest.mark.parametrize(
    ("time", "scale"), [("t [ms]", 1e3), ("time_us", 1e6), ("timestamp (ns)", 1e9), ("t [s]", 1)]
)
@pytest.mark.parametrize(
    ("unit", "factor"), [("deg", 180 / np.pi), ("rad", 1.0), ("°", 180 / np.pi)]
)
def test_units_in_the_titles(
    tmp_path: Path, time: str, scale: float, unit: str, factor: float
) -> None:
    titles = [time, *(f"q{i} [{unit}]" for i in range(1, 7))]
    path = write_csv(tmp_path / "a.csv", titles, np.column_stack([T * scale, Q * factor]))
    found = erfd.read_trajectory(path, LOLA)
    assert np.allclose(found.t, T, rtol=0, atol=1e-12)
    assert np.allclose(found.q, Q, rtol=0, atol=1e-15)


def test_spaces_and_a_title_in_a_comment(tmp_path: Path) -> None:
    """As numpy.savetxt writes it."""
    path = tmp_path / "a.txt"
    np.savetxt(path, np.column_stack([Q[:, ::-1], T]), header="q6 q5 q4 q3 q2 q1 t", fmt="%.17g")
    assert np.array_equal(erfd.read_motion(path, LOLA).trajectory.q, Q)


def test_names_that_the_caller_gives(tmp_path: Path) -> None:
    joints = ["base", "lift", "elbow", "w1", "w2", "w3"]
    path = write_csv(tmp_path / "a.csv", ["t", *joints[::-1]], np.column_stack([T, Q[:, ::-1]]))
    assert np.array_equal(erfd.read_motion(path, LOLA, joints=joints).trajectory.q, Q)
    assert np.array_equal(erfd.read_trajectory(path, 6, joints=joints).q, Q)
    with pytest.raises(InputError, match="joints: expected 6 different names"):
        erfd.read_motion(path, LOLA, joints=joints[:5])


HEAD, ZERO = "t,q1,q2,q3,q4,q5,q6", "\n0,0,0,0,0,0,0\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (HEAD + ",q7\n" + "0,0,0,0,0,0,0,0\n", "6 joints, found q7: the motion of another robot"),
        (HEAD + ",q1 [rad]\n", "expected one column of q a joint, found 'q1' and 'q1 .rad.'"),
        ("t,a,b\n0,0,0\n", "a.csv: expected columns t, q1, q2, q3, q4, q5, q6"),
        (HEAD.replace("q1", "q1 [kg]") + ZERO, "expected a unit of angles for joint 1"),
        (HEAD.replace("q1", "q1 [mm]") + ZERO, "expected a unit of angles for joint 1"),
        (HEAD.replace("t,", "t [h],") + "\n0,0,0,0,0,0,0\n", "expected times in s, ms, us or ns"),
        (HEAD + ZERO + "1,0,0,inf,0,0,0\n", "line 3: column 4: expected a number, found 'inf'"),
        (HEAD + "\n" + "".join(f"{t},0,0,0,0,0,0\n" for t in (0, 0.01, 0.005)),
         "expected rising times, found t = 0.005 s in row 3 after 0.01 s"),
        (HEAD + "\n" + "2,0,0,0,0,0,0\n" * 3, "at least two different times, found 2 s alone"),
        ("time,axis 1,axis 2\n0,0,0\n", "expected a position of every joint, found no axis 3"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(InputError, match=sentence) as caught:
        erfd.read_motion(tmp_path / "a.csv", LOLA)
    assert str(caught.value).startswith("a.csv: ")
    assert "\n" not in str(caught.value)


def test_six_joints_are_no_motion_of_two(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", HEAD.split(","), np.column_stack([T, Q]))
    with pytest.raises(InputError, match="a motion of 2 joints, found q6: the motion of another"):
        erfd.read_trajectory(path, 2)


def test_degrees_and_rad_are_suspected_aloud(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", HEAD.split(","), np.column_stack([T, np.degrees(Q)]))
    notes = erfd.read_motion(path, LOLA).notes
    assert any(note.startswith("suspected: degrees, read as rad") for note in notes)
    assert not any("suspected" in note for note in erfd.read_motion(path, LOLA, degrees=True).notes)
    with pytest.warns(UserWarning, match="suspected: degrees, read as rad"):
        erfd.read_trajectory(path, 6)
    path = write_csv(tmp_path / "b.csv", HEAD.split(","), np.column_stack([T, Q]))
    assert not any("suspected" in note for note in erfd.read_motion(path, LOLA).notes)
    notes = erfd.read_motion(path, LOLA, degrees=True).notes
    assert any(note.startswith("suspected: rad, read as degrees") for note in notes)
    said = write_csv(tmp_path / "c.csv", HEAD.replace("q1", "q1 [rad]").split(","),
                     np.column_stack([T, Q]))  # fmt: skip
    with pytest.raises(InputError, match="expected degrees, as was asked for, found q1"):
        erfd.read_motion(said, LOLA, degrees=True)


def test_a_file_whose_times_alone_are_missing_says_so(tmp_path: Path) -> None:
    path = tmp_path / "no_times.csv"
    path.write_text("header.stamp.sec,shoulder,elbow\n1,0,0\n2,0,0\n")
    with pytest.raises(InputError, match=r"expected a column of times .*, found header.stamp.sec,"):
        erfd.read_motion(path, "two_link")
