"""Joint trajectories: positions and velocities at a fixed cycle time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..ground.arrays import Array, finite_array


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """A joint trajectory: positions and velocities at a fixed cycle time.

    qd[k] is the velocity held in the cycle that ends at t[k], so qd[k] = (q[k] - q[k-1]) / dt
    (erratum 14); qd[0] is the velocity at the start.

    Args:
        t: Times in s with a fixed step, (N,).
        q: Joint positions in rad (m), (N, n).
        qd: Joint velocities in rad/s (m/s), (N, n); left out, they are derived from q, from rest.
        resample: Take q and derive qd anew where a qd disagrees with q; otherwise that is an error.

    Raises:
        InputError: Numbers that are not finite, wrong shapes, or times without a fixed step.

    >>> import erfd
    >>> erfd.Trajectory([0.0, 0.01, 0.02], [[0.0], [0.1], [0.2]])
    Trajectory(3 points of 1 joints, dt = 0.01 s)
    """

    t: Array
    q: Array
    qd: Array

    def __init__(
        self, t: ArrayLike, q: ArrayLike, qd: ArrayLike | None = None, *, resample: bool = False
    ):
        times, positions = finite_array("t", t, ("N",)), finite_array("q", q, ("N", "n"))
        if len(times) < 2:
            raise InputError(f"t: expected at least two times, found {len(times)}")
        if len(positions) != len(times):
            raise InputError(f"q: expected {len(times)} rows, one a time, found {len(positions)}")
        steps = np.diff(times)
        dt = float(times[-1] - times[0]) / len(steps)
        if not dt > 0:
            raise InputError(f"t: expected rising times, found a step of {dt:g} s on average")
        worst = int(np.abs(steps - dt).argmax())
        if abs(steps[worst] - dt) > 1e-6 * dt:
            step = f"{steps[worst]:g} s after t = {times[worst]:g} s"
            raise InputError(f"t: expected a fixed step of {dt:g} s, found {step}")
        rates = np.zeros_like(positions)
        rates[1:] = np.diff(positions, axis=0) / dt
        if qd is not None:
            velocities = finite_array("qd", qd, ("N", "n"))
            if velocities.shape != positions.shape:
                raise InputError(f"qd: expected shape {positions.shape}, found {velocities.shape}")
            rates[0] = velocities[0]
            if not resample:
                _agree(times, velocities, rates, dt)
                rates = velocities
        for name, value in (("t", times), ("q", positions), ("qd", rates)):
            value.flags.writeable = False
            object.__setattr__(self, name, value)

    @property
    def dt(self) -> float:
        """The cycle time in s."""
        return float(self.t[-1] - self.t[0]) / (len(self.t) - 1)

    @property
    def n(self) -> int:
        """The number of joints."""
        return int(self.q.shape[1])

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return f"Trajectory({len(self)} points of {self.n} joints, dt = {self.dt:g} s)"


def _agree(t: Array, velocities: Array, derived: Array, dt: float) -> None:
    """Check that the velocities are those that lead from point to point."""
    gap = np.abs(velocities - derived)
    allowed = 1e-9 * max(1.0, float(np.abs(derived).max())) + 1e-12 / dt
    if gap.max() > allowed:
        k, joint = (int(i) for i in np.unravel_index(gap.argmax(), gap.shape))
        raise InputError(
            f"qd: expected (q[k] - q[k-1]) / dt, found a difference of {gap.max():.3g}"
            f" at t = {t[k]:g} s, joint {joint + 1}; resample=True derives it from q"
        )
