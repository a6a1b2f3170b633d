"""The types of L-IRL, and which may be used where another is wanted."""

from __future__ import annotations

from dataclasses import dataclass

UNKNOWN = "?"
"""The type of an expression that has been reported already: it fits everywhere."""


@dataclass(frozen=True, slots=True)
class Array:
    """The type of an array: elements from index `low` to `high`."""

    element: Type
    low: int
    high: int

    @property
    def length(self) -> int:
        """How many elements."""
        return self.high - self.low + 1

    @property
    def size(self) -> int:
        """How many elements, those of inner arrays counted."""
        inner = self.element.size if isinstance(self.element, Array) else 1
        return self.length * inner

    def __str__(self) -> str:
        bounds, element = [f"{self.low}..{self.high}"], self.element
        while isinstance(element, Array):
            bounds.append(f"{element.low}..{element.high}")
            element = element.element
        return f"array[{', '.join(bounds)}] of {element}"


Type = str | Array

PROMOTIONS: dict[Type, tuple[str, ...]] = {
    "int": ("real",),
    "triple": ("position", "orientation"),
    "pair": ("pose",),
}
"""The types that a value is converted to where they are wanted, the likeliest first."""

_TYPE_TEXTS = {
    "triple": "(x, y, z)",
    "pair": "((x, y, z), (A, B, C))",
    UNKNOWN: "unknown",
}


def type_text(kind: Type) -> str:
    """A type as messages write it."""
    return _TYPE_TEXTS.get(kind, kind) if isinstance(kind, str) else str(kind)


def fits(have: Type, want: Type) -> bool:
    """Whether a value of one type can be given where another is wanted."""
    if have == want or UNKNOWN in (have, want):
        return True
    if isinstance(have, Array) and isinstance(want, Array):
        return have.length == want.length and fits(have.element, want.element)
    return want in PROMOTIONS.get(have, ()) or (isinstance(have, Array) and want == "array")
