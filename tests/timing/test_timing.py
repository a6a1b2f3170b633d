"""What a `Timing` says: the limits that bind, their shares, what they cost; the plane."""

from collections.abc import Iterator

import numpy as np
import pytest

import erfd
from erfd.errors import InputError
from erfd.timing.plane import highest_speeds
from support.timed_paths import way_points

LOLA = erfd.load("lola15")


@pytest.fixture(scope="module")
def timing() -> Iterator[erfd.Timing]:
    with erfd.backend("compiled"):
        yield erfd.fastest(LOLA, way_points(LOLA, np.random.default_rng(7), 5))


def test_the_grid_belongs_together(timing: erfd.Timing) -> None:
    assert len(timing.s) == len(timing.sd) == len(timing.sdd) == len(timing.binding)
    rise = np.diff(timing.sd**2) / (2 * np.diff(timing.s))
    assert timing.sdd[:-1] == pytest.approx(rise)
    assert (
        timing.trajectory.t[-1] == timing.seconds == pytest.approx(timing.ideal_seconds, rel=0.02)
    )


def test_what_binds_is_used_up(timing: erfd.Timing) -> None:
    """Beside the motor torques of `erfd.rotor_torque` and the speeds of joints and rotors."""
    piece = timing.pieces[0]
    q, first, second = piece.piece.at(piece.profile.s)
    v, u = piece.profile.speed, timing.sdd
    ends = [
        erfd.rotor_torque(
            LOLA, q[e], first[e] * v[e, None], first[e] * u[:-1, None] + second[e] * v[e, None] ** 2
        )
        for e in (slice(None, -1), slice(1, None))
    ]
    turn = np.abs(first @ np.array(LOLA.gear_matrix).T) * v[:, None]
    count = 0
    for k in range(5, len(v) - 5, 7):
        what, number, kind = timing.binding[k].split(" ") if timing.binding[k] else ("", "1", "")
        i = int(number) - 1
        if kind == "torque":
            near = [abs(torque[k, i]) / LOLA.drives[i].torque_max for torque in ends]
            kept = max(piece.reserve.up[k, i], piece.reserve.down[k, i])
            assert max(near) + kept / LOLA.drives[i].torque_max > 0.98
            count += 1
        elif what == "joint" and kind == "speed":
            rates = np.abs(first[:, i]) * v / LOLA.joints[i].velocity_max
            assert rates[k : k + 2].max() == pytest.approx(1.0, abs=2e-3)
            count += 1
        elif what == "motor" and kind == "speed":
            rates = turn[:, i] / LOLA.drives[i].speed_max
            assert rates[k : k + 2].max() == pytest.approx(1.0, abs=2e-3)
            count += 1
    assert count > 100


def test_shares_and_savings(timing: erfd.Timing) -> None:
    assert sum(timing.shares.values()) == pytest.approx(1.0)
    assert all(gain > -1e-9 for gain in timing.savings.values())
    assert max(timing.savings.values()) > 0.005
    with pytest.raises(InputError, match="limit: expected one of motor"):
        timing.saving("motor 9 torque")
    sentences = timing.explain()
    assert sentences[0].startswith("the path of ")
    assert any("10 % more of it would save" in sentence for sentence in sentences)
    assert repr(timing).startswith("Timing(")


def test_the_continuous_load_is_said(timing: erfd.Timing) -> None:
    rms = np.sqrt((timing.run["u_a"][1:] ** 2).mean(axis=0))
    assert timing.rms_torque == pytest.approx(rms)
    over = [i + 1 for i, d in enumerate(LOLA.drives) if rms[i] > d.torque_rated]
    assert list(timing.overloaded) == over
    assert sum("repeated without end" in s for s in timing.explain()) == len(over)


def test_the_motion_is_below_the_curves_of_the_plane(timing: erfd.Timing) -> None:
    piece = timing.pieces[0]
    highest, causes = highest_speeds(piece, 2 * float(piece.profile.speed.max()))
    assert len(causes) == len(highest) == len(piece.profile.s) - 1
    known = ~np.isnan(highest)
    assert (piece.profile.speed[:-1][known] <= highest[known] * 1.02 + 0.05).all()
    pytest.importorskip("matplotlib")
    figure = timing.plot()
    (axes,) = figure.axes
    names = {text.get_text() for text in axes.get_legend().get_texts()}
    assert {name for name in timing.binding if name} <= names
