"""Runs that are open in a page, and the data that scene and diagrams fetch of them."""

from __future__ import annotations

import secrets
import time
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...ground.arrays import Array
from ...mechanics.kinematics import forward_kinematics, jacobian, pose_matrix
from ...report.curves.curves import DIAGRAMS, Curves, available, curves
from ...report.curves.decimate import even_rows
from ...report.event_colors import MEANING_OF, MEANINGS
from ...run.run_file import RunFile
from ..browser.packet import pack, pack_curves
from ..browser.scene_data import poses_of
from ..interned_robots import interned
from .store import About

POINTS = 4000
"""Rows at most in one answer; longer runs are asked for in blocks."""
LINGER = 15.0
"""Seconds that a closed run is still there."""
SPANS = 2000
"""Events at most that are marked one by one."""
_RANK = np.array([0, 4, 2, 3, 1, 5])
"""Of several meanings in one stretch (0 none, then as in `MEANINGS`) the highest is shown."""


class OpenRun:
    """An open run, under a key that nobody can guess."""

    def __init__(self, path: Path, about: About):
        self.key = secrets.token_urlsafe(16)
        self.about, self._path = about, path
        self._file: RunFile | None = None
        self.file  # noqa: B018  # a file that cannot be read is a mistake now
        self._force: float | None = None

    @property
    def file(self) -> RunFile:
        """The file of the run; opened anew after a rest."""
        run_file = self._file
        if run_file is None:
            run_file = RunFile(self._path)
            run_file.robot = interned(run_file.robot)
            self._file = run_file
        return run_file

    def rest(self) -> None:
        """Free the memory of what was read, while nobody looks."""
        self._file = None

    @property
    def url(self) -> str:
        """The URL path of this run's data."""
        return f"/erfd/run/{self.key}"

    @property
    def span(self) -> tuple[float, float]:
        """First and last time, s."""
        t = self.file["t"]
        return float(t[0]), float(t[-1])

    def q_at(self, t: float) -> list[float]:
        """Joint positions at a time, between two rows as the picture shows them; rad (m)."""
        times = self.file["t"]
        t = float(np.clip(t, times[0], times[-1]))
        row = int(np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 1))
        after = min(row + 1, len(times) - 1)
        pair = self.file.part("q", row, after + 1)
        span = float(times[after] - times[row])
        share = (t - float(times[row])) / span if span > 0 else 0.0
        return [float(x) for x in pair[0] + share * (pair[-1] - pair[0])]

    @property
    def diagrams(self) -> tuple[str, ...]:
        """The diagrams that this run can show."""
        return available(self.file.quantities)

    def bands(self, most: int = 400) -> list[tuple[float, float, str]]:
        """When something was at a limit: (start, end) in s and its meaning; collisions last."""
        longest = sorted(self.file.events, key=lambda event: event.start - event.end)[:most]
        bands = [(e.start, e.end, MEANING_OF[e.kind]) for e in reversed(longest)]
        contacts = self.about.contacts[:most]
        return bands + [(c["start"], c["end"], "collision") for c in contacts]

    @property
    def meanings(self) -> tuple[str, ...]:
        """What colours there are in this run, in the order of the legend."""
        found = {MEANING_OF[event.kind] for event in self.file.events}
        if self.about.contacts:
            found.add("collision")
        return tuple(meaning for meaning in MEANINGS if meaning in found)

    def _limited(self, first: int, last: int) -> NDArray[np.uint8]:
        """What was at its limit at rows first..last-1: 1 + its place in `MEANINGS`, 0 nothing.

        Where it is more than one, a collision counts before a torque, and that before the others.
        """
        codes = np.zeros(last - first, dtype=np.uint8)
        t = self._take("t", np.arange(first, last))

        def mark(where: Any, meaning: str) -> None:
            codes[where] = 1 + list(MEANINGS).index(meaning)

        def mark_spans(spans: list[tuple[float, float]], meaning: str) -> None:
            for start, end in spans:
                low, high = np.searchsorted(t, [start - 1e-9, end + 1e-9])
                codes[low:high] = 1 + list(MEANINGS).index(meaning)

        soft = [e for e in self.file.events if MEANING_OF[e.kind] == "acceleration"][:SPANS]
        mark_spans([(e.start, e.end) for e in soft], "acceleration")
        if "clipped" in self.file:
            clipped = self.file.part("clipped", first, last)
            mark(np.any(np.isin(clipped, (1, 2)), axis=1), "speed")
            mark(np.any(clipped > 2, axis=1), "position")
        if "saturated" in self.file:
            mark(np.any(self.file.part("saturated", first, last) != 0, axis=1), "torque")
        contacts = self.about.contacts[:SPANS]
        mark_spans([(c["start"], c["end"]) for c in contacts], "collision")
        return codes

    def _take(self, name: str, rows: NDArray[np.intp]) -> Array:
        """A quantity at rising row numbers."""
        first = int(rows[0])
        return np.asarray(self.file.part(name, first, int(rows[-1]) + 1)[rows - first])

    def _rows(self, first: int | None, last: int | None, points: int) -> NDArray[np.intp]:
        """Row numbers first..last-1, or of the whole run thinned."""
        size = len(self.file)
        if first is None or last is None:
            return even_rows(size, min(max(points, 2), POINTS))
        if not 0 <= first < last or last - first > 2 * POINTS:
            raise InputError(f"rows: expected at most {2 * POINTS} of {size} rows")
        return np.arange(min(first, size - 1), min(last, size))

    def poses(self, first: int | None, last: int | None, points: int) -> bytes:
        """Packet of link poses and tool force at rows first..last-1, or of the run thinned."""
        rows = self._rows(first, last, points)
        q = self._take("q", rows)
        arrays: dict[str, Any] = {
            "row": rows.astype(np.int32),
            "t": self._take("t", rows),
            "poses": poses_of(self.file.robot, q).astype(np.float32),
        }
        header: dict[str, Any] = {"size": len(self.file), "force_max": 0.0}
        force = self.force(rows)
        if force is not None:
            header["force_max"] = self.force_max
            arrays["force"] = force.astype(np.float32)
        return pack(header, **arrays)

    def path(self, first: int | None = None, last: int | None = None) -> bytes:
        """Packet of the tool's path, achieved and programmed, and where motors were at limits.

        Of rows first..last-1, or of the whole run thinned, which tells little of a long one.
        """
        rows = self._rows(first, last, POINTS)
        robot = self.file.robot
        q = self._take("q", rows)
        arrays: dict[str, Any] = {
            "t": self._take("t", rows),
            "found": forward_kinematics(robot, q)[:, :3, 3].astype(np.float32),
        }
        if "q_given" in self.file:
            given = forward_kinematics(robot, self._take("q_given", rows))[:, :3, 3]
            arrays["given"] = given.astype(np.float32)
        # a thinned row stands for those up to the next one: no short stretch is lost
        limited = self._limited(int(rows[0]), int(rows[-1]) + 1)
        most = np.maximum.reduceat(_RANK[limited], rows - rows[0])
        arrays["limited"] = np.argsort(_RANK)[most].astype(np.uint8)
        return pack({"mount": pose_matrix(robot.mount).tolist()}, **arrays)

    def curves(self, name: str, **choice: Any) -> Curves:
        """The curves of one diagram; without lines if it is one that this run does not have.

        Two runs are shown together, the second perhaps of a robot with fewer joints.
        """
        joints = choice.pop("joints", None)
        if joints is not None:
            joints = [joint for joint in joints if joint < self.file.robot.n]
        if name in DIAGRAMS and name not in self.diagrams:
            joints, name = [], "q"
        return curves(self.file, name, joints=joints, **choice)

    def diagram(self, name: str, points: int, **choice: Any) -> bytes:
        """One diagram, decimated, as a packet."""
        return pack_curves(self.curves(name, **choice), min(max(points, 16), 20_000))

    def force(self, rows: NDArray[Any]) -> Array | None:
        """The force (N, base axes) that the tool exerts at these rows; None if there is none.

        Runs that do not tell it have u_external = J^T k, from which it follows.
        """
        if "wrench" in self.file:
            return self._take("wrench", rows)[:, :3]
        if "u_external" not in self.file:
            return None
        u = self._take("u_external", rows)
        if not u.any():
            return None
        before = np.maximum(rows - 1, 0)  # u of row k is of the cycle that began a row before
        j = jacobian(self.file.robot, self.file["q"][before])
        wrench = np.linalg.pinv(np.swapaxes(j, 1, 2), rcond=1e-3) @ u[..., None]
        return np.asarray(wrench[:, :3, 0])

    @property
    def force_max(self) -> float:
        """The largest force of the run, N."""
        if self._force is None and "wrench" in self.file:
            self._force = float(np.linalg.norm(self.file["wrench"][:, :3], axis=1).max())
        elif self._force is None:
            force = self.force(even_rows(len(self.file), 500))
            sizes = np.linalg.norm(force, axis=1) if force is not None else np.zeros(1)
            self._force = float(np.percentile(sizes, 95))  # near a singularity the sum is not known
        return self._force


class OpenRuns:
    """All runs that are open in some page, by key."""

    def __init__(self) -> None:
        self._runs: dict[str, OpenRun] = {}
        self._closed: dict[str, float] = {}
        self._lock = Lock()

    def open(self, path: Path, about: About) -> OpenRun:
        """Open a file; the key is for one page alone."""
        open_run = OpenRun(path, about)
        with self._lock:
            self._forget()
            self._runs[open_run.key] = open_run
        return open_run

    def get(self, key: str) -> OpenRun | None:
        """The run of a key."""
        with self._lock:
            self._forget()
            return self._runs.get(key)

    def close(self, open_run: OpenRun | None) -> None:
        """Close a run, a little later: what the browser has asked for is still answered."""
        if open_run is not None:
            with self._lock:
                self._closed[open_run.key] = time.monotonic()

    def _forget(self) -> None:
        now = time.monotonic()
        for key in [key for key, then in self._closed.items() if now - then > LINGER]:
            self._closed.pop(key)
            self._runs.pop(key, None)
