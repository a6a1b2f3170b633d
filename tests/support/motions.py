"""A motion of Lola 15 that is easy, hard or too hard, as one likes, and its file."""

from pathlib import Path

import numpy as np

import erfd

HOME = np.array([0.0, 0.2, -0.3, 0.0, -0.8, 0.0])
FAR = np.array([1.5, -0.8, 0.9, 1.0, 0.5, 2.0])


def lola_motion(seconds: float, dt: float = 0.01) -> erfd.Trajectory:
    """A smooth motion from HOME to FAR: the shorter, the harder."""
    t = dt * np.arange(round(seconds / dt) + 1)
    s = t / t[-1]
    s = 10 * s**3 - 15 * s**4 + 6 * s**5
    return erfd.Trajectory(t, HOME + s[:, None] * (FAR - HOME))


def write_motion(path: Path, motion: erfd.Trajectory) -> Path:
    """Times and joint positions as CSV, to the last bit."""
    rows = np.column_stack([motion.t, motion.q])
    path.write_text("\n".join(",".join(repr(float(x)) for x in row) for row in rows) + "\n")
    return path
