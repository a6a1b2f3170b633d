"""Which column of a motion file belongs to which joint: by name, by number, or by order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...errors import InputError
from ...ground.arrays import Array
from ...robot.model import Robot
from .table import MotionTable
from .titles import Title, scale_of, title_of


@dataclass(frozen=True, slots=True, eq=False)
class JointColumns:
    """Times as they stand in the file, and the joints' motion in rad (m), rad/s, rad/s2.

    `time_unit` is "" where the file does not say it. `titles` are those of the positions;
    `unit_said` says whether the file names the unit of the angles. `time_rounding` in s is what a
    time cannot be told from its neighbour by: dates in s have 0.24 us as 64-bit numbers.
    """

    t: Array
    q: Array
    qd: Array | None
    qdd: Array | None
    time_unit: str
    titles: tuple[str, ...]
    unit_said: bool
    notes: tuple[str, ...]
    time_rounding: float = 0.0


@dataclass(frozen=True, slots=True)
class ColumnOwner:
    """What a reader has to know of a robot: joints, and, if they are known, names and kinds."""

    n: int
    names: tuple[str, ...] = ()
    revolute: tuple[bool, ...] = ()
    robot: Robot | None = None

    @classmethod
    def of(cls, robot: Robot | int, joints: Sequence[str] | None) -> ColumnOwner:
        """The machine of a robot, or of a number of joints; `joints` are the file's names."""
        if isinstance(robot, Robot):
            names = tuple(j.name.lower() for j in robot.joints)
            turns = tuple(j.revolute for j in robot.joints)
            machine = cls(robot.n, names, turns, robot)
        elif isinstance(robot, bool) or not isinstance(robot, int | np.integer) or robot < 1:
            raise InputError(f"n: expected a robot or its number of joints, found {robot!r:.60}")
        else:
            machine = cls(int(robot))
        if joints is None:
            return machine
        listed = joints if isinstance(joints, list | tuple) else ()
        given = tuple(name.strip().lower() for name in listed if isinstance(name, str))
        if len(listed) != machine.n or len(set(given)) != len(listed):
            expected = f"joints: expected {machine.n} different names, one for each joint"
            raise InputError(f"{expected}, found {joints!r:.80}")
        return replace(machine, names=given)


def joint_columns(table: MotionTable, machine: ColumnOwner, degrees: bool) -> JointColumns:
    """The columns of the robot's joints, in its order and in SI units."""
    n = machine.n
    if not table.titles:
        if table.width not in (n + 1, 2 * n + 1):
            expected = f"{n + 1} columns (t, q1..q{n}) or {2 * n + 1} (with qd1..qd{n})"
            raise InputError(f"{table.name}: expected {expected}, found {table.width}")
        names = [*(f"q{i + 1}" for i in range(n)), *(f"qd{i + 1}" for i in range(n))]
        titles = ("t", *names)[: table.width]
    else:
        titles = table.titles
    meanings = [title_of(title, machine.names) for title in titles]
    time = next((k for k, m in enumerate(meanings) if m.quantity == "t"), None)
    notes: list[str] = []
    chosen = {q: _chosen(table, titles, meanings, machine, q, notes) for q in ("q", "qd", "qdd")}
    given = _chosen(table, titles, meanings, machine, "q_given", notes)
    if given is not None:
        notes.append("a run: its asked motion is read (q_given), not the achieved one")
        chosen["q"], chosen["qdd"] = given, None
        chosen["qd"] = _chosen(table, titles, meanings, machine, "qd_given", notes)
    if time is None and chosen["q"] is not None:
        expected = "a column of times (t, time, timestamp, time_from_start)"
        raise InputError(f"{table.name}: expected {expected}, found {', '.join(titles):.200}")
    if time is None or chosen["q"] is None:
        raise _missing(table, titles, meanings, machine, time)
    places: dict[str, list[int]] = {q: c for q, c in chosen.items() if c is not None}
    _say_passed_over(meanings, machine, places["q"], notes)
    values = {
        quantity: _values(table, titles, meanings, machine, columns, degrees)
        for quantity, columns in places.items()
    }
    unit = meanings[time].unit
    if unit and scale_of("t", unit, None) is None:
        raise InputError(f"{table.name}: {titles[time]}: expected times in s, ms, us or ns")
    used = tuple(titles[k] for k in places["q"])
    said = any(meanings[k].unit for k in places["q"])
    if said and not degrees and any(meanings[k].unit[:3] in ("deg", "°") for k in places["q"]):
        notes.append("angles in degrees, as the titles say")
    return JointColumns(
        table.finite(time), values["q"], values.get("qd"), values.get("qdd"), unit, used, said,
        tuple(notes),
    )  # fmt: skip


