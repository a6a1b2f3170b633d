"""A drive seen at a rotor that turns faster: the same at the joint."""

from __future__ import annotations

from dataclasses import replace

from ..model import Drive


def seen_at(drive: Drive, ratio: float) -> Drive:
    """The same drive with another gear ratio: the same at the joint, so that nothing else changes.

    A torque limit of 150 N m at the joint is 1.5 N m at a rotor that turns 100 times as fast.
    """
    if ratio == drive.ratio or ratio == 0:
        return drive
    faster = abs(ratio / drive.ratio)
    return replace(
        drive, ratio=ratio,
        coupling=tuple(x * ratio / drive.ratio for x in drive.coupling),
        coulomb=drive.coulomb / faster, viscous=drive.viscous / faster**2,
        inertia=drive.inertia / faster**2, torque_max=drive.torque_max / faster,
        torque_rated=drive.torque_rated / faster, speed_max=drive.speed_max * faster,
        torque_constant=drive.torque_constant / faster,
        curve=tuple((speed * faster, torque / faster) for speed, torque in drive.curve),
    )  # fmt: skip
