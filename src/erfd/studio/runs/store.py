"""Store of kept runs: one folder each, with `run.parquet` and `about.json` in it.

The folder's name is made here and never from what a user typed.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...ground.files import write_text
from ...ground.folders import data_folder
from ...report.output_folder import make_folder
from .index import RunIndex, RunPage

FORMAT = 1
_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{8}")


@dataclass(frozen=True, slots=True)
class About:
    """Description of a kept run: what the list of runs shows and the run itself does not tell.

    `moves`, `notes` and `contacts` are as `jobs.verification.work` writes them; `settings` are
    those of the `Setup` that made it; `fingerprint` says what exactly the verdict is of.
    """

    id: str
    name: str
    date: str
    robot: str
    feasible: bool
    seconds: float
    size: int
    program: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    moves: tuple[dict[str, Any], ...] = ()
    notes: tuple[dict[str, Any], ...] = ()
    failures: tuple[dict[str, Any], ...] = ()
    contacts: tuple[dict[str, Any], ...] = ()
    figures: dict[str, Any] = field(default_factory=dict)
    fingerprint: dict[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ()

    @classmethod
    def of(cls, data: dict[str, Any]) -> About:
        """The description in plain data, as JSON has it."""
        lists = ("moves", "notes", "failures", "contacts", "tags")
        return cls(**data | {name: tuple(data.get(name, ())) for name in lists})


def default_folder() -> Path:
    """Where runs are kept if the user does not say: in the user's data folder."""
    return data_folder() / "runs"


def is_id(name: str) -> bool:
    """Whether a name is the id of a run."""
    return _ID.fullmatch(name) is not None


def _size(folder: Path) -> int:
    """The bytes of a run's folder."""
    try:
        return sum(entry.stat().st_size for entry in os.scandir(folder) if entry.is_file())
    except OSError:
        return 0


def about_beside(path: Path) -> About:
    """Read the description of the run in a Parquet file: the about.json beside it."""
    file = path.with_name("about.json")
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        if data.pop("format") != FORMAT:
            raise InputError(f"{file}: written by another erfd")
        return About.of(data)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InputError(f"{file}: not a run that can be read: {error}") from None


def _write(folder: Path, about: About) -> None:
    text = json.dumps({"format": FORMAT} | asdict(about), indent=1)
    write_text(folder / "about.json", text)


class Store:
    """The kept runs in one folder; other files there are left alone."""

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)
        make_folder(self.folder)
        self.index = RunIndex(self.folder, self._described)

    def new(self) -> tuple[str, Path]:
        """A new id, and a folder to write a run into; `keep` makes it a kept run."""
        stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
        name = f"{stamp}-{secrets.token_hex(4)}"
        part = self.folder / f".{name}.part"
        try:
            part.mkdir(parents=True)
        except OSError as error:
            raise InputError(f"{self.folder}: no run can be kept: {error.strerror}") from None
        return name, part

    def keep(self, part: Path, about: About) -> About:
        """Put a finished folder among the kept runs."""
        try:
            _write(part, about)
            os.replace(part, self._folder_of(about.id))
        except OSError as error:
            raise InputError(f"{self.folder}: no run can be kept: {error.strerror}") from None
        self._remember(about)
        return about

    def _remember(self, about: About) -> None:
        size = _size(self._folder_of(about.id))
        self.index.put(about, size, self.index.stamp(about.id))

    def drop(self, part: Path) -> None:
        """Delete a folder that did not become a run."""
        if part.parent == self.folder and part.suffix == ".part":
            shutil.rmtree(part, ignore_errors=True)

    def path(self, run_id: str) -> Path:
        """The Parquet file of a run."""
        return self._folder_of(run_id) / "run.parquet"

    def about(self, run_id: str) -> About:
        """The description of a run."""
        path = self.path(run_id)
        if not path.is_file():
            raise InputError(f"run {run_id}: expected a kept run, found none")
        return replace(about_beside(path), id=run_id)

    def _described(self, run_id: str) -> tuple[About, int]:
        return self.about(run_id), _size(self._folder_of(run_id))

    def page(self, **filters: Any) -> RunPage:
        """A page of a list: `RunIndex.page` has the filters."""
        return self.index.page(**filters)

    def list(self) -> list[About]:
        """All runs that can be read, the newest first."""
        runs, ids = [], self._ids()
        for run_id in ids:
            try:
                runs.append(self.about(run_id))
            except InputError:
                continue  # a damaged run must not hide the others
        return runs

    def damaged(self) -> tuple[str, ...]:
        """The ids of runs that cannot be read, the newest first."""
        good = {about.id for about in self.list()}
        return tuple(run_id for run_id in self._ids() if run_id not in good)

    def rename(self, run_id: str, name: str) -> About:
        """Rename a run; its new description."""
        return self._change(run_id, "renamed", name=name.strip()[:200] or run_id)

    def tag(self, run_id: str, tags: Sequence[str]) -> About:
        """Give a run these tags, and no others; its new description."""
        words = dict.fromkeys(" ".join(tag.split())[:40] for tag in tags)
        return self._change(run_id, "tagged", tags=tuple(word for word in words if word)[:20])

    def add_figures(self, run_id: str, figures: dict[str, Any]) -> About:
        """Add figures that came later than the run; its new description."""
        figures = self.about(run_id).figures | figures
        return self._change(run_id, "completed", figures=figures)

    def _change(self, run_id: str, what: str, **changes: Any) -> About:
        about = replace(self.about(run_id), **changes)
        try:
            _write(self._folder_of(run_id), about)
        except OSError as error:
            raise InputError(f"run {run_id}: cannot be {what}: {error.strerror}") from None
        self._remember(about)
        return about

    def delete_many(self, run_ids: Sequence[str]) -> int:
        """Delete runs for good; how many were there."""
        gone = 0
        for run_id in run_ids:
            with suppress(InputError):  # another studio was quicker
                self.delete(run_id)
                gone += 1
        return gone

    def delete(self, run_id: str) -> None:
        """Delete a run for good."""
        folder = self._folder_of(run_id)
        if not folder.is_dir():
            raise InputError(f"run {run_id}: expected a kept run, found none")
        gone = self.folder / f".{run_id}.gone"
        try:
            os.replace(folder, gone)  # at once for every studio, however large it is
            shutil.rmtree(gone)
        except OSError as error:
            raise InputError(f"run {run_id}: cannot be deleted: {error.strerror}") from None
        self.index.drop([run_id])

    def _ids(self) -> Sequence[str]:
        try:
            names = [place.name for place in self.folder.iterdir()]
        except OSError:
            return []  # taken away meanwhile; the next run makes it anew
        return sorted(filter(is_id, names), reverse=True)

    def _folder_of(self, run_id: str) -> Path:
        if not _ID.fullmatch(run_id):
            raise InputError(f"run: expected an id of this list, found {run_id!r:.60}")
        return self.folder / run_id
