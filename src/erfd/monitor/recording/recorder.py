"""Record a stream into a journal, and make runs of it at the end or afterwards.

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
from ...ground.files import write_text
from ..viewer.feed import Feed, FeedState
from ..viewer.reader import Item, Message
from .journal import SUFFIX, Journal, read_journal
from .rebuild import recordings, run_of

if TYPE_CHECKING:
    from ...robot.model import Robot

SUFFIXES = (".parquet", ".mcap", ".csv")


class Recorder:
    """Records a stream into a journal beside `path`; `close` makes `path` of it.

    If the writer is killed, the journal stays, and `recover` makes the file. A controller that was
    started anew, and a history that began anew, go into files of their own: `shift-2.parquet`, ...
    Use it as a context manager, or call `close` at the end.

    Args:
        url: Address of the publisher, ws://HOST:PORT.
        path: File to write: .parquet, .mcap or .csv.
        token: The publisher's token, if it has one.
        robot: The robot, where the publisher does not describe it.

    Raises:
        InputError: `url` or `path` cannot be used, or there is a journal of this name already.
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
        """Write one item to the journal; called in the feed's thread."""
        if self.failure or (isinstance(item, Message) and item.kind not in ("event", "status")):
            return
        try:
            self.journal.add(item)
        except OSError as error:
            self.failure = f"{self.journal.path}: cannot be written: {error.strerror}"

    def state(self) -> FeedState:
        """The state of the stream now."""
        return self.feed.state()

    def close(self) -> list[Path]:
        """End the recording and write its runs; the journal goes when they are there.

        Returns:
            The files that were written, none if no sample came.

        Raises:
            InputError: No run can be made of what came; the journal stays.
        """
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
    """Result of `recover`: files written, samples, bytes that could not be read."""

    written: list[Path]
    samples: int
    lost: int


def recover(journal: str | Path, path: str | Path, *, robot: Robot | None = None) -> Recovered:
    """Make runs (.parquet, .mcap or .csv by the name of `path`) of a journal; it stays.

    Events and status of the controller go beside them as `.events.jsonl`.

    Args:
        journal: The journal, `NAME.parquet.journal` for a recording into `NAME.parquet`.
        path: File to write; further histories go to `NAME-2.parquet`, ...
        robot: The robot, where the publisher has not described it.

    Returns:
        The files written, the number of samples, and of bytes that could not be read.

    Raises:
        InputError: There is no such journal, it has no samples, or the file cannot be written.

    >>> recover("shift.parquet.journal", "shift.parquet").samples  # doctest: +SKIP
    6000
    """
    from ...run.write import write_run

    target = Path(path)
    _check(target)
    contents = read_journal(Path(journal))
    histories = recordings(contents.items)
    if not histories:
        raise InputError(f"{journal}: expected samples, found none")
    written = []
    for count, recording in enumerate(histories, 1):
        name = target if count == 1 else target.with_stem(f"{target.stem}-{count}")
        write_run(run_of(recording, robot), name, program=recording.hello.program)
        written.append(name)
        if recording.messages:
            lines = [json.dumps(body) for body in recording.messages]
            events_path = name.with_suffix(".events.jsonl")
            write_text(events_path, "\n".join(lines) + "\n")
            written.append(events_path)
    return Recovered(written, sum(len(r.t) for r in histories), contents.lost)


def journal_path(path: Path) -> Path:
    """The journal of a recording that is to become `path`."""
    return path.with_name(path.name + SUFFIX)


def _check(path: Path) -> None:
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"{path}: expected a name that ends in one of {', '.join(SUFFIXES)}")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"{path}: cannot be written: no such folder, or no right to write there")
