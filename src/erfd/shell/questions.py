"""Ask the user of the shell for words, numbers and files.

A wrong answer repeats the question for a person; a script stops there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from ..errors import ErfdError, InputError
from .variables import match_name, read_number

T = TypeVar("T")


class LineReader(Protocol):
    """Reads lines from a user or a script. `strict`: a script, which cannot answer again."""

    strict: bool

    def line(self, prompt: str, words: Sequence[str] = (), files: bool = False) -> str:
        """The next line; `words` and `files` are what completion offers. EOFError at the end."""
        ...

    def tell(self, text: str) -> None:
        """Say what was wrong with an answer."""
        ...


class Asker:
    """Asks through a reader and remembers what was asked and answered."""

    def __init__(self, reader: LineReader):
        self.reader = reader
        self.answers: list[dict[str, str]] = []

    def ask(
        self,
        text: str,
        default: str | None,
        parse: Callable[[str], T],
        *,
        words: Sequence[str] = (),
        files: bool = False,
    ) -> T:
        """Ask, and parse the answer; nothing typed means the default, if there is one."""
        prompt = f"{text} [{default}]: " if default is not None else f"{text}: "
        while True:
            try:
                typed = self.reader.line(prompt, words, files).strip()
            except EOFError:
                if not self.reader.strict:
                    raise
                raise InputError(f"the script ends, an answer to {text!r} is missing") from None
            try:
                if not typed and default is None:
                    raise InputError("expected an answer, found none")
                value = parse(typed or str(default))
            except ErfdError as error:
                if self.reader.strict:
                    raise
                self.reader.tell(str(error))
                continue
            self.answers.append({"question": text, "answer": typed or str(default)})
            return value

    def choose(self, text: str, default: str, choices: Sequence[str]) -> str:
        """Ask for one of some words; its beginning is enough."""
        question = f"{text} ({'/'.join(choices)})"
        what = f"one of {', '.join(choices)}"
        return self.ask(question, default, lambda word: _choice(word, choices, what), words=choices)

    def yes(self, text: str) -> bool:
        """Ask for yes or no; no if nothing is typed."""
        return self.choose(text, "no", ("yes", "no")) == "yes"

    def integer(self, text: str, default: int, low: int, high: int) -> int:
        """Ask for a whole number from `low` to `high`."""

        def parse(word: str) -> int:
            if not (word.isdecimal() and low <= int(word) <= high):
                expected = f"a whole number from {low} to {high}"
                raise InputError(f"expected {expected}, found {word!r}")
            return int(word)

        return self.ask(text, str(default), parse)

    def real(self, text: str, default: str, low: float, high: float) -> float:
        """Ask for a number from `low` to `high`."""

        def parse(word: str) -> float:
            value = read_number("answer", word)
            slack = 1e-9 * (1 + abs(high))
            if not low - slack <= value <= high + slack:
                raise InputError(f"expected a number from {low:g} to {high:g}, found {word!r}")
            return value

        return self.ask(text, default, parse)

    def new_file(self, text: str, default: str | None, given: str = "") -> Path:
        """Ask for a file to write, unless `given`; a person is asked before one is written over.

        A script is not: its answers must not depend on what an earlier run has left behind.
        """
        path = file_name(given) if given else self.ask(text, default, file_name, files=True)
        strict = self.reader.strict or not path.exists()
        if not strict and not self.yes(f"{path} is there: write over it?"):
            raise InputError(f"{path}: nothing was written")
        return path

    def old_file(self, text: str, check: Callable[[str], T]) -> T:
        """Ask for a file to read, until `check` can read it."""
        return self.ask(text, None, check, files=True)


def _choice(word: str, choices: Sequence[str], what: str) -> str:
    try:
        return match_name(word, choices, what)
    except InputError:
        raise InputError(f"expected {what}, found {word!r}") from None


def file_name(text: str) -> Path:
    """The path of a file to write; its folder must exist."""
    path = Path(text).expanduser()
    if path.is_dir() or not path.name:
        raise InputError(f"{text}: expected the name of a file, found a folder")
    if not path.parent.is_dir():
        raise InputError(f"{text}: expected a folder {path.parent}, found none")
    return path
