"""Header of the page: verify, cancel, progress, verdict, language and theme."""

from __future__ import annotations

from nicegui import ui

from ...report.wording.texts import LANGUAGES
from ...report.wording.verdict import headline, verdict
from ..runs.facts import kept_facts
from ..server.access import may
from ..workspace import Workspace


def build(workspace: Workspace) -> None:
    """Build the header."""
    words, session = workspace.words, workspace.session
    with ui.element("header").classes("studio-header"):
        ui.html('<img src="/erfd/web/icon.svg" alt="" width="26" height="26">', sanitize=False)
        ui.label("ERFD studio").classes("brand")
        start = ui.button(words("verify"), icon="fact_check", on_click=workspace.verify)
        start.props("no-caps unelevated dense color=primary").mark("verify")
        start.tooltip(words("verify_tip"))
        mend = ui.button(words("repair"), icon="build", on_click=workspace.repair)
        mend.props("no-caps outline dense color=primary").mark("repair")
        mend.tooltip(words("repair_tip"))
        fast = ui.button(words("fastest"), icon="speed", on_click=workspace.fastest)
        fast.props("no-caps outline dense color=primary").mark("fastest")
        fast.tooltip(words("fastest_tip"))
        for button in (start, mend, fast):
            button.set_enabled(may(session.right, "run"))  # the server refuses it, too
        stop = ui.button(words("cancel"), icon="stop", on_click=workspace.cancel)
        stop.props("no-caps outline dense color=negative").mark("cancel")
        bar = ui.linear_progress(0.0, show_value=False, size="6px")
        bar.props(f'rounded aria-label="{words("progress")}"')
        bar.classes("studio-progress")
        stage = ui.label().classes("stage")
        chip = (
            ui.label().classes("verdict").mark("verdict").props('role="status" aria-live="polite"')
        )
        with chip:
            full_text = ui.tooltip()  # the chip names what fails first, this all of it
        ui.space()
        ui.link(words("live"), "/live").classes("live-link")
        language = ui.select(LANGUAGES, value=session.language)
        language.props(f'dense borderless options-dense aria-label="{words("language")}"')
        language.classes("studio-language").mark("language")
        icons = {None: "brightness_auto", True: "dark_mode", False: "light_mode"}
        light = ui.button(icon=icons[session.dark]).props("flat round dense color=inherit")
        light.props(f'aria-label="{words("light")}"').mark("light").tooltip(words("light"))

    def show_job() -> None:
        active = session.job is not None and session.job.active
        for button in (start, mend, fast):
            button.set_visibility(not active)
        stop.set_visibility(active)
        bar.set_visibility(active)
        stage.set_visibility(active)
        early = session.job is not None and bool(session.job.kept)
        chip.set_visibility(not active or early)  # the verdict comes before the advice
        if active and session.job is not None:
            bar.set_value(session.job.progress)
            stage.set_text(words(session.job.stage))

    def show_verdict() -> None:
        open_run = session.run
        if open_run is None:
            texts, kind = [words("no_run")] * 2, ""
        else:
            facts = kept_facts(open_run.about, open_run.file)
            texts, kind = [form(words, facts) for form in (headline, verdict)], "bad"
            if session.stale:
                # a verdict stands over exactly what it is of, and over nothing else
                was = words("verdict_was", verdict=texts[1])
                texts, kind = [words("verdict_old"), was], "old"
            elif facts.feasible:
                kind = "good"
        chip.set_text(texts[0])
        full_text.set_text(texts[1])
        chip.classes(replace=f"verdict {kind}")

    def change_language() -> None:
        _cookie("erfd_language", str(language.value))
        session.language = str(language.value)
        ui.navigate.reload()

    def change_theme() -> None:
        session.dark = {None: True, True: False, False: None}[session.dark]
        names = {None: "auto", True: "dark", False: "light"}
        _cookie("erfd_theme", names[session.dark])
        ui.dark_mode(session.dark)
        light.props(f"icon={icons[session.dark]}")

    language.on_value_change(change_language)
    light.on_click(change_theme)
    workspace.on("job", show_job)
    for topic in ("run", "text", "edited", "robot", "setup"):
        workspace.on(topic, show_verdict)
    show_job()
    show_verdict()


def _cookie(name: str, value: str) -> None:
    ui.run_javascript(
        f"document.cookie='{name}={value}; path=/; max-age=31536000; SameSite=Strict'"
    )
