"""The `erfd` command.

Exit codes: 0 done, 1 done and the motion is not feasible, 2 wrong input or use.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from . import __version__
from .errors import ErfdError

COMMANDS = (
    "robots", "ik", "parts", "lirl", "verify", "achieve", "simulate", "sim", "play", "kernels",
    "controller", "monitor", "studio",
)  # fmt: skip
"""Modules of `commands`, in the order of the help text."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog="erfd", description="Effective robot forward dynamics: can this arm do that motion?"
    )
    top.add_argument("--version", action="version", version=f"erfd {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    for name in COMMANDS:
        import_module(f".commands.{name}", __package__).add(commands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; a user's mistake is one sentence and exit code 2."""
    import warnings

    warnings.showwarning = lambda message, *_: print(f"erfd: note: {message}", file=sys.stderr)
    options = parser().parse_args(arguments)
    try:
        result: int | None = options.run(options)
        sys.stdout.flush()
        return result or 0
    except ErfdError as error:
        print(f"erfd: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # `erfd show lola15 | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
