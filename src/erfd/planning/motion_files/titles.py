"""What the title of a column means: time, or position, velocity or acceleration of a joint."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

WORDS = {
    **dict.fromkeys(("q", "pos", "position", "positions", "angle", "angles", "theta"), "q"),
    **dict.fromkeys(("joint", "axis", "j", "joint_position", "joint_positions", "joint_pos"), "q"),
    **dict.fromkeys(("qd", "dq", "vel", "velocity", "velocities", "speed", "joint_velocity"), "qd"),
    **dict.fromkeys(("qdd", "ddq", "acc", "acceleration", "accelerations"), "qdd"),
    "q_given": "q_given", "qd_given": "qd_given",
}  # fmt: skip
"""The quantity of each word: position `q`, velocity `qd`, acceleration `qdd`; a run has more."""
_WORD = "|".join(sorted(WORDS, key=len, reverse=True))
_NUMBERED = re.compile(rf"(?:(.*)[./_ ])?({_WORD})[ _.\-]?\[?(\d+)\]?")
_JOINT_FIRST = re.compile(rf"(?:.*[./ ])?(?:joint|axis|j)[ _]?(\d+)[ _./]({_WORD})")
_TIME = re.compile(
    r"(?:.*[./])?(?:t|times?|timestamps?|stamp|time_from_start|elapsed|elapsed_time|__time)"
    r"(?:_(s|sec|ms|us|ns))?"
)
_UNIT = re.compile(r"(.*?)\s*(?:\[([^\]\d]*)\]|\(([^)\d]*)\))")

TIME_UNITS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("ms", "msec", "milliseconds"), 1e-3),
    **dict.fromkeys(("us", "µs", "μs", "microseconds"), 1e-6),
    **dict.fromkeys(("ns", "nanoseconds"), 1e-9),
    "min": 60.0,
}
LENGTH_UNITS = {"m": 1.0, "mm": 1e-3, "cm": 1e-2}
ANGLE_UNITS = {
    **dict.fromkeys(("rad", "radian", "radians"), 1.0),
    **dict.fromkeys(("deg", "°", "degree", "degrees"), math.pi / 180),
}


@dataclass(frozen=True, slots=True)
class Title:
    """The meaning of a title.

    `quantity` is t, q, qd, qdd, q_given, qd_given or "" (something else). The joint is `joint`, a
    name in lower case, or `number` as it stands in the title. `known`: it is a joint of the robot.
    """

    quantity: str
    joint: str = ""
    number: int | None = None
    unit: str = ""
    known: bool = False


def title_of(text: str, joints: Sequence[str]) -> Title:
    """The meaning of a column's title, for a robot whose joints have these names in lower case."""
    base, unit = text.strip().strip("\"'").strip(), ""
    if found := _UNIT.fullmatch(base):
        base, unit = found[1], (found[2] or found[3] or "").strip().lower()
    base = base.lower()
    if base in joints:
        return Title("q", base, None, unit, True)
    if found := _TIME.fullmatch(base):
        return Title("t", unit=unit or found[1] or "")
    for joint in sorted(joints, key=len, reverse=True):
        pattern = rf"(?:(.*)[./:_ ])?{re.escape(joint)}(?:[./:_ ](.*))?"
        if named := re.fullmatch(pattern, base):
            quantity = _quantity_of(named[1] or "", named[2] or "")
            return Title(quantity, joint, None, unit, True)
    if found := _NUMBERED.fullmatch(base):
        # velocity.q1 is a velocity: what stands before a plain name of a joint says what it is
        said = _quantity_of(found[1] or "", "") if WORDS[found[2]] == "q" else ""
        return Title(said or WORDS[found[2]], "", int(found[3]), unit)
    if found := _JOINT_FIRST.fullmatch(base):
        return Title(WORDS[found[2]], "", int(found[1]), unit)
    front, dot, joint = base.partition(".")
    if dot and front in ("position", "velocity", "acceleration"):
        return Title(WORDS[front], joint, None, unit)
    return Title("", unit=unit)


def _quantity_of(before: str, behind: str) -> str:
    """The quantity by the words around a joint's name; "" if they say none."""
    for part in (behind, before):
        words = [word for word in re.split(r"[\s./:_\[\]-]+", part) if word]
        for word in reversed(words):
            if word in WORDS and word not in ("joint", "axis", "j"):
                return WORDS[word]
    return ""


def scale_of(quantity: str, unit: str, revolute: bool | None) -> float | None:
    """The factor to s, rad (m), rad/s (m/s), ...; None for a unit that it cannot have.

    Args:
        quantity: t, q, qd, ...
        unit: The unit as it stands in the title, in lower case.
        revolute: Whether the joint turns; None if that is not known.
    """
    if quantity == "t":
        return TIME_UNITS.get(unit)
    scales = {**({} if revolute is False else ANGLE_UNITS), **({} if revolute else LENGTH_UNITS)}
    ends = {"q": ("",), "qd": ("/s", "/sec", " s-1"), "qdd": ("/s2", "/s^2", "/s²")}
    for end in ends[quantity.removesuffix("_given")]:
        if unit.endswith(end) and (factor := scales.get(unit.removesuffix(end).strip())):
            return factor
    return None
