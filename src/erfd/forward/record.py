"""The record of a simulation: every column of its `Run`, worked out from the moments in batches.

Row k is the moment t[k]: the state, and the input and accelerations from then on. Beside the
columns of other runs: `kinetic` and `potential` energy; since the start the `work_motors`, the
`work_external` on the surroundings, what was `lost_friction` and `lost_stops`; and `energy_gap`,
the work of the motors less all the others, which is the error of the integration.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..drives.dc_motor import motors_of
from ..mechanics.dynamics import (
    bias,
    external_torque,
    gravity_torque,
    inverse_dynamics,
    joint_reactions,
)
from ..mechanics.kinematics import forward_kinematics, kinetic_energy, potential_energy
from ..robot.payload import payload_numbers
from ..run.events import CAUSES, Event, spans
from ..run.run import Run
from ..run.units import UNITS
from .plant import limited
from .scalars import Batches

if TYPE_CHECKING:
    from .simulate import SimulationSetup

Array = NDArray[np.float64]
_PARTS = ("inertial", "coriolis", "gravity", "external")
_KNOWN = ("links", "rotor", "coriolis", "gravity", "external", "viscous", "stop")


def record(setup: SimulationSetup, moments: Array, asked: Array, steps: NDArray[np.int64]) -> Run:
    """A run from its moments (R, plant.row), the input asked for (R, n) and the steps' numbers."""
    plant, n, arm = setup.plant, setup.plant.n, setup.plant.robot
    K: Array = np.array(plant.K)
    back: Array = np.array(plant.K_inverse)
    q, w, works, y, stop = np.split(moments, [n, 2 * n, plant.size, plant.size + n], axis=1)
    times = steps.astype(np.float64) * setup.dt
    data: dict[str, Array] = {"t": times, "q": q, "qd": w @ back.T, "qdd": y @ back.T}
    push = None
    if setup.wrench is not None:
        push = setup.wrench[np.minimum(steps, len(setup.wrench) - 1)]
    data |= _joint_parts(setup, data, push)
    data |= {"q_a": q @ K.T, "qd_a": w, "qdd_a": y}
    data |= _motors(setup, w, asked)
    for part in _PARTS:
        name = "ua_links" if part == "inertial" else f"ua_{part}"
        data[name] = data[f"u_{part}"] @ back
    damping, viscous = setup.values["damping"] * data["qd"], setup.values["viscous"] * w
    data["ua_rotor"] = setup.values["inertia"] * y
    data["ua_viscous"] = viscous + damping @ back
    data["ua_stop"] = 0.0 - stop @ back if plant.stops else np.zeros_like(w)
    if push is not None:
        data["wrench"] = push
    if setup.payload is not None:
        data["payload"] = np.tile(payload_numbers(setup.payload), (len(q), 1))
    data["ua_load_friction"] = data["u_a"] - sum(data[f"ua_{part}"] for part in _KNOWN)
    data["u_friction"] = (data["ua_load_friction"] + viscous) @ K + damping
    data["u_stop"] = stop + 0.0 if plant.stops else np.zeros_like(w)
    data["pose"] = forward_kinematics(setup.robot, q)
    data["power"], data["energy"] = data["u_a"] * w, works[:, :n]
    data["kinetic"] = kinetic_energy(arm, q, data["qd"]) + 0.5 * w**2 @ setup.values["inertia"]
    data["potential"] = potential_energy(arm, q)
    data["work_motors"] = works[:, :n].sum(axis=1)
    data["lost_friction"], data["work_external"] = works[:, n], works[:, n + 1]
    struck = works[:, n + 2 :] if plant.stops else np.zeros_like(w)
    data["lost_stops"] = struck.sum(axis=1)
    total = data["kinetic"] + data["potential"]
    spent = total - total[0] + data["lost_friction"] + data["work_external"] + data["lost_stops"]
    data["energy_gap"] = data["work_motors"] - spent
    events = _events(data, struck)
    robot = replace(setup.robot, drives=()) if plant.kind == "joint_torque" else setup.robot
    ordered = {name: np.ascontiguousarray(data[name]) for name in UNITS if name in data}
    return Run(robot, ordered, events)


