"""Play a motion under commands: start, pause, stop and a speed override.

| mode | what it does | leaves it by |
|---|---|---|
| `ready` | rests at the start | start |
| `approaching` | goes to the start of the motion | arriving, pause, stop |
| `running` | plays the motion | its end, pause, stop |
| `paused` | slows down to rest on its path and stays there | start, stop |
| `stopped` | slows down to rest on its path and gives the motion up | start |
| `done` | rests at the end | start |

From `stopped` and `done`, start goes to the start of the motion first, slowly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...errors import InputError
from ...ground.arrays import Array
from ...robot.model import Robot
from ...robot.payload import Payload
from .override import JointPath, Override
from .source import PlayedMotion

GENTLE = 0.25
"""An approach uses this part of the limits of joints, rotors and accelerations."""
QUINTIC = (1.875, 10 / math.sqrt(3))
"""Largest velocity and acceleration of 10 s^3 - 15 s^4 + 6 s^5 over s from 0 to 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Setpoint:
    """What is asked of the robot at the end of a cycle: q, qd (n,), loads, place in the program.

    `wrench` (6,) is None where the motion knows nothing of it.
    """

    q: Array
    qd: Array
    payload: Payload | None
    wrench: Array | None
    line: float
    path_time: float
    rate: float


class Player:
    """Plays a motion every dt s; `command` at any time, `step` once a cycle."""

    def __init__(
        self,
        robot: Robot,
        motion: PlayedMotion,
        dt: float,
        *,
        speed: float = 1.0,
        loop: bool = False,
    ):
        if motion.q.shape[1] != robot.n:
            found = motion.q.shape[1]
            raise InputError(f"{motion.name}: expected {robot.n} joints, found {found}")
        if not 0 <= speed <= 1:
            raise InputError(f"speed: expected 0 to 1, found {speed:g}")
        self.robot, self.motion, self.dt, self.loop = robot, motion, dt, loop
        self.mode, self.speed = "ready", float(speed)
        self.rounds = 0
        self._override = Override(0.0)
        self._motion_path = JointPath(motion.q, motion.dt)
        self._path, self._path_position = self._motion_path, 0.0
        self._q: Array = np.array(motion.q[0])
        self._mode_before = "running"

    @property
    def resting(self) -> bool:
        """Whether the path does not move."""
        return self.mode in ("ready", "done") or (
            self.mode in ("paused", "stopped") and self._override.rate == 0
        )

    def command(self, name: str, value: float | None, q: Array) -> None:
        """Obey start, pause, stop, or speed with a value in percent; `q` (n,) of the robot."""
        if name == "speed" and value is not None:
            self.speed = min(100.0, max(0.0, value)) / 100
            if self.mode in ("running", "approaching"):
                self._override.set(self.speed)
        elif name == "start":
            self._start(q)
        elif name == "pause" and self.mode == "done" and self.loop:
            self._begin(q)  # between two rounds: the next one begins, at rest
            self._mode_before, self.mode = self.mode, "paused"
            self._override.set(0.0, at_once=True)
        elif name == "pause" and self.mode in ("running", "approaching"):
            self._mode_before, self.mode = self.mode, "paused"
            self._override.set(0.0)
        elif name == "stop" and self.mode in ("running", "approaching", "paused"):
            self.mode = "stopped"
            self._override.set(0.0)

    def _start(self, q: Array) -> None:
        if self.mode == "paused":
            self.mode = self._mode_before
            self._override.set(self.speed)
        elif self.mode == "ready" or (self.mode in ("stopped", "done") and self.resting):
            self._begin(q)

    def _begin(self, q: Array) -> None:
        """Begin a round: from rest at q to the start of the motion, and on."""
        self._path_position = 0.0
        self._override.set(self.speed, at_once=True)
        far = np.abs(self.motion.q[0] - q).max() > 1e-9
        self.mode = "approaching" if far else "running"
        self._path = (
            approach(self.robot, q, self.motion.q[0], self.dt) if far else self._motion_path
        )
        self._q = np.array(self._path.q[0])

    def step(self, q: Array) -> Setpoint:
        """What is asked at the end of the next cycle; `q` (n,) is where the robot is now."""
        if self.mode == "done" and self.loop:
            self._begin(q)
        before = self._q
        if not self.resting:
            self._path_position += self._override.step(self.dt) * self.dt / self._path.dt
            # a sum of rounded steps that ends at a sample is meant to
            nearest = round(self._path_position)
            if abs(self._path_position - nearest) < 1e-9:
                self._path_position = float(nearest)
            self._q = self._path.at(self._path_position)
        elif self.mode == "stopped":
            self._q, before = q, q  # from where the robot is, with what it carries
        setpoint = self._setpoint((self._q - before) / self.dt)
        if self._path_position >= self._path.end and self.mode in ("running", "approaching"):
            self._arrive()
        return setpoint

    def _arrive(self) -> None:
        if self.mode == "approaching":
            self.mode, self._path, self._path_position = "running", self._motion_path, 0.0
            self._override.set(self.speed, at_once=True)
        else:
            self.mode, self.rounds = "done", self.rounds + 1

    def _setpoint(self, qd: Array) -> Setpoint:
        motion, on_path = self.motion, self._path is self._motion_path
        k = min(math.ceil(self._path_position - 1e-9), len(motion.q) - 1) if on_path else 0
        line = float(motion.lines[k]) if on_path else 0.0
        path_time = self._path_position * self._path.dt if on_path else 0.0
        rate = 0.0 if self.resting else self._override.rate
        wrench = None if motion.wrench is None else motion.wrench[k]
        return Setpoint(self._q, qd, motion.payloads[k], wrench, line, path_time, rate)


def approach(robot: Robot, start: Array, goal: Array, dt: float) -> JointPath:
    """A slow path from `start` to `goal` (n,), from rest to rest, all joints together."""
    joints = robot.joints
    distance = np.abs(goal - start)
    times = [0.5]
    velocity, acceleration = QUINTIC
    fastest = np.array([min(j.velocity_max, 10.0) for j in joints])
    hardest = np.array([min(j.acceleration_max, 100.0) for j in joints])
    times += (velocity * distance / (GENTLE * fastest)).tolist()
    times += np.sqrt(acceleration * distance / (GENTLE * hardest)).tolist()
    if robot.drives:
        rotors = np.abs(np.array(robot.gear_matrix) @ (goal - start))
        limits = np.array([drive.speed_max for drive in robot.drives])
        times += (velocity * rotors / (GENTLE * limits)).tolist()
    count = math.ceil(max(times) / dt)
    s = np.arange(count + 1) / count
    s = 10 * s**3 - 15 * s**4 + 6 * s**5
    q = start + s[:, None] * (goal - start)
    q[-1] = goal
    return JointPath(q, dt)
