"""Whether planned joint positions do what the program means, after docs/planner.md.

Only the samples of the plan are looked at, through Pinocchio's forward kinematics: lines straight,
arcs round and flat, speeds and the whole vector of acceleration within what is written, corners
inside their distance, ends reached with their orientation, joints within their limits from point to
point, and nothing that jumps. Lengths in m, angles in rad.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from .arm import Arm, Array
from .plan_samples import (
    STRAIGHT,
    TURNED,
    Motion,
    Piece,
    Wanted,
    angles_about,
    circle_through,
    motion_of,
    turn_between,
)
from .turning import turning_faults

SPARE = 1e-6
"""Of a limit: second differences of positions that are rounded to 1e-16 m."""


def blended(motion: Motion, moves: Sequence[tuple[Wanted, Piece]]) -> Array:
    """Which samples may belong to ramps that overlap in joint space, (N,).

    A ramp lasts as long as it takes to the speed; that of a short move goes on in the next one,
    if there is no stop between them.
    """
    found = np.zeros(len(motion.t), bool)
    for i, (one, other) in enumerate(pairwise(moves)):
        if not in_joint_space(one, other):
            continue
        before, after = (
            max((_ramp(wanted) for wanted, _ in _without_a_stop(moves, place, step)), default=0.0)
            for place, step in ((i, -1), (i + 1, 1))
        )
        middle = one[1].end
        spare = 2.5 * motion.dt
        found |= (motion.t > middle - before - spare) & (motion.t < middle + after + spare)
    return found


def _without_a_stop(
    moves: Sequence[tuple[Wanted, Piece]], place: int, step: int
) -> list[tuple[Wanted, Piece]]:
    """The path moves from a place on, as far as there is no stop between them."""
    chain: list[tuple[Wanted, Piece]] = []
    while 0 <= place < len(moves) and moves[place][0].kind != "ptp":
        chain.append(moves[place])
        place += step
        if 0 <= place < len(moves) and _stops(moves[min(place, place - step)][1]):
            break
    return chain


def faults(
    arm: Arm, motion: Motion, moves: Sequence[tuple[Wanted, Piece]], smooth: bool
) -> list[str]:
    """What the planned samples do not keep, in sentences; `smooth`: the turning at junctions."""
    found = []
    start_pose, start_q = motion.frames[0], motion.q[0]
    free = ~blended(motion, moves)
    for i, (wanted, piece) in enumerate(moves):
        before = moves[i - 1] if i else None
        after = moves[i + 1] if i + 1 < len(moves) else None
        if wanted.kind == "ptp":
            assert wanted.joints is not None
            found += _point_to_point(arm, motion, wanted, piece, start_q, before, after)
            start_q = wanted.joints
            start_pose = motion_of(arm, np.zeros(1), wanted.joints[None]).frames[0]
        else:
            assert wanted.pose is not None
            found += _path(motion, free, wanted, piece, start_pose, before, after)
            found += turning_faults(motion, free, wanted, piece, start_pose, before, smooth)
            start_pose = wanted.pose
            start_q = motion.q[min(_at(motion, piece.end), len(motion.t) - 1)]
    return [*found, *_joins(motion, free, moves)]


def _at(motion: Motion, time: float) -> int:
    return round((time - float(motion.t[0])) / motion.dt)


def _stops(piece: Piece) -> bool:
    return piece.blend == "stop"


def in_joint_space(one: tuple[Wanted, Piece] | None, other: tuple[Wanted, Piece] | None) -> bool:
    """Whether two neighbours' ramps overlap in joint space."""
    if one is None or other is None or _stops(one[1]):
        return False
    return one[1].blend == "c_ptp" or "ptp" in (one[0].kind, other[0].kind)


def _ramp(wanted: Wanted) -> float:
    """The longest time in which a path move reaches its speed."""
    turning = 0.0 if wanted.jerk == math.inf else 2 * wanted.acc / wanted.jerk
    return wanted.speed / wanted.acc + turning


