"""The energy of the parts of saturated cycles, one by one, by the library's public functions."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import erfd
from erfd.achieve.balance import GAIN
from erfd.achieve.casadi_loop import CasadiLoop
from erfd.achieve.compiled_loop import CycleLoop, columns
from erfd.achieve.parts import LOST, MOST_PARTS
from erfd.achieve.symbols import CYCLE_VECTORS, PART_NUMBERS, PART_VECTORS
from erfd.drives.parameters import parameter_rows
from erfd.dynamics import fast
from erfd.dynamics.chain import chain_of
from erfd.dynamics.regroup import regrouped_moments
from erfd.kernels.payload_parameters import PayloadParameters
from erfd.robot.payload import payload_numbers
from support.arms import random_robot
from support.overpowered import NAMES, Ordeal, bundled, lifted, limits, random_ordeal, suffer


@dataclass
class Witness:
    """Stands where `judge` stands, and keeps what it was given and said."""

    judge: Any
    n: int
    parts: list[tuple[dict[str, Any], ...]] = field(default_factory=list)

    def __call__(self, *arguments: Any) -> Any:
        """Judge, and keep the part's start, end, and what comes next."""
        result = self.judge(*arguments)
        vectors = (*arguments[4:6], np.array(result)[:, 0])
        self.parts.append(tuple(self.named(np.array(x).ravel()) for x in vectors))
        return result

    def named(self, vector: np.ndarray) -> dict[str, Any]:
        names = {name: vector[k * self.n : (k + 1) * self.n] for k, name in enumerate(PART_VECTORS)}
        return names | dict(zip(PART_NUMBERS, vector[-len(PART_NUMBERS) :], strict=True))


def parts_of(ordeal: Ordeal, wrench: np.ndarray | None = None) -> Witness:
    """All parts of an ordeal that were looked at."""
    robot, dt, n = ordeal.robot, ordeal.dt, ordeal.robot.n
    planner = erfd.Achiever(robot, dt, q0=ordeal.q, qd0=ordeal.qd)
    loop = CasadiLoop(robot, planner.cycle_options(wrench=wrench is not None, payload=True))
    witness = Witness(loop.traced.judge, n)
    loop.traced = replace(loop.traced, judge=witness)
    values = planner.values | {"torque_max": ordeal.part * planner.values["torque_max"]}
    q_given = ordeal.q + dt * np.cumsum(ordeal.rates, axis=0)
    before = np.vstack([ordeal.qd, ordeal.rates[:-1]])
    loop.run(
        np.concatenate([ordeal.q, ordeal.qd])[:, None], np.hstack([q_given, ordeal.rates, before]),
        parameter_rows(values, dt, n, 1), wrench=None if wrench is None else wrench[None, :, None],
        body=PayloadParameters.of(robot).numbers([ordeal.payload])[:, :, None],
    )  # fmt: skip
    return witness


