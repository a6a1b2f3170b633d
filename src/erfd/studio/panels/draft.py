"""The draft: an unsaved program that the browser keeps, with its settings, for a later page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from nicegui import ui

from ..browser.elements import Editor
from ..teach import title_of
from ..workspace import Workspace
from .confirm import may_replace


class Draft:
    """The draft of an editor; `take(name, text)` makes a text the program."""

    def __init__(
        self,
        workspace: Workspace,
        editor: Editor,
        dialogs: ui.element,
        take: Callable[[str, str], None],
    ) -> None:
        self.workspace, self.editor, self.dialogs, self.take = workspace, editor, dialogs, take
        self.settings: dict[str, Any] = {}
        for topic in ("setup", "robot", "edited"):
            workspace.on(topic, self.keep_settings)
        self.keep_settings()
        if workspace.fresh:
            ui.timer(0, self.offer, once=True)

    def keep_settings(self) -> None:
        """Keep the settings with the draft in the browser."""
        settings = asdict(self.workspace.session.setup)
        if settings != self.settings:
            self.settings = settings
            self.editor.run_method("keepSetup", settings)

    def forget_saved(self) -> None:
        """Forget the draft of a program that is saved."""
        if not self.workspace.session.unsaved:
            self.editor.run_method("forgetDraft")

    async def offer(self) -> None:
        """Offer, in a new session, the unsaved text that an earlier page left behind."""
        try:
            draft = await self.editor.run_method("draft", timeout=10)
        except TimeoutError:
            return  # the page is gone already, or too busy
        text = draft.get("text") if isinstance(draft, dict) else None
        known = self.workspace.session.text
        if not isinstance(text, str) or not text.strip() or text == known:
            return
        words = self.workspace.words
        with self.dialogs, ui.element("div").classes("studio-bar").mark("draft") as bar:
            ui.label(words("draft_found", name=title_of(text))).classes("name hint")

            async def back() -> None:
                if await may_replace(self.workspace, self.dialogs):
                    self._restore(text, draft.get("setup"))
                    bar.delete()

            ui.button(words("draft_take"), on_click=back).props("no-caps dense outline size=sm")
            close = ui.button(icon="close", on_click=bar.delete)
            close.props(f'flat dense round size=sm aria-label="{words("cancel")}"')

    def _restore(self, text: str, settings: Any) -> None:
        self.take(title_of(text), text)
        if not self.workspace.set_up_again(settings):
            self.workspace.notify(self.workspace.words("draft_without"))
        self.workspace.session.saved_text = ""
        self.editor.run_method("keepDraft", text)
