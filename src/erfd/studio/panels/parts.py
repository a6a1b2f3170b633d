"""Parts of panels: small buttons, tables."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
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


UPLOAD = """
<div class="head">
  <span class="label">LABEL</span>
  <q-btn flat dense round size="sm" icon="add" aria-label="LABEL" @click="props.pickFiles" />
  <span class="hidden"><q-uploader-add-trigger /></span>
</div>
"""
"""Head of a field for files; the browser's own field stands beside the button, not inside it."""


def named_upload(field: ui.upload, label: str) -> ui.upload:
    """Give a field for files a head with a button that everybody can find and press."""
    field.add_slot("header", UPLOAD.replace("LABEL", escape(label)))
    return field.classes("studio-upload")
