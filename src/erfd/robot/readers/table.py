"""Read tables of TOML files strictly: every mistake names file, table, key and value."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ...errors import InputError, RobotError
from ...ground.files import read_text

T = TypeVar("T")


def describe(value: object) -> str:
    """A value as text, short enough for an error sentence."""
    names = {dict: "a table", list: "a list", str: "text", bool: "true/false"}
    text = repr(value) if not isinstance(value, dict) else "{...}"
    text = text if len(text) <= 60 else text[:57] + "..."
    kind = names.get(type(value))
    return f"{kind} {text}" if kind else text


def nearest(word: str, words: Sequence[str], cutoff: float = 0.5) -> str | None:
    """The most similar of `words`, whatever its case; None if none is similar enough."""
    lower = {other.lower(): other for other in words}
    near = difflib.get_close_matches(word.lower(), lower, 1, cutoff=cutoff)
    return lower[near[0]] if near else None


class Table:
    """A table of a TOML file, whose keys are read one by one; `done` refuses those left over."""

    def __init__(self, file: str, where: str, data: dict[str, Any]):
        self.file, self.where, self.data = file, where, data
        self.allowed: list[str] = []

    @property
    def place(self) -> str:
        """File and table, as a sentence begins with them."""
        return f"{self.file}: {self.where}" if self.where else self.file

    def error(self, key: str, expected: str, found: object) -> RobotError:
        """The error for a wrong value: what was expected, what was found."""
        text = found if isinstance(found, Phrase) else describe(found)
        return RobotError(f"{self.place}: {key}: expected {expected}, found {text}")

    def has(self, key: str) -> bool:
        """Whether the table has the key; from now on the key is allowed."""
        self.allowed.append(key)
        return key in self.data

    def take(self, key: str, default: Any, expected: str) -> Any:
        """The value; `default` if it is missing, an error if there is no default (...)."""
        if self.has(key):
            return self.data[key]
        if default is ...:
            for other in self.data:  # a required key is more likely misspelt than forgotten
                if other not in self.allowed and nearest(other, [key], 0.7):
                    raise self.unknown(other, repr(key))
            raise self.error(key, expected, Phrase("nothing"))
        return default

    def text(self, key: str, default: Any = ...) -> str:
        """A string."""
        value = self.take(key, default, "text")
        if not isinstance(value, str):
            raise self.error(key, "text", value)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings, empty if missing."""
        value = self.take(key, [], "a list of texts")
        if not isinstance(value, list) or not all(isinstance(x, str) for x in value):
            raise self.error(key, "a list of texts", value)
        return tuple(value)

    def choice(self, key: str, choices: Sequence[str], default: Any = ...) -> str:
        """One of a few words."""
        expected = "one of " + ", ".join(repr(c) for c in choices)
        value = self.take(key, default, expected)
        if value not in choices:
            raise self.error(key, expected, value)
        return str(value)

    def number(
        self,
        key: str,
        default: Any = ...,
        *,
        expected: str = "a number",
        infinite: bool = False,
    ) -> float:
        """A number, finite unless told otherwise (or the default, whatever it is)."""
        value = self.take(key, default, expected)
        if key not in self.data:
            return float(value)
        return self._number(key, value, expected, infinite)

    def _number(self, key: str, value: object, expected: str, infinite: bool = False) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.error(key, expected, value)
        if math.isnan(value) or (math.isinf(value) and not infinite):
            raise self.error(key, "a finite number", value)
        return float(value)

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self.take(key, default, "true or false")
        if not isinstance(value, bool):
            raise self.error(key, "true or false", value)
        return value

    def vector(self, key: str, default: Any = ...) -> tuple[float, float, float]:
        """Three finite numbers."""
        x, y, z = self.numbers(key, 3, default)
        return (x, y, z)

    def numbers(
        self, key: str, length: int, default: Any = ..., *, infinite: bool = False
    ) -> tuple[float, ...]:
        """A list of `length` numbers, finite unless told otherwise."""
        expected = f"a list of {length} numbers"
        value = self.take(key, default, expected)
        if key not in self.data:
            return tuple(value)
        if not isinstance(value, list):
            raise self.error(key, expected, value)
        if len(value) != length:
            raise self.error(key, expected, Phrase(f"{len(value)}: {describe(value)}"))
        return tuple(
            self._number(f"{key}[{i}]", x, "a number", infinite) for i, x in enumerate(value)
        )

    def pairs(
        self, key: str, default: Any = ..., expected: str = "a list of points [x, y]"
    ) -> tuple[tuple[float, float], ...]:
        """A list of pairs of finite numbers."""
        value = self.take(key, default, expected)
        if key not in self.data:
            return tuple(value)
        if not isinstance(value, list) or not all(
            isinstance(pair, list) and len(pair) == 2 for pair in value
        ):
            raise self.error(key, expected, value)
        return tuple(
            (
                self._number(f"{key}[{i}][0]", x, "a number"),
                self._number(f"{key}[{i}][1]", y, "a number"),
            )
            for i, (x, y) in enumerate(value)
        )

    def table(self, key: str) -> Table | None:
        """A table inside this one, or None."""
        if not self.has(key):
            return None
        value = self.data[key]
        if not isinstance(value, dict):
            raise self.error(key, "a table", value)
        return Table(self.file, f"{self.where}.{key}" if self.where else f"[{key}]", value)

    def tables(self, key: str) -> list[Table]:
        """The tables of a list [[key]], empty if missing."""
        if not self.has(key):
            return []
        value = self.data[key]
        if not isinstance(value, list) or not all(isinstance(x, dict) for x in value):
            raise self.error(key, f"a list of tables [[{key}]]", value)
        prefix = f"{self.where} " if self.where else ""
        return [
            Table(self.file, f"{prefix}[[{key}]] {i}", entry) for i, entry in enumerate(value, 1)
        ]

    def done(self) -> None:
        """Raise a RobotError if the table has a key that nothing has asked for."""
        for key in self.data:
            if key not in self.allowed:
                near = nearest(key, self.allowed)
                listed = "one of " + ", ".join(sorted(set(self.allowed)))
                raise self.unknown(key, repr(near) if near else listed)

    def unknown(self, key: str, hint: str) -> RobotError:
        """The error for a key that does not belong here."""
        return RobotError(f"{self.place}: unknown key {key!r}; did you mean {hint}?")

    def build(self, make: Callable[[], T]) -> T:
        """Call `make`; its RobotError is raised again with file and table before the sentence."""
        try:
            return make()
        except RobotError as error:
            raise RobotError(f"{self.place}: {error}") from None


class Phrase(str):
    """Text that is printed as it is, not described."""


def read_toml(path: Path) -> Table:
    """Read a TOML file: its top table."""
    try:
        return parse_toml(read_text(path), path.name)
    except InputError as error:
        raise RobotError(str(error)) from None


def parse_toml(text: str, name: str) -> Table:
    """The top table of a TOML text; `name` stands in messages, a mistake with line and column."""
    import tomllib

    try:
        return Table(name, "", tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise RobotError(f"{name}: not valid TOML: {error}") from None
    except RecursionError:
        raise RobotError(f"{name}: not valid TOML: brackets within brackets without end") from None


def read_head(top: Table, version: int, default: Any, unit: str) -> float:
    """Check the version of a file (`default` where it says none); its unit of angle in rad."""
    found = top.take("format", default, f"{version}")
    if found is True or found != version:
        raise top.error("format", f"{version} (the version of the file format)", found)
    return math.pi / 180 if top.choice("angle_unit", ("deg", "rad"), unit) == "deg" else 1.0
