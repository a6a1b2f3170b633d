"""Checks and verdicts."""

from __future__ import annotations

from erfd.reproduce.item import Check, ItemOutcome, identical, number


def test_a_check_holds_between_its_bounds() -> None:
    assert number("x", 2.0, 2.05, 0.1).holds
    assert not number("x", 2.0, 2.05, 0.01).holds
    assert not number("x", 2.0, float("nan"), 1.0).holds
    assert number("x", 2.5, 2.5).number == 2.5
    assert identical("x", 1e-13, 1e-12).holds
    assert not identical("x", 1e-11, 1e-12).holds
    assert not Check("x", "some", 0.0, low=1).holds


def test_verdicts() -> None:
    good, bad = number("x", 1, 1), number("x", 1, 2)
    assert ItemOutcome((good,)).verdict == "reproduced"
    assert ItemOutcome((good,), (7,)).verdict == "reproduced after erratum 7"
    assert ItemOutcome((good, good), (7, 8)).verdict == "reproduced after errata 7, 8"
    assert ItemOutcome((good, bad), (7,), "why").verdict == "not reproduced"
