"""`erfd play`: turn a graphic file into an HTML page that plays the motion."""

from __future__ import annotations

import argparse
from typing import Any

from ..errors import InputError
from .common import add_json, print_json
from .parser import add_command


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = add_command(
        commands, "play", "animate a graphic file of `erfd sim` as HTML", run_play,
        "erfd play motion.jsonl --out motion.html",
    )  # fmt: skip
    command.add_argument(
        "file", metavar="FILE", help="what write_graphic_file wrote, a .jsonl file"
    )
    command.add_argument("--out", metavar="FILE.html", help="the page (FILE with .html)")
    add_json(command)


def run_play(options: argparse.Namespace) -> None:
    """Write the page of a graphic file."""
    from pathlib import Path

    from ..ground.files import write_text
    from ..report.play.graphic_file import read_graphic
    from ..report.play.page import page

    source = Path(options.file)
    if options.out and Path(options.out).suffix.lower() not in (".html", ".htm"):
        raise InputError(f"--out: expected a name that ends in .html, found {options.out!r}")
    graphic = read_graphic(source)
    out = Path(options.out) if options.out else source.with_suffix(".html")
    write_text(out, page(graphic))
    span = float(graphic.t[-1] - graphic.t[0])
    if options.json:
        summary = {"robot": graphic.head["robot"], "moments": len(graphic), "seconds": span}
        print_json(summary | {"written": str(out)})
    else:
        print(f"wrote {out}: {graphic.head['robot']}, {span:g} s, {len(graphic)} moments")
