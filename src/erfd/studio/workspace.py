"""Workspace of a page: what its panels can do, and messages of what has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import asdict, replace
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import run as threads
from nicegui import ui

from ..cell.model import Cell
from ..errors import ErfdError, InputError
from ..report.wording.texts import Words
from ..robot.library import robots
from .examples import example_cells, example_names, example_setup
from .jobs.requests import request_of
from .limits import BYTES, FORM
from .runs.restore import restore
from .runs.store import About, about_beside
from .server.safety import safe_name
from .server.upload_limits import forget_upload, limit_upload
from .session import Session, Setup
from .teach import title_of

if TYPE_CHECKING:
    from .studio import Studio

LARGE = 50 * 2**20
"""Bytes of a run that one notices to be opened."""
TOPICS = ("robot", "setup", "run", "text", "edited", "job", "runs", "offer", "pose", "study")


class Workspace:
    """Connects the panels of one page with its session."""

    def __init__(self, studio: Studio, session: Session):
        self.studio, self.session = studio, session
        self.words = Words(session.language)
        self.fresh = False
        """Whether the session is new with this page."""
        self._listeners: dict[str, list[Callable[[], Any]]] = {}
        self.forget()

    def enter(self) -> None:
        """Make this page the one that shows the session, and say what waits to be said."""
        session = self.session
        if session.page is not None:
            session.page.forget()  # the page before a reload
        session.page = self
        session.say_waiting()

    def leave(self) -> None:
        """Forget the page, which is gone, and give its memory back."""
        if self.session.page is self:
            self.session.page = None
        self.forget()
        self.studio.let_go()

    def forget(self) -> None:
        """Forget all panels of the page.

        What outlives a page (the web framework keeps the addresses of its uploads) must not keep
        all of the page with it.
        """
        self._listeners = {topic: [] for topic in TOPICS}
        for address in getattr(self, "_fields", ()):
            forget_upload(address)
        self._fields: list[str] = []
        self._upload_handlers: list[Callable[[Any], Any]] = []
        self.connected: Callable[[], bool] = lambda: True
        """Whether its browser is there."""
        self.go: Callable[[float], Any] = lambda t: None
        """Put the clock of the page at a time."""
        self.reveal: Callable[[int], Any] = lambda line: None
        """Show a line of the program."""
        self.insert: Callable[[str], Any] = lambda text: None
        """Put a move into the program; its line."""
        self.notify: Callable[[str], Any] = lambda text: None
        """Say what is wrong."""
        self.wait_for: Callable[[str], Callable[[], Any]] = lambda text: lambda: None
        """Say that something takes a while; the answer takes the words away."""
        self.show_tab: Callable[[str], Any] = lambda name: None
        """Show one of the panels below the robot."""
        self.inform: Callable[[str], Any] = lambda text: None
        """Say what has been done."""

    def upload(self, kind: str, **more: Any) -> ui.upload:
        """A field for files of a kind, whose size the server limits, too."""
        field = ui.upload(
            auto_upload=True, max_file_size=BYTES[kind],
            on_rejected=lambda: self.notify(self.words("rejected")), **more,
        )  # fmt: skip
        address = str(field.props["url"])
        limit_upload(address, BYTES[kind] + FORM)
        self._fields.append(address)
        return field

    def upload_handler(self, handler: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """A handler for an upload that knows `taker` only for as long as the page lives."""
        self._upload_handlers.append(handler)
        number = len(self._upload_handlers) - 1

        def take(event: Any) -> Any:
            return (
                self._upload_handlers[number](event)
                if number < len(self._upload_handlers)
                else None
            )

        return take

    @contextmanager
    def telling(self, also: type[Exception] = ErfdError) -> Iterator[None]:
        """Say what is wrong if an `ErfdError`, or another kind of error, ends what is done here."""
        try:
            yield
        except (ErfdError, also) as error:
            self.notify(self.studio.without_paths(self.session, str(error)))

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
        """Tell the panels that something of this topic has changed; one may fail, others go on."""
        for callback in self._listeners[topic]:
            with self.telling():
                callback()

    def take_example(self, name: str, text: str) -> None:
        """Put an example into the editor, with the robot that it is for."""
        self.take_text(name, text)
        brought = example_setup(name)
        self.set_up(brought)
        self.session.brought = deepcopy(brought)
        self.tell("text")

    def take_text(self, name: str, text: str) -> None:
        """Make a text that is saved elsewhere the program; the caller tells the panels."""
        session = self.session
        session.name = name
        session.text = session.saved_text = text
        session.title = title_of(text)

    def new_name(self) -> str:
        """A name for a new program that no kept run has."""
        known = self.studio.store.index.has_name
        return next(name for k in count(1) if not known(name := f"program{k}"))

    def follow_title(self) -> None:
        """Follow the title in the text: another title is another program, with another name.

        It has no set-up of its own yet: what an example has brought is not taken along.
        """
        session, title = self.session, title_of(self.session.text)
        if title == session.title:
            return
        if title != "program":  # nothing is called so while it is typed
            before, session.title = session.title, title
            if session.name.lower() in (before.lower(), *map(str.lower, example_names())):
                session.name = title
            if self.leave_set_up(example_only=True):
                self.tell("setup")

    def leave_set_up(self, *, example_only: bool = False) -> bool:
        """Take back what the set-up has of the program before, and say so; whether there was any.

        Args:
            example_only: Only what an example has brought and nobody has changed since.
        """
        session, setup, usual = self.session, self.session.setup, Setup()
        brought, session.brought = session.brought, {}
        changed = []
        for key in ("payload", "wrench", "signals"):
            value = getattr(setup, key)
            if value != getattr(usual, key) and (not example_only or brought.get(key) == value):
                setattr(setup, key, getattr(usual, key))
                changed.append(self.words(key))
        if changed:
            self.inform(self.words("setup_reset", what=", ".join(changed)))
        return bool(changed)

    def set_up(self, settings: dict[str, Any]) -> None:
        """Change robot and surroundings; the open run, which is of others, is closed."""
        session = self.session
        session.setup = replace(Setup(robot=session.setup.robot), **settings)
        session.robot_file = session.cell_file = None
        session.brought = {}
        if session.setup.robot not in robots():
            session.setup.robot = "lola15"
        session.cell_file = example_cells().get(session.setup.cell)
        self.leave_run()
        self.tell("setup")
        self.tell("robot")

    def set_up_again(self, settings: Any) -> bool:
        """Restore settings that a browser kept of an earlier page; whether all of them came back.

        Files that the user had brought were of that page: the usual robot, or no cell, instead.
        """
        try:
            setup = Setup.of(settings if isinstance(settings, dict) else {})
        except ErfdError:
            return False
        complete = setup.robot in robots() and setup.cell in ("", *example_cells())
        if setup.cell not in example_cells():
            setup.cell = ""
        self.set_up(asdict(setup))
        return complete

    def leave_run(self) -> None:
        """Close the open run."""
        session = self.session
        if session.run is not None:
            self.studio.runs.close(session.run)
            self.studio.runs.close(session.other)
            session.run = session.other = None
            self.tell("run")

    async def read(self, kind: str, **entries: Any) -> dict[str, Any]:
        """Read a file or a text of the session in a worker."""
        return await self.studio.read(self.session, kind, **entries)

    def verify(self) -> None:
        """Begin to verify the program in the background."""
        self._begin("verify")

    def repair(self) -> None:
        """Begin to look for the smallest change that makes the program feasible."""
        self._begin("repair")

    def fastest(self) -> None:
        """Begin to look for the fastest motion along the program's path."""
        self._begin("fastest")

    def study(self) -> None:
        """Begin to study the program in the background."""
        session = self.session
        self._begin(
            "study", vary={name.strip(): how for name, how in session.varied if name.strip()},
            samples=session.study_samples, seed=0, of=session.study_key,
        )  # fmt: skip

    def open_variant(self, values: dict[str, float]) -> None:
        """Begin to verify one variant of the last study, which is then shown."""
        found = self.session.study
        if found is not None:
            made = {k: v for k, v in found["request"].items() if k != "kind"}
            self._begin("variant", **made, values=values)

    def _begin(self, kind: str, **more: Any) -> None:
        """Begin a job in the background, if none is at work."""
        session = self.session
        if session.job is not None and session.job.active:
            return
        with self.telling():
            session.require("run")
            request = request_of(session, kind, self.studio.store, self.words)
            self.studio.begin(session, request | more)

    def cancel(self) -> None:
        """Stop the background job."""
        if self.session.job is not None:
            self.session.job.cancel()
        self.tell("job")

    def make_offer(self, offer: dict[str, Any]) -> None:
        """Offer a changed program, to accept or leave."""
        self.session.offer = offer
        self.tell("offer")

    def leave_offer(self, offer: dict[str, Any]) -> None:
        """Leave the program as it is; a later offer stands."""
        if self.session.offer is offer:
            self.session.offer = None

    def accept_offer(self) -> None:
        """Make the program that is offered the one of the editor, and verify it.

        What was looked for belongs to the text of then: another one is not replaced.
        """
        session, offer = self.session, self.session.offer
        session.offer = None
        if offer is None:
            return
        if session.text != offer["original"]:
            self.notify(self.words("offer_late"))
            return
        session.text = offer["text"]
        self.tell("text")
        self.verify()

    async def show(self, run_id: str, *, other: bool = False, program: bool = True) -> None:
        """Open a kept run, or the one to compare with; `program`: with all that made it."""
        about = self.studio.store.about(run_id)
        with self._patience(self.studio.store.path(run_id), about.name):
            await threads.io_bound(self._open, self.studio.store.path(run_id), about, other=other)
        if not other:
            await self._restore(program)
        self.tell("run")

    async def show_file(self, path: Path, name: str = "", *, program: bool = True) -> None:
        """Open a Parquet file that is not (yet) among the kept runs."""
        with self._patience(path, path.name):
            await threads.io_bound(self._open_file, path, name or path.stem)
        await self._restore(program)
        self.tell("run")

    @contextmanager
    def _patience(self, path: Path, name: str) -> Iterator[None]:
        """Show a note while a large file is opened (its checksum is taken)."""
        large = path.exists() and path.stat().st_size > LARGE
        done = self.wait_for(self.words("opening_run", name=name)) if large else lambda: None
        try:
            yield
        finally:
            done()

    async def _restore(self, program: bool) -> None:
        """Restore the program of the open run, and the set-up that made it.

        A run that has no program (a robot that was watched) leaves them alone; so does one that is
        to be seen only. Then its own cell is drawn and no other.
        """
        open_run = self.session.run
        if open_run is None:
            return
        if not program or not open_run.about.program:
            self.session.run_cell = (await threads.io_bound(_cell_of, open_run),)
            return
        self.take_text(open_run.about.name, open_run.about.program)
        with self.telling(OSError):
            await threads.io_bound(restore, self.session, open_run.file, open_run.about.settings)
        self.tell("setup")
        self.tell("text")
        self.tell("robot")

    def _open_file(self, path: Path, name: str) -> None:
        open_run = self.studio.runs.open(path, About("", name, "", "", True, 0.0, 0))
        try:
            open_run.about = replace(about_beside(path), id="")
        except InputError:
            open_run.about = about_file(open_run.file, safe_name(name))
        self.studio.put(self.session, open_run, other=False)

    def _open(self, path: Path, about: About, *, other: bool = False) -> None:
        self.studio.put(self.session, self.studio.runs.open(path, about), other=other)

    def drop_other(self) -> None:
        """Close the run that is compared with."""
        self.studio.runs.close(self.session.other)
        self.session.other = None
        self.tell("run")


def _cell_of(open_run: Any) -> Cell | None:
    """The cell that a run was made in; None if it cannot be read any more."""
    scratch = Session("alone")
    try:
        restore(scratch, open_run.file, open_run.about.settings)
        return scratch.cell
    except (ErfdError, OSError):
        return None
    finally:
        scratch.close()


def about_file(file: Any, name: str, run_id: str = "") -> About:
    """The description of a run that came as a file."""
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
