"""Benchmark of inverse kinematics beside robotics-toolbox-python, on the Puma 560.

Both find one solution a pose. They get the same poses, of random positions within the limits, and
must find positions within the limits. ERFD takes a batch on one core; the toolbox takes pose by
pose, its `ik_LM` in compiled C++, called in its fastest way (on the arm's elementary transforms,
found once).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from ..ground.arrays import Array
from ..ik.arguments import Limits
from ..ik.inverse_kinematics import branches, inverse_kinematics
from ..mechanics.kinematics import forward_kinematics
from ..robot.library import load
from .bars import met
from .machine import describe
from .measure import Effort, TimedCase, best_times, one_core

BAR = 30.0
"""Times the toolbox's rate, at least."""
PEER = "roboticstoolbox"
GOOD = 2e-3
"""A pose is found if it is missed by less (m, rad): what the toolbox's default tolerance allows."""


def run(
    count: int = 100_000, peer_count: int = 500, rounds: int = 5, robot_name: str = "puma560"
) -> dict[str, Any]:
    """Measure the rates of both in poses per second; None is not measured."""
    robot = load(robot_name)
    limits = Limits.of(robot)
    q = np.random.default_rng(15).uniform(limits.lower, limits.upper, (count, robot.n))
    poses = forward_kinematics(robot, q)
    own: dict[str, Callable[[], Array]] = {
        "inverse_kinematics, best within limits": lambda: inverse_kinematics(robot, poses),
        "inverse_kinematics, branch of near": lambda: inverse_kinematics(robot, poses, near=q),
        "branches, all eight": lambda: branches(robot, poses).q,
    }
    cases = [_case("erfd", how, count, call, call) for how, call in own.items()]
    missing = "" if find_spec(PEER) else f"{PEER} is not installed"
    if not missing:
        cases.append(_peer(robot, poses[:peer_count]))
    with one_core():
        times = best_times(cases, Effort((), rounds, 0.05, 0.2, (), 0, 0, 0))
    rows = [_row(case, seconds, robot, poses) for case, seconds in zip(cases, times, strict=True)]
    peer = None if missing else rows[-1]["rate"]
    ratio = None if peer is None else rows[0]["rate"] / peer
    return {
        **describe(),
        "robot": robot.name,
        "rows": rows,
        "missing": missing,
        "bar": {"limit": BAR, "found": ratio, "met": met("at least", BAR, ratio)},
    }


def _case(
    who: str, how: str, count: int, call: Callable[[], Any], results: Callable[[], Array]
) -> TimedCase:
    """The case of a call that solves `count` poses."""
    return TimedCase(who, how, "inverse_kinematics", count, 1, "f()", {"f": call}, results)


def _peer(robot: Any, poses: Array) -> TimedCase:
    """The case of the toolbox: its arm with the same limits and tool, solved pose by pose."""
    from .models import toolbox_robot

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arm = toolbox_robot(robot)
        limits = Limits.of(robot)
        for link, low, high in zip(arm.links, limits.lower, limits.upper, strict=True):
            link.qlim = (float(low), float(high))
        tool = np.eye(4)
        tool[:3, :3], tool[:3, 3] = robot.tool.rotation, robot.tool.xyz
        arm.tool = tool
        transforms = arm.ets()

    def call() -> list[Any]:
        return [transforms.ik_LM(pose) for pose in poses]

    def results() -> Array:
        return np.array([found.q if hasattr(found, "q") else found[0] for found in call()])

    return _case("robotics-toolbox", "ETS.ik_LM, pose by pose", len(poses), call, results)


def _row(case: TimedCase, seconds: float, robot: Any, poses: Array) -> dict[str, Any]:
    """The rate of a case, and the part of the poses that it found, within the limits."""
    q = case.results()
    wanted = poses[: len(q)]
    if q.ndim == 3:  # all branches: each of them must reproduce its pose
        exist = ~np.isnan(q[..., 0])
        q, wanted = q[exist], np.repeat(wanted, exist.sum(axis=1), axis=0)
    limits = Limits.of(robot)
    off = np.abs(forward_kinematics(robot, q) - wanted).max(axis=(1, 2))
    inside = ((q >= limits.lower - 1e-9) & (q <= limits.upper + 1e-9)).all(axis=1)
    return {
        "who": case.who,
        "how": case.how,
        "poses": case.states,
        "rate": case.states / seconds,
        "found": float((off < GOOD).mean()),
        "within_limits": float(inside.mean()),
        "largest_miss": float(off.max()),
    }


def text(data: dict[str, Any]) -> str:
    """The result as text for people."""
    lines = [f"{data['machine']['cpu']}, {data['robot']}, one core, one solution a pose"]
    lines += [
        f"{row['who']:18} {row['how']:42} {row['rate'] / 1e3:9.1f} thousand poses/s,"
        f" {100 * row['found']:.1f} % found, largest miss {row['largest_miss']:.1e}"
        for row in data["rows"]
    ]
    bar = data["bar"]
    if data["missing"]:
        lines.append(f"the bar is not measured: {data['missing']}")
    else:
        word = "met" if bar["met"] else "NOT MET"
        lines.append(
            f"{bar['found']:.0f} times the peer's rate, at least {bar['limit']:.0f}: {word}"
        )
    return "\n".join(lines)
