"""The simulation of a session: made piece by piece, so that it can be stopped and continued."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import current_thread, main_thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ErfdError
from ..forward.input_schedule import InputSchedule
from ..forward.simulate import simulate
from ..robot.model import Robot
from ..run.events import Event
from ..run.run import Run

Array = NDArray[np.float64]
PIECE = 200
"""Steps of a piece: Ctrl-C loses at most so many."""
SINCE_START = ("energy", "work_motors", "work_external", "lost_friction", "lost_stops",
               "energy_gap")  # fmt: skip
"""Columns that add up from the beginning of a run."""


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """A run in steps of dt (s), and what the DAC gave at its moments, (N, n)."""

    run: Run
    dac: Array
    dt: float

    @property
    def end(self) -> float:
        """The last time, s."""
        return float(self.run["t"][-1])

    def series(self, name: str) -> Array:
        """One of `variables.SERIES` over time, (N, n)."""
        columns = {"theta": "q", "omega": "qd", "alpha": "qdd", "torque": "u_a"}
        return self.dac if name == "DACOut" else self.run[columns.get(name, name)]

    @property
    def names(self) -> tuple[str, ...]:
        """The series that this simulation has."""
        first = ("theta", "omega", "alpha", "torque")
        return (*first, "voltage") if "voltage" in self.run.data else first


@dataclass(frozen=True, slots=True, eq=False)
class SimulationRequest:
    """What is to be simulated from a state: values (n,) or a schedule, for a number of steps.

    `period` is the time of the DAC in steps; 0: the values are followed without one.
    """

    robot: Robot
    theta: Array
    omega: Array
    given: Array | InputSchedule
    steps: int
    period: int
    wrench: Array | None
    dt: float
    method: str
    kind: str
    stops: str | None

    def inputs(self, first: int, count: int) -> tuple[Array | InputSchedule, Array]:
        """What drives the steps from `first`, and the same at their count + 1 moments."""
        if not isinstance(self.given, InputSchedule):
            return self.given, np.tile(self.given, (count + 1, 1))
        k = np.arange(first, first + count)
        if self.period:
            rows = self.given.at(k // self.period * self.period * self.dt)
        elif not self.given.linear:
            rows = self.given.at(k * self.dt)
        else:
            moments = np.arange(count + 1) * self.dt
            cut = InputSchedule(moments, self.given.at(moments + first * self.dt), linear=True)
            return cut, np.array(cut.values)
        return rows, np.concatenate([rows, rows[-1:]])


def pieces(plan: SimulationRequest) -> Iterator[History]:
    """The pieces of a plan, one after the other; each begins where the one before ended."""
    theta, omega, done = plan.theta, plan.omega, 0
    while done < plan.steps:
        count = min(PIECE, plan.steps - done)
        given, dac = plan.inputs(done, count)
        run = simulate(
            plan.robot, theta, omega, given, steps=count, dt=plan.dt, method=plan.method,
            kind=plan.kind, wrench=plan.wrench, stops=plan.stops,
        )  # fmt: skip
        yield History(run, dac, plan.dt)
        theta, omega, done = run["q"][-1], run["qd"][-1], done + count


@contextmanager
def _interrupts() -> Iterator[list[int]]:
    """Ctrl-C raises as always and is noted: a finalizer that it meets would swallow it."""
    seen = list[int]()

    def note(number: int, frame: object) -> None:
        seen.append(number)
        raise KeyboardInterrupt

    if current_thread() is not main_thread():  # no other thread may ask for signals
        yield seen
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield seen
    finally:
        signal.signal(signal.SIGINT, before)


def carry_out(
    plan: SimulationRequest, before: History | None, progress: Callable[[int], Any]
) -> tuple[History | None, BaseException | None]:
    """The history with the plan behind it, as far as it came, and what stopped it."""
    found, stopped = list[History](), None
    steps = 0
    try:
        with _interrupts() as seen:
            for piece in pieces(plan):
                found.append(piece)
                steps += len(piece.run) - 1
                progress(steps)
                if seen:
                    raise KeyboardInterrupt
    except (KeyboardInterrupt, ErfdError) as error:
        stopped = error
    if not found:
        return before, stopped
    while True:
        try:
            return join(found if before is None else [before, *found]), stopped
        except KeyboardInterrupt:  # pressed once more: what was simulated is kept all the same
            continue


def join(parts: list[History]) -> History:
    """One history of several; where they meet, the first moment of the later one counts."""
    if len(parts) == 1:
        return parts[0]
    names = [name for name in parts[-1].run.data if all(name in p.run.data for p in parts)]
    data: dict[str, list[Array]] = {name: [] for name in names}
    events = list[Event]()
    steps, sums, dt = 0, dict[str, Any](), parts[0].dt
    for k, part in enumerate(parts):
        cut = slice(None) if k == len(parts) - 1 else slice(-1)
        for name in names:
            column = part.run[name]
            if name in SINCE_START:
                column = column + sums.get(name, 0.0)
                sums[name] = column[-1]
            data[name].append(column[cut])
        start = steps * dt
        events += [replace(e, start=e.start + start, end=e.end + start) for e in part.run.events]
        steps += len(part.run) - 1
    whole: dict[str, Array] = {name: np.concatenate(columns) for name, columns in data.items()}
    whole["t"] = np.asarray(np.arange(steps + 1) * dt)  # sums of times would drift
    dac = np.concatenate([*(part.dac[:-1] for part in parts[:-1]), parts[-1].dac])
    return History(Run(parts[-1].run.robot, whole, merge(events)), dac, dt)


def merge(events: list[Event]) -> tuple[Event, ...]:
    """Events that go on across a seam become one again."""
    found = list[Event]()
    last: dict[tuple[int, str], int] = {}
    for event in sorted(events, key=lambda e: (e.start, e.joint)):
        key = event.joint, event.kind
        k = last.get(key)
        if k is not None and event.start <= found[k].end + 1e-9:
            worst = max(found[k], event, key=lambda e: e.missing)
            found[k] = replace(worst, start=found[k].start, end=max(found[k].end, event.end))
        else:
            last[key] = len(found)
            found.append(event)
    return tuple(found)
