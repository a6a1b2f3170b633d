"""Every item: its verdict, and its numbers beside those typed from the documents."""

from __future__ import annotations

import math

import numpy as np
import pytest

from erfd.errors import InputError
from erfd.reproduce.item import DocumentItem, ItemOutcome
from erfd.reproduce.library import ITEMS, items_named
from erfd.reproduce.method_counts import elimination_count
from erfd.reproduce.table import item_data
from support.printed_numbers import PRINTED, VERDICTS

LOOSE = {
    "smallest mechanical time constant over the step": 0.5,  # "approximately 1/15th"
    "order of the integrator": 0.25,  # a slope that tends to 3 with smaller steps
}
"""Printed numbers that are met less closely than to rounding, and how closely."""


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
def test_an_item_is_what_it_is_called(item: DocumentItem) -> None:
    outcome = item.run()
    assert outcome.verdict == VERDICTS[item.name]
    assert bool(outcome.why) is not outcome.reproduced  # why not: if and only if not
    assert outcome.checks
    assert len({check.what for check in outcome.checks}) >= len(outcome.checks) - 1
    numbers = {check.what: check for check in outcome.checks if check.number is not None}
    printed = PRINTED.get(item.name, {})
    assert numbers.keys() == printed.keys()
    for what, value in printed.items():
        check = numbers[what]
        assert check.number == pytest.approx(value, rel=1e-12, abs=0), what
        if check.holds:  # against the document itself, not against the copy in src/
            assert abs(check.computed - value) <= LOOSE.get(what, 1e-9), what
    for check in outcome.checks:
        assert math.isfinite(check.computed)
        assert math.isfinite(check.low) or math.isfinite(check.high), check.what  # it can fail
        if check.printed == "identical":
            assert check.high <= 1e-6, check.what
    _draws(outcome)


def _draws(outcome: ItemOutcome) -> None:
    """Every figure is made, with something in it."""
    if outcome.figure is None:
        return
    pytest.importorskip("matplotlib")
    drawn = outcome.figure()
    for figure in drawn.values() if isinstance(drawn, dict) else [drawn]:
        axes = figure.get_axes()
        assert axes
        assert all(ax.has_data() or ax.texts for ax in axes)


def test_names() -> None:
    names = [item.name for item in ITEMS]
    assert len(set(names)) == len(names)
    assert VERDICTS.keys() == set(names)
    assert [item.name for item in items_named("001-FIG-A6")] == ["001-fig-a6"]
    assert {item.document for item in items_named("004")} == {"004"}
    with pytest.raises(InputError, match="as 001-fig-a1, 001-fig-a2"):
        items_named("fig-a")
    with pytest.raises(InputError, match="as 001, 003, 004, found 'x'"):
        items_named("x")


@pytest.mark.parametrize("n", [2, 3, 6, 7])
def test_elimination_is_counted_as_textbooks_do(n: int) -> None:
    """n^3/3 + n^2 - n/3 products and divisions; n^3/3 + n^2/2 - 5n/6 sums, and n for u - u'."""
    products, sums = elimination_count(n)
    assert 3 * products == n**3 + 3 * n**2 - n
    assert 6 * sums == 2 * n**3 + 3 * n**2 - 5 * n + 6 * n


def test_data_for_programs_are_plain() -> None:
    item = items_named("001-path-differs")[0]
    data = item_data(item, item.run())
    assert data["verdict"] == "not reproduced"
    assert [check["holds"] for check in data["checks"]] == [True, False]
    assert data["checks"][0]["high"] is None  # no upper limit
    assert 90 < data["checks"][1]["computed"] < 100
    assert np.isfinite(data["checks"][1]["high"])
    assert "no motor lacks torque" in data["remark"]  # erratum 26: smooth turning
    assert data["remark"].endswith("the speed limits of axes 4 and 5: 62 mm.")
