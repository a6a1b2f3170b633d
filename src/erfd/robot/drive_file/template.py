"""A drive file to be filled in: every number explained, what the robot's file says beside it."""

from __future__ import annotations

import math

from ..model import Drive, Joint, Robot
from .read import FORMAT, SUFFIX

HEAD = """\
# Drives of {name}: motor and gear of every joint. docs/drives.md explains every number and has an
# example from a real data sheet. Attach it with --drives {file} or load(..., drives="{file}").
#
# Take the # away from what you know. What is left out stays as the robot's own file has it; the
# verdict names what it could not check for want of a number.
#
# Numbers are in SI units, or texts with a unit: "40.4 mNm/A", "181 gcm2", "5600 rpm", "100:1".

format = {format}
source = ""                        # where the numbers come from: data sheets, with their dates
# illustrative = ["friction of all axes"]   # what is guessed; it is printed with every verdict
# bus_power = 1500                 # W that the supply of all motors can give at any moment
# cycle_time = 0.008               # s, the cycle of the controller
"""
JOINT = """
[[drive]]
joint = {quoted}  # {kind}; {said}
# acceleration = {acceleration}               # limit of the joint, {per_s2}; URDF files have none
# viscous = "2 mNms/rad"           # friction at the rotor that grows with its speed, if it is known
# curve = [[0, 1.2], [500, 1.2], [586, 0.3]]  # torque limit (N m) over rotor speed (rad/s)

# [drive.motor]                    # from the motor's data sheet
# torque_constant = "40.4 mNm/A"   # Kt (per A of the current that the other lines count)
# resistance = "0.573 ohm"         # between phases
# rotor_inertia = "181 gcm2"       # of the motor alone, with its brake and encoder if they turn
# no_load_current = "270 mA"       # times Kt it is the motor's own friction
# nominal_torque = "134 mNm"       # that it can bear for ever
# peak_torque = "0.8 Nm"           # that the amplifier lets it give for a moment, or:
# peak_current = "20 A"            # times Kt it is the peak torque
# max_speed = "10000 rpm"
# voltage = "24 V"                 # of the supply
# thermal_time_constant = "43.1 s" # of the winding: how fast it warms up

# [drive.gear]                     # from the gear's data sheet
# ratio = 100                      # motor turns per turn of the joint{slides}
# efficiency = "75 %"              # at rated load
# inertia = "79 gmm2"              # at the motor's side
# no_load_torque = "20 mNm"        # that it takes at the motor's side to run free
# max_input_speed = "6500 rpm"
# average_torque = "39 Nm"         # limits at its output
# peak_torque = "70 Nm"
"""


def template(robot: Robot, file: str = "") -> str:
    """The text of a drive file for a robot, in which every line is still a comment.

    Args:
        robot: The robot.
        file: The name that the file will have, for its first lines.
    """
    name = file or f"{robot.name}{SUFFIX}"
    parts = [HEAD.format(name=robot.name, file=name, format=FORMAT)]
    drives = robot.drives or (Drive(),) * robot.n
    for joint, drive in zip(robot.joints, drives, strict=True):
        parts.append(_joint(joint, drive))
    return "".join(parts)


def _joint(joint: Joint, drive: Drive) -> str:
    quoted = '"' + joint.name.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return JOINT.format(
        quoted=quoted,
        kind=joint.kind,
        said=_said(joint, drive),
        acceleration=5.0 if joint.revolute else 2.0,
        per_s2="rad/s2" if joint.revolute else "m/s2",
        slides="" if joint.revolute else ", here rad per m",
    )


def _said(joint: Joint, drive: Drive) -> str:
    """What the robot's file says of the drive, at the joint."""
    force, rate = ("N m", "rad/s") if joint.revolute else ("N", "m/s")
    size = abs(drive.ratio)
    known = []
    if math.isfinite(drive.torque_max):
        known.append(f"at most {drive.torque_max * size:.6g} {force}")
    speed = min(joint.velocity_max, drive.speed_max / size)
    if math.isfinite(speed):
        known.append(f"{speed:.4g} {rate}")
    if size != 1:
        known.append(f"ratio {drive.ratio:g}")
    if drive.inertia:
        known.append(f"rotor inertia {drive.inertia:g} kg m2")
    return "its file says: " + (", ".join(known) or "nothing of a drive")
