"""The arm's mechanics: a Pinocchio model built joint by joint, and what is asked of it.

Pinocchio's world is the robot's base frame. Joint i turns about or slides along z of its frame;
frame i of the robot file lies behind it, at the fixed transform `Arm.fixed[i]`.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from .arm import Arm, Array, Body, moved


class Mechanics:
    """Inverse dynamics, mass matrix and kinematics of an arm; q (n,) in rad or m."""

    def __init__(self, arm: Arm, wrench: Array | None) -> None:
        self.arm = arm
        self.wrench = np.zeros(6) if wrench is None else np.asarray(wrench, float)
        model = pin.Model()
        frame, joint = arm.base, 0
        for i, slides in enumerate(arm.slides):
            kind = pin.JointModelPZ() if slides else pin.JointModelRZ()
            joint = model.addJoint(joint, kind, pin.SE3(frame), f"joint {i + 1}")
            body: Body = moved(arm.links[i], arm.fixed[i])
            model.appendBodyToJoint(
                joint, pin.Inertia(body.mass, body.center, body.inertia), pin.SE3.Identity()
            )
            frame = arm.fixed[i]
        self.tip = model.addFrame(
            pin.Frame("tool", joint, 0, pin.SE3(frame @ arm.tool), pin.FrameType.OP_FRAME)
        )
        model.gravity.linear = np.array(arm.gravity)
        self.model, self.data = model, model.createData()

    def pose(self, q: Array) -> Array:
        """The tool frame in the base, (4, 4)."""
        pin.framesForwardKinematics(self.model, self.data, q)
        return np.array(self.data.oMf[self.tip].homogeneous)

    def external(self, q: Array) -> Array:
        """Joint torques of the wrench that the tool exerts on its environment, J^T k."""
        if not self.wrench.any():
            return np.zeros(self.arm.n)
        pin.computeJointJacobians(self.model, self.data, q)
        pin.updateFramePlacements(self.model, self.data)
        jacobian = pin.getFrameJacobian(
            self.model, self.data, self.tip, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        )
        return np.array(jacobian.T @ self.wrench)

    def torques(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Joint torques of the links, with the wrench, without damping."""
        return np.array(pin.rnea(self.model, self.data, q, qd, qdd)) + self.external(q)

    def mass_matrix(self, q: Array) -> Array:
        """H(q), (n, n)."""
        upper = np.triu(pin.crba(self.model, self.data, q))
        return upper + np.triu(upper, 1).T
