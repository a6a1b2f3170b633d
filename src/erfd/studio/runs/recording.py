"""Record live robots into kept runs, whatever ends the recording.

A recording grows in a folder that the store has for what is being made. If the studio is killed, a
journal is left there, and the next studio makes runs of it.
"""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

from ...errors import ErfdError, InputError
from ...monitor.recording.journal import SUFFIX, in_use
from ...monitor.recording.recorder import Recorder, recover
from .store import About, Store

FILE = "run.parquet"


class Recording:
    """A recording of a stream into the kept runs; `keep` ends it."""

    def __init__(self, store: Store, url: str, token: str = ""):
        self.store, self.url = store, url
        self.begun = datetime.now()
        self._id, self._part = store.new()
        try:
            self._recorder = Recorder(url, self._part / FILE, token=token)
        except BaseException:
            store.drop(self._part)
            raise

    @property
    def failure(self) -> str:
        """Why nothing more can be written, empty as long as it can."""
        return self._recorder.failure

    def keep(self) -> list[About]:
        """End the recording and keep its runs; an `InputError` if nothing came."""
        written = self._recorder.close()  # if that fails, the journal stays for the next start
        if not written:
            self.store.drop(self._part)
            raise InputError(f"{self.url}: no samples came, nothing was recorded")
        return _keep(self.store, self._part, self._id, self.begun)


def left_behind(store: Store) -> list[Path]:
    """Journals in the store's folder whose writers are gone."""
    journals = sorted(store.folder.glob(f".*.part/{FILE}{SUFFIX}"))
    return [journal for journal in journals if not in_use(journal)]


def keep_left(store: Store, journal: Path) -> list[About]:
    """Make kept runs of a recording whose studio was killed."""
    part = journal.parent
    begun = datetime.fromtimestamp(journal.stat().st_ctime)
    try:
        recover(journal, part / FILE)
    except ErfdError as error:
        raise InputError(f"{journal}: no run can be made of this recording: {error}") from None
    journal.unlink()
    run_id = part.name.removeprefix(".").removesuffix(".part")
    return _keep(store, part, run_id, begun)


def _keep(store: Store, part: Path, run_id: str, begun: datetime) -> list[About]:
    """Keep every run file of a finished folder as a run of its own, the first one last."""
    kept = []
    for file in sorted(part.glob("run-*.parquet")):
        other_id, folder = store.new()
        os.replace(file, folder / FILE)
        events_file = file.with_suffix(".events.jsonl")
        if events_file.exists():
            os.replace(events_file, folder / events_file.name.replace(file.stem, "run"))
        kept.append(store.keep(folder, _about(folder / FILE, other_id, begun)))
    kept.append(store.keep(part, _about(part / FILE, run_id, begun)))
    return kept[::-1]


def _about(path: Path, run_id: str, begun: datetime) -> About:
    from ...run.run_file import RunFile
    from ..workspace import about_file

    file = RunFile(path)
    return about_file(file, f"{file.robot.name} {begun:%H:%M:%S}", run_id)
