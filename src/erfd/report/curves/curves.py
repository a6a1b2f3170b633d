"""The curves of a run for diagrams: labels, units, colours, parts, limits.

Angles are in degrees here, distances in mm: this is for people, not for programs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...errors import InputError
from ...ground.arrays import Array
from ...mechanics.felt_load import felt_load
from ...robot.model import Robot
from .drawn import drawn, has, without_rounding

COLORS = ("#1f6fb2", "#e8590c", "#2b8a3e", "#7048e8", "#c2255c", "#b8860b", "#0b7285", "#845e3b")
XYZ = ("#e03131", "#2f9e44", "#1971c2")
LIMIT = "#c92a2a"
MANY = 50_000
"""Moments at most for which felt loads are worked out."""
PARTS = {
    "u": ("u_inertial", "u_coriolis", "u_gravity", "u_external", "u_friction"),
    "u_a": (
        "ua_links", "ua_rotor", "ua_coriolis", "ua_gravity", "ua_external", "ua_load_friction",
        "ua_viscous",
    ),
}  # fmt: skip
DIAGRAMS = (
    "q", "qd", "qdd", "u", "u_a", "speed", "force", "moment", "deviation", "power", "energy",
    "load_g", "voltage", "current",
)  # fmt: skip
"""The diagrams, in the order in which they are offered; `available` says which a run has."""


class RunLike(Protocol):
    """A `Run` or a `RunFile`."""

    @property
    def robot(self) -> Robot:
        """The robot of the run."""
        ...

    def __getitem__(self, name: str) -> Array: ...


@dataclass(frozen=True, slots=True)
class Line:
    """One curve of a diagram; `of` is the column of the run that it comes from.

    `kind` is "found" (what the motors achieved), "given" (what was programmed), "limit" or "part".
    """

    label: str
    kind: str
    color: str
    of: str


Maker = Callable[
    [RunLike, str, list[int], slice, Mapping[str, bool]], tuple[str, list[tuple[Line, Array]]]
]


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """The curves of one diagram: times (N,) in s, lines, and their values (lines, N) in `unit`."""

    name: str
    unit: str
    t: Array
    lines: tuple[Line, ...]
    values: Array


def available(quantities: Iterable[str]) -> tuple[str, ...]:
    """The diagrams that a run with these quantities can show."""
    has = set(quantities)
    needs = {"speed": {"qd_a"}, "load_g": {"q", "qd", "qdd"}}
    return tuple(name for name in DIAGRAMS if needs.get(name, {name}) <= has)


def curves(
    run: RunLike,
    name: str,
    *,
    joints: Iterable[int] | None = None,
    given: bool = True,
    limits: bool = True,
    parts: bool = False,
    percent: bool = False,
    first: float | None = None,
    last: float | None = None,
) -> Curves:
    """The curves of one diagram.

    Args:
        run: a `Run` or a `RunFile`.
        name: of the diagram, one of `DIAGRAMS`.
        joints: numbers of joints, from 0; None: all of them.
        given: add what was programmed (the motion without Algorithm 1).
        limits: add what the robot may do.
        parts: add what a torque is made of.
        percent: motor torques in percent of their limits, if these are known: motors of 3 and of
            38 N m share a diagram.
        first: leave out what is before this time (s).
        last: leave out what is after this time (s).

    Returns:
        Times in s; values in degrees, mm and SI units, as `unit` says; NaN where there are none:
        torques and accelerations before the first cycle.

    Raises:
        InputError: if there is no such diagram or joint.
    """
    if name not in DIAGRAMS:
        raise InputError(f"diagram: expected one of {', '.join(DIAGRAMS)}, found {name!r:.40}")
    n = run.robot.n
    numbers = list(range(n)) if joints is None else sorted(set(joints))
    if not all(0 <= i < n for i in numbers):
        raise InputError(f"joints: expected numbers from 0 to {n - 1}, found {numbers!r:.60}")
    t = run["t"]
    low = 0 if first is None else max(int(np.searchsorted(t, first)) - 1, 0)
    high = len(t) if last is None else min(int(np.searchsorted(t, last)) + 2, len(t))
    rows = slice(low, max(high, low + 1))
    draw: dict[str, Maker] = {
        "force": _vectors, "moment": _vectors, "deviation": _deviation, "load_g": _felt,
    }  # fmt: skip
    choice = {"given": given, "limits": limits, "parts": parts, "percent": percent}
    make: Maker = draw.get(name, _joints)
    unit, lines = make(run, name, numbers, rows, choice)
    values = np.zeros((0, len(t[rows])))
    if lines:
        values = np.stack(_without_rounding(lines))
    return Curves(name, unit, t[rows], tuple(line for line, _ in lines), values)


_UNITS = {
    "q": ("°", "m"), "qd": ("°/s", "m/s"), "qdd": ("°/s²", "m/s²"), "u": ("N m", "N"),
    "u_a": ("N m", "N m"), "speed": ("rad/s", "rad/s"), "power": ("W", "W"), "energy": ("J", "J"),
    "voltage": ("V", "V"), "current": ("A", "A"),
}  # fmt: skip


def _joints(
    run: RunLike, name: str, joints: list[int], rows: slice, choice: Mapping[str, bool]
) -> tuple[str, list[tuple[Line, Array]]]:
    """The lines of a quantity of joints or motors, with programmed values, limits and parts."""
    robot = run.robot
    column = {"speed": "qd_a"}.get(name, name)
    turning, sliding = _UNITS[name]
    units = [turning if robot.joints[i].revolute else sliding for i in joints]
    unit = ", ".join(dict.fromkeys(units)) or turning
    of_limit = name == "u_a" and choice.get("percent", False) and has(run, "u_a_max")
    if of_limit:
        unit = "%"
    lines = []
    for i in joints:
        scale: float | Array = (
            180 / np.pi if turning.startswith("°") and robot.joints[i].revolute else 1.0
        )
        if of_limit:
            scale = _percent(run, i, rows)
        color = COLORS[i % len(COLORS)]

        def add(
            of: str, kind: str, label: str, color: str, values: Array | None = None, i: int = i,
            scale: float | Array = scale,
        ) -> None:  # fmt: skip
            data = drawn(run, of, rows)[:, i] if values is None else values
            if np.isfinite(data).any():
                lines.append((Line(label, kind, color, of), data * scale))

        symbol = f"{i + 1}"
        add(column, "found", symbol, color)
        if choice["given"] and name in ("q", "qd", "qdd", "speed", "u_a"):
            of = "u_a_wanted" if name == "u_a" else f"{column}_given"
            if has(run, of):
                add(of, "given", f"{symbol} given", color)
        if choice["limits"]:
            for side, values, of in _limits(run, name, i, rows):
                add(of, "limit", f"{symbol} {side}", LIMIT if len(joints) == 1 else color, values)
        if choice["parts"]:
            for k, part in enumerate(PARTS.get(name, ())):
                if has(run, part):
                    short = part.split("_", 1)[1]
                    add(part, "part", f"{symbol} {short}", COLORS[(k + 1) % len(COLORS)])
    return unit, lines


def _without_rounding(lines: list[tuple[Line, Array]]) -> tuple[Array, ...]:
    """The values of lines; limits stay as they are, however far."""
    kept = iter(without_rounding(*(v for line, v in lines if line.kind != "limit")))
    return tuple(v if line.kind == "limit" else next(kept) for line, v in lines)


def _percent(run: RunLike, i: int, rows: slice) -> Array:
    """What makes percent of a motor's limit of its torque at each row; NaN where it has none."""
    limit = np.array(run["u_a_max"][rows, i], dtype=np.float64)
    if len(limit) > 1 and rows.start in (0, None):
        limit[0] = limit[1]  # row 0 is before the first cycle
    return np.where(np.isfinite(limit) & (limit > 0), 100 / np.where(limit > 0, limit, 1.0), np.nan)


