"""Algorithm 1 once more, in plain NumPy, cycle by cycle: an independent text for the tests.

Written from its rules, not from the traces. A saturated cycle in which a joint turns far, or that
gains energy, is divided by the library; what its parts are is not repeated here: `step` raises a
`DividedError`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import nnls

from erfd import Payload, Robot, Trajectory, inverse_dynamics, mass_matrix
from erfd.drives.drives import Drives
from erfd.drives.parameters import BRAKING
from erfd.robot.payload import with_payload
from support.plain_energy import strays, too_much
from support.plain_saturation import REST, Problem, solve

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

TURN, FAST = 0.05, 5.0
"""A saturated cycle in which a joint turns more than this (rad) is divided."""
BEYOND = 1e-9
"""A joint that is further beyond its limit than this (rad, m) has come to its stop."""
STOP = 4


class DividedError(Exception):
    """The cycle is saturated, and too fast for one piece, or energy comes from nowhere in it."""


@dataclass(frozen=True, slots=True, eq=False)
class Cycle:
    """What one cycle came to: the state at its end, accelerations, motor torques.

    `side` is the limit a motor is at (-1, 0, +1), `torque_wanted` what the programmed acceleration
    would have needed, `clipped` which limit bent the wanted motion (see `events.LIMITS`, 0 is
    none), `stalled` whether a motor at its limit cannot even hold its rotor against gravity, load
    and wrench, `stop` the mean torque of the joints' stops.
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
    stop: Array


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
        self.programmed = self.qd  # the velocity given last
        self.damping = np.array([j.damping for j in joints])
        self.revolute = np.array([j.revolute for j in joints])
        self._loaded: dict[Payload | None, Robot] = {None: robot}

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
        if payload not in self._loaded:
            self._loaded[payload] = with_payload(self.robot, payload)
        robot = self._loaded[payload]
        target, clipped = self._target(q_given, qd_given)
        wanted = (target - self.qd) / self.dt  # step 2
        program = (qd_given - self.programmed) / self.dt
        self.programmed = qd_given
        stop = np.zeros(robot.n)
        if self.policy == "printed":
            u = inverse_dynamics(robot, self.q, self.qd, wanted, wrench=wrench)  # step 3
            qdd, torque, needed, limit, side = self._printed(robot, u, wanted)
            qd = self.qd + qdd * self.dt
            q = self.q + qd * self.dt
        else:
            moment = Moment(self, robot, wrench)
            limit = self.drives.limit(moment.rate)
            torque = moment.calm_torque(wanted, limit)
            needed, qdd, side = torque, wanted, np.zeros(robot.n)
            q, qd = self.q + target * self.dt, target  # steps 5, 7 and 8
            if torque is None:
                qdd, torque, side = moment.saturated(wanted, limit)  # step 6
                needed = moment.programmed_torque(program, qd_given)
                qd = self.qd + qdd * self.dt
                fastest = np.maximum(np.abs(self.qd), np.abs(qd))[self.revolute]
                if (fastest * max(self.dt, TURN / FAST) > TURN).any():
                    raise DividedError
                y = self.drives.K @ qdd
                q, qd, stop = self._stopped(moment, self.q + qd * self.dt, qd)  # step 9
                if strays(robot, y[None], (self.drives.K @ wanted)[None], self.dt)[0]:
                    self._balanced(robot, moment, (q, qd), qdd, torque, wrench)
                qdd = (qd - self.qd) / self.dt if stop.any() else qdd
                clipped = np.where(stop != 0, STOP, clipped)
        stalled = np.zeros(robot.n, bool)
        if side.any():
            stalled = self._stalled(robot, wrench, limit) & (side != 0)
        self.q, self.qd = q, qd
        return Cycle(q, qd, qdd, wanted, torque, needed, limit, side, clipped, stalled, stop)

    def _balanced(
        self,
        robot: Robot,
        moment: "Moment",
        after: tuple[Array, Array],
        qdd: Array,
        torque: Array,
        wrench: ArrayLike | None,
    ) -> None:
        """Raise an error if energy comes from nowhere."""
        damping = moment.to_rotors @ (self.damping * (self.qd + qdd * self.dt))
        load, y = moment.load(qdd) - damping, self.drives.K @ qdd
        gain = too_much(
            robot, (self.q[None], self.qd[None]), (after[0][None], after[1][None]), load[None],
            y[None], torque[None], wrench=None if wrench is None else np.array(wrench)[None],
            dt=self.dt, path=self.drives.path,
        )  # fmt: skip
        if gain[0] > 0:
            raise DividedError

    def _stopped(self, moment: "Moment", q: Array, qd: Array) -> tuple[Array, Array, Array]:
        """Step 9: positions and velocities within the stops, and the torques of the stops.

        After one inelastic impact no joint beyond its stop moves outward; stops push, never pull.
        """
        above, below = q > self.high + BEYOND, q < self.low - BEYOND
        q = np.where(above, self.high, np.where(below, self.low, q))
        if not ((above & (qd > 0)) | (below & (qd < 0))).any():
            return q, qd, np.zeros(len(q))
        K = self.drives.K
        M = moment.H + K.T @ np.diag(self.drives.inertia) @ K
        outward = np.diag(above * 1.0 - below * 1.0)[:, above | below]
        root = np.linalg.cholesky(M)
        push = nnls(np.linalg.solve(root, outward), root.T @ qd)[0]
        impulse = -outward @ push
        hit = impulse != 0
        after = np.where(hit, 0.0, qd + np.linalg.solve(M, impulse))
        return q, after, impulse / self.dt

    def _target(self, q_given: Array, qd_given: Array) -> tuple[Array, Array]:
        """Step 1: the velocity to reach, within the limits of positions, joints and rotors."""
        target = qd_given
        if self.follow == "position":
            lag = q_given - qd_given * self.dt - self.q
            target = qd_given + self._catch_up(lag)
        slowed = np.clip(target, -self.fastest, self.fastest)
        turned, fitted, scaled = self._within_rotor_speeds(slowed)
        reasons = np.zeros(len(target))
        steps = ((1, target, slowed), (2, slowed, turned), (3, turned, fitted), (2, fitted, scaled))
        for code, before, after in steps:
            rounding = 1e-9 / self.dt if code == 3 else 1e-12 * (1 + np.abs(before))
            reasons[np.abs(after - before) > rounding] = code
        return scaled, reasons

    def _within_rotor_speeds(self, rates: Array) -> tuple[Array, Array, Array]:
        """Joint velocities that no rotor is too slow for (erratum 18); changes as few as it can.

        K is lower triangular in the papers' arms: joint i is slowed until rotor i can follow, given
        the joints before it, kept within their positions (the second result). If rotors depend on
        later joints, too, what is left is scaled (the third).
        """
        matrix, limit = self.drives.K, self.drives.speed_max
        turned, rates = rates.copy(), rates.copy()
        for i, row in enumerate(matrix):
            excess = max(0.0, abs(row @ rates) - limit[i])
            turned[i] -= np.sign(row @ rates) * excess / row[i]
            within = (self.low[i] - self.q[i]) / self.dt, (self.high[i] - self.q[i]) / self.dt
            rates[i] = np.clip(turned[i], *within)
        worst = float((np.abs(matrix @ rates) / limit).max())
        return turned, rates, rates / worst if worst > 1 + 1e-12 else rates

    def _catch_up(self, lag: Array) -> Array:
        """The extra velocity that removes a lag and can be braked again without overshoot."""
        limit = np.where(np.isfinite(self.braking), self.braking, np.abs(lag) / self.dt**2 + 1.0)
        unit = limit * self.dt
        # the largest v with v + (v - unit) + (v - 2 unit) + ... <= lag / dt
        count = np.abs(lag) / (unit * self.dt)
        extra = unit * (np.sqrt(0.25 + 2 * count) - 0.5)
        return np.sign(lag) * np.minimum(extra, np.abs(lag) / self.dt)

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


