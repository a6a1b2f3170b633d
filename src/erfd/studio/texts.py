"""The words of the studio in every language it speaks: one catalogue, `texts.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from ..errors import InputError

LANGUAGES = {"en": "English", "sr": "Srpski"}


@cache
def catalogue() -> dict[str, dict[str, str]]:
    """Every text by its key, then by language."""
    text = (resources.files("erfd.studio") / "texts.toml").read_text(encoding="utf-8")
    found = {}
    for key, entry in tomllib.loads(text).items():
        found[key] = dict(zip(LANGUAGES, entry, strict=True))
    return found


@dataclass(frozen=True, slots=True)
class Words:
    """The texts in one language: `words("verify")`; names in braces are filled in."""

    language: str = "en"

    def __post_init__(self) -> None:
        if self.language not in LANGUAGES:
            known = ", ".join(LANGUAGES)
            raise InputError(f"language: expected one of {known}, found {self.language!r:.20}")

    def __call__(self, key: str, **values: object) -> str:
        """The text of a key."""
        text = catalogue()[key][self.language]
        return text.format(**values) if values else text

    def known(self, prefix: str, word: str) -> str:
        """The text of `prefix.word`, or the word itself where the catalogue has none."""
        key = f"{prefix}_{word.replace(' ', '_')}"
        return self(key) if key in catalogue() else word
