"""Random way points and arms for the tests of timing."""

from dataclasses import replace

import numpy as np

import erfd
from erfd.robot.limits import JointLimits

NONE = ("no speed is possible", "on the spline")
"""What may be said of a path that cannot be done."""


def way_points(robot, rng, count=4, reach=1.5):
    """Way points (count, n) that leave their spline room within the limits of the joints."""
    limits = JointLimits.of(robot)
    low, high = np.maximum(limits.lower, -reach), np.minimum(limits.upper, reach)
    return low + (high - low) * rng.uniform(0.3, 0.7, (count, robot.n))


def fastest_or_none(robot, points, **options):
    """The timing, or None if the arm cannot be held or the spline leaves the limits."""
    try:
        return erfd.fastest(robot, points, **options)
    except erfd.errors.InputError as error:
        if any(text in str(error) for text in NONE):
            return None
        raise


def varied(robot, rng):
    """The robot with other friction, inertia, torques and, sometimes, curves and volts."""
    drives = []
    for drive in robot.drives:
        torque = drive.torque_max * rng.uniform(0.7, 2.0)
        top = drive.speed_max if np.isfinite(drive.speed_max) else 400.0
        curve = ((0.0, torque), (0.5 * top, torque), (1.5 * top, 0.0)) if rng.random() < 0.3 else ()
        electric = {}
        if rng.random() < 0.2:
            electric = {"torque_constant": 0.2, "resistance": 0.2 * 40.0 / (2 * torque)}
            electric["voltage_max"] = 40.0 + 0.2 * top * rng.uniform(0.5, 1.5)
        drives.append(
            replace(
                drive,
                load_friction=rng.uniform(0, 0.4) * (rng.random() < 0.7),
                coulomb=rng.uniform(0, 0.1) * torque * (rng.random() < 0.7),
                viscous=rng.uniform(0, 0.1) * torque / top * (rng.random() < 0.7),
                inertia=drive.inertia * rng.uniform(0.5, 2.0),
                torque_max=torque,
                curve=curve,
                **electric,
            )
        )
    joints = [replace(j, damping=rng.uniform(0, 2.0) * (rng.random() < 0.3)) for j in robot.joints]
    return replace(robot, drives=tuple(drives), joints=tuple(joints))
