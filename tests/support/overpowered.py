"""Arms that carry far too much with motors far too weak: what must hold of them all the same.

`python -m support.overpowered --count 1000000` tries so many cycles and more.
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass, field
from functools import cache

import numpy as np

import erfd
from erfd.achieve.balance import GAIN
from erfd.achieve.compiled_loop import CycleLoop, columns
from erfd.drives.parameters import parameter_rows
from erfd.kernels.compiler import host
from erfd.kernels.payload_parameters import PayloadParameters
from erfd.robot.payload import with_payload

NAMES = ("cmu_dd", "stanford", "two_link", "lola15")
LIGHTEST, HEAVIEST = 2.5, 20_000.0
"""Payloads, kg."""
SECONDS = 0.4
"""How long arms fall that are to stand still."""


@dataclass(frozen=True, slots=True, eq=False)
class Ordeal:
    """An arm with a payload and a part of its torque, and what it is asked for: (cycles, n) each.

    `rates` are given velocities, from the state `q`, `qd`.
    """

    robot: erfd.Robot
    payload: erfd.Payload
    part: float
    dt: float
    q: np.ndarray
    qd: np.ndarray
    rates: np.ndarray

    @property
    def arm(self) -> erfd.Robot:
        """The arm with its payload."""
        return with_payload(self.robot, self.payload)


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Columns of the cycles that were done, energies (J) from the start on, motor work up to then.

    `excess` is the largest energy beyond that of the start and the motors' work, as a part of the
    stated bound GAIN dt t (T + E) of `achieve/balance.py`, T being the largest kinetic energy up to
    then at the ends of cycles; `share` is the same as a part of what is honestly about: the kinetic
    energy of the start, that of lifting the arm and its payload through all heights, and the work
    of the motors. `lost` is the cycle in which the arm ran away, -1 if it did not.
    """

    columns: dict[str, np.ndarray]
    energy: np.ndarray
    work: np.ndarray
    excess: float
    share: float
    lost: int


@cache
def bundled(name: str) -> erfd.Robot:
    """A bundled arm, loaded once: what is compiled for it is kept."""
    return erfd.load(name)


def limits(robot: erfd.Robot) -> tuple[np.ndarray, np.ndarray]:
    """The joints' stops."""
    ends = ("position_min", "position_max")
    return tuple(np.array([getattr(j, end) for j in robot.joints]) for end in ends)


def random_ordeal(
    name: str,
    rng: np.random.Generator,
    dt: float = 0.01,
    seconds: float = 1.5,
    masses: tuple[float, float] = (LIGHTEST, HEAVIEST),
) -> Ordeal:
    """Any payload (kg) and any part of the torque from none to all, wild demands.

    The same generator makes the same ordeal whatever the cycle time is.
    """
    robot = bundled(name)
    mass = float(np.exp(rng.uniform(*np.log(masses))))
    payload = erfd.Payload(mass, tuple(rng.uniform(-0.1, 0.1, 3).tolist()))
    part = float(rng.choice([0.0, rng.random(), 1.0]))
    low, high = limits(robot)
    q = low + (high - low) * rng.uniform(0.05, 0.95, robot.n)
    fast = np.array([joint.velocity_max for joint in robot.joints])
    qd = rng.choice([0.0, 0.3]) * rng.uniform(-1, 1, robot.n) * fast
    pieces = rng.uniform(-1, 1, (max(1, round(seconds / 0.3)), robot.n)) * fast
    pieces *= rng.random(pieces.shape) < 0.7
    count = round(seconds / dt)
    chosen = np.minimum((np.arange(count) * dt / 0.3).astype(int), len(pieces) - 1)
    return Ordeal(robot, payload, part, dt, q, qd, pieces[chosen])