def refined(t: Array, q: Array, qd: Array, parts: int) -> tuple[Array, Array]:
    """The positions and velocities of a plan in parts of its cycle (docs: the cycle).

    From sample to sample the velocity goes evenly, positions are its sum; a plan that ends with a
    velocity gets one more cycle, in which it comes to rest.
    """
    dt = float(t[1] - t[0]) / parts
    ends = qd if not qd[-1].any() else np.vstack([qd, np.zeros_like(qd[:1])])
    fine = [ends[0]]
    for now, then in pairwise(ends):
        fine += [now + j / parts * (then - now) for j in range(1, parts + 1)]
    speeds = np.array(fine)
    return q[0] + dt * (np.cumsum(speeds, axis=0) - speeds[0]), speeds


# -- paths


def _path(
    motion: Motion,
    free: Array,
    wanted: Wanted,
    piece: Piece,
    begin: Array,
    before: tuple[Wanted, Piece] | None,
    after: tuple[Wanted, Piece] | None,
) -> list[str]:
    say = f"line {wanted.line} ({wanted.kind}): "
    assert wanted.pose is not None
    here = (wanted, piece)
    eps = 1e-6 * motion.dt
    inside = np.flatnonzero((motion.t >= piece.start - eps) & (motion.t <= piece.end + eps) & free)
    found = []
    points = motion.points[inside]
    start, end = begin[:3, 3], wanted.pose[:3, 3]
    if len(inside):
        off = _off_the_curve(wanted, start, points)
        for corner, joined in ((start, before), (end, here)):
            if joined and joined[1].blend == "c_cp":
                near = np.linalg.norm(points - corner, axis=1) <= joined[1].reach + STRAIGHT
                off = np.where(near, 0.0, off)
                if joined[1].reach > joined[0].reach + 1e-12:
                    found.append(f"{say}the corner is rounded within {joined[1].reach} m")
        if off.max() > STRAIGHT:
            found.append(f"{say}{off.max():.3g} m off its path")
        pairs = inside[1:][np.diff(inside) == 1]
        steps = np.linalg.norm(motion.points[pairs] - motion.points[pairs - 1], axis=1) / motion.dt
        if len(steps) and steps.max() > wanted.speed * (1 + SPARE):
            found.append(f"{say}{steps.max():.6g} m/s instead of {wanted.speed:.6g}")
        turns = [turn_between(motion.frames[k - 1], motion.frames[k]) for k in pairs]
        rate = max(turns, default=0.0) / motion.dt
        if rate > wanted.speed_ori * (1 + SPARE) + TURNED:
            found.append(f"{say}turns by {rate:.6g} rad/s, {wanted.speed_ori:.6g} are allowed")
    if _stops(piece):
        at = motion.frames[_at(motion, piece.end)]
        if np.linalg.norm(at[:3, 3] - end) > STRAIGHT:
            found.append(f"{say}ends {np.linalg.norm(at[:3, 3] - end):.3g} m beside its target")
        if turn_between(at, wanted.pose) > TURNED:
            found.append(
                f"{say}ends {turn_between(at, wanted.pose):.3g} rad beside its orientation"
            )
    elif piece.blend == "c_speed" and not in_joint_space(here, after):
        near = np.linalg.norm(motion.points - end, axis=1).min()
        if near > wanted.speed * motion.dt:
            found.append(f"{say}passes its target at {near:.3g} m")
    return found


def _off_the_curve(wanted: Wanted, start: Array, points: Array) -> Array:
    """The distance of points from the line or the arc of a move."""
    assert wanted.pose is not None
    end = wanted.pose[:3, 3]
    if wanted.kind == "lin":
        way = end - start
        length = np.linalg.norm(way)
        along = np.clip((points - start) @ way / length, 0, length) if length else 0 * points[:, 0]
        ahead = way / length if length else way
        return np.linalg.norm(points - start - np.outer(along, ahead), axis=1)
    assert wanted.via is not None
    center, normal = circle_through(start, wanted.via, end)
    from_center = points - center
    high = from_center @ normal
    flat = from_center - np.outer(high, normal)
    round_ = np.linalg.norm(flat, axis=1) - np.linalg.norm(start - center)
    off = np.hypot(high, round_)
    angles = angles_about(flat, start - center, normal)
    (whole,) = angles_about((end - center)[None], start - center, normal)
    size = np.linalg.norm(start - center)
    beyond = np.where(angles > whole, np.minimum(angles - whole, 2 * math.pi - angles), 0.0) * size
    return np.hypot(off, beyond)


