"""A simulated robot controller: Algorithm 1 every dt in real time, each cycle published."""

from __future__ import annotations

import gc
import math
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...achieve.achiever import Achiever, Cycle
from ...errors import InputError
from ...ground.arrays import Array, finite_vector
from ...mechanics.dynamics import inverse_dynamics
from ...mechanics.kinematics import forward_kinematics
from ...robot.model import Robot
from ...robot.payload import payload_numbers, with_payload
from ...run.events import LIMITS
from ..priority import raised_priority
from ..publisher.publisher import Command, Publisher
from .pacing import CyclePacer, CycleTiming
from .player import Player, Setpoint
from .source import PlayedMotion

COLUMNS = (
    "q", "qd", "qdd", "q_given", "qd_given", "qdd_given", "u_a", "u_a_wanted", "u_a_max",
    "saturated", "clipped", "stalled", "pose", "deviation", "wrench", "payload", "path_time",
    "rate", "line",
)  # fmt: skip
"""What a controller streams: enough to make a whole `Run` of it again."""
_NO_WRENCH = np.zeros(6)
QUIET = 0.5
"""Seconds without a limit being reached after which the same event is published again."""


@dataclass(frozen=True, slots=True)
class Summary:
    """Result of a control loop: rounds of the motion, cycles at a limit, largest deviation (m)."""

    rounds: int
    limited: int
    deviation: float
    timing: CycleTiming