def suffer(ordeal: Ordeal) -> Outcome:
    """Run an ordeal in machine code, and account for its energy."""
    robot, dt, n = ordeal.robot, ordeal.dt, ordeal.robot.n
    planner = erfd.Achiever(robot, dt, q0=ordeal.q, qd0=ordeal.qd)
    loop = CycleLoop.of(robot, planner.cycle_options(wrench=False, payload=True))
    values = planner.values | {"torque_max": ordeal.part * planner.values["torque_max"]}
    body = PayloadParameters.of(robot).numbers([ordeal.payload])
    q_given = ordeal.q + dt * np.cumsum(ordeal.rates, axis=0)
    before = np.vstack([ordeal.qd, ordeal.rates[:-1]])
    rows = loop.run(
        np.concatenate([ordeal.q, ordeal.qd])[:, None],
        np.hstack([q_given, ordeal.rates, before]), parameter_rows(values, dt, n, 1),
        body=body[:, :, None], noted=True,
    )[:, :, 0]  # fmt: skip
    found = columns(rows, n, "consistent")
    energy, kinetic, reach = _energies(ordeal, found["q"], found["qd"])
    K = np.array(robot.gear_matrix)
    turned = np.diff(found["q"], axis=0) @ K.T
    work = np.concatenate([[0.0], np.cumsum((found["torque"][1:] * turned).sum(axis=1))])
    about = kinetic[0] + reach + np.abs(work).max()
    gain = (energy - energy[0] - work)[1:]
    seconds = dt * np.arange(1, len(energy))
    most = GAIN * dt * seconds * (np.maximum.accumulate(kinetic)[1:] + lifted(robot))
    lost = len(rows) - 1 if len(rows) <= len(ordeal.rates) else -1
    excess, share = (float(x.max(initial=0.0)) for x in (gain / most, gain / about))
    return Outcome(found, energy, work, excess, share, lost)


def lifted(robot: erfd.Robot) -> float:
    """What lifts the arm without payload by 1 m, J."""
    return 9.81 * sum(link.mass for link in robot.links)


def _energies(ordeal: Ordeal, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, ...]:
    """All energy, that of the motion of links and rotors, and what heights may change it by, J."""
    arm = ordeal.arm
    rotors = np.array([d.inertia for d in arm.drives])
    with erfd.backend("numpy"):
        kinetic = erfd.kinetic_energy(arm, q, qd)
        height = erfd.potential_energy(arm, q)
        low, high = limits(arm)
        grid = np.random.default_rng(0).uniform(low, high, (200, arm.n))
        reach = np.ptp(erfd.potential_energy(arm, grid))
    rates = qd @ np.array(arm.gear_matrix).T
    kinetic = kinetic + 0.5 * (rotors * rates**2).sum(axis=1)
    return kinetic + height, kinetic, float(reach)


def check(ordeal: Ordeal, outcome: Outcome) -> str:
    """What must hold of any ordeal but for the energy: a sentence on what does not, or none."""
    found = outcome.columns
    low, high = limits(ordeal.robot)
    if not all(np.isfinite(column).all() for column in found.values()):
        return "not finite"
    if ((found["q"] < low - 1e-8) | (found["q"] > high + 1e-8)).any():
        return "beyond a stop"
    most = ordeal.part * np.array([d.torque_max for d in ordeal.robot.drives])
    if (np.abs(found["torque"]) > most * (1 + 1e-9)).any():
        return "a motor torque beyond its limit"
    return ""


def starts(name: str, rng: np.random.Generator, blocks: int, dt: float = 0.01) -> Starts:
    """Let arms fall that are to stand still: any start, payload, part of the torque."""
    robot, cycles = bundled(name), round(SECONDS / dt)
    n, width = robot.n, host().width
    planner = erfd.Achiever(robot, dt, q0=np.mean(limits(robot), axis=0))
    loop = CycleLoop.of(robot, planner.cycle_options(wrench=False, payload=True), width)
    low, high = limits(robot)
    count = blocks * width
    q = rng.uniform(low, high, (count, n))
    masses = np.exp(rng.uniform(*np.log([LIGHTEST, HEAVIEST]), count))
    part = rng.choice([0.0, 0.5, 1.0], count) * rng.random(count)
    ten = np.zeros((count, 10))
    ten[:, 0] = masses
    bodies = PayloadParameters.of(robot).inputs(ten)
    values = planner.values | {"torque_max": part[:, None] * planner.values["torque_max"]}
    fixed = parameter_rows(values, dt, n, count)
    given = np.zeros((cycles, 3 * n))
    states, lost = np.empty((count, 2 * n)), np.empty(count)
    for first in range(0, count, width):
        lanes = slice(first, first + width)
        tally = np.zeros((3 * n + 1, width))
        tally[-1] = -1.0
        start = np.vstack([q[lanes].T, np.zeros((n, width))])
        rows = loop.run(
            start, given, fixed[:, lanes], body=bodies[lanes].T[None], tally=tally, last=True
        )
        states[lanes], lost[lanes] = rows[0, : 2 * n].T, tally[-1]
    return Starts(robot, dt, q, masses, states, lost)


