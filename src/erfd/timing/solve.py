"""The fastest speed profile of one piece of a path, or the reason why there is none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..errors import InputError
from ..ground.arrays import Array
from ..kernels.choice import compiles
from .cells import Cells, speed_names
from .compiled_passes import PassLoop
from .passes import SCAN, PassProblem, Sets, controllable, largest
from .reserve import Reserve
from .span import BIG, NumpyOperations
from .span import bounds as own_bounds
from .speed_profile import SpeedProfile

FINER = (1, 4, 16)
"""If the forward pass gets stuck between tried x, so many times as many are tried."""


class NoSpeedError(InputError):
    """A place of the path that no speed is possible at, or from which the end cannot be reached.

    `why` is the sentence without the place, `s` the place, rad (m).
    """

    def __init__(self, why: str, s: float, where: str = ""):
        super().__init__(f"{where or f'path: at s = {s:.4g} rad'}: {why}")
        self.why, self.s = why, s


def problem_of(cells: Cells, reserve: Reserve, start: float, end: float) -> PassProblem:
    """The problem of a piece, from s'^2 = `start` to `end`."""
    own = np.hstack(
        [cells.direction, reserve.up, reserve.down, reserve.part, 2 * cells.length[:, None]]
    )
    cap = cells.cap * (1 - reserve.speed)
    problem = PassProblem(cells.bounds, cells.left, cells.right, own, cap, start, end)
    if np.isfinite(cap).all():
        return problem
    return replace(problem, cap=np.minimum(cap, _highest(problem)))


def _highest(problem: PassProblem) -> float:
    """An s'^2 that no motion along the piece exceeds: more than all s'' from rest could give."""
    most = 0.0
    for k in range(problem.count):
        low, high = problem.span(k, np.zeros(1), -BIG, BIG)
        size = max(abs(float(low[0])), abs(float(high[0])))
        most += float(problem.step[k]) * (size if size < 1e12 else 0.0)
    return 4 * most + problem.start + problem.end + 1.0


def _check_bounded(cells: Cells, problem: PassProblem, x: Array) -> None:
    """Check that a profile is bounded by limits of the robot, not only by `_highest`."""
    fast = (x >= 0.99 * problem.cap) & ~np.isfinite(cells.cap)
    if fast.any():
        k = min(int(fast.argmax()), problem.count - 1)
        moving = 1 + np.flatnonzero(np.abs(cells.start("first")[k]) > 1e-9)
        several = len(moving) > 1
        joints = f"joint{'s' * several} {', '.join(str(j) for j in moving.tolist())}"
        raise InputError(
            f"robot: expected limits of torque or speed where {joints}"
            f" move{'' if several else 's'}, found none: nothing bounds the speed"
        )


def fastest_profile(cells: Cells, reserve: Reserve, start: float, end: float) -> SpeedProfile:
    """The fastest profile of a piece; `NoSpeedError` says why if there is none."""
    problem = problem_of(cells, reserve, start, end)
    node = 0
    for finer in FINER:
        sets, x, node = _passes(problem, SCAN * finer)
        if node == problem.count:
            _check_bounded(cells, problem, x)
            return SpeedProfile.of(cells.s, x)
        if not sets[0]:
            stuck = next(k for k in range(len(sets) - 1, -1, -1) if not sets[k])
            raise NoSpeedError(_why_none(cells, problem, stuck), float(cells.s[stuck]))
        if not any(low <= start <= high for low, high in sets[0]):
            if start == 0:
                raise NoSpeedError(_why_none(cells, problem, 0), float(cells.s[0]))
            raise InputError(_why_start(cells, start, sets[0][0][0], sets[0][-1][1]))
    raise NoSpeedError("found no speed to go on with", float(cells.s[node]))


def _passes(problem: PassProblem, scan: int) -> tuple[list[Sets], Array, int]:
    """Both passes, compiled where that is possible."""
    robot = problem.bounds.robot
    if compiles(robot):
        accelerations = problem.bounds.acceleration is not None
        return PassLoop.of(robot, accelerations).solve(problem, scan)
    sets = controllable(problem, scan)
    if not any(low <= problem.start <= high for low, high in sets[0]):
        return sets, np.zeros(0), 0
    return sets, *largest(problem, sets)


def _why_start(cells: Cells, start: float, low: float, high: float) -> str:
    """Why the speed at the start is not possible."""
    size = float(np.linalg.norm(cells.start("first")[0]))
    found = np.sqrt(start) * size
    few, most = np.sqrt(low) * size, np.sqrt(high) * size
    return f"start_speed: expected {few:.4g} to {most:.4g} (rad/s of all joints), found {found:.4g}"


def _why_none(cells: Cells, problem: PassProblem, k: int) -> str:
    """Why no speed is possible in cell k: which motor lacks how much."""
    n = cells.bounds.robot.n
    k = min(k, problem.count - 1)
    tried = float(problem.cap[k]) * np.linspace(0, 1, 65) ** 2
    low, high = problem.span(k, tried, -BIG, BIG)
    works = low <= high
    what = "no speed is possible" + (" from which the rest can be done" if works.any() else "")
    worst, need, most = _holding(cells, k)
    if need > most:
        return (
            f"{what}: motor {worst + 1} needs {need:.4g} N m to hold the arm and may give"
            f" {most:.4g} N m"
        )
    x = tried[int(works.argmax())][None]
    lines = problem.lines.at(k)
    lows, highs, _, _ = own_bounds(NumpyOperations, lines, problem.limit, x, np.sqrt(x))
    pulls, pushes = (_row_name(int(r), n) for r in (lows[:, 0].argmax(), highs[:, 0].argmin()))
    both = f"the limits of {pulls} and {pushes}" if pulls != pushes else f"the limit of {pulls}"
    return f"{what}: {both} leave{'s' * (pulls == pushes)} no acceleration for it"


def _row_name(row: int, n: int) -> str:
    return f"motor {row % n + 1} torque" if row < 2 * n else f"joint {row % n + 1} acceleration"


def _holding(cells: Cells, k: int) -> tuple[int, float, float]:
    """The motor that has least to hold the arm with in cell k, what it needs and has, N m.

    Friction is against the direction in which the path goes on.
    """
    bounds = cells.bounds
    d = bounds.drives
    c = cells.start("c")[k]
    direction = cells.direction[k]
    dry = d.load_friction * np.abs(c) + d.coulomb
    need = np.where(direction == 0, np.abs(c) - dry, np.abs(c + direction * dry))
    most = bounds.torque_limit(np.zeros_like(c))
    worst = int((need / most).argmax())
    return worst, float(need[worst]), float(most[worst])


def speed_limit_names(cells: Cells) -> list[str]:
    """The names of `Cells.capped`."""
    return speed_names(cells.bounds)