class Controller:
    """Plays a motion on a robot by Algorithm 1 and publishes every cycle.

    Args:
        robot: The robot, with drives.
        motion: The motion to play, as `read_played_motion` or `motion_of` of `controller.source`
            make it.
        dt: Time of a cycle, s, 0.0005 to 10; that of the motion if left out.
        speed: Speed override at the start, 0 to 1.
        loop: Whether the motion begins again at its end.
        wrench: Force (N) and moment (N m) that the tool exerts on its surroundings, base axes,
            (6,), constant; that of the motion if left out.
        follow: What is asked after a shortfall: the programmed `velocity` or the `position`.

    Raises:
        InputError: A value is out of its range, or the motion is of another number of joints.
    """

    def __init__(
        self,
        robot: Robot,
        motion: PlayedMotion,
        *,
        dt: float | None = None,
        speed: float = 1.0,
        loop: bool = False,
        wrench: ArrayLike | None = None,
        follow: str = "velocity",
    ):
        if wrench is not None:
            constant = finite_vector("wrench", wrench, 6)
            motion = replace(motion, wrench=np.tile(constant, (len(motion.q), 1)))
        self.robot, self.motion = robot, motion
        self.dt = motion.dt if dt is None else dt
        if not 0.0005 <= self.dt <= 10:
            raise InputError(f"dt: expected 0.0005 to 10 s, found {self.dt:g}")
        self.achiever = Achiever(robot, self.dt, follow=follow, q0=motion.q[0])
        self.player = Player(robot, motion, self.dt, speed=speed, loop=loop)
        self.timing, self.priority = CycleTiming(), "normal"
        self.limited, self.deviation = 0, 0.0
        self._next_signal, self._path_time = 0, 0.0
        self._limit_times: dict[tuple[str, int], float] = {}
        self._last_status: tuple[str, float] = ("", 0.0)

    def warm_up(self) -> None:
        """Compile the kernels of a cycle before the clock runs."""
        still = self.motion.q[0], np.zeros(self.robot.n)
        wrench = None if self.motion.wrench is None else self.motion.wrench[0]
        for load in self.motion.loads:
            trial = Achiever(self.robot, self.dt, q0=still[0])
            trial.step(*still, wrench=wrench, payload=load)
            # what `Cycle.stalled` asks of a cycle with a motor at its limit
            inverse_dynamics(
                with_payload(self.robot, load), still[0], still[1], still[1], wrench=wrench
            )
        forward_kinematics(self.robot, np.stack([still[0], still[0]]))

    def cycle(self, commands: Sequence[Command] = ()) -> tuple[dict[str, Any], Setpoint, Cycle]:
        """Compute one cycle.

        Args:
            commands: Commands of viewers that have come since the last cycle.

        Returns:
            The values of the sample by the names of `COLUMNS`, what was asked of the robot, and
            what Algorithm 1 made of it.
        """
        achiever, player = self.achiever, self.player
        for command in commands:
            player.command(command.name, command.value, achiever.q)
        setpoint = player.step(achiever.q)
        achieved = achiever.step(
            setpoint.q, setpoint.qd, wrench=setpoint.wrench, payload=setpoint.payload
        )
        pose = forward_kinematics(self.robot, np.stack([achieved.q, setpoint.q]))
        deviation = pose_difference(pose[0], pose[1])
        self.deviation = max(self.deviation, deviation[0])
        self.limited += bool(achieved.side.any() or achieved.clipped.any())
        values = {
            "q": achieved.q, "qd": achieved.qd, "qdd": achieved.qdd,
            "q_given": setpoint.q, "qd_given": setpoint.qd, "qdd_given": achieved.qdd_wanted,
            "u_a": achieved.torque, "u_a_wanted": achieved.torque_wanted,
            "u_a_max": achieved.torque_max, "saturated": achieved.side,
            "clipped": achieved.clipped, "stalled": achieved.stalled,
            "pose": pose[0, :3], "deviation": deviation,
            "wrench": _NO_WRENCH if setpoint.wrench is None else setpoint.wrench,
            "payload": payload_numbers(setpoint.payload),
            "path_time": setpoint.path_time, "rate": setpoint.rate, "line": setpoint.line,
        }  # fmt: skip
        return values, setpoint, achieved

    def run(
        self, publisher: Publisher, *, stop: threading.Event | None = None, once: bool = False
    ) -> Summary:
        """Run the control loop in real time.

        Args:
            publisher: Where every cycle, its events and the status go.
            stop: Ends the loop when it is set.
            once: Whether the loop ends at the end of the motion.

        Returns:
            How it went, when the loop has ended.
        """
        self.warm_up()
        interval = sys.getswitchinterval()
        gc.collect()
        gc.freeze()  # what is here stays: the collector need not look at it in a cycle
        sys.setswitchinterval(0.0005)  # other threads of this process have little to do
        try:
            with raised_priority() as self.priority:
                return self._loop(publisher, stop or threading.Event(), once)
        finally:
            sys.setswitchinterval(interval)
            gc.unfreeze()

    def _loop(self, publisher: Publisher, stop: threading.Event, once: bool) -> Summary:
        pace = CyclePacer(self.dt)
        offset = publisher.start
        status_time = -math.inf
        while not stop.is_set():
            values, setpoint, achieved = self.cycle(publisher.commands())
            t = pace.due + self.dt - offset  # the cycle ends then
            publisher.publish(values, t)
            self._publish_limits(publisher, t, setpoint, achieved)
            self._publish_signals(publisher, t, setpoint)
            status = self.player.mode, self.player.speed
            if self._last_status != status or t - status_time >= 1:
                self._last_status, status_time = status, t
                self._publish_status(publisher, setpoint)
            pace.wait()
            self.timing = pace.timing
            if once and self.player.rounds:
                break
        return Summary(self.player.rounds, self.limited, self.deviation, self.timing)

    def _publish_status(self, publisher: Publisher, setpoint: Setpoint) -> None:
        """Publish mode, speed, place in the program and timing."""
        timing = self.timing
        publisher.status(
            self.player.mode,
            speed=100 * self.player.speed,
            line=setpoint.line,
            path_time=setpoint.path_time,
            path_end=(len(self.motion.q) - 1) * self.motion.dt,
            rounds=self.player.rounds,
            cycles=timing.cycles,
            overruns=timing.overruns,
            skipped=timing.skipped,
            worst=timing.worst,
            busiest=timing.busiest,
            unsent=publisher.dropped,
            priority=self.priority,
        )

    def _publish_signals(self, publisher: Publisher, t: float, setpoint: Setpoint) -> None:
        """Publish an event where the program sets an output."""
        if setpoint.path_time < self._path_time:
            self._next_signal = 0  # from the beginning
        self._path_time = setpoint.path_time
        signals = self.motion.signals
        if self.player.mode in ("ready", "approaching"):
            return
        while (
            self._next_signal < len(signals)
            and signals[self._next_signal].time <= setpoint.path_time
        ):
            signal = signals[self._next_signal]
            self._next_signal += 1
            text = f"output {signal.name} = {signal.value} in line {signal.line}"
            publisher.event(text, kind="output", t=t)

    def _publish_limits(
        self, publisher: Publisher, t: float, setpoint: Setpoint, achieved: Cycle
    ) -> None:
        """Publish an event where a motor or joint reaches a limit."""
        if not (achieved.side.any() or achieved.clipped.any()):
            return
        where = f" in line {setpoint.line:.0f}" if setpoint.line else ""
        for i in range(self.robot.n):
            if achieved.side[i] and achieved.stalled[i]:
                kind, text = "stall", f"motor {i + 1} cannot hold the arm"
            elif achieved.side[i]:
                kind, text = "torque limit", f"motor {i + 1} is at its torque limit"
            elif achieved.clipped[i]:
                kind = LIMITS[int(achieved.clipped[i])]
                text = f"joint {i + 1} is at its {kind}"
            else:
                continue
            last = self._limit_times.get((kind, i), -math.inf)
            self._limit_times[kind, i] = t
            if t - last > QUIET:
                level = "alarm" if kind == "stall" else "warning"
                publisher.event(text + where, level, kind=kind, joint=i + 1, t=t)


def pose_difference(pose: Array, given: Array) -> tuple[float, float]:
    """Distance (m) and angle (rad) between two tool frames (4, 4)."""
    distance = math.dist(pose[:3, 3], given[:3, 3])
    turn = given[:3, :3].T @ pose[:3, :3]
    x, y, z = turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]
    sine, cosine = math.hypot(x, y, z) / 2, (turn[0, 0] + turn[1, 1] + turn[2, 2] - 1) / 2
    return distance, math.atan2(sine, cosine)
