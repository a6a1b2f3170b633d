"""Profiles sampled in cycles: where they are, and how much time that takes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from erfd.timing.sampling import sample_times
from erfd.timing.speed_profile import SpeedProfile

DT = 0.01


def ramps(seconds: float, cells: int = 400) -> SpeedProfile:
    """Up and down with one acceleration over a length of 1."""
    s = np.linspace(0, 1, cells + 1)
    top = (2 / seconds) ** 2
    return SpeedProfile.of(s, np.minimum(2 * s, 2 - 2 * s) * top)


@given(st.floats(0.015, 3.0), st.integers(0, 3))
def test_from_rest_to_rest_no_cycle_is_given_away(seconds: float, extra: int) -> None:
    profile = ramps(seconds)
    assert profile.seconds == pytest.approx(seconds, rel=1e-6)
    times = sample_times(profile, DT, extra)
    assert times[0] == 0.0
    assert times[-1] == times[-2] == pytest.approx(profile.seconds)  # a cycle at rest
    assert (np.diff(times[:-1]) > 0).all()
    assert (len(times) - 1) * DT <= profile.seconds + (1.25 + extra) * DT + 1e-9
    if not extra:  # no cycle asks for more than the acceleration of the profile
        velocity = np.append(0.0, np.diff(profile.at(times)) / DT)
        most = 4 / seconds**2
        assert np.abs(np.diff(velocity)).max() / DT <= most * (1 + 1e-6)


@given(st.floats(0.05, 2.0), st.booleans(), st.booleans(), st.integers(0, 2))
def test_ends_in_motion_keep_their_speed(
    seconds: float, begins: bool, ends: bool, extra: int
) -> None:
    s = np.linspace(0, 1, 300)
    x = np.ones(300)
    x[0], x[-1] = (0.0 if begins else 1.0), (0.0 if ends else 1.0)
    profile = SpeedProfile.of(s * seconds, x)
    times = sample_times(profile, DT, extra)
    at = profile.at(times)
    assert at[0] == 0
    assert at[-1] == pytest.approx(seconds)
    assert (np.diff(times) >= 0).all()
    if not begins and len(times) > 12:
        assert at[1] / DT == pytest.approx(1.0, rel=0.02 + 0.2 * extra)


@given(st.floats(0.0, 1.0))
def test_a_profile_knows_where_it_is(part: float) -> None:
    profile = ramps(2.0)
    t = np.array([part * profile.seconds])
    wanted = t**2 / 2 if t < 1 else 1 - (2 - t) ** 2 / 2
    assert profile.at(t) == pytest.approx(wanted, abs=1e-6)
