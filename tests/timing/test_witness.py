"""Times beside an independent optimum with all friction (`make soak`: 50 paths of each robot)."""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import erfd
from support.driven_urdf import driven_urdf
from support.seeds import seeded
from support.timed_paths import fastest_or_none, way_points
from support.timing_nlp import fastest_by_nlp

PATHS = int(os.environ.get("ERFD_PATHS", "2"))
"""Paths of each robot."""
AGREE = 5e-3
"""Of the time. The grids of both have 1,000 and 300 cells; the witness rounds loads off at zero."""


@pytest.fixture(autouse=True, scope="module")
def compiled() -> Iterator[None]:
    with erfd.backend("compiled"):
        yield


@pytest.mark.parametrize("name", ["lola15", "puma560", "stanford", "urdf"])
def test_a_nonlinear_program_takes_as_long(name: str, tmp_path: Path) -> None:
    if name == "urdf":
        pytest.importorskip("yourdfpy")
    robot = driven_urdf(tmp_path) if name == "urdf" else erfd.load(name)
    compared = 0
    for seed in range(PATHS):
        rng = np.random.default_rng(seeded(200 + seed))
        timing = fastest_or_none(robot, way_points(robot, rng, 4))
        if timing is None:
            continue
        curve = timing.path.pieces[0].curve
        witness = fastest_by_nlp(
            robot, curve, 300, guess=lambda s, t=timing: 0.9 * np.interp(s, t.s, t.sd)
        )
        if witness is None:  # IPOPT has not converged
            continue
        compared += 1
        assert timing.ideal_seconds == pytest.approx(witness, rel=AGREE), seed
    assert compared >= 0.8 * PATHS - 1
