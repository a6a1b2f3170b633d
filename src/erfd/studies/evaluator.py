"""Evaluate variants: the whole verdict of each, as a verification would give it."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..drives.drives import Drives
from ..errors import ErfdError
from ..ground.arrays import Array
from ..robot.model import Link, Robot
from ..robot.payload import Payload
from ..robot.pose import Pose
from ..run.events import ACCELERATION, LIMITS, Event
from ..verification.checks import not_checked
from ..verification.continuous import PHRASES, ROUNDING, not_checked_loads
from .bodies import VariedBody
from .cycle_form import LANES, SLACK, cycle
from .cycle_loop import NUMPY
from .names import PLACE, TURNS, WRENCH, VariedInput, motor_factors, problems
from .shared_motion import SharedMotion, Varied, electric, warms
from .subject import Subject

KEPT = 8
"""Planned motions that are kept: those of other geometries rarely come back."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Verdicts of V variants.

    `feasible` (V,), `margin` (V,) what is left of the tightest limit of motors, gears and supply
    as a part of it (negative: so much is missing), `limit` (V,) the place in the evaluator's
    `labels` of what fails first, `time` (V,) when (s, NaN: in no one moment), `torque` (V, n) the
    peaks as parts of the limits, `rms` (V, n) in N m, `loads` (V, loads) parts of the limits of
    its `loads`, `moves` (V, moves) the largest part of a torque limit in each, `error` texts.
    """

    feasible: NDArray[np.bool_]
    margin: Array
    limit: NDArray[np.int16]
    time: Array
    torque: Array
    rms: Array
    loads: Array
    moves: Array
    error: NDArray[Any]

    @classmethod
    def empty(cls, count: int, n: int, loads: int, moves: int) -> Rows:
        """Rows of which nothing is known yet."""
        return cls(
            np.zeros(count, dtype=bool), np.full(count, np.nan), np.zeros(count, dtype=np.int16),
            np.full(count, np.nan), np.full((count, n), np.nan), np.full((count, n), np.nan),
            np.full((count, loads), np.nan), np.full((count, moves), np.nan),
            np.full(count, "", dtype=object),
        )  # fmt: skip

    @classmethod
    def joined(cls, parts: Sequence[Rows]) -> Rows:
        """All rows of several, one behind the other."""
        return cls(*(np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(cls)))

    def __len__(self) -> int:
        return len(self.feasible)

    def put(self, places: NDArray[np.intp], rows: Rows) -> None:
        """Fill in rows at these places; moves only if there are as many."""
        for field in fields(self):
            into, values = getattr(self, field.name), getattr(rows, field.name)
            if values.shape[1:] == into.shape[1:]:
                into[places] = values


class VariantEvaluator:
    """Evaluates variants of a subject, of which the quantities vary."""

    def __init__(self, subject: Subject, quantities: tuple[VariedInput, ...]):
        self.subject, self.quantities = subject, quantities
        self.names = tuple(quantity.name for quantity in quantities)
        self.varied = Varied(tuple(self._bodies()), tuple(self._pushes()))
        self.geometry = [k for k, q in enumerate(quantities) if q.geometry]
        self.loads = load_limits(subject.robot)
        self.labels = labels_of(subject.robot, self.loads)
        self._motions: OrderedDict[tuple[float, ...], SharedMotion | str] = OrderedDict()
        self.unchecked = (
            *not_checked(subject.robot, subject.cell),
            *not_checked_loads(subject.robot),
        )
        if not self.geometry:
            found = self._motion(())
            self.pieces = found.planned.pieces
        else:  # the moves are those of the program, wherever the robot stands
            self.pieces = subject.planned(subject.robot).pieces

    def _bodies(self) -> list[VariedBody]:
        bodies = []
        wanted: dict[int, list[str]] = {}
        for quantity in self.quantities:
            first, *rest = quantity.parts
            if first == "payload":
                wanted.setdefault(0, []).append(rest[0] if rest else "mass")
            elif first == "link":
                wanted.setdefault(int(rest[0]), []).append(rest[1])
        for link, parts in wanted.items():
            base = self.subject.payload or Payload(0.0)
            if link:
                there = self.subject.robot.links[link - 1]
                base = Payload(there.mass, there.center, there.inertia)
            bodies.append(VariedBody(link, base, tuple(parts)))
        return bodies

    def _pushes(self) -> list[int]:
        return [WRENCH.index(q.parts[1]) for q in self.quantities if q.parts[0] == "wrench"]

    def columns(self, draws: Array) -> dict[str, Array]:
        """The draws (V, names) by name."""
        return {name: draws[:, k] for k, name in enumerate(self.names)}

    def problems(self, draws: Array) -> list[str]:
        """What is wrong with each variant (V, names), empty where nothing is."""
        return problems(self.quantities, draws, self.subject.robot)

    def evaluate(self, draws: Array) -> Rows:
        """The verdicts of V variants (V, names); what cannot be evaluated is a marked row."""
        rows = Rows.empty(len(draws), self.subject.robot.n, len(self.loads), len(self.pieces))
        wrong = np.array(self.problems(draws), dtype=object)
        rows.error[:] = wrong
        fine = np.flatnonzero(wrong == "")
        groups: dict[tuple[float, ...], list[int]] = {}
        if self.geometry:
            for k in fine.tolist():
                groups.setdefault(tuple(draws[k, self.geometry].tolist()), []).append(k)
        elif len(fine):
            groups[()] = fine  # type: ignore[assignment]
        for geometry, members in groups.items():
            places = np.asarray(members, dtype=np.intp)
            try:
                motion = self._motion(geometry)
            except (ErfdError, ArithmeticError, np.linalg.LinAlgError) as error:
                rows.error[places] = (str(error) or type(error).__name__).splitlines()[0]
                continue
            rows.put(places, self._judged(motion, draws[places]))
        rows.limit[rows.error != ""] = len(self.labels) - 1
        return rows

    def _motion(self, geometry: tuple[float, ...]) -> SharedMotion:
        """The motion of a geometry, planned once; the last few are kept."""
        if geometry not in self._motions:
            values = dict(zip((self.names[k] for k in self.geometry), geometry, strict=True))
            robot = placed(self.subject.robot, values)
            planned = self.subject.planned(robot, values.get("speed", 1.0))
            motion = SharedMotion(self.subject, robot, planned, self.varied, self.subject.robot)
            self._motions[geometry] = motion
            if len(self._motions) > KEPT:
                self._motions.popitem(last=False)
        found = self._motions[geometry]
        assert isinstance(found, SharedMotion)
        return found

    def _judged(self, motion: SharedMotion, draws: Array) -> Rows:
        """The verdicts of variants of one motion."""
        n, form, count = motion.robot.n, motion.form, len(draws)
        z, lanes = self._inputs(motion, draws)
        kept, uses = motion.run(z, lanes)
        most = lanes[:, LANES.index("limit") * n :]
        with np.errstate(divide="ignore", invalid="ignore"):
            uses = uses / np.where(most > 0, most, 1e-250)[:, None, :]
        rows = Rows.empty(count, n, len(self.loads), uses.shape[1])
        rows.torque[:] = uses.max(axis=1) if uses.shape[1] else 0.0
        rows.moves[:] = uses.max(axis=2)
        rows.rms[:] = np.sqrt(kept[:, form.tally["square"]] * motion.dt / motion.period)
        for k, (motor, quantity, limit) in enumerate(self.loads):
            rows.loads[:, k] = self._load(motion, kept, motor, quantity) / limit
        rows.margin[:] = 1 - np.concatenate([rows.torque, rows.loads], axis=1).max(axis=1)
        self._name_limits(motion, rows, kept[:, form.tally["first"]][:, 0], z, lanes)
        bad = ~np.isfinite(rows.margin)
        rows.error[bad] = "expected finite loads, found a result that is no number"
        rows.feasible[bad] = False
        return rows

    def _inputs(self, motion: SharedMotion, draws: Array) -> tuple[Array, Array]:
        """The unknowns z (V, unknowns) and the numbers of the motors (V, 5 n)."""
        columns, count, n = self.columns(draws), len(draws), motion.robot.n
        parts = []
        for body in self.varied.bodies:
            prefix = f"link.{body.link}." if body.link else "payload."
            names = {p: "payload" if prefix == "payload." and p == "mass" else prefix + p
                     for p in body.parts}  # fmt: skip
            parts.append(body.values({part: columns[name] for part, name in names.items()}))
        parts += [columns[f"wrench.{WRENCH[k]}"][:, None] for k in self.varied.wrench]
        z = np.hstack(parts) if parts else np.zeros((count, 0))
        drives = Drives.of(motion.robot, path=self.subject.torque_path)
        friction = motor_factors(columns, "friction", count, n)
        values = {name: friction * getattr(drives, name) for name in LANES[:3]}
        values["inertia"] = motor_factors(columns, "rotor_inertia", count, n) * drives.inertia
        torque = motor_factors(columns, "torque", count, n)
        values["limit"] = torque if motion.form.curve else torque * drives.torque_max
        return z, np.hstack([values[name] for name in LANES])

    def _load(self, motion: SharedMotion, kept: Array, motor: int, quantity: str) -> Array:
        """The value of one continuous load of each variant, (V,)."""
        tally, i = motion.form.tally, motor - 1

        def column(name: str) -> Array:
            return kept[:, tally[name].start + max(i, 0)]

        if quantity == "rms torque":
            return np.sqrt(column("square") * motion.dt / motion.period)
        if quantity == "thermal":
            return column("heat_peak") / motion.robot.drives[i].torque_rated ** 2
        if quantity == "gear peak":
            return column("gear")
        if quantity == "gear average":
            turned = float(motion.table[:, motion.form.row["turn"]][:, i].sum())
            return np.cbrt(column("cube") / (turned or 1.0))
        if quantity == "voltage":
            return column("volts")
        if quantity == "bus power":
            return column("power")
        return column("mean_power") * motion.dt / motion.period

    def _name_limits(
        self, motion: SharedMotion, rows: Rows, first: Array, z: Array, lanes: Array
    ) -> None:
        """Say whether each variant is feasible, and what fails first, and when."""
        place = {label: k for k, label in enumerate(self.labels)}
        start, shared = self._shared_limit(motion)
        rows.feasible[:] = shared == ""
        if shared:
            rows.limit[:], rows.time[:] = place[shared], start
        load_fails = ~(rows.loads <= 1 + ROUNDING)
        if rows.loads.shape[1]:
            failing = load_fails.any(axis=1) & (rows.limit == 0)
            worst = np.where(load_fails, rows.loads, -1).argmax(axis=1)
            names = [f"{_owner(motor)}: {quantity}" for motor, quantity, _ in self.loads]
            codes = np.array([place[name] for name in names])
            rows.limit[failing] = codes[worst[failing]]
            rows.feasible[load_fails.any(axis=1)] = False
        short = np.flatnonzero(first >= 0)
        if len(short):
            rows.feasible[short] = False
            cycles = first[short].astype(int)
            begin = motion.t[cycles]
            earlier = ~(begin > start) if shared else np.ones(len(short), dtype=bool)
            motors = self._short_motor(motion, cycles, z[short], lanes[short])
            chosen = short[earlier]
            rows.limit[chosen] = 1 + motors[earlier]
            rows.time[chosen] = begin[earlier]

    def _short_motor(
        self, motion: SharedMotion, cycles: NDArray[np.intp], z: Array, lanes: Array
    ) -> NDArray[np.intp]:
        """The motor (from 0) that lacks most of its limit in a cycle of each variant."""
        form, n = motion.form, motion.robot.n
        row, none = list(motion.table[cycles].T), list(np.zeros((form.tally_size, len(cycles))))
        constants = motion.constants.tolist()
        with np.errstate(all="ignore"):
            kept = cycle(form, NUMPY, row, list(z.T), list(lanes.T), constants, none)
            most = lanes[:, LANES.index("limit") * n :]
            return np.asarray((np.array(kept[:n]).T / np.maximum(most, 1e-250)).argmax(axis=1))

    def _shared_limit(self, motion: SharedMotion) -> tuple[float, str]:
        """When (s) and what fails for all variants of a motion, whatever they weigh."""
        strict = self.subject.strict
        if motion.planned.failures:
            return float(motion.t[0]), "plan"
        failing = [e for e in motion.events if e.fails or strict]
        if failing:
            event = min(failing, key=lambda e: (e.start, e.joint))
            return event.start, event_label(event)
        from ..cell.motion_contacts import motion_contacts

        contacts = motion_contacts(motion.robot, self.subject.cell, motion.t, motion.q)
        if contacts:
            return contacts[0].start, "collision"
        if strict and self.unchecked:
            return math.nan, "not checked"
        return math.nan, ""

    def robot_of(self, values: Mapping[str, float]) -> Robot:
        """The robot of one variant: geometry, links and drives as it has them, without payload."""
        robot = placed(self.subject.robot, values)
        links = list(robot.links)
        for body in self.varied.bodies:
            if body.link:
                prefix = f"link.{body.link}."
                found = body.body({p: values[prefix + p] for p in body.parts})
                links[body.link - 1] = _with_body(links[body.link - 1], found)
        one = {name: np.array([value]) for name, value in values.items()}
        factors = {kind: motor_factors(one, kind, 1, robot.n)[0].tolist()
                   for kind in ("friction", "torque", "rotor_inertia")}  # fmt: skip
        drives = []
        for i, drive in enumerate(robot.drives):
            friction, torque, inertia = (values_[i] for values_ in factors.values())
            drives.append(replace(
                drive, load_friction=friction * drive.load_friction,
                coulomb=friction * drive.coulomb, viscous=friction * drive.viscous,
                inertia=inertia * drive.inertia, torque_max=torque * drive.torque_max,
                curve=tuple((speed, torque * most) for speed, most in drive.curve),
            ))  # fmt: skip
        return replace(robot, links=tuple(links), drives=tuple(drives))

    def payload_of(self, values: Mapping[str, float]) -> Payload | None:
        """What one variant carries where the program says nothing else."""
        for body in self.varied.bodies:
            if body.link == 0:
                names = {p: "payload" if p == "mass" else f"payload.{p}" for p in body.parts}
                return body.body({part: values[name] for part, name in names.items()})
        return self.subject.payload

    def wrench_of(self, values: Mapping[str, float]) -> tuple[float, ...]:
        """The wrench (6,) of one variant, N and N m."""
        given = zip(WRENCH, self.subject.wrench, strict=True)
        return tuple(values.get(f"wrench.{name}", value) for name, value in given)


def placed(robot: Robot, values: Mapping[str, float]) -> Robot:
    """The robot with mount and tool as a variant has them."""
    changes = {}
    for name in ("mount", "tool"):
        pose: Pose = getattr(robot, name)
        xyz = [values.get(f"{name}.{axis}", x) for axis, x in zip(PLACE, pose.xyz, strict=True)]
        rpy = [values.get(f"{name}.{turn}", x) for turn, x in zip(TURNS, pose.rpy, strict=True)]
        changed = Pose((xyz[0], xyz[1], xyz[2]), (rpy[0], rpy[1], rpy[2]))
        if changed != pose:
            changes[name] = changed
    return replace(robot, **changes) if changes else robot  # type: ignore[arg-type]


def _with_body(link: Link, body: Payload) -> Link:
    return replace(link, mass=body.mass, center=body.center, inertia=body.inertia)


def load_limits(robot: Robot) -> list[tuple[int, str, float]]:
    """The continuous loads that are judged: motor (0: the supply), quantity, limit."""
    found: list[tuple[int, str, float]] = []
    for i, drive in enumerate(robot.drives, 1):
        limits = {"rms torque": drive.torque_rated, "thermal": 1.0 if warms(drive) else math.inf,
                  "gear average": drive.gear_torque_average, "gear peak": drive.gear_torque_peak,
                  "voltage": drive.voltage_max if electric(drive) else math.inf}  # fmt: skip
        found += [(i, name, x) for name, x in limits.items() if math.isfinite(x)]
    if math.isfinite(robot.bus_power):
        found += [(0, name, robot.bus_power) for name in ("bus power", "bus power mean")]
    return found


def labels_of(robot: Robot, loads: Sequence[tuple[int, str, float]]) -> tuple[str, ...]:
    """All that can fail: "" for nothing, then motors, loads, joints, the rest, "error" last."""
    assert all(quantity in PHRASES for _, quantity, _ in loads)
    labels = ["", *(f"motor {i + 1}: torque" for i in range(robot.n))]
    labels += [f"{_owner(motor)}: {quantity}" for motor, quantity, _ in loads]
    kinds = (*LIMITS.values(), ACCELERATION)
    labels += [f"joint {i + 1}: {kind}" for i in range(robot.n) for kind in kinds]
    return (*labels, "plan", "collision", "not checked", "error")


def event_label(event: Event) -> str:
    """The label of an event of the motion that all variants share."""
    return f"joint {event.joint}: {event.kind}"


def _owner(motor: int) -> str:
    return f"motor {motor}" if motor else "supply"


assert SLACK < ROUNDING
