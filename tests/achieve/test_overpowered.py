"""Arms that carry far too much with weak motors: finite, within their stops, no free energy.

Energies are those of links, payload and rotors; `excess` (support/overpowered.py) is what there is
beyond that of the start and the work of the motors, as a part of the bound GAIN dt t (T + E), which
holds for every arm (`python -m support.overpowered --count 1000000` tries it on 2,000 more of
these, 1 to 20 ms; `test_balance.py` part by part).
"""

import os
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import erfd
from support.overpowered import NAMES, Ordeal, bundled, check, limits, random_ordeal, starts, suffer
from support.seeds import seeded

FALLS = int(os.environ.get("ERFD_FALLS", "2000"))
"""Arms that are to stand still and cannot, all robots together."""
pytestmark = pytest.mark.usefixtures("compiled")


def fall(arm: erfd.Robot, q: np.ndarray, qd: np.ndarray, seconds: float) -> np.ndarray:
    """State (2 n) of an arm without motor torque (but rotors and their oil) by SciPy's DOP853."""
    n, K = arm.n, np.array(arm.gear_matrix)
    rotors = K.T @ np.diag([d.inertia for d in arm.drives]) @ K
    oil = K.T @ np.diag([d.viscous for d in arm.drives]) @ K

    def rates(_: float, state: np.ndarray) -> np.ndarray:
        with erfd.backend("numpy"):
            u = erfd.inverse_dynamics(arm, state[:n], state[n:], np.zeros(n))
            M = erfd.mass_matrix(arm, state[:n]) + rotors
        return np.concatenate([state[n:], np.linalg.solve(M, -u - oil @ state[n:])])

    start, precise = np.concatenate([q, qd]), {"rtol": 1e-10, "atol": 1e-11}
    return solve_ivp(rates, (0, seconds), start, method="DOP853", **precise).y[:, -1]


def falling(name: str, dt: float, count: int, mass: float = 5.0) -> Ordeal:
    """An arm without motor torque, in the middle of its range and in motion."""
    robot = bundled(name)
    low, high = limits(robot)
    n = robot.n
    q = (low + high) / 2 + 0.05 * np.where(np.arange(n) % 2, 1, -1) * (high - low)
    qd = np.array([2.0, -3.0, 0.3, 2.0, -1.5, 2.0])[:n]
    return Ordeal(robot, erfd.Payload(mass), 0.0, dt, q, qd, np.zeros((count, n)))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dt", [0.02, 0.01, 0.002])
def test_overpowered_arms_stay_finite_and_within_their_stops(name: str, dt: float) -> None:
    """2.5 kg to 20 t, none to all of the torque: numbers, stops and torque limits hold."""
    stopped = tight = 0
    for seed in range(15):
        ordeal = random_ordeal(name, np.random.default_rng(seed), dt)
        outcome = suffer(ordeal)
        assert check(ordeal, outcome) == "", seed
        stopped += int(outcome.columns["stop"].any())
        tight += int(outcome.columns["side"].any())
    assert tight == 15
    assert stopped >= 2


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dt", [0.02, 0.01, 0.005, 0.001])
def test_energy_does_not_come_from_nowhere(name: str, dt: float) -> None:
    """Wild demands: no more energy than at the start and what the motors gave, but for the bound.

    At all ends of cycles, up to where the arm has run away. With weights of tons, first energies of
    a third of all that there was came from nowhere; the bound at the end is 0.6 to 0.03 of that.
    """
    for seed in range(12 if dt > 0.001 else 4):
        outcome = suffer(random_ordeal(name, np.random.default_rng(seed), dt))
        assert outcome.excess <= 1, seed
        assert outcome.share < 5 * dt, seed


@pytest.mark.parametrize("name", ["stanford", "cmu_dd"])
def test_the_error_of_energy_falls_with_the_cycle_time(name: str) -> None:
    """Arms without friction or torque keep their energy, the better the shorter the cycles are.

    A cycle in one piece is of first order: half the cycle time, half the error.
    """
    errors = []
    for dt in (0.004, 0.002, 0.001, 0.0005, 0.00025):
        outcome = suffer(falling(name, dt, round(0.1 / dt)))
        assert not outcome.columns["stop"].any()
        kinetic = np.abs(outcome.energy - outcome.energy[0]).max()
        errors.append(kinetic)
    ratios = np.array(errors[:-1]) / errors[1:]
    assert (ratios[1:] > 1.7).all()
    assert (ratios[1:] < 2.5).all()


@pytest.mark.parametrize("name", ["two_link", "stanford", "cmu_dd"])
def test_divided_cycles_are_of_second_order(name: str) -> None:
    """One cycle against SciPy: in parts, the error is that of a midpoint rule, and far smaller."""
    base = falling(name, 1.0, 1)
    turning = [joint.revolute for joint in base.robot.joints]
    fastest = np.abs(base.qd[turning]).max()
    errors = {}
    for turn in (0.049, 0.051, 0.099):
        ordeal = replace(base, dt=turn / fastest)
        found = suffer(ordeal).columns
        wanted = fall(ordeal.arm, ordeal.q, ordeal.qd, ordeal.dt)
        gap = np.abs(np.concatenate([found["q"][-1], found["qd"][-1]]) - wanted)
        errors[turn] = gap[: base.robot.n].max(), gap[base.robot.n :].max()
    for k in range(2):  # positions, velocities
        assert errors[0.051][k] < errors[0.049][k] / 20
    order = np.log(errors[0.099][0] / errors[0.051][0]) / np.log(0.099 / 0.051)
    assert 2 < order < 3.6  # of one cycle, one more than that of the method; parts may get shorter