@pytest.mark.parametrize(
    ("name", "pushed"), [*((name, False) for name in NAMES), ("two_link", True), ("lola15", True)]
)
def test_no_part_gains_energy(name: str, pushed: bool) -> None:
    """E1 - E0 <= work of motors and wrench + GAIN dt h (T + E), of every part that was taken."""
    ordeal = random_ordeal(name, np.random.default_rng(3 + pushed), 0.01, seconds=0.3)
    wrench = np.random.default_rng(0).normal(size=6) * 50 if pushed else None
    robot, arm, dt, K = ordeal.robot, ordeal.arm, ordeal.dt, np.array(ordeal.robot.gear_matrix)
    inertia = np.array([d.inertia for d in robot.drives])
    taken = rejected = 0
    for start, end, result in parts_of(ordeal, wrench).parts:
        if (result["q"] == LOST).all():
            assert start["length"] <= dt / MOST_PARTS
            break
        if np.array_equal(result["q"], start["q"]) and result["left"] == start["left"]:
            assert result["length"] == start["length"] / 2
            rejected += 1
            continue
        assert np.array_equal(result["q"], end["q"])
        taken += 1
        length, turned = start["length"], end["q"] - start["q"]
        share = length / dt if start["shift"] else 1.0
        torque = (end["torque"] - start["torque"]) / share
        with erfd.backend("numpy"):
            kinetic, heights = (
                [function(arm, *(x[key] for key in keys)) for x in (start, end)]
                for function, keys in (
                    (erfd.kinetic_energy, ("q", "qd")),
                    (erfd.potential_energy, ("q",)),
                )
            )
            outside = 0.0 if wrench is None else erfd.jacobian(arm, start["q_at"]).T @ wrench
        kinetic = [
            t + 0.5 * inertia @ (K @ x["qd"]) ** 2
            for t, x in zip(kinetic, (start, end), strict=True)
        ]
        work = torque @ (K @ turned) - turned @ np.broadcast_to(outside, turned.shape)
        gain = kinetic[1] - kinetic[0] + heights[1] - heights[0] - work
        size = sum(np.abs([*kinetic, *heights])) + np.abs(work)
        assert gain <= GAIN * dt * length * (kinetic[0] + lifted(robot)) + 1e-11 * size
        assert length >= min(0.5 * dt / MOST_PARTS, start["left"])
    assert taken > 20
    assert rejected < taken


@pytest.mark.usefixtures("compiled")
def test_a_cycle_in_one_piece_that_would_gain_is_divided() -> None:
    """Two links with 200 kg, slower than what divides a cycle: its energy is kept all the same."""
    robot, dt = bundled("two_link"), 0.01
    q, qd = np.array([-1.5, 1.6]), np.array([4.5, -4.9])
    ordeal = Ordeal(robot, erfd.Payload(200.0), 0.0, dt, q, qd, np.zeros((1, 2)))
    found = suffer(ordeal)
    ends = found.columns["q"][1] - q, found.columns["qd"][1] * dt
    assert np.abs(ends[0] - ends[1]).max() > 1e-5  # in parts
    with erfd.backend("numpy"):
        kinetic = float(erfd.kinetic_energy(ordeal.arm, q, qd))
    assert np.diff(found.energy)[0] <= GAIN * dt**2 * (kinetic + lifted(robot))


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("name", ["two_link", "lola15"])
def test_a_cycle_in_which_a_motor_is_short_names_one(name: str) -> None:
    """Also one that is divided, and whose parts turn out to need less: else it had no event."""
    robot, rng = bundled(name), np.random.default_rng(5)
    n, dt = robot.n, 0.06
    planner = erfd.Achiever(robot, dt, q0=np.mean(limits(robot), axis=0))
    values = planner.values | {"torque_max": 0.3 * planner.values["torque_max"]}
    loop = CycleLoop.of(robot, planner.cycle_options(wrench=False, payload=True))
    body, fixed = PayloadParameters.of(robot).numbers([None]), parameter_rows(values, dt, n, 1)
    low, high = (np.clip(x, -3, 3) for x in limits(robot))
    divided = 0
    for _ in range(3000):
        q = low + (high - low) * rng.uniform(0.1, 0.9, n)
        qd = rng.uniform(-2, 2, n)
        target = qd + rng.normal(size=n) * rng.choice([0, 0.01, 1.0])
        given = np.concatenate([q + target * dt, target, qd])[None]
        rows = loop.run(np.concatenate([q, qd])[:, None], given, fixed, body=body[:, :, None])
        cycle = columns(rows[:, :, 0], n, "consistent")
        short = rows[1, len(CYCLE_VECTORS) * n, 0] > 0
        assert short == cycle["side"][1].any()
        assert np.isin(cycle["side"][1], (-1, 0, 1)).all()
        divided += int(short and np.abs(cycle["q"][1] - q - cycle["qd"][1] * dt).max() > 1e-9)
    assert divided > 300


