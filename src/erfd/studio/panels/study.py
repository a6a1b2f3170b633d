"""Panel of studies: what varies, how sure the verdict is, a map whose points open as runs."""

from __future__ import annotations

import re
from html import escape, unescape
from typing import Any

from nicegui import ui

from ...report.wording.texts import Words
from ...studies.names import MEANINGS
from ...studies.result import percent
from ..jobs.studying import MOST_NAMES, MOST_SAMPLES
from ..workspace import Workspace
from .parts import icon_button

PICKED = "(e) => { const c = e.target.closest('[data-cell]'); if (c) emit(c.dataset.cell); }"
"""A click into a map: the cell, if there is one."""
TEXTS = re.compile(r">([^<>]+)</(?=text>|title>)")
PICTURES = ("study_margins", "study_limits", "study_matters")


def build(workspace: Workspace) -> None:
    """Build the panel: what varies above, what came of it below."""
    StudyPanel(workspace)


class StudyPanel:
    """What varies in the session's study, and its result."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace, self.words, self.session = workspace, workspace.words, workspace.session
        with ui.element("div").classes("studio-study").mark("study"):
            ui.label(self.words("study_hint")).classes("hint")
            self.rows = ui.element("div").classes("varied")
            with ui.element("div").classes("buttons"):
                add = ui.button(self.words("study_add"), icon="add", on_click=self.add)
                add.props("no-caps flat dense").mark("study-add")
                self.samples = ui.number(
                    self.words("study_samples"), value=self.session.study_samples, min=1,
                    max=MOST_SAMPLES, precision=0,
                ).props("dense outlined")  # fmt: skip
                self.samples.mark("study-samples")
                self.samples.on_value_change(self.count)
                self.start = ui.button(self.words("study_start"), icon="casino",
                                       on_click=workspace.study)  # fmt: skip
                self.start.props("no-caps unelevated dense color=primary").mark("study-start")
                self.stop = ui.button(self.words("cancel"), icon="stop", on_click=workspace.cancel)
                self.stop.props("no-caps outline dense color=negative").mark("study-cancel")
                self.bar = ui.linear_progress(0.0, show_value=False, size="6px")
                self.bar.props(f'rounded aria-label="{self.words("progress")}"')
            self.place = ui.element("div").classes("found").props('role="status"')
        workspace.on("job", self.show_job)
        workspace.on("study", self.show)
        for topic in ("text", "edited", "robot", "setup"):
            workspace.on(topic, self.show_age)
        self.show_rows()
        self.show_job()
        self.show()

    def show_rows(self) -> None:
        """Show what varies, a row each."""
        self.rows.clear()
        with self.rows:
            for row in self.session.varied:
                self._row(row)

    def _row(self, row: list[str]) -> None:
        with ui.element("div").classes("row"):
            name = ui.input(self.words("study_name"), value=row[0], autocomplete=list(MEANINGS))
            how = ui.input(self.words("study_how"), value=row[1])
            for field, place in ((name, 0), (how, 1)):
                field.props("dense outlined").classes("wide" if place else "")
                field.on_value_change(lambda event, k=place: put(row, k, event.value))
            icon_button("delete", self.words("study_remove"), lambda: self.remove(row))

    def add(self) -> None:
        """Let one more thing vary."""
        if len(self.session.varied) < MOST_NAMES:
            self.session.varied.append(["", ""])
            self.show_rows()

    def remove(self, row: list[str]) -> None:
        """Let something vary no more."""
        self.session.varied = [other for other in self.session.varied if other is not row]
        self.show_rows()

    def count(self) -> None:
        """Take the number of variants, if it is one."""
        value = self.samples.value
        if value is not None and 1 <= value <= MOST_SAMPLES:
            self.session.study_samples = int(value)

    def show_job(self) -> None:
        """Show how far a study is."""
        job = self.session.job
        active = job is not None and job.active
        self.start.set_enabled(not active)
        own = active and job is not None and job.request["kind"] in ("study", "variant")
        self.stop.set_visibility(own)
        self.bar.set_visibility(own)
        if own and job is not None:
            self.bar.set_value(job.progress)

    @property
    def old(self) -> bool:
        """Whether the result is of another program or set-up than the ones that are shown."""
        found = self.session.study
        return found is not None and found["of"] != self.session.study_key

    def show_age(self) -> None:
        """Say so when a result is of something else by now."""
        if self.session.study is not None and self.shown_old != self.old:
            self.show()

    def show(self) -> None:
        """Show what came of the last study."""
        self.shown_old = self.old
        self.place.clear()
        found = self.session.study
        if found is None:
            return
        with self.place:
            self._verdict(found)
            with ui.element("div").classes("pictures"):
                for name in PICTURES:
                    self._picture(found, name)
                self._map(found)

    def _verdict(self, found: dict[str, Any]) -> None:
        words = self.words
        values = {"percent": percent(found["share"]), "good": found["feasible"],
                  "count": found["count"], "name": found["name"]}  # fmt: skip
        low, high = (percent(x) for x in found["interval"])
        text = words("study_verdict", low=low, high=high, **values)
        ui.label(text).classes("headline old" if self.old else "headline").mark("study-verdict")
        if self.old:
            ui.label(words("study_old")).classes("bad").mark("study-old")
        if found["errors"]:
            ui.label(words("study_errors", count=found["errors"])).classes("bad")
        for row in found["limits"][:6]:
            limit = words.said(row["limit"])
            ui.label(words("study_limit", limit=limit, percent=percent(row["part"])))
        if found["not_checked"]:
            said = "; ".join(words.said(text) for text in found["not_checked"])
            ui.label(words("study_not_checked", what=said)).classes("note")
        if found["worst"]:
            button = ui.button(
                words("study_worst"),
                icon="open_in_new",
                on_click=lambda: self.workspace.open_variant(found["worst"]),
            )
            button.props("no-caps flat dense").mark("study-worst")

    def _picture(self, found: dict[str, Any], name: str) -> None:
        if found["pictures"][name]:
            with ui.element("figure").mark(name):
                ui.label(self.words(name)).classes("title")
                ui.html(in_words(self.words, found["pictures"][name]), sanitize=False)

    def _map(self, found: dict[str, Any]) -> None:
        area = found["map"]
        if area is None:
            return
        with ui.element("figure").mark("study_map"):
            names = {"x": area["x_name"], "y": area["y_name"]}
            ui.label(self.words("study_map", **names)).classes("title")
            picture = ui.html(in_words(self.words, found["pictures"]["study_map"]), sanitize=False)
            picture.classes("map")
            picture.on("click", lambda event: self.pick(area, event.args), js_handler=PICKED)

    def pick(self, area: dict[str, Any], cell: Any) -> None:
        """Open the variant of a cell of the map as a run."""
        try:
            j, i = (int(word) for word in str(cell).split(","))
            values = {area["x_name"]: area["x"][i], area["y_name"]: area["y"][j]}
        except (ValueError, IndexError):
            return
        self.workspace.open_variant(values)


def in_words(words: Words, picture: str) -> str:
    """A picture with its texts (axes, limits, what cells are) in the language of the page."""
    return TEXTS.sub(lambda text: f">{escape(words.said(unescape(text[1])))}</", picture)


def put(row: list[str], place: int, value: Any) -> None:
    """Keep what was typed."""
    row[place] = str(value or "")[:200]
