"""What motors and gears do: rotor loads, friction, limits, after docs/achievable.md (Drives)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from .arm import Arm, Array, Drives

RESTING = 1e-9
"""A rotor that is slower (rad/s) rests, but for rounding."""


def limits(drives: Drives, rotor_speed: Array) -> Array:
    """The largest torques of the motors at rotor speeds (..., n), rad/s: `torque_max`, `curve`."""
    most = drives.torque_max + 0 * rotor_speed
    for i, curve in enumerate(drives.curves):
        if curve:
            speeds, torques = zip(*curve, strict=True)
            along = np.interp(abs(rotor_speed[..., i]), speeds, torques)
            most[..., i] = np.minimum(most[..., i], along)
    return most


def needed(drives: Drives, x: Array, y: Array, speed: Array, end: Array, dt: float) -> Array:
    """Motor torques (step 4) of loads x and accelerations y, (..., n) at the rotors.

    Friction is against the speed at the end of the cycle; there is none where the rotor rests.
    """
    sign = np.where(abs(end) > RESTING, np.sign(end), 0.0)
    dry = (drives.load_friction * abs(x) + drives.coulomb) * sign
    return x + dry + (drives.inertia + drives.viscous * dt) * y + drives.viscous * speed


@dataclass(frozen=True)
class Rotors:
    """A cycle at its rotors: rotor accelerations y (rad/s2) in, loads x = A y + b (N m) out.

    `end` of a cycle of `dt` s that begins with the rotor speeds `speed`.
    """

    drives: Drives
    A: Array
    b: Array
    speed: Array
    dt: float

    @property
    def resting(self) -> Array:
        """The accelerations with which the rotors rest at the end of the cycle."""
        return -self.speed / self.dt

    @property
    def effective_inertia(self) -> Array:
        """Torque per acceleration beside load and dry friction: I_a + f_v dt."""
        return self.drives.inertia + self.drives.viscous * self.dt

    def rubbing(self, x: Array) -> Array:
        """The size of dry friction under a load, at most: mu |x| + c."""
        return self.drives.load_friction * abs(x) + self.drives.coulomb

    def needed(self, y: Array, end_speed: Array) -> Array:
        """Motor torques of rotor accelerations."""
        return needed(self.drives, self.A @ y + self.b, y, self.speed, end_speed, self.dt)

    def reached(self, x: Array, torque: Array) -> Array:
        """The accelerations of rotors under loads x when the motors give a torque.

        Slipping one way or the other, or at rest at the end if friction can hold that.
        """
        drive = torque - x - self.drives.viscous * self.speed
        dry = self.rubbing(x)
        J = self.effective_inertia
        with np.errstate(divide="ignore", invalid="ignore"):
            forward = np.where(J > 0, (drive - dry) / J, np.inf * np.sign(drive - dry))
            backward = np.where(J > 0, (drive + dry) / J, np.inf * np.sign(drive + dry))
        forward, backward = (np.where(np.isnan(z), self.resting, z) for z in (forward, backward))
        return np.minimum(np.maximum(self.resting, forward), backward)

    def answer(self, x: Array, wanted: Array, most: Array) -> Array:
        """psi: the wanted accelerations, put between those that the limits allow."""
        return np.minimum(np.maximum(wanted, self.reached(x, -most)), self.reached(x, most))


def rotors_of(arm: Arm, H: Array, bias: Array, qd: Array, dt: float) -> Rotors:
    """The rotors' equations of a cycle: H q'' + u' + b (q' + q'' dt) = K^T x."""
    back = np.linalg.inv(arm.drives.K)
    A = back.T @ (H + np.diag(arm.damping) * dt) @ back
    return Rotors(arm.drives, A, back.T @ (bias + arm.damping * qd), arm.drives.K @ qd, dt)


def solve(rotors: Rotors, wanted: Array, most: Array) -> Array:
    """Step 6: the rotor accelerations y with y_i = psi_i(x_i), x = A y + b.

    psi never rises and A is positive definite, so there is exactly one. It is looked for rotor by
    rotor: with the others as they are, the one that fits is found, over and over. That is
    slow and cannot go wrong; what it ends with is made exact by the linear equations of the
    pieces of psi on which it ended, if they fit.
    """
    y = wanted.copy()
    for sweep in range(4000):
        before = y.copy()
        for i in range(len(y)):
            y[i] = _fitting(rotors, wanted, most, y, i)
        scale = 1 + abs(y).max()
        if sweep % 5 == 4 or abs(y - before).max() < 1e-7 * scale:
            exact = _polished(rotors, wanted, most, y)
            x = rotors.A @ exact + rotors.b
            if abs(exact - rotors.answer(x, wanted, most)).max() < 1e-8 * scale:
                return exact
        if abs(y - before).max() < 1e-13 * scale:
            return y
    raise ArithmeticError("step 6 was not solved")


def _fitting(rotors: Rotors, wanted: Array, most: Array, y: Array, i: int) -> float:
    """y_i = psi_i(a y_i + rest): each piece of psi is tried, and halving if none of them fits."""
    row = _Row(rotors, i, float(wanted[i]), float(most[i]))
    a = float(rotors.A[i, i])
    rest = float(rotors.A[i] @ y + rotors.b[i] - a * y[i])
    for value in (row.wanted, row.rest, *row.slipping(a, rest)):
        if abs(row.answer(a * value + rest) - value) <= 1e-12 * (1 + abs(value)):
            return value
    low = high = row.wanted
    span = 1.0 + abs(row.wanted)
    while low > row.answer(a * low + rest):
        low -= (span := 2 * span)
    while high < row.answer(a * high + rest):
        high += (span := 2 * span)
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle > row.answer(a * middle + rest):
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


class _Row:
    """psi of one rotor in plain floats."""

    def __init__(self, rotors: Rotors, i: int, wanted: float, most: float) -> None:
        drives = rotors.drives
        self.wanted, self.most = wanted, most
        self.mu, self.c = float(drives.load_friction[i]), float(drives.coulomb[i])
        self.J, self.rest = float(rotors.effective_inertia[i]), float(rotors.resting[i])
        self.slow = float(drives.viscous[i] * rotors.speed[i])

    def reached(self, x: float, torque: float) -> float:
        drive, dry = torque - x - self.slow, self.mu * abs(x) + self.c
        if self.J > 0:
            return min(max(self.rest, (drive - dry) / self.J), (drive + dry) / self.J)
        if drive > dry:
            return np.inf
        return -np.inf if drive < -dry else self.rest

    def slipping(self, a: float, rest: float) -> Iterator[float]:
        """Where the rotor slips at a limit: x + (mu |x| + c) s + J y + f q' = +-M."""
        for torque, s, side in product((self.most, -self.most), (1, -1), (1, -1)):
            if abs(torque) < np.inf:
                g = 1 + self.mu * side * s
                yield (torque - self.c * s - self.slow - g * rest) / (g * a + self.J)

    def answer(self, x: float) -> float:
        return min(max(self.wanted, self.reached(x, -self.most)), self.reached(x, self.most))


def _polished(rotors: Rotors, wanted: Array, most: Array, y: Array) -> Array:
    """The solution of the linear equations of the pieces of psi on which y lies."""
    x = rotors.A @ y + rotors.b
    n = len(y)
    M, right = np.eye(n), np.zeros(n)
    d = rotors.drives
    for i in range(n):
        row = _Row(rotors, i, float(wanted[i]), float(most[i]))
        near = 1e-6 * (1 + abs(y).max())
        if abs(y[i] - row.wanted) < near and abs(row.answer(x[i]) - row.wanted) < near:
            right[i] = row.wanted
        elif abs(y[i] - row.rest) < near:
            right[i] = row.rest
        else:  # slipping at a limit: x + (mu |x| + c) s + J y + f q' = +-M
            s = np.sign(y[i] - row.rest)
            limit = row.most if y[i] < row.wanted else -row.most
            g = 1 + d.load_friction[i] * np.sign(x[i]) * s
            M[i] = g * rotors.A[i]
            M[i, i] += row.J
            right[i] = limit - row.c * s - row.slow - g * rotors.b[i]
    return np.linalg.solve(M, right)
