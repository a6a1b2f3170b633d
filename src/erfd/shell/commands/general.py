"""The commands help, show, save and quit, and the table of all commands."""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap
from typing import Any

from ...errors import InputError
from ...ground.files import write_text
from ...run.write import SUFFIXES, write_run
from ..answer import Answer, ShellCommand, show_variables
from ..questions import Asker
from ..session import ShellSession
from ..variables import VARIABLES, match_name, number_text, unit_text
from . import arm as arm_commands
from . import output as output_commands
from . import simulation as simulation_commands
from .arm import describe, robot_data
from .output import history_of


def run_help(session: ShellSession, ask: Asker, follows: str) -> Answer:
    """List commands and variables, or explain one of them."""
    if follows:
        return _explain(
            session, match_name(follows, [*COMMANDS, *VARIABLES], "a command or variable")
        )
    width = max(len(f"{c.name} {c.follows}") for c in COMMANDS.values())
    lines = ["Variables, set with name = v1 v2 ... vN:"]
    lines += [
        f"  {name:<{width}}  {v.meaning} ({unit_text(name, session.robot)})"
        for name, v in VARIABLES.items()
    ]
    lines.append("Commands:")
    for c in COMMANDS.values():
        title = f"{c.name} {c.follows}".strip()
        lines.append(f"  {title:<{width}}  {c.summary}")
    lines.append("Names may be shortened while they are clear. help NAME says more.")
    texts = {c.name: c.summary for c in COMMANDS.values()}
    meanings = {name: v.meaning for name, v in VARIABLES.items()}
    return Answer([*lines], {"variables": meanings, "commands": texts})


def _explain(session: ShellSession, name: str) -> Answer:
    if name in COMMANDS:
        c = COMMANDS[name]
        title = f"{name} {c.follows}".strip()
        return Answer([f"{title}: {c.summary}", *wrap(c.more, 90)], {name: c.more})
    v = VARIABLES[name]
    size = {0: "one number a joint", 1: "one number", 3: "x, y and z"}[v.size]
    unit = unit_text(name, session.robot)
    return Answer([f"{name}: {v.meaning}; {size}, {unit}"], {name: v.meaning})


def run_show(session: ShellSession, ask: Asker, follows: str) -> Answer:
    """Show some variables, or the robot, all variables and the simulation."""
    if follows:
        names = [match_name(word, VARIABLES, "a variable") for word in follows.split()]
        return show_variables(session, names)
    variables = show_variables(session, session.values)
    history, output = session.history, session.output
    simulation = (
        "none" if history is None else f"{len(history.run) - 1} steps, {number_text(history.end)} s"
    )
    file = "none" if output is None else str(output.path)
    limits = "joints stop at their limits" if session.stops else "joints ignore their limits"
    lines = [
        describe(session),
        *variables.lines,
        f"simulation: {simulation}; {session.method}, step {session.dt:g} s, {limits}",
        f"output file: {file}",
    ]
    data: dict[str, Any] = robot_data(session) | {"variables": variables.data}
    data["steps"] = 0 if history is None else len(history.run) - 1
    return Answer([*lines], data | {"output_file": None if output is None else file})


def run_save(session: ShellSession, ask: Asker, follows: str) -> Answer:
    """Write the variables as a script, or the simulation as a run."""
    text = "File (a script of the variables; .parquet, .csv, .mcap: the simulation)"
    path = ask.new_file(text, "session.sim", follows)
    if path.suffix.lower() in SUFFIXES:
        run = history_of(session).run
        write_run(run, path)
        return Answer([f"wrote {path}, {len(run)} moments"], {"written": [str(path)]})
    if path.suffix.lower() in (".toml", ".urdf", ".png"):
        raise InputError(f"{path}: expected a name such as session.sim or run.parquet")
    write_text(path, script(session))
    return Answer([f"wrote {path}; `erfd sim < {path}` reads it"], {"written": [str(path)]})


def script(session: ShellSession) -> str:
    """Lines that bring the robot and all variables back as they are."""
    source = session.source
    if Path(source).is_file():
        source = str(Path(source).resolve())
    lines = [f"database_read {source}"]
    tied = ("torque", "DACOut") if session.feed == "voltage" else ("DACOut",)
    for name, values in session.values.items():
        if name not in tied:  # the voltage says them; with velocities before it
            lines.append(f"{name} = {' '.join(map(repr, values.tolist()))}")
    return "\n".join(lines) + "\n"


def run_quit(session: ShellSession, ask: Asker, follows: str) -> Answer:
    """Leave the shell."""
    return Answer(quit=True)


_GENERAL = (
    ShellCommand(
        "help",
        "[name]",
        "this list, or more about one name",
        "Lists variables and commands, or explains one.",
        run_help,
    ),
    ShellCommand(
        "show",
        "[name ..]",
        "values of variables",
        "Shows the robot, all variables, the simulation and the output file; or some variables.",
        run_show,
    ),
    ShellCommand(
        "save",
        "[file]",
        "keep variables or simulation",
        "A name that ends in .parquet, .csv or .mcap gets the simulation, as `erfd simulate` "
        "writes it; the studio opens .parquet files. Any other name gets a script that sets the "
        "robot and all variables.",
        run_save,
    ),
    ShellCommand("quit", "", "leave the shell", "Leaves the shell; so does the end of the input.",
            run_quit),
)  # fmt: skip
_ALL = (*arm_commands.COMMANDS, *simulation_commands.COMMANDS, *output_commands.COMMANDS, *_GENERAL)
COMMANDS = {command.name: command for command in _ALL}
"""All commands by name, in the order of the help."""
