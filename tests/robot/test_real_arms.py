"""Arms that others made: every one of the package example-robot-data, against Pinocchio.

Three small ones wherever the package is installed (400 MB; the gate does) or its folder is named by
EXAMPLE_ROBOT_DATA, all of them with ERFD_ARMS=1 (`make soak-arms`). Each loads, has shapes, plans a
PTP, and agrees in every frame and torque.
"""

import os
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import erfd
from erfd.errors import RobotError
from erfd.report.play.graphic_file import graphic_of
from erfd.report.play.page import page
from erfd.run.run import Run
from erfd.studio.browser.scene_data import scene_of
from support.pinocchio_or_skip import pin

ARMS = {
    "ur_description/urdf/ur3_robot.urdf": {"tip": "tool0"},
    "ur_description/urdf/ur5_robot.urdf": {"tip": "tool0"},
    "ur_description/urdf/ur5_gripper.urdf": {"tip": "tool0"},
    "ur_description/urdf/ur10_robot.urdf": {"tip": "tool0"},
    "panda_description/urdf/panda.urdf": {"tip": "panda_hand_tcp"},
    "kinova_description/robots/kinova.urdf": {"tip": "j2s6s200_end_effector"},
    "xarm_description/urdf/xarm7.urdf": {},
    "z1_description/urdf/z1.urdf": {},
    "so_arm_description/urdf/so100.urdf": {},
    "so_arm_description/urdf/so101.urdf": {"tip": "gripper_frame_link"},
    "talos_data/robots/talos_left_arm.urdf": {"tip": "arm_left_7_link"},
    "baxter_description/urdf/baxter.urdf": {"tip": "left_hand_link"},
    "tiago_description/robots/tiago_no_hand.urdf": {
        "base": "torso_lift_link", "tip": "arm_tool_link"
    },
    "pr2_description/urdf/pr2.urdf": {
        "base": "torso_lift_link", "tip": "r_gripper_tool_frame"
    },
    "icub_description/robots/icub.urdf": {"base": "chest", "tip": "l_hand"},
    "finger_edu_description/robots/finger_edu.urdf": {},
    "asr_twodof_description/urdf/TwoDofs.urdf": {},
}  # fmt: skip


def folder() -> Path | None:
    named = os.environ.get("EXAMPLE_ROBOT_DATA")
    places = [Path(named)] if named else []
    places += [Path(p) / "cmeel.prefix/share/example-robot-data/robots" for p in sys.path if p]
    return next((place for place in places if place.is_dir()), None)


ROBOTS = folder()
SMALL = ("ur3_robot", "so100", "finger_edu")
HERE = [
    file
    for file in ARMS
    if os.environ.get("ERFD_ARMS") or (ROBOTS is not None and Path(file).stem in SMALL)
]


@pytest.mark.parametrize("file", HERE)
def test_an_arm_loads_shows_plans_and_agrees(file: str) -> None:
    assert ROBOTS is not None, "install example-robot-data, or name its folder EXAMPLE_ROBOT_DATA"
    path, choice = ROBOTS / file, ARMS[file]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            robot = erfd.load(path, **choice)
        except RobotError as error:
            if "--nearest-physical" not in str(error):
                raise
            robot = erfd.load(path, nearest_physical=True, **choice)
    said = [str(w.message) for w in caught]
    assert not any("skipped" in sentence for sentence in said), said
    meshes = [v.mesh for link in robot.links for v in link.visuals if v.mesh is not None]
    assert meshes
    assert sum(len(mesh.faces) for mesh in meshes) <= 20_400
    agrees_with_pinocchio(path, robot, choice.get("base"))
    goal = [f"{np.degrees(0.3 + x):.6f}" for x in rest(robot)]
    text = f"program p; seq move ptp joint(mainjoint({', '.join(goal)})); endseq endprogram"
    planned = erfd.verify(text, robot).plan
    assert not planned.failures
    t, q = planned.trajectory.t, planned.trajectory.q
    assert len(page(graphic_of(Run(robot, {"t": t, "q": q}, ())))) > 10_000
    assert sum(len(link) for link in scene_of(robot)["links"]) >= len(meshes)


def rest(robot: erfd.Robot) -> list[float]:
    """A place well within the limits, 0.3 rad (m) from another one."""
    return [
        min(max(-0.15, joint.position_min + 0.01), joint.position_max - 0.31)
        for joint in robot.joints
    ]


def agrees_with_pinocchio(path: Path, robot: erfd.Robot, base: str | None) -> None:
    """Frames of all links, and torques; the base of Pinocchio is turned as the robot's."""
    full = pin.buildModelFromUrdf(str(path))
    rng = np.random.default_rng(1)
    own = [full.getJointId(joint.name) for joint in robot.joints]
    others = [i for i in range(1, full.njoints) if i not in own]
    mimics = {"panda", "baxter", "pr2"}
    model = pin.buildReducedModel(full, others, pin.neutral(full)) if others else full
    data = model.createData()
    start = model.getFrameId(base, pin.BODY) if base else 0
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    model.gravity.linear = data.oMf[start].rotation @ [0, 0, -9.81]
    order = [model.joints[model.getJointId(joint.name)] for joint in robot.joints]
    for _ in range(5):
        q, qd, qdd = rng.uniform(-1.5, 1.5, (3, robot.n))
        at = pin.neutral(model)
        for joint, x in zip(order, q, strict=True):
            at[joint.idx_q : joint.idx_q + joint.nq] = (
                (np.cos(x), np.sin(x)) if joint.nq == 2 else x
            )
        pin.framesForwardKinematics(model, data, at)
        for frame in robot.frames:
            number = model.getFrameId(frame.name, pin.BODY)
            place = data.oMf[start].actInv(data.oMf[number]).homogeneous
            found = erfd.forward_kinematics(robot, q, frame.name)
            np.testing.assert_allclose(found, place, atol=1e-9, err_msg=frame.name)
        v, a = np.zeros((2, model.nv))
        for joint, x, y in zip(order, qd, qdd, strict=True):
            v[joint.idx_v], a[joint.idx_v] = x, y
        u = pin.rnea(model, data, at, v, a)[[joint.idx_v for joint in order]]
        if any(note.startswith("inertia of") for note in robot.illustrative):
            continue  # its masses are not those of the file
        if robot.name.lower() in mimics:
            continue  # Pinocchio has mimicking fingers at other places
        torques = erfd.inverse_dynamics(robot, q, qd, qdd)
        np.testing.assert_allclose(torques, u, rtol=1e-9, atol=1e-9 * np.abs(u).max())
