"""Algorithm 1's cycle by its rules: dry friction is against the motion at the end of the cycle.

The witness is the plain text (support/plain_achiever.py, support/plain_saturation.py), for few
joints also brute force over all pieces. Tolerances are relative to the largest value of a cycle.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import erfd
from erfd.achieve.achiever import Cycle
from erfd.robot.payload import with_payload
from support.arms import random_robot
from support.motions import HOME, lola_motion
from support.plain_achiever import DividedError, Moment, PlainAchiever
from support.plain_saturation import every_solution, violation

LOLA = erfd.load("lola15")
seeds = st.integers(0, 2**32 - 1)


@cache
def small_arm(seed: int, kinds: str) -> erfd.Robot:
    """An arm of a few joints with coupled drives, friction of all kinds, and no limits."""
    rng = np.random.default_rng(seed)
    robot, drives = random_robot(seed, kinds), []
    for i in range(robot.n):
        coupling = np.where(np.arange(robot.n) < i, rng.uniform(-3, 3, robot.n), 0.0)
        drives.append(
            erfd.Drive(
                ratio=float(rng.choice([-1, 1]) * rng.uniform(1, 20)),
                coupling=tuple(coupling.tolist()),
                load_friction=float(rng.choice([0, rng.uniform(0, 0.5)])),
                coulomb=float(rng.choice([0, rng.uniform(0, 1)])),
                viscous=float(rng.uniform(0, 0.01)),
                inertia=float(rng.uniform(0.001, 0.05)),
                torque_max=float(rng.uniform(0.5, 5)),
            )
        )
    return replace(robot, drives=tuple(drives))


@cache
def six_joints(name: str) -> erfd.Robot:
    """Arms of six joints; `dry`: Lola 15 with Coulomb friction, `damped`: with damped joints."""
    if name not in ("dry", "damped"):
        return erfd.load(name)
    dry = tuple(replace(d, coulomb=0.05 * d.torque_max) for d in LOLA.drives)
    damped = tuple(replace(j, damping=10.0) for j in LOLA.joints)  # as xArm's file has it
    changes = {"drives": dry} if name == "dry" else {"joints": damped}
    return replace(LOLA, name=name, **changes)


def random_case(robot: erfd.Robot, rng: np.random.Generator, fast: float, hard: float) -> tuple:
    """q, qd and a velocity to reach: some rotors rest, some are to rest, some to reverse."""
    low = np.array([max(j.position_min, -2.0) for j in robot.joints])
    high = np.array([min(j.position_max, 2.0) for j in robot.joints])
    q = low + (high - low) * rng.uniform(0.02, 0.98, robot.n)
    qd = rng.normal(size=robot.n) * fast * rng.choice([0, 0.01, 1], robot.n)
    change = rng.normal(size=robot.n) * hard
    target = rng.choice([0, 1, -1], robot.n) * qd + change * rng.choice([0, 0.01, 1], robot.n)
    return q, qd, np.where(rng.random(robot.n) < 0.2, 0.0, target)


def friction(
    robot: erfd.Robot, dt: float, q: np.ndarray, qd: np.ndarray, cycle: Cycle
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What is left of the motor torques for dry friction, the most of it, speeds at the end."""
    K = np.array(robot.gear_matrix)
    end = qd + cycle.qdd * dt
    damping = np.array([joint.damping for joint in robot.joints])
    x = np.linalg.solve(K.T, erfd.inverse_dynamics(robot, q, qd, cycle.qdd) + damping * end)
    d = robot.drives
    column = lambda name: np.array([getattr(drive, name) for drive in d])  # noqa: E731
    rest = column("inertia") * (K @ cycle.qdd) + column("viscous") * (K @ end)
    return cycle.torque - x - rest, column("load_friction") * np.abs(x) + column("coulomb"), K @ end


