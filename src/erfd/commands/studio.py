"""`erfd studio`: write, verify and watch robot programs in the browser."""

from __future__ import annotations

import argparse
import math
from typing import Any

from .common import ROBOT, add_robot, load_robot
from .parser import add_command, number, port_number

ROBOT_FILES = (".toml", ".urdf", ".xacro", ".xml")
"""A file of such a name is a robot to begin with."""


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = add_command(
        commands, "studio", "write, verify and watch programs in the browser", run_studio,
        "erfd studio program.irl --robot arm.urdf --tip tool0",
    )  # fmt: skip
    command.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help="a run (.parquet), a program (.irl) or a robot to open",
    )
    add_robot(command, f"the robot to begin with: {ROBOT}", required=False)
    command.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS",
        help="where to listen; others than this machine's address need a token, which is printed",
    )  # fmt: skip
    command.add_argument(
        "--port",
        type=port_number,
        metavar="NUMBER",
        help="default 8077; the next free one if it is in use",
    )
    command.add_argument(
        "--token", metavar="TEXT", help="the token to ask for, instead of one made at the start"
    )
    command.add_argument(
        "--tokens",
        metavar="FILE",
        help="named tokens: a name, a right (view, run, command) and a token on each line",
    )
    command.add_argument(
        "--local-token", action="store_true", help="ask for a token on this machine, too"
    )
    command.add_argument(
        "--job-minutes",
        type=number,
        default=60.0,
        metavar="MINUTES",
        help="time limit of a verification, a repair or a search, min (60)",
    )
    command.add_argument(
        "--keep-jobs",
        action="store_true",
        help="let a job go on when its last page is gone, else it is cancelled",
    )
    command.add_argument(
        "--keep-days",
        type=number,
        default=math.inf,
        metavar="DAYS",
        help="offer to delete runs that are older, days",
    )
    command.add_argument(
        "--keep-gigabytes",
        type=number,
        default=math.inf,
        metavar="GB",
        help="offer to delete the oldest runs beyond this size of all, GB",
    )
    command.add_argument(
        "--runs", metavar="DIR", help="where runs are kept (the user's data folder)"
    )
    command.add_argument("--language", default="en", choices=("en", "sr"), help="of the pages")
    command.add_argument("--no-browser", action="store_true", help="do not open a browser")


def run_studio(options: argparse.Namespace) -> None:
    """Serve the studio until it is interrupted."""
    from pathlib import Path

    from ..studio.runs.store import default_folder
    from ..studio.server.serve import serve

    first = Path(options.file) if options.file else None
    robot = load_robot(options) if options.robot else None
    if first is not None and robot is None and first.suffix.lower() in ROBOT_FILES:
        options.robot, first = str(first), None
        robot = load_robot(options)
    serve(
        robot=robot,
        host=options.host,
        port=options.port,
        folder=Path(options.runs) if options.runs else default_folder(),
        first=first,
        language=options.language,
        show=not options.no_browser,
        token=options.token,
        tokens=Path(options.tokens) if options.tokens else None,
        local_token=options.local_token,
        minutes=options.job_minutes,
        keep_jobs=options.keep_jobs,
        keep_days=options.keep_days,
        keep_gigabytes=options.keep_gigabytes,
        say=lambda text: print(text, flush=True),
    )
