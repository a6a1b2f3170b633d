"""The largest speed overrides at which a motion, or a part of it, is feasible."""

from __future__ import annotations

import math
from collections.abc import Callable

from .continuous import PEAKS, PHRASES
from .trial import Trial, TrialMotion

SLOWEST, FASTEST = 0.02, 2.0
"""Speed overrides that are tried."""
SLOWER = 0.75
"""Where a continuous load is too large, the next speed that is tried is this part of the last."""


def whole(motion: TrialMotion, speed: float) -> Trial:
    """Try a whole motion at a speed, without its continuous load."""
    return motion.run_trial(speed=speed, early=True)


def whole_for_ever(motion: TrialMotion, speed: float) -> Trial:
    """Try a whole motion at a speed, repeated for ever."""
    return motion.run_trial(speed=speed, early=True, judged=PHRASES)


def part(motion: TrialMotion, first: int, last: int, speed: float) -> Trial:
    """Try a part of a motion at a speed, with the loads of any one moment."""
    return motion.run_trial(speed=speed, first=first, last=last, early=True, judged=PEAKS)


def largest(attempt: Callable[[float], Trial]) -> float | None:
    """The largest speed that is feasible, None if even the slowest is not.

    Whole percents are tried: what is printed has been tried as it is printed.
    """
    low, high = round(100 * SLOWEST), round(100 * FASTEST)
    passed = attempt(1.0).feasible
    if passed:
        if attempt(FASTEST).feasible:
            return FASTEST
        low = 100
    else:
        high = 100
    while high - low > 1:
        middle = (low + high) // 2
        if attempt(middle / 100).feasible:
            low, passed = middle, True
        else:
            high = middle
    # the slowest motion is the longest by far: it is tried only if no faster one passed
    return low / 100 if passed or attempt(low / 100).feasible else None


def largest_below(attempt: Callable[[float], Trial], fastest: float) -> float | None:
    """The largest speed below `fastest` that is feasible, where slower need not be better.

    A mean over a period is not always smaller at a lower speed: what holds the arm takes longer
    then, the pause does not. So speeds are tried downwards, each a part of the last, until one
    passes; from there on whole percents by halving. What comes out has passed, and a percent more
    has not.
    """
    high = round(100 * fastest)
    while high > 100 * SLOWEST:
        low = max(math.floor(SLOWER * high), round(100 * SLOWEST))
        if not attempt(low / 100).feasible:
            high = low
            continue
        while high - low > 1:
            middle = (low + high) // 2
            if attempt(middle / 100).feasible:
                low = middle
            else:
                high = middle
        return low / 100
    return None
