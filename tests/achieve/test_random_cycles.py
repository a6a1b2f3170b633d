"""Algorithm 1 over a million random cycles: no torque beyond its limit, every condition holds.

ERFD_CYCLES may ask for fewer; more are the business of tests/referee/test_many_cycles.py. What is
checked is worked out from the robot's data and another formulation, not from the traces. Saturated
cycles in which a joint turns far, or in which energy would come from nowhere, are divided into
parts: of them only torques, limits and stops are checked, and whether they had to be divided.
"""

import os
from dataclasses import replace

import numpy as np
import pytest

import erfd
from erfd.achieve.achiever import Achiever
from erfd.achieve.compiled_loop import CycleLoop, columns
from erfd.achieve.symbols import CYCLE_VECTORS
from erfd.kernels.payload_parameters import PayloadParameters
from erfd.robot.payload import with_payload
from support.plain_achiever import TURN
from support.plain_energy import strays, too_much
from support.plain_saturation import REST, Problem, solve, violation
from support.seeds import seeded

pytestmark = pytest.mark.usefixtures("compiled")
CYCLES = min(1_000_000, int(float(os.environ.get("ERFD_CYCLES", "1e6"))))
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
        self.programmed = self.planner.qd

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
        before = np.vstack([self.programmed, given[:-1, n:]])
        self.programmed = given[-1, n:]
        rows = self.loop.run(
            self.state, np.hstack([given, before]), self.planner.parameters,
            wrench=wrench[:, :, None], body=self.bodies[which][:, :, None], noted=True,
        )  # fmt: skip
        assert len(rows) == size + 1
        found = columns(rows[1:, :, 0], n, "consistent")
        found["tight"] = rows[1:, len(CYCLE_VECTORS) * n, 0] > 0
        found["program"], found["asked"] = (given[:, n:] - before) / DT, given[:, n:]
        self.state = rows[-1, : 2 * n]
        return found | {"before": rows[:-1, : 2 * n, 0], "wrench": wrench, "which": which}


def problem(course: Course, found: dict[str, np.ndarray]) -> tuple[Problem, np.ndarray]:
    """What the cycles had to solve, and inertia matrices with those of the rotors."""
    robot, d = course.robot, course.planner.drives
    n, K = robot.n, np.array(robot.gear_matrix)
    q, qd = found["before"][:, :n], found["before"][:, n:]
    rest, H = np.empty_like(q), np.empty((len(q), n, n))
    for k, payload in enumerate(course.carried):
        rows = found["which"] == k
        arm, load = with_payload(robot, payload), found["wrench"][rows]
        state = (q[rows], qd[rows], 0 * q[rows])
        with erfd.backend("numpy"):
            rest[rows] = erfd.inverse_dynamics(arm, *state, wrench=load, method="mrnea")
            H[rows] = erfd.mass_matrix(arm, q[rows])
    damping = np.array([joint.damping for joint in robot.joints])
    inverse = np.linalg.inv(K)
    to_rotors = np.diag(1 / np.diag(K)) if d.path == "diagonal" else inverse.T
    A = to_rotors @ (H + DT * np.diag(damping)) @ inverse
    b = (rest + damping * qd) @ to_rotors.T
    rate, wanted = qd @ K.T, found["wanted"] @ K.T
    rows = (d.load_friction, d.coulomb, d.inertia + d.viscous * DT, d.viscous * rate, rate)
    spread = (np.broadcast_to(x, q.shape) for x in rows)
    return Problem(A, b, wanted, *spread, d.limit(rate), DT), H + K.T @ np.diag(d.inertia) @ K


def check(course: Course, found: dict[str, np.ndarray]) -> tuple[float, float]:
    """Every condition of erratum 8; the shares of saturated cycles, and of divided ones."""
    assert all(np.isfinite(a).all() for a in found.values())
    n, robot, values = course.robot.n, course.robot, course.planner.values
    side, given, tight = found["side"], found["torque"], found["tight"]
    p, M = problem(course, found)
    assert (np.abs(found["limit"] - p.limit) <= 1e-12 * p.limit).all()
    # the limit of a divided cycle's later parts is that of their own speeds
    assert (np.abs(given) <= values["torque_max"] * (1 + 1e-9)).all()
    assert tight[(side != 0).any(axis=1)].all()
    # stops: joints are within their limits, at rest where they were stopped
    stopped = found["stop"] != 0
    assert (found["q"] >= values["low"] - 1e-8).all()
    assert (found["q"] <= values["high"] + 1e-8).all()
    bump = np.linalg.solve(M, found["stop"][..., None] * DT)[..., 0]
    hit = stopped.any(axis=1)
    qd, after = found["before"][:, n:], found["qd"] - bump
    qdd = np.where(hit[:, None], (after - qd) / DT, found["qdd"])
    plain = ~tight
    plain[tight] = _in_one_piece(course, p, found, after, hit)[tight]
    assert np.abs(np.where(stopped, found["qd"], 0)[plain]).max() < 1e-12
    K = np.array(robot.gear_matrix)
    y = qdd @ K.T
    bounds = {"torque": 1e-9, "limit": 1e-9, "at limit": 1e-9, "free": 1e-8, "short": 1e-8}
    for name, gap in violation(p, y, given, side).items():
        assert gap[plain].max() <= bounds[name], name
    # a rotor that rests, its motor below the limit: the torque nearest to its load
    x = p.load(y)
    bare = x + p.grip * y + p.drag
    held = plain[:, None] & (side == 0) & (np.abs(p.rate + p.wanted * DT) <= 0.5 * REST)
    nearest = np.clip(bare, -p.limit, p.limit)
    assert (np.abs(given - nearest) <= 1e-9 * (np.abs(bare) + p.limit))[held].all()
    assert np.array_equal(found["needed"][~tight], given[~tight])
    _programmed(p, found, K)
    return float(tight.mean()), float((~plain).mean())


