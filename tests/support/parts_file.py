"""A parts database without a mistake, of which tests make wrong ones."""

from __future__ import annotations

GOOD = """
format = 1
name = "arm"
angle_unit = "deg"

[material.oak]
density = 700.0

[part.rod]
color = "#12ab34"
[[part.rod.section]]
name = "tube"
shape = "cylinder"
radius = 0.05
inner_radius = 0.04
length = 0.5
material = "aluminium"
[[part.rod.section]]
shape = "prism"
points = [[0, 0], [0.1, 0], [0, 0.1]]
length = 0.02
density = 1000
rpy = [90, 0, 0]

[[joint]]
a = 0.5
[[joint]]
kind = "prismatic"

[[base.part]]
[[base.part.section]]
shape = "box"
size = [1, 1, 0.1]
mass = 12.5

[[link]]
name = "upper"
frame = { xyz = [-0.5, 0, 0], rpy = [0, 90, 0] }
[[link.part]]
use = "rod"
xyz = [0, 0, 0.25]
[[link.part]]
name = "ends"
[[link.part.section]]
shape = "sphere"
radius = 0.06
material = "oak"
[[link.part.section]]
shape = "sphere"
radius = 0.02
material = "oak"
hole = true

[[link]]
[[link.part]]
use = "rod"
axis = [1, 0, 0]
"""
