"""Times that are no fixed step, velocities by other differences, and how a motion starts."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import erfd
from erfd.errors import InputError
from erfd.planning.motion_files.sampling import starting_velocity
from support.motion_writing import smooth, write_csv

LOLA = erfd.load("lola15")
TITLES = ["t", *(f"q{i}" for i in range(1, 7))]
RATES = [f"qd{i}" for i in range(1, 7)]


@given(
    seed=st.integers(0, 999), jitter=st.floats(0.01, 0.4), dt=st.sampled_from([0.002, 0.01, 0.04])
)
def test_jitter_leaves_the_motion(tmp_path_factory, seed: int, jitter: float, dt: float) -> None:
    """A spline of step h is within h^4 of a smooth motion, which no straight line is."""
    draw = np.random.default_rng(seed)
    t = dt * (np.arange(60) + draw.uniform(-jitter, jitter, 60))
    path = tmp_path_factory.mktemp("jitter") / "a.csv"
    write_csv(path, TITLES, np.column_stack([t, smooth(t, 6)]))
    reading = erfd.read_motion(path, LOLA)
    found = reading.trajectory
    assert reading.changed
    assert "cubic spline" in " ".join(reading.notes)
    assert np.abs(found.q - smooth(found.t, 6)).max() < 6 * (2.5 * dt) ** 4 * 0.4 + 1e-12
    assert 0 < reading.time_change <= dt
    # what the note says is what one measures from outside
    held = np.stack([np.interp(t, found.t, found.q[:, j]) for j in range(6)], axis=-1)
    assert reading.position_change == pytest.approx(np.abs(held - smooth(t, 6)).max(), rel=1e-9)


@pytest.mark.parametrize("rate", [120, 125, 60, 1000 / 3])
def test_rounded_times_are_their_fixed_step(tmp_path: Path, rate: float) -> None:
    """No position changes where only the digits of the times are short."""
    t = np.arange(100) / rate
    path = write_csv(tmp_path / "a.csv", TITLES, np.column_stack([np.round(t, 4), smooth(t, 6)]))
    reading = erfd.read_motion(path, LOLA)
    assert np.array_equal(reading.trajectory.q, smooth(t, 6))
    assert reading.position_change == 0
    assert abs(reading.trajectory.dt - 1 / rate) < 2e-6


@pytest.mark.parametrize(("scale", "unit"), [(1, "s"), (10**3, "ms"), (10**6, "us"), (10**9, "ns")])
def test_dates_count_from_the_first_row(tmp_path: Path, scale: int, unit: str) -> None:
    q = smooth(0.01 * np.arange(30), 6)
    times = [str((176_300_000_000 + k) * scale // 100) for k in range(30)]
    if unit == "s":
        times = [repr(1_763_000_000 + k / 100) for k in range(30)]
    rows = [",".join([time, *map(repr, row)]) for time, row in zip(times, q.tolist(), strict=True)]
    (tmp_path / "a.csv").write_text("\n".join([",".join(TITLES), *rows]))
    reading = erfd.read_motion(tmp_path / "a.csv", LOLA)
    assert f"times since 1970 in {unit}" in reading.notes[0]
    assert np.array_equal(reading.trajectory.q, q)
    assert abs(reading.trajectory.dt - 0.01) < 1e-7


def test_a_gap_and_repeats_are_said(tmp_path: Path) -> None:
    t = np.delete(0.01 * np.arange(60), slice(30, 40))
    q = smooth(t, 6)
    path = write_csv(tmp_path / "a.csv", TITLES, np.column_stack([t, q]))
    reading = erfd.read_motion(path, LOLA)
    assert any("1 gap, the longest of 0.11 s after t = 0.29 s" in note for note in reading.notes)
    assert reading.trajectory.dt == pytest.approx(0.01, rel=1e-9)
    assert len(reading.trajectory) == 60
    twice = np.repeat(np.column_stack([t[:20], q[:20]]), 2, axis=0)
    twice[4, 1] += 0.25  # the first row of the third time: the last one counts
    reading = erfd.read_motion(write_csv(tmp_path / "b.csv", TITLES, twice), LOLA)
    assert np.array_equal(reading.trajectory.q, q[:20])
    assert reading.changed
    said = (
        "20 rows with the time of the next one left out, the first at t = 0 s; they differ by up to"
    )
    assert any(note.startswith(f"{said} 0.25") for note in reading.notes)


def test_velocities_by_other_differences(tmp_path: Path) -> None:
    """Those of the file say how the motion begins; how far the others are off is said."""
    t = 0.01 * np.arange(50)
    q = smooth(t, 6)
    central = np.gradient(q, t, axis=0)
    path = write_csv(tmp_path / "a.csv", TITLES + RATES, np.column_stack([t, q, central]))
    reading = erfd.read_motion(path, LOLA)
    found = reading.trajectory
    assert np.array_equal(found.qd[0], central[0])
    assert np.allclose(found.qd[1:], np.diff(q, axis=0) / 0.01)
    assert reading.velocity_change == pytest.approx(np.abs(found.qd - central).max())
    assert any(f"differ by up to {reading.velocity_change:.3g}" in note for note in reading.notes)
    with pytest.raises(InputError, match=r"a\.csv: qd: expected"):
        erfd.read_motion(path, LOLA, resample=False)
    own = write_csv(tmp_path / "b.csv", TITLES + RATES, np.column_stack([t, q, found.qd]))
    for resample in (True, False):
        again = erfd.read_motion(own, LOLA, resample=resample)
        assert np.array_equal(again.trajectory.qd, found.qd)
        assert not again.changed


def test_another_step(tmp_path: Path) -> None:
    t = 0.1 * np.arange(30)
    path = write_csv(tmp_path / "a.csv", TITLES, np.column_stack([t, smooth(t, 6, 0.3)]))
    assert any("a step of 0.1 s is a long cycle" in n for n in erfd.read_motion(path, LOLA).notes)
    found = erfd.read_motion(path, LOLA, dt=0.01).trajectory
    assert found.dt == pytest.approx(0.01)
    assert np.abs(found.q - smooth(found.t, 6, 0.3)).max() < 1e-3
    assert np.allclose(found.q[::10], smooth(t, 6, 0.3), rtol=0, atol=1e-12)
    with pytest.raises(InputError, match="dt: expected a time > 0 s, found 0"):
        erfd.read_motion(path, LOLA, dt=0.0)


@given(v=st.floats(-2, 2), a=st.floats(-3, 3), j=st.floats(-20, 20))
def test_a_motion_that_starts_moving_starts_moving(v: float, a: float, j: float) -> None:
    """The start is within two cycles' acceleration of the true one, and rest stays rest."""
    dt = 0.001
    t = dt * np.arange(4)
    q = (v * t + a * t**2 / 2 + j * t**3 / 6)[:, None]
    assert abs(starting_velocity(q, dt)[0] - v) <= 2 * dt * (abs(a) + 3 * dt * abs(j)) + 1e-9
    # a third derivative that turns the motion round within two cycles is no rest
    assert starting_velocity(q - v * t[:, None], dt)[0] == 0 or abs(j) > 500 * abs(a)


