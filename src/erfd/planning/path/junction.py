"""Path moves as geometry: curve, turn, limits, and the junctions where two of them meet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ...ground.arrays import Array
from ..moves import Move
from ..plan import Failure, Note
from ..targets import Goal, target_names
from .course import Course, Stretch, course
from .curve import SAME, Curve, angle_between, arc, line, spot
from .orientation import OPPOSITE, OrientationPath, joined, rotation_about, rotation_vector

SMALL_CORNER = math.radians(1.0)
"""Sharper corners stop the robot, unless they are rounded (erratum 21)."""
NO_CORNER = math.radians(0.01)
"""What the rounding of coordinates makes of a smooth junction; not worth a note."""
SHARPEST = math.radians(175.0)
"""The way back cannot be rounded."""
SAME_TURN = 1e-10
"""A turn below this (rad) is none."""
TURN_SPEED, TURN_ACC = 1.0, 2.0
"""rad/s, rad/s2 of a turn on the spot whose move gives no speed_ori, acc_ori."""


@dataclass(frozen=True, slots=True, eq=False)
class MoveGeometry:
    """The result of making a stretch, with notes and failures; `stretch` None: nothing moves."""

    stretch: Stretch | None
    end: Array
    notes: tuple[Note, ...]
    failures: tuple[Failure, ...]


def move_geometry(move: Move, start: Array, via: Goal | None, end: Goal) -> MoveGeometry:
    """The geometry of a path move from the tool frame `start` (4, 4)."""
    notes: list[Note] = []
    failures: list[Failure] = []
    curve, via_length = _curve(move, start[:3, 3], via, end.position, notes, failures)
    spin, followed = np.zeros(3), start[:3, :3]  # the rotation that stays constant on the path
    if move.c_ori != "o_var" and curve is not None and curve.bend:
        spin = curve.bend * curve.axis
        followed = rotation_about(spin * curve.length) @ followed
    rotation, vector, turn = followed, np.zeros(3), 0.0
    if end.rotation is not None:
        rotation, vector = end.rotation, rotation_vector(followed.T @ end.rotation)
        turn = math.sqrt(vector @ vector)
        if turn < SAME_TURN:
            vector, turn = np.zeros(3), 0.0
    _turn_notes(move, turn, notes)
    speed, acc = move.speed, move.acc
    if curve is None and turn > 0:
        curve = spot(start[:3, 3], turn)
        speed, acc = move.speed_ori or TURN_SPEED, move.acc_ori or TURN_ACC
        if move.speed_ori is None:
            sentence = (
                f"turns on the spot at {math.degrees(speed):.0f} deg/s; speed_ori sets the speed"
            )
            notes.append(Note(move.line, "orientation", sentence, turn))
    end_pose = np.eye(4)
    end_pose[:3, :3], end_pose[:3, 3] = rotation, start[:3, 3]
    if curve is None:
        return MoveGeometry(None, end_pose, tuple(notes), tuple(failures))
    end_pose[:3, 3] = curve.end
    none = np.zeros(3)
    orientation = OrientationPath(start[:3, :3], vector, curve.length, spin, none, none)
    total = math.inf if curve.on_the_spot else move.acc
    stretch = Stretch(curve, orientation, speed, acc, via_length, total=total)
    return MoveGeometry(stretch, end_pose, tuple(notes), tuple(failures))


def _curve(
    move: Move,
    start: Array,
    via: Goal | None,
    end: Array,
    notes: list[Note],
    failures: list[Failure],
) -> tuple[Curve | None, float | None]:
    """The curve, and the length up to the via point on it."""
    if via is None:
        return line(start, end), None
    circle = arc(start, via.position, end)
    if circle is not None:
        side = via.position - start - circle.radius * circle.inward
        to_via = math.atan2(side @ circle.direction, -(side @ circle.inward)) % (2 * math.pi)
        if move.angle is not None:
            circle = replace(circle, length=circle.radius * move.angle)
        return circle, circle.radius * to_via if to_via <= circle.angle else None
    chord = line(start, end)
    over = [float(np.linalg.norm(via.position - point)) for point in (start, end)]
    name = target_names(move)[0]
    if chord is None:
        if max(over) > SAME:
            sentence = "circle: start and end are one point; give three points and angle=360"
            failures.append(Failure(move.line, "circle", move.name, sentence))
        return None, None
    along = float((via.position - start) @ chord.direction)
    if min(over) <= SAME:
        sentence = (
            f"circle: {name} is the {'start' if over[0] <= SAME else 'end'}, so a line is run"
        )
        notes.append(Note(move.line, "path", sentence))
    elif 0 < along < chord.length:
        sentence = f"circle: {name} is on the line from start to end, so that line is run"
        notes.append(Note(move.line, "path", sentence))
    else:
        sentence = f"circle: {name} is on the line through start and end, but not between them"
        failures.append(Failure(move.line, "circle", name, sentence))
        return chord, None
    return chord, min(max(along, 0.0), chord.length)


def _turn_notes(move: Move, turn: float, notes: list[Note]) -> None:
    """Add notes on a turn (rad) that the mode does not expect, or whose sense is not clear."""
    degrees = f"{math.degrees(turn):.2f} deg"
    if move.c_ori == "o_pco" and turn > math.radians(1.0):
        sentence = f"o_pco: start and end differ by {degrees} relative to the path"
        notes.append(Note(move.line, "orientation", sentence, turn))
    if turn > OPPOSITE:
        sentence = f"start and end orientation are {degrees} apart: the way round is not clear"
        notes.append(Note(move.line, "orientation", sentence, turn))


@dataclass(frozen=True, slots=True)
class Junction:
    """What happens between two moves; `corner` in rad, `blend_distance` in m."""

    kind: Literal["stop", "pass", "round", "overlap"]
    corner: float = 0.0
    blend_distance: float = 0.0
    note: Note | None = None

    @property
    def blend(self) -> str:
        """The blend as L-IRL calls it, or "stop"."""
        words = {"stop": "stop", "pass": "c_speed", "round": "c_cp", "overlap": "c_ptp"}
        return words[self.kind]


def blends(move: Move) -> bool:
    """Whether the move asks not to stop at its end."""
    return move.c_ptp or move.c_speed or move.c_cp is not None


def junction_between(move: Move, before: Stretch, after: Stretch) -> Junction:
    """What happens between two path moves with one tool; `move` is the first of them."""
    on_the_spot = before.curve.on_the_spot or after.curve.on_the_spot
    corner = 0.0
    if not on_the_spot:
        ending = before.curve.tangent(np.array([before.curve.length]))[0]
        corner = angle_between(ending, after.curve.direction)
    if not blends(move):
        return Junction("stop", corner)
    degrees = f"{math.degrees(corner):.2f} deg"
    if not move.c_speed and move.c_cp is None:
        return Junction("overlap", corner)
    if on_the_spot:
        sentence = "stops here, since a turn on the spot cannot be run through"
        return Junction("stop", corner, note=Note(move.line, "blend", sentence))
    if move.c_cp is not None and move.c_cp > SAME and corner > NO_CORNER:
        if corner > SHARPEST:
            sentence = f"stops at a corner of {degrees}, which c_cp cannot round"
            return Junction("stop", corner, note=Note(move.line, "stop", sentence, corner))
        reach = min(move.c_cp, before.curve.length / 2, after.curve.length / 2)
        note = None
        if reach < move.c_cp:
            option = f"c_cp={1000 * move.c_cp:g}"
            sentence = f"{option} is cut to {1000 * reach:.1f} mm, half of the shorter neighbour"
            note = Note(move.line, "rounding", sentence, reach)
        return Junction("round", corner, reach, note)
    if corner > SMALL_CORNER:
        sentence = f"stops at a corner of {degrees}; c_cp would round it"
        return Junction("stop", corner, note=Note(move.line, "stop", sentence, corner))
    return Junction("pass", corner)


def course_of(
    moves: Sequence[Move], stretches: Sequence[Stretch], junctions: Sequence[Junction]
) -> Course:
    """The course of moves that are run without a stop."""
    parts = list(stretches)
    for i, junction in enumerate(junctions):
        smooth = all(move.turning != "even" for move in moves[i : i + 2])
        if junction.kind == "pass" and smooth:
            before, after = joined(parts[i].orientation, parts[i + 1].orientation)
            parts[i] = replace(parts[i], orientation=before)
            parts[i + 1] = replace(parts[i + 1], orientation=after)
    # in a corner the turn of a move counts against the speed_ori of its neighbour
    all_rates = any(move.speed_ori is not None for move in moves)
    pairs = zip(parts, moves, strict=True)
    parts = [_limited(stretch, move, all_rates) for stretch, move in pairs]
    return course(parts, [junction.blend_distance for junction in junctions])


def _limited(stretch: Stretch, move: Move, with_rate: bool) -> Stretch:
    """The stretch with speed_ori and acc_ori turned into limits of speed and acc.

    `with_rate`: how fast it turns is asked for, limited or not.
    """
    free = move.speed_ori is None and move.acc_ori is None
    if stretch.curve.on_the_spot or (free and not with_rate):
        return stretch
    rate, change = stretch.orientation.bounds()
    speed, acc, speed_ori = stretch.speed, stretch.acc, move.speed_ori or math.inf
    if rate > 0:
        speed = min(speed, speed_ori / rate)
    if move.acc_ori is not None:
        # the turn speeds up with the way and, at a steady speed, where its rate changes
        if change > 0:
            speed = min(speed, math.sqrt(move.acc_ori / (2 * change)))
        if rate > 0:
            acc = min(acc, (move.acc_ori - speed * speed * change) / rate)
    return replace(stretch, speed=speed, acc=acc, speed_ori=speed_ori, rate=rate)
