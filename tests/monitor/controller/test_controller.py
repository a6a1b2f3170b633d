"""The controller: at full speed it does what Algorithm 1 says."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.monitor import Command, Controller
from erfd.monitor.controller.controller import COLUMNS, pose_difference
from erfd.monitor.controller.source import PlayedMotion
from support.motions import lola_motion


@pytest.mark.parametrize("seconds", [0.9, 2.0])
@pytest.mark.usefixtures("compiled")
def test_at_full_speed_it_does_what_algorithm_1_says(seconds: float) -> None:
    """Cycle by cycle the same as `erfd.achievable`, of a motion that is too fast and one not."""
    robot, motion = erfd.load("lola15"), lola_motion(seconds)
    wrench = [100.0, 100.0, -150.0, 0.0, 0.0, 0.0]
    load = erfd.Payload(3.0, (0.0, 0.0, 0.1))
    loads = (None,) * 40 + (load,) * (len(motion) - 40)
    run = erfd.achievable(robot, motion, wrench=wrench, payload=loads)
    played = PlayedMotion("test", motion.q, motion.dt, np.arange(len(motion.q), dtype=float), loads)
    controller = Controller(robot, played, wrench=wrench)
    controller.warm_up()
    rows = [controller.cycle([Command("start")])[0]]
    while controller.player.mode != "done":
        rows.append(controller.cycle()[0])
    assert len(rows) == len(run) - 1
    for name in COLUMNS:
        found = np.array([np.ravel(row[name]) for row in rows])
        if name in run.data:
            wanted = run[name][1:]
            wanted = wanted[:, :3].reshape(-1, 12) if name == "pose" else wanted
            # two ways of computing the same cycle, over up to 200 of them
            assert np.allclose(found, wanted, rtol=1e-9, atol=1e-8), name
    assert [row["line"] for row in rows] == list(range(1, len(rows) + 1))
    assert [row["payload"][0] for row in rows] == [0.0] * 39 + [3.0] * (len(rows) - 39)
    assert (controller.limited > 0) == (seconds == 0.9)
    assert controller.deviation == pytest.approx(run["deviation"][:, 0].max(), abs=1e-9)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_apart_is_the_deviation_of_a_run(seed: int) -> None:
    robot, rng = erfd.load("two_link"), np.random.default_rng(seed)
    a, b = erfd.forward_kinematics(robot, rng.uniform(-3, 3, (2, 2)))
    distance, angle = pose_difference(a, b)
    assert distance == pytest.approx(np.linalg.norm(a[:3, 3] - b[:3, 3]), abs=1e-12)
    cosine = (np.trace(a[:3, :3] @ b[:3, :3].T) - 1) / 2
    assert math.cos(angle) == pytest.approx(cosine, abs=1e-12)
