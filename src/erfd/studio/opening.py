"""How every page begins: its style sheets, the session of the tab, light and language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import app, ui

from .bench import Bench
from .texts import LANGUAGES

if TYPE_CHECKING:
    from .studio import Studio


async def opened(studio: Studio) -> Bench | None:
    """The bench of the page that is being made; None if its browser did not stay for it."""
    client = ui.context.client
    for sheet in ("vendor/uplot.css", "style.css"):
        ui.add_head_html(f'<link rel="stylesheet" href="/erfd/web/{sheet}">')
    try:
        await client.connected(timeout=20)
    except TimeoutError:
        return None
    cookies = client.request.cookies
    language = cookies.get("erfd_language", studio.language)
    dark = {"dark": True, "light": False}.get(cookies.get("erfd_theme", ""))
    key = app.storage.tab.setdefault("erfd", client.id)
    session = studio.sessions.of(
        key, language=language if language in LANGUAGES else "en", dark=dark
    )
    bench = Bench(studio, session)
    client.on_delete(bench.leave)
    bench.notify = lambda text: ui.notify(
        bench.words.said(text),
        type="negative",
        position="bottom-left",
        multi_line=True,
        close_button="✕",
        timeout=9000,
    )
    ui.dark_mode(session.dark)
    ui.colors(primary="#1f6fb2", negative="#c92a2a")
    ui.run_javascript(f"document.documentElement.lang = '{session.language}'")
    return bench