@dataclass(frozen=True, slots=True, eq=False)
class Starts:
    """Arms at the end of their fall: starts `q` and payloads (kg), `states`, cycle of the loss."""

    robot: erfd.Robot
    dt: float
    q: np.ndarray
    masses: np.ndarray
    states: np.ndarray
    lost: np.ndarray
    worst: list[float] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)

    def problems(self) -> str:
        """What does not hold: finite, within stops, no more energy than the bound; or none.

        The motors hold against the motion, which is to stand still, so that they give none. The
        largest kinetic energy is what the arm can fall; `worst` is a part of the bound.
        """
        robot, n = self.robot, self.robot.n
        low, high = limits(robot)
        kept = self.lost < 0
        q, qd = self.states[kept, :n], self.states[kept, n:]
        if not np.isfinite(self.states[kept]).all():
            return "not finite"
        if ((q < low - 1e-8) | (q > high + 1e-8)).any():
            return "beyond a stop"
        loaded, masses = with_payload(robot, erfd.Payload(1.0)), self.masses[kept]

        def energy(at: np.ndarray, rate: np.ndarray) -> np.ndarray:
            both = [
                erfd.kinetic_energy(arm, at, rate) + erfd.potential_energy(arm, at)
                for arm in (robot, loaded)
            ]
            return both[0] + masses * (both[1] - both[0])  # it is linear in a mass at a point

        gained = energy(q, qd) - energy(self.q[kept], 0 * qd)
        rotors = np.array([d.inertia for d in robot.drives])
        gained = gained + 0.5 * (rotors * (qd @ np.array(robot.gear_matrix).T) ** 2).sum(axis=1)
        grid = np.random.default_rng(0).uniform(low, high, (2000, n))
        heights = [erfd.potential_energy(arm, grid) for arm in (robot, loaded)]
        reach = np.ptp(heights[0]) + masses * np.ptp(heights[1] - heights[0])
        most = GAIN * self.dt * SECONDS * (reach + lifted(robot))
        self.worst.append(float((gained / most).max(initial=0.0)))
        self.shares.append(float((gained / reach).max(initial=0.0)))
        return "" if self.worst[-1] <= 1 else f"energy: {self.worst[-1]:.3g} of the bound"


def fall_from(count: int, seed: int, dt: float) -> None:
    """Let so many arms fall, and say what did not hold."""
    rng, done = np.random.default_rng(seed), 0
    worst, shares = dict.fromkeys(NAMES, 0.0), dict.fromkeys(NAMES, 0.0)
    lost: Counter[str] = Counter()
    while done < count:
        for name in NAMES:
            fallen = starts(name, rng, 500, dt)
            wrong = fallen.problems()
            if wrong:
                print(f"{name} after {done} starts (seed {seed}): {wrong}", flush=True)
            worst[name] = max(worst[name], *fallen.worst)
            shares[name] = max(shares[name], *fallen.shares)
            lost[name] += int((fallen.lost >= 0).sum())
            done += len(fallen.q)
    print(f"{done} starts at {dt:g} s; energy gained, of the bound, of all that the arm can fall:")
    for name in NAMES:
        print(f"{name}: {worst[name]:.3g}, {shares[name]:.3g}; {lost[name]} ran away")


def main() -> None:
    """Try many ordeals, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000, help="cycles in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--dt", type=float, default=0.01, help="their cycle time, s")
    parser.add_argument("--starts", type=int, default=0, help="arms that are to stand still")
    options = parser.parse_args()
    if options.starts:
        fall_from(options.starts, options.seed, options.dt)
        return
    rng, done, k = np.random.default_rng(options.seed), 0, 0
    worst: Counter[str] = Counter()
    share: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    while done < options.count:
        name = NAMES[k % len(NAMES)]
        dt = float(rng.choice([0.001, 0.005, 0.01, 0.02]))
        ordeal = random_ordeal(name, rng, dt)
        outcome = suffer(ordeal)
        wrong = check(ordeal, outcome) or (
            "" if outcome.excess <= 1 else f"energy: {outcome.excess:.3g} of the bound"
        )
        key = f"{name} {dt:g} s"
        if wrong:
            print(f"ordeal {k} (seed {options.seed}): {key}: {wrong}", flush=True)
        worst[key] = max(worst[key], outcome.excess)
        share[key] = max(share[key], outcome.share)
        lost[key] += int(outcome.lost >= 0)
        tried[key] += 1
        done, k = done + len(ordeal.rates), k + 1
    for key in sorted(tried):
        gained = f"gain {worst[key]:.3g} of the bound, {share[key]:.3g} of all energy about"
        print(f"{key}: {tried[key]} arms, {lost[key]} ran away, {gained}")


if __name__ == "__main__":
    with erfd.backend("compiled"):
        main()
