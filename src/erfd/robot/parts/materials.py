"""Materials by name: density in kg/m3 and a colour for pictures."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...errors import RobotError
from ..visual import check_color

DEFAULT_COLOR = "#9aa5b1"


@dataclass(frozen=True, slots=True)
class Material:
    """A material: density in kg/m3, and its `color` in pictures."""

    name: str
    density: float
    color: str = DEFAULT_COLOR

    def __post_init__(self) -> None:
        check_color(self.color)
        if not (math.isfinite(self.density) and self.density > 0):
            raise RobotError(f"density: expected a density > 0 kg/m3, found {self.density}")


MATERIALS = {
    material.name: material
    for material in (
        Material("aluminium", 2700.0, "#c3c9d1"),
        Material("steel", 7850.0, "#5d6670"),
        Material("stainless-steel", 7900.0, "#a9b4bf"),
        Material("cast-iron", 7200.0, "#4a4d52"),
        Material("titanium", 4430.0, "#8f8a83"),
        Material("magnesium", 1770.0, "#b9bfb4"),
        Material("copper", 8960.0, "#b86b3a"),
        Material("brass", 8500.0, "#c8a24a"),
        Material("bronze", 8800.0, "#a97a44"),
        Material("lead", 11340.0, "#5f6066"),
        Material("tungsten", 19300.0, "#4d5254"),
        Material("neodymium-magnet", 7500.0, "#3f4650"),
        Material("carbon-fibre", 1600.0, "#26292d"),
        Material("glass-fibre", 1900.0, "#b7c4a4"),
        Material("abs", 1050.0, "#e3dcc8"),
        Material("pla", 1240.0, "#d9e4d0"),
        Material("nylon", 1140.0, "#e8e6df"),
        Material("pom", 1410.0, "#f0efe9"),
        Material("peek", 1320.0, "#b8a27c"),
        Material("polycarbonate", 1200.0, "#cfdfe6"),
        Material("rubber", 1150.0, "#2e2e2e"),
    )
}
"""Usual values for the plain material or its common alloy; a file may say otherwise."""