@given(seeds, st.sampled_from(["R", "P", "RR", "RP", "RRR", "PRR"]), st.sampled_from([1e-3, 1e-2]))
@settings(max_examples=100)
def test_brute_force(seed: int, kinds: str, dt: float) -> None:
    """Of all pieces of up to three rotors exactly one solution fits: that of the step."""
    rng = np.random.default_rng(seed)
    robot = small_arm(int(rng.integers(8)), kinds)
    q, qd, target = random_case(robot, rng, 1.0, 30 * dt)
    cycle = erfd.Achiever(robot, dt, q0=q, qd0=qd).step(q, target)
    witness = PlainAchiever(robot, dt, q0=q, qd0=qd)
    moment = Moment(witness, robot, None)
    problem = moment.problem((target - qd) / dt, witness.drives.limit(moment.rate))
    fits, sides = every_solution(problem)
    y = witness.drives.K @ cycle.qdd
    size = np.abs(fits).max() + np.abs(problem.wanted).max() + 1e-12
    assert len(fits)
    assert np.abs(fits - fits[0]).max() < 1e-8 * size
    revolute = [i for i, joint in enumerate(robot.joints) if joint.revolute]
    ends = qd + np.linalg.solve(witness.drives.K, fits[0]) * dt
    assume((np.maximum(np.abs(qd), np.abs(ends))[revolute] * dt < 0.0499).all())
    assert np.abs(y - fits[0]).max() < 1e-9 * size
    assert (cycle.side == sides).all(axis=1).any()


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("name", ["lola15", "puma560", "dry", "damped", "stanford", "cmu_dd"])
def test_six_joints(name: str) -> None:
    """Single cycles of six joints: the conditions of erratum 8, and the plain text's numbers."""
    robot, rng = six_joints(name), np.random.default_rng(6)
    dt, counts = 0.005, np.zeros(3, dtype=int)
    most = np.array([joint.acceleration_max for joint in robot.joints])
    planner = erfd.Achiever(robot, dt, q0=random_case(robot, rng, 0, most)[0])
    for _ in range(150):
        q, qd, target = random_case(robot, rng, 1.0, most * dt * rng.choice([0.3, 3]))
        planner.restart(q, qd)
        witness = PlainAchiever(robot, dt, q0=q, qd0=qd)
        moment = Moment(witness, robot, None)
        cycle = planner.step(q, target)
        try:
            wanted = witness.step(q, target)
        except DividedError:
            continue
        for column in ("q", "qd", "qdd", "torque", "torque_wanted", "stop"):
            a, b = getattr(cycle, column), getattr(wanted, column)
            assert np.abs(a - b).max() <= 1e-9 * np.abs(b).max() + 1e-12, column
        for column in ("side", "clipped", "stalled"):
            assert np.array_equal(getattr(cycle, column), getattr(wanted, column)), column
        counts += [1, int(cycle.side.any()), int(cycle.stop.any())]
        if not cycle.stop.any():
            p = moment.problem(cycle.qdd_wanted, cycle.torque_max)
            y = (witness.drives.K @ cycle.qdd)[None]
            gaps = violation(p, y, cycle.torque[None], cycle.side[None])
            assert max(gap.max() for gap in gaps.values()) < 1e-9
    assert counts[0] > 120
    assert counts[1] / counts[0] > 0.2


@pytest.mark.parametrize("backend", ["compiled", "numpy"])
@pytest.mark.parametrize("name", ["lola15", "dry", "puma560"])
def test_friction_never_drives(backend: str, name: str) -> None:
    """Whatever the cycle: friction times the speed at its end is not below zero, nor too large."""
    robot, rng, dt = six_joints(name), np.random.default_rng(1), 0.01
    planner, kinds = erfd.Achiever(robot, dt), []
    with erfd.backend(backend):
        for _ in range(150):
            q, qd, target = random_case(robot, rng, 1.0, 0.3 * rng.choice([0.1, 1]))
            planner.restart(q, qd)
            cycle = planner.step(q, target)
            if np.maximum(np.abs(qd), np.abs(cycle.qd)).max() * dt > 0.04 or cycle.stop.any():
                continue
            force, most, end = friction(robot, dt, q, qd, cycle)
            start = np.array(robot.gear_matrix) @ qd
            slack = 1e-9 * (np.abs(cycle.torque) + most)
            assert (np.abs(force) <= most + slack).all()
            moving = np.abs(end) > 1e-7
            assert (np.abs(force - most * np.sign(end)) <= slack)[moving].all()
            kinds.append([cycle.side.any(), (start * end < 0).any(),
                          ((start == 0) & (cycle.side != 0) & moving).any()])  # fmt: skip
    saturated, reversed_, from_rest = np.mean(kinds, axis=0)
    assert 0.1 < saturated < 0.95
    assert min(reversed_, from_rest) > 0.02


