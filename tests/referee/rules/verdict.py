"""What fails, first and worst: the events of an achieved motion, after docs/verify.md."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .algorithm1 import EDGE, Outcome
from .arm import Arm, Array


@dataclass(frozen=True)
class Failure:
    """A limit that is broken: kind, joint (from 1), the row where it begins."""

    kind: str
    joint: int
    row: int


def failures(arm: Arm, made: Outcome) -> list[Failure]:
    """Everything that makes the motion infeasible, by rows."""
    found = set()
    rows = len(made.t) if made.lost < 0 else made.lost
    for (k, joint), kind in made.slowed.items():
        found.add(Failure(kind, joint + 1, k))
    for k, joint in made.stopped:
        found.add(Failure("joint stop", joint + 1, k))
    for k, i in np.argwhere(made.saturated[:rows]):
        kind = "stall" if made.stalled[k, i] else "torque limit"
        found.add(Failure(kind, int(i) + 1, int(k)))
    turned = made.qd[:rows] @ arm.drives.K.T
    for k, i in np.argwhere(abs(made.qd[:rows]) > arm.velocity * (1 + EDGE)):
        found.add(Failure("joint speed limit", int(i) + 1, int(k)))
    for k, i in np.argwhere(abs(turned) > arm.drives.speed_max * (1 + EDGE)):
        found.add(Failure("motor speed limit", int(i) + 1, int(k)))
    if made.lost >= 0:
        found.add(Failure("run-away", 0, made.lost))
    return sorted(found, key=lambda f: (f.row, f.joint, f.kind))


def over_acceleration(arm: Arm, qd_given: Array, dt: float) -> set[int]:
    """The joints (from 1) whose programmed acceleration exceeds its limit, a warning."""
    qdd = np.diff(qd_given, axis=0) / dt
    return {int(i) + 1 for i in np.flatnonzero(abs(qdd).max(axis=0) > arm.acceleration * (1 + 1e-6))}


@dataclass(frozen=True)
class Peaks:
    """The hardest moments, as parts of the limits, (n,) each."""

    torque: Array
    speed: Array
    acceleration: Array


def peaks(arm: Arm, made: Outcome, qd_given: Array) -> Peaks:
    """Peaks of motor torque, motor or joint speed, programmed joint acceleration."""
    dt = float(made.t[1] - made.t[0])
    rows = slice(1, None if made.lost < 0 else made.lost)
    turned = abs(made.qd[rows] @ arm.drives.K.T) / arm.drives.speed_max
    return Peaks(
        (abs(made.torque[rows]) / made.most[rows]).max(axis=0),
        turned.max(axis=0),
        abs(np.diff(qd_given, axis=0) / dt).max(axis=0) / arm.acceleration,
    )
