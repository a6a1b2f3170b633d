"""A simulation as tables (Rich) and plain data (JSON): ends, events, motors, energy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text

from ...run.columns import UNITS
from ...run.run import Run
from .run import event_data
from .table import number, print_table

BALANCE = {
    "work_motors": "work of the motors",
    "kinetic": "kinetic energy gained",
    "potential": "potential energy gained",
    "lost_friction": "lost by friction",
    "work_external": "work on the surroundings",
    "lost_stops": "lost at stops",
    "energy_gap": "missing (error of the integration)",
}
"""The columns of energy in words; the first is the sum of the others."""


def balance(run: Run) -> dict[str, float]:
    """Where the work of the motors went, J, by the names of `BALANCE`."""
    energies = {name: float(run[name][-1]) for name in BALANCE}
    for name in ("kinetic", "potential"):
        energies[name] -= float(run[name][0])
    return energies


def print_simulation(run: Run, console: Console) -> None:
    """Print events, start, end and peaks of every joint, and the energy balance."""
    t = run["t"]
    for event in run.events:
        console.print(Text(f"  {event}", style="yellow"))
    rows = []
    for i, joint in enumerate(run.robot.joints):
        unit = (lambda x: x) if not joint.revolute else math.degrees
        row = [f"{i + 1} {joint.name}", "deg" if joint.revolute else "m"]
        row += [number(unit(float(run["q"][k, i]))) for k in (0, -1)]
        low, high = float(run["q"][:, i].min()), float(run["q"][:, i].max())
        row += [number(unit(x)) for x in (low, high)]
        row += [number(unit(float(np.abs(run["qd"][:, i]).max())))]
        names = ("u_a", "voltage") if "voltage" in run.data else ("u_a",)
        row += [number(float(np.abs(run[name][:, i]).max())) for name in names]
        rows.append([*row, number(float(run["energy"][-1, i]))])
    head = ["joint", "unit", "start", "end", "lowest", "highest", "peak speed /s", "peak u_a N m"]
    head += ["peak V", "work J"] if "voltage" in run.data else ["work J"]
    title = f"{run.robot.name}, {t[-1] - t[0]:g} s, {len(run)} points"
    print_table(console, title, head, rows, left=(0, 1))
    energy = [(BALANCE[name], number(value)) for name, value in balance(run).items()]
    print_table(console, "Energy", ("what", "J"), energy)


def simulation_data(run: Run) -> dict[str, Any]:
    """Events, joints and energy balance as JSON values; SI units."""
    names = [name for name in ("u_a", "voltage", "current") if name in run.data]
    joints = [
        {
            "joint": i + 1,
            "q": [float(run["q"][0, i]), float(run["q"][-1, i])],
            "qd": [float(run["qd"][0, i]), float(run["qd"][-1, i])],
            "q_range": [float(run["q"][:, i].min()), float(run["q"][:, i].max())],
            "qd_peak": float(np.abs(run["qd"][:, i]).max()),
            **{f"{name}_peak": float(np.abs(run[name][:, i]).max()) for name in names},
            "work": float(run["energy"][-1, i]),
        }
        for i in range(run.robot.n)
    ]
    return {
        "robot": run.robot.name,
        "points": len(run),
        "seconds": float(run["t"][-1] - run["t"][0]),
        "events": [event_data(event) for event in run.events],
        "joints": joints,
        "energy": balance(run),
        "units": {name: UNITS[name] for name in ("q", "qd", *names)},
    }
