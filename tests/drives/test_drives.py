"""Motor torques: gears, friction and rotor inertia, against the equations of Appendix D."""

from __future__ import annotations

import numpy as np

import erfd
from erfd.drives.drives import Drives


def test_motor_torque_is_that_of_a_cycle() -> None:
    """Of Algorithm 1, which is compiled from other text; sums of six terms: 1e-12 of the torque."""
    robot, dt = erfd.load("lola15"), 0.01
    drives, rng = Drives.of(robot), np.random.default_rng(1)
    for resting in (False, True):
        for _ in range(20):
            q, qd = rng.uniform(-0.5, 0.5, (2, robot.n))
            qd = 0.0 * qd if resting else qd
            achiever = erfd.Achiever(robot, dt, q0=q, qd0=qd)
            wanted = qd + 0.002 * rng.normal(size=robot.n)
            cycle = achiever.step(q + wanted * dt, wanted)
            u = erfd.inverse_dynamics(robot, q, qd, cycle.qdd)
            rate, acceleration = qd @ drives.K.T, cycle.qdd @ drives.K.T
            torque = drives.motor_torque(drives.load(u), rate, acceleration, dt)
            assert np.abs(torque - cycle.torque).max() < 1e-12 * (1 + np.abs(torque).max())
            # and of a moment, which a short cycle comes close to
            short = drives.motor_torque(drives.load(u), rate, acceleration, 1e-9)
            moment = drives.motor_torque(drives.load(u), rate, acceleration, 0.0)
            slow = np.abs(rate + acceleration * 1e-9) < 1e-8  # a cycle takes that for rest
            assert np.abs(short - moment)[~slow].max(initial=0.0) < 1e-6
