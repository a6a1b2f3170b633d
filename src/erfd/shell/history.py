"""Simulations of the shell, made piece by piece so that they can be stopped and continued."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import current_thread, main_thread
from typing import Any

import numpy as np

from ..errors import ErfdError
from ..forward.input_schedule import InputSchedule
from ..forward.simulate import simulate
from ..ground.arrays import Array
from ..robot.model import Robot
from ..run.events import Event
from ..run.run import Run

SERIES = {"theta": "q", "omega": "qd", "alpha": "qdd", "torque": "u_a", "voltage": "voltage"}
"""What a simulation is plotted and printed as, and the column of its run."""
PIECE = 200
"""Steps of a piece: Ctrl-C loses at most so many."""
SINCE_START = ("energy", "work_motors", "work_external", "lost_friction", "lost_stops",
               "energy_gap")  # fmt: skip
"""Columns that add up from the beginning of a run."""


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """A simulation so far: a run in steps of dt (s), and the outputs of the DAC (N, n)."""

    run: Run
    dac: Array
    dt: float

    @property
    def end(self) -> float:
        """The last time, s."""
        return float(self.run["t"][-1])

    def series(self, name: str) -> Array:
        """One of `SERIES`, or DACOut, over time, (N, n)."""
        return self.dac if name == "DACOut" else self.run[SERIES[name]]

    @property
    def names(self) -> tuple[str, ...]:
        """The series that this simulation has."""
        return tuple(name for name, column in SERIES.items() if column in self.run.data)


@dataclass(frozen=True, slots=True, eq=False)
class SimulationRequest:
    """A simulation to be made: from a state, under values (n,) or a schedule `given`.

    `period` is the time of the DAC in steps; 0: the values are followed without one. `convert` is
    what it makes of values (..., n).
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
    convert: Callable[[Array], Array] = np.asarray

    def inputs(self, first: int, count: int) -> tuple[Array | InputSchedule, Array]:
        """What drives the steps from `first`, and the same at their count + 1 moments."""
        if not isinstance(self.given, InputSchedule):
            held = self.convert(self.given)
            return held, np.tile(held, (count + 1, 1))
        k = np.arange(first, first + count)
        if self.period:
            rows = self.convert(self.given.at(k // self.period * self.period * self.dt))
        elif not self.given.linear:
            rows = self.given.at(k * self.dt)
        else:
            moments = np.arange(count + 1) * self.dt
            section = InputSchedule(moments, self.given.at(moments + first * self.dt), linear=True)
            return section, np.array(section.values)
        return rows, np.concatenate([rows, rows[-1:]])


def pieces(request: SimulationRequest) -> Iterator[History]:
    """Simulate in pieces of `PIECE` steps; each begins where the one before ended."""
    theta, omega, done = request.theta, request.omega, 0
    while done < request.steps:
        count = min(PIECE, request.steps - done)
        inputs, dac = request.inputs(done, count)
        run = simulate(
            request.robot, theta, omega, inputs, steps=count, dt=request.dt, method=request.method,
            kind=request.kind, wrench=request.wrench, stops=request.stops,
        )  # fmt: skip
        yield History(run, dac, request.dt)
        theta, omega, done = run["q"][-1], run["qd"][-1], done + count


@contextmanager
def _interrupts() -> Iterator[list[int]]:
    """Note every Ctrl-C, which raises as always: a finalizer that it meets would swallow it."""
    signals = list[int]()

    def note(number: int, frame: object) -> None:
        signals.append(number)
        raise KeyboardInterrupt

    if current_thread() is not main_thread():  # no other thread may ask for signals
        yield signals
        return
    earlier_handler = signal.signal(signal.SIGINT, note)
    try:
        yield signals
    finally:
        signal.signal(signal.SIGINT, earlier_handler)


def simulate_request(
    request: SimulationRequest, before: History | None, progress: Callable[[int], Any]
) -> tuple[History | None, BaseException | None]:
    """Simulate, and append it to the history `before`, as far as it came; and what stopped it."""
    parts, stopped = list[History](), None
    steps = 0
    try:
        with _interrupts() as signals:
            for piece in pieces(request):
                parts.append(piece)
                steps += len(piece.run) - 1
                progress(steps)
                if signals:
                    raise KeyboardInterrupt
    except (KeyboardInterrupt, ErfdError) as error:
        stopped = error
    if not parts:
        return before, stopped
    while True:
        try:
            return join(parts if before is None else [before, *parts]), stopped
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
    return History(Run(parts[-1].run.robot, whole, merge_events(events)), dac, dt)


def merge_events(events: list[Event]) -> tuple[Event, ...]:
    """Make one event of those that go on from piece to piece."""
    merged = list[Event]()
    last: dict[tuple[int, str], int] = {}
    for event in sorted(events, key=lambda e: (e.start, e.joint)):
        key = event.joint, event.kind
        k = last.get(key)
        if k is not None and event.start <= merged[k].end + 1e-9:
            worst = max(merged[k], event, key=lambda e: e.missing)
            merged[k] = replace(worst, start=merged[k].start, end=max(merged[k].end, event.end))
        else:
            last[key] = len(merged)
            merged.append(event)
    return tuple(merged)
