"""Joint stops: a clear error, or an inelastic impact that never creates energy."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.errors import InputError
from support.simulated_arms import fenced, geared

BACKENDS = pytest.mark.parametrize("backend", ["numpy", "compiled"])
LOLA = erfd.load("lola15")


def falling(**drive: float) -> erfd.Robot:
    """A mass that falls along z (down is +) onto a stop at 0.5 m."""
    joint = erfd.Joint("drop", "prismatic", position_max=0.5)
    drives = (erfd.Drive(**drive),) if drive else ()
    return erfd.Robot("drop", (joint,), (erfd.Link("mass", 2.0),), drives, gravity=(0, 0, 10.0))


def test_an_error_names_joint_time_and_position() -> None:
    sentence = r"joint 1 \(drop\) passes its limit of 0.5 m at t = 0.32 s \(found 0.512 m\)"
    with pytest.raises(InputError, match=sentence):
        erfd.simulate(falling(), [0], [0], [0], duration=1.0, dt=0.01)
    with pytest.raises(InputError, match=r"passes its limit of 0.5 m at t = 0.31622"):
        erfd.simulate(falling(), [0], [0], [0], duration=1.0, dt=0.01, method="dop853")
    run = erfd.simulate(falling(), [0], [0], [0], duration=1.0, dt=0.01, stops=None)
    assert run["q"][-1, 0] == pytest.approx(5.0)
    with pytest.raises(InputError, match=r"q0: expected joint 1 within -inf to 0.5, found 0.6"):
        erfd.simulate(falling(), [0.6], [0], [0], duration=1.0)


@BACKENDS
@pytest.mark.parametrize("method", ["rk3", "rk4", "semi-implicit", "dop853"])
def test_a_mass_lands_and_stays(backend: str, method: str) -> None:
    """It arrives with sqrt(2 g h), loses m g h, rests exactly, and the stop carries m g."""
    with erfd.backend(backend):
        run = erfd.simulate(
            falling(), [0], [0], [0], duration=1.0, dt=0.01, method=method, stops="inelastic"
        )
    rest = run["t"] > np.sqrt(2 * 0.5 / 10.0) + 0.01
    assert (run["q"][rest] == 0.5).all()
    assert not run["qd"][rest].any()
    assert not run["qdd"][rest].any()
    assert run["u_stop"][-1, 0] == pytest.approx(-20.0)
    accuracy = 5e-2 if method == "semi-implicit" else 1e-9
    assert run["lost_stops"][-1] == pytest.approx(10.0, rel=accuracy)
    assert run["energy_gap"][-1] == pytest.approx(0.0, abs=10 * accuracy)
    assert [event.kind for event in run.events] == ["position limit"]


@BACKENDS
def test_a_stop_pushes_and_never_pulls(backend: str) -> None:
    """Lifted by its motor the mass leaves the stop at once, from rest."""
    force = np.repeat([0.0, -30.0], 50)[:, None]
    with erfd.backend(backend):
        run = erfd.simulate(falling(), [0.5], [0], force, dt=0.01, stops="inelastic", method="rk4")
    assert (run["q"][:51] == 0.5).all()
    assert run["u_stop"][:50, 0] == pytest.approx(np.full(50, -20.0))
    assert not run["u_stop"][50:].any()
    expected = 0.5 - 5.0 * (run["t"][50:] - 0.5) ** 2 / 2
    assert run["q"][50:, 0] == pytest.approx(expected, abs=1e-12)


def test_friction_and_stop_together() -> None:
    """Pressed against a stop, a rotor with dry friction rests; its stop takes what is left."""
    robot = falling(coulomb=3.0, load_friction=0.2, inertia=0.5)
    run = erfd.simulate(robot, [0.4], [0], [5.0], duration=0.5, stops="inelastic", method="rk4")
    assert run["q"][-1, 0] == 0.5
    assert not run["qd_a"][-100:].any()
    assert run["u_stop"][-1, 0] < 0
    names = ("links", "rotor", "coriolis", "gravity", "external", "load_friction", "viscous")
    parts = sum(run[f"ua_{name}"] for name in (*names, "stop"))
    assert np.abs(parts - run["u_a"]).max() < 1e-12
    most = 0.2 * abs(run["ua_gravity"] + run["ua_stop"])[-1, 0] + 3.0
    assert abs(run["ua_load_friction"][-1, 0]) <= most + 1e-9


def test_the_impulse_respects_the_other_joints(compiled: None) -> None:
    """qd+ = qd - H^-1 e (e^T H^-1 e)^-1 e^T qd, at the moment of the impact."""
    robot = fenced(replace(LOLA, drives=()), 0.3)
    q, qd = np.array([0, 0.1, 0.295, 0, 0, 0]), np.array([0.1, -0.2, 1.5, 0.3, -0.2, 0.4])
    u = erfd.gravity_torque(robot, q)
    run = erfd.simulate(robot, q, qd, u, steps=500, dt=1e-5, stops="inelastic", method="rk4")
    k = int(np.flatnonzero(np.diff(run["lost_stops"]))[0])
    before, after = run["qd"][k], run["qd"][k + 1]
    e = np.eye(6)[2]
    h = np.linalg.inv(erfd.mass_matrix(robot, run["q"][k]))
    expected = before - h @ e / (e @ h @ e) * (e @ before)
    assert np.abs(after - expected).max() < 1e-3  # one step of 1e-5 s lies between the rows
    assert run["lost_stops"][-1] >= 0.5 * before[2] ** 2 / h[2, 2] * (1 - 1e-3)


@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 10_000), kinds=st.sampled_from(["R", "RR", "PR"]))
def test_impacts_never_create_energy(seed: int, kinds: str) -> None:
    """Random arms with coupled gears and friction between narrow stops, and no motor."""
    robot = fenced(geared(seed, kinds), 0.15)
    rng = np.random.default_rng(seed)
    qd = rng.uniform(-4, 4, robot.n)
    still = np.zeros(robot.n)
    run = erfd.simulate(
        robot, still, qd, still, steps=60, dt=0.004, stops="inelastic", method="rk4"
    )
    assert np.diff(run["lost_stops"]).min() >= 0
    assert (np.abs(run["q"]) <= 0.15 * (1 + 1e-12)).all()
    energy = run["kinetic"] + run["potential"]
    scale = max(1.0, float(np.abs(energy).max()))
    assert np.diff(energy).max() < 1e-5 * scale
    assert np.abs(run["energy_gap"]).max() < 1e-5 * scale


def test_an_arm_falls_into_its_stops(compiled: None) -> None:
    """Lola 15 without torques, fixed steps against dop853: the same impacts."""
    q = [0.0, 0.2, -0.3, 0.0, -0.8, 0.0]
    how = {"stops": "inelastic", "duration": 2.0}
    run = erfd.simulate(LOLA, q, np.full(6, 0.1), np.zeros(6), method="rk4", **how)
    exact = erfd.simulate(LOLA, q, np.full(6, 0.1), np.zeros(6), method="dop853", dt=0.01, **how)
    assert run["lost_stops"][-1] > 100
    assert run["lost_stops"][-1] == pytest.approx(exact["lost_stops"][-1], rel=1e-6)
    assert np.abs(run["q"][::10] - exact["q"]).max() < 1e-6