@pytest.mark.usefixtures("compiled")
def test_variants_of_one_cycle_are_steps() -> None:
    """Lanes of a batch have the friction of single steps: reversal, rest, too little torque."""
    rng, dt, count = np.random.default_rng(2), 0.01, 5
    most = np.array([d.torque_max for d in LOLA.drives]) * rng.uniform(0.05, 1, (count, 6))
    dry = most * rng.uniform(0, 0.2, (count, 6))
    for _ in range(30):
        q, qd, target = random_case(LOLA, rng, 0.5, 0.2)
        motion = erfd.Trajectory(dt * np.arange(2), [q, q + target * dt])
        options = {"torque_max": most, "coulomb": dry, "q0": q, "qd0": qd}
        found = erfd.achievable_variants(LOLA, motion, **options)
        with erfd.backend("numpy"):
            same = erfd.achievable_variants(LOLA, motion, **options)
        for v in range(count):
            drives = tuple(
                replace(d, torque_max=most[v, i], coulomb=dry[v, i])
                for i, d in enumerate(LOLA.drives)
            )
            robot = replace(LOLA, drives=drives)
            cycle = PlainAchiever(robot, dt, q0=q, qd0=qd).step(motion.q[1], motion.qd[1])
            for result in (found, same):
                assert np.abs(result.qd[v] - cycle.qd).max() < 1e-10
                assert np.abs(result.q[v] - cycle.q).max() < 1e-12
                assert np.abs(result.torque_peak[v] - np.abs(cycle.torque)).max() < 1e-9


@pytest.mark.parametrize("backend", ["compiled", "numpy"])
def test_a_reversal_takes_the_friction_of_its_end(backend: str) -> None:
    """Motor 2 of Lola 15 turns round: 14.5 N m; against the speed of before it would be 10.8."""
    q = np.array([0.0, 0.098, -0.3, 0.0, -0.8, 0.0])
    qd, target = np.array([0, -0.02, 0, 0, 0, 0]), np.array([0, 0.0196, 0, 0, 0, 0])
    with erfd.backend(backend):
        cycle = erfd.Achiever(LOLA, 0.01, q0=q, qd0=qd).step(q, target)
    _, most, _ = friction(LOLA, 0.01, q, qd, cycle)
    assert np.array_equal(cycle.qd, target)
    assert cycle.torque[1] == pytest.approx(14.5, abs=0.05)
    assert cycle.torque[1] - 2 * most[1] == pytest.approx(10.8, abs=0.1)


@pytest.mark.parametrize("backend", ["compiled", "numpy"])
@pytest.mark.parametrize("weak", [1e-3, 0.1, 0.3])
def test_an_overloaded_rotor_starts_from_rest(backend: str, weak: float) -> None:
    """Motor 2 cannot hold: its rotor slips with the load, friction brakes it from the first cycle.

    That is x (1 - mu) - I y = L with x = A y + b.
    """
    drives = list(LOLA.drives)
    drives[1] = replace(drives[1], torque_max=weak * 10.0)
    robot, q = replace(LOLA, drives=tuple(drives)), np.array([0, 1.2, -0.3, 0, -0.8, 0.0])
    with erfd.backend(backend):
        cycle = erfd.Achiever(robot, 0.01, q0=q).step(q, np.zeros(6))
    force, most, end = friction(robot, 0.01, q, np.zeros(6), cycle)
    side, way = cycle.side[1], np.sign(end[1])
    assert side == -way  # the motor pushes against what it cannot hold
    assert cycle.torque[1] == pytest.approx(side * weak * 10.0)
    assert force[1] == pytest.approx(way * most[1], rel=1e-9)
    assert cycle.stalled.tolist() == [False, True, False, False, False, False]


def pendulum(**drive: float) -> erfd.Robot:
    """One joint without gravity: inertia 2 kg m2, damping 3 N m s/rad, ratio 10."""
    joint = erfd.Joint("j", damping=3.0)
    link = erfd.Link("l", 1.0, inertia=((2.0, 0, 0), (0, 2.0, 0), (0, 0, 2.0)))
    numbers = {"ratio": 10.0, "inertia": 0.01} | drive
    return erfd.Robot("p", (joint,), (link,), drives=(erfd.Drive(**numbers),), gravity=(0, 0, 0))


@pytest.mark.parametrize("backend", ["compiled", "numpy"])
@pytest.mark.parametrize("speed", [0.7, -0.7])
def test_joint_damping_at_constant_speed(backend: str, speed: float) -> None:
    """A damped joint at constant speed: d q' / k, the gear's friction upon it, viscous friction."""
    robot = pendulum(load_friction=0.2, coulomb=0.05, viscous=0.001, torque_max=9.0)
    with erfd.backend(backend):
        cycle = erfd.Achiever(robot, 0.01, qd0=[speed]).step([0.01 * speed], [speed])
    wanted = 1.2 * 3.0 * 0.7 / 10 + 0.05 + 0.001 * 7.0
    assert cycle.torque[0] == pytest.approx(np.sign(speed) * wanted, rel=1e-12)
    assert cycle.torque_wanted[0] == cycle.torque[0]


