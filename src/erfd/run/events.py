"""Events: when a motor or a limit kept the robot from the wanted motion, how much, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ground.arrays import Array
from ..robot.limits import JointLimits
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


STOP = 4
"""The `clipped` code of a joint at its stop."""
LIMITS = {1: "joint speed limit", 2: "motor speed limit", 3: "position limit", STOP: "joint stop"}
"""The limits that may change the wanted motion, by `clipped` code; a stop does so afterwards."""
TORQUE_KINDS = ("torque limit", "stall", "voltage limit")
"""The kinds of events that lack motor torque, N m."""
ACCELERATION = "joint acceleration limit"
RUN_AWAY = "run-away"
KINDS = (*TORQUE_KINDS, *LIMITS.values(), ACCELERATION, RUN_AWAY)
"""Every kind of event."""
OVER = 1e-6
"""A programmed acceleration may exceed its limit by this part of it: positions are rounded."""
FASTER = 1e-9
"""An achieved speed may exceed its limit by this part of it."""


@dataclass(frozen=True, slots=True)
class Event:
    """A span of time in which a joint could not follow the wanted motion, and the causes.

    `start` and `end` in s, `joint` from 1. `kind` is one of `KINDS` (`stall`: the motor cannot
    even hold). `missing` is in `unit`:

    - torque kinds: what the motor lacks for the programmed acceleration, N m at the motor;
    - speed and position limits: what the joint lacks of its wanted speed, or, if `beyond`, how much
      it is faster than allowed, rad/s (m/s);
    - `joint stop`, `run-away`: the joint's speed when it arrives or when the run ends, rad/s (m/s);
    - `joint acceleration limit`: how much more is programmed than allowed, rad/s2 (m/s2).

    `shares` are parts of the motor torque at the worst moment, in percent of those that push
    towards the limit. A `severity` of "failure" makes a run infeasible, a "warning" does not.
    `part` is `missing` as a part of its limit (1 where there is no limit to compare with, 0 if it
    is not known). `at` is the worst moment, s, the end of its cycle (None in files that do not
    say), `line` the line of the program that runs then, 0 if none is known: an event that spans
    several moves belongs to that line.
    """

    start: float
    end: float
    joint: int
    kind: str
    missing: float
    shares: tuple[tuple[str, float], ...] = ()
    unit: str = ""
    severity: str = "failure"
    part: float = 0.0
    beyond: bool = False
    at: float | None = None
    line: int = 0

    def __post_init__(self) -> None:
        # files of earlier versions have no unit, or a speed's where torque is missing
        if self.kind in TORQUE_KINDS:
            object.__setattr__(self, "unit", "N m")
        elif not self.unit:
            object.__setattr__(self, "unit", "rad/s2" if self.kind == ACCELERATION else "rad/s")

    @property
    def fails(self) -> bool:
        """Whether it makes the run infeasible."""
        return self.severity == "failure"

    @property
    def rank(self) -> tuple[bool, bool, float, float]:
        """What events are compared by: the worst one has the largest part of its limit."""
        return self.fails, self.kind == RUN_AWAY, self.part, self.missing

    def __str__(self) -> str:
        when = f"{self.start:.2f}-{self.end:.2f} s"
        size = f"{self.missing:.3g} {self.unit}"
        if self.kind == RUN_AWAY:
            turns = "slides" if self.unit == "m/s" else "turns"
            fast = f"joint {self.joint} {turns} at {size}"
            return f"the arm runs away at {self.end:.2f} s: {fast}; nothing after that is computed"
        if self.kind == LIMITS[STOP]:
            return f"joint {self.joint} hits its stop with {size} at {when}; {self.kind}"
        if self.kind == ACCELERATION:
            return f"joint {self.joint} is asked for {size} too much at {when}; {self.kind}"
        if self.kind in LIMITS.values():
            if self.beyond:
                return f"joint {self.joint} is {size} too fast at {when}; {self.kind}"
            return f"joint {self.joint} lacks {size} at {when}; {self.kind}"
        why = ", ".join(f"{cause} {share:.0f} %" for cause, share in self.shares)
        if self.kind != "stall" and not self.missing:  # it catches up, or others fall short
            return f"motor {self.joint} is at its limit at {when}; {why}"
        word = "cannot hold: it lacks" if self.kind == "stall" else "lacks"
        return f"motor {self.joint} {word} {size} at {when}; {why}"


def worst_event(events: Iterable[Event]) -> Event | None:
    """The event with the largest part of its limit: failures before warnings, None of none."""
    return max(events, key=lambda event: event.rank, default=None)


def is_feasible(events: Iterable[Event]) -> bool:
    """Whether no event is a failure."""
    return not any(event.fails for event in events)


def spans(mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """(first, last) row of every run of true values."""
    edges = np.diff(np.concatenate([[0], mask.astype(int), [0]]))
    return list(zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1, strict=True))


def find_events(
    data: dict[str, Any], robot: Robot, *, ended: str = "", programmed: bool = True
) -> tuple[Event, ...]:
    """All events of a run, in the order of their beginnings.

    Args:
        data: The columns of the run.
        robot: Its robot, with drives.
        ended: `run-away` if nothing was computed after the last row, since the arm runs away.
        programmed: Whether `qd_given` is a programmed motion, whose accelerations are compared with
            the joints' limits, rather than a measured one.
    """
    events = [
        *_torque_events(data, robot),
        *_limit_events(data, robot),
        *_speed_events(data, robot),
        *(_acceleration_events(data, robot) if programmed else ()),
    ]
    if ended == RUN_AWAY:
        events.append(_run_away(data, robot))
    return tuple(sorted(events, key=lambda event: (event.start, event.joint)))


def programmed_accelerations(qd_given: Array, dt: float, cycle_time: float) -> Array:
    """The joint accelerations that a controller asks for: velocity steps over its cycle.

    Args:
        qd_given: The given joint velocities, rad/s (m/s), (N, n), dt s apart.
        dt: The step, s.
        cycle_time: The controller's cycle, s: a step of velocity takes that long, however fine it
            is looked at. A motion with a longer step is taken as it is.

    Returns:
        The change of velocity in the controller's cycle that a row is in, by its time, (N, n); row
        0 is zero.
    """
    parts = max(1, round(cycle_time / dt))
    end = -(-np.arange(len(qd_given)) // parts) * parts  # the cycle's last row
    begin = np.maximum(end - parts, 0)
    change = qd_given[np.minimum(end, len(qd_given) - 1)] - qd_given[begin]
    return np.asarray(change / (parts * dt))


def _torque_events(data: dict[str, Any], robot: Robot) -> list[Event]:
    """Motors at their torque limits."""
    t, limit, saturated = data["t"], data["u_a_max"], data["saturated"] != 0
    if not saturated.any():
        return []
    missing = np.maximum(np.abs(data["u_a_wanted"]) - limit, 0.0)
    mu, dry = (
        np.array([getattr(drive, name) for drive in robot.drives])
        for name in ("load_friction", "coulomb")
    )
    standing = np.abs(data["ua_gravity"] + data["ua_external"]) * (1 - mu) - dry
    events = []
    for i in np.flatnonzero(saturated.any(axis=0)).tolist():
        for first, last in spans(saturated[:, i]):
            rows = slice(first, last + 1)
            worst = first + _worst_row(missing[rows, i])
            stalled = data["stalled"][rows, i] != 0
            kind = "stall" if bool(stalled.any()) else "torque limit"
            if kind == "stall":  # what it lacks to hold the arm, not what the motion would take
                held = standing[rows, i] - limit[rows, i]
                worst = first + _worst_row(np.where(stalled, held, -np.inf))
                missing[worst, i] = max(held[worst - first], 0.0)
            lack, most = float(missing[worst, i]), float(limit[worst, i])
            shares, start = torque_shares(data, worst, i), float(t[max(first - 1, 0)])
            event = Event(start, float(t[last]), i + 1, kind, lack, shares, at=float(t[worst]))
            events.append(_with_part(event, most))
    return events


def _limit_events(data: dict[str, Any], robot: Robot) -> list[Event]:
    """Limits that bent the wanted motion where no motor was short, and stops."""
    t, clipped, events = data["t"], data["clipped"], []
    if not clipped.any():
        return []
    short = np.abs(data["qd_given"] - data["qd"])
    dt = _step(t)
    reference = _joint_speeds(robot)
    for i in np.flatnonzero(clipped.any(axis=0)).tolist():
        for code, kind in LIMITS.items():
            mask = clipped[:, i] == code
            if code != STOP:
                mask &= data["saturated"][:, i] == 0
            for first, last in spans(mask):
                before = max(first - 1, 0)
                if code == STOP:
                    speeds = data["qd"][before, i] + np.array([0.0, data["qdd"][first, i] * dt])
                    lack, worst = float(np.abs(speeds).max()), first
                else:
                    worst = first + _worst_row(short[first : last + 1, i])
                    lack = float(short[first : last + 1, i].max())
                event = Event(
                    float(t[before]), float(t[last]), i + 1, kind, lack, unit=_unit(robot, i),
                    at=float(t[worst]),
                )  # fmt: skip
                events.append(_with_part(event, float(reference[kind][i])))
    return events


def _speed_events(data: dict[str, Any], robot: Robot) -> list[Event]:
    """Joints that are faster than they or their motors may be, as those of a falling arm."""
    t, events, reference = data["t"], list[Event](), _joint_speeds(robot)
    limits = {LIMITS[1]: ("qd", JointLimits.of(robot).velocity, np.ones(robot.n))}
    if robot.drives:
        fastest = np.array([drive.speed_max for drive in robot.drives])
        ratio = np.abs(np.diag(np.array(robot.gear_matrix)))
        limits[LIMITS[2]] = ("qd_a", fastest, ratio)
    for kind, (name, limit, ratio) in limits.items():
        if _within(data[name], limit):
            continue
        excess = (np.abs(data[name]) - limit) / ratio
        mask = excess > FASTER * np.where(np.isfinite(reference[kind]), reference[kind], 0.0)
        mask[0] = False  # the start is given, and the cycle before it is none of this motion's
        if not mask.any():
            continue
        for i in np.flatnonzero(mask.any(axis=0)).tolist():
            for first, last in spans(mask[:, i]):
                most = float(excess[first : last + 1, i].max())
                event = Event(
                    float(t[max(first - 1, 0)]), float(t[last]), i + 1, kind, most,
                    unit=_unit(robot, i), beyond=True,
                    at=float(t[first + _worst_row(excess[first : last + 1, i])]),
                )  # fmt: skip
                events.append(_with_part(event, float(reference[kind][i])))
    return events


def _acceleration_events(data: dict[str, Any], robot: Robot) -> list[Event]:
    """Programmed accelerations beyond the joints' limits: warnings."""
    t, limit, events = data["t"], JointLimits.of(robot).acceleration, list[Event]()
    if not np.isfinite(limit).any() or len(t) < 2:
        return events
    asked = programmed_accelerations(data["qd_given"], _step(t), robot.cycle_time)
    if _within(asked, limit):
        return events
    asked = np.abs(asked)
    mask = asked > limit * (1 + OVER)
    for i in np.flatnonzero(mask.any(axis=0)).tolist():
        for first, last in spans(mask[:, i]):
            lack = float(asked[first : last + 1, i].max() - limit[i])
            event = Event(
                float(t[max(first - 1, 0)]), float(t[last]), i + 1, ACCELERATION, lack,
                unit=f"{_unit(robot, i)}2", severity="warning",
                at=float(t[first + _worst_row(asked[first : last + 1, i])]),
            )  # fmt: skip
            events.append(_with_part(event, float(limit[i])))
    return events


