"""What a motor lacks, where rotors reverse: that of the programmed motion, whatever dt is."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.achieve.casadi_loop import CasadiLoop
from erfd.achieve.compiled_loop import CycleLoop, columns

LOLA = erfd.load("lola15")


WEAK = replace(LOLA, drives=tuple(replace(d, torque_max=0.4 * d.torque_max) for d in LOLA.drives))


def swings(rng: np.random.Generator, dt: float) -> erfd.Trajectory:
    """Joints that swing to and fro for 1.2 s, smooth from the start: they reverse a lot."""
    t = dt * np.arange(round(1.2 / dt) + 1)
    s = np.minimum(t / 0.4, 1)
    ramp = (10 * s**3 - 15 * s**4 + 6 * s**5)[:, None]
    middle, size = rng.uniform(-0.3, 0.3, 6), rng.uniform(0.05, 0.4, 6)
    pace, phase = rng.uniform(2, 6, 6), rng.uniform(0, 2 * np.pi, 6)
    return erfd.Trajectory(t, middle + ramp * size * np.sin(pace * t[:, None] + phase))


def lacks(seed: int, dt: float) -> np.ndarray:
    """The largest lack of each motor, as a part of its limit."""
    run = erfd.achievable(WEAK, swings(np.random.default_rng(seed), dt))
    missing = np.abs(run["u_a_wanted"]) - run["u_a_max"]
    worst = np.where(run["saturated"] != 0, np.maximum(missing, 0), 0).max(axis=0)
    return np.asarray(worst / np.array([d.torque_max for d in WEAK.drives]))


@pytest.mark.usefixtures("compiled")
@given(st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_a_lack_converges_with_the_cycle_time(seed: int) -> None:
    """10, 5 and 2.5 ms beside 1.25 ms: apart by no more than first order in dt.

    Against the velocity of the arm, motors that lag behind at a reversal had up to twice their
    friction more or less, whatever dt was: 0.41 of a limit at 10 ms.
    """
    true = lacks(seed, 0.00125)
    for dt in (0.01, 0.005, 0.0025):
        assert np.abs(lacks(seed, dt) - true).max() < 12 * dt * (1 + true.max()), dt


@pytest.mark.usefixtures("compiled")
def test_friction_of_a_lack_is_against_the_programmed_motion() -> None:
    """Motor 2 is to go on, while its rotor has just come to rest or falls: the same lack."""
    q, rates = np.array([0.0, 1.2, -0.3, 0.0, -0.8, 0.0]), np.array([0, -0.2, 0, 0, 0, 0.0])
    given_row, found = np.concatenate([q, rates, rates])[None], []
    for dt in (0.01, 0.001):
        planner = erfd.Achiever(WEAK, dt)
        options = planner.cycle_options(wrench=False, payload=False)
        for loop in (CycleLoop.of(WEAK, options), CasadiLoop.of(WEAK, options)):
            for rate in (-1e-6, 0.0, 1e-6):
                state = np.concatenate([q, [0, rate, 0, 0, 0, 0]])[:, None]
                rows = loop.run(state, given_row, planner.parameters)[:, :, 0]
                cycle = columns(rows, 6, "consistent")
                assert cycle["side"][1, 1] != 0
                found.append(cycle["needed"][1, 1])
    K, drive = np.array(WEAK.gear_matrix), WEAK.drives[1]
    load = np.linalg.solve(K.T, erfd.inverse_dynamics(WEAK, q, np.zeros(6), np.zeros(6)))[1]
    friction = drive.load_friction * abs(load) + drive.coulomb
    wanted = load + np.sign((K @ rates)[1]) * friction
    assert found == pytest.approx([wanted] * len(found), rel=1e-4)
