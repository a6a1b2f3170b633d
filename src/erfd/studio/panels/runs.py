"""Panel of kept runs: open, rename, delete them, and upload others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nicegui import run as threads
from nicegui import ui

from ...errors import ErfdError
from ...report.wording.texts import Words
from ..examples import example_texts
from ..runs.index import PAGE, KeptRun, RunPage
from ..server.safety import safe_name
from ..workspace import Workspace
from .confirm import may_replace
from .parts import icon_button, named_upload


def _details(words: Words, run: KeptRun) -> str:
    """The verdict, and what tells a run from others of the same program."""
    details = [words(f"short_{run.verdict}")]
    if run.mass:
        details.append(f"{run.mass:g} kg")
    if run.cell:
        details.append(run.cell)
    return " · ".join([*details, *(f"#{tag}" for tag in run.tags)])


def build(workspace: Workspace) -> None:
    """Build the list of kept runs."""
    words, session = workspace.words, workspace.session
    take_run = workspace.upload_handler(lambda event: take(event))
    upload = workspace.upload("run", label=words("open_run"), max_files=1, on_upload=take_run)
    upload.props("accept=.parquet,.jsonl flat bordered").mark("upload-run")
    named_upload(upload, words("open_run"))
    dialogs = ui.element("div")  # not in the list, which is made anew while a dialog closes

    async def take(event: Any) -> None:
        with workspace.telling():
            kind = Path(event.file.name).suffix.lower()
            if kind not in (".parquet", ".jsonl"):
                raise ErfdError(words("rejected"))
            path = session.folder / f"{safe_name(Path(event.file.name).stem)}{kind}"
            await event.file.save(path)
            path = Path((await workspace.read("read_run", path=str(path)))["path"])
            answer = await may_replace(workspace, dialogs, run=True)
            if answer:
                await workspace.show_file(path, program=answer == "yes")
        upload.reset()

    RunList(workspace, dialogs)


class RunList:
    """Kept runs in pages, with search, filter and tags; many are deleted at once, if asked."""

    def __init__(self, workspace: Workspace, dialogs: ui.element) -> None:
        self.workspace, self.words, self.session = workspace, workspace.words, workspace.session
        self.store, self.dialogs = workspace.studio.store, dialogs
        self.first = 0
        self.chosen: set[str] = set()
        self._build_bar()
        self.box = ui.element("div").classes("studio-runs").mark("runs")
        with ui.element("div").classes("studio-bar") as self.pager:
            self.back = icon_button("chevron_left", self.words("runs_newer"), lambda: self.turn(-1))
            self.place = ui.label().classes("hint").mark("runs-place")
            self.on = icon_button("chevron_right", self.words("runs_older"), lambda: self.turn(1))
        for topic in ("runs", "run"):
            workspace.on(topic, self.soon)
        self.soon()

    def _build_bar(self) -> None:
        words = self.words
        with ui.element("div").classes("studio-bar"):
            self.search = ui.input(words("runs_search"), on_change=self.begin).classes("which")
            self.search.props("dense outlined clearable debounce=250").mark("runs-search")
            kinds = {"": words("runs_all"), "feasible": words("short_feasible")}
            kinds |= {"not": words("short_not")}
            self.verdict = ui.select(kinds, value="", on_change=self.begin)
            self.verdict.props(f'dense outlined options-dense aria-label="{words("diff_verdict")}"')
            self.tag = ui.select({"": words("runs_any_tag")}, value="", on_change=self.begin)
            self.tag.props(f'dense outlined options-dense aria-label="{words("runs_tag")}"')
        with ui.element("div").classes("studio-bar") as self.many:
            self.count = ui.label().classes("hint")
            self._small("runs_choose", "select_all", self.choose_all)
            self._small("delete", "delete", lambda: self.ask_delete(sorted(self.chosen)))
        with ui.element("div").classes("studio-bar") as self.full:
            self.too_much = ui.label().classes("bad").mark("runs-too-much")
            self._small("delete", "delete", self.ask_policy)

    def _small(self, key: str, icon: str, click: Any) -> None:
        button = ui.button(self.words(key), icon=icon, on_click=click)
        button.props("no-caps dense outline size=sm").mark(f"many-{key}")

    @property
    def filters(self) -> dict[str, str]:
        """What is looked for."""
        return {
            "search": str(self.search.value or ""), "verdict": str(self.verdict.value or ""),
            "tag": str(self.tag.value or ""),
        }  # fmt: skip

    def soon(self) -> None:
        """Fill the list as soon as this is done."""
        ui.timer(0, self.fill, once=True)

    def begin(self) -> None:
        """Look for something else, from its first page on."""
        self.first = 0
        self.chosen.clear()
        self.soon()

    def turn(self, pages: int) -> None:
        """Go to the next page, or back."""
        self.first = max(self.first + pages * PAGE, 0)
        self.soon()

    async def fill(self) -> None:
        """Show a page of the list; the index is asked outside of the loop of the pages."""
        with self.workspace.telling(OSError):
            asked = {**self.filters, "first": self.first}
            page = await threads.io_bound(self.store.page, **asked)
            tags = await threads.io_bound(self.store.index.tags)
            surplus = await threads.io_bound(self.workspace.studio.surplus)
            if page is None or asked != {**self.filters, "first": self.first}:
                return  # something else is looked for meanwhile
            self._show(page, tags or [], surplus)

    def _show(self, page: RunPage, tags: list[str], surplus: Any) -> None:
        words = self.words
        choices = {"": words("runs_any_tag")} | {tag: f"#{tag}" for tag in tags}
        if choices != self.tag.options:
            self.tag.set_options(choices, value=self.tag.value if self.tag.value in tags else "")
        self.box.clear()
        with self.box:
            for run in page.runs:
                self._row(run)
            if page.damaged:
                names = ", ".join(page.damaged[:5])
                ui.label(words("runs_damaged", names=names)).classes("bad")
            if not page.total:
                ui.label(words("no_runs")).classes("studio-empty")
        last = min(self.first + PAGE, page.total)
        self.place.set_text(f"{min(self.first + 1, last)}-{last} / {page.total}")
        self.pager.set_visibility(page.total > PAGE)
        self.back.set_enabled(self.first > 0)
        self.on.set_enabled(last < page.total)
        self._show_chosen()
        self.full.set_visibility(bool(surplus and surplus[0]))
        if surplus:
            megabytes = f"{surplus[1] / 1e6:.0f}"
            self.too_much.set_text(words("runs_too_much", count=len(surplus[0]), mb=megabytes))

    def _show_chosen(self) -> None:
        self.many.set_visibility(bool(self.chosen))
        self.count.set_text(self.words("runs_chosen", count=len(self.chosen)))

    def _row(self, run: KeptRun) -> None:
        words, session = self.words, self.session
        current = session.run is not None and session.run.about.id == run.id
        with ui.element("div").classes("kept now" if current else "kept").mark("kept"):
            box = ui.checkbox(value=run.id in self.chosen).props("dense size=xs")
            box.props(f'aria-label="{words("runs_choose_one")}"').mark("choose")
            box.on_value_change(lambda event: self._choose(run.id, bool(event.value)))
            ui.icon("check_circle" if run.feasible else "error").classes(
                "good" if run.feasible else "bad"
            )
            with ui.element("button").classes("title").on("click", lambda: self.open(run.id)):
                ui.label(run.name).classes("name")
                day = run.date[:19].replace("T", " ")
                ui.label(f"{day} · {run.robot} · {run.seconds:.1f} s").classes("hint")
                ui.label(_details(words, run)).classes("hint")
            more = ui.button(icon="more_vert").props("flat round dense size=sm color=inherit")
            more.props(f'aria-label="{words("runs_more")}"')
            with more, ui.menu():
                with ui.element("div").classes("q-pa-sm"):
                    field = ui.input(words("rename"), value=run.name).props("dense outlined")
                    field.on("keydown.enter", lambda: self.rename(run.id, str(field.value)))
                    tags = ui.input(words("runs_tags"), value=", ".join(run.tags))
                    tags.props("dense outlined").mark("tags")
                    tags.on("keydown.enter", lambda: self.set_tags(run.id, str(tags.value)))
                ui.menu_item(words("delete"), lambda: self.ask_delete([run.id])).mark("delete")

    def _choose(self, run_id: str, wanted: bool) -> None:
        (self.chosen.add if wanted else self.chosen.discard)(run_id)
        self._show_chosen()

    async def choose_all(self) -> None:
        """Choose all that the search finds, on whatever page."""
        found = await threads.io_bound(lambda: self.store.index.ids(**self.filters))
        self.chosen = set(found or [])
        self.soon()

    async def open(self, run_id: str) -> None:
        """Open a run."""
        with self.workspace.telling():
            about = await threads.io_bound(self.store.about, run_id)
            asked = about is not None and about.program
            answer = await may_replace(self.workspace, self.dialogs, run=True) if asked else "yes"
            if answer:
                await self.workspace.show(run_id, program=answer == "yes")

    async def rename(self, run_id: str, name: str) -> None:
        """Rename a run."""
        with self.workspace.telling():
            self.session.require("run")
            await threads.io_bound(self.store.rename, run_id, name)
        self.workspace.tell("runs")

    async def set_tags(self, run_id: str, text: str) -> None:
        """Give a run the tags between the commas."""
        with self.workspace.telling():
            self.session.require("run")
            await threads.io_bound(self.store.tag, run_id, text.split(","))
        self.workspace.tell("runs")

    async def ask_policy(self) -> None:
        """Ask whether what is too much is to be deleted."""
        surplus = await threads.io_bound(self.workspace.studio.surplus)
        if surplus and surplus[0]:
            await self.ask_delete(surplus[0])

    async def ask_delete(self, run_ids: list[str]) -> None:
        """Ask whether runs are to be deleted."""
        words = self.words
        if not run_ids:
            return
        question = words("delete_many_ask", count=len(run_ids))
        if len(run_ids) == 1:
            with self.workspace.telling():
                question = words("delete_ask", name=self.store.about(run_ids[0]).name)
        with self.dialogs, ui.dialog(value=True) as dialog, ui.card():
            ui.label(question)
            with ui.row():
                yes = ui.button(words("delete"), on_click=lambda: dialog.submit("yes"))
                yes.props("no-caps unelevated color=negative").mark("delete-yes")
                ui.button(words("cancel"), on_click=lambda: dialog.submit("")).props("no-caps flat")
        if await dialog:
            await self.delete(run_ids)
        dialog.delete()

    async def delete(self, run_ids: list[str]) -> None:
        """Delete runs; those that are open are closed."""
        session, workspace = self.session, self.workspace
        if session.other is not None and session.other.about.id in run_ids:
            workspace.drop_other()
        if session.run is not None and session.run.about.id in run_ids:
            about = session.run.about
            workspace.leave_run()
            known = example_texts().values()
            if about.program == session.saved_text and session.saved_text not in known:
                session.saved_text = ""  # that was where the text was kept
        with workspace.telling():
            self.session.require("run")
            await threads.io_bound(self.store.delete_many, run_ids)
        self.chosen -= set(run_ids)
        workspace.tell("runs")
