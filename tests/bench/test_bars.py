"""The bars of the benchmark follow from its figures."""

from dataclasses import replace
from typing import Any

import pytest

from erfd.bench import erfd_cases
from erfd.bench.bars import MIB, Figures, bars, figures

GOOD = Figures(
    lanes=8, cores=2, forward=61.0, inverse=50.0, scalar=12.5, single=0.5, spread=1.8, cold=0.9,
    cached=0.029, extra=64.0 * MIB,
)  # fmt: skip


def test_bars_that_are_met() -> None:
    found = bars(GOOD)
    assert [bar["met"] for bar in found] == [True] * 8
    assert [bar["limit"] for bar in found] == [60, 50, 12, 0.5, 1.8, 1.0, 0.03, 64]
    narrow = bars(replace(GOOD, lanes=4, forward=30.0, inverse=25.0))
    assert [bar["limit"] for bar in narrow][:2] == [30, 25]
    assert all(bar["met"] for bar in narrow)


@pytest.mark.parametrize(
    ("place", "change"),
    [
        (0, {"forward": 59.9}),
        (0, {"forward": 29.9, "lanes": 4, "inverse": 25.0}),
        (1, {"inverse": 49.9}),
        (2, {"scalar": 11.9}),
        (3, {"single": 0.51}),
        (4, {"spread": 1.79}),
        (5, {"cold": 1.01}),
        (6, {"cached": 0.031}),
        (7, {"extra": 64.1 * MIB}),
    ],
)
def test_bars_that_are_not_met(place: int, change: dict[str, Any]) -> None:
    found = [bar["met"] for bar in bars(replace(GOOD, **change))]
    assert found == [k != place for k in range(8)]


def test_bars_that_nobody_measured() -> None:
    assert [bar["met"] for bar in bars(Figures(lanes=4, cores=1))] == [None] * 8


def test_figures_of_a_run() -> None:
    def row(who: str, how: str, quantity: str, states: int, threads: int, ns: float) -> dict:
        keys = ("who", "how", "quantity", "states", "threads", "ns")
        values = (who, how, quantity, states, threads, ns)
        return {**dict(zip(keys, values, strict=True)), "status": "ok"}

    fd, pin = "forward_dynamics", "Pinocchio"
    data = {
        "machine": {"lanes": 8, "cores": 2},
        "states": 100_000,
        "memory": {"extra": 5},
        "startup": {"cold": {"kernel": 0.4}, "cached": {"gap": "no"}},
        "rows": [
            row("ERFD", erfd_cases.BATCH, fd, 100_000, 1, 20.0),
            row("ERFD", erfd_cases.BATCH, fd, 100_000, 2, 10.0),
            row("ERFD", erfd_cases.SCALAR, fd, 1000, 1, 100.0),
            row("ERFD", erfd_cases.SINGLE, fd, 1, 1, 300.0),
            row(pin, "pin.aba", fd, 1, 1, 1200.0),
            row(pin, "pin.abaInParallel", fd, 100_000, 1, 1000.0),
            row(pin, "pin.abaInParallel", fd, 100_000, 2, 500.0),
            row(pin, "pin.rneaInParallel", "inverse_dynamics", 100_000, 1, 600.0),
            {
                **row("ERFD", erfd_cases.BATCH, "inverse_dynamics", 100_000, 1, 10.0),
                "status": "disagrees",
            },
        ],
    }
    assert figures(data) == Figures(
        lanes=8, cores=2, forward=50.0, inverse=None, scalar=10.0, single=0.25, spread=2.0,
        cold=0.4, cached=None, extra=5,
    )  # fmt: skip
