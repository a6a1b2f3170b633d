"""Schedules: what is read, what is refused with its line, and what a simulation makes of them."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import erfd
from erfd.errors import InputError
from erfd.forward.input_schedule import read_input_schedule, write_input_schedule


def written(folder: Path, text: str) -> Path:
    path = folder / "volts.txt"
    path.write_text(text)
    return path


def test_reading(tmp_path: Path) -> None:
    held = read_input_schedule(written(tmp_path, "# t v1 v2\n0 1 2\n\n0.5, 3, -4e-1  # more\n"), 2)
    assert not held.linear
    assert held.t.tolist() == [0.0, 0.5]
    assert held.values.tolist() == [[1.0, 2.0], [3.0, -0.4]]
    assert held.at([0.0, 0.499, 0.5, 9.0]).tolist() == [[1, 2], [1, 2], [3, -0.4], [3, -0.4]]
    line = read_input_schedule(written(tmp_path, "Linear\n0 0 0\n2 4 -2\n"), 2)
    assert line.linear
    assert line.at([0.5, 3.0]).tolist() == [[1.0, -0.5], [4.0, -2.0]]
    assert repr(line) == "InputSchedule(2 rows of 2 values, 2 s, linear)"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "volts.txt: expected lines of a time and 2 values, found none"),
        ("# only words\nheld\n", "volts.txt: expected lines of a time and 2 values, found none"),
        ("0 1 2\n0.5 1\n", r"line 2: expected 3 numbers \(a time and 2 values\), found 2"),
        ("0 1 2 3\n", r"line 1: expected 3 numbers \(a time and 2 values\), found 4"),
        ("0 1 2\n1 1 2\n\n0.5 1 2\n", "line 4: expected a time after 1 s, found 0.5"),
        ("0 1 2\n0 1 2\n", "line 2: expected a time after 0 s, found 0"),
        ("0.1 1 2\n", r"line 1: expected t = 0 in the first row, found 0.1 \(nothing says"),
        ("0 1 nan\n", "line 1: expected finite numbers, found one that is not"),
        ("0 1 2\ninf 1 2\n", "line 2: expected finite numbers, found one that is not"),
        ("0,1,2\n1,,2\n", "line 2: column 2: expected a number, found nothing"),
        ("0 1 2\n1 x 2\n", "line 2: column 2: expected a number, found 'x'"),
        ("0 1 2\nlinear\n", r"line 2: expected 3 numbers"),
    ],
)
def test_wrong_files(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        read_input_schedule(written(tmp_path, text), 2)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.txt: no such file"):
        read_input_schedule(tmp_path / "none.txt", 2)
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"bytes\.txt: expected UTF-8 text, found other bytes"):
        read_input_schedule(tmp_path / "bytes.txt", 2)


@pytest.mark.parametrize(
    ("t", "values", "sentence"),
    [
        ([0, 1], [[1], [2], [3]], r"values \(N, n\), found \(2,\) and \(3, 1\)"),
        ([], [], r"expected t \(N,\) and values"),
        ("soon", [[1]], "schedule: expected numbers, found 'soon'"),
        ([0, 2, 1], [[1], [2], [3]], "schedule: row 3: expected a time after 2 s, found 1"),
    ],
)  # fmt: skip
def test_wrong_arrays(t: object, values: object, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        erfd.InputSchedule(t, values)


@given(st.integers(1, 6), st.integers(1, 5), st.booleans(), st.integers(0, 2**32 - 1))
def test_round_trip(rows: int, n: int, linear: bool, seed: int) -> None:
    import tempfile

    rng = np.random.default_rng(seed)
    t = np.concatenate([[0.0], np.cumsum(rng.uniform(1e-3, 1, rows - 1))])
    before = erfd.InputSchedule(t, rng.normal(size=(rows, n)), linear=linear)
    with tempfile.TemporaryDirectory() as folder:
        write_input_schedule(before, Path(folder) / "s.txt")
        after = read_input_schedule(Path(folder) / "s.txt", n)
    assert np.array_equal(before.t, after.t)
    assert np.array_equal(before.values, after.values)
    assert before.linear == after.linear


ARM = erfd.load("two_link")


def test_held_steps_are_those_of_an_array(tmp_path: Path, compiled: None) -> None:
    """A schedule on the grid, its file, and the rows it stands for: the same bits."""
    path = written(tmp_path, "0 5 1\n0.02 -3 2\n0.05 0 0\n")
    rows = np.repeat([[5.0, 1.0], [-3.0, 2.0], [0.0, 0.0]], [20, 30, 10], axis=0)
    start = ([0.2, 0.3], [0.1, -0.1])
    array = erfd.simulate(ARM, *start, rows)
    file = erfd.simulate(ARM, *start, path, steps=60)
    assert np.array_equal(array["q"], file["q"])
    assert np.array_equal(array["u_a"], file["u_a"])
    assert len(erfd.simulate(ARM, *start, str(path))) == 51  # until its last time


def test_linear_input_keeps_the_order(compiled: None) -> None:
    """A ramp is taken at the stages' own times: fourth order against dop853, not first."""
    ramp = erfd.InputSchedule([0, 0.2, 0.4], [[0, 0], [20, -5], [-10, 5]], linear=True)
    start = ([0.2, 0.3], [0.1, -0.1])
    exact = erfd.simulate(ARM, *start, ramp, dt=0.1, method="dop853", rtol=1e-12, atol=1e-13)
    errors = []
    for count in (40, 80, 160):
        run = erfd.simulate(ARM, *start, ramp, dt=0.4 / count, method="rk4")
        errors.append(np.abs(run["q"][-1] - exact["q"][-1]).max())
        assert run["u_a"][count // 4] == pytest.approx([10.0, -2.5])
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4, abs=0.2)
    assert exact["u_a"][:, 0] == pytest.approx([0, 10, 20, 5, -10])


def test_knots_off_the_grid(compiled: None) -> None:
    """dop853 changes the input when the schedule does; fixed steps at the next step."""
    schedule = erfd.InputSchedule([0, 0.0105], [[10.0, 0.0], [0.0, 0.0]])
    fixed = erfd.simulate(ARM, [0, 0], [0, 0], schedule, duration=0.02, dt=0.005)
    exact = erfd.simulate(ARM, [0, 0], [0, 0], schedule, duration=0.02, dt=0.005, method="dop853")
    assert fixed["u_a"][:, 0].tolist() == [10, 10, 10, 0, 0]
    assert exact["u_a"][:, 0].tolist() == [10, 10, 10, 0, 0]
    assert abs(fixed["energy"][-1, 0]) > 1.2 * abs(exact["energy"][-1, 0])
