"""Session of one browser tab: it survives a reload of the page, and no other tab sees it."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import asdict, dataclass, field, replace
from math import isfinite, radians
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..cell.model import Cell
from ..errors import ErfdError, InputError
from ..robot.library import load
from ..robot.model import Robot
from ..robot.payload import Payload
from ..robot.pose import Pose
from .fingerprint import fingerprint
from .interned_robots import interned
from .runs.open_runs import OpenRun
from .server.access import may
from .teach import home

if TYPE_CHECKING:
    from ..lirl import SignalSchedule
    from .jobs.job import Job
    from .live_robots import Watched
    from .workspace import Workspace

REST, IDLE = 20.0, 12 * 3600.0
"""Seconds after which a session that no page shows rests, and is forgotten."""


@dataclass(slots=True)
class Setup:
    """Set-up of a verification as a person types it, in m, degrees, kg, N, N m, s."""

    robot: str = "lola15"
    cell: str = ""
    mount: list[float] | None = None  # x y z roll pitch yaw; None: as robot and cell say
    payload: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0, 0.0])
    wrench: list[float] = field(default_factory=lambda: [0.0] * 6)
    dt: float = 0.01
    pause: float = 0.0  # s between two rounds
    strict: bool = False
    turning: Literal["", "even", "smooth"] = ""  # empty: as the program says
    adapt: Literal["", "axes"] = ""  # what slows paths down
    policy: Literal["consistent", "printed"] = "consistent"  # how Algorithm 1 is read
    follow: Literal["velocity", "position"] = "velocity"
    torque_path: Literal["virtual-work", "diagonal"] = "virtual-work"
    signals: str = ""  # the schedule of the program's inputs: CSV with time (s), signal, value

    @classmethod
    def of(cls, settings: dict[str, Any]) -> Setup:
        """The set-up in the settings of a kept run; a key that is missing is as usual."""
        defaults = cls()
        values: dict[str, Any] = {}
        for key, value in settings.items():
            if key in ("robot", "cell", "signals") and isinstance(value, str):
                values[key] = value
            elif key in TIMES and _numbers([value], 1) and TIMES[key][0] <= value <= TIMES[key][1]:
                values[key] = float(value)
            elif (key == "strict" and isinstance(value, bool)) or (
                key in CHOICES and value in CHOICES[key]
            ):
                values[key] = value
            elif key == "mount" and (value is None or _numbers(value, 6)):
                values[key] = None if value is None else [float(x) for x in value]
            elif key in ("payload", "wrench") and _numbers(value, len(getattr(defaults, key))):
                values[key] = [float(x) for x in value]
            else:
                raise InputError(f"kept run: settings: {key}: found {value!r:.60}, which is none")
        return cls(**values)

    def carried(self) -> Payload | None:
        """The payload, if there is one."""
        mass, x, y, z = self.payload
        return Payload(mass, (x, y, z)) if mass else None

    def placed(self, robot: Robot, cell: Cell | None) -> Robot:
        """The robot where it stands: as typed, else as the cell says, else as the robot says."""
        if self.mount is not None:
            x, y, z, roll, pitch, yaw = self.mount
            return replace(
                robot, mount=Pose((x, y, z), (radians(roll), radians(pitch), radians(yaw)))
            )
        return robot if cell is None else cell.placed(robot)

    def schedule(self) -> SignalSchedule | None:
        """The input signals, if there are any."""
        from ..lirl.signal_schedule import parse_signal_schedule

        return parse_signal_schedule(self.signals) if self.signals.strip() else None


READING = {
    "policy": ("consistent", "printed"),
    "follow": ("velocity", "position"),
    "torque_path": ("virtual-work", "diagonal"),
}
"""How Algorithm 1 is read, the usual way first."""
CHOICES = {"turning": ("", "even", "smooth"), "adapt": ("", "axes"), **READING}
"""The words of a set-up that planner and Algorithm 1 take."""
TIMES = {"dt": (1e-4, 0.1), "pause": (0.0, 1e6)}
"""The times of a set-up and what they may be, s."""


def _numbers(values: Any, count: int) -> bool:
    """Whether these are so many finite numbers."""
    if not isinstance(values, list | tuple) or len(values) != count:
        return False
    return all(isinstance(x, int | float) and isfinite(x) for x in values)


@dataclass(slots=True, eq=False)
class Session:
    """The state of one browser tab; `page` is the one that shows it, if one is open.

    `owner` is the browser, `tab` what the browser calls the tab.
    """

    key: str
    owner: str = ""
    right: str = "command"
    tab: str = ""
    page: Workspace | None = None
    messages: list[tuple[str, str]] = field(default_factory=list)
    language: str = "en"
    dark: bool | None = None
    text: str = ""
    revision: int = 0
    """Counts the texts that came from elsewhere than the editor."""
    name: str = ""
    title: str = ""  # of the program, as its text gives it
    brought: dict[str, Any] = field(default_factory=dict)  # of the set-up, by an example
    saved_text: str = ""  # the text that is also elsewhere: a file, an example, a kept run
    setup: Setup = field(default_factory=Setup)
    robot_file: Path | None = None
    cell_file: Path | None = None
    run: OpenRun | None = None
    run_cell: tuple[Cell | None] | None = None  # the cell of a run that is not of this set-up
    other: OpenRun | None = None
    job: Job | None = None
    job_stage: tuple[Any, ...] = ()
    offer: dict[str, Any] | None = None  # a changed program, to accept or leave
    varied: list[list[str]] = field(
        default_factory=lambda: [["payload", "normal(5, 0.5, 0, 10)"], ["friction", "0.8..1.2"]]
    )  # what varies in a study: names and distributions
    study_samples: int = 1000
    study: dict[str, Any] | None = None  # the result of the last study
    watched: list[Watched] = field(default_factory=list)
    advice: bool = True
    q: list[float] = field(default_factory=list)
    panels: list[str] = field(default_factory=lambda: ["u_a", "deviation"])
    joints: list[int] | None = None
    choice: dict[str, bool] = field(
        default_factory=lambda: {"given": True, "limits": True, "parts": False, "percent": True}
    )
    options: dict[str, bool] = field(
        default_factory=lambda: {
            "grid": True, "world": False, "tool": True, "frames": False, "paths": True,
            "force": True,
        }
    )  # fmt: skip
    seen: float = field(default_factory=time.monotonic)
    _rested: float = 0.0
    _jogged: tuple[str, int] | None = None
    _folder: Path | None = None
    _robot: tuple[Any, Robot] | None = None
    _cell: tuple[Any, Cell | None] | None = None
    _models: dict[Path, tuple[int, Any]] = field(default_factory=dict)

    def tell(self, topic: str) -> None:
        """Tell the page, if there is one, that something of this topic has changed."""
        if self.page is not None:
            self.page.tell(topic)

    def say(self, kind: str, text: str) -> None:
        """Say something (`notify`, `inform`) as soon as a page is seen."""
        self.messages = [*self.messages[-9:], (kind, text)]
        self.say_waiting()

    def say_waiting(self) -> None:
        """Say what waits to be said, if a page is seen."""
        if self.page is not None and self.page.connected():
            messages, self.messages = self.messages, []
            for kind, text in messages:
                getattr(self.page, kind)(text)

    def require(self, right: str) -> None:
        """Refuse what takes another right than that of the token with which one came."""
        if not may(self.right, right):
            raise InputError(f"this takes the right `{right}`; this token has `{self.right}`")

    def put_model(self, file: Path, model: Robot | Cell) -> None:
        """Remember what a worker has read in a file, as long as the file stays as it is."""
        self._models[file] = file.stat().st_mtime_ns, model

    def model_of(self, file: Path, *, stale: bool = False) -> Any:
        """What was read in a file; None if that was another file, unless it may be stale."""
        stamp, model = self._models.get(file, (0, None))
        try:
            return model if stale or file.stat().st_mtime_ns == stamp else None
        except OSError:
            return model  # it is gone, and was good

    @property
    def unsaved(self) -> bool:
        """Whether the text of the program is nowhere but in the editor."""
        return bool(self.text.strip()) and self.text != self.saved_text

    @property
    def scene_cell(self) -> Cell | None:
        """The cell around the robot that is shown."""
        return self.cell if self.run is None or self.run_cell is None else self.run_cell[0]

    @property
    def stage(self) -> tuple[Any, ...]:
        """Key of what is on show; runs with another key are not overlaid."""
        setup = self.setup
        return setup.robot, self.robot_file, setup.cell, self.cell_file, repr(setup.mount)

    @property
    def stale(self) -> bool:
        """Whether the run that is shown is of another program or other loads than these."""
        about = self.run.about if self.run is not None else None
        if about is None or not about.program:
            return False
        if about.program != self.text:
            return True
        if about.fingerprint:  # runs of earlier versions have none
            try:
                return about.fingerprint != self.fingerprint
            except ErfdError:
                return True
        # another robot, mount or cell takes the run away
        loads = (
            "payload",
            "wrench",
            "dt",
            "pause",
            "strict",
            "turning",
            "adapt",
            *READING,
            "signals",
        )
        return any(
            about.settings[key] != getattr(self.setup, key)
            for key in loads
            if key in about.settings
        )

    @property
    def study_key(self) -> str:
        """Key of what a study of this moment would be of, but for what varies."""
        return repr((self.text, self.stage, asdict(self.setup)))

    @property
    def fingerprint(self) -> dict[str, str]:
        """What a verification of this moment would be of."""
        return fingerprint(self.text, self.robot, self.cell, asdict(self.setup))

    @property
    def folder(self) -> Path:
        """The folder of this session's uploads."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="erfd-studio-"))
        return self._folder

    @property
    def own_folder(self) -> Path | None:
        """The folder of this session's uploads, if it has one."""
        return self._folder

    @property
    def own_cell(self) -> bool:
        """Whether the cell is one that the user brought."""
        return self.cell_file is not None and self.cell_file.parent == self._folder

    @property
    def cell(self) -> Cell | None:
        """The cell that is loaded."""
        from ..cell.reader import load_cell

        key = self.cell_file, self.setup.cell
        if self._cell is None or self._cell[0] != key:
            file = self.cell_file
            cell = None
            if file is not None:
                cell = self.model_of(file) or load_cell(file, enclosed=self.own_cell)
            self._cell = key, cell
        return self._cell[1]

    @property
    def robot(self) -> Robot:
        """The robot that is loaded, where it stands."""
        key = self.setup.robot, self.robot_file, repr(self.setup.mount), self.cell_file
        if self._robot is None or self._robot[0] != key:
            file = self.robot_file
            robot = load(self.setup.robot) if file is None else self.model_of(file) or load(file)
            self._robot = key, interned(self.setup.placed(robot, self.cell))
        return self._robot[1]

    def take_over(self, other: Session) -> None:
        """Take the program and the set-up of another session, with copies of its files."""
        self.text, self.name, self.saved_text = other.text, other.name, other.saved_text
        self.title, self.brought = other.title, deepcopy(other.brought)
        self.setup, self.advice, self.revision = deepcopy(other.setup), other.advice, other.revision
        self.panels, self.joints = list(other.panels), other.joints
        self.choice, self.options = dict(other.choice), dict(other.options)
        if other._folder is not None and other._folder.is_dir():
            shutil.copytree(other._folder, self.folder, dirs_exist_ok=True)
        self.robot_file = self._own(other.robot_file, other)
        self.cell_file = self._own(other.cell_file, other)

    def _own(self, file: Path | None, other: Session) -> Path | None:
        """The file itself, or the copy of it in this session's own folder."""
        if file is None or file.parent != other._folder:
            return file
        copy, model = self.folder / file.name, other.model_of(file)
        if model is not None:
            self.put_model(copy, model)
        return copy

    def jog_position(self, robot: Robot) -> list[float]:
        """The joint positions that this robot was jogged to; a new one begins at home."""
        if self._jogged != (robot.name, robot.n):
            self.q, self._jogged = home(robot), (robot.name, robot.n)
        return self.q

    def forget(self) -> None:
        """Read robot and cell again: their files may be others under the same names."""
        self._robot = self._cell = None

    def rest(self) -> bool:
        """Free memory and close streams while nobody looks; what is recorded goes on.

        Whether there was anything to free: the tab has been seen since the last rest.
        """
        if self._rested == self.seen:
            return False
        self._rested = self.seen
        for resting in (self.run, self.other, *self.watched):
            if resting is not None:
                resting.rest()
        if self.job is not None and not self.job.active:
            self.job = None  # its result is among the kept runs
        return True

    def close(self) -> None:
        """Delete the folder of uploads."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


class Sessions:
    """All sessions by their keys; those that nobody has looked at for long are closed."""

    def __init__(self, closed: Callable[[Session], None]):
        self._sessions: dict[str, Session] = {}
        self._closed = closed

    def of(self, key: str, **first: Any) -> Session:
        """The session of a tab, made at its first visit."""
        self.sweep()
        if key not in self._sessions:
            self._sessions[key] = Session(key, **first)
        self._sessions[key].seen = time.monotonic()
        return self._sessions[key]

    def copy(self, session: Session, key: str) -> Session:
        """A session of its own with the program and the set-up of another: no run, no job."""
        copy = self.of(key, language=session.language, dark=session.dark, owner=session.owner)
        copy.take_over(session)
        return copy

    def sweep(self) -> bool:
        """Close those that nobody has looked at for long; let others without a page rest.

        Whether any of them has freed something.
        """
        now, released = time.monotonic(), False
        for session in self:
            if now - session.seen > IDLE:
                self._sessions.pop(session.key)
                self._closed(session)
                released = True
            elif now - session.seen > REST:
                released = session.rest() or released
        return released

    def __iter__(self) -> Any:
        return iter(list(self._sessions.values()))

    def close(self) -> None:
        """Close all."""
        for session in self:
            self._closed(session)
        self._sessions.clear()
