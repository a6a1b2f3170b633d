"""What an item of a document is, and what came of it: checks, a verdict, a figure."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Check:
    """A statement of a document beside what was computed; it holds between `low` and `high`.

    `printed` is what stands there, `number` the same where it is a number. What is compared with
    words ("identical", "slightly") says by `low` and `high` how the words are taken.
    """

    what: str
    printed: str
    computed: float
    low: float = -math.inf
    high: float = math.inf
    unit: str = ""
    number: float | None = None

    @property
    def holds(self) -> bool:
        """Whether what was computed is what is printed."""
        return self.low <= self.computed <= self.high


def number(
    what: str, printed: float, computed: float, tolerance: float = 0.0, unit: str = ""
) -> Check:
    """A printed number, reproduced if it is met within the tolerance."""
    low, high = printed - tolerance, printed + tolerance
    return Check(what, f"{printed:g}", float(computed), low, high, unit, printed)


def identical(what: str, difference: float, limit: float, unit: str = "") -> Check:
    """Two results that are said to be the same: their largest difference, at most `limit`."""
    return Check(what, "identical", float(difference), 0.0, limit, unit)


@dataclass(frozen=True, slots=True)
class ItemOutcome:
    """What came of an item: its checks, the errata that they rest on, and how to draw it.

    `why` says why something does not hold, and must be there if and only if that is so.
    `remark` is a sentence for the reader. `figure` draws the item as the document lays it out.
    """

    checks: tuple[Check, ...]
    errata: tuple[int, ...] = ()
    why: str = ""
    remark: str = ""
    figure: Callable[[], Any] | None = None

    @property
    def reproduced(self) -> bool:
        """Whether every check holds."""
        return all(check.holds for check in self.checks)

    @property
    def verdict(self) -> str:
        """`reproduced`, `reproduced after erratum N` or `not reproduced`."""
        if not self.reproduced:
            return "not reproduced"
        if not self.errata:
            return "reproduced"
        plural = "erratum" if len(self.errata) == 1 else "errata"
        return f"reproduced after {plural} {', '.join(map(str, self.errata))}"


@dataclass(frozen=True, slots=True)
class DocumentItem:
    """An item: its name, where it stands in the documents, what it is, and how it is done again."""

    name: str
    where: str
    title: str
    run: Callable[[], ItemOutcome]

    @property
    def document(self) -> str:
        """The number of the document that its name begins with."""
        return self.name.partition("-")[0]
