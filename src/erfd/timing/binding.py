"""Which limit holds a motion back in each cell of a piece, and how much room it leaves."""

from __future__ import annotations

import numpy as np

from ..ground.arrays import Array
from .cells import Cells, speed_names
from .passes import PassProblem
from .reserve import Reserve
from .solve import problem_of
from .span import FIELDS, Lines, NumpyOperations, room
from .speed_profile import SpeedProfile

BINDS = 1e-3
"""A limit binds if this part of it is left at most."""
FREE = ""
"""The name of no limit."""


def row_names(problem: PassProblem) -> list[str]:
    """The names of the rows of `limit_lines`."""
    n = problem.bounds.robot.n
    torques = [f"motor {i + 1} torque" for i in range(n)] * 2
    if problem.bounds.acceleration is None:
        return torques
    return torques + [f"joint {i + 1} acceleration" for i in range(n)] * 2


def binding(cells: Cells, profile: SpeedProfile, reserve: Reserve) -> tuple[list[str], Array]:
    """The limit that binds in each cell (`FREE`: none does), and the part of it that is left (N,).

    The names are "motor 2 torque", "motor 2 voltage", "motor 2 speed", "joint 2 speed", "joint 2
    acceleration" and "tool speed".
    """
    problem = problem_of(cells, reserve, float(profile.x[0]), float(profile.x[-1]))
    left, volts = _room_left(problem, profile)
    names = row_names(problem)
    row = left.argmin(axis=0)
    least = left[row, np.arange(left.shape[1])]
    found = [
        names[r].replace("torque", "voltage") if volts[r, k] else names[r]
        for k, r in enumerate(row.tolist())
    ]
    cap = cells.cap * (1 - reserve.speed)
    with np.errstate(invalid="ignore", divide="ignore"):
        slack = 1 - np.sqrt(profile.x / cap)
    node = np.where(slack[1:] < slack[:-1], np.arange(1, len(cap)), np.arange(len(cap) - 1))
    speeds = speed_names(cells.bounds)
    for k in np.flatnonzero(slack[node] < least).tolist():
        least[k] = slack[node[k]]
        found[k] = speeds[int(cells.capped[node[k]])]
    free = least > BINDS
    return [FREE if free[k] else name for k, name in enumerate(found)], least


def _room_left(problem: PassProblem, profile: SpeedProfile) -> tuple[Array, Array]:
    """The parts of their limits that the rows have left in each cell, and whether by voltage.

    At the end of a cell with the speed there or at its start, whichever leaves less: `steady`.
    """
    n = problem.bounds.robot.n
    starts = np.tile(profile.speed[:-1], (len(row_names(problem)), 1))
    both = starts.copy()
    both[n : 2 * n] = profile.speed[1:]
    left, by_volts = _room_at(problem, profile, starts)
    ends, volts = _room_at(problem, profile, both)
    less = ends < left
    return np.where(less, ends, left), np.where(less, volts, by_volts)


def _room_at(problem: PassProblem, profile: SpeedProfile, v: Array) -> tuple[Array, Array]:
    """The same with these speeds (R, N) for the rows."""
    lines = Lines(*(getattr(problem.lines, name).T for name in FIELDS))
    x, u, n = profile.x[:-1], profile.acceleration, problem.bounds.robot.n
    plus = u / lines.per_plus + lines.x_plus * x + lines.v_plus * v + lines.c_plus
    minus = u / lines.per_minus + lines.x_minus * x + lines.v_minus * v + lines.c_minus
    top, low = room(NumpyOperations, lines, problem.limit, v)
    rests = lines.rests > 0
    higher, lower = np.maximum(plus, minus), np.minimum(plus, minus)
    above = top - np.where(rests, lower, higher)
    below = low + higher
    torque = lines.scale * problem.limit(lines.rate * v)
    volts = np.where(above < below, lines.volt - lines.emf * v, lines.volt + lines.emf * v)
    size = np.minimum(torque, volts)
    if len(size) > 2 * n:
        size[2 * n :] = top[2 * n :]
    with np.errstate(invalid="ignore", divide="ignore"):
        left = np.nan_to_num(np.minimum(above, below) / size, nan=1.0, posinf=1.0)
    by_volts = volts < torque
    by_volts[2 * n :] = False
    return left, by_volts


def shares_of(names: list[str], seconds: Array) -> dict[str, float]:
    """The part of the time in which each limit binds, the largest first; what is left is `FREE`."""
    total = float(seconds.sum())
    sums: dict[str, float] = {}
    for name, lasts in zip(names, seconds.tolist(), strict=True):
        sums[name] = sums.get(name, 0.0) + lasts / total
    return dict(sorted(sums.items(), key=lambda pair: -pair[1]))
