"""The loop of `erfd sim`: read a line, run its command or assignment, print the answer."""

from __future__ import annotations

import sys
from typing import Any

from ..errors import ErfdError, InputError
from ..ground.json_text import json_text
from ..robot.library import robots
from .answer import Answer, show_variables
from .commands.arm import describe, robot_data
from .commands.general import COMMANDS
from .questions import Asker, LineReader
from .readers import PROMPT, Script, terminal
from .session import ShellSession
from .variables import VARIABLES, match_name, read_values

FILES = ("inverse_arm", "write_graphic_file", "open_output_file", "database_read", "save")
"""Commands behind which a file name may stand."""


def execute(session: ShellSession, text: str, ask: Asker) -> tuple[str, Answer]:
    """Run the command or assignment in a line; returns its name and its answer."""
    if "=" in text:
        word, _, values = text.partition("=")
        name = match_name(word.strip(), VARIABLES, "a variable")
        session.get(name)
        return name, show_variables(
            session, session.set(name, read_values(name, values, session.robot))
        )
    word, _, rest = text.strip().partition(" ")
    follows = rest.strip()
    name = match_name(word, [*COMMANDS, *VARIABLES], "a command or variable")
    if name in VARIABLES:
        if follows:
            raise InputError(f"{name}: expected `{name} = numbers`, found {text.strip()!r}")
        return name, show_variables(session, [name])
    if follows and not COMMANDS[name].follows:
        raise InputError(f"{name}: expected nothing behind it, found {follows!r}")
    return name, COMMANDS[name].run(session, ask, follows)


def completions(text: str) -> tuple[list[str], bool]:
    """Words that may stand at the end of a command line, and whether file names may."""
    before = text.split(" ")[:-1]
    if not before:
        return [*COMMANDS, *(f"{name} = " for name in VARIABLES)], False
    try:
        name = match_name(before[0], COMMANDS, "a command")
    except InputError:
        return [], False
    if name == "help" and len(before) == 1:
        return [*COMMANDS, *VARIABLES], False
    if name == "show":
        return list(VARIABLES), False
    if name in FILES and len(before) == 1:
        return (list(robots()) if name == "database_read" else []), True
    return [], False


class Shell:
    """A session with its input and output."""

    def __init__(self, session: ShellSession, *, as_json: bool = False):
        self.session, self.as_json = session, as_json
        self.script: Script | None = None
        self.line_number = 0  # the line of the command, while its answers are read
        self.reader: LineReader
        if sys.stdin.isatty():
            self.reader = terminal(completions, sys.stderr if as_json else None)
        else:
            self.script = self.reader = Script(sys.stdin, self._echo)

    def _echo(self, text: str) -> None:
        if not self.as_json:
            print(text.rstrip(), flush=True)

    def run(self) -> int:
        """Read and run lines until the end; returns 0. A mistake in a script is raised."""
        self._greet()
        while True:
            try:
                text = self.reader.line(PROMPT)
            except EOFError:
                return 0
            except KeyboardInterrupt:  # the line is thrown away
                if self.reader.strict:
                    raise
                if not self.as_json:
                    print(flush=True)
                continue
            self.line_number = self.script.number if self.script else 0
            if text.strip():
                try:
                    if self._do(text):
                        return 0
                except EOFError:  # Ctrl-D at a question
                    return 0
                except ErfdError as error:
                    where = f"line {self.script.number}: " if self.script else ""
                    raise InputError(f"{where}{error}") from None

    def _greet(self) -> None:
        words = f"{describe(self.session)}. `help` lists variables and commands."
        self._put("", "start", [], Answer([words], robot_data(self.session)))

    def _do(self, text: str) -> bool:
        """Run one line; true if it was the last one. A script's mistakes are raised."""
        ask = Asker(self.reader)
        try:
            name, answer = execute(self.session, text, ask)
        except ErfdError as error:
            self._refuse(text, ask, str(error))
            if self.reader.strict:
                raise
            return False
        except KeyboardInterrupt:
            if self.reader.strict:
                raise
            self._refuse(text, ask, "given up")
            return False
        self._put(text, name, ask.answers, answer)
        return answer.quit

    def _put(self, text: str, name: str, answers: list[dict[str, str]], answer: Answer) -> None:
        """Print an answer: lines for a person, one JSON object for a program."""
        if self.as_json:
            lines = [str(line) for line in answer.lines]
            self._json(text, command=name, answers=answers, text=lines, data=answer.data)
            return
        from rich.console import Console

        console = Console(highlight=False, markup=False, soft_wrap=True)
        for line in answer.lines:
            console.print(line)

    def _refuse(self, text: str, ask: Asker, why: str) -> None:
        if self.as_json:
            self._json(text, error=why, answers=ask.answers)
        elif not self.reader.strict:
            print(why, flush=True)

    def _json(self, typed: str, **content: Any) -> None:
        line_number: dict[str, Any] = {"line": self.line_number} if self.script else {}
        print(json_text(line_number | {"input": typed.strip()} | content), flush=True)
