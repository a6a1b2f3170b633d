"""The equations at the motors over symbols: joint torques, rotor loads, friction, limits."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dynamics import fast
from ..dynamics.chain import Wrench, chain_of
from ..kernels.payload_parameters import PayloadParameters
from ..kernels.trace import casadi, scalars
from ..robot.model import Robot
from .drives import REST
from .parameters import PARAMETERS


class MotorSymbols:
    """The symbols of state, wrench, payload and parameters, and the motor equations over them.

    `path` is one of `drives.drives.PATHS`; `wrench` and `payload` say whether the equations have
    them.
    """

    def __init__(
        self,
        robot: Robot,
        bodies: PayloadParameters,
        *,
        path: str,
        wrench: bool,
        payload: bool = False,
    ):
        sx, n = casadi().SX.sym, robot.n
        self.n, self.robot, self.has_wrench = n, robot, wrench
        self.state = sx("state", 2 * n)
        self.wrench = sx("wrench", 6)
        self.body = sx("body", len(bodies.places))
        self.parameters = sx("parameters", len(PARAMETERS) * n + 2)
        self.q, self.qd = self.state[:n], self.state[n:]
        self.p = named_parts(self.parameters, PARAMETERS, n)
        self.dt, self.per_dt = self.parameters[-2], self.parameters[-1]
        self.K = np.array(robot.gear_matrix)
        self.inverse = np.linalg.inv(self.K)
        diagonal = path == "diagonal"
        self.to_load = np.diag(1 / np.diag(self.K)) if diagonal else self.inverse.T
        self.moments = bodies.moments(scalars(self.body)) if payload else None
        self.damping = np.array([joint.damping for joint in robot.joints])
        self.effective_inertia = self.p["inertia"] + self.p["viscous"] * self.dt

    @property
    def pose(self) -> list[tuple[Any, Any, Any]]:
        """The pose of every joint: (cos, sin, shift in m)."""
        return self.pose_at(self.q)

    def pose_at(self, q: Any) -> list[tuple[Any, Any, Any]]:
        """The pose of every joint at other positions."""
        ca = casadi()
        return [
            (ca.cos(q[i]), ca.sin(q[i]), 0.0) if joint.revolute else (1.0, 0.0, q[i])
            for i, joint in enumerate(self.robot.joints)
        ]

    def torques(self, qdd: Any) -> Any:
        """Joint torques for joint accelerations, by the recursion (step 3)."""
        chain = chain_of(self.robot)
        u = fast.inverse_dynamics(
            chain, self.pose, scalars(self.qd), scalars(qdd), self.wrench_in_base(), self.moments
        )
        return casadi().vertcat(*u)

    def wrench_in_base(self) -> Wrench | None:
        """The wrench in frame 0, None without one."""
        if not self.has_wrench:
            return None
        turn = casadi().DM(np.array(self.robot.base.rotation).T)
        return Wrench(*(list(scalars(turn @ self.wrench[k : k + 3])) for k in (0, 3)))

    def motor_torque(self, rate: Any, y: Any, load: Any, after: Any) -> tuple[Any, Any]:
        """Motor torques for rotor accelerations y, and what friction may hold of them (step 4).

        Dry friction is against the velocity `after` the cycle; it holds what rests then
        (erratum 9).
        """
        ca, p = casadi(), self.p
        dry = p["load_friction"] * ca.fabs(load) + p["coulomb"]
        moving = ca.if_else(ca.fabs(after) > REST, dry, 0)
        needed = (
            load + ca.copysign(moving, after) + self.effective_inertia * y + p["viscous"] * rate
        )
        return needed, dry - moving

    @property
    def mass_matrix(self) -> Any:
        """H of the joints, n x n."""
        ca = casadi()
        rows = fast.mass_matrix(chain_of(self.robot), self.pose, self.moments)
        return ca.vertcat(*(ca.horzcat(*row) for row in rows))


def named_parts(vector: Any, names: tuple[str, ...], n: int) -> dict[str, Any]:
    """The parts of length n of a vector, by name."""
    return {name: vector[k * n : (k + 1) * n] for k, name in enumerate(names)}


def torque_limit(robot: Robot, rate: Any, most: Any) -> Any:
    """The torque limit at the rotor's speed, along the torque-speed curves."""
    ca = casadi()
    columns = []
    for i, drive in enumerate(robot.drives):
        column = most[i]
        if drive.curve:
            speed = ca.fabs(rate[i])
            torque = ca.SX(drive.curve[-1][1])
            for (v0, t0), (v1, t1) in reversed(
                list(zip(drive.curve, drive.curve[1:], strict=False))
            ):
                torque = ca.if_else(speed < v1, t0 + (speed - v0) * ((t1 - t0) / (v1 - v0)), torque)
            torque = ca.if_else(speed < drive.curve[0][0], drive.curve[0][1], torque)
            column = ca.fmin(column, torque)
        columns.append(column)
    return ca.vertcat(*columns)
