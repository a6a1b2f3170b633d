"""The page of live robots, with one card for each stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from ..panels import live_card
from ..workspace import Workspace
from .following import Following
from .opening import opened

if TYPE_CHECKING:
    from ..studio import Studio

FIRST = "ws://127.0.0.1:8765"


def add_live_page(studio: Studio) -> None:
    """Add the page of live robots to the application."""

    @ui.page("/live")
    async def live() -> None:
        workspace = await opened(studio)
        if workspace is not None:
            _build(workspace)


def _build(workspace: Workspace) -> None:
    words, session = workspace.words, workspace.session
    with ui.element("header").classes("studio-header"):
        ui.html('<img src="/erfd/web/icon.svg" alt="" width="26" height="26">', sanitize=False)
        ui.label(f"ERFD studio · {words('live')}").classes("brand")
        url = ui.input(words("live_address"), value=FIRST).props("dense outlined").classes("which")
        token = ui.input(words("live_token")).props("dense outlined type=password")
        ui.button(words("live_connect"), icon="sensors", on_click=lambda: connect()).props(
            "no-caps unelevated dense color=primary"
        )
        ui.space()
        ui.link(words("live_back"), "/").classes("live-link")
    ui.timer(2.0, Following(workspace).look)
    cards = ui.element("main").classes("live-cards")
    empty = ui.label(words("live_hint")).classes("studio-empty")
    card_by_key: dict[str, ui.element] = {}

    def connect() -> None:
        with workspace.telling():
            address, word = str(url.value or ""), str(token.value or "")
            watched = workspace.studio.live.open(address, word, len(session.watched))
            session.watched.append(watched)
            token.set_value("")
            show()

    def show() -> None:
        """A card for each stream; those that are there stay as they are."""
        empty.set_visibility(not session.watched)
        for key in card_by_key.keys() - {watched.key for watched in session.watched}:
            card_by_key.pop(key).delete()
        with cards:
            for watched in session.watched:
                if watched.key not in card_by_key:
                    card_by_key[watched.key] = live_card.build(workspace, watched, show)

    show()
    workspace.enter()
