"""A piece timed and sampled so that no cycle of Algorithm 1 has too little.

The sampled motion differs from the profile by what happens within a cycle: velocities one half
cycle late, a rotor that turns back between two samples. Cycles that lack torque keep that much back
in the cells that they cover, and the piece is timed again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from ..ground.arrays import Array
from ..planning.move_chain import LONGEST
from .cells import Bounds, Cells
from .coefficients import PathLoads
from .discrete_cycles import CycleDemand, cycle_demand
from .joint_path import Piece
from .reserve import OVER, Reserve
from .sampling import sample_times
from .solve import NoSpeedError, fastest_profile
from .speed_profile import SpeedProfile

ROUNDS = 24
"""How often a piece is timed again before it is sampled more slowly, too,"""
POINTS_A_ROUND, MOST_ROUNDS = 20, 100
"""and once more for so many of its points, up to a number: each bend is a chance of a bad cycle."""
SLOWER = 8
"""Up to so many cycles are added in the end."""
LEAST, MOST = 1e-7, 0.1
"""Parts of the torque limit by which the reserve grows in a round, at least and at most,"""
PATIENT, GROWTH = 4, 0.01
"""and after so many rounds at least by this part of it more in each."""
SMALL, EVENLY = 2e-3, 1.5
"""What lacks by then, if it is less than this part of the limit, is kept back everywhere, so many
times: kept back in some cells only, it might wander from cell to cell."""
HALVINGS = 4
"""A reserve with which nothing is possible grows by half of that, so many times."""


@dataclass(frozen=True, slots=True, eq=False)
class TimedPiece:
    """A timed piece: its cells, its profile without and with what sampling keeps back, samples.

    `at` (M + 1,) is where the samples are (s), `reserve` what is kept back, `rounds` how often the
    piece was timed.
    """

    piece: Piece
    cells: Cells
    ideal: SpeedProfile
    profile: SpeedProfile
    reserve: Reserve
    at: Array
    rounds: int


def timed_piece(
    bounds: Bounds,
    piece: Piece,
    cells: Cells,
    dt: float,
    start: float,
    end: float,
    loads: PathLoads,
) -> TimedPiece:
    """Time a piece and sample it every dt s; `loads` are those of the points of the path."""
    reserve = Reserve.none(cells)
    ideal = profile = fastest_profile(cells, reserve, start, end)
    limit = np.minimum(bounds.drives.torque_max, 1e9)
    extra = 0
    stuck: NoSpeedError | None = None
    lack = np.zeros((1, bounds.robot.n))
    rounds = min(ROUNDS + len(piece.knots) // POINTS_A_ROUND, MOST_ROUNDS)
    for count in range(rounds + SLOWER):
        if not profile.seconds <= LONGEST * dt:
            raise InputError(
                f"dt: expected at most {LONGEST} cycles of {dt:g} s, found a motion of"
                f" {profile.seconds:.4g} s"
            )
        at = profile.at(sample_times(profile, dt, extra))
        demand = _demand(bounds, piece, at, dt, cells, np.sqrt(start), loads)
        lack, over, fast = demand.lack, demand.over, demand.fast
        if lack.max() <= 0 and over.max() <= OVER and fast.max() <= 0:
            return TimedPiece(piece, cells, ideal, profile, reserve, at, count + 1)
        if count >= rounds or stuck is not None:
            extra += 1
        stuck = None
        for half in range(HALVINGS + 1):
            most = MOST * limit / 2**half
            least = limit * min(LEAST + GROWTH * max(count - PATIENT, 0), MOST / 2**half)
            more = reserve.more(cells, at, demand, least, most)
            if count >= PATIENT:
                worst = lack.max(axis=0).clip(0.0)
                more = more.everywhere(np.where(worst < SMALL * limit, EVENLY * worst, 0.0))
            try:
                profile = fastest_profile(cells, more, start, end)
            except NoSpeedError as problem:
                stuck = problem
                continue
            reserve, stuck = more, None
            break
    if stuck is not None:
        raise InputError(
            f"dt: expected cycles short enough for the path, found {dt:g} s: with what its"
            f" cycles need beyond the limits kept back, {stuck.why}"
        )
    i = int(lack.max(axis=0).argmax())
    raise InputError(
        f"dt: expected cycles short enough for the path, found {dt:g} s: motor {i + 1} still lacks"
        f" {max(float(lack.max()), 0.0):.3g} N m in one of them"
    )


def _demand(
    bounds: Bounds, piece: Piece, at: Array, dt: float, cells: Cells, speed: float, loads: PathLoads
) -> CycleDemand:
    """What the cycles that end at places `at` ask for; the first begins with s' = `speed`."""
    q = piece.curve(at)
    qd = np.vstack([cells.start("first")[:1] * speed, np.diff(q, axis=0) / dt])
    here = loads.at(piece.point_after(at[1:])) if loads.changing else loads
    return cycle_demand(bounds, q, qd, dt, here)
