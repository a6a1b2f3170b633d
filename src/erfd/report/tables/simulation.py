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
    for joint, data in zip(run.robot.joints, _joints(run), strict=True):
        unit, name = (math.degrees, "deg") if joint.revolute else (float, "m")
        moved = (*data["q"], *data["q_range"], data["qd_peak"])
        peaks = [data[key] for key in ("u_a_peak", "voltage_peak", "work") if key in data]
        cells = (*(number(unit(x)) for x in moved), *(number(x) for x in peaks))
        rows.append((f"{data['joint']} {joint.name}", name, *cells))
    head = ["joint", "unit", "start", "end", "lowest", "highest", "peak speed /s", "peak u_a N m"]
    head += ["peak V", "work J"] if "voltage" in run.data else ["work J"]
    title = f"{run.robot.name}, {t[-1] - t[0]:g} s, {len(run)} points"
    print_table(console, title, head, rows, left=(0, 1))
    energy = [(BALANCE[name], number(value)) for name, value in balance(run).items()]
    print_table(console, "Energy", ("what", "J"), energy)


def _inputs(run: Run) -> list[str]:
    return [name for name in ("u_a", "voltage", "current") if name in run.data]


def _joints(run: Run) -> list[dict[str, Any]]:
    """Start, end and peaks of every joint as JSON values; SI units."""
    return [
        {
            "joint": i + 1,
            "q": [float(run["q"][0, i]), float(run["q"][-1, i])],
            "qd": [float(run["qd"][0, i]), float(run["qd"][-1, i])],
            "q_range": [float(run["q"][:, i].min()), float(run["q"][:, i].max())],
            "qd_peak": float(np.abs(run["qd"][:, i]).max()),
            **{f"{name}_peak": float(np.abs(run[name][:, i]).max()) for name in _inputs(run)},
            "work": float(run["energy"][-1, i]),
        }
        for i in range(run.robot.n)
    ]


def simulation_data(run: Run) -> dict[str, Any]:
    """Events, joints and energy balance as JSON values; SI units."""
    return {
        "robot": run.robot.name,
        "points": len(run),
        "seconds": float(run["t"][-1] - run["t"][0]),
        "events": [event_data(event) for event in run.events],
        "joints": _joints(run),
        "energy": balance(run),
        "units": {name: UNITS[name] for name in ("q", "qd", *_inputs(run))},
    }
