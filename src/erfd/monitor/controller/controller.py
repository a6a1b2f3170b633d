"""Plays the robot controller: Algorithm 1 every dt in real time, published as it happens."""

from __future__ import annotations

import gc
import math
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...achieve.achiever import Achiever, Cycle
from ...errors import InputError
from ...mechanics.kinematics import forward_kinematics
from ...robot.model import Robot
from ...robot.payload import payload_numbers
from ...run.events import LIMITS
from ..priority import first_in_line
from ..publisher.publisher import Command, Publisher
from .pacing import CyclePacer, Timing
from .player import Given, Player
from .source import PlayedMotion

Array = NDArray[np.float64]
COLUMNS = (
    "q", "qd", "qdd", "q_given", "qd_given", "qdd_given", "u_a", "u_a_wanted", "u_a_max",
    "saturated", "clipped", "stalled", "pose", "deviation", "wrench", "payload", "path_time",
    "rate", "line",
)  # fmt: skip
"""What a controller streams: enough to make a whole `Run` of it again."""
_NOTHING = np.zeros(6)
QUIET = 0.5
"""Seconds without it after which the same event is told anew."""


@dataclass(frozen=True, slots=True)
class Summary:
    """How it went: rounds of the motion, cycles with a limit reached, largest deviation in m."""

    rounds: int
    limited: int
    deviation: float
    timing: Timing


