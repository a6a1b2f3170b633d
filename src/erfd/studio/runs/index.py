"""Index of kept runs: what a list shows of them, so that ten thousand cost no more than ten.

The files are the truth. The index is a cache of ours (SQLite): it is made anew if it is lost or
damaged, follows the folder whoever changes it, and is the same for all studios of this user.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ...ground.folders import cache_folder

if TYPE_CHECKING:
    from .store import About

FORMAT = 1
PAGE = 50
"""Runs on one page of a list."""
WAIT = 10.0
"""Seconds that one studio waits for another's change of the index."""
_FIELDS = (
    "id", "name", "date", "robot", "feasible", "seconds", "verdict", "mass", "cell", "tags",
    "bytes", "stamp", "damaged",
)  # fmt: skip
_TABLE = f"""
create table if not exists runs (
  id text primary key, name text, date text, robot text, feasible integer, seconds real,
  verdict text, mass real, cell text, tags text, bytes integer, stamp integer, damaged integer,
  search text
);
create index if not exists by_search on runs (damaged, id);
pragma user_version = {FORMAT};
"""


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A kept run as a list shows it; `verdict` is a key of the catalogue, `bytes` its size."""

    id: str
    name: str
    date: str
    robot: str
    feasible: bool
    seconds: float
    verdict: str
    mass: float
    cell: str
    tags: tuple[str, ...]
    bytes: int


@dataclass(frozen=True, slots=True)
class RunPage:
    """One page of a list, the newest first; `total` are all that were found."""

    runs: tuple[KeptRun, ...]
    total: int
    damaged: tuple[str, ...] = ()


class RunIndex:
    """The index of one folder; `read` gives the description of a run and its size in bytes."""

    def __init__(self, folder: Path, read: Callable[[str], tuple[About, int]]):
        self.folder, self._read = folder, read
        name = sha256(str(folder.absolute()).encode()).hexdigest()[:24]
        self.path = cache_folder() / "runs" / f"{name}.sqlite"
        self._seen: int | None = None
        self._lock = Lock()

    def page(
        self, *, search: str = "", verdict: str = "", tag: str = "", first: int = 0,
        count: int = PAGE,
    ) -> RunPage:  # fmt: skip
        """A page of the runs in whose name, robot, cell or tags all words of `search` are.

        Args:
            search: Words, between blanks.
            verdict: Only those that are `feasible`, or `not`.
            tag: Only those with this tag.
            first: The place of the first one that is wanted, from 0.
            count: How many are wanted.
        """
        where, values = ["damaged = 0"], []
        for word in search.lower().split()[:8]:
            where.append("instr(search, ?) > 0")
            values.append(word)
        if verdict:
            where.append("feasible = ?")
            values.append(str(int(verdict == "feasible")))
        if tag:
            where.append("instr(tags, ?) > 0")
            values.append(f"\n{tag}\n")
        condition = " and ".join(where)
        with self._open() as base:
            self._follow(base)
            total = base.execute(f"select count(*) from runs where {condition}", values).fetchone()
            rows = self._fresh(base, condition, values, first, count)
            broken = base.execute("select id from runs where damaged = 1 order by id desc limit 9")
            return RunPage(rows, int(total[0]), tuple(row[0] for row in broken))

    def ids(self, **filters: Any) -> list[str]:
        """The ids of all that a search finds."""
        return [run.id for run in self.page(count=-1, **filters).runs]

    def tags(self) -> list[str]:
        """All tags that there are."""
        with self._open() as base:
            self._follow(base)
            rows = base.execute("select distinct tags from runs where tags != ''").fetchall()
        return sorted({tag for row in rows for tag in row[0].split("\n") if tag})

    def has_name(self, name: str) -> bool:
        """Whether a run is called so."""
        with self._open() as base:
            self._follow(base)
            found = base.execute("select 1 from runs where name = ? limit 1", [name]).fetchone()
        return found is not None

    def surplus(self, most_bytes: float, oldest: str) -> tuple[list[str], int]:
        """What a policy would delete: ids, and their bytes; nothing that has a tag.

        Args:
            most_bytes: What all runs may take, bytes.
            oldest: The date (as in `About.date`) before which a run is too old; empty: none is.
        """
        with self._open() as base:
            self._follow(base)
            rows = base.execute(
                "select id, bytes, date, tags from runs where damaged = 0 order by id desc"
            ).fetchall()
        ids, taken, gone = [], 0, 0
        for run_id, size, date, tags in rows:
            taken += size
            if (taken > most_bytes or (oldest and date < oldest)) and not tags:
                ids.append(run_id)
                gone += size
        return ids, gone

    def put(self, about: About, size: int, stamp: int) -> None:
        """Remember a run that was kept or changed."""
        with suppress(InputError), self._open() as base:
            self._insert(base, _row(about, size, stamp))

    def drop(self, run_ids: Iterable[str]) -> None:
        """Forget runs that were deleted."""
        with suppress(InputError), self._open() as base:
            base.executemany("delete from runs where id = ?", [[i] for i in run_ids])

    def _fresh(
        self, base: sqlite3.Connection, condition: str, values: list[str], first: int, count: int
    ) -> tuple[KeptRun, ...]:
        """The rows of a page; those whose files have changed since are read anew."""
        ask = (
            f"select {', '.join(_FIELDS)} from runs where {condition}"
            " order by id desc limit ? offset ?"
        )
        rows = base.execute(ask, [*values, count, first]).fetchall()
        if count > 0:
            stale = [row[0] for row in rows if row[11] != self.stamp(row[0])]
            for run_id in stale:
                self._learn(base, run_id)
            if stale:
                rows = base.execute(ask, [*values, count, first]).fetchall()
        return tuple(_kept(row) for row in rows)

    def stamp(self, run_id: str) -> int:
        """What changes when a run does, 0 if it cannot be read."""
        folder = self.folder / run_id
        try:
            run = (folder / "run.parquet").stat().st_mtime_ns
            return hash((run, (folder / "about.json").stat().st_mtime_ns)) & (2**62 - 1)
        except OSError:
            return 0

    def _follow(self, base: sqlite3.Connection) -> None:
        """Learn what has come into the folder, and forget what has gone."""
        try:
            changed = self.folder.stat().st_mtime_ns
            if changed == self._seen:
                return
            names = {entry.name for entry in os.scandir(self.folder)}
        except OSError:
            changed, names = 0, set()  # taken away meanwhile; the next run makes it anew
        from .store import is_id

        known = {row[0] for row in base.execute("select id from runs")}
        here = {name for name in names if is_id(name)}
        base.executemany("delete from runs where id = ?", [[i] for i in known - here])
        for number, run_id in enumerate(sorted(here - known, reverse=True)):
            self._learn(base, run_id)
            if number % 200 == 199:
                base.commit()
            if number > 20:
                time.sleep(0.001)  # many: the pages are answered meanwhile
        self._seen = changed

    def _learn(self, base: sqlite3.Connection, run_id: str) -> None:
        stamp = self.stamp(run_id)
        try:
            about, size = self._read(run_id)
            row = _row(about, size, stamp)
        except InputError:  # a damaged run must not hide the others
            row = (run_id, "", "", "", 0, 0.0, "", 0.0, "", "", 0, stamp, 1, "")
        self._insert(base, row)

    def _insert(self, base: sqlite3.Connection, row: tuple[Any, ...]) -> None:
        marks = ", ".join("?" * len(row))
        base.execute(f"insert or replace into runs values ({marks})", row)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """The base of the index; one that is damaged or of another version is made anew."""
        with self._lock:
            try:
                base = self._connect()
            except sqlite3.DatabaseError:
                self._forget()
                try:
                    base = self._connect()
                except sqlite3.DatabaseError as error:
                    raise InputError(f"the index of the runs cannot be made: {error}") from None
            with closing(base):
                try:
                    with base:
                        yield base
                except sqlite3.DatabaseError as error:
                    self._forget()  # the files are the truth: the next look makes it anew
                    raise InputError(f"the index of the runs was damaged: {error}") from None

    def _connect(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        base = sqlite3.connect(self.path, timeout=WAIT)
        try:
            version = base.execute("pragma user_version").fetchone()[0]
            if version != FORMAT:
                base.execute("drop table if exists runs")
                base.executescript("pragma journal_mode = wal;" + _TABLE)
                self._seen = None
            base.execute("select count(*) from runs where id = ''")
        except BaseException:
            base.close()
            raise
        return base

    def _forget(self) -> None:
        self._seen = None
        for name in (self.path, *(Path(f"{self.path}{end}") for end in ("-wal", "-shm"))):
            name.unlink(missing_ok=True)


def _row(about: About, size: int, stamp: int) -> tuple[Any, ...]:
    from .facts import kept_facts

    verdict = kept_facts(about).first
    mass = float(about.settings.get("payload", [0.0])[0])
    cell = str(about.settings.get("cell") or "")
    tags = "".join(f"\n{tag}\n" for tag in about.tags)
    search = " ".join([about.name, about.robot, cell, *about.tags, about.date[:10]]).lower()
    return (
        about.id, about.name, about.date, about.robot, int(about.feasible), about.seconds, verdict,
        mass, cell, tags, size, stamp, 0, search,
    )  # fmt: skip


def _kept(row: tuple[Any, ...]) -> KeptRun:
    tags = tuple(tag for tag in row[9].split("\n") if tag)
    run_id, name, date, robot, feasible, seconds, verdict, mass, cell = row[:9]
    return KeptRun(
        run_id, name, date, robot, bool(feasible), seconds, verdict, mass, cell, tags, row[10]
    )
