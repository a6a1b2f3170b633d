"""Kept runs: one folder each, with `run.parquet` and `about.json` in it.

The folder's name is made here and never from what a user typed.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..robot.files import write_text

FORMAT = 1
_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{8}")


@dataclass(frozen=True, slots=True)
class About:
    """What the list of runs shows, and what a run alone does not know.

    `moves`, `notes` and `contacts` are as `worker` describes them; `settings` what was asked for.
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


def default_folder() -> Path:
    """Where runs are kept if the user does not say: in the user's data folder."""
    home = os.environ.get("XDG_DATA_HOME")
    base = Path(home) if home else Path.home() / ".local" / "share"
    return base / "erfd" / "runs"


class Store:
    """The runs in one folder; other files there are left alone."""

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{folder}: cannot be made: {error.strerror}") from None

    def new(self) -> tuple[str, Path]:
        """An id that is not taken, and a folder for what is being made; `keep` makes it a run."""
        stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
        name = f"{stamp}-{secrets.token_hex(4)}"
        part = self.folder / f".{name}.part"
        part.mkdir()
        return name, part

    def keep(self, part: Path, about: About) -> About:
        """The finished folder takes its place; the run is in the list from now on."""
        write_text(part / "about.json", json.dumps({"format": FORMAT} | asdict(about), indent=1))
        os.replace(part, self._place(about.id))
        return about

    def drop(self, part: Path) -> None:
        """Forget a folder that did not become a run."""
        if part.parent == self.folder and part.suffix == ".part":
            shutil.rmtree(part, ignore_errors=True)

    def path(self, run_id: str) -> Path:
        """The Parquet file of a run."""
        return self._place(run_id) / "run.parquet"

    def about(self, run_id: str) -> About:
        """What is known of a run."""
        file = self._place(run_id) / "about.json"
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            if data.pop("format") != FORMAT:
                raise InputError(f"{file}: written by another erfd")
            for name in ("moves", "notes", "failures", "contacts"):
                data[name] = tuple(data[name])
            found = About(**data)
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise InputError(f"{file}: not a run that can be read: {error}") from None
        return replace(found, id=run_id)

    def list(self) -> list[About]:
        """All runs that can be read, the newest first."""
        found = []
        for place in self.folder.iterdir():
            if _ID.fullmatch(place.name) and (place / "run.parquet").is_file():
                try:
                    found.append(self.about(place.name))
                except InputError:
                    continue  # a damaged run must not hide the others
        return sorted(found, key=lambda about: about.id, reverse=True)

    def rename(self, run_id: str, name: str) -> About:
        """The same run under another name."""
        about = replace(self.about(run_id), name=name.strip()[:200] or run_id)
        text = json.dumps({"format": FORMAT} | asdict(about), indent=1)
        write_text(self._place(run_id) / "about.json", text)
        return about

    def delete(self, run_id: str) -> None:
        """Take a run away for good."""
        place = self._place(run_id)
        if not place.is_dir():
            raise InputError(f"run {run_id}: expected a kept run, found none")
        shutil.rmtree(place)

    def _place(self, run_id: str) -> Path:
        if not _ID.fullmatch(run_id):
            raise InputError(f"run: expected an id of this list, found {run_id!r:.60}")
        return self.folder / run_id
