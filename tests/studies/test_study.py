"""Studies against analytic answers, and what they refuse."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import erfd
from erfd.errors import InputError
from erfd.studies.distributions import distribution_of
from erfd.studies.sensitivity import sobol_indices

EASY = "program p; seq move ptp joint(mainjoint(10)); endseq endprogram"


def bar(most: float = 50.0) -> erfd.Robot:
    """One level bar of 1 kg and 1 m, whose motor holds up to `most` N m."""
    joint = erfd.Joint("turn", a=1.0)
    link = erfd.Link("bar", 1.0, (-0.5, 0.0, 0.0))
    return erfd.Robot("bar", (joint,), (link,), (erfd.Drive(torque_max=most),),
                      gravity=(0.0, -9.81, 0.0))  # fmt: skip


LEVEL = erfd.Trajectory([0.0, 0.01, 0.02], np.zeros((3, 1)))
HELD = 50 / 9.81 - 0.5
"""The largest payload at the end of the bar, kg."""


@pytest.mark.parametrize("sampling", ["random", "lhs", "sobol"])
def test_the_probability_is_the_analytic_one(sampling: str) -> None:
    found = erfd.study(LEVEL, bar(), vary={"payload": "normal(4.5, 0.2)"}, samples=4096,
                       sampling=sampling, confidence=0.999)  # fmt: skip
    exact = float(stats.norm(4.5, 0.2).cdf(HELD))
    assert found.interval is not None
    low, high = found.interval
    assert low <= exact <= high
    assert high - low < (0.06 if sampling == "random" else 0.03)
    worst = found.variant(found.worst_variant)["payload"]
    assert worst == found.draws.max()
    assert not found.worst.feasible
    assert found.limits[0].limit == "motor 1: torque"
    assert found.limits[0].count == 4096 - int(found.rows.feasible.sum())


def test_intervals_of_a_thousand_small_studies() -> None:
    """95 % of them cover the analytic probability, or more (Clopper-Pearson is conservative)."""
    whole = erfd.study(LEVEL, bar(), vary={"payload": "normal(4.5, 0.2)"}, samples=40_000)
    exact = float(stats.norm(4.5, 0.2).cdf(HELD))
    from erfd.studies.intervals import clopper_pearson

    counts = whole.rows.feasible.reshape(1000, 40).sum(axis=1)
    covered = sum(low <= exact <= high for low, high in map(clopper_pearson, counts, [40] * 1000))
    assert covered >= 930


def test_payloads_and_speeds_that_hold() -> None:
    """Thresholds of torque limits that vary by a known law."""
    vary = {"torque": "normal(1, 0.05)"}
    found = erfd.study(LEVEL, bar(), vary=vary, samples=3000, seed=2)
    quantile = float(stats.norm(1, 0.05).ppf(0.05)) * 50 / 9.81 - 0.5
    largest = found.largest("payload", 0.95)
    assert largest.value == pytest.approx(quantile, abs=0.05)
    assert largest.bound is not None
    assert largest.bound < largest.value
    assert found.fails_at("payload", to=0.01) == pytest.approx((HELD, HELD + 0.01), abs=0.01)
    low, high = found.fails_at("payload", to=1e-6)
    assert low <= HELD <= high <= low + 1e-6
    t = 0.01 * np.arange(101)
    swing = erfd.Trajectory(t, 0.2 * np.sin(np.pi * t)[:, None] ** 2)
    speed = erfd.study(swing, bar(12.0), vary={"payload": "0..0.5"}, samples=400).largest("speed")
    assert speed.value is not None
    at_all = erfd.study(swing, bar(12.0), vary={"payload": "0..0.5", "speed": speed.value},
                        samples=400)  # fmt: skip
    above = erfd.study(swing, bar(12.0), vary={"payload": "0..0.5", "speed": speed.value + 0.01},
                       samples=400)  # fmt: skip
    assert at_all.share >= 0.99 > above.share


def test_stops_when_it_is_precise() -> None:
    found = erfd.study(LEVEL, bar(), vary={"payload": "normal(4.5, 0.2)"}, samples=10**6,
                       precision=0.02)  # fmt: skip
    assert found.interval is not None
    low, high = found.interval
    exact = float(stats.norm(4.5, 0.2).cdf(HELD))
    assert low <= exact <= high
    assert max(high - found.share, found.share - low) <= 0.02
    assert 1000 < len(found) < 20_000


def test_sensitivities_of_ishigami() -> None:
    """sin x1 + 7 sin^2 x2 + 0.1 x3^4 sin x1: first and total indices in closed form."""
    a, b, pi = 7.0, 0.1, np.pi
    first = np.array([0.5 * (1 + b * pi**4 / 5) ** 2, a**2 / 8, 0.0])
    both = b**2 * pi**8 * (1 / 18 - 1 / 50)
    variance = first.sum() + both
    totals = (first + np.array([both, 0.0, both])) / variance

    def ishigami(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.asarray(np.sin(x[:, 0]) * (1 + b * x[:, 2] ** 4) + a * np.sin(x[:, 1]) ** 2)

    names = ["x1", "x2", "x3"]
    wide = [distribution_of(name, f"uniform({-pi}, {pi})") for name in names]
    found = {row.name: row for row in sobol_indices(ishigami, names, wide, points=1024)}
    for k, name in enumerate(names):
        row = found[name]
        assert abs(row.first - first[k] / variance) < max(2 * row.first_error, 0.03)
        assert abs(row.total - totals[k]) < max(2 * row.total_error, 0.02)


def test_sensitivities_of_a_margin() -> None:
    """The margin of the bar is linear in payload and wrench: shares of the variance."""
    vary = {"payload": "uniform(1, 3)", "wrench.fy": "uniform(-2, 2)", "friction": 1.0}
    found = erfd.study(LEVEL, bar(), vary=vary, samples=64)
    parts = np.array([(2 * 9.81) ** 2, 4.0**2])
    expected = parts / parts.sum()
    rows = {row.name: row for row in found.sensitivity}
    assert set(rows) == {"payload", "wrench.fy"}
    for name, value in zip(("payload", "wrench.fy"), expected, strict=True):
        assert rows[name].first == pytest.approx(value, abs=0.05)
        assert rows[name].total == pytest.approx(value, abs=0.05)


def test_what_varies_alone_makes_all_of_the_variance() -> None:
    one = erfd.study(LEVEL, bar(), vary={"payload": "1..3"}, samples=8)
    assert [(row.name, row.first, row.total) for row in one.sensitivity] == [("payload", 1.0, 1.0)]
    none = erfd.study(LEVEL, bar(), vary={"friction": "1..3"}, samples=8)
    assert [(row.name, row.total) for row in none.sensitivity] == [("friction", 0.0)]
    two = erfd.study(LEVEL, bar(), vary={"friction": "1..3", "rotor_inertia": "1..2"}, samples=8)
    assert [row.total for row in two.sensitivity] == [0.0, 0.0]


def test_a_map_and_a_point_of_it() -> None:
    vary = {"payload": "0..8", "torque": "0.5..1.5", "friction": "[1, 2]"}
    found = erfd.study(LEVEL, bar(), vary=vary, samples=100)
    area = found.map("payload", "torque", points=9)
    expected = (area.x[None] + 0.5) * 9.81 <= 50 * area.y[:, None]
    assert np.array_equal(area.feasible, expected)
    point = found.verification_at({"payload": float(area.x[3]), "torque": float(area.y[5])})
    assert point.feasible == area.feasible[5, 3]
    with pytest.raises(InputError, match="map: expected two of payload, torque, friction, found"):
        found.map("payload", "wrench.fx")


def test_the_same_study_is_the_same() -> None:
    one, two = (erfd.study(LEVEL, bar(), vary={"payload": "normal(4.5, 0.2)"}, samples=100, seed=s)
                for s in (4, 4))  # fmt: skip
    assert np.array_equal(one.draws, two.draws)
    assert np.array_equal(one.rows.margin, two.rows.margin)
    assert repr(one) == f"Study('the motion', 100 variants, {one.rows.feasible.sum()} feasible)"


@pytest.mark.parametrize(
    ("vary", "sentence"),
    [
        ({"payload": "normal(0.1, 0.5)"}, "variant .*: payload: expected a number >= 0, found -"),
        ({"mass": 1}, "vary: expected one of payload, payload.x, .*found 'mass'"),
        ({"friction.2": 1}, "vary friction.2: expected motor 1 to 1, found '2'"),
        ({"link.x.mass": 1}, "vary link.x.mass: expected link 1 to 1, found 'x'"),
        ({"speed": "-1..1"}, "speed: expected a number > 0, found -"),
        ({}, "vary: expected what varies by name, or a table, found {}"),
        ({"payload": "heavy"}, "vary payload: expected normal"),
        ("none.csv", "none.csv: no such file"),
    ],
)
def test_what_is_no_study(vary: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        erfd.study(LEVEL, bar(), vary=vary, samples=100)


def test_a_study_in_a_folder_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was done is not done again; a damaged part is; another study is refused."""
    from erfd.studies import campaign, study

    monkeypatch.setattr(study, "PART", 50)
    options: dict[str, Any] = {"vary": {"payload": "4..6", "friction": 1}, "samples": 230}
    alone = erfd.study(LEVEL, bar(), **options)
    made: list[int] = []
    work_out = campaign.work_out

    def failing(*arguments: Any) -> Any:
        if len(made) == 3:
            raise KeyboardInterrupt
        made.append(arguments[-1])
        return work_out(*arguments)

    monkeypatch.setattr(campaign, "work_out", failing)
    with pytest.raises(KeyboardInterrupt):
        erfd.study(LEVEL, bar(), **options, out=tmp_path)
    assert sorted(p.name for p in (tmp_path / "parts").iterdir()) == [
        f"part-{k:06d}.parquet" for k in range(3)
    ]
    with pytest.raises(InputError, match="expected a folder without an unfinished study"):
        erfd.study(LEVEL, bar(), **options, out=tmp_path)
    with pytest.raises(InputError, match="expected the study that was begun there, found another"):
        erfd.study(LEVEL, bar(), **options, out=tmp_path, resume=True, seed=1)
    (tmp_path / "parts" / "part-000001.parquet").write_bytes(b"half a part")
    made[:] = [-1, -1]
    monkeypatch.setattr(campaign, "work_out", lambda *a: (made.append(a[-1]), work_out(*a))[1])
    found = erfd.study(LEVEL, bar(), **options, out=tmp_path, resume=True)
    assert made[2:] == [1, 3, 4]
    assert found.notes == ("2 of 5 parts were there already",)
    for name, column in alone.table.items():
        same = found.table[name] == column
        assert np.all(same | ((column != column) & (found.table[name] != found.table[name]))), name
    assert [p.name for p in tmp_path.iterdir()] == ["variants.parquet"]
    import pyarrow.parquet as parquet

    table = parquet.read_table(tmp_path / "variants.parquet")
    assert table["variant"].to_pylist() == list(range(230))
    assert table["margin"].to_pylist() == alone.rows.margin.tolist()
