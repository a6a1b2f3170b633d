"""MJCF files against MuJoCo itself: frames, masses, torques to rounding; drives as documented."""

import warnings

import numpy as np
import pytest

import erfd
from erfd.errors import RobotError
from erfd.mechanics.kinematics import pose_matrix
from support.mesh_files import box_file
from support.mjcf_files import ARM, mjcf_of, random_arm
from support.urdf_files import Writer, quiet

mujoco = pytest.importorskip("mujoco")
TOLERANCE = 1e-9
"""Rounding, and entries of rotations that are snapped to 0 and 1 (1e-12)."""


def written(folder, text, name="arm.xml"):
    path = folder / name
    path.write_text(text)
    return path


def worst_difference(robot, path, seed=0):
    """Of mass matrix, bias and frames from MuJoCo's, at random states."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data, rng, worst = mujoco.MjData(model), np.random.default_rng(seed), 0.0
    at = [model.joint(j.name).qposadr[0] for j in robot.joints]
    dof = [model.joint(j.name).dofadr[0] for j in robot.joints]
    for _ in range(3):
        q, qd = rng.uniform(-1, 1, (2, robot.n))
        data.qpos[at], data.qvel[dof] = q, qd
        mujoco.mj_forward(model, data)
        full = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, full)
        rotors = np.diag(model.dof_armature[dof])
        mass = full[np.ix_(dof, dof)] - rotors
        worst = max(worst, abs(erfd.mass_matrix(robot, q) - mass).max())
        worst = max(worst, abs(erfd.bias(robot, q, qd) - data.qfrc_bias[dof]).max())
        for frame in robot.frames:
            body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, frame.name)
            site = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, frame.name)
            assert body >= 0 or site >= 0
            here = data.xpos[body] if body >= 0 else data.site_xpos[site]
            turn = data.xmat[body] if body >= 0 else data.site_xmat[site]
            place = pose_matrix(robot.mount) @ erfd.forward_kinematics(robot, q, frame.name)
            worst = max(worst, abs(place[:3, 3] - here).max())
            worst = max(worst, abs(place[:3, :3] - turn.reshape(3, 3)).max())
    return worst


@pytest.mark.parametrize("seed", range(12))
def test_random_arms_are_those_of_mujoco(seed, tmp_path):
    path = written(tmp_path, random_arm(seed))
    robot = erfd.load(path)
    assert robot.n >= 4
    assert worst_difference(robot, path, seed) < TOLERANCE
    np.testing.assert_allclose(robot.gravity, (1, -2, -9))


def test_a_base_and_a_site_as_the_tip(tmp_path):
    path = written(tmp_path, random_arm(3))
    robot = erfd.load(path, base="b1", tip="tip")
    whole = erfd.load(path)
    q = np.linspace(0.1, 0.7, whole.n)
    own = q[whole.n - robot.n :]
    assert robot.n < whole.n
    place = erfd.forward_kinematics(robot, own)
    np.testing.assert_allclose(place, erfd.forward_kinematics(robot, own, "tip"), atol=1e-12)
    assert erfd.load(path, tip="b2").n < whole.n


@pytest.mark.parametrize("seed", range(4))
def test_the_same_robot_as_urdf_and_as_mjcf(seed, tmp_path):
    """The chain of a random URDF, written as MJCF with all digits."""
    writer = Writer(seed, 4)
    base = quiet(writer.save(tmp_path), tip=writer.tip)
    path = written(tmp_path, mjcf_of(base))
    other = erfd.load(path, tip="tool")
    assert [joint.name for joint in other.joints] == [joint.name for joint in base.joints]
    assert worst_difference(other, path) < TOLERANCE
    rng = np.random.default_rng(seed)
    for _ in range(3):
        q, qd, qdd = rng.uniform(-1, 1, (3, base.n))
        u, v = (erfd.inverse_dynamics(r, q, qd, qdd) for r in (base, other))
        np.testing.assert_allclose(u, v, rtol=TOLERANCE, atol=TOLERANCE * abs(u).max())
        places = [erfd.forward_kinematics(r, q) for r in (base, other)]
        np.testing.assert_allclose(*places, atol=TOLERANCE)


def test_drives_limits_shapes_and_names(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot = erfd.load(written(tmp_path, ARM))
    assert worst_difference(robot, tmp_path / "arm.xml") < TOLERANCE
    first, second = robot.drives
    assert (first.ratio, first.torque_max) == (-50.0, 2.5)
    assert first.inertia == pytest.approx(0.2 / 2500, rel=1e-15)
    assert first.coulomb == pytest.approx(1.5 / 50, rel=1e-15)
    assert (second.ratio, second.torque_max) == (1.0, 20.0)
    assert [joint.damping for joint in robot.joints] == [0.5, 0.5]
    limits = [(joint.position_min, joint.position_max) for joint in robot.joints]
    np.testing.assert_allclose(limits, [(-np.pi / 2, np.pi / 2), (-2.0, 1.0)])
    assert [[v.shape for v in link.visuals] for link in robot.links] == [["capsule"], ["cylinder"]]
    assert [v.shape for v in robot.links[1].collisions] == ["cylinder", "mesh"]
    assert robot.links[0].visuals[0].color == "#ff8000"
    assert [v.shape for v in robot.base_visuals] == ["box"]
    assert [link.name for link in robot.links] == ["upper", "fore"]
    names = {frame.name for frame in robot.frames}
    assert names == {"world", "base", "upper", "fore", "mark", "tip"}
    assert erfd.load(tmp_path / "arm.xml", base="base").touching == (("base", "fore"),)


def test_the_rotor_of_mujoco_is_the_rotor_of_the_drive(tmp_path):
    """The whole mass matrix with armature is that with rotors: H + K^T I_a K."""
    robot = erfd.load(written(tmp_path, ARM))
    model = mujoco.MjModel.from_xml_string(ARM)
    data = mujoco.MjData(model)
    data.qpos[:] = q = [0.3, -0.4]
    mujoco.mj_forward(model, data)
    full = np.zeros((2, 2))
    mujoco.mj_fullM(model, data, full)
    rotors = np.diag([d.inertia * d.ratio**2 for d in robot.drives])
    np.testing.assert_allclose(erfd.mass_matrix(robot, q) + rotors, full, atol=1e-12)


def test_a_mesh_and_an_include(tmp_path):
    box_file(tmp_path / "assets" / "box.stl", size=0.1)
    inner = '<mujoco><asset><mesh name="m" file="box.stl"/></asset></mujoco>'
    (tmp_path / "parts.xml").write_text(inner)
    text = (
        '<mujoco><compiler meshdir="assets"/><include file="parts.xml"/><worldbody>'
        '<body name="a"><joint name="j"/><geom type="mesh" mesh="m" rgba="0 1 0 1"/></body>'
        "</worldbody></mujoco>"
    )
    robot = erfd.load(written(tmp_path, text), within=tmp_path)
    (visual,) = robot.links[0].visuals
    assert (visual.shape, visual.color, len(visual.mesh.faces)) == ("mesh", "#00ff00", 12)
    assert sorted(np.ptp(visual.mesh.vertices, axis=0).round(4)) == [0.1, 0.2, 0.3]
    assert robot.links[0].mass == pytest.approx(1000 * 0.006, rel=1e-6)


def test_what_is_not_read_is_named(tmp_path):
    body = (
        '<body name="b"><joint name="j" stiffness="3"/><geom size=".1"/><site name="s"/></body>'
        '<body name="box"><freejoint/><geom size=".1"/></body>'
    )
    actuators = (
        '<muscle name="m" joint="j" lengthrange="0 1"/><motor name="s" site="s"/>'
        '<motor name="p" joint="j"/><motor name="q" joint="j"/>'
    )
    text = f"<mujoco><worldbody>{body}</worldbody><actuator>{actuators}</actuator></mujoco>"
    with pytest.warns(UserWarning, match="not read") as caught:
        robot = erfd.load(written(tmp_path, text))
    assert robot.n == 1
    said = str(caught[0].message)
    for phrase in (
        "actuator m is neither motor nor position or velocity servo",
        "actuator s does not drive a joint", "actuator q is the second one of its joint",
        "the spring of joint j", "box, which moves freely",
    ):  # fmt: skip
        assert phrase in said


BODY = '<body name="b"><joint name="j"/><geom size=".1"/></body>'
MISTAKES = {
    "<mujoco": "arm.xml: expected XML: ",
    "<other/>": "arm.xml: expected a <mujoco> element, found <other>",
    "<sdf/>": "arm.xml: expected URDF, xacro or MJCF, found SDF, which is not read: ",
    '<!DOCTYPE a [<!ENTITY x "y">]><mujoco/>': "arm.xml: expected XML without entities",
    "<mujoco><worldbody><bodi/></worldbody></mujoco>": "arm.xml: MuJoCo: ",
    "<mujoco><worldbody/></mujoco>": "arm.xml: expected a moving joint below 'world', found none",
    '<mujoco><include file="no.xml"/></mujoco>': "arm.xml: <include>: expected a file, found 'no",
    '<mujoco><include file="arm.xml"/></mujoco>': "arm.xml: <include>: expected files that end",
    '<mujoco><asset><mesh file="no.stl"/></asset></mujoco>': "arm.xml: mesh: expected a file, fou",
    f'<mujoco><worldbody><replicate count="1000000000">{BODY}</replicate></worldbody></mujoco>':
        "arm.xml: expected at most 20,000 elements, found more",
    f'<mujoco><worldbody><replicate count="x">{BODY}</replicate></worldbody></mujoco>':
        "arm.xml: <replicate>: expected a count",
    '<mujoco><worldbody><body name="b"><joint name="j" type="ball"/><geom size=".1"/></body>'
    "</worldbody></mujoco>": "arm.xml: joint 'j': type: expected revolute, continuous, prismatic",
}  # fmt: skip


@pytest.mark.parametrize("text", MISTAKES, ids=[v[:50] for v in MISTAKES.values()])
def test_a_wrong_file_is_one_sentence(text, tmp_path):
    with pytest.raises(RobotError) as caught:
        erfd.load(written(tmp_path, text))
    assert str(caught.value).startswith(MISTAKES[text])
    assert "\n" not in str(caught.value)


def test_nothing_outside_of_the_folder_of_a_stranger(tmp_path):
    box_file(tmp_path / "box.stl")
    written(tmp_path, "<mujoco/>", "inner.xml")
    folder = tmp_path / "upload"
    folder.mkdir()
    for text in (
        '<mujoco><include file="../inner.xml"/></mujoco>',
        '<mujoco><asset><mesh file="../box.stl"/></asset></mujoco>',
        f'<mujoco><asset><mesh file="{tmp_path}/box.stl"/></asset></mujoco>',
    ):
        with pytest.raises(RobotError, match="expected a file within the folder of the robot"):
            erfd.load(written(folder, text), within=folder)


def test_damaged_files_end_in_a_sentence(tmp_path):
    """Characters changed at random: a robot or a sentence."""
    rng, said = np.random.default_rng(5), 0
    for _ in range(60):
        text = list(ARM)
        for place in rng.integers(0, len(text), 4):
            text[place] = chr(int(rng.integers(32, 127)))
        try:
            quiet(written(tmp_path, "".join(text)))
        except RobotError:
            said += 1
    assert said > 30


def test_urdf_in_an_xml_file(tmp_path):
    from support.urdf_files import SMALL

    robot = erfd.load(written(tmp_path, SMALL.read_text(), "two_joints.xml"))
    assert robot.joints == erfd.load(SMALL).joints
