"""Compare two runs in numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..run.run_file import RunFile


def differences(first: RunFile, second: RunFile) -> list[dict[str, Any]]:
    """Rows of a table that compares two runs: duration, events, deviation, motors, energy.

    A row is {what, first, second, difference}, values as text with their units. `what` is a key of
    the studio's texts behind "diff_", `names` fills its braces.
    """
    rows = []

    def add(what: str, unit: str, value: Callable[[RunFile], float], **more: Any) -> None:
        a, b = value(first), value(second)
        digits = 0 if what == "events" else 3
        end = f" {unit}" if unit else ""
        rows.append(
            {
                "what": what,
                "first": f"{a:.{digits}f}{end}",
                "second": f"{b:.{digits}f}{end}",
                "difference": f"{round(b - a, digits) + 0.0:+.{digits}f}{end}",
            }
            | more
        )

    def both(name: str) -> bool:
        return name in first and name in second

    add("seconds", "s", lambda run: float(run["t"][-1] - run["t"][0]))
    add("events", "", lambda run: float(len(run.events)))
    if both("deviation"):
        add("away", "mm", lambda run: 1000 * float(run["deviation"][:, 0].max()))
        add("turned", "°", lambda run: float(np.degrees(run["deviation"][:, 1].max())))
    if both("energy"):
        add("energy", "J", lambda run: float(run["energy"][-1].sum()))
    if both("saturated"):
        add("saturated", "%", lambda run: 100 * float((run["saturated"] != 0).any(axis=1).mean()))
    if both("u_a"):
        for i in range(min(first.robot.n, second.robot.n)):
            add("torque", "N m", partial(_peak, i), names={"motor": i + 1})
            add("rms", "N m", partial(_rms, i), names={"motor": i + 1})
    return rows


def _peak(motor: int, run: RunFile) -> float:
    return float(np.abs(run["u_a"][:, motor]).max())


def _rms(motor: int, run: RunFile) -> float:
    first = 1 if len(run) > 1 else 0  # row 0 ends no cycle: its zero is no torque
    return float(np.sqrt((run["u_a"][first:, motor] ** 2).mean()))
