"""What fails, first and worst: the events of an achieved motion, after docs/verify.md."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .algorithm1 import EDGE, Outcome, fastest
from .arm import Arm, Array
from .load import Rows

TORQUE, STALL = "torque limit", "stall"
TORQUE_KINDS = (TORQUE, STALL)
JOINT_SPEED, MOTOR_SPEED = "joint speed limit", "motor speed limit"


@dataclass(frozen=True)
class Span:
    """A limit that is broken in the cycles `first` to `last`, by `part` of it, or `doubt` more."""

    kind: str
    joint: int
    first: int
    last: int
    part: float
    doubt: float = 0.0


def failures(arm: Arm, made: Outcome, qd_given: Array) -> list[Span]:
    """Everything that makes the motion infeasible, in the order of its beginning."""
    rows = len(made.t) if made.lost < 0 else made.lost
    found: list[Span] = []
    for i in range(arm.n):
        lack = np.maximum(0.0, abs(made.programmed[:rows, i]) - made.most[:rows, i])
        for first, last in runs(made.saturated[:rows, i]):
            cycles = slice(first, last + 1)
            kind = STALL if made.stalled[cycles, i].any() else TORQUE
            worst = first + int(lack[cycles].argmax())
            part, doubt = (
                x / made.most[worst, i] for x in (lack[worst], made.doubt[cycles, i].max())
            )
            found.append(Span(kind, i + 1, first, last, float(part), float(doubt)))
        for kind in (JOINT_SPEED, MOTOR_SPEED, "position limit"):
            bent = np.zeros(rows)
            for (k, joint), (limit, most) in made.slowed.items():
                # where the motor is at its limit, or the stop, it is they that keep the joint slow
                others = made.saturated[k, i] or (k, i) in made.stopped
                if joint == i and limit == kind and k < rows and not others:
                    bent[k] = abs(qd_given[k, i] - made.qd[k, i]) / most
            found += _spans(kind, i, bent)
        over = abs(made.qd[:rows, i]) / arm.velocity[i] - 1
        found += _spans(JOINT_SPEED, i, np.where(over > EDGE, over, 0.0))
        turned = abs(made.qd[:rows] @ arm.drives.K[i]) / arm.drives.speed_max[i] - 1
        found += _spans(MOTOR_SPEED, i, np.where(turned > EDGE, turned, 0.0))
        hit, touched = np.zeros(rows), np.zeros(rows, bool)
        for (k, joint), speed in made.stopped.items():
            if joint == i and k < rows:
                hit[k], touched[k] = speed / fastest(arm)[i], True
        found += [
            Span("joint stop", i + 1, first, last, float(hit[first]))  # later it is pressed on
            for first, last in runs(touched)
        ]
    if made.lost >= 0:
        found.append(Span("run-away", 0, made.lost, made.lost, np.inf))
    return sorted(found, key=lambda span: (span.first, span.joint, span.kind))


def runs(mask: Array) -> list[tuple[int, int]]:
    """First and last index of every run of true values."""
    found: list[tuple[int, int]] = []
    for k in np.flatnonzero(mask):
        if found and found[-1][1] == k - 1:
            found[-1] = (found[-1][0], int(k))
        else:
            found.append((int(k), int(k)))
    return found


def _spans(kind: str, i: int, part: Array) -> list[Span]:
    return [
        Span(kind, i + 1, first, last, float(part[first : last + 1].max()))
        for first, last in runs(part > 0)
    ]


def over_acceleration(arm: Arm, qd_given: Array, dt: float) -> set[int]:
    """The joints (from 1) whose programmed acceleration exceeds its limit, a warning."""
    most = abs(np.diff(qd_given, axis=0) / dt).max(axis=0)
    return {int(i) + 1 for i in np.flatnonzero(most > arm.acceleration * (1 + 1e-6))}


def overloads(load: Rows) -> set[tuple[int, str]]:
    """The continuous loads that are beyond their limits."""
    return {place for place, (value, limit) in load.items() if value > limit}


@dataclass(frozen=True)
class Peaks:
    """The hardest moments, as parts of the limits, (n,) each."""

    torque: Array
    speed: Array
    acceleration: Array


def peaks(arm: Arm, made: Outcome, qd_given: Array) -> Peaks:
    """Peaks of motor torque, motor speed, programmed joint acceleration."""
    dt = float(made.t[1] - made.t[0])
    rows = slice(1, None if made.lost < 0 else made.lost)
    turned = abs(made.qd[rows] @ arm.drives.K.T) / arm.drives.speed_max
    return Peaks(
        (abs(made.torque[rows]) / made.most[rows]).max(axis=0),
        turned.max(axis=0),
        abs(np.diff(qd_given, axis=0) / dt).max(axis=0) / arm.acceleration,
    )