class Controller:
    """Plays a motion on a robot and publishes every cycle.

    `run` is the control loop: it returns when `stop` is set, or at the motion's end with `once`.
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
        push = None if wrench is None else np.array(wrench, dtype=np.float64)
        if push is not None and (push.shape != (6,) or not np.isfinite(push).all()):
            raise InputError(f"wrench: expected 6 finite numbers, found {wrench!r:.80}")
        if push is not None:
            motion = replace(motion, wrench=np.tile(push, (len(motion.q), 1)))
        self.robot, self.motion = robot, motion
        self.dt = motion.dt if dt is None else dt
        if not 0.0005 <= self.dt <= 10:
            raise InputError(f"dt: expected 0.0005 to 10 s, found {self.dt:g}")
        self.achiever = Achiever(robot, self.dt, follow=follow, q0=motion.q[0])
        self.player = Player(robot, motion, self.dt, speed=speed, loop=loop)
        self.timing, self.priority = Timing(), "normal"
        self.limited, self.deviation = 0, 0.0
        self._signals, self._path_time = 0, 0.0
        self._alarms: dict[tuple[str, int], float] = {}
        self._told: tuple[str, float] = ("", 0.0)

    def warm_up(self) -> None:
        """Compile what the cycles will need, before the clock runs."""
        still = self.motion.q[0], np.zeros(self.robot.n)
        push = None if self.motion.wrench is None else self.motion.wrench[0]
        for load in self.motion.loads:
            # the last one starts far too fast: its motors saturate, and that is computed as well
            for rate in (still[1], np.full(self.robot.n, 1e3)):
                trial = Achiever(self.robot, self.dt, q0=still[0], qd0=rate)
                done = trial.step(still[0], still[1], wrench=push, payload=load)
                done.stalled.any()
        forward_kinematics(self.robot, np.stack([still[0], still[0]]))

    def cycle(self, commands: Sequence[Command] = ()) -> tuple[dict[str, Any], Given, Cycle]:
        """One cycle: what it came to, by the names of `COLUMNS`."""
        achiever, player = self.achiever, self.player
        for command in commands:
            player.command(command.name, command.value, achiever.q)
        given = player.step(achiever.q)
        done = achiever.step(given.q, given.qd, wrench=given.wrench, payload=given.payload)
        pose = forward_kinematics(self.robot, np.stack([done.q, given.q]))
        deviation = apart(pose[0], pose[1])
        self.deviation = max(self.deviation, deviation[0])
        self.limited += bool(done.side.any() or done.clipped.any())
        values = {
            "q": done.q, "qd": done.qd, "qdd": done.qdd, "q_given": given.q, "qd_given": given.qd,
            "qdd_given": done.qdd_wanted, "u_a": done.torque, "u_a_wanted": done.torque_wanted,
            "u_a_max": done.torque_max, "saturated": done.side, "clipped": done.clipped,
            "stalled": done.stalled, "pose": pose[0, :3], "deviation": deviation,
            "wrench": _NOTHING if given.wrench is None else given.wrench,
            "payload": payload_numbers(given.payload),
            "path_time": given.path_time, "rate": given.rate, "line": given.line,
        }  # fmt: skip
        return values, given, done

    def run(
        self, publisher: Publisher, *, stop: threading.Event | None = None, once: bool = False
    ) -> Summary:
        """The control loop, paced by the clock."""
        self.warm_up()
        interval = sys.getswitchinterval()
        gc.collect()
        gc.freeze()  # what is here stays: the collector need not look at it in a cycle
        sys.setswitchinterval(0.0005)  # other threads of this process have little to do
        try:
            with first_in_line() as self.priority:
                return self._loop(publisher, stop or threading.Event(), once)
        finally:
            sys.setswitchinterval(interval)
            gc.unfreeze()

    def _loop(self, publisher: Publisher, stop: threading.Event, once: bool) -> Summary:
        pace = CyclePacer(self.dt)
        offset = publisher.start
        told = -math.inf
        while not stop.is_set():
            values, given, done = self.cycle(publisher.commands())
            t = pace.due + self.dt - offset  # the cycle ends then
            publisher.publish(values, t)
            self._tell(publisher, t, given, done)
            self._signal(publisher, t, given)
            now = self.player.mode, self.player.speed
            if self._told != now or t - told >= 1:
                self._told, told = now, t
                self._say(publisher, given)
            pace.wait()
            self.timing = pace.timing
            if once and self.player.rounds:
                break
        return Summary(self.player.rounds, self.limited, self.deviation, self.timing)

    def _say(self, publisher: Publisher, given: Given) -> None:
        timing = self.timing
        publisher.status(
            self.player.mode,
            speed=100 * self.player.speed,
            line=given.line,
            path_time=given.path_time,
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

    def _signal(self, publisher: Publisher, t: float, given: Given) -> None:
        """Events, where the program sets an output."""
        if given.path_time < self._path_time:
            self._signals = 0  # from the beginning
        self._path_time = given.path_time
        signals = self.motion.signals
        if self.player.mode in ("ready", "approaching"):
            return
        while self._signals < len(signals) and signals[self._signals].time <= given.path_time:
            signal = signals[self._signals]
            self._signals += 1
            text = f"output {signal.name} = {signal.value} in line {signal.line}"
            publisher.event(text, kind="output", t=t)

    def _tell(self, publisher: Publisher, t: float, given: Given, done: Cycle) -> None:
        """Events, where a limit begins to be felt."""
        if not (done.side.any() or done.clipped.any()):
            return
        where = f" in line {given.line:.0f}" if given.line else ""
        for i in range(self.robot.n):
            kinds = []
            if done.side[i]:
                kinds.append("stall" if done.stalled[i] else "torque limit")
            elif done.clipped[i]:
                kinds.append(LIMITS[int(done.clipped[i])])
            for kind in kinds:
                last = self._alarms.get((kind, i), -math.inf)
                self._alarms[kind, i] = t
                if t - last <= QUIET:
                    continue
                level = "alarm" if kind == "stall" else "warning"
                text = f"motor {i + 1} is at its torque limit{where}"
                if kind == "stall":
                    text = f"motor {i + 1} cannot hold the arm{where}"
                elif kind != "torque limit":
                    text = f"joint {i + 1} is at its {kind}{where}"
                publisher.event(text, level, kind=kind, joint=i + 1, t=t)


def apart(pose: Array, given: Array) -> tuple[float, float]:
    """Distance (m) and angle (rad) between two tool frames (4, 4)."""
    distance = math.dist(pose[:3, 3], given[:3, 3])
    turn = given[:3, :3].T @ pose[:3, :3]
    x, y, z = turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]
    sine, cosine = math.hypot(x, y, z) / 2, (turn[0, 0] + turn[1, 1] + turn[2, 2] - 1) / 2
    return distance, math.atan2(sine, cosine)
