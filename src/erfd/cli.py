"""The `erfd` command line.

Exit codes: 0 done, 1 done and the motion is not feasible, 2 wrong input or use.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Sequence
from importlib import import_module

from . import __version__
from .commands.parser import CommandParser
from .commands.streams import discard, patient_streams, printed_notes
from .errors import ErfdError

COMMANDS = (
    "robots", "examples", "show", "convert", "drives", "opcount", "equations", "ik", "parts",
    "lirl", "verify", "repair", "fastest", "study", "achieve", "simulate", "sim", "play", "codegen",
    "bench", "cache", "controller", "monitor", "studio", "reproduce", "demo", "completion",
)  # fmt: skip
"""The commands, each a module of `commands`, in the order of the help text."""


def parser(first: str | None = None) -> CommandParser:
    """The command line; only the one command that the first word names, if it does."""
    top = CommandParser(
        prog="erfd",
        description="Effective robot forward dynamics: can this arm do that motion?",
        example="erfd verify lola15_demo --robot lola15",
    )
    top.add_argument("--version", action="version", version=f"erfd {__version__}")
    top.add_argument(
        "--verbose", action=_Verbose, nargs=0, help="with --version: what a report of a bug needs"
    )
    top.set_defaults(whole=parser)  # for what speaks of all commands
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    for name in (first,) if first in COMMANDS else COMMANDS:
        import_module(f".commands.{name}", __package__).add(commands)
    return top


class _Verbose(argparse.Action):
    """`--verbose`, which goes with `--version` and with nothing else."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        parser.error("--verbose: expected it with --version alone")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; a user's mistake is one sentence and exit code 2."""
    try:
        with patient_streams():
            words = sys.argv[1:] if arguments is None else arguments
            if sorted(words) == ["--verbose", "--version"]:
                from .commands.versions import version_lines

                print(*version_lines(), sep="\n")
                return 0
            options = parser(*words[:1]).parse_args(arguments)
            with printed_notes():
                code = _run(options)
    except KeyboardInterrupt:  # at any moment
        return 130
    if arguments is None:  # the process ends now: what it holds need not be searched
        gc.freeze()
    return code


def _run(options: argparse.Namespace) -> int:
    """Run a command; its exit code."""
    try:
        result: int | None = options.run(options)
        sys.stdout.flush()
        return result or 0
    except ErfdError as error:
        print(f"erfd: {error}", file=sys.stderr)
        return 2
    except OSError as error:  # the disk is full, or what was read is not there any more
        print(f"erfd: {error.filename or 'output'}: {error.strerror or error}", file=sys.stderr)
        if error.filename is None:
            discard(sys.stdout)
        return 2


if __name__ == "__main__":
    sys.exit(main())
