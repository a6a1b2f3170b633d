"""The commands inverse_arm, forward_arm and database_read."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import InputError
from ...forward.input_schedule import InputSchedule, write_input_schedule
from ...ground.files import write_text
from ...robot.library import robots
from ..answer import Answer, ShellCommand, show_variables
from ..arm import forward_arm, inverse_arm, limit_notes, voltages
from ..questions import Asker
from ..rows import InverseArmRows, read_rows, rows_text
from ..session import ShellSession


def run_inverse(session: ShellSession, ask: Asker, follows: str) -> Answer:
    """Compute torques and voltages from positions, velocities and accelerations."""
    if follows:
        return _inverse_file(session, ask, read_rows(follows, session.robot.n))
    v = session.values
    tau = inverse_arm(session.robot, v["theta"], v["omega"], v["alpha"], wrench=session.wrench)
    session.set("torque", tau)
    names = ["torque", "voltage"] if session.feed == "voltage" else ["torque"]
    return show_variables(session, names, limit_notes(session.robot, session.get(session.feed)))


def _inverse_file(session: ShellSession, ask: Asker, rows: InverseArmRows) -> Answer:
    """Run the Inverse Arm on every row of a file and write the results."""
    robot = session.robot
    out = ask.new_file("File for the results", str(rows.path.with_suffix(".out")))
    tau = inverse_arm(robot, rows.theta, rows.omega, rows.alpha, wrench=session.wrench)
    results = {"torque": tau}
    if session.feed == "voltage":
        results["voltage"] = voltages(robot, tau, rows.omega)
    write_text(out, rows_text(robot, rows.t, results))
    lines = [f"{len(tau)} sets of data", f"wrote {out}"]
    data: dict[str, Any] = {"sets": len(tau), "written": [str(out)]}
    schedule = _schedule_of(rows, results[session.feed])
    if schedule is not None:
        schedule_path = rows.path.with_suffix(".schedule")
        write_input_schedule(schedule, schedule_path)
        lines.append(f"wrote {schedule_path}, a schedule that simulate can use")
        data["written"].append(str(schedule_path))
    worst = results[session.feed][np.abs(results[session.feed]).argmax(axis=0), np.arange(robot.n)]
    notes = limit_notes(robot, worst)
    return Answer([*lines, *notes], data | ({"notes": notes} if notes else {}))


def _schedule_of(rows: InverseArmRows, values: Any) -> InputSchedule | None:
    """The results as a schedule, if the rows have times that make one."""
    if rows.t is None:
        return None
    try:
        return InputSchedule(rows.t, values, linear=True)
    except InputError as error:
        raise InputError(f"{rows.path.name}: times make no schedule: {error}") from None


def run_forward(session: ShellSession, ask: Asker, follows: str) -> Answer:
    """Compute accelerations from positions, velocities and voltages."""
    v, inputs, wrench = session.values, session.get(session.feed), session.wrench
    alpha = forward_arm(session.robot, v["theta"], v["omega"], inputs, wrench=wrench)
    session.set("alpha", alpha)
    return show_variables(session, ["alpha"], limit_notes(session.robot, inputs))


def run_database(session: ShellSession, ask: Asker, follows: str) -> Answer:
    """Load another robot."""
    if follows:
        session.read(follows)
    else:
        text, words = "Robot (a bundled name, or a file)", list(robots())
        ask.ask(text, session.source, session.read, words=words, files=True)
    return Answer([describe(session)], robot_data(session))


def describe(session: ShellSession) -> str:
    """The robot in one line."""
    robot, mass = session.robot, robot_data(session)["mass"]
    title = f": {robot.title}" if robot.title else ""
    return f"{robot.name}{title}; {robot.n} joints, {mass:.6g} kg, driven by {session.feed}"


def robot_data(session: ShellSession) -> dict[str, Any]:
    """The robot as data for programs."""
    robot = session.robot
    mass = sum(link.mass for link in robot.links)
    return {"robot": robot.name, "joints": robot.n, "mass": mass, "driven_by": session.feed}


COMMANDS = (
    ShellCommand(
        "inverse_arm",
        "[file]",
        "InvArm: torque and voltage from theta, omega and alpha",
        "InvArm of the report, (1)-(11): runs the Inverse Arm on theta, omega, alpha, f_hand and "
        "n_hand and puts the result into torque and voltage. With a file: on every row of it "
        "(theta, omega, alpha of all joints; a time in s may stand before them). The results, a "
        "row each, go to the file that it asks for. Rows with times that rise from 0 also give a "
        "schedule for simulate.",
        run_inverse,
    ),
    ShellCommand(
        "forward_arm",
        "",
        "ForArm: alpha from theta, omega and voltage",
        "ForArm of the report, (12)-(26): runs the Forward Arm on theta, omega, voltage, f_hand "
        "and n_hand and puts the result into alpha. Nothing is integrated, and no limit of the "
        "motors is applied.",
        run_forward,
    ),
    ShellCommand(
        "database_read",
        "[robot]",
        "another robot",
        "Reads a robot: a bundled name, or a .toml, .parts.toml or .urdf file. All variables "
        "begin again, and the simulation is forgotten.",
        run_database,
    ),
)
