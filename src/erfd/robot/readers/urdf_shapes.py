"""The shapes of the links of a URDF file, from its checked XML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..pose import Pose, as_mat3, snap
from .link_tree import FileShape

SIZES = {
    "box": ("size",), "cylinder": ("radius", "length"), "sphere": ("radius",),
    "capsule": ("radius", "length"),
}  # fmt: skip
"""The primitives of URDF (capsules are an extension), and the attributes that size them."""


@dataclass(frozen=True, slots=True)
class UrdfShapes:
    """The elements `<link>` by name, and the colours of the materials by name."""

    links: dict[str, Any]
    colors: dict[str, str]

    @classmethod
    def of(cls, root: Any) -> UrdfShapes:
        """The shapes of a file; a colour that is defined anywhere counts everywhere."""
        colors: dict[str, str] = {}
        for material in root.iter("material"):
            color = material.find("color")
            if color is not None:
                colors.setdefault(material.get("name", ""), _hexadecimal(color))
        return cls({link.get("name"): link for link in root.iter("link")}, colors)

    def of_link(self, link: str, tag: str) -> tuple[FileShape, ...]:
        """The shapes of a link: those that are drawn ("visual") or collide ("collision")."""
        elements = self.links[link].findall(tag)
        return tuple(self._shape(element) for element in elements)

    def _shape(self, element: Any) -> FileShape:
        shape = element.find("geometry")[0]
        pose, color = _pose(element.find("origin")), self._color(element.find("material"))
        if shape.tag in SIZES and all(key in shape.attrib for key in SIZES[shape.tag]):
            size = tuple(x for key in SIZES[shape.tag] for x in _numbers(shape, key))
            return FileShape(shape.tag, size, pose, color)
        scale = _numbers(shape, "scale") or (1.0, 1.0, 1.0)
        scale = scale * 3 if len(scale) == 1 else scale
        file = shape.get("filename") or f"<{shape.tag}>"
        return FileShape("mesh", (), pose, color, file, scale)

    def _color(self, material: Any) -> str | None:
        if material is None:
            return None
        color = material.find("color")
        return self.colors.get(material.get("name", "")) if color is None else _hexadecimal(color)


def _numbers(element: Any, key: str) -> tuple[float, ...]:
    return tuple(float(word) for word in element.get(key, "").split())


def _hexadecimal(color: Any) -> str:
    rgba = _numbers(color, "rgba")[:3]
    return "#" + "".join(f"{round(255 * min(max(x, 0.0), 1.0)):02x}" for x in rgba)


def _pose(origin: Any) -> Pose:
    if origin is None:
        return Pose()
    zero = (0.0, 0.0, 0.0)
    pose = Pose(_numbers(origin, "xyz") or zero, _numbers(origin, "rpy") or zero)  # type: ignore[arg-type]
    return Pose.of(as_mat3([[snap(x) for x in row] for row in pose.rotation]), pose.xyz)
