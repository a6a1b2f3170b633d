"""Direct-current motors: torque and voltage are inverses, limits, and what back EMF does."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import erfd
from erfd.errors import InputError

ARM = erfd.load("two_link")
numbers = arrays(np.float64, (3, 2), elements=st.floats(-1e3, 1e3))


@given(numbers, numbers)
def test_torque_and_voltage_are_inverses(torque: np.ndarray, speed: np.ndarray) -> None:
    voltage = erfd.motor_voltage(ARM, torque, speed)
    back = erfd.motor_torque(ARM, voltage, speed)
    size = np.abs(torque) + 16 * np.abs(speed)  # Kt^2 / R of the arm's motors is at most 16
    assert (np.abs(back - torque) <= 1e-14 * (size + 1)).all()


def test_by_hand() -> None:
    """003 (11), (12) with R = 1 and 1.5 ohm, Kt = 4 and 2 N m/A."""
    assert erfd.motor_voltage(ARM, [8.0, 3.0], [0.5, -1.0]) == pytest.approx([2.0 + 2.0, 2.25 - 2])
    assert erfd.motor_torque(ARM, [4.0, 0.25], [0.5, -1.0]) == pytest.approx([8.0, 3.0])
    many = erfd.motor_torque(ARM, np.zeros((5, 3, 2)), [1.0, 1.0])
    assert many.shape == (5, 3, 2)
    assert many[0, 0] == pytest.approx([-16.0, -4 / 1.5])


def test_the_voltage_limit() -> None:
    asked = [500.0, -500.0]
    limited = erfd.motor_torque(ARM, asked, [0, 0], limited=True)
    assert limited == pytest.approx([4.0 * 80 / 1.0, -2.0 * 60 / 1.5])
    run = erfd.simulate(ARM, [0, 0], [0, 0], asked, steps=3, kind="voltage", stops=None)
    assert run["u_a"][0] == pytest.approx(limited)
    assert run["voltage"][0] == pytest.approx([80.0, -60.0])
    assert {event.kind for event in run.events} == {"voltage limit"}
    lack = max(event.missing for event in run.events)
    assert lack == pytest.approx(4.0 * 420 / 1.0)
    assert "motor 1 lacks 1.68e+03 N m" in str(run.events[0])


@pytest.mark.parametrize("kind", ["no drives", "no motor"])
def test_what_a_motor_needs(kind: str) -> None:
    robot, sentence = replace(ARM, drives=()), "robot 'two_link': expected drives, found none"
    if kind == "no motor":
        second = replace(ARM.drives[1], torque_constant=float("nan"))
        robot = replace(ARM, drives=(ARM.drives[0], second))
        sentence = "robot 'two_link': drive 2: expected torque_constant of its motor, found none"
    for call in (
        lambda: erfd.motor_voltage(robot, [0, 0], [0, 0]),
        lambda: erfd.motor_torque(robot, [0, 0], [0, 0]),
        lambda: erfd.simulate(robot, [0, 0], [0, 0], [0, 0], steps=1, kind="voltage"),
    ):
        with pytest.raises(InputError, match=sentence):
            call()


def test_wrong_numbers() -> None:
    with pytest.raises(InputError, match=r"torque: expected shape \(..., 2\), found \(3,\)"):
        erfd.motor_voltage(ARM, [1, 2, 3], [0, 0])
    with pytest.raises(InputError, match="speed: expected finite numbers"):
        erfd.motor_voltage(ARM, [1, 2], [0, np.nan])
    with pytest.raises(InputError, match="voltage: expected numbers, found 'much'"):
        erfd.motor_torque(ARM, "much", [0, 0])


@pytest.mark.parametrize("name", ["two_link", "cmu_dd"])
def test_zero_voltage_damps(name: str, compiled: None) -> None:
    """A motor that is short-circuited brakes: energy never grows."""
    robot = erfd.load(name)
    rng = np.random.default_rng(2)
    q, qd = rng.uniform(-0.3, 0.3, robot.n), rng.uniform(-2, 2, robot.n)
    still = np.zeros(robot.n)
    run = erfd.simulate(robot, q, qd, still, duration=1.0, method="rk4", kind="voltage", stops=None)
    energy = run["kinetic"] + run["potential"]
    assert np.diff(energy).max() < 1e-9 * np.abs(energy).max()
    assert np.diff(run["energy"], axis=0).max() <= 1e-12  # every motor only takes
    assert run["current"] == pytest.approx(
        -np.array([d.torque_constant / d.resistance for d in robot.drives]) * run["qd_a"]
    )


def test_inverse_and_forward_arm_agree(compiled: None) -> None:
    """Voltages for wanted accelerations (Inverse Arm) give these accelerations (Forward Arm)."""
    robot = erfd.load("cmu_dd")
    rng = np.random.default_rng(3)
    q, qd, qdd = rng.uniform(-1, 1, (3, robot.n))
    K = np.array(robot.gear_matrix)
    drives = robot.drives
    inertia, viscous = (np.array([getattr(d, k) for d in drives]) for k in ("inertia", "viscous"))
    u = erfd.inverse_dynamics(robot, q, qd, qdd, damping=True)
    torque = np.linalg.solve(K.T, u) + inertia * (K @ qdd) + viscous * (K @ qd)
    assert not any(d.coulomb or d.load_friction for d in drives)
    voltage = erfd.motor_voltage(robot, torque, K @ qd)
    run = erfd.simulate(robot, q, qd, voltage, steps=1, kind="voltage", stops=None)
    assert run["qdd"][0] == pytest.approx(qdd, abs=1e-10)
