"""The examples that come with the package: programs and scripts, by name."""

from __future__ import annotations

import difflib
import os.path
from pathlib import Path

from ..errors import InputError

PACKAGE = Path(__file__).resolve().parents[1]
FOLDERS = (PACKAGE / "examples", PACKAGE.parents[1] / "examples")
"""Of an installed package; of a source tree."""
PROGRAM, SCHEDULE, SCRIPT = ".irl", ".signals.csv", ".py"


def example_folder() -> Path | None:
    """The folder of the examples; None if this installation has none."""
    mark = f"lola15_demo{PROGRAM}"
    return next((folder for folder in FOLDERS if (folder / mark).is_file()), None)


def example_files() -> tuple[Path, ...]:
    """All example files in the order of their names."""
    folder = example_folder()
    if folder is None:
        return ()
    endings = (PROGRAM, SCHEDULE, SCRIPT)
    return tuple(sorted(p for p in folder.iterdir() if p.is_file() and p.name.endswith(endings)))


def example_programs() -> dict[str, Path]:
    """The example programs by name."""
    return {path.stem: path for path in example_files() if path.suffix == PROGRAM}


def is_example(program: str | Path) -> bool:
    """Whether this names an example program and no file of the user."""
    return _bare(program) and not os.path.exists(program) and str(program) in example_programs()


def program_path(program: str | Path) -> Path:
    """The file of a program: its path as given, or that of the example of this name.

    Raises:
        InputError: no file, but nearly the name of an example.
    """
    path = Path(program)
    if not _bare(program) or os.path.exists(program):
        return path
    examples = example_programs()
    if str(program) in examples:
        return examples[str(program)]
    near = difflib.get_close_matches(str(program), examples, 1)
    if near:
        raise InputError(f"{program}: no such file; did you mean the example {near[0]!r}?")
    return path


def _bare(program: str | Path) -> bool:
    """Whether this is one word, without folder and ending."""
    text = str(program)
    return text.isidentifier() and Path(text).name == text
