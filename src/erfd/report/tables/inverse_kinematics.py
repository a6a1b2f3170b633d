"""The solutions of a pose as a table for people (Rich) and as plain data for programs (JSON)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Console

from ...ik.arguments import Limits
from ...ik.closed_form.branches import required_arm
from ...ik.inverse_kinematics import (
    all_solutions,
    branches,
    closed_form,
    inverse_kinematics,
    singularity,
)
from ...robot.model import Robot
from ...robot.pose import Pose
from .robot import print_table

MOST = 16
"""Solutions in a table: an arm with more joints than needed has no end of them."""


def inverse_data(
    robot: Robot,
    pose: Pose,
    near: Sequence[float] | None = None,
    config: int | None = None,
    tool: Pose | None = None,
) -> dict[str, Any]:
    """Every branch of a pose in its best turn, those beyond the limits last.

    A pose that no branch takes is a `ReachError`. Angles in rad, lengths in m.
    """
    limits = Limits.of(robot)
    start = None if near is None else np.array(near)
    if config is not None:
        required_arm(robot)
    if closed_form(robot):
        every = branches(robot, pose, tool=tool).q
        codes = [c for c in range(8) if config in (None, c) and not math.isnan(every[c, 0])]
        found, over = limits.turned(every[codes], start)
    else:
        found = all_solutions(robot, pose, near=start, tool=tool).q
        codes, over = [-1] * len(found), np.zeros_like(found)
    if not len(found):
        found = inverse_kinematics(robot, pose, near=start, config=config, tool=tool)[None]
        over = np.zeros_like(found)
    room = limits.margin(found)
    worth = room if start is None else -np.linalg.norm(found - start, axis=1)
    order = sorted(range(len(found)), key=lambda k: (over[k].any(), -worth[k]))
    state = singularity(robot, found, tool=tool)
    rows = []
    for k in order:
        left = {"angle": _known(state.angle[k]), "length": _known(state.length[k])}
        kind = str(state.kind[k])
        near_one = {"kind": kind, **left, "measure": float(state.measure[k])}
        within = not over[k].any()
        rows.append(
            {
                "config": codes[k] if codes[k] >= 0 else None,
                "q": found[k].tolist(),
                "within_limits": within,
                "room": float(room[k]) if within else 0.0,
                "beyond": over[k].tolist(),
                "singularity": {**near_one, "near": bool(state.near[k])},
            }
        )
    reached = any(row["within_limits"] for row in rows)
    return {"robot": robot.name, "reached": reached, "solutions": rows}


def _known(x: float) -> float | None:
    return None if math.isnan(x) else float(x)


def print_inverse(robot: Robot, data: dict[str, Any], console: Console, *, degrees: bool) -> None:
    """One row a solution: CONFIG, joints, room to the limits, nearest singularity."""
    scale = [180 / math.pi if j.revolute and degrees else 1.0 for j in robot.joints]
    unit = [("deg" if degrees else "rad") if j.revolute else "m" for j in robot.joints]
    columns = ["CONFIG", *(f"{j.name} {u}" for j, u in zip(robot.joints, unit, strict=True))]
    columns += ["limits", "nearest singularity"]
    rows = []
    for one in data["solutions"][:MOST]:
        config = "-" if one["config"] is None else str(one["config"])
        joints = [f"{x * s:.4f}" for x, s in zip(one["q"], scale, strict=True)]
        rows.append((config, *joints, _limits(robot, one, scale, unit), _left(one, degrees)))
    count = len(data["solutions"])
    shown = f"{MOST} of {count} solutions that were found" if count > MOST else f"{count} solutions"
    title = f"{robot.name}: {'1 solution' if count == 1 else shown}"
    print_table(console, title, columns, rows, left=(robot.n + 1, robot.n + 2))


def _limits(robot: Robot, one: dict[str, Any], scale: Sequence[float], unit: Sequence[str]) -> str:
    if one["within_limits"]:
        return f"{100 * one['room']:.0f} % room"
    beyond = one["beyond"]
    i = max(range(robot.n), key=lambda k: beyond[k])
    return f"{robot.joints[i].name} beyond by {beyond[i] * scale[i]:.4g} {unit[i]}"


def _left(one: dict[str, Any], degrees: bool) -> str:
    state = one["singularity"]
    angle, length = state["angle"], state["length"]
    parts = []
    if angle is not None:
        parts.append(f"{math.degrees(angle):.1f} deg" if degrees else f"{angle:.4f} rad")
    if length is not None:
        parts.append(f"{1000 * length:.0f} mm")
    if state["kind"] == "other":
        return f"singular value {state['measure']:.3g}"
    return f"{'near ' if state['near'] else ''}{state['kind']}, {', '.join(parts)}"