class Moment:
    """Loads and motor torques at the state at the start of a cycle (steps 3 to 6)."""

    def __init__(self, planner: PlainAchiever, robot: Robot, wrench: ArrayLike | None):
        d = self.drives = planner.drives
        self.dt, self.damping, self.qd = planner.dt, planner.damping, planner.qd
        self.rate = d.K @ planner.qd
        self.H = mass_matrix(robot, planner.q)
        still = np.zeros(robot.n)
        self.rest = inverse_dynamics(robot, planner.q, planner.qd, still, wrench=wrench)
        self.grip, self.drag = d.inertia + d.viscous * self.dt, d.viscous * self.rate
        inverse = np.linalg.inv(d.K)
        self.to_rotors = np.diag(1 / np.diag(d.K)) if d.path == "diagonal" else inverse.T

    def load(self, qdd: Array) -> Array:
        """Step 3: links, wrench, and the damping of the joints at the end of the cycle."""
        damping = self.damping * (self.qd + qdd * self.dt)
        return self.to_rotors @ (self.H @ qdd + self.rest + damping)

    def _parts(self, qdd: Array) -> tuple[Array, Array, Array]:
        """Step 4: torques without dry friction, the most of it, and its direction (0: rest)."""
        load, y = self.load(qdd), self.drives.K @ qdd
        most = self.drives.load_friction * np.abs(load) + self.drives.coulomb
        end = self.rate + y * self.dt
        bare = load + self.grip * y + self.drag
        return bare, most, np.where(np.abs(end) <= REST, 0.0, np.sign(end))

    def calm_torque(self, qdd: Array, limit: Array) -> Array | None:
        """Step 5: the motor torques of the acceleration, if the motors have them."""
        bare, most, direction = self._parts(qdd)
        held = direction == 0
        torque = np.where(held, np.clip(bare, -limit, limit), bare + most * direction)
        needed = np.where(held, np.abs(bare) - most, np.abs(torque))
        return torque if (needed <= limit * (1 + 1e-12)).all() else None

    def programmed_torque(self, qdd: Array, qd: Array) -> Array:
        """The motor torques that the programmed acceleration and velocity take.

        Friction is against the programmed velocity, and helps at rest.
        """
        bare, most, _ = self._parts(qdd)
        end = self.drives.K @ qd
        direction = np.where(np.abs(end) <= REST, 0.0, np.sign(end))
        held = np.sign(bare) * np.maximum(np.abs(bare) - most, 0)
        return np.where(direction == 0, held, bare + most * direction)

    def saturated(self, qdd: Array, limit: Array) -> tuple[Array, Array, Array]:
        """Step 6: accelerations, motor torques and the limits that motors are at."""
        found = solve(self.problem(qdd, limit))
        assert found.solved.all()
        side, y = found.side[0], found.y[0]
        return np.linalg.solve(self.drives.K, y), found.torque[0], side

    def problem(self, qdd: Array, limit: Array) -> Problem:
        """The saturation problem (m = 1) of a wanted acceleration."""
        d = self.drives
        inverse = np.linalg.inv(d.K)
        A = self.to_rotors @ (self.H + self.dt * np.diag(self.damping)) @ inverse
        y = d.K @ qdd
        b = self.load(np.zeros(len(qdd)))
        rows = (b, y, d.load_friction, d.coulomb, self.grip, self.drag, self.rate, limit)
        return Problem(A[None], *(np.broadcast_to(x, y.shape)[None] for x in rows), self.dt)


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
        "qdd_given": "qdd_wanted", "stalled": "stalled", "stop": "stop",
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
