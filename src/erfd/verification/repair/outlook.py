"""What a repair would do, in one line, for the advice on a program."""

from __future__ import annotations

import time

from ...lirl import SignalSchedule
from ..result import Verification
from ..trial import Deadline, TimeIsUpError
from .chain import RepairSetup, TrialChain
from .hopeless import hopeless
from .places import Places
from .smallest_change import ChangeSearch
from .values import caps_of, values_by_line

TIME = 1.0
"""s that an outlook may take."""
HELPLESS = "erfd repair cannot help by lower speeds; it looks for another way"
UNKNOWN = "erfd repair looks for lower speeds with which it is feasible"


def outlook(
    verification: Verification,
    *,
    signals: SignalSchedule | None = None,
    seconds: float = TIME,
    helpless: bool | None = None,
) -> str:
    """What `erfd.repair` would do with a program, in one line; empty if it is feasible.

    Args:
        verification: The verification of the program.
        signals: The inputs that the program reads, as for `erfd.verify`.
        seconds: The time that the search may take, s.
        helpless: Whether no speed makes it feasible, where that is known already.

    >>> import erfd
    >>> from erfd.verification.repair import outlook
    >>> text = 'program p; seq move ptp joint(mainjoint(10)); endseq endprogram'
    >>> outlook(erfd.verify(text, erfd.load("lola15")))
    ''
    """
    found = verification
    if found.feasible or found.program is None:
        return ""
    setup = RepairSetup.of(found, signals)
    chain = TrialChain(setup, Deadline(time.monotonic() + seconds))
    try:
        if helpless or (helpless is None and any(hopeless(found, chain))):
            return HELPLESS
    except TimeIsUpError:
        return UNKNOWN
    values = values_by_line(found.steps, found.plan.moves)
    order = [move.line for move in found.plan.moves]
    places = Places(found.program, found.text)
    result = ChangeSearch(values, order, chain.attempt, places.grouped).run()
    if result.indices is None and result.complete:
        return HELPLESS
    if result.indices is None:
        return UNKNOWN
    lines = sorted({line for value in result.indices for line in value.lines})
    words = f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}"
    if not result.complete:
        return f"erfd repair makes it feasible by lower values of {words}, or fewer"
    chain.deadline = Deadline()
    after = chain.attempt(caps_of(result.indices)).seconds
    took = f"{after:.2f} s instead of {found.seconds:.2f} s"
    return f"erfd repair makes it feasible by lower values of {words}: {took}"