def _joint_parts(
    setup: SimulationSetup, data: dict[str, Array], push: Array | None
) -> dict[str, Array]:
    """Joint torques by cause, and reactions."""
    arm, q, qd, qdd = setup.plant.robot, data["q"], data["qd"], data["qdd"]
    rest, weight = bias(arm, q, qd), gravity_torque(arm, q)
    parts = {"u_inertial": inverse_dynamics(arm, q, qd, qdd) - rest}
    parts |= {"u_coriolis": rest - weight, "u_gravity": weight}
    none = np.zeros_like(q)
    parts["u_external"] = none if push is None else external_torque(arm, q, push)
    force, moment = joint_reactions(arm, q, qd, qdd, wrench=push)
    return {"u": sum(parts.values(), none), **parts, "force": force, "moment": moment}


def _motors(setup: SimulationSetup, w: Array, asked: Array) -> dict[str, Array]:
    """Torques of the motors, asked for and given; voltages and currents if they are fed so."""
    p = {name: value.tolist() for name, value in setup.values.items()}
    columns = limited(setup.plant, Batches(), list(asked.T), list(w.T), p)
    given = np.stack([np.broadcast_to(x, len(w)) for x in columns], axis=1)
    gain, drag = setup.values["gain"], setup.values["back"] * w
    found = {"u_a": gain * given - drag, "u_a_wanted": gain * asked - drag}
    if setup.plant.kind == "voltage":
        found |= {"voltage": given, "current": found["u_a"] / motors_of(setup.robot).constant}
    else:
        full = np.full_like(asked, 1e300)
        most = limited(setup.plant, Batches(), list(full.T), list(w.T), p)
        limit = np.stack([np.broadcast_to(x, len(w)) for x in most], axis=1)
        found["u_a_max"] = np.where(limit < 1e300, limit, np.inf)
    return found | {"saturated": np.sign(asked - given)}


def _events(data: dict[str, Array], struck: Array) -> tuple[Event, ...]:
    """When an input was beyond its limit, and when a joint was held by its stop."""
    t, found = data["t"], []
    kind = "voltage limit" if "voltage" in data else "torque limit"
    missing = np.abs(data["u_a_wanted"] - data["u_a"])
    for i in range(data["q"].shape[1]):
        for first, last in spans(data["saturated"][:, i] != 0):
            worst = first + int(missing[first : last + 1, i].argmax())
            why = _shares(data, worst, i)
            found.append(_event(t, first, last, i, kind, float(missing[worst, i]), why))
        hits = np.diff(struck[:, i], prepend=0.0) > 0
        for first, last in spans((data["u_stop"][:, i] != 0) | hits):
            speed = float(abs(data["qd"][max(first - 1, 0), i]))
            found.append(_event(t, first, last, i, "position limit", speed))
    return tuple(sorted(found, key=lambda event: (event.start, event.joint)))


def _event(
    t: Array, first: int, last: int, i: int, kind: str, missing: float,
    why: tuple[tuple[str, float], ...] = (),
) -> Event:  # fmt: skip
    end = float(t[min(last + 1, len(t) - 1)])
    return Event(float(t[first]), end, i + 1, kind, missing, why)


def _shares(data: dict[str, Array], row: int, motor: int) -> tuple[tuple[str, float], ...]:
    """The parts of the motor torque that push towards the limit, largest first, in percent."""
    side = data["saturated"][row, motor]
    parts = {cause: side * float(data[name][row, motor]) for name, cause in CAUSES.items()}
    whole = sum(value for value in parts.values() if value > 0) or 1.0
    ranked = sorted(parts.items(), key=lambda item: -item[1])
    return tuple((cause, 100 * value / whole) for cause, value in ranked if value > 0.005 * whole)
