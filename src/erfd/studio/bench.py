"""The middle of a page: its parts ask here, and are told here what has changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import run as threads
from nicegui import ui

from ..errors import ErfdError
from ..robot.library import robots
from .examples import example_cells, example_setup
from .safety import safe_name
from .session import Session, Setup
from .store import About
from .texts import Words

if TYPE_CHECKING:
    from .studio import Studio

TOPICS = ("robot", "setup", "run", "text", "job", "runs")


class Bench:
    """One page at work on one session."""

    def __init__(self, studio: Studio, session: Session):
        self.studio, self.session = studio, session
        self.words = Words(session.language)
        self._listeners: dict[str, list[Callable[[], Any]]] = {}
        self.forget()

    def leave(self) -> None:
        """The page is gone."""
        self.forget()
        self.studio.left = True

    def forget(self) -> None:
        """Know no part of a page: none yet, or it is gone.

        What outlives a page (the web framework keeps the addresses of its uploads) must not keep
        all of the page with it.
        """
        self._listeners = {topic: [] for topic in TOPICS}
        self.go: Callable[[float], Any] = lambda t: None
        """Put the clock of the page at a time."""
        self.reveal: Callable[[int], Any] = lambda line: None
        """Show a line of the program."""
        self.insert: Callable[[str], Any] = lambda text: None
        """Put a line into the program."""
        self.notify: Callable[[str], Any] = lambda text: None

    def on(self, topic: str, callback: Callable[[], Any]) -> None:
        """Call back when something of this topic has changed, as if from the place of this call.

        The place matters: what a callback puts on the page must not go into an element that
        another callback is about to delete.
        """
        place = ui.context.slot.parent

        def call() -> None:
            with place:
                callback()

        self._listeners[topic].append(call)

    def tell(self, topic: str) -> None:
        """Something has changed; a part that fails does not keep the others from knowing."""
        for callback in self._listeners[topic]:
            try:
                callback()
            except ErfdError as error:
                self.notify(str(error))

    def take_example(self, name: str, text: str) -> None:
        """Put an example into the editor, with the robot that it is for."""
        session = self.session
        session.name, session.text = name, text
        self.set_up(example_setup(name))
        self.tell("text")

    def set_up(self, settings: dict[str, Any]) -> None:
        """Change robot and surroundings; a run that is shown is of others and goes away."""
        session = self.session
        session.setup = replace(Setup(robot=session.setup.robot), **settings)
        session.robot_file = session.cell_file = None
        if session.setup.robot not in robots():
            session.setup.robot = "lola15"
        session.cell_file = example_cells().get(session.setup.cell)
        self.leave_run()
        self.tell("setup")
        self.tell("robot")

    def leave_run(self) -> None:
        """Take the run that is shown away from the views."""
        session = self.session
        if session.run is not None:
            self.studio.runs.close(session.run)
            self.studio.runs.close(session.other)
            session.run = session.other = None
            self.tell("run")

    def verify(self) -> None:
        """Begin to verify the program in the background."""
        session = self.session
        if session.job is not None and session.job.active:
            return
        run_id, part = self.studio.store.new()
        own = session.cell_file is not None and session.cell_file.parent == session._folder
        request = {
            "id": run_id,
            "name": session.name or self.words("untitled"),
            "folder": str(part),
            "program": session.text,
            "setup": asdict(session.setup),
            "robot_file": str(session.robot_file) if session.robot_file else None,
            "cell_file": str(session.cell_file) if session.cell_file else None,
            "enclosed": own,
            "advice": session.advice,
        }
        session.job = self.studio.workers.submit(request)
        self.tell("job")

    def cancel(self) -> None:
        """Stop what runs in the background."""
        if self.session.job is not None:
            self.session.job.cancel()
            self.studio.store.drop(Path(self.session.job.request["folder"]))
        self.tell("job")

    async def finish(self) -> None:
        """Show what the background has come to; called once the job has ended."""
        job = self.session.job
        if job is None or job.active:
            return
        part = Path(job.request["folder"])
        if job.state == "done":
            entry = dict(job.result)
            for name in ("moves", "notes", "failures", "contacts"):
                entry[name] = tuple(entry[name])
            about = self.studio.store.keep(part, About(**entry))
            await threads.io_bound(self._open, self.studio.store.path(about.id), about)
            self.tell("runs")
            self.tell("run")
        elif job.state == "failed":
            self.studio.store.drop(part)
            self.notify(str(job.result.get("error", "")))
        self.tell("job")

    async def show(self, run_id: str, *, other: bool = False) -> None:
        """Open a kept run, or the one to compare with."""
        about = self.studio.store.about(run_id)
        await threads.io_bound(self._open, self.studio.store.path(run_id), about, other=other)
        if not other and about.program:
            self.session.text, self.session.name = about.program, about.name
            self.session.setup.signals = str(about.settings.get("signals", ""))
            self.tell("setup")
            self.tell("text")
        self.tell("run")

    async def show_file(self, path: Path, name: str = "") -> None:
        """Open a Parquet file that is not (yet) among the kept runs."""
        await threads.io_bound(self._open_file, path, name or path.stem)
        self.tell("text")
        self.tell("run")

    def _open_file(self, path: Path, name: str) -> None:
        shown = self.studio.runs.open(path, About("", name, "", "", True, 0.0, 0))
        shown.about = about_file(shown.file, safe_name(name))
        self._put(shown, other=False)
        if shown.file.program:
            self.session.text, self.session.name = shown.file.program, name

    def _open(self, path: Path, about: About, *, other: bool = False) -> None:
        self._put(self.studio.runs.open(path, about), other=other)

    def _put(self, shown: Any, *, other: bool) -> None:
        session = self.session
        if other:
            self.studio.runs.close(session.other)
            session.other = shown
            return
        self.studio.runs.close(session.run)
        session.run = shown
        if session.other is not None and session.other.about.id == shown.about.id:
            self.studio.runs.close(session.other)  # a run beside itself says nothing
            session.other = None

    def drop_other(self) -> None:
        """Compare no more."""
        self.studio.runs.close(self.session.other)
        self.session.other = None
        self.tell("run")


def about_file(file: Any, name: str, run_id: str = "") -> About:
    """What can be said of a run that came as a file."""
    t = file["t"]
    return About(
        id=run_id,
        name=name,
        date=datetime.now().astimezone().isoformat(timespec="seconds") if run_id else "",
        robot=file.robot.name,
        feasible=file.feasible,
        seconds=float(t[-1] - t[0]),
        size=len(file),
        program=file.program,
    )
