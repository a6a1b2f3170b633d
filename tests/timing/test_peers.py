"""Times beside those of others, on the same paths under the same limits."""

from collections.abc import Iterator

import numpy as np
import pytest

import erfd
from erfd.bench.timing_peers import (
    by_copp,
    by_toppra,
    duration,
    with_strong_motors,
    without_friction,
)
from support.timed_paths import way_points


@pytest.fixture(autouse=True, scope="module")
def compiled() -> Iterator[None]:
    with erfd.backend("compiled"):
        yield


@pytest.mark.parametrize("name", ["lola15", "two_link"])
def test_toppra_takes_as_long_without_friction(name: str) -> None:
    robot = without_friction(erfd.load(name))
    for seed in range(3):
        timing = erfd.fastest(robot, way_points(robot, np.random.default_rng(seed), 5))
        curve = timing.path.pieces[0].curve
        s, speed, _ = by_toppra(robot, curve, len(timing.s) - 1)
        assert timing.ideal_seconds == pytest.approx(duration(s, speed), rel=2e-3)


@pytest.mark.parametrize("name", ["lola15", "two_link"])
def test_copp_takes_as_long_with_speeds_and_accelerations(name: str) -> None:
    robot = with_strong_motors(erfd.load(name))
    for seed in range(3):
        points = way_points(robot, np.random.default_rng(seed), 5)
        timing = erfd.fastest(robot, points, accelerations="joints")
        s, speed, _ = by_copp(robot, timing.path.pieces[0].curve, len(timing.s) - 1)
        assert timing.ideal_seconds == pytest.approx(duration(s, speed), rel=2e-3)