def _run_away(data: dict[str, Any], robot: Robot) -> Event:
    """The end of a run whose arm runs away: the joint that is fastest for its limit."""
    t, speed = data["t"], np.abs(data["qd"][-1])
    reference = _joint_speeds(robot)[LIMITS[1]]
    i = int((speed / np.where(np.isfinite(reference), reference, 1.0)).argmax())
    start, end = float(t[max(len(t) - 2, 0)]), float(t[-1])
    event = Event(start, end, i + 1, RUN_AWAY, float(speed[i]), unit=_unit(robot, i), at=end)
    return _with_part(event, float(reference[i]))


def _with_part(event: Event, limit: float) -> Event:
    """The event with what it lacks as a part of a limit."""
    known = 0 < limit < np.inf
    return replace(event, part=event.missing / limit if known else 1.0)


def _worst_row(sizes: Array) -> int:
    """The first row of the largest value, whatever rounding adds to those that are as large."""
    most = float(sizes.max())
    return int(np.argmax(sizes >= most - 1e-9 * abs(most)))


def _joint_speeds(robot: Robot) -> dict[str, Array]:
    """The speed (n,), rad/s (m/s), that a lack of speed is compared with, by kind of event."""
    joints = JointLimits.of(robot).velocity
    motors = np.full(robot.n, np.inf)
    if robot.drives:
        ratio = np.abs(np.diag(np.array(robot.gear_matrix)))
        motors = np.array([drive.speed_max for drive in robot.drives]) / ratio
    least = np.minimum(joints, motors)
    return {LIMITS[1]: joints, LIMITS[2]: motors, LIMITS[3]: least, LIMITS[STOP]: least}


def _within(values: Array, limits: Array) -> bool:
    """Whether no value (N, n) is beyond the limit (n,) of its column; most are far from all."""
    if max(values.max(), -values.min()) <= limits.min():
        return True
    return bool((np.abs(values) <= limits).all())


def _unit(robot: Robot, joint: int) -> str:
    return "rad/s" if robot.joints[joint].revolute else "m/s"


def _step(t: Array) -> float:
    """The step of times (N,) in s; a recorded clock need not be a perfect grid."""
    return float(np.median(np.diff(t))) if len(t) > 1 else 1.0


def torque_shares(data: dict[str, Any], row: int, motor: int) -> tuple[tuple[str, float], ...]:
    """The causes that push the motor torque towards its limit, largest first, in percent."""
    side = data["saturated"][row, motor]
    parts = {cause: side * float(data[name][row, motor]) for name, cause in CAUSES.items()}
    whole = sum(value for value in parts.values() if value > 0) or 1.0
    ranked = sorted(parts.items(), key=lambda item: -item[1])
    return tuple((cause, 100 * value / whole) for cause, value in ranked if value > 0.005 * whole)
