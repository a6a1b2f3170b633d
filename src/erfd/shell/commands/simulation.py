"""The command simulate: its questions, the simulation with its progress, and how it ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InputError
from ...forward.input_schedule import InputSchedule, read_input_schedule
from ...run.events import Event
from ..answer import Answer, ShellCommand, show_variables
from ..history import SimulationRequest, simulate_request
from ..questions import Asker
from ..session import ShellSession
from ..variables import number_text

LONGEST = 1_000_000
"""Steps that one simulation may have: it is all kept in memory."""
DEFAULT_STEPS = 1000


def run_simulate(session: ShellSession, ask: Asker, follows: str) -> Answer:
    """Ask what to simulate, and simulate it."""
    is_new = _ask_is_new(session, ask)
    if ask.yes("Set theta and omega to zero first?"):
        session.set("theta", np.zeros(session.robot.n))
        session.set("omega", np.zeros(session.robot.n))
    steps_before = 0 if is_new or session.history is None else len(session.history.run) - 1
    inputs, steps = _ask_inputs(session, ask, LONGEST - steps_before)
    request = _request(session, inputs, steps)
    before = None if is_new else session.history
    with _progress_bar(steps) as progress:
        history, stopped = simulate_request(request, before, progress)
    if history is None or history is before:  # stopped before anything was done
        raise stopped or InputError("nothing was simulated")
    session.history = history
    session.take_end()
    if isinstance(stopped, KeyboardInterrupt) and ask.reader.strict:
        raise stopped  # a script as a whole is stopped
    return _outcome(session, steps_before, stopped)


def _ask_is_new(session: ShellSession, ask: Asker) -> bool:
    """Ask whether to begin a new simulation or to continue the last one."""

    def parse(word: str) -> bool:
        matches = [name for name in ("new", "continue") if name.startswith(word.lower())]
        if len(matches) != 1:
            raise InputError(f"expected new or continue, found {word!r}")
        if matches[0] == "continue" and session.history is None:
            raise InputError("there is no simulation to continue")
        return matches[0] == "new"

    text = "A new simulation, or continue the last one? (new/continue)"
    return ask.ask(text, "new", parse, words=("new", "continue"))


def _ask_inputs(session: ShellSession, ask: Asker, most: int) -> tuple[Any, int]:
    """Ask what drives the arm, values (n,) or a schedule, and for how many steps."""
    kind, dt, n = session.feed, session.dt, session.robot.n
    schedule: InputSchedule | None = None
    if ask.yes(f"Use a {kind} schedule file?"):
        schedule = ask.old_file(
            "Schedule file", lambda text: read_input_schedule(Path(text).expanduser(), n)
        )
        steps = int(np.ceil(schedule.duration / dt - 1e-9))
        if steps > most:
            raise InputError(f"the schedule has {steps} steps of {dt:g} s; {most} are possible")
        if steps:
            return schedule, steps
    if most < 1:
        raise InputError(f"the simulation has {LONGEST} steps already; begin a new one")
    default = min(DEFAULT_STEPS, most)
    steps = ask.integer(f"Number of time steps of {dt:g} s", default, 1, most)
    return (session.get(kind) if schedule is None else schedule), steps


def _request(session: ShellSession, inputs: Any, steps: int) -> SimulationRequest:
    """The simulation from the state of the session; theta outside its limits is refused."""
    robot, theta = session.robot, session.values["theta"]
    if session.stops:
        for i, (joint, q) in enumerate(zip(robot.joints, theta.tolist(), strict=True), 1):
            low, high = joint.position_min, joint.position_max
            if not low - 1e-9 <= q <= high + 1e-9:
                raise InputError(
                    f"theta: joint {i} ({joint.name}): expected {low:.6g} to {high:.6g}, found"
                    f" {q:.6g}; `erfd sim --stops none` leaves limits out"
                )
    return SimulationRequest(
        robot, theta, session.values["omega"], inputs, steps, session.period_steps,
        session.wrench, session.dt, session.method, session.feed, session.stops,
        session.converted,
    )  # fmt: skip


@contextmanager
def _progress_bar(steps: int) -> Iterator[Callable[[int], None]]:
    """A progress bar on the terminal, if there is one."""
    from rich.console import Console
    from rich.progress import Progress

    terminal = Console(stderr=True)
    off = not terminal.is_terminal
    with Progress(console=terminal, transient=True, disable=off) as bar:
        task = bar.add_task("simulating (Ctrl-C stops it)", total=steps)
        yield lambda done: bar.update(task, completed=done)


def _outcome(session: ShellSession, steps_before: int, stopped: BaseException | None) -> Answer:
    """The answer after a simulation: steps and times, its events, the state at its end."""
    history = session.history
    assert history is not None
    start, steps = steps_before * session.dt, len(history.run) - 1 - steps_before
    span = f"from {number_text(start)} to {number_text(history.end)} s"
    notes = [f"simulated {steps} steps of {session.dt:g} s, {span}"]
    if isinstance(stopped, KeyboardInterrupt):
        notes.append("stopped; what was simulated is kept")
    elif stopped is not None:
        notes.append(f"stopped: {stopped}")
    events = [event for event in history.run.events if event.end > start + 1e-9 or not steps_before]
    state = show_variables(session, [*history.names, "DACOut"])
    data = state.data | {
        "steps": steps,
        "t": {"value": [start, history.end], "unit": "s"},
        "stopped": None if stopped is None else str(stopped) or "Ctrl-C",
        "events": [event_text(event) for event in events],
    }
    return Answer([*notes, *(event_text(e) for e in events[:20]), *state.lines], data)


def event_text(event: Event) -> str:
    """An event of a simulation in a sentence."""
    when = f"from {number_text(event.start)} to {number_text(event.end)} s"
    if event.kind == "position limit":
        return f"note: joint {event.joint} is at its stop {when}"
    return f"note: motor {event.joint} is at its {event.kind} {when}"


COMMANDS = (
    ShellCommand(
        "simulate",
        "",
        "the motion under voltages",
        "Integrates the Forward Arm from theta and omega. Asks whether to begin a new "
        "simulation or to continue the last one; whether to set theta and omega to zero first; "
        "and for a schedule file, or for the number of steps under the constant voltage. The "
        "DAC takes the schedule's values every DACTimePeriod and holds them, in steps if DACBits "
        "is not 0. The variables are then those at the end. Ctrl-C stops it and keeps what was "
        "simulated.",
        run_simulate,
    ),
)
