"""The studio's own elements: a scene, a timeline, diagrams and an editor (code in `web/`)."""

from __future__ import annotations

from typing import Any

import nicegui.elements.scene  # noqa: F401  # puts its three.js on the page's import map
from nicegui.dependencies import register_esm
from nicegui.element import Element

from . import WEB

for _name, _folder in (("erfd-studio", WEB / "lib"), ("erfd-vendor", WEB / "vendor")):
    _newest = max(file.stat().st_mtime for file in _folder.iterdir())
    register_esm(_name, _folder, max_time=_newest)


class Owned(Element):
    """An element whose properties are set by name; unchanged values are not sent again."""

    def show(self, **properties: Any) -> None:
        """Set properties of the browser's component."""
        changed = {k: v for k, v in properties.items() if self._props.get(k) != v}
        if changed:
            self._props.update(changed)
            self.update()


class Scene(Owned, component="web/studio_scene.js"):
    """The robot in its cell."""


class Timeline(Owned, component="web/studio_timeline.js"):
    """The clock of the page."""


class Diagrams(Owned, component="web/studio_diagrams.js"):
    """Curves over time."""


class Editor(Owned, component="web/studio_editor.js"):
    """The program."""
