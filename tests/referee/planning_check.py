"""The plans of random programs beside what the programs mean, by their samples alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import erfd

from .arms import Pair
from .compare import verified
from .programs import Program
from .rules.plan_samples import Piece, motion_of
from .rules.planner_output import faults, refined


def planning_faults(pair: Pair, program: Program, found: erfd.Verification) -> list[str]:
    """What the plan does not keep; nothing is looked at behind a target out of reach."""
    if found.plan.failures:
        return []
    if program.parts != 1:
        return _refinement_faults(pair, program, found)
    moves = [move for move in found.plan.moves if move.kind != "wait"]
    if len(moves) != len(program.meant):
        return [f"{len(moves)} moves were planned of {len(program.meant)}"]
    pieces = [Piece(m.kind, m.start, m.end, m.blend, m.reach) for m in moves]
    path = found.plan.trajectory
    motion = motion_of(pair.arm, np.array(path.t), np.array(path.q))
    found_faults = faults(
        pair.arm, motion, list(zip(program.meant, pieces, strict=True)), program.smooth
    )
    steps = np.diff(path.q, axis=0) / motion.dt
    if abs(steps - path.qd[1:]).max() > 1e-9:
        found_faults.append("velocities are not those of the positions")
    if abs(path.q[0] - program.start).max() > 0:
        found_faults.append("the plan does not begin where the robot stands")
    return found_faults


def _refinement_faults(pair: Pair, program: Program, found: erfd.Verification) -> list[str]:
    """Whether a finer step is the plan at the controller's cycle in parts."""
    coarse = verified(pair, replace(program, parts=1)).plan.trajectory
    # the last cycle of a plan that ends with a velocity is appended to it
    q, qd = refined(coarse.t, np.array(coarse.q), np.array(coarse.qd), program.parts)
    path = found.plan.trajectory
    if path.q.shape != q.shape:
        return [f"{len(path.q)} samples in parts of the cycle instead of {len(q)}"]
    off = max(abs(path.q - q).max(), abs(path.qd - qd).max() * pair.arm.cycle)
    return [f"{off:.3g} rad (m) off the plan at the cycle"] if off > 1e-9 else []
