"""Notes on a planned joint trajectory: axes that wind up, singularities that are passed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..ground.arrays import Array
from ..ik.singularity import NEAR, NEAR_OTHER, Passage, passages, singularity
from ..robot.model import Robot
from ..robot.pose import Pose
from .adapted_law import Slowing
from .plan import Note, PlannedMove

HALF_TURN = math.pi * (1 + 1e-9)
NOT_SLOWED = 0.999
"""A path that keeps more of its speed is not slowed: the search for its speed is no finer."""
TOO_FAST = 1.02
"""A part of a limit beyond this is not what lies between two places that are looked at."""
NEEDED = 6
"""Joints that a pose needs."""
SCREEN = 10
"""Every so many samples are looked at first: singular values take time."""


def turn_notes(
    robot: Robot, q: Array, place: NDArray[np.intp], moves: Sequence[PlannedMove]
) -> list[Note]:
    """Notes on axes that are beyond half a turn, or turn by more than that in one path move."""
    notes = []
    limited = [j.revolute and math.isfinite(j.position_max - j.position_min) for j in robot.joints]
    size = np.abs(q)
    for i in np.flatnonzero(size.max(axis=0) > HALF_TURN):
        if limited[i]:  # an axis without limits is meant to turn
            first = int(np.argmax(size[:, i] > HALF_TURN))
            worst = float(q[size[:, i].argmax(), i])
            sentence = (
                f"{robot.joints[i].name} is turned beyond 180 deg, to {math.degrees(worst):.0f} deg"
            )
            notes.append(Note(moves[place[first]].line, "turn", sentence, worst))
    for k, move in enumerate(moves):
        if move.kind not in ("lin", "circle"):
            continue
        samples = q[slice(*np.searchsorted(place, [k, k + 1]))]
        if len(samples):
            span = samples.max(axis=0) - samples.min(axis=0)
            for i in np.flatnonzero(span > HALF_TURN):
                if robot.joints[i].revolute:
                    by = f"{math.degrees(span[i]):.0f} deg"
                    sentence = f"{robot.joints[i].name} turns by {by} in this move"
                    notes.append(Note(move.line, "turn", sentence, float(span[i])))
    return notes


def redundancy_notes(robot: Robot, moves: Sequence[PlannedMove]) -> list[Note]:
    """A note on how the joints that a path does not need are moved, at its first path move."""
    spare = robot.n - NEEDED
    first = next((move for move in moves if move.kind in ("lin", "circle")), None)
    if spare <= 0 or first is None:
        return []
    sentence = (
        f"{robot.n} joints for a path that needs {NEEDED}: they drift towards the middle of their"
        " ranges as the tool goes"
    )
    return [Note(first.line, "redundancy", sentence, float(spare))]


def slowing_notes(move: PlannedMove, slowing: Slowing) -> list[Note]:
    """Notes on a path move that was fitted to the axes: how slow it is, what is too fast still."""
    notes = []
    if slowing.part < NOT_SLOWED:
        sentence = f"slowed to {100 * slowing.part:.3g} % of its speed for {slowing.limit}"
        notes.append(Note(move.line, "slowed", sentence, slowing.part))
    if slowing.most > TOO_FAST:
        asked = f"{100 * slowing.most:.0f} % of {slowing.most_of}"
        sentence = f"a ten-thousandth of its speed is too fast for the axes still: {asked}"
        notes.append(Note(move.line, "too fast", sentence, slowing.most))
    return notes


def singularity_notes(
    robot: Robot,
    q: Array,
    place: NDArray[np.intp],
    moves: Sequence[PlannedMove],
    tools: Sequence[Pose],
    dt: float,
) -> list[Note]:
    """Notes on path moves that pass near a singularity; point to point it does not matter."""
    on_path = np.array([move.kind in ("lin", "circle") for move in moves])
    rows = np.flatnonzero(on_path[place])[::SCREEN]
    if not len(rows):
        return []
    coarse = singularity(robot, q[rows])
    edge = np.where(coarse.kind == "other", NEAR_OTHER, NEAR)
    # by how much it changes to the next sample that is looked at
    step = np.abs(np.diff(coarse.closeness, append=coarse.closeness[-1]))
    close = coarse.closeness - np.maximum(step, np.roll(step, 1)) < edge
    notes = []
    for k in sorted(set(place[rows[close]].tolist())):
        samples = q[slice(*np.searchsorted(place, [k, k + 1]))]
        passed = passages(robot, samples, dt, tool=tools[k]) if len(samples) > 1 else ()
        if passed:
            nearest = min(passed, key=lambda p: p.measure)
            value = nearest.length if math.isnan(nearest.angle) else nearest.angle
            notes.append(Note(moves[k].line, "singularity", _sentence(robot, nearest), value))
    return notes


def _sentence(robot: Robot, passed: Passage) -> str:
    """How near the passage is to its singularity, and at what speed the worst joint moves."""
    if not math.isnan(passed.angle):
        left = f"within {math.degrees(passed.angle):.1f} deg of the {passed.kind} singularity"
    elif not math.isnan(passed.length):
        left = f"within {1000 * passed.length:.0f} mm of the {passed.kind} singularity"
    else:
        left = "near a singularity"
    joint = robot.joints[passed.joint - 1]
    unit = "rad/s" if joint.revolute else "m/s"
    speeds = f"{joint.name} moves at {passed.speed:.2f} {unit}, its limit is {passed.limit:.2f}"
    return f"passes {left}: {speeds}"
