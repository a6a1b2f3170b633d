"""What a verification can look at, at which step, and what in its input cannot be meant."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..cell.motion_contacts import can_meet_itself, unseen
from ..drives.drives import Drives
from ..errors import InputError
from ..ground.arguments import number_of
from ..ground.arrays import Array
from ..mechanics.dynamics import external_torque, gravity_torque
from ..mechanics.kinematics import forward_kinematics
from ..planning.move_chain import LONGEST
from ..planning.plan import Plan
from ..robot.model import Robot
from ..robot.payload import Payload

if TYPE_CHECKING:
    from ..cell.model import Cell

STEPS = (1e-5, 0.1)
"""Steps in s at which a verification can be computed."""
FEW = 5
"""A move of fewer computed points is only looked at roughly."""
FAR = 0.1
"""A joint that goes this far (rad, m) from one computed point to the next is looked at roughly."""
OWN_MASSES, HOLDABLE_MASSES = 20.0, 10.0
"""A payload of so many times what the arm weighs, or holds at half of its poses, is not meant."""
POSES = 2000
"""Poses of a path at which it is looked whether the arm can hold itself."""


def parts_of_cycle(robot: Robot, dt: float | None) -> tuple[int, str]:
    """Into how many steps a controller's cycle is divided, and a warning if `dt` is too long.

    Args:
        robot: The robot, with its `cycle_time`.
        dt: The step that is asked for, s; None: the controller's cycle.

    Raises:
        InputError: A step at which nothing sensible can be computed.
    """
    cycle = robot.cycle_time
    if dt is None:
        return 1, ""
    low, high = STEPS
    why = "shorter steps only add up rounding, longer ones pass over the motion"
    expected = f"a time from {low:g} to {high:g} s ({why})"
    dt = number_of("dt", dt, expected)
    if not low <= dt <= high:
        raise InputError(f"dt: expected {expected}, found {dt:g}")
    if dt > cycle * (1 + 1e-9):
        sentence = f"dt of {dt:g} s is longer than the controller's cycle: computed at {cycle:g} s"
        return 1, sentence
    return math.ceil(cycle / dt - 1e-9), ""


def refined(planned: Plan, parts: int) -> Plan:
    """The plan in steps of a part of its cycle.

    Raises:
        InputError: There would be more points than fit into memory.
    """
    points = parts * len(planned.trajectory)
    if parts > 1 and points > LONGEST:
        least = planned.duration / LONGEST
        raise InputError(
            f"dt: expected at least {least:.3g} s for a program of {planned.duration:.4g} s"
            f" ({LONGEST} points), found {planned.trajectory.dt / parts:g}"
        )
    return planned.refined(parts)


def roughness(planned: Plan) -> Iterable[tuple[int, str]]:
    """Warnings (line, sentence) where the points of a plan are few for its motion."""
    q, dt = planned.trajectory.q, planned.trajectory.dt
    starts = np.searchsorted(planned.move, np.arange(len(planned.moves) + 1)).tolist()
    for move, (first, end) in zip(planned.moves, pairwise(starts), strict=True):
        if move.kind == "wait" or first == end:
            continue
        path = q[max(first - 1, 0) : end]
        steps = np.abs(np.diff(path, axis=0))
        if not steps.any():
            continue
        if end - first < FEW:
            yield move.line, f"a move of {end - first} points: steps of {dt:g} s are coarse for it"
        elif steps.max() > FAR:
            joint = int(steps.max(axis=0).argmax()) + 1
            yield (
                move.line,
                f"joint {joint} goes {steps.max():.2g} rad (m) a step: {dt:g} s are coarse for it",
            )


def not_checked(robot: Robot, cell: Cell | None, itself: bool = True) -> Iterable[str]:
    """What a verification of this robot cannot look at, in sentences.

    `itself`: whether links are compared with each other where they can be.
    """
    bare = [link.name for link in robot.links if not (link.collisions or link.visuals)]
    if cell is None or not cell.things:
        around = " with the surroundings" if itself and can_meet_itself(robot) else ""
        yield f"collisions{around} not checked (no cell)"
    elif len(bare) == robot.n:
        yield "collisions not checked (the robot has no shapes)"
    elif bare:
        yield f"collisions of {', '.join(bare)} not checked (no shapes)"
    yield from unseen(robot, cell)
    massless = [
        link.name for link in robot.links if not link.mass and not any(map(any, link.inertia))
    ]
    if len(massless) == robot.n:
        yield "weight and inertia of all links not checked (no mass in the robot's file)"
    elif massless:
        names = ", ".join(massless)
        yield f"weight and inertia of {names} not checked (no mass in the robot's file)"
    drives, joints = robot.drives, robot.joints
    parts: tuple[tuple[str, str, str, Callable[[int], bool]], ...] = (
        ("torque", "motor", "no torque_max",
         lambda i: math.isinf(drives[i].torque_max) and not drives[i].curve),
        ("speed", "motor", "no speed_max",
         lambda i: math.isinf(drives[i].speed_max) and math.isinf(joints[i].velocity_max)),
        ("friction", "motor", "none in the robot's file",
         lambda i: not (drives[i].load_friction or drives[i].coulomb or drives[i].viscous)),
        ("rotor inertia", "motor", "none in the robot's file", lambda i: not drives[i].inertia),
        ("acceleration", "joint", "no limit", lambda i: math.isinf(joints[i].acceleration_max)),
    )  # fmt: skip
    bare_drives = all(parts[2][3](i) and parts[3][3](i) for i in range(robot.n))
    if bare_drives:
        damped = " but the joints' damping" if any(joint.damping for joint in joints) else ""
        yield (
            "the drives are limits alone, no motors: no rotor inertia, no friction"
            f"{damped} (`erfd drives template` begins a file for --drives)"
        )
    for what, thing, why, lacks in parts:
        if bare_drives and what in ("friction", "rotor inertia"):
            continue
        numbers = [i + 1 for i in range(robot.n) if lacks(i)]
        if numbers:
            yield f"{what} of {_named(thing, numbers, robot.n)} not checked ({why})"


def _named(thing: str, numbers: Sequence[int], n: int) -> str:
    """Some of n motors or joints by their numbers."""
    if len(numbers) == 1:
        return f"{thing} {numbers[0]}"
    return f"all {thing}s" if len(numbers) == n else f"{thing}s {', '.join(map(str, numbers))}"


def static_loads(
    robot: Robot, q: Array, payloads: Sequence[Payload | None], wrench: Sequence[float] | None
) -> Array:
    """The loads on the rotors of an arm that stands still, N m, (N, n).

    Args:
        robot: The robot, with drives.
        q: Joint positions in rad (m), (N, n).
        payloads: What it carries at each of them.
        wrench: Force (N) and moment (N m) of the tool on its environment, (6,), if any.
    """
    pushed = np.zeros((len(q), 6)) if wrench is None else np.tile(np.array(wrench), (len(q), 1))
    if any(payload is not None for payload in payloads):
        # a payload is borne like a force at the tool: the opposite of its weight, base coordinates
        up = -np.array(robot.gravity) @ np.array(robot.mount.rotation)
        mass = np.array([0.0 if p is None else p.mass for p in payloads])
        center = np.array([(0.0, 0.0, 0.0) if p is None else p.center for p in payloads])
        turn = forward_kinematics(robot, q)[:, :3, :3]
        force = mass[:, None] * up
        pushed[:, :3] += force
        pushed[:, 3:] += np.cross(np.einsum("kij,kj->ki", turn, center), force)
    u = gravity_torque(robot, q)
    if pushed.any():
        u = u + external_torque(robot, q, pushed)
    return Drives.of(robot).load(u)


def cannot_hold(
    robot: Robot, q: Array, payloads: Sequence[Payload | None], wrench: Sequence[float] | None
) -> NDArray[np.bool_]:
    """Which motors cannot keep the arm at rest, friction helping; arguments as `static_loads`.

    Returns:
        True for every motor that cannot, (N, n).
    """
    drives = Drives.of(robot)
    loads = static_loads(robot, q, payloads, wrench)
    return drives.cannot_hold(loads, drives.limit(np.zeros(robot.n)))


def payload_suspicions(robot: Robot, planned: Plan) -> Iterable[tuple[int, str]]:
    """Warnings (line, sentence) on payloads whose unit was hardly meant."""
    places: dict[Payload | None, list[int]] = {}
    for payload, group in groupby(enumerate(planned.payloads), itemgetter(1)):
        places.setdefault(payload, []).extend(k for k, _ in group)
    for payload, rows in places.items():
        if payload is None or not payload.mass:
            continue
        own = sum(link.mass for link in robot.links)
        masses = holdable_masses(robot, thinned(planned.trajectory.q[rows]), payload)
        most = float(np.median(masses))  # some pose may be stretched out, or straight up
        if own and payload.mass > OWN_MASSES * own:
            what = f"{payload.mass / own:.3g} times as heavy as the arm"
        elif payload.mass > HOLDABLE_MASSES * most:
            what = f"more than {HOLDABLE_MASSES:g} times what the arm can hold on this path"
        else:
            continue
        line = int(planned.lines[rows[0]]) if rows[0] else 0
        meant = f"{payload.mass / 1000:.4g} kg (grams)"
        yield line, f"a payload of {payload.mass:.6g} kg is {what}; was {meant} meant?"


def thinned(rows: Array, most: int = POSES) -> Array:
    """Some of many rows, evenly, the last one among them."""
    if len(rows) <= most:
        return rows
    return np.asarray(rows[np.linspace(0, len(rows) - 1, most).round().astype(int)])


def holdable_masses(robot: Robot, q: Array, payload: Payload) -> Array:
    """The largest masses in kg at the payload's place that the arm can hold at poses q, (N,).

    Loads at the rotors are linear in the mass: each motor bears it up to where the line leaves
    what its torque and friction can hold. Infinite where no motor feels the mass.
    """
    drives = Drives.of(robot)
    empty = static_loads(robot, q, [None] * len(q), None)
    full = static_loads(robot, q, [Payload(1.0, payload.center)] * len(q), None)
    slope = full - empty
    most = (drives.limit(np.zeros(robot.n)) + drives.coulomb) / (1 - drives.load_friction)
    room = np.where(slope >= 0, most - empty, most + empty)
    masses = np.where(slope != 0, room / np.where(slope != 0, np.abs(slope), 1.0), np.inf)
    return np.asarray(np.maximum(masses.min(axis=1), 0.0))
