"""Keeps everything that a stream brings, as it comes; makes runs of it at the end, or afterwards.

>>> with Recorder("ws://127.0.0.1:8765", "shift.parquet") as recorder:  # doctest: +SKIP
...     time.sleep(60)
>>> recorder.written  # doctest: +SKIP
[PosixPath('shift.parquet')]
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import InputError
from ...files import write_text
from ..viewer.feed import Feed, FeedState
from ..viewer.reader import Item, Message
from .journal import SUFFIX, Journal, read_journal
from .rebuild import recordings, run_of

if TYPE_CHECKING:
    from ...robot.model import Robot

ENDS = (".parquet", ".mcap", ".csv")


class Recorder:
    """Records a stream into a journal beside `path`; `close` makes `path` of it.

    If the writer is killed, the journal stays, and `recover` makes the file. A controller that was
    started anew, and a history that began anew, go into files of their own: `shift-2.parquet`, ...
    """

    def __init__(self, url: str, path: str | Path, *, token: str = "", robot: Robot | None = None):
        self.path = Path(path)
        _check(self.path)
        self.robot = robot
        self.failure = ""
        self.written: list[Path] = []
        self.journal = Journal(journal_path(self.path))
        self._closed = False
        n = None if robot is None else robot.n
        self.feed = Feed(url, token=token, n=n, sink=self._keep)

    def _keep(self, item: Item) -> None:
        """In the feed's thread: one item to the disk."""
        if self.failure or (isinstance(item, Message) and item.kind not in ("event", "status")):
            return
        try:
            self.journal.add(item)
        except OSError as error:
            self.failure = f"{self.journal.path}: cannot be written: {error.strerror}"

    def state(self) -> FeedState:
        """How the stream is."""
        return self.feed.state()

    def close(self) -> list[Path]:
        """End the recording and write its runs; the journal goes when they are there."""
        if self._closed:
            return self.written
        self._closed = True
        self.feed.close()
        try:
            self.journal.close()
        except OSError as error:
            self.failure = f"{self.journal.path}: cannot be written: {error.strerror}"
        if self.feed.state().samples == 0:
            self.journal.path.unlink(missing_ok=True)
            return []
        try:
            self.written = recover(self.journal.path, self.path, robot=self.robot).written
        except InputError as error:
            raise InputError(
                f"{error}; what came is in {self.journal.path}:"
                " erfd monitor recover makes a run of it"
            ) from None
        if not self.failure:
            self.journal.path.unlink(missing_ok=True)
        return self.written

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class Recovered:
    """What came out of a journal: files, samples, bytes that could not be read."""

    written: list[Path]
    samples: int
    lost: int


def recover(journal: str | Path, path: str | Path, *, robot: Robot | None = None) -> Recovered:
    """Make runs (.parquet, .mcap or .csv by the name of `path`) of a journal; it stays.

    What the controller said, its events and its status, goes beside them as `.events.jsonl`.
    """
    from ...run.write import write_run

    target = Path(path)
    _check(target)
    contents = read_journal(Path(journal))
    found = recordings(contents.items)
    if not found:
        raise InputError(f"{journal}: expected samples, found none")
    written = []
    for count, recording in enumerate(found, 1):
        name = target if count == 1 else target.with_stem(f"{target.stem}-{count}")
        write_run(run_of(recording, robot), name, program=recording.hello.program)
        written.append(name)
        if recording.messages:
            lines = [json.dumps(body) for body in recording.messages]
            said = name.with_suffix(".events.jsonl")
            write_text(said, "\n".join(lines) + "\n")
            written.append(said)
    return Recovered(written, sum(len(r.t) for r in found), contents.lost)


def journal_path(path: Path) -> Path:
    """Where the recording grows until `path` is written."""
    return path.with_name(path.name + SUFFIX)


def _check(path: Path) -> None:
    if path.suffix.lower() not in ENDS:
        raise InputError(f"{path}: expected a name that ends in one of {', '.join(ENDS)}")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"{path}: cannot be written: no such folder, or no right to write there")
