"""The limits of a cell as lines over s'' and s'^2, for `span`; over any scalar, as that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .span import BIG, FIELDS, Lines

TINY = 1e-30
"""The slope of a line that has none: it meets its limit far away or nowhere."""
NODE = ("a", "b", "c", "turn", "bend", "drag", "first", "second")
"""What is known of an end of a cell, vectors of length n: loads, rotors, damping, joints by s."""
CELL = ("direction", "up", "down", "part")
"""What is known of a cell, vectors of length n; then twice its length."""
ROBOT = (
    "load_friction", "coulomb", "viscous", "inertia", "kept", "volt", "emf", "acceleration",
)  # fmt: skip
"""What is known of the robot: `kept` is the part of the torque limits that counts, `volt` and
`emf` the torque that the voltage gives at rest and what it loses with the rotor's speed."""


@dataclass(slots=True, eq=False)
class Given:
    """The vectors of `NODE`, `CELL` or `ROBOT` by name."""

    values: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        return self.values[name]


def limit_lines(
    ops: Any, robot: Given, left: Given, right: Given, cell: Given, step: Any, accelerations: bool
) -> Lines:
    """The lines of the motors at the left and the right end of a cell, and of accelerations.

    `step` is twice the length of the cell: at its right end s'^2 is x + step s''.
    """
    sign = ops.where(cell.direction < 0, -1.0, 1.0)
    rests = ops.where(ops.size(cell.direction) > 0, 0.0, 1.0)
    above = ops.where(cell.direction < 0, cell.down, cell.up)
    below = ops.where(cell.direction < 0, cell.up, cell.down)
    parts: list[dict[str, Any]] = []
    for end, ahead in ((left, 0.0), (right, 1.0)):
        slope = end.a + ahead * step * end.b
        rotor = robot.inertia * (end.turn + ahead * step * end.bend)
        own_x, own_v = robot.inertia * end.bend, robot.viscous * end.turn
        part: dict[str, Any] = {}
        for name, mu in (("plus", robot.load_friction), ("minus", -robot.load_friction)):
            gain = 1 + mu
            part[f"per_{name}"] = 1 / _not_zero(ops, sign * (rotor + gain * slope))
            part[f"x_{name}"] = sign * (own_x + gain * end.b)
            part[f"v_{name}"] = sign * (own_v + gain * end.drag)
            part[f"c_{name}"] = sign * gain * end.c
        part["scale"] = robot.kept + 0 * sign
        part["rate"] = ops.size(end.turn)
        part["top_shift"] = above + (1 - 2 * rests) * robot.coulomb
        part["low_shift"] = below - robot.coulomb
        part["volt"] = robot.volt + 0 * sign
        part["emf"] = sign * robot.emf * end.turn
        part["rests"] = rests
        parts.append(part)
    if accelerations:
        for end, ahead in ((left, 0.0), (right, 1.0)):
            nothing = 0 * sign
            per = 1 / _not_zero(ops, end.first + ahead * step * end.second)
            most = robot.acceleration * (1 - cell.part)
            part = dict.fromkeys(FIELDS, nothing)
            part |= {"per_plus": per, "per_minus": per, "x_plus": end.second}
            part |= {"x_minus": end.second, "top_shift": -most, "low_shift": -most}
            part |= {"volt": nothing + BIG}
            parts.append(part)
    return Lines(**{name: ops.stack([part[name] for part in parts]) for name in FIELDS})


def _not_zero(ops: Any, slope: Any) -> Any:
    """The slopes, none of them zero."""
    return ops.where(ops.size(slope) < TINY, TINY, slope)
