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
from .table import print_table

MOST = 16
"""Solutions in a table: an arm with more joints than needed has no end of them."""


def inverse_data(
    robot: Robot,
    pose: Pose,
    near: Sequence[float] | None = None,
    config: int | None = None,
    tool: Pose | None = None,
) -> dict[str, Any]:
    """All solutions of a pose as JSON values, the best turn of each, those beyond limits last.

    A pose that cannot be reached is a `ReachError`. Angles in rad, lengths in m.
    """
    limits = Limits.of(robot)
    start = None if near is None else np.array(near)
    if config is not None:
        required_arm(robot)
    if closed_form(robot):
        all_branches = branches(robot, pose, tool=tool).q
        codes = [c for c in range(8) if config in (None, c) and not math.isnan(all_branches[c, 0])]
        q, beyond = limits.turned(all_branches[codes], start)
    else:
        q = all_solutions(robot, pose, near=start, tool=tool).q
        codes, beyond = [-1] * len(q), np.zeros_like(q)
    if not len(q):
        q = inverse_kinematics(robot, pose, near=start, config=config, tool=tool)[None]
        beyond = np.zeros_like(q)
    room = limits.margin(q)
    worth = room if start is None else -np.linalg.norm(q - start, axis=1)
    order = sorted(range(len(q)), key=lambda k: (beyond[k].any(), -worth[k]))
    state = singularity(robot, q, tool=tool)
    rows = []
    for k in order:
        distances = {"angle": _or_none(state.angle[k]), "length": _or_none(state.length[k])}
        kind = str(state.kind[k])
        nearest = {"kind": kind, **distances, "measure": float(state.measure[k])}
        within = not beyond[k].any()
        rows.append(
            {
                "config": codes[k] if codes[k] >= 0 else None,
                "q": q[k].tolist(),
                "within_limits": within,
                "room": float(room[k]) if within else 0.0,
                "beyond": beyond[k].tolist(),
                "singularity": {**nearest, "near": bool(state.near[k])},
            }
        )
    reached = any(row["within_limits"] for row in rows)
    return {"robot": robot.name, "reached": reached, "solutions": rows}


def _or_none(x: float) -> float | None:
    """A number, or None (JSON null) for NaN."""
    return None if math.isnan(x) else float(x)


def print_inverse(robot: Robot, data: dict[str, Any], console: Console) -> None:
    """Print one row a solution: CONFIG, joints (degrees, m), room to limits, singularity."""
    scale = [180 / math.pi if j.revolute else 1.0 for j in robot.joints]
    unit = ["deg" if j.revolute else "m" for j in robot.joints]
    columns = ["CONFIG", *(f"{j.name} {u}" for j, u in zip(robot.joints, unit, strict=True))]
    columns += ["limits", "nearest singularity"]
    rows = []
    for solution in data["solutions"][:MOST]:
        config = "-" if solution["config"] is None else str(solution["config"])
        joints = [f"{x * s:.4f}" for x, s in zip(solution["q"], scale, strict=True)]
        limits = _limits_text(robot, solution, scale, unit)
        rows.append((config, *joints, limits, _singularity_text(solution)))
    count = len(data["solutions"])
    words = f"{MOST} of {count} solutions that were found" if count > MOST else f"{count} solutions"
    title = f"{robot.name}: {'1 solution' if count == 1 else words}"
    print_table(console, title, columns, rows, left=(robot.n + 1, robot.n + 2))


def _limits_text(
    robot: Robot, solution: dict[str, Any], scale: Sequence[float], unit: Sequence[str]
) -> str:
    if solution["within_limits"]:
        return f"{100 * solution['room']:.0f} % room"
    beyond = solution["beyond"]
    i = max(range(robot.n), key=lambda k: beyond[k])
    return f"{robot.joints[i].name} beyond by {beyond[i] * scale[i]:.4g} {unit[i]}"


def _singularity_text(solution: dict[str, Any]) -> str:
    state = solution["singularity"]
    angle, length = state["angle"], state["length"]
    parts = []
    if angle is not None:
        parts.append(f"{math.degrees(angle):.1f} deg")
    if length is not None:
        parts.append(f"{1000 * length:.0f} mm")
    if state["kind"] == "other":
        return f"singular value {state['measure']:.3g}"
    return f"{'near ' if state['near'] else ''}{state['kind']}, {', '.join(parts)}"
