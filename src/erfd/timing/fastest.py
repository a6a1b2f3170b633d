"""The fastest motion along a path: `fastest`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..achieve.precompile import precompile
from ..errors import InputError
from ..ground.arguments import choice_of
from ..ground.arrays import Array, finite_array
from ..kernels.choice import compiles
from ..planning.plan import Plan
from ..planning.trajectory import Trajectory
from ..robot.library import RobotLike, robot_of
from ..robot.model import Robot
from ..robot.payload import Payload, PayloadLike, payload_of
from .cells import Bounds, Cells, cells_of, slowed
from .coefficients import PathLoads
from .compiled_passes import PassLoop
from .joint_path import Piece, SplinedPath
from .path_points import path_of
from .rounds import timed_piece
from .solve import NoSpeedError
from .timing import Timing

POINTS = 1000
"""How many cells a path has at least,"""
COARSEST = 0.01
"""and how long the longest of them is, rad (m);"""
FEWEST = 60
"""a piece has so many at least."""


def fastest(
    robot: RobotLike,
    path: Any,
    *,
    wrench: ArrayLike | None = None,
    payload: PayloadLike | Sequence[PayloadLike | None] | None = None,
    speed_max: float | None = None,
    accelerations: Literal["motors", "joints"] = "motors",
    margin: float = 0.0,
    start_speed: float = 0.0,
    end_speed: float = 0.0,
    dt: float = 0.01,
) -> Timing:
    """The fastest motion along a path that the motors can do: how long it takes, and why.

    Args:
        robot: The arm, with a drive for every joint: a `Robot`, a bundled name, or its file.
        path: Way points (N, n) in rad (m), which are splined; a `Trajectory`, of which only the
            geometry counts; or a planned program (`erfd.plan`), whose stops and waits are kept.
        wrench: Force (N), then moment (N m), that the end effector exerts on the environment at
            the tool point, base coordinates: (6,), or (N, 6), each on the way to its point.
        payload: What the arm carries: one payload (or mass in kg at the tool point), or N, each on
            the way to its point. A program's own payloads are taken if it is left out.
        speed_max: Of the tool point, m/s.
        accelerations: "motors": what the motors give; "joints": the accelerations of the joints in
            the robot's file are limits, too.
        margin: This part of every torque (and voltage) limit is kept in reserve, from 0 to below 1.
        start_speed: The norm of the joints' velocities at the start, rad/s (m/s).
        end_speed: The same at the end.
        dt: Cycle time of the motion, s.

    Returns:
        The `Timing`: the trajectory, its time, the limits that bind, in which part of the time.

    Raises:
        InputError: An argument does not fit, or no speed is possible somewhere (which motor lacks
            how much is said).

    >>> import erfd
    >>> timing = erfd.fastest(erfd.load("lola15"), [[0] * 6, [1, 0.5, 0.5, 0, 1, 0]])
    >>> timing.run.feasible
    True
    """
    robot = robot_of(robot)
    return timed_path(
        robot, path, wrench, payload, _bounds(robot, speed_max, accelerations, margin),
        (start_speed, end_speed), dt,
    )  # fmt: skip


def timed_path(
    robot: Robot,
    path: Any,
    wrench: ArrayLike | None,
    payload: PayloadLike | Sequence[PayloadLike | None] | None,
    bounds: Bounds,
    end_speeds: tuple[float, float],
    dt: float,
    *,
    keep_speeds: bool = False,
) -> Timing:
    """The timing of a path within bounds; `keep_speeds`: nowhere faster than the given motion."""
    _check_number("dt", dt, above=True)
    for name, value in zip(("start_speed", "end_speed"), end_speeds, strict=True):
        _check_number(name, value)
    joint_path = path_of(robot, path)
    if payload is None and isinstance(path, Plan):
        payload = _only(path.payloads)
    loads = _loads(len(joint_path.q), wrench, payload)
    if compiles(robot):  # all at once, while the path is looked at
        PassLoop.of(robot, bounds.acceleration is not None)
        precompile(robot, wrench=loads.wrench is not None, payload=loads.payloads is not None)
    cells = [
        cells_of(bounds, piece, places(joint_path, piece), loads) for piece in joint_path.pieces
    ]
    given: Trajectory | None = None
    if keep_speeds:
        given = path.trajectory if isinstance(path, Plan) else path
        cells = [
            slowed(own, piece, given) for own, piece in zip(cells, joint_path.pieces, strict=True)
        ]
    speeds = _end_speeds(cells, *end_speeds)
    timed = []
    for piece, own, ends in zip(joint_path.pieces, cells, speeds, strict=True):
        try:
            timed.append(timed_piece(bounds, piece, own, dt, *ends, loads))
        except NoSpeedError as error:
            point = int(piece.point_after(np.array([error.s]))[0])
            where = f"path: on the way to point {point + 1} of {len(joint_path.q)}"
            if isinstance(path, Plan):
                time = float(path.trajectory.t[point])
                where = f"line {path.lines[point]}" if path.lines[point] else f"t = {time:.3f} s"
            raise NoSpeedError(error.why, error.s, where) from None
    return Timing.of(joint_path, timed, bounds, loads, float(dt), given)


def places(path: SplinedPath, piece: Piece) -> Array:
    """The ends of the cells of a piece."""
    length = piece.end - piece.start
    size = min(path.length / POINTS, COARSEST)
    return np.linspace(piece.start, piece.end, max(math.ceil(length / size - 1e-9), FEWEST) + 1)


def _bounds(robot: Robot, speed_max: float | None, accelerations: str, margin: float) -> Bounds:
    """The bounds of the motion, checked."""
    choice_of("accelerations", accelerations, ("motors", "joints"))
    _check_number("margin", margin)
    if margin >= 1:
        raise InputError(f"margin: expected a part below 1, found {margin:g}")
    if speed_max is not None:
        _check_number("speed_max", speed_max, above=True)
    return Bounds.of(
        robot,
        margin=float(margin),
        accelerations=accelerations == "joints",
        tool_speed=math.inf if speed_max is None else float(speed_max),
    )


def _check_number(name: str, value: Any, *, above: bool = False) -> None:
    """Check a number that is 0 or more, or above 0."""
    real = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not real or not abs(value) < 1e300 or value < 0 or (above and value == 0):
        raise InputError(
            f"{name}: expected a number {'>' if above else '>='} 0, found {value!r:.40}"
        )


def _only(payloads: Sequence[Payload | None]) -> Payload | Sequence[Payload | None] | None:
    """One payload if all are the same."""
    return payloads[0] if len(set(payloads)) == 1 else payloads


def _payloads(
    size: int, value: PayloadLike | Sequence[PayloadLike | None] | None
) -> Payload | Sequence[Payload | None] | None:
    """One payload, or one a point, checked."""
    if isinstance(value, np.ndarray) and value.ndim:
        value = value.tolist()
    if not isinstance(value, Sequence) or isinstance(value, str):
        return payload_of(value)
    if len(value) != size:
        raise InputError(f"payload: expected one or {size}, one a point, found {len(value)}")
    return _only([payload_of(payload) for payload in value])


def _loads(
    size: int,
    wrench: ArrayLike | None,
    payload: PayloadLike | Sequence[PayloadLike | None] | None,
) -> PathLoads:
    """The loads at the points of a path, checked."""
    force: Array | None = None
    if wrench is not None:
        force = finite_array("wrench", wrench, (6,), (size, 6))
    return PathLoads(force, _payloads(size, payload))


def _end_speeds(cells: list[Cells], start: float, end: float) -> list[tuple[float, float]]:
    """s'^2 at both ends of each piece: at rest, but for the ends of the path."""
    speeds = [[0.0, 0.0] for _ in cells]
    for name, value, node, place in (
        ("start_speed", start, 0, (0, 0)),
        ("end_speed", end, -1, (-1, 1)),
    ):
        own = cells[place[0]]
        rates = own.end("first") if node else own.start("first")
        rate = float(np.linalg.norm(rates[node]))
        if value > 0 and rate <= 1e-9:
            raise InputError(f"{name}: expected 0 where the path has no direction, found {value:g}")
        x = (value / rate) ** 2 if value > 0 else 0.0
        if x > own.cap[node]:
            most = math.sqrt(own.cap[node]) * rate
            raise InputError(
                f"{name}: expected at most {most:.4g} (rad/s of all joints), found {value:g}"
            )
        speeds[place[0]][place[1]] = x
    return [(a, b) for a, b in speeds]
