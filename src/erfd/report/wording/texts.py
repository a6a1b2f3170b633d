"""The texts in every language, from the catalogue `texts.toml`."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from ...errors import InputError

LANGUAGES = {"en": "English", "sr": "Srpski"}
LONGEST = 600
"""Characters of a sentence that is looked for in the catalogue."""
_GAP = re.compile(r"\{(\w+)([*?#]?)\}")


@cache
def _file() -> dict[str, Any]:
    text = (resources.files(__package__) / "texts.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def catalogue() -> dict[str, dict[str, str]]:
    """Every text by its key, then by language."""
    entries = {key: entry for key, entry in _file().items() if key != "sentences"}
    return {key: dict(zip(LANGUAGES, entry, strict=True)) for key, entry in entries.items()}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the library with gaps, in every language; gaps in `parts` are translated."""

    pattern: re.Pattern[str]
    parts: frozenset[str]
    texts: dict[str, str]


@cache
def sentences() -> tuple[Sentence, ...]:
    """The library's sentences, in the order in which they are tried."""
    entries = []
    for entry in _file()["sentences"]:
        texts = dict(zip(LANGUAGES, entry, strict=True))
        english, parts, pattern, end = texts["en"], set(), "", 0
        for gap in _GAP.finditer(english):
            name, kind = gap.groups()
            filled = _filled(english[: gap.start()][-1:], english[gap.end() :][:1], kind)
            pattern += f"{re.escape(english[end : gap.start()])}(?P<{name}>{filled})"
            parts |= {name} if kind in ("*", "?") else set()
            end = gap.end()
        pattern += re.escape(english[end:])
        entries.append(Sentence(re.compile(pattern, re.DOTALL), frozenset(parts), texts))
    return tuple(entries)


def _filled(before: str, after: str, kind: str) -> str:
    """A pattern for a gap; code in backticks stays whole, a semicolon parts two sentences."""
    if before == after and before in ("`", '"'):
        return f"[^{before}]*|{before}"
    if kind == "#":
        return "[-+.e0-9]+"
    some = "(?:`[^`]*`|[^`])" if kind else "(?:`[^`]*`|[^`;])"
    return f"{some}{'*' if kind == '?' else '+'}?"


@lru_cache(maxsize=4096)
def translated(text: str, language: str) -> str | None:
    """A sentence of the library in another language; None if the catalogue lacks it.

    >>> translated("unknown word `mvoe`; did you mean `move`?", "sr")
    'nepoznata reč `mvoe`; da li ste mislili `move`?'
    """
    if len(text) > LONGEST:
        return None
    for sentence in sentences():
        match = sentence.pattern.fullmatch(text)
        if match is None:
            continue
        values: dict[str, str] = {}
        for name, value in match.groupdict().items():
            translation = translated(value, language) if value else ""
            if translation is None and name in sentence.parts:
                break
            values[name] = value if translation is None else translation
        else:
            return _fill(sentence.texts[language], values)
    return None


def _fill(text: str, values: dict[str, str]) -> str:
    return _GAP.sub(lambda gap: values[gap[1]], text)


@dataclass(frozen=True, slots=True)
class Words:
    """The texts in one language: `words("verify")`; names in braces are filled in."""

    language: str = "en"

    def __post_init__(self) -> None:
        if self.language not in LANGUAGES:
            languages = ", ".join(LANGUAGES)
            raise InputError(f"language: expected one of {languages}, found {self.language!r:.20}")

    def __call__(self, key: str, **values: object) -> str:
        """The text of a key."""
        text = catalogue()[key][self.language]
        return text.format(**values) if values else text

    def known(self, prefix: str, word: str) -> str:
        """The text of `prefix.word`, or the word itself where the catalogue has none."""
        key = f"{prefix}_{word.replace(' ', '_')}"
        return self(key) if key in catalogue() else word

    def said(self, sentence: object) -> str:
        """A sentence of the library, in English where the catalogue has none."""
        text = str(sentence)
        return text if self.language == "en" else translated(text, self.language) or text
