"""The figures that README and pages quote, measured anew: `make figures`.

    python tools/figures.py [--exact] [--keep] [NAME ...]

Runs the commands of docs/figures.toml, each once, and prints what was and what is. `--keep` writes
values, machine and date into that file and the values into the pages that quote them. `--exact`
takes only figures that follow from the code, which no machine changes. Others are measured on a
machine that does nothing else, and are kept only then.
"""

import argparse
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import tomlkit

from erfd.bench.machine import cores, processor
from erfd.ground.files import write_text

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ROOT / "docs" / "figures.toml"
KINDS = ("exact", "measured", "at-least")


@dataclass(frozen=True, slots=True)
class Figure:
    """What is quoted, and how it is measured; values as they are printed."""

    name: str
    says: str
    kind: str
    quotes: tuple[str, ...]
    values: tuple[str, ...]
    command: str
    read: tuple[str, ...]
    machine: str
    date: str
    scale: float = 1.0


def figures(path: Path = FIGURES) -> tuple[Figure, ...]:
    """All figures of the file."""
    found = tomlkit.parse(path.read_text(encoding="utf-8")).unwrap()["figure"]
    entries: list[dict[str, Any]] = [
        {key: tuple(x) if isinstance(x, list) else x for key, x in entry.items()} for entry in found
    ]
    return tuple(Figure(**entry) for entry in entries)


def pages() -> tuple[Path, ...]:
    """The pages that may quote a figure."""
    docs = ROOT / "docs"
    found = (p for p in sorted(docs.rglob("*.md")) if not {"_build", "made"} & {*p.parts})
    return (ROOT / "README.md", *found)


def quoted(figure: Figure, text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Where a page quotes a figure: the pattern and the match."""
    for pattern in figure.quotes:
        for match in re.finditer(pattern, text, re.S):
            yield pattern, match


def measured(figure: Figure, printed: str) -> tuple[str, ...]:
    """The values in what its command printed, as the old ones are written.

    Raises:
        SystemExit: a pattern finds nothing.
    """
    values = []
    for pattern, old in zip(figure.read, figure.values, strict=True):
        match = re.search(pattern, printed, re.M)
        if match is None:
            raise SystemExit(f"{figure.name}: {figure.command} prints nothing like {pattern}")
        values.append(like(old, figure.scale * float(match[1].replace(",", ""))))
    return tuple(values)


def like(old: str, value: float) -> str:
    """A number with as many digits behind the point as another one, and its commas."""
    digits = len(old.partition(".")[2])
    return f"{value:{',' if ',' in old else ''}.{digits}f}"


def output(command: str) -> str:
    """What a command prints, run with this interpreter and its erfd."""
    words = shlex.split(command)
    start = {"python": [sys.executable], "erfd": [sys.executable, "-m", "erfd"]}[words[0]]
    done = subprocess.run([*start, *words[1:]], cwd=ROOT, capture_output=True, text=True)
    if done.returncode not in (0, 1):  # 1: the robot cannot do it
        raise SystemExit(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def keep(figure: Figure, values: Sequence[str]) -> None:
    """Write values into the file and into the pages that quote them."""
    text = FIGURES.read_text(encoding="utf-8")
    document: Any = tomlkit.parse(text)
    entry = next(e for e in document["figure"] if e["name"] == figure.name)
    entry["values"] = list(values)
    entry["date"] = datetime.now(UTC).date().isoformat()
    if figure.kind == "measured":
        entry["machine"] = f"{processor()}, {cores()} cores"
    write_text(FIGURES, tomlkit.dumps(document))
    for page in pages():
        before = page.read_text(encoding="utf-8")
        after = before
        for _, match in sorted(quoted(figure, before), key=lambda found: -found[1].start()):
            for group in reversed(range(1, len(match.groups()) + 1)):
                start, end = match.span(group)
                after = after[:start] + values[group - 1] + after[end:]
        if after != before:
            write_text(page, after)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description="Measure the figures of docs/figures.toml.")
    parser.add_argument("name", nargs="*", help="these only")
    parser.add_argument("--exact", action="store_true", help="those that no machine changes")
    parser.add_argument("--keep", action="store_true", help="write them into file and pages")
    options = parser.parse_args(arguments)
    printed: dict[str, str] = {}
    for figure in figures():
        if (options.name and figure.name not in options.name) or (
            options.exact and figure.kind != "exact"
        ):
            continue
        if figure.command not in printed:
            printed[figure.command] = output(figure.command)
        values = measured(figure, printed[figure.command])
        was, now = ", ".join(figure.values), ", ".join(values)
        print(f"{figure.name}: {now} ({'as before' if was == now else f'was {was}'})", flush=True)
        if options.keep:
            keep(figure, values)
    return 0


if __name__ == "__main__":
    sys.exit(main())
