"""Events: when a motor or a limit kept the robot from the wanted motion, how much, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..robot.model import Robot

CAUSES = {
    "ua_gravity": "gravity",
    "ua_links": "link acceleration",
    "ua_rotor": "rotor",
    "ua_coriolis": "centrifugal and Coriolis",
    "ua_external": "external force",
    "ua_load_friction": "friction",
    "ua_viscous": "viscous friction",
}


LIMITS = {1: "joint speed limit", 2: "motor speed limit", 3: "position limit"}
"""The limits that may change the wanted motion before any torque is computed, by `clipped` code."""
KINDS = ("torque limit", "stall", "voltage limit", *LIMITS.values())
"""Every kind of event."""


@dataclass(frozen=True, slots=True)
class Event:
    """A span of time in which a joint could not follow the wanted motion, and the causes.

    `start` and `end` in s, `joint` from 1. `kind` is one of `KINDS` (`stall`: the motor cannot
    even hold). `missing` is in N m at the motor, or in `unit` (rad/s, m/s). `shares`
    are parts of the motor torque at the worst moment, in percent of those that push towards the
    limit.
    """

    start: float
    end: float
    joint: int
    kind: str
    missing: float
    shares: tuple[tuple[str, float], ...] = ()
    unit: str = "rad/s"

    def __str__(self) -> str:
        when = f"{self.start:.2f}-{self.end:.2f} s"
        if self.kind in LIMITS.values():
            return f"joint {self.joint} lacks {self.missing:.3g} {self.unit} at {when}; {self.kind}"
        word = "cannot hold: it lacks" if self.kind == "stall" else "lacks"
        why = ", ".join(f"{cause} {share:.0f} %" for cause, share in self.shares)
        return f"motor {self.joint} {word} {self.missing:.3g} N m at {when}; {why}"


def spans(mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """(first, last) row of every run of true values."""
    edges = np.diff(np.concatenate([[0], mask.astype(int), [0]]))
    return list(zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1, strict=True))


def find_events(data: dict[str, Any], robot: Robot) -> tuple[Event, ...]:
    """All events of a run, in the order of their beginnings."""
    t = data["t"]
    events = []
    units = ["rad/s" if joint.revolute else "m/s" for joint in robot.joints]
    missing = np.abs(data["u_a_wanted"] - data["u_a"])
    for i in range(data["q"].shape[1]):
        for first, last in spans(data["saturated"][:, i] != 0):
            worst = first + int(missing[first : last + 1, i].argmax())
            stall = bool(data["stalled"][first : last + 1, i].any())
            kind = "stall" if stall else "torque limit"
            lack, shares = float(missing[worst, i]), torque_shares(data, worst, i)
            start = float(t[max(first - 1, 0)])
            events.append(Event(start, float(t[last]), i + 1, kind, lack, shares))
        short = np.abs(data["qd_given"] - data["qd"])[:, i]
        for code, kind in LIMITS.items():
            for first, last in spans(
                (data["clipped"][:, i] == code) & (data["saturated"][:, i] == 0)
            ):
                lack = float(short[first : last + 1].max())
                start = float(t[max(first - 1, 0)])
                events.append(Event(start, float(t[last]), i + 1, kind, lack, unit=units[i]))
    return tuple(sorted(events, key=lambda event: (event.start, event.joint)))


def torque_shares(data: dict[str, Any], row: int, motor: int) -> tuple[tuple[str, float], ...]:
    """The causes that push the motor torque towards its limit, largest first, in percent."""
    side = data["saturated"][row, motor]
    parts = {cause: side * float(data[name][row, motor]) for name, cause in CAUSES.items()}
    whole = sum(value for value in parts.values() if value > 0) or 1.0
    ranked = sorted(parts.items(), key=lambda item: -item[1])
    return tuple((cause, 100 * value / whole) for cause, value in ranked if value > 0.005 * whole)
