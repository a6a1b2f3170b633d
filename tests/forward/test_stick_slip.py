"""Dry friction in a simulation: when rotors stick, slip and stop, and that it only takes."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.forward.compiled_loop import SimulationLoop
from erfd.forward.fixed_step import PythonLoop
from erfd.forward.plant import plant_of
from support.simulated_arms import geared, pendulum

G = 9.81
FREE = np.array([[-np.inf], [np.inf]])
BACKENDS = pytest.mark.parametrize("backend", ["numpy", "compiled"])


def block(slope: float, mass: float = 2.0, **drive: float) -> erfd.Robot:
    """A block on an incline: its joint slides downhill, `slope` rad below the horizontal."""
    mount = erfd.Pose((0.0, 0.0, 0.0), (0.0, math.pi / 2 + slope, 0.0))
    joint, link = erfd.Joint("slide", "prismatic"), erfd.Link("block", mass)
    return erfd.Robot("block", (joint,), (link,), (erfd.Drive(**drive),), mount=mount)


@BACKENDS
def test_a_block_sticks_or_slides_exactly_at_the_threshold(backend: str) -> None:
    slope, mass = 0.5, 2.0
    weight = mass * G * math.sin(slope)
    with erfd.backend(backend):
        for part in (1 + 1e-9, 1 - 1e-9):
            robot = block(slope, mass, coulomb=weight * part)
            run = erfd.simulate(robot, [0], [0], [0], steps=100, method="rk4")
            if part > 1:
                assert not run["q"].any()
                assert not run["qdd"].any()
            else:
                expected = G * math.sin(slope) * 1e-9 * run["t"] ** 2 / 2
                assert run["q"][:, 0] == pytest.approx(expected, rel=1e-5)  # 1e-9 in 16 digits


@BACKENDS
@pytest.mark.parametrize("method", ["rk3", "rk4"])
def test_a_block_stops_at_the_closed_form_time_and_distance(backend: str, method: str) -> None:
    """Downhill it slows with c/m - g sin; the moment lies between two steps."""
    slope, mass, speed = 0.5, 2.0, 1.5
    hold = 1.2 * mass * G * math.sin(slope)
    slowing = hold / mass - G * math.sin(slope)
    time, way = speed / slowing, speed**2 / (2 * slowing)
    robot = block(slope, mass, coulomb=hold)
    with erfd.backend(backend):
        run = erfd.simulate(robot, [0], [speed], [0], steps=250, dt=0.01, method=method)
    assert run["q"][-1, 0] == pytest.approx(way, rel=1e-12)
    moving = run["qd"][:, 0] != 0
    assert int(moving.sum()) == math.floor(time / 0.01) + 1
    assert (run["q"][~moving] == run["q"][-1]).all()
    assert run["lost_friction"][-1] == pytest.approx(hold * way, rel=1e-12)


def test_a_block_thrown_uphill_turns_or_stays() -> None:
    """Uphill friction and weight act together; at the top the weak one slides back."""
    slope, mass = 0.3, 1.0
    weight = mass * G * math.sin(slope)
    for part, back in ((1.1, False), (0.5, True)):
        robot = block(slope, mass, coulomb=part * weight)
        run = erfd.simulate(robot, [0], [-2.0], [0], duration=1.0, method="rk4", dt=0.01)
        top = 2.0 / ((1 + part) * weight / mass)
        height = 2.0**2 / (2 * (1 + part) * weight / mass)
        down = (1 - part) * weight / mass * max(0.0, 1.0 - top) ** 2 / 2 if back else 0.0
        assert run["q"][-1, 0] == pytest.approx(-height + down, abs=1e-12)


@BACKENDS
def test_a_pendulum_comes_to_rest_and_stays(backend: str) -> None:
    """At rest to the last bit, at an angle that friction can hold; no velocity ever chatters."""
    robot = pendulum(coulomb=0.4)
    steps, dt = (100_000, 0.001) if backend == "compiled" else (1000, 0.01)
    with erfd.backend(backend):
        run = erfd.simulate(robot, [1.2], [0], [0], steps=steps, dt=dt, method="rk4")
    q, w = run["q"][:, 0], run["qd_a"][:, 0]
    last = int(np.flatnonzero(w)[-1])
    assert last < 0.9 * steps
    rest = q[last + 1 :]
    assert (rest == rest[0]).all()
    assert not run["qdd"][last + 1 :].any()
    assert abs(0.5 * G * math.sin(rest[0])) <= 0.4
    signs = np.sign(w[np.flatnonzero(w)])
    assert int((np.diff(signs) != 0).sum()) < 20  # swings, not chatter
    assert run["energy_gap"][-1] == pytest.approx(0, abs=1e-6)


def test_coulomb_swings_lose_a_fixed_height() -> None:
    """Between two turning points the friction torque works along the way: energy is exact."""
    run = erfd.simulate(
        pendulum(coulomb=0.2), [1.0], [0], [0], duration=3.0, method="rk4", dt=0.005
    )
    w, q = run["qd"][:, 0], run["q"][:, 0]
    turns = [0, *(np.flatnonzero(w[1:] * w[:-1] < 0) + 1)]
    assert len(turns) > 3
    for a, b in pairwise(turns):
        way = abs(q[b] - q[a])
        fall = run["potential"][a] + run["kinetic"][a] - run["potential"][b] - run["kinetic"][b]
        assert fall == pytest.approx(0.2 * way, rel=1e-2)  # the rows are beside the turning points


@pytest.mark.parametrize(("motor", "holds"), [(0.55, False), (0.65, True), (1.0, True),
                                              (1.35, True), (1.45, False)])  # fmt: skip
def test_friction_of_the_load_holds_a_band_of_torques(motor: float, holds: bool) -> None:
    """With mu = 0.4 a load of 1 is held by motor torques from 0.6 to 1.4 of it."""
    robot = block(0.4, load_friction=0.4, inertia=0.1)
    load = -2.0 * G * math.sin(0.4)  # the motor holds against the weight
    run = erfd.simulate(robot, [0], [0], [motor * load], steps=50)
    assert bool(run["q"].any()) is not holds
    if not holds:
        assert run["q"][-1, 0] * (1 if motor < 1 else -1) > 0  # down if too weak, up if too strong


@pytest.mark.parametrize(("coulomb", "locks"), [(0.59, False), (0.61, True)])
def test_self_locking(coulomb: float, locks: bool) -> None:
    """Without motor torque the load x is held if x <= mu x + c; never by mu < 1 alone."""
    load = 2.0 * G * math.sin(0.4)
    robot = block(0.4, load_friction=0.4, coulomb=coulomb * load)
    assert erfd.simulate(robot, [0], [0], [0], steps=50)["q"].any() != locks
    slippery = block(0.4, load_friction=0.999)
    assert erfd.simulate(slippery, [0], [0], [0], steps=50)["q"][-1, 0] > 0


def sampled(robot: erfd.Robot, seed: int, count: int) -> tuple:
    """States with rotors at rest here and there, torques, and the accelerations of both ways."""
    rng = np.random.default_rng(seed)
    n = robot.n
    plant, values = plant_of(robot, "torque")
    state = np.zeros((plant.size, count))
    state[:n] = rng.uniform(-np.pi, np.pi, (n, count))
    state[n : 2 * n] = rng.normal(size=(n, count)) * rng.integers(0, 2, (n, count))
    torques = rng.normal(scale=10.0, size=(1, n, count)) * rng.integers(0, 2, (1, n, count))
    modes = np.zeros((4 * n, count))
    modes[n : 2 * n] = 1.0
    fence = FREE * np.ones(n)
    loop = PythonLoop(plant, values, "rk4", 1.0)
    rows, _ = loop.run(state, modes, torques, steps=0, every=1, fence=fence)
    return plant, values, state, torques[0], rows[0, plant.size : plant.size + n], modes


@pytest.mark.parametrize("kinds", ["R", "RR", "RPR", "RRRRRR"])
def test_the_modes_fit(kinds: str) -> None:
    """Conditions of exactly one solution, from the torques of the public inverse dynamics."""
    resting = []
    for seed in range(6):
        robot = geared(seed, kinds, least=10.0)
        _, values, state, tau, y, _ = sampled(robot, seed, 300)
        n = robot.n
        q, w = state[:n], state[n : 2 * n]
        back = np.linalg.inv(np.array(robot.gear_matrix))
        qd, qdd = back @ w, back @ y
        u = erfd.inverse_dynamics(robot, q.T, qd.T, qdd.T, damping=True).T
        x = back.T @ u
        mu, c = values["load_friction"][:, None], values["coulomb"][:, None]
        most = mu * np.abs(x) + c
        friction = tau - x - values["inertia"][:, None] * y - values["viscous"][:, None] * w
        size = np.abs(x).max() + np.abs(tau).max() + (values["inertia"][:, None] * np.abs(y)).max()
        way = np.where(w != 0, np.sign(w), np.sign(y))
        slips = way != 0
        assert np.abs(friction - most * way)[slips].max() < 1e-9 * size
        assert (np.abs(friction) - most)[~slips].max(initial=0.0) < 1e-9 * size
        resting.append((~slips).mean())
    assert 0.05 < np.mean(resting) < 0.6  # both kinds were there


def test_lanes_decide_as_the_numpy_text_does(compiled: None) -> None:
    robot = geared(3, "RRP")
    plant, values, state, tau, y, modes = sampled(robot, 3, 4)
    loop = SimulationLoop(plant, values, "rk4", 1.0, width=4)
    fresh = np.zeros_like(modes)
    fresh[robot.n : 2 * robot.n] = 1.0
    rows, _ = loop.run(state, fresh, tau[None], 0, 1, FREE * np.ones(robot.n))
    found = rows[0, plant.size : plant.size + robot.n]
    assert np.abs(found - y).max() < 1e-10 * max(1.0, np.abs(y).max())
    assert np.array_equal(fresh, modes)


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10_000), kinds=st.sampled_from(["R", "RP", "RR"]))
def test_friction_never_creates_energy(seed: int, kinds: str) -> None:
    """Loss grows in every step, and without motors the energy of any arm falls."""
    robot = geared(seed, kinds)
    rng = np.random.default_rng(seed)
    q, qd = rng.uniform(-2, 2, (2, robot.n))
    run = erfd.simulate(robot, q, qd, np.zeros(robot.n), steps=60, dt=0.002, method="rk4")
    assert np.diff(run["lost_friction"]).min() >= -1e-12
    energy = run["kinetic"] + run["potential"]
    scale = max(1.0, float(np.abs(energy).max()))
    assert np.diff(energy).max() < 1e-6 * scale  # the error of a step
    assert np.abs(run["energy_gap"]).max() < 1e-6 * scale


def test_rotors_stick_and_slip_on_their_own(compiled: None) -> None:
    """Lola 15 with small torques: some rotors rest, exactly, while others turn."""
    robot = erfd.load("lola15")
    q = [0.0, 0.2, -0.3, 0.0, -0.8, 0.0]
    hold = np.linalg.solve(np.array(robot.gear_matrix).T, erfd.gravity_torque(robot, q))
    torque = hold * [1, 1, 1, 1, 1, 1] + [1.0, 0, 0, 0, 0.1, 0]
    run = erfd.simulate(robot, q, np.zeros(6), torque, duration=0.5, method="rk4")
    turning = (run["qd_a"] != 0).any(axis=0)
    assert turning[0]
    assert not turning[1]
    assert (run["q"][:, 1] == 0.2).all()
    exact = erfd.simulate(robot, q, np.zeros(6), torque, duration=0.5, method="dop853", dt=0.01)
    assert np.abs(run["q"][::10] - exact["q"]).max() < 1e-9
