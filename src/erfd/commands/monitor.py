"""`erfd monitor`: watch streams, record one, recover a recording that was cut off."""

from __future__ import annotations

import argparse
import math
import sys
import time
from pathlib import Path
from typing import Any

from ..errors import InputError
from .common import add_json, add_robot, console, load_robot, print_json, print_written
from .parser import add_command, number
from .streams import is_abandoned


def add(commands: Any) -> None:
    """Put the commands on the command line."""
    top = commands.add_parser("monitor", help="watch or record what controllers stream")
    actions = top.add_subparsers(dest="action", required=True, metavar="ACTION")

    command = add_command(
        actions, "watch", "a table of streams, as they go", run_watch,
        "erfd monitor watch ws://127.0.0.1:8765 --seconds 60",
    )  # fmt: skip
    command.add_argument("urls", nargs="+", metavar="URL", help="such as ws://127.0.0.1:8765")
    _add_common(command)

    command = add_command(
        actions, "record", "keep a stream: .parquet, .mcap or .csv", run_record,
        "erfd monitor record ws://127.0.0.1:8765 --out shift.parquet",
    )  # fmt: skip
    command.add_argument("url", metavar="URL", help="such as ws://127.0.0.1:8765")
    add_robot(command, "if the stream does not describe it", required=False)
    command.add_argument(
        "--out", required=True, metavar="FILE", help="the file: .parquet, .mcap or .csv"
    )
    _add_common(command)

    command = add_command(
        actions, "recover", "make runs of a journal that was cut off", run_recover,
        "erfd monitor recover shift.parquet.journal",
    )  # fmt: skip
    command.add_argument("journal", metavar="JOURNAL", help="what a recorder left, a .journal file")
    add_robot(command, "if the stream did not describe it", required=False)
    command.add_argument("--out", metavar="FILE", help="(the journal's name without .journal)")
    add_json(command)


def _add_common(command: argparse.ArgumentParser) -> None:
    command.add_argument("--token", default="", metavar="TEXT", help="that the controller printed")
    command.add_argument(
        "--seconds", type=number, metavar="S", help="end by itself after this time, s"
    )
    add_json(command)


def run_watch(options: argparse.Namespace) -> None:
    """Show the state of streams until Ctrl-C."""
    from contextlib import ExitStack

    from ..monitor.viewer.feed import Feed

    with ExitStack() as stack:
        feeds = [
            stack.enter_context(Feed(url, token=options.token, seconds=2)) for url in options.urls
        ]
        terminal = console()
        if options.json or not terminal.is_terminal:
            for _ in _ticks(options.seconds, 1.0):
                rows = [state_data(feed.state()) for feed in feeds]
                if options.json:
                    print_json(rows, None)
                else:
                    terminal.print(_table(rows))
                sys.stdout.flush()
                if is_abandoned():
                    return
            return
        from rich.live import Live

        with Live(console=terminal, auto_refresh=False) as live:
            for _ in _ticks(options.seconds, 0.5):
                live.update(_table([state_data(feed.state()) for feed in feeds]), refresh=True)


def state_data(state: Any) -> dict[str, Any]:
    """The state of a stream as JSON values."""
    hello, status = state.hello, state.status
    events = [e for e in state.events if e.get("level") in ("warning", "alarm")]
    return {
        "url": state.url,
        "name": hello.name if hello else "",
        "connection": state.connection,
        "reason": state.reason,
        "mode": status.get("mode", ""),
        "speed": status.get("speed"),
        "overruns": status.get("overruns"),
        "delay": state.delay,
        "samples": state.samples,
        "problems": state.counts,
        "last_event": events[-1].get("text", "") if events else "",
    }


def _table(rows: list[dict[str, Any]]) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table()
    for title in ("robot", "stream", "mode", "delay ms", "samples", "overruns", "problems", "last"):
        table.add_column(title)
    for row in rows:
        problems = ", ".join(f"{kind} {count}" for kind, count in row["problems"].items())
        delay = "-" if row["delay"] is None else f"{1e3 * row['delay']:.1f}"
        cells = [row["name"] or row["url"], row["connection"], str(row["mode"])[:20], delay]
        cells += [str(row["samples"]), str(row["overruns"] or 0)[:12], problems or "none"]
        table.add_row(*map(Text, (*cells, str(row["last_event"])[:60])))
    return table


def run_record(options: argparse.Namespace) -> None:
    """Record a stream until Ctrl-C, or for some time."""
    from ..monitor.recording.recorder import Recorder

    robot = _robot_of(options)
    recorder = Recorder(options.url, options.out, token=options.token, robot=robot)
    last_connection = ""
    for _ in _ticks(options.seconds, 0.5):
        state = recorder.state()
        if recorder.failure:
            break
        text = f"{state.connection}, {state.samples} samples"
        if sys.stderr.isatty() or state.connection != last_connection:
            end = "" if sys.stderr.isatty() else "\n"
            start = "\r" if sys.stderr.isatty() else ""
            print(f"{start}{text:<60}", end=end, file=sys.stderr, flush=True)
        last_connection = state.connection
    state = recorder.state()
    written = recorder.close()
    if sys.stderr.isatty():
        print(file=sys.stderr)
    if written:
        _print_written(options, written, state.samples, 0)
    if recorder.failure:
        raise InputError(recorder.failure)
    if not written:
        raise InputError(f"{options.url}: no samples came: {state.reason or state.connection}")


def _robot_of(options: argparse.Namespace) -> Any:
    """The robot of --robot, if there is one."""
    return load_robot(options) if options.robot else None


def run_recover(options: argparse.Namespace) -> None:
    """Make runs from a journal that was cut off."""
    from ..monitor.recording.journal import SUFFIX
    from ..monitor.recording.recorder import recover

    journal = Path(options.journal)
    if options.out is None and journal.suffix != SUFFIX:
        raise InputError(f"{journal}: expected a name that ends in {SUFFIX}, or --out FILE")
    out = Path(options.out) if options.out else journal.with_suffix("")
    recovered = recover(journal, out, robot=_robot_of(options))
    _print_written(options, recovered.written, recovered.samples, recovered.lost)


def _print_written(options: argparse.Namespace, paths: list[Any], samples: int, lost: int) -> None:
    if options.json:
        data = {"written": [str(path) for path in paths], "samples": samples, "lost_bytes": lost}
        print_json(data, None)
        return
    print_written(options, paths)
    print(f"{samples} samples" + (f"; {lost} bytes could not be read" if lost else ""))


def _ticks(seconds: float | None, every: float) -> Any:
    """Yield every `every` seconds, until the time (s) is over or Ctrl-C."""
    end = time.monotonic() + (math.inf if seconds is None else seconds)
    try:
        while True:
            yield
            left = end - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(every, left))
    except KeyboardInterrupt:
        return
