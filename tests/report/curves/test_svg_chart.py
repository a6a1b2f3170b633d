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


SVG = "{http://www.w3.org/2000/svg}"


def heights(chart: Chart) -> list[np.ndarray]:
    """The y of each curve's points in the picture."""
    lines = ET.fromstring(chart.svg()).findall(f"{SVG}polyline")
    return [np.array([p.split(",")[1] for p in x.get("points").split()], float) for x in lines]


@pytest.mark.parametrize("largest", [0.0, 5.0])
def test_rounding_is_no_spike(largest) -> None:
    """6e-32 is drawn as zero, whether something larger is beside it or not."""
    x = np.linspace(0, 1, 50)
    noise = np.zeros(50)
    noise[20] = 6e-32
    chart = Chart("a", "N m", x, np.column_stack([noise, largest * x]), ["one", "two"])
    flat, other = heights(chart)
    assert np.ptp(flat) == 0
    assert (np.ptp(other) > 100) == (largest > 0)
    assert "e-3" not in chart.svg()


def test_limits_have_names_in_the_legend() -> None:
    """Each value once, with the curves that it belongs to; what is not in sight is not named."""
    x = np.linspace(0, 1, 50)
    values = np.column_stack([8 * x, x, x, x])
    names = [f"motor {i}" for i in (1, 2, 3, 4)]
    chart = Chart("a", "N m", x, values, names, np.array([9.0, 3.0, 3.0, 100.0]))
    root = ET.fromstring(chart.svg())
    texts = [text.text for text in root.findall(f"{SVG}text")]
    assert [text for text in texts if text.startswith("limit")] == ["limit 1", "limit 2, 3"]
    dashed = [path for path in root.findall(f"{SVG}path") if path.get("stroke-dasharray")]
    assert len(dashed) == 6  # at + and -, and in the legend
    order = [child.tag for child in root]
    assert max(k for k, tag in enumerate(order) if root[k] in dashed) < order.index(
        f"{SVG}polyline"
    )
    same = Chart("a", "N m", x, values, names, np.full(4, 9.0)).svg()
    assert [t.text for t in ET.fromstring(same).findall(f"{SVG}text")].count("limit") == 1