def _in_one_piece(
    course: Course, p: Problem, found: dict[str, np.ndarray], after: np.ndarray, hit: np.ndarray
) -> np.ndarray:
    """Which saturated cycles are not divided: no joint turns far, before any stop, nor gains.

    What a divided cycle came to does not say what it would have been in one piece; in case of doubt
    the plain text does. `after` are velocities before any stop.
    """
    robot, n = course.robot, course.robot.n
    turning = np.array([joint.revolute for joint in robot.joints])
    q, qd = found["before"][:, :n], found["before"][:, n:]
    divided = (np.abs(found["q"] - q - after * DT) > 1e-9).any(axis=1)
    doubtful = hit | divided | (np.abs(after)[:, turning].max(axis=1) * DT > 0.8 * TURN)
    doubtful = np.flatnonzero(doubtful & found["tight"])
    ends, torque = after.copy(), found["torque"].copy()
    solution = solve(p.rows(doubtful))
    assert solution.solved.all()
    K = np.array(robot.gear_matrix)
    ends[doubtful] = qd[doubtful] + np.linalg.solve(K, solution.y.T).T * DT
    torque[doubtful] = solution.torque
    speeds = np.maximum(np.abs(qd), np.abs(ends))[:, turning].max(axis=1)
    slow = speeds * DT <= TURN
    y = ((ends - qd) / DT) @ K.T
    stray = strays(robot, y, p.wanted, DT)
    looked_at = found["tight"] & slow & stray & ~hit
    gain = np.full(len(q), -np.inf)
    damping = np.array([joint.damping for joint in robot.joints])
    path = course.planner.drives.path
    to_rotors = np.diag(1 / np.diag(K)) if path == "diagonal" else np.linalg.inv(K).T
    load = p.load(y) - (damping * ends) @ to_rotors.T
    for k, payload in enumerate(course.carried):
        rows = np.flatnonzero(looked_at & (found["which"] == k))
        if len(rows):
            start, end = (q[rows], qd[rows]), (q[rows] + ends[rows] * DT, ends[rows])
            gain[rows] = too_much(
                with_payload(robot, payload), start, end, load[rows], y[rows], torque[rows],
                wrench=found["wrench"][rows], dt=DT, path=path,
            )  # fmt: skip
    clear = looked_at & (np.abs(gain) > 1e-6) & (np.abs(q + ends * DT - found["q"]) < 1).all(axis=1)
    beyond = (q + ends * DT > course.planner.values["high"] + 1e-9).any(axis=1)
    beyond |= (q + ends * DT < course.planner.values["low"] - 1e-9).any(axis=1)
    clear &= ~beyond
    assert np.array_equal(divided[clear], gain[clear] > 0)
    return np.asarray(slow & ~(stray & hit) & ~(looked_at & (beyond | (gain > 0) | ~clear)))


def _programmed(p: Problem, found: dict[str, np.ndarray], K: np.ndarray) -> None:
    """`needed` of a saturated cycle is the torque of the programmed acceleration and velocity."""
    y, end = found["program"] @ K.T, found["asked"] @ K.T
    x = p.load(y)
    bare, most = x + p.grip * y + p.drag, p.most(x)
    held = np.sign(bare) * np.maximum(np.abs(bare) - most, 0)
    needed = np.where(np.abs(end) <= REST, held, bare + most * np.sign(end))
    clear = found["tight"][:, None] & np.ones(end.shape, dtype=bool)
    # b is what is left of the load of the wanted acceleration, and has its rounding
    parts = np.maximum(np.abs(p.A * y[:, None, :]), np.abs(p.A * p.wanted[:, None, :]))
    size = parts.max(axis=2) + np.abs(p.b) + np.abs(bare)
    assert (np.abs(found["needed"] - needed) <= 1e-9 * size)[clear].all()


@pytest.mark.parametrize("path", ["virtual-work", "diagonal"])
@pytest.mark.parametrize("follow", ["velocity", "position"])
@pytest.mark.parametrize("name", ["lola15", "dry", "sdt4"])
def test_random_cycles(name: str, follow: str, path: str) -> None:
    course = Course(robots()[name], follow, path, seeded(11))
    left, shares = CYCLES // 12, []
    while left > 0:
        shares.append(check(course, course.chunk(min(CHUNK, left))))
        left -= CHUNK
    saturated, divided = np.mean(shares, axis=0)
    assert 0.05 < saturated < 0.95  # some saturate, some do not
    assert divided < 0.8 * saturated  # and most of them are done in one piece
