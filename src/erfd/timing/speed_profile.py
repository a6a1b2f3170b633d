"""The speed along a piece of a path, and where it is at which time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..ground.arrays import Array


@dataclass(frozen=True, slots=True, eq=False)
class SpeedProfile:
    """s'' is constant in each of N cells: s, s'^2 and time at the nodes, (N + 1,).

    `s` in rad (m) of joint space, `x` = s'^2, `t` in s from the start of the piece.
    """

    s: Array
    x: Array
    t: Array

    @classmethod
    def of(cls, s: Array, x: Array) -> SpeedProfile:
        """The profile with these s'^2 at the nodes."""
        speed = np.sqrt(x)
        lasts = 2 * np.diff(s) / (speed[:-1] + speed[1:])
        return cls(s, x, np.concatenate([[0.0], np.cumsum(lasts)]))

    @property
    def speed(self) -> Array:
        """s' at the nodes, rad/s (m/s)."""
        return np.sqrt(self.x)

    @property
    def acceleration(self) -> Array:
        """s'' in the cells, (N,), rad/s2 (m/s2)."""
        return np.diff(self.x) / (2 * np.diff(self.s))

    @property
    def seconds(self) -> float:
        """How long the piece takes, s."""
        return float(self.t[-1])

    def at(self, t: Array) -> Array:
        """Where it is at times t (M,) from the start of the piece."""
        k = np.searchsorted(self.t, t, side="right").clip(1, len(self.t) - 1) - 1
        since = t - self.t[k]
        x = self.s[k] + (self.speed[k] + 0.5 * self.acceleration[k] * since) * since
        result = np.clip(x, self.s[k], self.s[k + 1])
        return np.asarray(np.where(t >= self.t[-1], self.s[-1], result))
