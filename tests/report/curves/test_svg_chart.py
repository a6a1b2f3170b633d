"""Charts as SVG: round ticks, and each number where it is."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from erfd.report.curves.svg_chart import Chart, ticks

pytestmark = pytest.mark.usefixtures("compiled")


def test_ticks_are_round() -> None:
    assert ticks(0, 1) == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert ticks(-3.1, 17.2) == [0.0, 5.0, 10.0, 15.0]
    assert ticks(2.0, 2.0) == [2.0]
    x = np.linspace(0, 1, 50)
    chart = Chart(
        "a < b", "N", x, np.column_stack([x, -x]), ["one", "two"], np.array([1.1, np.inf])
    )
    ET.fromstring(chart.svg())


def test_a_chart_draws_each_number_where_it_is() -> None:
    """To a tenth of a pixel; what is no number is left out."""
    rng = np.random.default_rng(4)
    x, values = np.sort(rng.uniform(0, 9, 300)), rng.normal(size=(300, 2))
    values[[3, 200], 0] = np.nan, np.inf
    lines = ET.fromstring(Chart("a", "N", x, values, ["one", "two"]).svg()).findall(
        "{http://www.w3.org/2000/svg}polyline"
    )
    for line, column in zip(lines, values.T, strict=True):
        points = np.array([p.split(",") for p in line.get("points").split()], dtype=float)
        known = np.isfinite(column)
        assert len(points) == known.sum()
        for drawn, true in zip(points.T, (x[known], column[known]), strict=True):
            slope, start = np.polyfit(true, drawn, 1)
            assert np.abs(start + slope * true - drawn).max() < 0.06  # half a tenth, and the fit
