"""The actuators of a compiled MuJoCo model as drives of its joints."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ....ground.arrays import Array

JOINT, JOINT_IN_PARENT = 0, 1
"""Transmissions to a joint, by their numbers in MuJoCo."""
FIXED, AFFINE = 0, 1
"""Gains and biases that are a line, by their numbers in MuJoCo."""


@dataclass(slots=True)
class JointDrive:
    """What a joint's `Drive` and `Joint` are made of, at the joint, and the ratio of its gear."""

    ratio: float = 1.0
    drive: dict[str, float] = field(default_factory=dict)
    limits: dict[str, float] = field(default_factory=dict)


def drives_of(model: Any, notes: list[str]) -> dict[int, JointDrive]:
    """The drive of each joint by its number; `notes` get what is not read, in phrases.

    At the joint a force f of the actuator is gear * f. So its limit is the force range at the
    rotor, the rotor inertia armature / gear^2 and the friction there frictionloss / gear.
    """
    driven: dict[int, int] = {}
    for actuator in range(model.nu):
        name = model.actuator(actuator).name or f"actuator {actuator + 1}"
        joint = int(model.actuator_trnid[actuator, 0])
        if model.actuator_trntype[actuator] not in (JOINT, JOINT_IN_PARENT):
            notes.append(f"actuator {name} does not drive a joint")
        elif model.actuator_gaintype[actuator] != FIXED or model.actuator_biastype[actuator] > 1:
            notes.append(f"actuator {name} is neither motor nor position or velocity servo")
        elif joint in driven:
            notes.append(f"actuator {name} is the second one of its joint")
        else:
            driven[joint] = actuator
            if model.actuator_dyntype[actuator]:
                notes.append(f"the dynamics of actuator {name}")
    return {j: _drive(model, j, driven.get(j)) for j in range(model.njnt)}


def _drive(model: Any, joint: int, actuator: int | None) -> JointDrive:
    dof = int(model.jnt_dofadr[joint])
    found = JointDrive()
    found.limits["damping"] = float(model.dof_damping[dof])
    inertia = float(model.dof_armature[dof])
    torque = math.inf
    if model.jnt_actfrclimited[joint]:
        torque = _smaller(model.jnt_actfrcrange[joint])
    if actuator is not None:
        gear = float(model.actuator_gear[actuator, 0])
        found.ratio = gear or 1.0
        torque = min(torque, abs(found.ratio) * _force(model, actuator))
        inertia += gear**2 * float(model.actuator_armature[actuator])
        found.limits["damping"] += gear**2 * float(model.actuator_damping[actuator])
        _servo_limits(model, actuator, found)
    found.drive = {"coulomb": float(model.dof_frictionloss[dof]), "inertia": inertia}
    if 0 < torque < math.inf:
        found.drive["torque_max"] = torque
    return found


def _force(model: Any, actuator: int) -> float:
    """The largest force of an actuator, before its gear."""
    force = math.inf
    if model.actuator_forcelimited[actuator]:
        force = _smaller(model.actuator_forcerange[actuator])
    servo = model.actuator_biastype[actuator] == AFFINE
    if model.actuator_ctrllimited[actuator] and not servo:
        gain = abs(float(model.actuator_gainprm[actuator, 0]))
        force = min(force, gain * _smaller(model.actuator_ctrlrange[actuator]))
    return force


def _servo_limits(model: Any, actuator: int, found: JointDrive) -> None:
    """What a servo can be told: positions, or velocities."""
    if model.actuator_biastype[actuator] != AFFINE or not model.actuator_ctrllimited[actuator]:
        return
    position, velocity = (float(model.actuator_biasprm[actuator, k]) for k in (1, 2))
    ends = sorted(float(x) / found.ratio for x in model.actuator_ctrlrange[actuator])
    if position:
        found.limits |= {"position_min": ends[0], "position_max": ends[1]}
    elif velocity and _smaller(ends) > 0:
        found.limits["velocity_max"] = _smaller(ends)


def _smaller(ends: Array | Iterable[float]) -> float:
    """The smaller side of a range: what can be had in both directions."""
    low, high = (abs(float(x)) for x in ends)
    return min(low, high)
