"""Cycles of Algorithm 1 by the million: every condition of the pages, in plain NumPy, of each.

ERFD_CYCLES says how many (make soak-cycles), ERFD_SEED which. Cycles follow one another: wild
stretches of jumps and pushes, calm ones of a slow sine; payloads come and go.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("pinocchio", exc_type=ImportError)

import erfd
from erfd.achieve.achiever import Achiever
from erfd.achieve.compiled_loop import CycleLoop, columns
from erfd.achieve.symbols import CYCLE_VECTORS
from erfd.kernels.payload_parameters import PayloadParameters
from referee.arms import NAMES, Pair, pair
from referee.compiled import compiler, many_inverse_dynamics
from referee.rules.arm import Array
from referee.rules.many_cycles import Cycles, ManyCycles
from referee.rules.many_states import ManyStates

ASKED = int(float(os.environ.get("ERFD_CYCLES", "0")))
SEED = int(os.environ.get("ERFD_SEED", "0"))
CHUNK = 3000
DT = 0.01
KINDS = {
    "stanford rated": ("velocity", "virtual-work"),
    "lola15 rated": ("velocity", "virtual-work"),
    "puma560 rated": ("velocity", "virtual-work"),
    "lola15": ("position", "diagonal"),
    "seven": ("position", "virtual-work"),
}
QUICK = dict.fromkeys(("lola15 rated", "stanford rated"), 60_000)
"""Cycles of each arm in `make test`."""


class Course:
    """An arm on its way: chunks of cycles, one after another from where the last ended."""

    def __init__(self, both: Pair, follow: str, path: str, seed: int) -> None:
        self.both, self.n, self.rng = both, both.arm.n, np.random.default_rng(seed)
        start = np.clip(0.0, both.arm.lower, both.arm.upper)
        achiever = Achiever(both.robot, DT, follow=follow, torque_path=path, q0=start)
        options = achiever.cycle_options(wrench=True, payload=True)
        self.loop = CycleLoop.of(both.robot, options)
        self.parameters = achiever.parameters
        weight = max(0.05, min(1.0, sum(link.mass for link in both.arm.links) / 480))
        carried = [None, *(self._payload(weight) for _ in range(5))]
        self.bodies = PayloadParameters.of(both.robot).numbers(
            [None if p is None else erfd.Payload(p[0], p[1], tuple(map(tuple, p[2])))
             for p in carried]
        )  # fmt: skip
        self.force = weight * np.array([200, 200, 200, 50, 50, 50])
        self.judge = ManyCycles(
            ManyStates(both.arm, carried, many_inverse_dynamics()), DT, path == "diagonal"
        )
        low, high = np.maximum(both.arm.lower, -3), np.minimum(both.arm.upper, 3)
        self.low, self.high = low, high
        self.state = np.concatenate([start, np.zeros(self.n)])[:, None]
        self.programmed = np.zeros(self.n)

    def _payload(self, weight: float) -> tuple[float, tuple[float, float, float], Array]:
        x, y, z = self.rng.uniform(-0.2, 0.2, 3)
        inertia = np.diag(self.rng.uniform(0.1, 0.15, 3)) * weight
        return float(15 * weight * self.rng.random()), (x, y, z), inertia

    def chunk(self, size: int) -> Cycles:
        """So many cycles."""
        n, rng = self.n, self.rng
        fastest = np.minimum(self.both.arm.velocity, 10.0)
        given = np.empty((size, 3 * n))
        given[:, :n] = rng.uniform(self.low, self.high, (size, n))
        rates = rng.standard_normal((size // 20 + 1, n)) * fastest
        rates *= rng.choice([0.3, 1.2], (len(rates), 1))
        given[:, n : 2 * n] = np.repeat(rates, 20, axis=0)[:size]
        given[:, n : 2 * n] *= rng.random((size, n)) > 0.02  # a joint is to stand still
        # a calm stretch: from where it is now, a slow sine
        begin = int(rng.integers(0, size // 2))
        calm = slice(begin, begin + size // 2)
        t = DT * np.arange(size // 2)[:, None]
        slow = np.sin(0.2 * t + rng.uniform(0, 6, n)) * 0.1 + (self.low + self.high) / 2
        given[calm, :n] = slow
        given[calm, n : 2 * n] = np.vstack([np.zeros(n), np.diff(slow, axis=0) / DT])
        given[:, 2 * n :] = np.vstack([self.programmed, given[:-1, n : 2 * n]])
        self.programmed = given[-1, n : 2 * n].copy()
        wrench = rng.standard_normal((size, 6)) * self.force
        wrench[calm] *= 0.1
        which = np.repeat(rng.integers(0, len(self.bodies), size // 50 + 1), 50)[:size]
        rows = self.loop.run(
            self.state, given, self.parameters,
            wrench=wrench[:, :, None], body=self.bodies[which][:, :, None], noted=True,
        )  # fmt: skip
        assert len(rows) == size + 1, "the arm ran away"
        self.state = rows[-1, : 2 * n].copy()
        return self._cycles(rows[:, :, 0], given, wrench, which)

    def _cycles(self, rows: Array, given: Array, wrench: Array, which: Array) -> Cycles:
        n = self.n
        flat, asked = np.ascontiguousarray(rows.T), np.ascontiguousarray(given.T)
        found = columns(flat[:, 1:].T, n, "consistent")
        names = ("q", "qd", "qdd", "wanted", "torque", "needed", "limit", "side", "stop")
        return Cycles(
            flat[:n, :-1], flat[n : 2 * n, :-1], asked[n : 2 * n], asked[2 * n :],
            np.ascontiguousarray(wrench.T), which, *(found[name].T for name in names),
            flat[len(CYCLE_VECTORS) * n, 1:] > 0,
        )  # fmt: skip


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("name", KINDS if ASKED else QUICK)
def test_every_condition_of_every_cycle(name: str) -> None:
    follow, path = KINDS[name]
    course = Course(pair(name), follow, path, 1000 * SEED + 7)
    left = -(-ASKED // len(KINDS)) if ASKED else QUICK[name]
    count = tight = plain = 0
    while left > 0:
        cycles = course.chunk(min(CHUNK, max(left, 100)))
        left -= CHUNK
        faults = list(course.judge.faults(cycles, follow == "velocity"))
        assert not faults, "\n".join([f"after {count} cycles", *faults])
        count += cycles.tight.size
        tight += int(cycles.tight.sum())
        plain += int((course.judge.plain(cycles) & cycles.tight).sum())
    assert 0.05 < tight / count < 0.95  # some saturate, some do not
    assert plain > 0.2 * tight  # and many of them are looked at in full
    print(f"{name}: {count:,} cycles, {tight / count:.1%} saturated, {plain / tight:.1%} in full")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.skipif(compiler() is None, reason="needs a C compiler")
def test_many_states_are_those_of_pinocchio(name: str) -> None:
    rng, arm = np.random.default_rng(3), pair(name).arm
    inertia = np.diag([0.1, 0.2, 0.15]) + 0.01
    carried = [None, (5.0, (0.1, 0.2, -0.1), inertia)]
    states = ManyStates(arm, carried, many_inverse_dynamics())
    q, qd, qdd = (size * rng.normal(size=(arm.n, 37)) for size in (1, 2, 50))
    wrench, which = 100 * rng.normal(size=(6, 37)), rng.integers(0, 2, 37)
    fast, slow = (f(q, qd, qdd, wrench, which) for f in (states.torques, states.by_pinocchio))
    assert abs(fast - slow).max() < 1e-13 * abs(slow).max()


@pytest.fixture(scope="module")
def course() -> Course:
    with erfd.backend("compiled"):
        return Course(pair("lola15 rated"), *KINDS["lola15 rated"], 1)


@pytest.fixture(scope="module")
def cycles(course: Course) -> Cycles:
    return course.chunk(CHUNK)


def _changed(name: str, change: float, where: str = "all") -> Callable[[Cycles], Cycles]:
    def change_it(c: Cycles) -> Cycles:
        masks = {"all": c.side < 2, "side": c.side != 0, "free": c.tight & (c.side == 0)}
        value = getattr(c, name)
        return replace(c, **{name: np.where(masks[where], value + change, value)})

    return change_it


def _pushed(c: Cycles) -> Cycles:
    return replace(c, side=-c.side, torque=np.where(c.side != 0, -c.torque, c.torque))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_changed("torque", 1e-5), "friction"),
        (_changed("torque", 1e-5, "side"), "beyond its limit"),
        (_changed("torque", -1e-5, "side"), "not at its limit"),
        (_changed("qdd", 1e-5), "velocity"),
        (_changed("wanted", 1e-3), "wanted"),
        (_changed("wanted", 1e-3, "free"), "free rotor not as wanted"),
        (_pushed, "helped by its limit"),
        (_changed("needed", 1e-4), "needed"),
        (_changed("limit", 1e-6), "limit"),
        (_changed("end_q", 10.0), "upper stop"),
        (_changed("end_q", -10.0), "lower stop"),
        (_changed("end_qd", 1e-7), "velocity"),
        (_changed("stop", 1.0), "stop without step 6"),
        (_changed("torque", np.nan), "finite torque"),
        (lambda c: replace(c, which=(c.which + 1) % 6), "friction"),
        (lambda c: replace(c, wrench=c.wrench + 0.01), "friction"),
    ],
)
def test_what_is_wrong_is_seen(
    course: Course, cycles: Cycles, change: Callable[[Cycles], Cycles], told: str
) -> None:
    assert not list(course.judge.faults(cycles))
    faults = list(course.judge.faults(change(cycles)))
    assert any(fault.startswith(f"{told}:") for fault in faults), faults