def _limits(run: RunLike, name: str, i: int, rows: slice) -> list[tuple[str, Array, str]]:
    robot = run.robot
    joint, length = robot.joints[i], len(run["t"][rows])
    if name == "u_a" and has(run, "u_a_max"):
        limit = np.array(run["u_a_max"][rows, i])
        if len(limit) > 1 and rows.start in (0, None):
            limit[0] = limit[1]  # row 0 is before the first cycle
        return [("max", limit, "u_a_max"), ("min", -limit, "u_a_max")]
    pairs = {
        "q": (joint.position_min, joint.position_max),
        "qd": (-joint.velocity_max, joint.velocity_max),
    }
    if robot.drives:
        pairs["speed"] = (-robot.drives[i].speed_max, robot.drives[i].speed_max)
    if name not in pairs:
        return []
    low, high = pairs[name]
    return [("min", np.full(length, low), "limit"), ("max", np.full(length, high), "limit")]


def _vectors(
    run: RunLike, name: str, joints: list[int], rows: slice, choice: Mapping[str, bool]
) -> tuple[str, list[tuple[Line, Array]]]:
    """The lines of joint forces or moments: magnitudes, and components if there is one joint."""
    lines = []
    for i in joints:
        values = drawn(run, name, rows)[:, i]
        if len(joints) == 1:
            lines += [
                (Line(f"{i + 1} {axis}", "part", XYZ[k], name), values[:, k])
                for k, axis in enumerate("xyz")
            ]
        size = np.linalg.norm(values, axis=1)
        color = COLORS[i % len(COLORS)] if len(joints) > 1 else "#868e96"
        lines.append((Line(f"{i + 1} |.|", "found", color, name), size))
    return ("N" if name == "force" else "N m"), lines


def _deviation(
    run: RunLike, name: str, joints: list[int], rows: slice, choice: Mapping[str, bool]
) -> tuple[str, list[tuple[Line, Array]]]:
    values = run["deviation"][rows]
    return "mm, °", [
        (Line("mm", "found", COLORS[0], name), 1000 * values[:, 0]),
        (Line("°", "found", COLORS[1], name), np.degrees(values[:, 1])),
    ]


def _felt(
    run: RunLike, name: str, joints: list[int], rows: slice, choice: Mapping[str, bool]
) -> tuple[str, list[tuple[Line, Array]]]:
    # qdd of row k is of the cycle that ends there, so it belongs to the state before
    now = np.arange(len(run["t"]))[rows]
    step = -(-len(now) // MANY)  # a long run is looked at in equal steps, each held to the next
    picked = now[::step]
    before = np.maximum(picked - 1, 0)
    qdd = run["qdd"][np.maximum(picked, min(1, len(run["t"]) - 1))]
    load = felt_load(run.robot, run["q"][before], run["qd"][before], qdd)
    load = load.repeat(step, axis=0)[: len(now)]
    lines = [
        (Line(axis, "part", XYZ[k], name), load[:, k]) for k, axis in enumerate(("x", "y", "z"))
    ]
    lines.append((Line("|g|", "found", "#868e96", name), np.linalg.norm(load, axis=1)))
    return "g", lines
