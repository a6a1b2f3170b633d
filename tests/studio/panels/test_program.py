"""The panel of the program, without a page."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("nicegui")

from erfd.studio import editor
from erfd.studio.panels.program import ProgramPanel

TEXT = 'program "p";\nbegin\nend.\n'


class Label:
    """A line of the page."""

    def set_text(self, text: str) -> None:
        self.text = text

    def classes(self, replace: str) -> None:
        self.kind = replace


def panel(text: str) -> Any:
    """A panel with this program, its browser replaced by a dictionary of what is shown."""
    made: Any = object.__new__(ProgramPanel)

    async def read(kind: str, **entries: Any) -> dict[str, Any]:
        return {"marks": editor.marks(entries["text"]), "names": editor.names(entries["text"])}

    made.workspace = SimpleNamespace(tell=lambda topic: None, read=read, follow_title=lambda: None)
    setup = SimpleNamespace(robot="lola15")
    made.session = SimpleNamespace(text=text, setup=setup, robot_file=None, revision=3)
    made.shown = {"value": text}
    made.editor = SimpleNamespace(show=made.shown.update)
    made.check_soon = lambda: None
    made.words, made.status, made.pieces = SimpleNamespace(said=str), Label(), []
    made._say = lambda marks: made.status.set_text(str(len(marks)))
    return made


def test_the_text_is_offered_to_the_browser_until_it_is_known_to_have_it() -> None:
    """A look at the program that is quicker than the page must not take the text away."""
    bench = panel(TEXT)
    asyncio.run(bench.check())
    assert bench.status.text == str(len(bench.shown["marks"]))
    assert bench.shown["value"] == TEXT
    edited = TEXT + "\n"
    args = {"at": 0, "piece": edited, "whole": len(edited)}
    bench.edited(SimpleNamespace(args=args | {"revision": 2}))
    assert bench.session.text == TEXT  # typed before a text from elsewhere came to the editor
    bench.edited(SimpleNamespace(args=args | {"revision": 3}))
    assert bench.session.text == edited
    assert bench.shown["value"] is None  # the browser's own text is newer than any here