def test_a_moving_start_needs_no_jump(tmp_path: Path) -> None:
    """Lola holds a constant speed from the first cycle on; from rest her motors could not."""
    t = 0.01 * np.arange(30)
    q = np.outer(t, [1.0, 0, 0, 0, 0, 0])
    path = write_csv(tmp_path / "a.csv", TITLES, np.column_stack([t, q]))
    reading = erfd.read_motion(path, LOLA)
    assert any("starts moving: joint 1 at 1 rad/s" in note for note in reading.notes)
    assert erfd.achievable(LOLA, reading.trajectory).feasible
    assert not erfd.achievable(LOLA, erfd.Trajectory(t, q)).feasible


def test_accelerations_make_quintics(tmp_path: Path) -> None:
    """A polynomial of fifth degree comes back from its two ends alone."""
    pytest.importorskip("ruamel.yaml")
    lines = ["joint_names: [axis 1, axis 2, axis 3, axis 4, axis 5, axis 6]", "points:"]
    curve = np.polynomial.Polynomial([0.1, 0.2, -0.3, 0.5, 0.2, -0.4])
    for time in (0.0, 1.0):
        for key, order in (("positions", 0), ("velocities", 1), ("accelerations", 2)):
            value = (curve.deriv(order) if order else curve)(time)
            lines.append(f"{'- ' if order == 0 else '  '}{key}: {[float(value)] * 6}")
        lines.append(f"  time_from_start: {time}")
    (tmp_path / "a.yaml").write_text("\n".join(lines))
    reading = erfd.read_motion(tmp_path / "a.yaml", LOLA)
    found = reading.trajectory
    assert np.allclose(found.q, curve(found.t)[:, None], rtol=0, atol=1e-12)
    assert found.qd[0] == pytest.approx(0.2)
    assert any("quintics" in note for note in reading.notes)
    assert not reading.changed
