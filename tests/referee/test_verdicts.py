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
SEED = int(os.environ.get("ERFD_SEED", "0"))
IN_ALL = {name: (3 * ASKED + 19) // 20 if name != "seven" else ASKED // 10 for name in NAMES}
QUICK = {"lola15 rated": 90, "puma560 rated": 90, "stanford": 90, "seven": 30}
"""Programs of each arm in `make test`. Every tenth, here and above, is of seven axes: slow."""


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize(("name", "count"), (IN_ALL if ASKED else QUICK).items())
def test_verdicts_are_those_of_the_referee(name: str, count: int) -> None:
    """States to 1e-8 rad, peaks to 1e-7 of a limit, loads to 1e-6, plans to 2e-8 m."""
    kinds: Counter[str] = Counter()
    differences = list(tried(((name, n) for n in numbers(SEED, count)), kinds))
    assert not differences, "\n".join(differences[:20])
    if count >= 90:  # of everything there is enough, whatever was drawn
        assert kinds["feasible"] > 0.25 * count
        assert kinds["saturated"] > 0.08 * count
        assert kinds["unreachable"] < 0.5 * count
