"""Integrators: their measured orders, against dop853 and energy, and two other witnesses."""

from dataclasses import replace

import numpy as np
import pytest

import erfd
from erfd.errors import InputError
from support.arms import Witness, random_robot
from support.simulated_arms import pendulum

pytestmark = pytest.mark.usefixtures("compiled")
ORDERS = {"rk3": 3, "rk4": 4, "semi-implicit": 1}
Q, QD = np.array([0.4, -0.7, 0.9]), np.array([0.5, 1.0, -0.8])


def smooth(kind: str) -> tuple[erfd.Robot, dict]:
    """An arm without dry friction, with gears, rotors, damping and motors; and how it is driven."""
    drive = erfd.Drive(
        ratio=3.0, viscous=0.05, inertia=0.02, resistance=1.5, torque_constant=0.8, voltage_max=50.0
    )
    coupled = replace(drive, ratio=-2.0, coupling=(0.4, 0.0, 0.0))
    robot = replace(random_robot(5, "RRP"), drives=(drive, coupled, drive))
    values = {"joint_torque": [4.0, -3.0, 2.0], "torque": [1.0, -0.5, 2.0], "voltage": [2, 3, -1]}
    wrench = [3.0, -2.0, 5.0, 0.5, 0.2, -0.4]
    return robot, {"input": values[kind], "kind": kind, "wrench": wrench}


@pytest.mark.parametrize("method", ORDERS)
@pytest.mark.parametrize("kind", ["joint_torque", "torque", "voltage"])
def test_orders(method: str, kind: str) -> None:
    """Halving dt divides the error of the state, and that of the energy balance, by 2^order."""
    robot, how = smooth(kind)
    exact = erfd.simulate(
        robot, Q, QD, duration=0.4, dt=0.4, method="dop853", rtol=1e-13, atol=1e-14, **how
    )
    errors, gaps = [], []
    counts = (100, 200, 400, 800) if method == "semi-implicit" else (20, 40, 80, 160)
    for count in counts:
        run = erfd.simulate(robot, Q, QD, steps=count, dt=0.4 / count, method=method, **how)
        errors.append(np.abs(run["q"][-1] - exact["q"][-1]).max())
        gaps.append(abs(run["energy_gap"][-1]))
    order = ORDERS[method]
    assert np.log2(errors[-2] / errors[-1]) == pytest.approx(order, abs=0.1)
    # the balance may be better than the state: errors of works and energies partly cancel
    assert np.log2(gaps[-2] / gaps[-1]) > order - 0.1
    assert abs(exact["energy_gap"][-1]) < 1e-9


def test_rk3_is_the_reports() -> None:
    """One step by the report's formulas (003, erratum 12), from the public forward dynamics."""
    robot, h = erfd.load("puma560"), 0.01
    rng = np.random.default_rng(1)
    theta, omega = rng.uniform(-1, 1, (2, 6))
    u = rng.uniform(-5, 5, 6)

    def f(q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return erfd.forward_dynamics(robot, q, qd, u)

    c1, k1 = omega, f(theta, omega)
    c2 = omega + h / 2 * k1
    k2 = f(theta + h / 2 * c1, c2)
    c3 = omega + 2 * h * k2 - h * k1
    k3 = f(theta + 2 * h * c2 - h * c1, c3)
    run = erfd.simulate(robot, theta, omega, u, steps=1, dt=h, kind="joint_torque")
    assert run["q"][1] == pytest.approx(theta + h / 6 * (c1 + 4 * c2 + c3), abs=1e-13)
    assert run["qd"][1] == pytest.approx(omega + h / 6 * (k1 + 4 * k2 + k3), abs=1e-13)


def test_accelerations_by_pinocchio() -> None:
    """What is recorded at every moment, by somebody else's equations."""
    robot = erfd.load("lola15")
    witness = Witness(robot)
    u = np.array([50.0, 900.0, 500.0, 10.0, 5.0, 1.0])
    wrench = np.array([100.0, 100.0, -150.0, 1.0, 2.0, 3.0])
    q = [0.0, 0.2, -0.3, 0.0, -0.8, 0.0]
    run = erfd.simulate(
        robot, q, np.full(6, 0.3), u, steps=50, dt=0.005, kind="joint_torque", wrench=wrench
    )
    for k in range(0, 51, 10):
        expected = witness.forward_dynamics(run["q"][k], run["qd"][k], u, wrench)
        assert run["qdd"][k] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_semi_implicit_keeps_the_energy_of_a_swing() -> None:
    """With constant inertia it is symplectic: the energy oscillates, and does not drift in 1 h."""
    run = erfd.simulate(
        pendulum(), [1.5], [0], [0], duration=3600.0, dt=0.01, method="semi-implicit",
        kind="joint_torque", record_every=7,
    )  # fmt: skip
    energy, swing = run["kinetic"] + run["potential"], float(np.ptp(run["kinetic"]))
    third = len(run) // 3
    assert abs(energy[:third].mean() - energy[-third:].mean()) < 1e-4 * swing
    assert np.ptp(energy) < 0.05 * swing


def test_wrong_tolerances() -> None:
    robot = erfd.load("two_link")
    with pytest.raises(InputError, match="rtol: expected a number > 0, found -1"):
        erfd.simulate(robot, [0, 0], [0, 0], [0, 0], steps=3, method="dop853", rtol=-1)
