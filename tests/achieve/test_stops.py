"""Joints that come to their stops while a motor is at its limit: one inelastic impact.

The pre-impact velocities are those of the plain text; tolerances are relative.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.run.events import STOP
from support.arms import random_robot
from support.plain_achiever import DividedError, Moment, PlainAchiever

seeds = st.integers(0, 2**32 - 1)
DT = 0.01


@cache
def walled_arm(seed: int, kinds: str) -> erfd.Robot:
    """A random arm in narrow limits, with motors too weak for its weight."""
    rng = np.random.default_rng(seed)
    robot = random_robot(seed, kinds)
    joints = tuple(replace(j, position_min=-0.3, position_max=0.3) for j in robot.joints)
    drives = tuple(
        erfd.Drive(
            ratio=float(rng.uniform(1, 10)), coupling=(*([0.5] * i), *([0.0] * (robot.n - i))),
            load_friction=float(rng.uniform(0, 0.3)), coulomb=float(rng.uniform(0, 0.2)),
            inertia=float(rng.uniform(0.001, 0.05)), torque_max=float(rng.uniform(0.1, 1)),
        )
        for i in range(robot.n)
    )  # fmt: skip
    return replace(robot, joints=joints, drives=drives)


def matrix(robot: erfd.Robot, q: np.ndarray) -> np.ndarray:
    """Inertia of links and rotors, per joint."""
    K = np.array(robot.gear_matrix)
    return erfd.mass_matrix(robot, q) + K.T @ np.diag([d.inertia for d in robot.drives]) @ K


def near_a_stop(robot: erfd.Robot, rng: np.random.Generator) -> tuple:
    """A state in which joints are about to hit their limits, and a velocity to reach."""
    low, high = (
        np.array([getattr(j, f"position_{end}") for j in robot.joints]) for end in ("min", "max")
    )
    gap = 0.02 * rng.random(robot.n) * rng.integers(0, 2, robot.n)
    q = np.where(rng.random(robot.n) < 0.5, low + gap, high - gap)
    return q, rng.normal(size=robot.n) * 2, rng.normal(size=robot.n) * 3


@given(seeds, st.sampled_from(["R", "P", "RR", "PRR", "RRRR", "RRPRRR"]))
@settings(max_examples=150)
def test_an_impact_takes_energy_and_no_momentum_of_others(seed: int, kinds: str) -> None:
    rng = np.random.default_rng(seed)
    robot = walled_arm(int(rng.integers(8)), kinds)
    q, qd, target = near_a_stop(robot, rng)
    witness = PlainAchiever(robot, DT, q0=q, qd0=qd)
    try:
        wanted = witness.step(q, target)
    except DividedError:
        return
    cycle = erfd.Achiever(robot, DT, q0=q, qd0=qd).step(q, target)
    for name in ("q", "qd", "qdd", "torque", "torque_wanted", "stop"):
        a, b = getattr(cycle, name), getattr(wanted, name)
        assert np.abs(a - b).max() <= 1e-9 * np.abs(b).max() + 1e-12, name
    assert np.array_equal(cycle.clipped, wanted.clipped)
    assert (np.abs(cycle.q) <= 0.3 + 1e-9).all()
    hit = cycle.clipped == STOP
    assert np.array_equal(hit, cycle.stop != 0)
    if not hit.any():
        return
    start = PlainAchiever(robot, DT, q0=q, qd0=qd)
    moment = Moment(start, robot, None)
    limit = start.drives.limit(moment.rate)
    before = qd + DT * moment.saturated(wanted.qdd_wanted, limit)[0]
    M, change = matrix(robot, q), cycle.qd - before
    momentum = M @ change
    size = np.abs(M) @ np.abs(before)
    assert (np.abs(momentum) <= 1e-9 * size)[~hit].all()
    assert np.abs(cycle.qd[hit]).max() < 1e-12 * np.abs(before).max()
    assert (momentum * np.sign(cycle.q) < 0)[hit].all()  # a stop pushes
    stopped = np.abs(cycle.q) > 0.3 - 1e-12
    assert (cycle.qd * np.sign(cycle.q) <= 1e-12)[stopped].all()
    assert (np.abs(momentum - cycle.stop * DT) <= 1e-9 * size)[hit].all()
    kinetic = [0.5 * v @ M @ v for v in (before, cycle.qd)]
    lost = 0.5 * change @ M @ change  # Carnot: the energy of the lost velocity
    assert kinetic[0] - kinetic[1] == pytest.approx(lost, rel=1e-8, abs=1e-12 * kinetic[0])
    assert np.abs(cycle.qdd - (cycle.qd - qd) / DT).max() <= 1e-9 * np.abs(cycle.qdd).max()


def arm_on_its_stop(damping: float = 0.0) -> erfd.Robot:
    """A pendulum of 2 kg at 0.5 m with its stop 0.4 rad below the horizontal, motor all but off."""
    joint = erfd.Joint("j", a=0.5, position_min=-0.4, position_max=1.0, damping=damping)
    drive = erfd.Drive(ratio=5.0, inertia=0.01, torque_max=1e-6)
    return erfd.Robot("leaning", (joint,), (erfd.Link("l", 2.0),), drives=(drive,),
                      gravity=(0.0, -9.81, 0.0))  # fmt: skip


@pytest.mark.parametrize("dt", [0.01, 0.001])
@pytest.mark.parametrize("backend", ["compiled", "numpy"])
def test_an_arm_lies_on_its_stop(backend: str, dt: float) -> None:
    """The stop carries the weight, cycle after cycle, and pushes inward."""
    robot = arm_on_its_stop()
    weight = erfd.gravity_torque(robot, [-0.4])[0]
    with erfd.backend(backend):
        planner = erfd.Achiever(robot, dt, q0=[-0.4])
        for _ in range(20):
            cycle = planner.step([-0.4], [0.0])
            assert cycle.q[0] == -0.4
            assert cycle.qd[0] == 0
            assert cycle.clipped[0] == STOP
            assert cycle.stop[0] == pytest.approx(weight, rel=1e-5)
    assert weight > 0


@pytest.mark.parametrize("backend", ["compiled", "numpy"])
def test_an_arm_falls_onto_its_stop(backend: str) -> None:
    """It falls, hits the stop once, and lies there; impulse and weight explain all of the stop."""
    robot, dt = arm_on_its_stop(), 0.005
    t = dt * np.arange(200)
    with erfd.backend(backend):
        run = erfd.achievable(robot, erfd.Trajectory(t, np.zeros((200, 1))))
    hits = np.flatnonzero(run["clipped"][:, 0] == STOP)
    assert np.array_equal(hits, np.arange(hits[0], 200))
    assert (run["q"][hits, 0] == -0.4).all()
    assert not run["qd"][hits].any()
    speed = run["qd"][hits[0] - 1, 0]
    energy = 0.5 * matrix(robot, np.zeros(1))[0, 0] * speed**2
    fallen = 2.0 * 9.81 * 0.5 * -np.sin(run["q"][hits[0] - 1, 0])
    assert energy == pytest.approx(fallen, rel=0.03)
    assert any(event.kind == "joint stop" for event in run.events)


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("name", ["lola15", "stanford", "puma560", "cmu_dd"])
def test_weak_arms_stay_within_their_stops(name: str) -> None:
    """Motors at a tenth of their torque, wild targets: every joint within its limits, always."""
    robot, rng = erfd.load(name), np.random.default_rng(4)
    weak = tuple(replace(d, torque_max=0.1 * d.torque_max) for d in robot.drives)
    robot = replace(robot, drives=weak)
    low, high = (
        np.array([getattr(j, f"position_{end}") for j in robot.joints]) for end in ("min", "max")
    )
    planner, stopped = erfd.Achiever(robot, DT, q0=(low + high) / 2), 0
    for k in range(2000):
        if k % 40 == 0:
            target = rng.normal(size=robot.n) * 3
        cycle = planner.step((low + high) / 2, target)
        assert (cycle.q >= low - 1e-9).all()
        assert (cycle.q <= high + 1e-9).all()
        hit = cycle.stop != 0
        assert np.array_equal(hit, cycle.clipped == STOP)
        stopped += int(hit.any())
    assert stopped > 20


@pytest.mark.usefixtures("compiled")
def test_no_stop_without_a_shortfall() -> None:
    """A motor with torque to spare brakes before the limit: no impact, another reason."""
    robot = erfd.load("two_link")
    high = robot.joints[1].position_max
    planner = erfd.Achiever(robot, DT, q0=[0.0, high - 0.002], qd0=[0.0, 0.21])
    cycle = planner.step([0.0, high + 0.1], [0.0, 0.21])
    assert not cycle.side.any()
    assert not cycle.stop.any()
    assert cycle.q[1] == pytest.approx(high, abs=1e-12)
    assert cycle.clipped.tolist() == [0, 3]


@pytest.mark.parametrize("dt", [0.001, 0.002, 0.01, 0.05, 0.1])
@pytest.mark.parametrize("friction", [{"viscous": 0.012}, {"coulomb": 0.3}, {"load_friction": 0.3}])
def test_a_slow_fall_onto_a_stop_is_no_run_away(dt: float, friction: dict[str, float]) -> None:
    """After the impact the acceleration is another one at once: that is no reason to give up."""
    joint = erfd.Joint("j", a=1.0, position_min=-1.5, position_max=1.0)
    drive = erfd.Drive(ratio=5.0, torque_max=1e-6, **friction)
    robot = erfd.Robot("leaning", (joint,), (erfd.Link("l", 2.0),), drives=(drive,),
                       gravity=(0.0, -9.81, 0.0))  # fmt: skip
    t = dt * np.arange(round(3 / dt) + 1)
    run = erfd.achievable(robot, erfd.Trajectory(t, np.full((len(t), 1), 0.9)))
    assert len(run) == len(t)
    assert run["q"][-1, 0] == pytest.approx(-1.5)
