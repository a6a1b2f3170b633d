"""A program with its tool turned, its base moved, another CONFIG or payload: changes of its steps.

The robot stays what it is, so that nothing has to be compiled anew: a tool that is turned by R, and
has to be at T, is the tool as it was at T R^-1; a base that is moved by d sees all points moved by
-d.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

import numpy as np

from ...ground.arrays import Array
from ...planning.moves import (
    Increment,
    JointIncrement,
    JointTarget,
    Move,
    MoveTarget,
    PoseTarget,
    SetPayload,
    Step,
)
from ...robot.payload import Payload
from ...robot.pose import Mat3, Pose, Vec3, as_mat3

Change = Callable[[Step], Step]


def with_config(config: int, lines: Collection[int] | None) -> Change:
    """Another CONFIG at all targets of some lines; None: wherever a target names one."""

    def change(step: Step) -> Step:
        if not isinstance(step, Move) or (lines is not None and step.line not in lines):
            return step
        return replace(step, targets=tuple(_with_config(t, config, lines) for t in step.targets))

    return change


def _with_config(target: MoveTarget, config: int, lines: Collection[int] | None) -> MoveTarget:
    if isinstance(target, PoseTarget) and (lines is not None or target.config in range(8)):
        return replace(target, config=config)
    return target


def turned(turn: Array) -> Change:
    """The tool mounted otherwise: turned by `turn` (3, 3) about its point, in its own axes."""

    def change(step: Step) -> Step:
        if isinstance(step, SetPayload):
            return replace(step, payload=turned_payload(step.payload, turn))
        if isinstance(step, Move):
            return replace(step, targets=tuple(_turned_target(t, turn) for t in step.targets))
        return step

    return change


def turned_payload(payload: Payload | None, turn: Array) -> Payload | None:
    """What a turned tool carries, seen from the tool as it was."""
    if payload is None:
        return None
    x, y, z = (turn @ np.array(payload.center)).tolist()
    inertia = as_mat3((turn @ np.array(payload.inertia) @ turn.T).tolist())
    return replace(payload, center=(x, y, z), inertia=inertia)


def _turned_target(target: MoveTarget, turn: Array) -> MoveTarget:
    if isinstance(target, PoseTarget) and target.rotation is not None:
        return replace(target, rotation=_rotation(np.array(target.rotation) @ turn.T))
    if isinstance(target, Increment) and target.reference == "tool":
        x, y, z = (turn @ np.array(target.translation)).tolist()
        step = target.rotation
        rotation = None if step is None else _rotation(turn @ np.array(step) @ turn.T)
        return replace(target, translation=(x, y, z), rotation=rotation)
    return target


def _rotation(matrix: Array) -> Mat3:
    return as_mat3(matrix.tolist())


def moved(by: Vec3) -> Change:
    """The base moved by `by` (m, base axes), all that the program names stays where it is."""

    def change(step: Step) -> Step:
        if not isinstance(step, Move):
            return step
        if step.frame is not None:
            x, y, z = (a - b for a, b in zip(step.frame.xyz, by, strict=True))
            return replace(step, frame=Pose((x, y, z), step.frame.rpy))
        return replace(step, targets=tuple(_moved_target(t, by) for t in step.targets))

    return change


def _moved_target(target: MoveTarget, by: Vec3) -> MoveTarget:
    if isinstance(target, JointTarget | JointIncrement | Increment):
        return target
    x, y, z = (a - b for a, b in zip(target.position, by, strict=True))
    return replace(target, position=(x, y, z))


def lighter(part: float) -> Change:
    """All payloads that the program names with a part of their mass."""

    def change(step: Step) -> Step:
        if isinstance(step, SetPayload):
            return replace(step, payload=scaled(step.payload, part))
        return step

    return change


def scaled(payload: Payload | None, part: float) -> Payload | None:
    """A payload with a part of its mass and inertia; none if nothing is left."""
    if payload is None or not part:
        return None
    inertia = as_mat3((part * np.array(payload.inertia)).tolist())
    return replace(payload, mass=part * payload.mass, inertia=inertia)
