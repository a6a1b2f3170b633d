"""The top line: verify, cancel, progress, the verdict, language and light."""

from __future__ import annotations

from nicegui import ui

from ..wording.phrases import verdict
from ..wording.texts import LANGUAGES
from ..workspace import Workspace


def build(bench: Workspace) -> None:
    """Put the header on the page."""
    words, session = bench.words, bench.session
    with ui.element("header").classes("studio-header"):
        ui.html('<img src="/erfd/web/icon.svg" alt="" width="26" height="26">', sanitize=False)
        ui.label("ERFD studio").classes("brand")
        start = ui.button(words("verify"), icon="fact_check", on_click=bench.verify)
        start.props("no-caps unelevated dense color=primary").mark("verify")
        start.tooltip(words("verify_tip"))
        stop = ui.button(words("cancel"), icon="stop", on_click=bench.cancel)
        stop.props("no-caps outline dense color=negative").mark("cancel")
        bar = ui.linear_progress(0.0, show_value=False, size="6px").props("rounded")
        bar.classes("studio-progress")
        stage = ui.label().classes("stage")
        chip = (
            ui.label().classes("verdict").mark("verdict").props('role="status" aria-live="polite"')
        )
        with chip:
            whole = ui.tooltip()  # the line may be cut off
        ui.space()
        ui.link(words("live"), "/live").classes("live-link")
        language = ui.select(LANGUAGES, value=session.language)
        language.props(f'dense borderless options-dense aria-label="{words("language")}"')
        language.classes("studio-language").mark("language")
        icons = {None: "brightness_auto", True: "dark_mode", False: "light_mode"}
        light = ui.button(icon=icons[session.dark]).props("flat round dense color=inherit")
        light.props(f'aria-label="{words("light")}"').mark("light").tooltip(words("light"))

    def job() -> None:
        active = session.job is not None and session.job.active
        start.set_visibility(not active)
        stop.set_visibility(active)
        bar.set_visibility(active)
        stage.set_visibility(active)
        chip.set_visibility(not active)
        if active and session.job is not None:
            bar.set_value(session.job.progress)
            stage.set_text(words(session.job.stage))

    def run() -> None:
        shown = session.run
        if shown is None:
            text, kind = words("no_run"), ""
        else:
            text, kind = verdict(words, shown), "good" if shown.about.feasible else "bad"
            if session.stale:
                text, kind = words("verdict_old", verdict=text), "old"
        chip.set_text(text)
        whole.set_text(text)
        chip.classes(replace=f"verdict {kind}")

    def speak() -> None:
        _cookie("erfd_language", str(language.value))
        session.language = str(language.value)
        ui.navigate.reload()

    def shine() -> None:
        session.dark = {None: True, True: False, False: None}[session.dark]
        names = {None: "auto", True: "dark", False: "light"}
        _cookie("erfd_theme", names[session.dark])
        ui.dark_mode(session.dark)
        light.props(f"icon={icons[session.dark]}")

    language.on_value_change(speak)
    light.on_click(shine)
    bench.on("job", job)
    for topic in ("run", "text", "edited", "robot"):
        bench.on(topic, run)
    job()
    run()


def _cookie(name: str, value: str) -> None:
    ui.run_javascript(
        f"document.cookie='{name}={value}; path=/; max-age=31536000; SameSite=Strict'"
    )
