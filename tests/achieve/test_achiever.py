"""Algorithm 1 step by step: what a step refuses, and where its torque path is ambiguous."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import erfd
from erfd.errors import InputError
from support.motions import lola_motion

pytestmark = pytest.mark.usefixtures("compiled")
LOLA = erfd.load("lola15")


def test_steps_say_what_is_wrong() -> None:
    planner = erfd.Achiever(LOLA, 0.01)
    before = planner.q
    with pytest.raises(InputError, match="q_given: expected 6 finite numbers"):
        planner.step([0, 0], np.zeros(6))
    with pytest.raises(InputError, match="qd_given: expected 6 finite numbers"):
        planner.step(np.zeros(6), np.full(6, np.nan))
    with pytest.raises(InputError, match="wrench: expected finite"):
        planner.step(np.zeros(6), np.zeros(6), wrench=[1, 2])
    assert np.array_equal(planner.q, before)
    assert np.array_equal(planner.step(before, np.zeros(6)).q, before)


@pytest.mark.parametrize("backend", ["compiled", "numpy"])
def test_a_refused_step_leaves_no_trace(backend: str) -> None:
    """What was refused is not the velocity that was given last."""
    robot = erfd.load("two_link")
    with erfd.backend(backend):
        fresh = erfd.Achiever(robot, 0.01).step([0, 0], [5.0, 5.0])
        assert fresh.side.all()
        for wrong in ({"qd_given": [np.nan, 0]}, {"qd_given": [3.0, 0], "wrench": [1, 2]}):
            planner = erfd.Achiever(robot, 0.01)
            with pytest.raises(InputError):
                planner.step([0, 0], **wrong)
            cycle = planner.step([0, 0], [5.0, 5.0])
            assert np.array_equal(cycle.torque_wanted, fresh.torque_wanted)
            assert np.array_equal(cycle.qd, fresh.qd)


def test_the_diagonal_path_says_where_it_is_ambiguous() -> None:
    """Erratum 8: fine on Lola 15; a strong coupling takes the uniqueness away, and is named."""
    drives = erfd.Achiever(LOLA, 0.01, torque_path="diagonal").drives
    q = np.random.default_rng(0).uniform(-2, 2, (200, 6))
    assert not drives.ambiguous(erfd.mass_matrix(LOLA, q)).any()
    strong = replace(LOLA.drives[2], coupling=(0.0, 500.0, 0.0, 0.0, 0.0, 0.0))
    robot = replace(LOLA, drives=(*LOLA.drives[:2], strong, *LOLA.drives[3:]))
    odd = erfd.Achiever(robot, 0.01, torque_path="diagonal").drives
    matrix = odd.matrix(erfd.mass_matrix(robot, q))
    by_hand = matrix[:, 1, 1] < 0  # pushing rotor 2 forward turns it backward
    assert by_hand.any()
    assert odd.ambiguous(erfd.mass_matrix(robot, q))[by_hand].all()
    with pytest.warns(UserWarning, match="with the diagonal torque path, the saturated motors at"):
        erfd.achievable(robot, lola_motion(0.9), torque_path="diagonal")
    exact = erfd.Achiever(robot, 0.01).drives
    assert not exact.ambiguous(erfd.mass_matrix(robot, q)).any()


@pytest.mark.parametrize("dt", [0.0, -1.0, np.nan, np.inf, "0.01", None])
def test_a_cycle_time_that_is_none(dt: Any) -> None:
    with pytest.raises(InputError, match="dt: expected a time > 0 s, found "):
        erfd.Achiever(erfd.load("two_link"), dt)