@pytest.mark.parametrize("backend", ["compiled", "numpy"])
def test_joint_damping_while_saturated(backend: str) -> None:
    """Damping at the end of the cycle: (J + k2 I) q'' = k L - d (q' + q'' dt), to k L / d."""
    robot, dt = pendulum(torque_max=0.2), 0.01
    with erfd.backend(backend):
        planner, rate = erfd.Achiever(robot, dt), 0.0
        for _ in range(500):
            cycle = planner.step([9.0], [2.0])
            rate = (3.0 * rate + dt * 10 * 0.2) / (3.0 + dt * 3.0)
            assert cycle.qd[0] == pytest.approx(rate, rel=1e-12)
            assert cycle.torque[0] == 0.2
    assert rate == pytest.approx(2 / 3, rel=0.01)


@pytest.mark.usefixtures("compiled")
def test_joint_damping_of_six_joints() -> None:
    """Damped joints at constant speed: the load of the damping comes by virtual work."""
    robot, q, qd = six_joints("damped"), HOME, np.array([0.1, -0.2, 0.3, 0.2, -0.1, 0.3])
    cycles = [
        erfd.Achiever(arm, 0.01, q0=q, qd0=qd).step(q + 0.01 * qd, qd) for arm in (robot, LOLA)
    ]
    force, most, end = friction(robot, 0.01, q, qd, cycles[0])
    assert np.abs(force - most * np.sign(end)).max() < 1e-12
    other, _, _ = friction(LOLA, 0.01, q, qd, cycles[1])
    bare = cycles[0].torque - force - cycles[1].torque + other
    damping = np.linalg.solve(np.array(LOLA.gear_matrix).T, 10.0 * qd)
    assert np.abs(bare - damping).max() < 1e-12


@pytest.mark.usefixtures("compiled")
def test_machine_code_is_that_of_the_damping() -> None:
    """Two arms that differ in nothing but the damping of their joints, in either order."""
    qd = np.full(6, 0.2)
    for first, then in ((0.0, 10.0), (20.0, 5.0)):
        for damping in (first, then):
            robot = replace(LOLA, joints=tuple(replace(j, damping=damping) for j in LOLA.joints))
            motion = erfd.Trajectory(0.01 * np.arange(4), HOME + 0.01 * np.arange(4)[:, None] * qd)
            cycle = erfd.Achiever(robot, 0.01, q0=HOME, qd0=qd).step(motion.q[1], qd)
            run = erfd.achievable(robot, motion, qd0=qd)
            many = erfd.achievable_variants(robot, motion, payload=[0.0, 0.0], qd0=qd)
            witness = PlainAchiever(robot, 0.01, q0=HOME, qd0=qd)
            torques = [witness.step(motion.q[k], motion.qd[k]).torque for k in (1, 2, 3)]
            assert np.abs(cycle.torque - torques[0]).max() < 1e-10, (first, then, damping)
            assert np.abs(run["u_a"][1:] - torques).max() < 1e-10
            friction = run["ua_load_friction"][1:] * run["qd_a"][1:]
            assert (friction >= 0).all()
            assert np.abs(many.torque_peak - np.abs(torques).max(axis=0)).max() < 1e-10


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("follow", ["velocity", "position"])
def test_what_a_motor_would_have_needed_does_not_depend_on_the_cycle_time(follow: str) -> None:
    """The largest `u_a_wanted` of a too fast motion at 20 to 0.1 ms, and it is never too small."""
    payload, found = erfd.Payload(15.0), []
    for dt in (0.02, 0.01, 0.005, 0.001, 0.0001):
        motion = lola_motion(1.0, dt)
        run = erfd.achievable(LOLA, motion, payload=payload, follow=follow)
        tight = run["saturated"] != 0
        assert tight[:, 0].any()
        found.append(np.abs(np.where(tight, run["u_a_wanted"], 0)).max(axis=0)[0])
    assert np.abs(np.array(found) / found[-1] - 1).max() < 0.05
    # and it is what the motion takes by inverse dynamics, as far as the arm keeps up
    arm = with_payload(LOLA, payload)
    motion = lola_motion(1.0, 0.001)
    qdd = np.gradient(motion.qd, 0.001, axis=0)
    with erfd.backend("numpy"):
        u = erfd.inverse_dynamics(arm, motion.q, motion.qd, qdd)
    first = LOLA.drives[0]
    torque = u[:, 0] / 120 + 0.22 * np.abs(u[:, 0] / 120) * np.sign(motion.qd[:, 0])
    torque += first.inertia * 120 * qdd[:, 0] + first.viscous * 120 * motion.qd[:, 0]
    assert found[-1] == pytest.approx(np.abs(torque).max(), rel=0.25)
