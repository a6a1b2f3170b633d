"""What URDF files say of motors: reductions of `<transmission>`, limits of `<ros2_control>`.

Tags of ROS 1 (`mechanicalReduction`) and of ROS 2 (`mechanical_reduction`). A reduction is that of
a simple transmission: one joint, one actuator. Limits of command interfaces narrow those of the
joint: `position`, `velocity`, `effort` and `acceleration`, in rad (m), rad/s, N m (N), rad/s2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .table import Table

REDUCTIONS = ("mechanicalReduction", "mechanical_reduction")
INTERFACES = ("position", "velocity", "effort", "acceleration")


@dataclass(slots=True)
class Actuation:
    """Reductions and limits by joint; `skipped` names transmissions that are not simple.

    `limits[joint]` has the (least, most) by command interface.
    """

    reductions: dict[str, float] = field(default_factory=dict)
    limits: dict[str, dict[str, tuple[float, float]]] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)

    def most(self, joint: str, interface: str) -> float:
        """The size that a command may have, infinite if nothing is said; 0 is no limit."""
        ends = self.limits.get(joint, {}).get(interface, ())
        return min((abs(x) for x in ends if x), default=math.inf)


def actuation(file: str, root: Any) -> Actuation:
    """Read the elements below the root of a URDF file (lxml); `file` stands in messages."""
    found = Actuation()
    for element in root.iter("transmission"):
        _read_transmission(file, element, found)
    for system in root.iter("ros2_control"):
        for joint in system.findall("joint"):
            limits = found.limits.setdefault(str(joint.get("name")), {})
            for interface in joint.findall("command_interface"):
                name = interface.get("name")
                if name in INTERFACES:
                    limits[name] = _limits(file, interface)
    return found


def _read_transmission(file: str, element: Any, found: Actuation) -> None:
    """A simple transmission: its reduction, which stands at the actuator or at the joint."""
    joints, actuators = element.findall("joint"), element.findall("actuator")
    places = [element, *actuators, *joints]
    values = [v for p in places for tag in REDUCTIONS for v in p.findall(tag)]
    if not values:
        return
    kind = "".join(str(x.text) for x in [*element.findall("type"), *element.findall("plugin")])
    simple = len(joints) == 1 and len(actuators) <= 1 and len(values) == 1
    if not simple or any(word in kind for word in ("Differential", "FourBar")):
        found.skipped.append(str(element.get("name")))
        return
    table = Table(f"{file}: line {values[0].sourceline}", f"<{values[0].tag}>", {})
    ratio = _number(values[0].text)
    if ratio is None or ratio == 0:
        raise table.error("reduction", "a number other than 0", values[0].text)
    found.reductions[str(joints[0].get("name"))] = ratio


def _limits(file: str, interface: Any) -> tuple[float, float]:
    """The least and the most of a command interface; a parameter that is no number is an error."""
    ends = {"min": -math.inf, "max": math.inf}
    for name, text in _parameters(interface):
        if name in ends and text.strip():
            value = _number(text)
            if value is None:
                where = f"<command_interface name={interface.get('name')!r}>"
                table = Table(f"{file}: line {interface.sourceline}", where, {})
                raise table.error(name, "a number", text)
            ends[name] = value
    return ends["min"], ends["max"]


def _parameters(interface: Any) -> Iterable[tuple[str, str]]:
    """Names and texts of the parameters; newer files have <limit min="" max=""/> instead."""
    for parameter in interface.findall("param"):
        yield str(parameter.get("name")), parameter.text or ""
    for limit in interface.findall("limit"):
        yield from ((name, limit.get(name, "")) for name in ("min", "max"))


def _number(text: str | None) -> float | None:
    """The finite number in a text."""
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) else None
