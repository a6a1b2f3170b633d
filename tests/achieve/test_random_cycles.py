"""Algorithm 1 over a million random cycles: no torque beyond its limit, every condition holds.

ERFD_CYCLES says how many; `make soak` runs a thousand million. What is checked is worked out from
the robot's data and another formulation, not from the traces.
"""

import os
from dataclasses import replace

import numpy as np
import pytest

import erfd
from erfd.achieve.achiever import Achiever
from erfd.achieve.compiled_loop import CycleLoop, columns
from erfd.kernels.payload_parameters import PayloadParameters
from erfd.robot.payload import with_payload

pytestmark = pytest.mark.usefixtures("compiled")
CYCLES = int(float(os.environ.get("ERFD_CYCLES", "1e6")))
CHUNK = 50_000
DT = 0.01


def robots() -> dict[str, erfd.Robot]:
    lola = erfd.load("lola15")
    points = ((0.0, 17.8), (200.0, 12.0), (330.0, 6.0))
    dry = tuple(replace(d, coulomb=0.02 * d.torque_max) for d in lola.drives)
    curved = (replace(dry[0], curve=points), *dry[1:])
    return {"lola15": lola, "dry": replace(lola, drives=curved), "sdt4": erfd.load("sdt4")}


def payloads(count: int) -> list[erfd.Payload | None]:
    rng = np.random.default_rng(5)
    found: list[erfd.Payload | None] = [None]
    for _ in range(count):
        x, y, z = rng.uniform(-0.2, 0.2, 3)
        d = np.diag(rng.uniform(0.1, 0.15, 3)).tolist()
        found.append(erfd.Payload(float(rng.uniform(0, 15)), (x, y, z), tuple(map(tuple, d))))
    return found


class Course:
    """Random targets, wrenches and payloads, one chunk after another, from where the last ended."""

    def __init__(self, robot: erfd.Robot, follow: str, path: str, seed: int):
        self.robot, self.rng = robot, np.random.default_rng(seed)
        self.planner = Achiever(robot, DT, follow=follow, torque_path=path)
        self.loop = CycleLoop.of(robot, self.planner.cycle_options(wrench=True, payload=True))
        self.carried = payloads(3)
        self.bodies = PayloadParameters.of(robot).numbers(self.carried)
        self.state = np.concatenate([self.planner.q, self.planner.qd])[:, None]

    def chunk(self, size: int) -> dict[str, np.ndarray]:
        n, rng = self.robot.n, self.rng
        low, high = self.planner.values["low"], self.planner.values["high"]
        fastest = np.minimum(self.planner.values["fastest"], 10.0)
        bounded = np.clip(low, -3, 3), np.clip(high, -3, 3)
        # wild stretches of jumps, and calm ones of a slow sine
        given = np.empty((size, 2 * n))
        given[:, :n] = rng.uniform(*bounded, (size, n))
        rates = rng.normal(size=(size // 20 + 2, n)) * fastest
        given[:, n:] = np.repeat(rates, 20, axis=0)[:size] * rng.choice([0.3, 1.2], (size, 1))
        given[:, n:] *= rng.random((size, n)) > 0.02  # now and then a joint is to stand still
        t = DT * np.arange(size)[:, None]
        slow = np.sin(0.2 * t + rng.uniform(0, 6, n)) * 0.1 + np.mean(bounded, axis=0)
        calm = np.arange(size) % 1500 > 500
        given[calm, :n] = slow[calm]
        given[calm, n:] = np.vstack([np.zeros(n), np.diff(slow, axis=0) / DT])[calm]
        wrench = rng.normal(size=(size, 6)) * [200, 200, 200, 50, 50, 50]
        wrench[calm] *= 0.1
        which = np.repeat(rng.integers(0, len(self.carried), size // 50 + 1), 50)[:size]
        rows = self.loop.run(
            self.state, given, self.planner.parameters, wrench=wrench[:, :, None],
            body=self.bodies[which][:, :, None], noted=True,
        )  # fmt: skip
        assert len(rows) == size + 1
        found = columns(rows[1:, :, 0], n, "consistent")
        before = rows[:-1, : 2 * n, 0]
        self.state = rows[-1, : 2 * n]
        return found | {"before": before, "wrench": wrench, "which": which}


def check(course: Course, found: dict[str, np.ndarray]) -> float:
    """Every condition of erratum 8; the share of saturated cycles."""
    robot, drives = course.robot, course.planner.drives
    n = robot.n
    q, qd = found["before"][:, :n], found["before"][:, n:]
    u = np.empty_like(q)
    for k, payload in enumerate(course.carried):
        rows = found["which"] == k
        arm, load = with_payload(robot, payload), found["wrench"][rows]
        state = (q[rows], qd[rows], found["qdd"][rows])
        with erfd.backend("numpy"):
            u[rows] = erfd.inverse_dynamics(arm, *state, wrench=load, method="mrnea")
    K = np.array(robot.gear_matrix)
    rate, y, wanted = qd @ K.T, found["qdd"] @ K.T, found["wanted"] @ K.T
    diagonal = drives.path == "diagonal"
    load = u / np.diag(K) if diagonal else np.linalg.solve(K.T, u.T).T
    way = np.where(np.abs(rate) > 1e-9, rate, rate + wanted * DT)  # else it rests
    way = np.where(np.abs(way) > 1e-9, np.sign(way), 0)
    mu, c, f, inertia = drives.load_friction, drives.coulomb, drives.viscous, drives.inertia
    torque = load + (mu * np.abs(load) + c) * way + (inertia + f * DT) * y + f * rate
    size = np.abs(load) + inertia * np.abs(y) + found["limit"]
    limit, side, given = found["limit"], found["side"], found["torque"]
    assert all(np.isfinite(a).all() for a in found.values())
    assert (np.abs(given) <= limit * (1 + 1e-9)).all()
    moving = (way != 0) | (side != 0)
    slip = np.where((way == 0) & (side != 0), -np.sign(load) * (mu * np.abs(load) + c), 0.0)
    assert (np.abs(torque + slip - given)[moving] <= 1e-9 * size[moving]).all()
    tight = side != 0
    assert (np.abs(given - side * limit)[tight] <= 1e-9 * limit[tight]).all()
    scale = 1e-8 * (1 + np.abs(wanted).max(axis=1, keepdims=True))
    assert (np.abs(y - wanted) <= scale)[~tight].all()
    assert (side * (wanted - y) >= -scale)[tight].all()
    return float(tight.any(axis=1).mean())


@pytest.mark.parametrize("path", ["virtual-work", "diagonal"])
@pytest.mark.parametrize("follow", ["velocity", "position"])
@pytest.mark.parametrize("name", ["lola15", "dry", "sdt4"])
def test_random_cycles(name: str, follow: str, path: str) -> None:
    course = Course(robots()[name], follow, path, seed=11)
    left, shares = CYCLES // 12, []
    while left > 0:
        shares.append(check(course, course.chunk(min(CHUNK, left))))
        left -= CHUNK
    assert 0.05 < np.mean(shares) < 0.95  # some saturate, some do not
