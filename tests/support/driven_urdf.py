"""An arm from a URDF, of the size of a small collaborative one, with drives put to its joints."""

from dataclasses import replace
from pathlib import Path

import erfd

LINKS = (  # length m, mass kg, axis, lowest and highest position, speed rad/s
    (0.16, 7.0, "0 0 1", 2.9, 3.1),
    (0.42, 12.0, "0 1 0", 2.0, 3.1),
    (0.39, 4.5, "0 1 0", 2.4, 3.1),
    (0.11, 1.9, "0 1 0", 2.9, 6.2),
    (0.09, 1.9, "0 0 1", 2.9, 6.2),
    (0.08, 0.4, "0 1 0", 2.9, 6.2),
)
TORQUES = (2.6, 3.4, 1.9, 0.5, 0.45, 0.4)
"""At the motors, N m, behind gears of 101."""


def urdf_text() -> str:
    """The URDF: six links in a row, each along z of its joint."""
    parts = ['<robot name="urdf6"><link name="l0"/>']
    before = 0.0
    for k, (length, mass, axis, reach, speed) in enumerate(LINKS, 1):
        across, along = mass * (length**2 / 12 + 0.002), mass * 0.002
        parts.append(
            f'<link name="l{k}"><inertial><origin xyz="0 0 {length / 2}"/><mass value="{mass}"/>'
            f'<inertia ixx="{across}" iyy="{across}" izz="{along}" ixy="0" ixz="0" iyz="0"/>'
            f'</inertial></link><joint name="j{k}" type="revolute"><parent link="l{k - 1}"/>'
            f'<child link="l{k}"/><origin xyz="0 0 {before}"/><axis xyz="{axis}"/>'
            f'<limit lower="{-reach}" upper="{reach}" effort="300" velocity="{speed}"/></joint>'
        )
        before = length
    return "".join(parts) + "</robot>"


def driven_urdf(folder: Path) -> erfd.Robot:
    """The arm with friction of every kind and torque-speed curves at its motors."""
    path = folder / "urdf6.urdf"
    path.write_text(urdf_text(), encoding="utf-8")
    drives = []
    for torque, (*_, speed) in zip(TORQUES, LINKS, strict=True):
        top = 101 * speed
        curve = ((0.0, torque), (0.7 * top, torque), (1.4 * top, 0.3 * torque))
        drives.append(
            erfd.Drive(
                ratio=101.0, load_friction=0.12, coulomb=0.05 * torque, viscous=0.1 * torque / top,
                inertia=4e-5 * torque, torque_max=torque, speed_max=top, curve=curve,
            )
        )  # fmt: skip
    return replace(erfd.load(path), drives=tuple(drives))
