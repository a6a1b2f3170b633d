"""Algorithm 1 once more, in plain NumPy, cycle by cycle: an independent text for the tests."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from erfd import Payload, Robot, Trajectory, inverse_dynamics, mass_matrix
from erfd.drives.drives import Drives
from erfd.drives.parameters import BRAKING
from erfd.robot.payload import with_payload
from support.plain_saturation import Problem, solve

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Cycle:
    """What one cycle came to: the state at its end, accelerations, motor torques.

    `side` is the limit a motor is at (-1, 0, +1), `torque_wanted` what it would have needed,
    `clipped` which limit bent the wanted motion (see `events.LIMITS`, 0 is none), `stalled` whether
    a motor cannot even hold its rotor against gravity, load and wrench.
    """

    q: Array
    qd: Array
    qdd: Array
    qdd_wanted: Array
    torque: Array
    torque_wanted: Array
    torque_max: Array
    side: Array
    clipped: Array
    stalled: Mask


class PlainAchiever:
    """Algorithm 1 step by step, for controllers: `step(q_given, qd_given)` is one cycle of dt s."""

    def __init__(
        self,
        robot: Robot,
        dt: float,
        *,
        policy: str = "consistent",
        follow: str = "velocity",
        torque_path: str = "virtual-work",
        q0: ArrayLike | None = None,
        qd0: ArrayLike | None = None,
    ):
        self.robot, self.dt, self.policy, self.follow = robot, float(dt), policy, follow
        path = "diagonal" if policy == "printed" else torque_path
        self.drives = Drives.of(robot, path=path)
        joints = robot.joints
        self.low = np.array([j.position_min for j in joints])
        self.high = np.array([j.position_max for j in joints])
        self.fastest = np.array([j.velocity_max for j in joints])
        self.braking = BRAKING * np.array([j.acceleration_max for j in joints])
        self.q = self._start("q0", q0)
        self.qd = self._start("qd0", qd0)

    def _start(self, name: str, value: ArrayLike | None) -> Array:
        n = self.robot.n
        array = np.zeros(n) if value is None else np.array(value, dtype=np.float64)
        return array

    def step(
        self,
        q_given: ArrayLike,
        qd_given: ArrayLike,
        *,
        wrench: ArrayLike | None = None,
        payload: Payload | None = None,
    ) -> Cycle:
        """One cycle towards the given position and velocity; keeps the new state."""
        q_given, qd_given = self._start("q_given", q_given), self._start("qd_given", qd_given)
        robot = with_payload(self.robot, payload)
        target, clipped = self._target(q_given, qd_given)
        wanted = (target - self.qd) / self.dt  # step 2
        u = inverse_dynamics(robot, self.q, self.qd, wanted, wrench=wrench)  # step 3
        solver = self._consistent if self.policy == "consistent" else self._printed
        qdd, torque, needed, limit, side = solver(robot, u, wanted)
        stalled = self._stalled(robot, wrench, limit) if side.any() else np.zeros(len(side), bool)
        self.qd = self.qd + qdd * self.dt  # step 7
        self.q = self.q + self.qd * self.dt
        return Cycle(self.q, self.qd, qdd, wanted, torque, needed, limit, side, clipped, stalled)

    def _target(self, q_given: Array, qd_given: Array) -> tuple[Array, Array]:
        """Step 1: the velocity to reach, within the limits of positions, joints and rotors."""
        target = qd_given
        if self.follow == "position":
            lag = q_given - qd_given * self.dt - self.q
            target = qd_given + self._catch_up(lag)
        slowed = np.clip(target, -self.fastest, self.fastest)
        turned = self._within_rotor_speeds(slowed)
        fitted = np.clip(turned, (self.low - self.q) / self.dt, (self.high - self.q) / self.dt)
        reasons = np.zeros(len(target))
        for code, before, after in ((1, target, slowed), (2, slowed, turned), (3, turned, fitted)):
            reasons[np.abs(after - before) > 1e-12 * (1 + np.abs(before))] = code
        return fitted, reasons

    def _within_rotor_speeds(self, rates: Array) -> Array:
        """Joint velocities that no rotor is too slow for (erratum 18); changes as few as it can.

        K is lower triangular in the papers' arms: joint i is slowed until rotor i can follow, given
        the joints before it. If rotors depend on later joints, too, what is left is scaled.
        """
        matrix, limit = self.drives.K, self.drives.speed_max
        rates = rates.copy()
        for i, row in enumerate(matrix):
            excess = abs(row @ rates) - limit[i]
            if excess > 0:
                rates[i] -= np.sign(row @ rates) * excess / row[i]
        worst = float((np.abs(matrix @ rates) / limit).max())
        return rates / worst if worst > 1 + 1e-12 else rates

    def _catch_up(self, lag: Array) -> Array:
        """The extra velocity that removes a lag and can be braked again without overshoot."""
        limit = np.where(np.isfinite(self.braking), self.braking, np.abs(lag) / self.dt**2 + 1.0)
        unit = limit * self.dt
        # the largest v with v + (v - unit) + (v - 2 unit) + ... <= lag / dt
        count = np.abs(lag) / (unit * self.dt)
        extra = unit * (np.sqrt(0.25 + 2 * count) - 0.5)
        return np.sign(lag) * np.minimum(extra, np.abs(lag) / self.dt)

    def _consistent(
        self, robot: Robot, u: Array, wanted: Array
    ) -> tuple[Array, Array, Array, Array, Array]:
        """Steps 4 to 6: saturated motors give their limit, the other rotors move as wanted."""
        d = self.drives
        rate, y = d.K @ self.qd, d.K @ wanted
        load = d.load(u)
        direction = d.direction(rate, rate + y * self.dt)
        grip = d.inertia + d.viscous * self.dt
        drag = d.viscous * rate
        # a rotor that rests and is to stay there: friction holds what it can
        resting = direction == 0
        against = np.where(resting, -np.sign(load), direction)
        needed = load + d.friction(load, against) + grip * y + drag
        limit = d.limit(rate)
        if (np.abs(needed) <= limit * (1 + 1e-12)).all():
            torque = np.where(resting, np.clip(load, -limit, limit), needed)
            return wanted, torque, torque, limit, np.zeros(len(u))
        A = d.matrix(mass_matrix(robot, self.q))
        rows = (load - A @ y, y, d.load_friction, d.coulomb, grip, drag, direction, limit)
        b, *rest = (np.broadcast_to(x, y.shape)[None] for x in rows)
        found = solve(Problem(A[None], b, *rest))
        return d.K_inverse @ found.y[0], found.torque[0], needed, limit, found.side[0]

    def _printed(
        self, robot: Robot, u: Array, wanted: Array
    ) -> tuple[Array, Array, Array, Array, Array]:
        """Steps 4 to 6 as printed: friction at the demanded u, clamped torques in all of (92)."""
        d = self.drives
        k = np.diag(d.K)
        rate = d.K @ self.qd
        h = mass_matrix(robot, self.q)
        grip = (d.inertia + d.viscous * self.dt)[:, None] * d.K
        h_a = h / k[:, None] + grip  # (D.3)
        dry = d.load_friction * np.sign(self.qd) * u + d.coulomb * k * np.sign(self.qd)
        rest = (u - h @ wanted + dry) / k + d.viscous * rate
        needed = h_a @ wanted + rest
        limit = d.limit(rate)
        side = np.where(np.abs(needed) > limit, np.sign(needed), 0.0)  # step 5
        clamped = np.clip(needed, -limit, limit)
        if not side.any():
            return wanted, needed, needed, limit, side
        solved = np.linalg.solve(h_a, clamped - rest)  # (92)
        return np.where(side != 0, solved, wanted), clamped, needed, limit, side

    def _stalled(self, robot: Robot, wrench: ArrayLike | None, limit: Array) -> Mask:
        """Motors that cannot hold the arm where it is, at rest, with friction helping."""
        still = np.zeros(robot.n)
        u = inverse_dynamics(robot, self.q, still, still, wrench=wrench)
        return self.drives.cannot_hold(self.drives.load(u), limit)


def plain_rows(
    robot: Robot,
    trajectory: Trajectory,
    wrench: ArrayLike | None = None,
    payloads: Sequence[Payload | None] | None = None,
    **options: str,
) -> dict[str, Array]:
    """All cycles, by the names of `Run`."""
    start = {"q0": trajectory.q[0], "qd0": trajectory.qd[0]}
    planner = PlainAchiever(robot, trajectory.dt, **options, **start)
    names = {
        "q": "q", "qd": "qd", "qdd": "qdd", "u_a": "torque", "u_a_wanted": "torque_wanted",
        "u_a_max": "torque_max", "saturated": "side", "clipped": "clipped",
        "qdd_given": "qdd_wanted", "stalled": "stalled",
    }  # fmt: skip
    cycles = [
        planner.step(
            trajectory.q[k],
            trajectory.qd[k],
            wrench=None if wrench is None else np.broadcast_to(wrench, (len(trajectory), 6))[k],
            payload=None if payloads is None else payloads[k],
        )
        for k in range(1, len(trajectory))
    ]
    return {name: np.stack([getattr(c, key) for c in cycles]) for name, key in names.items()}
