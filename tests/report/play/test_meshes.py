"""Meshes on the page of a motion, in the scene of the studio and in pictures: one and the same."""

import json
import re
from dataclasses import replace

import numpy as np

import erfd
from erfd.report.play.graphic_file import graphic_of
from erfd.report.play.page import page
from erfd.report.plots.robot_picture import faces_of
from erfd.report.tables.robot import robot_data
from erfd.robot.mesh import Mesh
from erfd.robot.visual import Visual
from erfd.run.run import Run
from erfd.studio.browser.scene_data import scene_of

CORNERS = [[0.0, 0, 0], [0.1, 0, 0], [0, 0.2, 0], [0, 0, 0.3]]
FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
MESH = Mesh(np.array(CORNERS, dtype=np.float32), np.array(FACES))


def robot() -> erfd.Robot:
    arm = erfd.load("two_link")
    visual = Visual("mesh", (), erfd.Pose((0, 0, 0.5)), "#123456", MESH)
    return replace(arm, links=(replace(arm.links[0], visuals=(visual,)), arm.links[1]))


def test_the_page_and_the_scene_have_the_triangles():
    run = Run(robot(), {"t": np.array([0.0, 1.0]), "q": np.zeros((2, 2))}, ())
    text = page(graphic_of(run))
    data = json.loads(re.search(r'id="scene">(.*?)</script>', text, re.S)[1])
    (shape,) = data["bodies"][1]["shapes"]
    (drawn,) = scene_of(robot())["links"][1]
    for found in (shape, drawn):
        assert (found["shape"], found["color"]) == ("mesh", "#123456")
        np.testing.assert_allclose(found["vertices"], CORNERS, atol=1e-5)
        assert found["faces"] == FACES
    assert "function cornersOf" in text
    assert "import {" not in text


def test_pictures_and_tables():
    (visual,) = robot().links[0].visuals
    np.testing.assert_allclose(faces_of(visual), np.array(CORNERS)[np.array(FACES)], atol=1e-7)
    (shape,) = robot_data(robot())["links"][0]["visuals"]
    assert shape["mesh"] == {"vertices": 4, "triangles": 4}
    assert not robot_data(robot())["links"][0]["collisions"]


def test_a_run_brings_the_mesh_of_its_robot_along(tmp_path):
    run = Run(robot(), {"t": np.array([0.0, 1.0]), "q": np.zeros((2, 2))}, ())
    erfd.write_run(run, tmp_path / "run.parquet")
    assert erfd.read_run(tmp_path / "run.parquet").robot == robot()
