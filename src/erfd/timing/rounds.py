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
from .cells import Bounds, Cells
from .coefficients import PathLoads
from .discrete_cycles import cycle_demand
from .joint_path import Piece
from .sampling import sample_times
from .reserve import Reserve
from .solve import NoSpeed, fastest_profile
from .speed_profile import SpeedProfile

ROUNDS = 24
"""How often a piece is timed again before it is sampled more slowly, too."""
SLOWER = 8
"""Up to so many cycles are added in the end."""
MORE = 1.1
"""What a cycle lacks is kept back so many times."""
LEAST = 1e-7
"""And this part of the torque limit with it."""
OVER = 5e-7
"""A joint's acceleration may exceed its limit by this part (`run.events.OVER` allows twice that)."""


@dataclass(frozen=True, slots=True, eq=False)
class TimedPiece:
    """A timed piece: its cells, its profile without and with what sampling keeps back, samples.

    `at` (M + 1,) is where the samples are (s), `rounds` how often it was timed.
    """

    piece: Piece
    cells: Cells
    ideal: SpeedProfile
    profile: SpeedProfile
    at: Array
    rounds: int


def timed_piece(
    bounds: Bounds, piece: Piece, cells: Cells, dt: float, start: float, end: float, loads: PathLoads
) -> TimedPiece:
    """Time a piece and sample it every dt s; `loads` are those of the points of the path."""
    reserve = Reserve.none(len(cells.length), bounds.robot.n)
    ideal = profile = fastest_profile(cells, reserve, start, end)
    extra = 0
    for count in range(ROUNDS + SLOWER):
        at = profile.at(sample_times(profile, dt, extra))
        lack, over = _lacks(bounds, piece, at, dt, cells, np.sqrt(start), loads)
        if lack.max() <= 0 and over.max() <= OVER:
            return TimedPiece(piece, cells, ideal, profile, at, count + 1)
        if count >= ROUNDS:
            extra += 1
        least = np.tile(LEAST * np.minimum(bounds.drives.torque_max, 1e9), 2)
        torque = np.where(lack > 0, MORE * lack + least, 0.0)
        reserve = reserve.more(cells.s, at, torque, np.where(over > OVER, MORE * over, 0.0))
        try:
            profile = fastest_profile(cells, reserve, start, end)
        except NoSpeed as problem:
            raise NoSpeed(
                f"dt: expected cycles short enough for the path, found {dt:g} s: with what its"
                f" cycles need beyond the limits kept back, {problem}"
            ) from None
    i = int(lack.max(axis=0).argmax()) % bounds.robot.n
    raise InputError(
        f"dt: expected cycles short enough for the path, found {dt:g} s: motor {i + 1} still lacks"
        f" {max(float(lack.max()), 0.0):.3g} N m in one of them"
    )


def _lacks(
    bounds: Bounds, piece: Piece, at: Array, dt: float, cells: Cells, speed: float, loads: PathLoads
) -> tuple[Array, Array]:
    """Torques that the cycles lack, upwards and downwards (M, 2 n), and accelerations over (M, n)."""
    q = piece.curve(at)
    qd = np.vstack([cells.first[:1] * speed, np.diff(q, axis=0) / dt])
    here = loads.at(piece.point_after(at[1:])) if loads.changing else loads
    demand = cycle_demand(bounds, q, qd, dt, here)
    upwards = np.where(demand.torque > 0, demand.lack, 0.0)
    downwards = np.where(demand.torque < 0, demand.lack, 0.0)
    return np.hstack([upwards, downwards]), demand.over
