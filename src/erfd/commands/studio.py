"""`erfd studio`: write, verify and watch robot programs in the browser."""

from __future__ import annotations

import argparse
from typing import Any


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = commands.add_parser("studio", help="write, verify and watch programs in the browser")
    command.set_defaults(run=run_studio)
    command.add_argument("file", nargs="?", help="a run (.parquet) or a program (.irl) to open")
    command.add_argument("--host", default="127.0.0.1", help="address; others than this machine's"
                         " need a token, which is printed")  # fmt: skip
    command.add_argument("--port", type=int, help="default 8077; the next free one if it is in use")
    command.add_argument("--token", help="the token to ask for, instead of one made at the start")
    command.add_argument("--runs", metavar="DIR", help="folder where runs are kept")
    command.add_argument("--language", default="en", choices=("en", "sr"))
    command.add_argument("--no-browser", action="store_true", help="do not open a browser")


def run_studio(options: argparse.Namespace) -> None:
    """Serve the studio until it is interrupted."""
    from pathlib import Path

    from ..studio.runs.store import default_folder
    from ..studio.server.serve import serve

    serve(
        host=options.host,
        port=options.port,
        folder=Path(options.runs) if options.runs else default_folder(),
        first=Path(options.file) if options.file else None,
        language=options.language,
        show=not options.no_browser,
        token=options.token,
        say=lambda text: print(text, flush=True),
    )