@pytest.mark.parametrize("kinds", ["RRRRRR", "RPR", "PRRP", "PP", "R"])
@pytest.mark.parametrize("seed", range(5))
def test_the_potential_energy_of_base_parameters(seed: int, kinds: str) -> None:
    """That of regrouped parameters is that of the links, but for a constant."""
    robot = random_robot(seed, kinds)
    payload = erfd.Payload(3.0, (0.1, -0.2, 0.3))
    arm, chain = erfd.robot.payload.with_payload(robot, payload), chain_of(robot)
    numbers = PayloadParameters.of(robot).inputs(np.array(payload_numbers(payload)))
    loaded = PayloadParameters.of(robot).moments(numbers.tolist())
    q = np.random.default_rng(seed).uniform(-3, 3, (20, robot.n))
    poses = [
        [
            (np.cos(x), np.sin(x), 0.0) if joint.revolute else (1.0, 0.0, x)
            for x, joint in zip(row, robot.joints, strict=True)
        ]
        for row in q
    ]
    for other, moments in ((robot, regrouped_moments(chain)), (arm, loaded)):
        found = np.array([fast.potential_energy(chain, pose, moments) for pose in poses])
        with erfd.backend("numpy"):
            wanted = erfd.potential_energy(other, q)
        assert np.ptp(found - wanted) < 1e-12 * (1 + np.abs(wanted).max())


@pytest.mark.parametrize("name", ["stanford", "cmu_dd"])
def test_damped_joints_in_divided_cycles(name: str) -> None:
    """What damping does in a divided cycle beside SciPy: that of the ends of its parts."""
    effects = []
    for source in ("library", "scipy"):
        ends = []
        for damping in (0.0, 0.2):
            ordeal = damped_fall(name, damping)
            if source == "scipy":
                ends.append(by_scipy(ordeal))
                continue
            planner = erfd.Achiever(ordeal.robot, ordeal.dt, q0=ordeal.q, qd0=ordeal.qd)
            with erfd.backend("numpy"):
                cycle = planner.step(ordeal.q, 0 * ordeal.q, payload=ordeal.payload)
            assert not cycle.stop.any()
            ends.append(np.concatenate([cycle.q, cycle.qd]))
        effects.append(ends[1] - ends[0])
    # at the end of more than the part, the error is 0.044
    assert np.abs(effects[0] - effects[1]).max() < 0.035 * np.abs(effects[1]).max()


def damped_fall(name: str, damping: float) -> Ordeal:
    """One cycle of a fast arm without motor torque and dry friction."""
    plain = bundled(name)
    joints = tuple(replace(j, damping=damping) for j in plain.joints)
    drives = tuple(
        replace(d, load_friction=0.0, coulomb=0.0, torque_max=1e-9) for d in plain.drives
    )
    robot, (low, high) = replace(plain, joints=joints, drives=drives), limits(plain)
    qd = np.array([6.0, -9.0, 0.9, 6.0, -4.5, 6.0])[: robot.n]
    q = (low + high) / 2 + 0.05 * (high - low)
    return Ordeal(robot, erfd.Payload(5.0), 0.0, 0.02, q, qd, np.zeros((1, robot.n)))


def by_scipy(ordeal: Ordeal) -> np.ndarray:
    """The state after one cycle, by DOP853."""
    arm, n, K = ordeal.arm, ordeal.robot.n, np.array(ordeal.robot.gear_matrix)
    rotors = K.T @ np.diag([d.inertia for d in arm.drives]) @ K
    oil = K.T @ np.diag([d.viscous for d in arm.drives]) @ K
    oil += np.diag([j.damping for j in arm.joints])

    def rates(_: float, state: np.ndarray) -> np.ndarray:
        with erfd.backend("numpy"):
            u = erfd.inverse_dynamics(arm, state[:n], state[n:], np.zeros(n))
            M = erfd.mass_matrix(arm, state[:n]) + rotors
        return np.concatenate([state[n:], np.linalg.solve(M, -u - oil @ state[n:])])

    start = np.concatenate([ordeal.q, ordeal.qd])
    solved = solve_ivp(rates, (0, ordeal.dt), start, method="DOP853", rtol=1e-9, atol=1e-10)
    return np.asarray(solved.y[:, -1])
