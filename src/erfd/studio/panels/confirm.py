"""Ask before a program that is saved nowhere is replaced in the editor."""

from __future__ import annotations

from nicegui import ui

from ..workspace import Workspace


async def may_replace(workspace: Workspace, parent: ui.element, *, run: bool = False) -> str:
    """Ask whether the program may be replaced: `yes`, `beside` (show a run only), or empty.

    Nothing is asked if the program is kept somewhere. `parent` is where the dialog lives, something
    that is not made anew meanwhile; `run` offers the middle way.
    """
    words = workspace.words
    if not workspace.session.unsaved:
        return "yes"
    with parent, ui.dialog() as dialog, ui.card():
        ui.label(words("replace_ask"))
        ui.label(words("replace_undo")).classes("hint")
        with ui.element("div").classes("buttons"):
            choices = [("yes", "unelevated color=primary")]
            choices += [("beside", "outline color=primary")] if run else []
            for key, style in choices:
                button = ui.button(
                    words(f"replace_{key}"), on_click=lambda key=key: dialog.submit(key)
                )
                button.props(f"no-caps {style}").mark(f"replace-{key}")
            ui.button(words("cancel"), on_click=lambda: dialog.submit("")).props("no-caps flat")
    answer = str(await dialog or "")
    dialog.delete()
    return answer
