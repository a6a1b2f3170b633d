"""`erfd completion`: the words of the command line, for the Tab key of a shell."""

from __future__ import annotations

import argparse
import re
from typing import Any

from .parser import add_command, leaves

SHELLS = ("bash", "zsh", "fish")
PLACES = {
    "bash": "~/.local/share/bash-completion/completions/erfd",
    "zsh": "_erfd in a folder of $fpath",
    "fish": "~/.config/fish/completions/erfd.fish",
}
ROBOT_ARGUMENTS = ("robot", "named_robot")
"""What takes the name of a bundled robot or a file; `program` takes an example or a file."""
FILES = "FILE|DIR|TRAJECTORY|PARTS|JOURNAL"
"""How the names of other arguments begin that are paths."""


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = add_command(
        commands, "completion", "print what a shell needs to complete erfd with the Tab key",
        run_completion, "erfd completion bash",
        description="Prints the script of a shell; put it where the shell looks: "
        + "; ".join(f"{shell}: {place}" for shell, place in PLACES.items()) + ".",
    )  # fmt: skip
    command.add_argument("shell", choices=SHELLS, help="the shell it is for")


def run_completion(options: argparse.Namespace) -> None:
    """Print the script for a shell."""
    print(script(options.shell, options.whole()))


def script(shell: str, top: argparse.ArgumentParser) -> str:
    """The script for a shell, made of the parsers of all commands."""
    from ..ground.examples import example_programs
    from ..ground.optional import import_optional
    from ..robot.library import robots

    shtab = import_optional("shtab", "completion", "completion")
    words = {"_erfd_robots": robots(), "_erfd_programs": tuple(example_programs())}
    for leaf in leaves(top):
        for action in leaf._actions:
            if action.dest in ROBOT_ARGUMENTS:
                action.complete = call(shell, "_erfd_robots")  # type: ignore[attr-defined]
            elif action.dest == "program":
                action.complete = call(shell, "_erfd_programs")  # type: ignore[attr-defined]
            elif action.metavar and re.match(FILES, str(action.metavar)):
                action.complete = shtab.FILE  # type: ignore[attr-defined]
    functions = "\n".join(function(shell, name, found) for name, found in words.items())
    text: str = shtab.complete(top, shell=shell, preamble={shell: functions})
    return text


def call(shell: str, name: str) -> dict[str, str]:
    """How the script of a shell calls one of its functions."""
    return {shell: f"({name})" if shell == "fish" else name}


def function(shell: str, name: str, words: tuple[str, ...]) -> str:
    """A function of a shell that names these words, and files."""
    listed = " ".join(words)
    if shell == "bash":
        return f'{name}() {{\n  compgen -W "{listed}" -- "$1"\n  _shtab_compgen_files "$1"\n}}'
    if shell == "zsh":
        return f"{name}() {{\n  compadd -- {listed}\n  _files\n}}"
    lines = f"  printf '%s\\n' {listed}\n  __fish_complete_path (commandline -ct)"
    return f"function {name}\n{lines}\nend"
