"""What a motion file may have meant instead: degrees for rad, ms for s, another robot."""

from __future__ import annotations

import numpy as np

from ...ground.arrays import Array
from .columns import ColumnOwner

ROUGHER = 1.3
"""Fourth differences of noise are 1.9 times the third ones."""
NOISY, LEAST_NOISE = 0.3, 0.05
"""Noise is named that makes this part of a joint's accelerations, and so much (rad/s2, m/s2)."""
TURNS = 4 * np.pi
"""Positions in rad beyond which a revolute joint without limits is suspected: two turns."""


def suspicions(
    machine: ColumnOwner, t: Array, q: Array, degrees: bool, unit_said: bool
) -> list[str]:
    """Sentences on what looks meant otherwise; positions in rad (m), times in s."""
    found = []
    step = float(np.median(np.diff(t)))
    if 0.05 < step < 1:
        found.append(f"a step of {step:.3g} s is a long cycle; --dt (dt=) makes shorter ones")
    if step >= 1:
        found.append(f"suspected: times in ms, read as s: a step of {step:g} s")
    elif step < 1e-5:
        found.append(f"suspected: times in another unit than s: a step of {step:.3g} s")
    found += noise(t, q)
    turning = np.array(machine.revolute or (True,) * machine.n)
    if unit_said or not turning.any():
        return found
    least, most = _limits(machine, turning)
    angles = q[:, turning]
    if not degrees:
        largest, there = float(np.abs(angles).max()), np.radians(angles)
        outside = (angles > most + 0.1).any() or (angles < least - 0.1).any()
        beyond = largest > TURNS or (machine.robot is not None and outside and largest > np.pi)
        if beyond and _within(there, least, most):
            found.append(
                f"suspected: degrees, read as rad: a joint goes to {largest:.4g} rad;"
                " --degrees (degrees=True) reads them"
            )
    else:
        written = np.degrees(angles)
        moved = float(np.ptp(written, axis=0).max())
        if moved > 0 and np.abs(written).max() <= 2 * np.pi and _within(written, least, most):
            found.append(
                "suspected: rad, read as degrees: all angles are within"
                f" {np.abs(written).max():.3g} degrees and no joint moves by more than {moved:.3g}"
            )
    return found


def noise(t: Array, q: Array) -> list[str]:
    """A sentence on noise that makes much of the accelerations: they are second differences of q.

    White noise of size s has third differences of sqrt(20) s and fourth ones of sqrt(70) s; those
    of a smooth motion become smaller with every order, and most of those of ramps are 0.
    """
    if len(q) < 20:
        return []
    dt = float(t[-1] - t[0]) / (len(t) - 1)
    second, third, fourth = (np.diff(q, k, axis=0) for k in (2, 3, 4))
    middle = np.median(np.abs(third), axis=0)
    rough = np.median(np.abs(fourth), axis=0) > ROUGHER * middle
    size = np.where(rough, middle / (0.6745 * np.sqrt(20)), 0.0)
    made = np.sqrt(6) * size / dt**2
    whole = np.sqrt(np.mean(second**2, axis=0)) / dt**2
    part = np.where(made > LEAST_NOISE, made / np.maximum(whole, 1e-300), 0.0)
    worst = int(part.argmax())
    if part[worst] < NOISY:
        return []
    return [
        f"suspected: noise of about {size[worst]:.2g} rad (m) in the positions of joint"
        f" {worst + 1}, which alone makes accelerations of {made[worst]:.2g} rad/s2 (m/s2):"
        " torques are judged with it; smooth the recording first"
    ]


def _limits(machine: ColumnOwner, turning: Array) -> tuple[Array, Array]:
    """The position limits of the joints that turn, in rad; without a robot there are none."""
    if machine.robot is None:
        count = int(turning.sum())
        return np.full(count, -np.inf), np.full(count, np.inf)
    joints = [joint for joint in machine.robot.joints if joint.revolute]
    least = np.array([joint.position_min for joint in joints])
    return least, np.array([joint.position_max for joint in joints])


def _within(q: Array, least: Array, most: Array) -> bool:
    return bool((q <= most + 0.1).all() and (q >= least - 0.1).all())
