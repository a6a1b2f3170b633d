"""Open a page: its style sheets, the session of the tab, theme and language."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from nicegui import app, ui

from ...report.wording.texts import LANGUAGES
from ..workspace import Workspace

if TYPE_CHECKING:
    from ..studio import Studio


PATIENCE = 80.0
"""Seconds that a busy browser has to come for its page; the framework forgets it after 60 to 70."""


async def opened(studio: Studio) -> Workspace | None:
    """The workspace of the page that is being made; None if its browser is gone."""
    client = ui.context.client
    for sheet in ("vendor/uplot.css", "style.css"):
        ui.add_head_html(f'<link rel="stylesheet" href="/erfd/web/{sheet}">')
    try:
        await client.connected(timeout=PATIENCE)
    except TimeoutError:
        return None
    if not client.has_socket_connection:
        return None  # forgotten meanwhile
    cookies = client.request.cookies
    language = cookies.get("erfd_language", studio.language)
    dark = {"dark": True, "light": False}.get(cookies.get("erfd_theme", ""))
    key = app.storage.tab.setdefault("erfd", client.id)
    session = studio.sessions.of(
        key, language=language if language in LANGUAGES else "en", dark=dark
    )
    workspace = Workspace(studio, session)
    client.on_delete(workspace.leave)
    workspace.notify = lambda text: ui.notify(
        workspace.words.said(text),
        type="negative",
        position="bottom-left",
        multi_line=True,
        close_button="✕",
        timeout=9000,
    )
    layout = client.layout

    def wait_for(text: str) -> Callable[[], None]:
        with layout:
            note = ui.notification(text, spinner=True, timeout=None, position="bottom-left")
        return note.dismiss

    workspace.wait_for = wait_for
    workspace.inform = lambda text: ui.notify(text, position="bottom-left", timeout=6000)
    ui.dark_mode(session.dark)
    ui.colors(primary="#1f6fb2", negative="#c92a2a")
    ui.run_javascript(f"document.documentElement.lang = '{session.language}'")
    return workspace
