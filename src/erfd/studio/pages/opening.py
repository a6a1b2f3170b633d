"""Open a page: its style sheets, the session of the tab, theme and language."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nicegui import Client, app, ui

from ...report.wording.texts import LANGUAGES
from ..server.safety import BROWSER
from ..workspace import Workspace

if TYPE_CHECKING:
    from ..session import Session
    from ..studio import Studio


LOST = ("lost", "lost_again", "too_long", "too_long_why")
"""What the framework says on its own, in its order."""
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
    session = _session(studio, client)
    if session.language not in LANGUAGES or "erfd_language" in cookies:
        session.language = language if language in LANGUAGES else "en"
    session.dark = dark
    workspace = Workspace(studio, session)
    workspace.connected = lambda: client.has_socket_connection
    client.on_delete(workspace.leave)
    _speak(workspace, client.layout)
    ui.dark_mode(session.dark)
    ui.colors(primary="#1f6fb2", negative="#c92a2a")
    ui.run_javascript(
        f"document.documentElement.lang = '{session.language}';"
        "for (const bar of document.querySelectorAll('.q-loading-bar'))"
        f" bar.setAttribute('aria-label', '{workspace.words('loading')}');"
        f"const said = {json.dumps([workspace.words(key) for key in LOST])};"
        "document.querySelectorAll('.nicegui-error-popup > span')"
        ".forEach((part, i) => { part.textContent = said[i] ?? part.textContent; })"
    )
    return workspace


def _session(studio: Studio, client: Any) -> Session:
    """The session of a tab; a tab that was duplicated begins with a copy of it."""
    storage, sessions = app.storage.tab, studio.sessions
    first = {"language": studio.language, "owner": client.request.cookies.get(BROWSER, "")}
    key = storage.setdefault("erfd", client.id)
    session = sessions.of(key, **first)
    if session.tab not in ("", client.tab_id) and _shown(session.tab):
        storage["erfd"] = client.id
        session = sessions.copy(session, client.id)
    session.tab = client.tab_id
    session.right = client.request.scope.get("erfd_right", "view")
    return session


def _shown(tab: str) -> bool:
    """Whether a browser shows this tab now."""
    return any(client.tab_id == tab for client in list(Client.instances.values()))


def _speak(workspace: Workspace, layout: Any) -> None:
    """Let the workspace say things on its page, from wherever it is asked to."""

    def notify(text: str) -> None:
        with layout:
            ui.notify(
                workspace.words.said(text), type="negative", position="bottom-right",
                multi_line=True, close_button="✕", timeout=9000,
            )  # fmt: skip

    def inform(text: str) -> None:
        with layout:
            ui.notify(text, position="bottom-right", timeout=6000)

    def wait_for(text: str) -> Callable[[], None]:
        with layout:
            note = ui.notification(text, spinner=True, timeout=None, position="bottom-right")
        return note.dismiss

    workspace.wait_for, workspace.notify, workspace.inform = wait_for, notify, inform