def _chosen(
    table: MotionTable, titles: Sequence[str], meanings: Sequence[Title], machine: ColumnOwner,
    quantity: str, notes: list[str],
) -> list[int] | None:  # fmt: skip
    """The columns of a quantity in the order of the joints; None if the file has none of it."""
    n, wanted = machine.n, quantity
    found = [(k, m) for k, m in enumerate(meanings) if m.quantity == quantity]
    named: dict[object, list[int]] = {}
    for k, m in found:
        named.setdefault(
            m.joint if m.known else m.number if not m.joint else (m.joint,), []
        ).append(k)
    for places in named.values():
        if len(places) > 1:
            both = " and ".join(repr(titles[k]) for k in places[:2])
            raise InputError(f"{table.name}: expected one column of {wanted} a joint, found {both}")
    by_name = [name for name in machine.names if name in named]
    numbers = sorted(key for key in named if isinstance(key, int))
    if by_name and (len(by_name) == n or not numbers):
        lost = [name for name in machine.names if name not in named]
        if lost and wanted == "qdd":
            return None
        if lost:
            what = {"q": "position", "qd": "velocity"}.get(wanted, wanted)
            expected = f"{table.name}: expected a {what} of every joint"
            raise InputError(f"{expected}, found no {', '.join(lost)}")
        return [named[name][0] for name in machine.names]
    if numbers:
        base = 0 if numbers[0] == 0 else 1
        indices = list(range(base, base + n))
        if beyond := [i for i in numbers if i >= base + n]:
            more = f"{n} joint{'s' if n > 1 else ''}"
            raise InputError(
                f"{table.name}: expected a motion of {more}, found {titles[named[beyond[-1]][0]]}:"
                " the motion of another robot"
            )
        lost_numbers = [i for i in indices if i not in named]
        if not lost_numbers:
            return [named[i][0] for i in indices]
        if wanted != "qd":
            return None
        lost_names = ", ".join(f"{wanted}{i}" for i in lost_numbers)
        raise InputError(f"{table.name}: expected all of {wanted}1..{wanted}{n}, no {lost_names}")
    others = [k for k, m in found if m.joint and not m.known]
    if others and len(others) == n and not machine.names:
        if wanted == "q":
            order = ", ".join(meanings[k].joint for k in others)
            notes.append(f"joints in the order of the file: {order}")
        return others
    return None


def _missing(
    table: MotionTable, titles: Sequence[str], meanings: Sequence[Title], machine: ColumnOwner,
    time: int | None,
) -> InputError:  # fmt: skip
    """The sentence about what was looked for and not found."""
    strangers = [m.joint for m in meanings if m.quantity == "q" and m.joint and not m.known]
    if strangers and time is not None:
        expected = ", ".join(machine.names) or f"{machine.n} joints"
        found = ", ".join(strangers)
        hint = "" if machine.names and len(strangers) != machine.n else "; `joints` names them"
        return InputError(f"{table.name}: expected {expected}, found the joints {found:.200}{hint}")
    wanted = [f"q{i + 1}" for i in range(machine.n)]
    there = {f"q{m.number}" for m in meanings if m.quantity == "q" and m.number is not None}
    lost = [*(["t"] if time is None else []), *(name for name in wanted if name not in there)]
    if time is None and not set(wanted) & there:
        lost = ["t", *wanted]
    expected = f"columns {', '.join(['t', *wanted])}"
    other = f" (or {', '.join(machine.names)})" if machine.names and there == set() else ""
    return InputError(f"{table.name}: expected {expected}{other}, found no {', '.join(lost)}")


def _say_passed_over(
    meanings: Sequence[Title], machine: ColumnOwner, used: Sequence[int], notes: list[str]
) -> None:
    """A note on the joints of the file that the robot has not: a gripper, a second arm."""
    others = {
        m.joint: None
        for k, m in enumerate(meanings)
        if m.quantity == "q" and m.joint and not m.known and k not in used
    }
    if others:
        notes.append(f"joints that the robot has not are passed over: {', '.join(others):.200}")


def _values(
    table: MotionTable, titles: Sequence[str], meanings: Sequence[Title], machine: ColumnOwner,
    columns: Sequence[int], degrees: bool,
) -> Array:  # fmt: skip
    """The numbers of these columns, one a joint, in SI units (N, n)."""
    result = []
    for joint, k in enumerate(columns):
        meaning, revolute = meanings[k], None
        if machine.revolute:
            revolute = machine.revolute[joint]
        if meaning.unit:
            scale = scale_of(meaning.quantity, meaning.unit, revolute)
            if scale is None:
                kind = {True: "angles", False: "lengths", None: "angles or lengths"}[revolute]
                raise InputError(
                    f"{table.name}: {titles[k]}: expected a unit of {kind} for joint {joint + 1}"
                )
            if degrees and scale == 1.0 and meaning.unit.startswith("rad"):
                found = f"found {titles[k]}"
                raise InputError(f"{table.name}: expected degrees, as was asked for, {found}")
        else:
            scale = np.pi / 180 if degrees and revolute is not False else 1.0
        result.append(table.finite(k) * scale)
    return np.stack(result, axis=-1)
