"""Single cycles of Algorithm 1 by the thousand: what docs/achievable.md says must hold of each.

Nothing is solved here. What the motors are said to do is put into the equations of the cycle, and
the sentences of step 6 are asked one by one. Arrays are (n, m), joint by joint.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .algorithm1 import FAST, TURN
from .arm import Array
from .many_states import ManyStates
from .motors import RESTING, limits

PART = 1e-9
"""What rounding may make of torques, as a part of their size, and of positions, rad (m)."""


@dataclass(frozen=True, slots=True)
class Cycles:
    """What was asked of m cycles, and what came; `which` payload each had, (m,).

    `q`, `qd` at the start; `given`, `before` the programmed velocities at the end and the start;
    `wrench` (6, m). The rest is what came: the state at the end, accelerations, those that were
    `wanted`, torques, what the programmed acceleration `needed`, limits, the limit that a motor is
    at, the torques of the stops, and whether step 6 was needed (`tight`, (m,)).
    """

    q: Array
    qd: Array
    given: Array
    before: Array
    wrench: Array
    which: Array
    end_q: Array
    end_qd: Array
    qdd: Array
    wanted: Array
    torque: Array
    needed: Array
    limit: Array
    side: Array
    stop: Array
    tight: Array


class ManyCycles:
    """The conditions of an arm's cycles of dt s; `diagonal`: the papers' torque path."""

    def __init__(self, states: ManyStates, dt: float, diagonal: bool = False) -> None:
        self.states, self.arm, self.dt = states, states.arm, dt
        K = self.arm.drives.K
        self.to_rotors = np.diag(1 / np.diag(K)) if diagonal else np.linalg.inv(K).T
        names = ("load_friction", "coulomb", "inertia", "viscous", "torque_max", "speed_max")
        self.d = {name: getattr(self.arm.drives, name)[:, None] for name in names}

    def load(self, c: Cycles, qdd: Array, rows: Array | None = None) -> Array:
        """Loads of the rotors at accelerations of the joints, damping at the end of the cycle.

        Of all cycles, or of the `rows` that the accelerations are for.
        """
        start = c.q, c.qd, c.wrench, c.which
        q, qd, wrench, which = start if rows is None else (a[..., rows] for a in start)
        torques = self.states.torques(q, qd, qdd, wrench, which)
        if self.arm.damping.any():
            torques += self.arm.damping[:, None] * (qd + qdd * self.dt)
        return np.asarray(self.to_rotors @ torques)

    def wanted(self, c: Cycles) -> Array:
        """Step 1: the programmed velocity within the limits, joint by joint."""
        arm, K, most = self.arm, self.arm.drives.K, self.arm.drives.speed_max
        v = np.empty_like(c.given)
        for i in range(arm.n):
            within = np.clip(c.given[i], -arm.velocity[i], arm.velocity[i])
            before = K[i, :i] @ v[:i]
            ends = (-most[i] - before) / K[i, i], (most[i] - before) / K[i, i]
            slower = np.clip(within, np.minimum(*ends), np.maximum(*ends))
            lowest, highest = (arm.lower[i] - c.q[i]) / self.dt, (arm.upper[i] - c.q[i]) / self.dt
            v[i] = np.clip(slower, lowest, highest)
        return v

    def plain(self, c: Cycles) -> Array:
        """Which cycles are surely in one piece, and without a stop: their own equations hold.

        Not divided are those with enough torque, and those that end where the velocity at their end
        takes them, no joint being fast. Whether others had to be divided is not asked here.
        """
        turns = np.array([not slides for slides in self.arm.slides])
        speed = np.maximum(abs(c.qd[turns]), abs(c.end_qd[turns])).max(axis=0, initial=0.0)
        slow = speed * self.dt * max(1.0, TURN / (FAST * self.dt)) < TURN
        apart = abs(c.end_q - c.q - c.end_qd * self.dt).max(axis=0)
        free = ~(c.stop != 0).any(axis=0) & (apart <= PART)
        inside = (c.end_q > self.arm.lower[:, None]) & (c.end_q < self.arm.upper[:, None])
        return ~c.tight | (slow & free & inside.all(axis=0))

    def faults(self, c: Cycles, follows_velocity: bool = True) -> Iterator[str]:
        """Every condition that does not hold, with the first cycle and joint."""
        plain = self.plain(c)
        for name, bad in self._everywhere(c, follows_velocity):
            yield from _told(name, bad)
        for name, bad in self._in_one_piece(c, self.load(c, c.qdd)):
            yield from _told(name, bad & plain)
        yield from _told("needed", self._needed(c, np.flatnonzero(c.tight)))

    def _everywhere(self, c: Cycles, follows_velocity: bool) -> Iterator[tuple[str, Array]]:
        """What holds of every cycle, divided or not: limits and stops."""
        arm, d, dt = self.arm, self.d, self.dt
        for name in ("end_q", "end_qd", "qdd", "wanted", "torque", "needed", "limit"):
            yield f"finite {name}", ~np.isfinite(getattr(c, name))
        most = limits(arm.drives, (arm.drives.K @ c.qd).T).T
        yield "limit", abs(c.limit - most) > 1e-12 * np.minimum(most, 1e15)
        yield "largest torque", abs(c.torque) > d["torque_max"] * (1 + PART)
        yield "lower stop", c.end_q < arm.lower[:, None] - 1e-8
        yield "upper stop", c.end_q > arm.upper[:, None] + 1e-8
        yield "stop without step 6", (c.stop != 0) & ~c.tight
        yield "side without step 6", (c.side != 0) & ~c.tight
        if follows_velocity:
            v = self.wanted(c)
            off = abs(c.qd + c.wanted * dt - v)
            yield "wanted", off > PART * (1 + abs(v) + abs(c.qd))
        else:
            v = c.qd + c.wanted * dt
            yield "wanted too fast", abs(v) > arm.velocity[:, None] * (1 + PART) + PART
            turned = abs(arm.drives.K @ v)
            size = abs(arm.drives.K) @ abs(v)
            yield "rotor wanted too fast", turned > d["speed_max"] + PART * (1 + size)

    def _in_one_piece(self, c: Cycles, x: Array) -> Iterator[tuple[str, Array]]:
        """Steps 4 to 8 of cycles in one piece, x their loads."""
        d, dt, K = self.d, self.dt, self.arm.drives.K
        yield "velocity", abs(c.end_qd - c.qd - c.qdd * dt) > PART * (1 + abs(c.qd))
        yield "position", abs(c.end_q - c.q - c.end_qd * dt) > PART
        speed, end = K @ c.qd, K @ c.end_qd
        y, wanted = K @ c.qdd, K @ c.wanted
        grip, dry = d["inertia"] + d["viscous"] * dt, d["load_friction"] * abs(x) + d["coulomb"]
        bare = x + grip * y + d["viscous"] * speed
        most = np.minimum(c.limit, 1e15)
        size = abs(bare) + abs(x) + dry + abs(c.torque) + np.minimum(d["torque_max"], 1e15)
        yield "beyond its limit", abs(c.torque) > c.limit * (1 + PART)
        rubs = c.torque - bare
        resting = abs(end) <= RESTING + PART * (abs(speed) + abs(y) * dt)
        off = np.where(resting, abs(rubs) - dry, abs(rubs - dry * np.sign(end)))
        yield "friction", off > PART * size
        # step 6
        big = 10 * PART * np.maximum(abs(y), abs(wanted)).max(axis=0)
        at, free = c.side != 0, c.side == 0
        yield "free rotor not as wanted", free & (abs(y - wanted) > big)
        yield "not at its limit", at & (abs(c.torque - c.side * most) > PART * most)
        yield "helped by its limit", at & (c.side * (y - wanted) > big)
        held = free & (abs(speed + wanted * dt) <= 0.5 * RESTING)
        nearest = np.clip(bare, -most, most)
        yield "holds more than it must", held & (abs(c.torque - nearest) > PART * size)
        calm = ~c.tight
        yield "calm cycle, other torque needed", calm & (c.needed != c.torque)

    def _needed(self, c: Cycles, rows: Array) -> Array:
        """Where `needed` is not the torque of the programmed acceleration, (n, len(rows)).

        Friction is against the programmed velocity.
        """
        d, dt, K = self.d, self.dt, self.arm.drives.K
        given = c.given[:, rows]
        qdd = (given - c.before[:, rows]) / dt
        x, y, end = self.load(c, qdd, rows), K @ qdd, K @ given
        dry = d["load_friction"] * abs(x) + d["coulomb"]
        bare = x + (d["inertia"] + d["viscous"] * dt) * y + d["viscous"] * (K @ c.qd[:, rows])
        held = np.sign(bare) * np.maximum(abs(bare) - dry, 0)
        torque = np.where(abs(end) <= RESTING, held, bare + dry * np.sign(end))
        # what is left of large loads has their rounding
        size = abs(bare) + abs(x).max(axis=0) + np.minimum(d["torque_max"], 1e15)
        return np.asarray(abs(c.needed[:, rows] - torque) > 10 * PART * size)


def _told(name: str, bad: Array) -> Iterator[str]:
    if bad.any():
        joint, cycle = (int(i) for i in np.argwhere(bad)[0])
        yield f"{name}: {bad.sum()} times, first in cycle {cycle}, joint {joint + 1}"
