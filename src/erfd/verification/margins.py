"""How much is left of a feasible program if payload and friction are not quite what they are."""

from __future__ import annotations

import numpy as np

from .continuous import PHRASES
from .result import Verification
from .trial import TrialMotion

MARGIN = 0.1
"""Payload and friction are varied by this part."""


def margin(verification: Verification, motion: TrialMotion) -> str:
    """The margin under +-10 % of payload and friction, of what there is of both, in one sentence.

    Args:
        verification: The verification of a program.
        motion: Its motion, to be tried.
    """
    if not verification.feasible:
        return f"no margin: the {verification.what} is not feasible as it is"
    varied = {
        "payload": any(p is not None and (p.mass or np.any(p.inertia)) for p in motion.payloads),
        "friction": any(
            drive.load_friction or drive.coulomb or drive.viscous for drive in motion.robot.drives
        ),
    }
    if not any(varied.values()):
        return "no margin looked for: the robot has no friction and carries nothing"
    factors = (1 - MARGIN, 1 + MARGIN)
    loads, frictions = (factors if there else (1.0,) for there in varied.values())
    trials = [
        motion.run_trial(friction=friction, load=load, judged=PHRASES)
        for friction in frictions
        for load in loads
    ]
    names = " and ".join(name for name, there in varied.items() if there)
    what = f"+-{100 * MARGIN:.0f} % {names}"
    bad = [trial for trial in trials if not trial.feasible]
    if bad:
        return f"with {what} not feasible in {len(bad)} of {len(trials)} cases: {bad[0].why}"
    use = np.max([trial.use for trial in trials], axis=0)
    worst = int(use.argmax())
    uses = f": motor {worst + 1} uses {100 * use[worst]:.0f} %" if use[worst] else ""
    return f"with {what} still feasible{uses}"