# -- point to point


def _point_to_point(
    arm: Arm,
    motion: Motion,
    wanted: Wanted,
    piece: Piece,
    begin: Array,
    before: tuple[Wanted, Piece] | None,
    after: tuple[Wanted, Piece] | None,
) -> list[str]:
    say = f"line {wanted.line} (ptp): "
    assert wanted.joints is not None
    found = []
    first, last = _at(motion, piece.start), _at(motion, piece.end)
    if _stops(piece):
        off = abs(motion.q[last] - wanted.joints).max()
        if off > 1e-9:
            found.append(f"{say}ends {off:.3g} rad (m) beside its target")
    blended = in_joint_space(before, (wanted, piece)) or in_joint_space((wanted, piece), after)
    if blended or not (before is None or _stops(before[1])):
        return found
    rows = motion.q[max(first, 0) : last + 1]
    way = wanted.joints - begin
    if not way.any() or len(rows) < 2:
        return found
    done = (rows - begin) @ way / (way @ way)
    aside = abs(rows - begin - np.outer(done, way)).max()
    if aside > 1e-9:
        found.append(f"{say}{aside:.3g} rad (m) off the straight line in joint space")
    speeds = np.diff(rows, axis=0) / motion.dt
    asked = {
        "axis speed": abs(speeds) / (wanted.part * arm.velocity),
        "motor speed": abs(speeds @ arm.drives.K.T) / (wanted.part * arm.drives.speed_max),
        "axis acceleration": abs(np.diff(speeds, axis=0))
        / (motion.dt * wanted.part_acc * arm.acceleration),
    }
    for name, parts in asked.items():
        if parts.size and parts.max() > 1 + SPARE:
            found.append(f"{say}{parts.max():.7g} of the {name} that is allowed")
    return found


# -- the whole motion


def _joins(motion: Motion, free: Array, moves: Sequence[tuple[Wanted, Piece]]) -> list[str]:
    """The whole vector of acceleration along chains of path moves, second differences."""
    found = []
    dt = motion.dt
    change = np.diff(motion.points, 2, axis=0) / dt**2  # row k is about sample k + 1
    size = np.linalg.norm(change, axis=1)
    size[~(free[:-2] & free[1:-1] & free[2:])] = 0.0
    eps = 1e-6 * dt
    for i, (wanted, piece) in enumerate(moves):
        if wanted.kind == "ptp":
            continue
        # across a junction, and in a rounded corner, what the gentler of both has may be exceeded
        allowed = np.full(len(size), wanted.acc)
        own = (motion.t[:-2] >= piece.start - eps) & (motion.t[2:] <= piece.end + eps)
        here = (motion.t[1:-1] >= piece.start - eps) & (motion.t[1:-1] <= piece.end + eps)
        for other, corner in ((i - 1, i - 1), (i + 1, i)):
            if not 0 <= other < len(moves):
                continue
            if moves[other][0].kind == "ptp":  # its tool may accelerate as it likes
                allowed[~own] = np.inf
                continue
            goal = moves[corner][0].pose
            assert goal is not None
            apart = np.linalg.norm(motion.points[1:-1] - goal[:3, 3], axis=1)
            rounded = apart <= moves[corner][1].reach + STRAIGHT
            allowed[~own | rounded] = np.maximum(allowed, moves[other][0].acc)[~own | rounded]
        over = np.where(here, size - allowed * (1 + SPARE) - 4e-15 / dt**2, -1.0)
        if len(over) and over.max() > 0:
            worst = int(over.argmax())
            found.append(
                f"line {wanted.line} ({wanted.kind}): accelerates by {size[worst]:.7g} m/s2,"
                f" {allowed[worst]:.6g} are allowed"
            )
    return found