@pytest.mark.parametrize("name", ["two_link", "stanford", "lola15"])
def test_a_fall_converges_to_the_true_one(name: str) -> None:
    """0.1 s of free fall with 5 kg: the state of small cycles is that of SciPy."""
    gaps = []
    for dt in (0.002, 0.001, 0.0005):
        ordeal = falling(name, dt, round(0.1 / dt))
        if name == "lola15":  # no friction of gears, which SciPy's equation has not
            free = tuple(replace(d, load_friction=0.0) for d in ordeal.robot.drives)
            ordeal = replace(ordeal, robot=replace(ordeal.robot, drives=free), qd=0.1 * ordeal.qd)
        found = suffer(ordeal).columns
        assert not found["stop"].any()
        wanted = fall(ordeal.arm, ordeal.q, ordeal.qd, 0.1)
        gaps.append(np.abs(np.concatenate([found["q"][-1], found["qd"][-1]]) - wanted).max())
    assert gaps[0] / gaps[1] == pytest.approx(2, rel=0.25)
    assert gaps[1] / gaps[2] == pytest.approx(2, rel=0.25)


def test_a_stretched_arm_with_tons_keeps_its_energy() -> None:
    """Two links, stretched, 9.7 t at the tip: parts of 0.05 rad gave it a sixth more."""
    robot = bundled("two_link")
    payload = erfd.Payload(9741.660302, (0.061588158, 0.003065112, -0.042839724))
    q, qd = np.array([-1.527530175593, -0.027235830661]), np.array([48.797063803, -101.648658494])
    outcome = suffer(Ordeal(robot, payload, 0.0, 0.00625, q, qd, np.zeros((1, 2))))
    assert np.diff(outcome.energy) < 0.01 * 5.2e4  # of its kinetic energy


def still(seconds: float) -> erfd.Trajectory:
    """The direct-drive arm is to stay where it is."""
    t = 0.01 * np.arange(round(seconds / 0.01) + 1)
    return erfd.Trajectory(t, np.tile([0.5, 0.5, 0.3, 0.4, 0.5, 0.2], (len(t), 1)))


RESULTS = ("q", "qd", "torque_peak", "lag_peak", "saturated")


@pytest.mark.parametrize("backend", ["compiled", "numpy"])
@pytest.mark.parametrize("follow", ["velocity", "position"])
@pytest.mark.parametrize("place", [0, 8])
def test_a_variant_that_runs_away_leaves_the_others_alone(
    backend: str, follow: str, place: int
) -> None:
    """Each of the others is what it is alone, to the last bit; of the lost one only when is known.

    With `follow="velocity"` machine code computes variants that are calm to the end in another way
    than those beside an overloaded one (so it did before there were lost ones): their torques may
    differ in the last bits, but not from those beside an overloaded one that is not lost.
    """
    robot, motion = bundled("cmu_dd"), still(0.3)
    masses = np.linspace(1.0, 60.0, 9)
    masses[place] = 1e4
    others = np.arange(9) != place
    with erfd.backend(backend):
        beside = erfd.achievable_variants(robot, motion, payload=masses, follow=follow)
        masses[place] = 1e6
        many = erfd.achievable_variants(robot, motion, payload=masses, follow=follow)
        run = erfd.achievable(robot, motion, payload=erfd.Payload(1e6), follow=follow)
        each = [
            erfd.achievable_variants(robot, motion, payload=masses[v : v + 1], follow=follow)
            for v in range(9)
        ]
    assert np.isnan(beside.lost).all()
    assert np.array_equal(np.isnan(many.lost), others)
    assert len(run) < len(motion.t)
    assert many.lost[place] == pytest.approx(run["t"][-1])
    assert all(np.isfinite(column).all() for column in run.data.values())
    assert not many.feasible[place]
    for name in RESULTS:
        values = getattr(many, name)
        assert np.isnan(values[place]).all()
        assert np.array_equal(values[others], getattr(beside, name)[others]), name
        alone = np.vstack([getattr(variants, name) for variants in each])
        if (follow, backend, name) == ("velocity", "compiled", "torque_peak"):
            assert np.abs(values - alone)[others].max() < 1e-12 * np.abs(alone[others]).max()
        else:
            assert np.array_equal(values[others], alone[others]), name


def test_variants_without_any_torque() -> None:
    """A torque limit of 0 N m is one like any other; and the batch is the plain runs."""
    robot, motion = bundled("lola15"), erfd.Trajectory(0.01 * np.arange(60), np.zeros((60, 6)))
    most = np.array([d.torque_max for d in robot.drives])
    parts = np.array([0.0, 0.3, 1.0])
    found = erfd.achievable_variants(robot, motion, torque_max=parts[:, None] * most)
    assert np.isnan(found.lost).all()
    assert not found.torque_peak[0].any()
    low, high = limits(robot)
    assert ((found.q >= low - 1e-9) & (found.q <= high + 1e-9)).all()
    for k, part in enumerate(parts):
        q, rates = np.zeros(6), np.zeros((59, 6))
        alone = suffer(Ordeal(robot, erfd.Payload(0.0), float(part), 0.01, q, q, rates))
        assert np.abs(found.q[k] - alone.columns["q"][-1]).max() < 1e-10


@pytest.mark.parametrize("name", NAMES)
def test_arms_that_are_to_stand_still_fall_as_they_should(name: str) -> None:
    """Finite, within stops, no energy from nowhere: ERFD_FALLS of them, a part of `make soak`."""
    rng, done = np.random.default_rng(seeded(7)), 0
    while done < FALLS / len(NAMES):
        fallen = starts(name, rng, 100)
        assert fallen.problems() == "", f"after {done} falls with seed {seeded(7)}"
        moved = np.abs(fallen.states[:, : fallen.robot.n] - fallen.q).max(axis=1)
        assert (moved > 0.1).mean() > 0.2
        done += len(fallen.q)
