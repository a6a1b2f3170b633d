"""Parts of panels: small buttons, tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui


def icon_button(icon: str, text: str, click: Callable[..., Any] | None = None) -> ui.button:
    """Build a small round button; its text is for who points at it, or cannot see it."""
    button = ui.button(icon=icon, on_click=click)
    button.props(f'flat dense round size=sm color=inherit aria-label="{text}"')
    return button.tooltip(text)


def plain_table(columns: dict[str, str], title: Callable[[str], str]) -> ui.table:
    """Build an empty table of columns (name: left or right) with their titles."""
    heads = [
        {"name": key, "label": title(key), "field": key, "align": align}
        for key, align in columns.items()
    ]
    table = ui.table(columns=heads, rows=[], row_key=next(iter(columns)))
    return table.props("dense flat hide-pagination hide-no-data").classes("studio-table")
