"""What smooth turning would make of a program whose tool turns evenly within each move."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...planning.moves import Move
from ..result import Verification
from ..trial import Deadline, TimeIsUpError
from .chain import RepairSetup, TrialChain, TrialOutcome
from .smallest_change import ChangeSearch
from .values import Value, caps_of

TIME = 5.0
"""s that this may take."""


def smooth_turning(
    found: Verification,
    setup: RepairSetup,
    values: Mapping[int, tuple[Value, ...]],
    order: Sequence[int],
    seconds: float,
) -> str:
    """What smooth turning would save, in a sentence; empty if nothing, or if it is smooth already.

    Where the rate of turning jumps, at the junctions of paths, no speed but a low one helps.

    Args:
        found: The verification of the program as it is.
        setup: What it is tried with.
        values: What can be lowered at each line.
        order: The lines in the order in which they run.
        seconds: The duration of the repaired program, s.
    """
    asked = setup.planning.get("turning")
    ways = {asked or s.turning or setup.robot.turning for s in found.steps if isinstance(s, Move)}
    if "even" not in ways:
        return ""
    planning = {**setup.planning, "turning": "smooth"}
    chain = TrialChain(replace(setup, planning=planning), Deadline(time.monotonic() + TIME))
    lines: set[int] = set()
    try:
        outcome = chain.attempt({})
        if not outcome.feasible:
            result = ChangeSearch(values, order, chain.attempt, dict).run()
            if result.indices is None:
                return ""
            lines = {line for value in result.indices for line in value.lines}
            outcome = chain.attempt(caps_of(result.indices))
    except TimeIsUpError:
        outcome = TrialOutcome()
    if not outcome.feasible or outcome.seconds >= seconds:
        return ""
    count = len(lines)
    how = f"with {count} line{'s' if count > 1 else ''} slower" if lines else "as it is"
    return f"with smooth turning (`turning smooth;`) it passes {how}, in {outcome.seconds:.2f} s"
