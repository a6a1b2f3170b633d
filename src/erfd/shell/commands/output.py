"""Commands that plot, print or write a simulation."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
from rich.text import Text

from ...errors import InputError
from ...ground.files import write_text
from ..answer import Answer, ShellCommand
from ..braille import can_plot, chart
from ..history import History
from ..questions import Asker, file_name
from ..rows import rows_text
from ..session import OutputFile, ShellSession
from ..variables import number_text, unit_text, units

ROWS = 20
"""About so many moments are printed if nothing else is asked for."""


def history_of(session: ShellSession) -> History:
    """The simulation of the session; an error if there is none yet."""
    if session.history is None:
        raise InputError("there is no simulation; `simulate` makes one")
    return session.history


def run_plot(session: ShellSession, ask: Asker, follows: str) -> Answer:
    """Plot a quantity or all, into a file and on the terminal."""
    history = history_of(session)
    name = ask.choose("Quantity", "all", (*history.names, "all"))
    path = ask.ask("File (.png, .svg, .pdf; none)", "simulation.png", _picture, files=True)
    lines: list[str | Text] = []
    if can_plot():
        lines += terminal_plots(history, name)
    written = []
    if path is not None:
        from ..figures import figure_of, write_figure

        write_figure(figure_of(history, name), path)
        written.append(str(path))
        lines.append(f"wrote {path}")
    return Answer(lines, {"quantity": name, "written": written})


def _picture(text: str) -> Path | None:
    if text == "none":
        return None
    from ..figures import check_picture

    return check_picture(file_name(text))


def terminal_plots(history: History, name: str) -> list[str | Text]:
    """One small plot a quantity."""
    robot = history.run.robot
    width = min(shutil.get_terminal_size((80, 24)).columns, 110)
    labels = [str(i + 1) for i in range(robot.n)]
    lines: list[str | Text] = []
    for quantity in history.names if name == "all" else (name,):
        title = f"{quantity} ({unit_text(quantity, robot)})"
        values, height = history.series(quantity), 6 if name == "all" else 12
        lines += chart(title, history.run["t"], values, labels, width=width, height=height)
    return lines


def run_print(session: ShellSession, ask: Asker, follows: str) -> Answer:
    """Print moments of the simulation, or write them to the open file."""
    history = history_of(session)
    end, dt = history.end, session.dt
    start = ask.real("Start (s)", "0", 0.0, end)
    finish = ask.real("Finish (s)", _exact(end), start, end)
    default = max(round((finish - start) / ROWS / dt), 1) * dt
    step = ask.real("Step (s)", _exact(default), dt, max(end, dt))
    stride = max(round(step / dt), 1)
    rows = np.arange(round(start / dt), min(round(finish / dt), len(history.run) - 1) + 1, stride)
    data = _print_data(history, rows)
    if session.output is not None:
        series = {name: history.series(name)[rows] for name in history.names}
        session.output.text += rows_text(session.robot, history.run["t"][rows], series)
        write_text(session.output.path, session.output.text)
        where = str(session.output.path)
        return Answer([f"wrote {len(rows)} rows to {where}"], data | {"written": [where]})
    return Answer(list(tables(history, rows)), data)


def _exact(x: float) -> str:
    """A number with 12 digits: a default that stays within a long simulation."""
    return f"{x:.12g}"


def _print_data(history: History, rows: Any) -> dict[str, Any]:
    robot, names = history.run.robot, history.names
    values = {name: history.series(name)[rows].tolist() for name in names}
    unit_lists = {"t": "s"} | {name: list(units(name, robot)) for name in names}
    return {"t": history.run["t"][rows].tolist(), **values, "units": unit_lists}


def tables(history: History, rows: Any) -> list[str]:
    """A table a quantity: a row for every moment, a column for every joint."""
    robot, t = history.run.robot, history.run["t"]
    lines = []
    for name in history.names:
        heads = "".join(f"{i + 1:>13}" for i in range(robot.n))
        lines += [f"{name} ({unit_text(name, robot)})", f"{'t (s)':>10}{heads}"]
        for k in rows.tolist():
            cells = "".join(f"{number_text(x):>13}" for x in history.series(name)[k].tolist())
            lines.append(f"{number_text(float(t[k])):>10}{cells}")
    return lines


def run_open(session: ShellSession, ask: Asker, follows: str) -> Answer:
    """Open the file that print_simulation writes to."""
    if session.output is not None:
        raise InputError(f"{session.output.path} is open; close_output_file closes it")
    path = ask.new_file("Output file", "simulation.txt", follows)
    write_text(path, "")
    session.output = OutputFile(path)
    return Answer([f"opened {path}; print_simulation writes to it"], {"opened": str(path)})


def run_close(session: ShellSession, ask: Asker, follows: str) -> Answer:
    """Close the output file: print_simulation prints again."""
    if session.output is None:
        raise InputError("no output file is open; open_output_file opens one")
    path, session.output = session.output.path, None
    return Answer([f"closed {path}"], {"closed": str(path)})


def run_graphic(session: ShellSession, ask: Asker, follows: str) -> Answer:
    """Write the motion for `erfd play` and the studio."""
    from ...report.play.graphic_file import write_graphic

    history = history_of(session)
    path = ask.new_file("Graphic file", "simulation.jsonl", follows)
    default = max(round(0.02 / session.dt), 1) * session.dt
    step = ask.real("Time between two pictures (s)", _exact(default), session.dt, 1e9)
    count = write_graphic(history.run, path, max(round(step / session.dt), 1))
    lines: list[str | Text] = [f"wrote {path}, {count} moments; `erfd play {path}` animates it"]
    return Answer(lines, {"written": [str(path)], "moments": count})


COMMANDS = (
    ShellCommand(
        "plot_simulation",
        "",
        "curves into a file and on the terminal",
        "Asks for a quantity (theta, omega, alpha, torque, voltage, all) and for a file, .png, "
        ".svg or .pdf, or none. A terminal that can show them gets small curves, too.",
        run_plot,
    ),
    ShellCommand(
        "print_simulation",
        "",
        "numbers on the screen or into the open file",
        "Asks for start, finish and step in s. While an output file is open the numbers go "
        "there, all digits, a row for every moment.",
        run_print,
    ),
    ShellCommand(
        "write_graphic_file",
        "[file]",
        "the motion for `erfd play` and the studio",
        "Writes joint history and link poses as JSON lines. Asks for the file and for the time "
        "between two pictures.",
        run_graphic,
    ),
    ShellCommand(
        "open_output_file",
        "[file]",
        "open a file for print_simulation",
        "Until close_output_file, print_simulation writes to this file instead of the screen.",
        run_open,
    ),
    ShellCommand(
        "close_output_file",
        "",
        "close the output file",
        "Further output of print_simulation goes to the screen.",
        run_close,
    ),
)
