"""Dialog that offers a changed program: its lines as a diff, why, and to accept or leave it."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from ...report.wording.texts import Words
from ...report.wording.verdict import on_line
from ..line_diff import line_diff
from ..session import READING
from ..workspace import Workspace

SIGNS = {"same": " ", "gone": "-", "new": "+"}


def build(workspace: Workspace) -> None:
    """Build the place of the dialog; it opens when something is offered."""
    place = ui.element("div")

    def show() -> None:
        place.clear()
        offer = workspace.session.offer
        if offer is not None:
            with place:
                _dialog(workspace, offer)

    workspace.on("offer", show)
    show()


def _dialog(workspace: Workspace, offer: dict[str, Any]) -> None:
    words = workspace.words
    changed = offer["text"] != offer["original"]
    with ui.dialog(value=True) as dialog, ui.card().classes("studio-offer").mark("offer"):
        ui.label(headline(words, offer)).classes("title").props('role="status"')
        if changed:
            _show_diff(words, offer)
        for sentence in sentences(words, offer):
            ui.label(sentence).classes("why")
        for suggestion in offer["suggestions"]:
            ui.label(words.said(suggestion)).classes("advice")
        if unusual(workspace):
            ui.label(words("offer_reading")).classes("hint")
        if changed:
            ui.label(words("offer_hint")).classes("hint")
        with ui.element("div").classes("buttons"):

            def accept() -> None:
                workspace.accept_offer()
                dialog.close()

            if changed:
                button = ui.button(words("offer_accept"), icon="check", on_click=accept)
                button.props("no-caps unelevated color=primary").mark("offer-accept")
            away = ui.button(words("offer_leave" if changed else "close"), on_click=dialog.close)
            away.props("no-caps flat").mark("offer-leave")
    dialog.on("hide", lambda: workspace.leave_offer(offer))


def _show_diff(words: Words, offer: dict[str, Any]) -> None:
    with ui.element("div").classes("studio-diff").props(f'aria-label="{words("offer_diff")}"'):
        for lines in line_diff(offer["original"], offer["text"]):
            with ui.element("div").classes("place"):
                for line in lines:
                    with ui.element("div").classes(line.kind):
                        ui.label(str(line.number)).classes("number")
                        ui.label(SIGNS[line.kind]).classes("sign")
                        ui.label(line.text).classes("code")


def unusual(workspace: Workspace) -> bool:
    """Whether Algorithm 1 is read otherwise than a repair and a fastest motion read it."""
    setup = workspace.session.setup
    return any(getattr(setup, name) != usual[0] for name, usual in READING.items())


def headline(words: Words, offer: dict[str, Any]) -> str:
    """What came of it, in one sentence."""
    before, seconds = f"{offer['before']:.2f}", f"{offer['seconds']:.2f}"
    if offer["kind"] == "fastest":
        return words("offer_fastest", seconds=seconds, before=before)
    if not offer["feasible"]:
        return words("repair_none")
    if offer["text"] == offer["original"]:
        return words("repair_needless", seconds=seconds)
    count = len({change["line"] for change in offer["changes"]})
    text = words("repair_done", count=count, seconds=seconds, before=before)
    return text if offer["complete"] else f"{text}; {words('repair_late')}"


def sentences(words: Words, offer: dict[str, Any]) -> list[str]:
    """Why each value was changed, or why none helps."""
    said = [words.said(reason) for reason in offer["reasons"]]
    for change in offer["changes"]:
        before = f"{change['before']} → " if change["before"] else ""
        parts = [f"{change['value']} {before}{change['after']}"]
        parts += [words.said(change[key]) for key in ("how", "why") if change[key]]
        said.append(on_line(words, change["line"], "; ".join(parts)))
    return said
