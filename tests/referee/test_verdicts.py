"""Random programs: ERFD's verdict, first failing limit, peaks and plan are those of the referee.

ERFD_REFEREE says how many (make soak-referee), ERFD_SEED which.
"""

from __future__ import annotations

import os
from collections import Counter

import pytest

pytest.importorskip("pinocchio", exc_type=ImportError)

from referee.arms import NAMES
from referee.trials import numbers, tried

ASKED = int(os.environ.get("ERFD_REFEREE", "0"))
COUNT = ASKED or 300
ARMS = NAMES if ASKED else ("lola15 rated", "puma560 rated", "stanford", "seven")
"""Four arms in `make test`, all with and without ratings in the soak."""


@pytest.mark.usefixtures("compiled")
def test_verdicts_are_those_of_the_referee() -> None:
    """States to 1e-8 rad, peaks to 1e-7 of a limit, loads to 1e-6, plans to 2e-8 m."""
    kinds: Counter[str] = Counter()
    seed = int(os.environ.get("ERFD_SEED", "0"))
    differences = list(tried(numbers(seed, COUNT, ARMS), kinds))
    assert not differences, "\n".join(differences[:20])
    if COUNT >= 100:  # of everything there is enough
        assert kinds["feasible"] > 0.3 * COUNT
        assert kinds["saturated"] > 0.15 * COUNT
        assert kinds["divided"] > 0.01 * COUNT
        assert kinds["unreachable"] < 0.4 * COUNT
