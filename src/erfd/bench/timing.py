"""Benchmark of timing beside toppra and copp-py, and what Algorithm 1 makes of their results.

The same splines of Lola 15 in 1,000 cells: ERFD with all friction, gears, rotor speeds and
torque-speed curves; toppra with torques but no friction (it gets ERFD's inverse dynamics); copp-py
with speeds and accelerations of the joints. Timed are set-up and solving, from the spline on. Then
every result is sampled every 10 ms and run through Algorithm 1 with the real drives.
"""

from __future__ import annotations

import time
from importlib.util import find_spec
from typing import Any

import numpy as np

from ..achieve.achievable import achievable
from ..ground.arrays import Array
from ..planning.trajectory import Trajectory
from ..robot.library import load
from ..robot.limits import JointLimits
from ..robot.model import Robot
from ..run.run import Run
from ..timing.cells import Bounds, cells_of
from ..timing.coefficients import PathLoads
from ..timing.fastest import fastest
from ..timing.joint_path import Piece
from ..timing.reserve import Reserve
from ..timing.solve import fastest_profile
from ..timing.speed_profile import SpeedProfile
from .bars import met
from .machine import describe
from .measure import one_core
from .timing_peers import by_copp, by_toppra, duration

BAR_TOPPRA, BAR_COPP = 30.0, 1 / 3
"""Times toppra's speed, at least; and times copp-py's, which has no torques."""
CELLS = 1000
DT = 0.01
PEERS = {"toppra": by_toppra, "copp_py": by_copp}


def paths(robot: Robot, count: int) -> list[Array]:
    """Random way points (5, n), whose splines stay within the limits of the joints."""
    limits, rng = JointLimits.of(robot), np.random.default_rng(15)
    low, high = np.maximum(limits.lower, -1.5), np.minimum(limits.upper, 1.5)
    return [low + (high - low) * rng.uniform(0.3, 0.7, (5, robot.n)) for _ in range(count)]


def run(count: int = 10, rounds: int = 7, robot_name: str = "lola15") -> dict[str, Any]:
    """Measure all on `count` paths; the times are the best of `rounds` each, their means in s."""
    robot = load(robot_name)
    missing = [name for name in PEERS if not find_spec(name)]
    rows: dict[str, list[dict[str, float]]] = {"erfd": []}
    with one_core():
        for points in paths(robot, count):
            timing = fastest(robot, points, dt=DT)
            piece = timing.path.pieces[0]
            seconds, profile = _own(robot, piece, rounds)
            made = timing.trajectory, timing.run
            rows["erfd"].append(_row(seconds, profile.seconds, *made))
            for name in PEERS.keys() - missing:
                best = min(
                    (PEERS[name](robot, piece.curve, CELLS) for _ in range(rounds)), key=_took
                )
                sampled = _sampled(piece, best[0], best[1])
                made = sampled, achievable(robot, sampled)
                rows.setdefault(name, []).append(_row(best[2], duration(*best[:2]), *made))
    own = float(np.mean([row["seconds"] for row in rows["erfd"]]))
    bars = {}
    for name, limit in (("toppra", BAR_TOPPRA), ("copp_py", BAR_COPP)):
        found = None
        if name in rows:
            found = float(np.mean([row["seconds"] for row in rows[name]])) / own
        bars[name] = {"limit": limit, "found": found, "met": met("at least", limit, found)}
    return {
        **describe(), "robot": robot.name, "cells": CELLS, "dt": DT, "rows": rows,
        "missing": missing, "bars": bars,
    }  # fmt: skip


def _took(found: tuple[Array, Array, float]) -> float:
    return found[2]


def _own(robot: Robot, piece: Piece, rounds: int) -> tuple[float, SpeedProfile]:
    """The best time of set-up and solving, from the spline on, and the profile."""
    best = np.inf
    for _ in range(rounds):
        begin = time.perf_counter()
        bounds = Bounds.of(robot, margin=0.0, accelerations=False, tool_speed=np.inf)
        s = np.linspace(piece.start, piece.end, CELLS + 1)
        cells = cells_of(bounds, piece, s, PathLoads())
        profile = fastest_profile(cells, Reserve.none(cells), 0.0, 0.0)
        best = min(best, time.perf_counter() - begin)
    return best, profile


def _sampled(piece: Piece, s: Array, speed: Array) -> Trajectory:
    """A result sampled every `DT`, with a cycle at rest at its end, as a user would run it."""
    profile = SpeedProfile.of(s, speed**2)
    count = int(np.ceil(profile.seconds / DT)) + 1
    t: Array = DT * np.arange(count + 1.0)
    return Trajectory(t, piece.curve(profile.at(t)))


def _row(seconds: float, lasts: float, motion: Trajectory, made: Run) -> dict[str, float]:
    """One path: time of computing, duration, and what Algorithm 1 made of the motion."""
    bent = np.asarray(np.asarray(made["saturated"]) != 0).any(axis=1).astype(float)
    return {
        "seconds": seconds,
        "duration": lasts,
        "saturated": float(bent[1:].mean()),
        "events": float(sum(event.fails for event in made.events)),
        "deviation": float(made["deviation"].max()),
    }


def text(data: dict[str, Any]) -> str:
    """The result as text for people."""
    lines = [
        f"{data['machine']['cpu']}, {data['robot']}, {data['cells']} cells, one core; Algorithm 1"
        f" with all friction, cycles of {data['dt']:g} s"
    ]
    for name, rows in data["rows"].items():
        mean = {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}
        worst = max(row["deviation"] for row in rows)
        clean = sum(row["events"] == 0 for row in rows)
        lines.append(
            f"{name:8} {1e3 * mean['seconds']:7.2f} ms, motions of {mean['duration']:.3f} s,"
            f" {100 * mean['saturated']:4.1f} % of the cycles saturate, the tool strays by"
            f" {1e3 * worst:.1f} mm at worst, {clean} of {len(rows)} paths clean"
        )
    for name, bar in data["bars"].items():
        if bar["found"] is None:
            lines.append(f"{name}: the bar is not measured: it is not installed")
        else:
            word = "met" if bar["met"] else "NOT MET"
            lines.append(
                f"{bar['found']:.2g} times the speed of {name}, at least {bar['limit']:.2g}: {word}"
            )
    return "\n".join(lines)
