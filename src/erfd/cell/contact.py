"""`Contact`: from when to when a link touches a thing of the cell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

TOUCH = 1e-5
"""What is nearer than this (m) is in contact."""


@dataclass(frozen=True, slots=True)
class Contact:
    """A time span (s) in which a link penetrates an object, `depth` m at most (0: a surface)."""

    start: float
    end: float
    link: str
    thing: str
    depth: float

    def __str__(self) -> str:
        when = f"{self.start:.2f}-{self.end:.2f} s"
        return f"{self.link} collides with {self.thing} at {when}"


def in_order(contacts: Iterable[Contact]) -> tuple[Contact, ...]:
    """Contacts as they begin; those that begin together by names."""
    return tuple(sorted(contacts, key=lambda c: (c.start, c.link, c.thing)))
