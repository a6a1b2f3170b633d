"""Read the lines of the shell from a terminal with completion, a plain one, or a script."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TextIO

from ..errors import InputError
from ..ground.folders import state_folder
from .questions import LineReader

PROMPT = "sim> "
Words = Callable[[str], tuple[list[str], bool]]
"""The words that may follow a text on the command line, and whether file names may."""


class Script:
    """Reads lines of a file or pipe and prints them, so that the output is a transcript.

    Lines that begin with # are passed over. `number` is that of the line read last.
    """

    strict = True

    def __init__(self, lines: TextIO, echo: Callable[[str], None]):
        self._lines: Iterator[str] = iter(lines)
        self._echo = echo
        self.number = 0

    def line(self, prompt: str, words: Sequence[str] = (), files: bool = False) -> str:
        """The next line that is no comment."""
        while True:
            try:
                text = next(self._lines).rstrip("\n")
            except StopIteration:
                raise EOFError from None
            except UnicodeDecodeError:
                where = f"line {self.number + 1}"
                raise InputError(f"{where}: expected text, found other bytes") from None
            self.number += 1
            if not text.startswith("#"):
                self._echo(prompt + text)
                return text

    def tell(self, text: str) -> None:
        """Say nothing: no user is there."""


class Plain:
    """Reads lines from a terminal without prompt_toolkit."""

    strict = False

    def __init__(self, prompts: TextIO | None = None):
        self._prompts = prompts  # other than stdout when that is for JSON

    def line(self, prompt: str, words: Sequence[str] = (), files: bool = False) -> str:
        """The line that is typed."""
        if self._prompts is None:
            return input(prompt)
        print(prompt, end="", file=self._prompts, flush=True)
        return input()

    def tell(self, text: str) -> None:
        """Print a text where the questions are printed."""
        print(text, file=self._prompts or sys.stdout, flush=True)


class Terminal:
    """Reads lines with prompt_toolkit: tab completes, arrows go back in the history."""

    strict = False

    def __init__(self, words: Words):
        from prompt_toolkit import PromptSession
        from prompt_toolkit.history import InMemoryHistory

        self._words = words
        settings: dict[str, Any] = {"complete_while_typing": False}
        self._commands: Any = PromptSession(history=_saved_history(), **settings)
        self._answers: Any = PromptSession(history=InMemoryHistory(), **settings)

    def line(self, prompt: str, words: Sequence[str] = (), files: bool = False) -> str:
        """The line that is typed; commands and answers have each their own history."""
        if prompt == PROMPT:
            return str(self._commands.prompt(prompt, completer=_completer(self._words)))
        completer = _completer(lambda text: (list(words), files))
        return str(self._answers.prompt(prompt, completer=completer))

    def tell(self, text: str) -> None:
        """Print a text below the question."""
        print(text, flush=True)


def _completer(words: Words) -> Any:
    from prompt_toolkit.completion import Completer, Completion, PathCompleter

    class Complete(Completer):
        def get_completions(self, document: Any, event: Any) -> Iterator[Any]:
            text = document.text_before_cursor
            candidates, files = words(text)
            last = text.split(" ")[-1]
            for word in candidates:
                if word.lower().startswith(last.lower()):
                    yield Completion(word, start_position=-len(last))
            if files:
                from prompt_toolkit.document import Document

                yield from PathCompleter(expanduser=True).get_completions(Document(last), event)

    return Complete()


def _saved_history() -> Any:
    """Commands of earlier sessions, `erfd/sim_history` in the user's state folder, if it can be."""
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    path = state_folder() / "sim_history"
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(path))


def terminal(words: Words, prompts: TextIO | None) -> LineReader:
    """The best terminal there is; prompts go to `prompts` if stdout is for programs."""
    if prompts is not None:
        return Plain(prompts)
    try:
        return Terminal(words)
    except ImportError:
        return Plain()
