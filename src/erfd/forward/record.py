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
from ..ground.arrays import Array
from ..mechanics.dynamics import (
    bias,
    external_torque,
    gravity_torque,
    inverse_dynamics,
    joint_reactions,
)
from ..mechanics.kinematics import forward_kinematics, kinetic_energy, potential_energy
from ..robot.payload import payload_numbers
from ..run.columns import UNITS
from ..run.events import Event, spans, torque_shares
from ..run.run import Run
from .plant import ScalarPlant, limited
from .scalars import Batches

if TYPE_CHECKING:
    from ..robot.model import Robot
    from .simulate import SimulationSetup

_PARTS = ("inertial", "coriolis", "gravity", "external")
_EXPLAINED = ("links", "rotor", "coriolis", "gravity", "external", "viscous", "stop")


def record(setup: SimulationSetup, moments: Array, asked: Array, steps: NDArray[np.int64]) -> Run:
    """Make a run from its moments (R, plant.row), the input asked for (R, n), the step numbers."""
    plant, n, arm = setup.plant, setup.plant.n, setup.plant.robot
    K: Array = np.array(plant.K)
    K_inverse: Array = np.array(plant.K_inverse)
    q, w, works, y, stop = np.split(moments, [n, 2 * n, plant.size, plant.size + n], axis=1)
    times = steps.astype(np.float64) * setup.dt
    data: dict[str, Array] = {"t": times, "q": q, "qd": w @ K_inverse.T, "qdd": y @ K_inverse.T}
    wrenches = None
    if setup.wrench is not None:
        wrenches = setup.wrench[np.minimum(steps, len(setup.wrench) - 1)]
    data |= _joint_parts(setup, data, wrenches)
    data |= {"q_a": q @ K.T, "qd_a": w, "qdd_a": y}
    data |= _motors(setup, w, asked)
    for part in _PARTS:
        name = "ua_links" if part == "inertial" else f"ua_{part}"
        data[name] = data[f"u_{part}"] @ K_inverse
    damping, viscous = setup.values["damping"] * data["qd"], setup.values["viscous"] * w
    data["ua_rotor"] = setup.values["inertia"] * y
    data["ua_viscous"] = viscous + damping @ K_inverse
    data["ua_stop"] = 0.0 - stop @ K_inverse if plant.stops else np.zeros_like(w)
    if wrenches is not None:
        data["wrench"] = wrenches
    if setup.payload is not None:
        data["payload"] = np.tile(payload_numbers(setup.payload), (len(q), 1))
    data["ua_load_friction"] = data["u_a"] - sum(data[f"ua_{part}"] for part in _EXPLAINED)
    data["u_friction"] = (data["ua_load_friction"] + viscous) @ K + damping
    data["u_stop"] = stop + 0.0 if plant.stops else np.zeros_like(w)
    data["pose"] = forward_kinematics(setup.robot, q)
    data["power"], data["energy"] = data["u_a"] * w, works[:, :n]
    data["kinetic"] = kinetic_energy(arm, q, data["qd"]) + 0.5 * w**2 @ setup.values["inertia"]
    data["potential"] = potential_energy(arm, q)
    data["work_motors"] = works[:, :n].sum(axis=1)
    data["lost_friction"], data["work_external"] = works[:, n], works[:, n + 1]
    lost_at_stops = works[:, n + 2 :] if plant.stops else np.zeros_like(w)
    data["lost_stops"] = lost_at_stops.sum(axis=1)
    total = data["kinetic"] + data["potential"]
    spent = total - total[0] + data["lost_friction"] + data["work_external"] + data["lost_stops"]
    data["energy_gap"] = data["work_motors"] - spent
    events = _events(data, lost_at_stops, setup.robot)
    robot = replace(setup.robot, drives=()) if plant.kind == "joint_torque" else setup.robot
    ordered = {name: np.ascontiguousarray(data[name]) for name in UNITS if name in data}
    return Run(robot, ordered, events)


def _joint_parts(
    setup: SimulationSetup, data: dict[str, Array], wrenches: Array | None
) -> dict[str, Array]:
    """Joint torques by cause, and reactions, as columns."""
    arm, q, qd, qdd = setup.plant.robot, data["q"], data["qd"], data["qdd"]
    rest, weight = bias(arm, q, qd), gravity_torque(arm, q)
    parts = {"u_inertial": inverse_dynamics(arm, q, qd, qdd) - rest}
    parts |= {"u_coriolis": rest - weight, "u_gravity": weight}
    none = np.zeros_like(q)
    parts["u_external"] = none if wrenches is None else external_torque(arm, q, wrenches)
    force, moment = joint_reactions(arm, q, qd, qdd, wrench=wrenches)
    return {"u": sum(parts.values(), none), **parts, "force": force, "moment": moment}


def _motors(setup: SimulationSetup, w: Array, asked: Array) -> dict[str, Array]:
    """Motor torques asked for and applied; voltages and currents if that is the input."""
    arm = ScalarPlant.of(setup.plant, Batches(), setup.values)
    columns = limited(arm, list(asked.T), list(w.T))
    applied = np.stack([np.broadcast_to(x, len(w)) for x in columns], axis=1)
    gain, drag = setup.values["gain"], setup.values["back_emf"] * w
    motors = {"u_a": gain * applied - drag, "u_a_wanted": gain * asked - drag}
    if setup.plant.kind == "voltage":
        motors |= {"voltage": applied, "current": motors["u_a"] / motors_of(setup.robot).constant}
    else:
        full = np.full_like(asked, 1e300)
        most = limited(arm, list(full.T), list(w.T))
        limit = np.stack([np.broadcast_to(x, len(w)) for x in most], axis=1)
        motors["u_a_max"] = np.where(limit < 1e300, limit, np.inf)
    return motors | {"saturated": np.sign(asked - applied)}


def _events(data: dict[str, Array], lost_at_stops: Array, robot: Robot) -> tuple[Event, ...]:
    """The events: an input beyond its limit, a joint at its stop."""
    t, ends, events = data["t"], np.append(data["t"][1:], data["t"][-1]), []
    kind = "voltage limit" if "voltage" in data else "torque limit"
    missing = np.abs(data["u_a_wanted"] - data["u_a"])
    for i in range(data["q"].shape[1]):
        for first, last in spans(data["saturated"][:, i] != 0):
            worst = first + int(missing[first : last + 1, i].argmax())
            lack, shares = float(missing[worst, i]), torque_shares(data, worst, i)
            start, end = float(t[first]), float(ends[last])
            limit = float(data["u_a_max"][worst, i]) if "u_a_max" in data else np.inf
            part = lack / limit if limit > 0 else 0.0
            at = float(t[worst])
            events.append(Event(start, end, i + 1, kind, lack, shares, part=part, at=at))
        hits = np.diff(lost_at_stops[:, i], prepend=0.0) > 0
        for first, last in spans((data["u_stop"][:, i] != 0) | hits):
            speed = float(abs(data["qd"][max(first - 1, 0), i]))
            start, end = float(t[first]), float(ends[last])
            joint = robot.joints[i]
            unit, part = "rad/s" if joint.revolute else "m/s", speed / joint.velocity_max
            events.append(
                Event(start, end, i + 1, "position limit", speed, unit=unit, part=part, at=start)
            )
    return tuple(sorted(events, key=lambda event: (event.start, event.joint)))
