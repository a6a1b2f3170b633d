"""Page elements of the studio: scene, timeline, diagrams and editor (code in `web/`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nicegui.elements.scene  # noqa: F401  # puts its three.js on the page's import map
from nicegui.dependencies import register_esm
from nicegui.element import Element

from ... import report
from . import WEB

SHARED = Path(report.__file__).parent / "web"
"""The folder of scripts that the page of a motion has, too."""
_MODULES = {"erfd-shared": SHARED, "erfd-studio": WEB / "lib", "erfd-vendor": WEB / "vendor"}
for _name, _folder in _MODULES.items():
    _newest = max(file.stat().st_mtime for file in _folder.iterdir())
    register_esm(_name, _folder, max_time=_newest)


class StudioElement(Element):
    """An element whose properties are set by name; unchanged values are not sent again."""

    def show(self, **properties: Any) -> None:
        """Set properties of the browser's component."""
        changed = {k: v for k, v in properties.items() if self._props.get(k) != v}
        if changed:
            self._props.update(changed)
            self.update()


class Scene(StudioElement, component="web/studio_scene.js"):
    """The 3D scene of the robot in its cell."""


class Timeline(StudioElement, component="web/studio_timeline.js"):
    """The clock of the page, with moves and limits along it."""


class Diagrams(StudioElement, component="web/studio_diagrams.js"):
    """Diagrams of curves over time."""


class Editor(StudioElement, component="web/studio_editor.js"):
    """The editor of the program."""
