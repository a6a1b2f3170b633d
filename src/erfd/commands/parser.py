"""`CommandParser`: the parser of a command, whose mistakes are one sentence each.

What it does beyond argparse: a value may begin with a minus (`--pose -1,0,0.5`), options may stand
anywhere among the other words, and a robot is named by its place or by `--robot`.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

NEGATIVE = re.compile(r"-(\d|\.\d|inf\b|nan\b)", re.IGNORECASE)
"""How a number begins that begins with a minus: a value, never an option."""
MASK = "\0"
"""Stands before a word that is no option though it looks like one; no word of a shell has it."""
WIDTH = 100
"""Columns of help texts: what a pipe is told must not depend on the terminal."""
TRANSLATIONS = (
    (r"argument (.+?): expected one argument", r"\1: expected a value, found none"),
    (r"argument (.+?): expected at least one argument", r"\1: expected a value, found none"),
    (r"argument (.+?): ignored explicit argument (.+)", r"\1: expected no value, found \2"),
    (r"argument (.+?): not allowed with argument (.+)", r"\1: expected it or \2, found both"),
    (r"one of the arguments (.+) is required", r"expected one of \1, found none"),
    (r"the following arguments are required: (.+)", r"expected \1, found none"),
    (r"unrecognized arguments: (.+)", r"expected no more words, found \1"),
    (r"argument (.+)", r"\1"),
)
"""What argparse says, as expected and found."""


class CommandParser(argparse.ArgumentParser):
    """The parser of the command line or of one command."""

    def __init__(self, *words: Any, example: str = "", **settings: Any):
        settings.setdefault("formatter_class", _Help)
        super().__init__(*words, **settings)
        self.example = example
        if example:
            self.epilog = f"example:\n  {example}"
        self._negative_number_matcher = NEGATIVE
        self._sorting = False
        self._robot: _RobotPlace | None = None

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse, options first wherever they stand; a robot may come by --robot."""
        if self._sorting or self._subparsers is not None:
            return super().parse_known_args(args, namespace)
        self._sorting = True
        try:
            words = _masked(sys.argv[1:] if args is None else args)
            found, rest = self.parse_known_intermixed_args(words, namespace)
        finally:
            self._sorting = False
        if rest:
            self.error(f"unrecognized arguments: {' '.join(rest)}")
        for place, value in vars(found).items():
            if isinstance(value, str):
                setattr(found, place, value.removeprefix(MASK))
            elif isinstance(value, list):
                setattr(found, place, [word.removeprefix(MASK) for word in value])
        for action in self._actions:
            if isinstance(action, argparse._AppendAction):
                continue  # may be repeated: a list is right
            if action.nargs in (None, "?") and isinstance(getattr(found, action.dest, None), list):
                name = str(action.option_strings[-1] if action.option_strings else action.metavar)
                self.error(f"{name}: expected a value, found '--'")  # which argparse leaves out
        if self._robot is not None:
            self._join_robot(found, self._robot)
        return found, rest

    def add_robot(
        self, help: str, *, required: bool = True, default: str | None = None, **settings: Any
    ) -> None:
        """Add the robot, by its place among the words that are there by now or by --robot."""
        self.add_argument("robot", nargs="?", metavar="ROBOT", help=help, **settings)
        self.add_argument(
            "--robot", dest="named_robot", metavar="ROBOT", help="the same, wherever it stands"
        )
        self._robot = _RobotPlace(required and default is None, default)

    def _join_robot(self, found: argparse.Namespace, place: _RobotPlace) -> None:
        """Put what --robot says in the place of the robot."""
        named = vars(found).pop("named_robot")
        if named is not None and found.robot is not None and named != found.robot:
            self.error(f"--robot: expected one robot, found {found.robot!r} and {named!r}")
        if found.robot is None:
            found.robot = named
        if found.robot is None and place.required:
            names = [a.dest for a in self._get_positional_actions()]
            words = [repr(x) for x in (getattr(found, name) for name in names) if x is not None]
            expected = f"{' '.join(name.upper() for name in names)} (or --robot ROBOT)"
            self.error(
                f"expected {expected}, found {' '.join(['only', *words] if words else ['none'])}"
            )
        if found.robot is None:
            found.robot = place.default

    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one sentence, and end with exit code 2."""
        message = message.replace(MASK, "")
        for pattern, said in TRANSLATIONS:
            if re.fullmatch(pattern, message):
                message = re.sub(pattern, said, message)
                break
        self.exit(2, f"erfd: {message} ({self.prog} --help says more)\n")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Say which values an argument takes."""
        if action.choices is not None and value not in action.choices:
            expected = ", ".join(map(str, action.choices))
            raise argparse.ArgumentError(action, f"expected one of {expected}, found {value!r:.60}")


def _masked(words: Sequence[str]) -> list[str]:
    """The words without the first --, behind which nothing is an option."""
    if "--" not in words:
        return list(words)
    place = list(words).index("--")
    behind = [f"{MASK}{word}" if word.startswith("-") else word for word in words[place + 1 :]]
    return [*words[:place], *behind]


@dataclass(frozen=True, slots=True)
class _RobotPlace:
    """Whether a command needs a robot, and which one it takes if none is named."""

    required: bool
    default: str | None


class _Help(argparse.HelpFormatter):
    """Help texts of one width, with defaults where the text does not say them."""

    def __init__(self, prog: str):
        super().__init__(prog, width=WIDTH, max_help_position=30)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if text.startswith("example:") else super()._fill_text(text, width, indent)

    def _get_help_string(self, action: argparse.Action) -> str | None:
        text = action.help or ""
        shown = action.default not in (None, False, argparse.SUPPRESS, "")
        if shown and action.option_strings and "default" not in text and action.nargs != 0:
            text += f"{' ' if text else ''}(default %(default)s)"
        return text


def add_command(
    commands: Any, name: str, help: str, run: Callable[..., Any], example: str, **settings: Any
) -> CommandParser:
    """Add a command: what it is for, the function that runs it, and an example line."""
    settings.setdefault(
        "description", f"{help[0].upper()}{help[1:]}{'' if help[-1] in '.?' else '.'}"
    )
    command: CommandParser = commands.add_parser(name, help=help, example=example, **settings)
    command.set_defaults(run=run)
    return command


def number(text: str) -> float:
    """A finite number of the command line."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"expected a finite number, found {text!r:.60}")
    return value


def whole_number(text: str) -> int:
    """A whole number of the command line."""
    try:
        return int(text)
    except ValueError:
        message = f"expected a whole number, found {text!r:.60}"
        raise argparse.ArgumentTypeError(message) from None


def port_number(text: str) -> int:
    """A port of the command line, 0 (any that is free) to 65535."""
    value = whole_number(text)
    if not 0 <= value <= 65535:
        raise argparse.ArgumentTypeError(f"expected a port from 0 to 65535, found {text!r:.60}")
    return value


def part_of(text: str) -> float:
    """A part from 0 to less than 1: `5%` or `0.05`."""
    try:
        part = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        part = -1.0
    if not 0 <= part < 1:
        expected = "a part from 0 to less than 1, such as 5% or 0.05"
        raise argparse.ArgumentTypeError(f"expected {expected}, found {text!r}")
    return part


def leaves(parser: argparse.ArgumentParser) -> Iterable[argparse.ArgumentParser]:
    """The parsers of all commands and actions below a parser."""
    groups = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    if not groups:
        yield parser
    for group in groups:
        for below in group.choices.values():
            yield from leaves(below)
