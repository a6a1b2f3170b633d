"""The robot as the page draws it."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import erfd
from erfd.studio.browser.scene_data import STICK, has_shapes, poses_of, scene_of
from erfd.studio.teach import home


@pytest.mark.parametrize("name", erfd.robots())
def test_a_robot_without_shapes_is_drawn_from_joint_to_joint(name):
    """Each stick ends where two neighbouring frames are, however the joints that turn stand."""
    robot = erfd.load(name)
    assert has_shapes(robot)
    assert scene_of(robot)["links"][1][0]["color"] != STICK
    bare = replace(robot, links=tuple(replace(link, visuals=()) for link in robot.links))
    assert not has_shapes(bare)
    links = scene_of(bare)["links"]
    assert len(links) == robot.n + 2
    q = np.where([joint.revolute for joint in robot.joints], 0.7, home(robot))
    places = poses_of(bare, q)[0]
    for i, (stick,) in enumerate(links[1:], 1):
        half = np.array([0, 0, stick["size"][1] / 2, 1])
        ends = [np.array(stick["pose"]) @ (half * [1, 1, sign, 1]) for sign in (-1, 1)]
        turn = Rotation.from_quat(places[i, 3:])
        at = [turn.apply(end[:3]) + places[i, :3] for end in ends]
        np.testing.assert_allclose(at, [places[i - 1, :3], places[i, :3]], atol=1e-9)
