"""Meshes of URDF files: found, drawn, colliding, kept beside the saved robot."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import erfd
from erfd.errors import RobotError
from erfd.robot.readers.toml import loads, toml_text
from erfd.robot.sticks import MADE, has_sticks
from support.mesh_files import box_file, chain, shape
from support.urdf_files import SMALL


def sizes(visuals):
    return [tuple(np.ptp(v.mesh.vertices, axis=0).round(4).tolist()) for v in visuals]


def test_a_mesh_with_scale_place_and_color(tmp_path):
    box_file(tmp_path / "meshes" / "box.stl")
    look = '<origin xyz="0 0 1"/><material name="m"><color rgba="1 0.5 0 1"/></material>'
    file = chain(tmp_path / "arm.urdf", "", shape("visual", "meshes/box.stl", look, "0.1 0.1 0.2"))
    robot = erfd.load(file)
    (visual,) = robot.links[0].visuals
    assert (visual.shape, visual.color, sizes([visual])) == ("mesh", "#ff8000", [(0.1, 0.2, 0.6)])
    q = [0.0]
    place = erfd.link_frames(robot, q)[1] @ np.append(visual.pose.xyz, 1.0)
    np.testing.assert_allclose(place[:3], [0, 0, 1.4], atol=1e-12)
    (hull,) = robot.links[0].collisions
    assert sizes([hull]) == [(0.1, 0.2, 0.6)]
    assert hull.pose == visual.pose


def test_collision_geometry_counts_where_there_is_one(tmp_path):
    box_file(tmp_path / "box.stl")
    box_file(tmp_path / "small.stl", size=0.1)
    own = shape("visual", "box.stl") + shape("collision", "small.stl")
    ball = shape("visual", "box.stl") + (
        '<collision><geometry><sphere radius="0.3"/></geometry></collision>'
    )
    robot = erfd.load(chain(tmp_path / "arm.urdf", own, ball, ""))
    assert sizes(robot.base_visuals) == [(1.0, 2.0, 3.0)]
    assert sizes(robot.base_collisions) == [(0.1, 0.2, 0.3)]
    assert [(v.shape, v.size) for v in robot.links[0].collisions] == [("sphere", (0.3,))]


@pytest.mark.parametrize(
    ("where", "environment"),
    [
        ("pack/meshes/box.stl", {}),
        ("ros/pack/meshes/box.stl", {"ROS_PACKAGE_PATH": "ros"}),
        ("ament/share/pack/meshes/box.stl", {"AMENT_PREFIX_PATH": "ament"}),
        ("site/cmeel.prefix/share/pack/meshes/box.stl", {"sys.path": "site"}),
        ("cache/clone/pack/meshes/box.stl", {"ROBOT_DESCRIPTIONS_CACHE": "cache"}),
        ("robot/meshes/box.stl", {}),
    ],
)
def test_packages_are_found(where, environment, tmp_path, monkeypatch):
    box_file(tmp_path / where)
    for name, folder in environment.items():
        if name == "sys.path":
            monkeypatch.syspath_prepend(str(tmp_path / folder))
        else:
            monkeypatch.setenv(name, str(tmp_path / folder))
    text = shape("visual", "package://pack/meshes/box.stl")
    robot = erfd.load(chain(tmp_path / "robot" / "urdf" / "arm.urdf", "", text))
    assert sizes(robot.links[0].visuals) == [(1.0, 2.0, 3.0)]


def test_a_package_that_is_named(tmp_path):
    box_file(tmp_path / "elsewhere" / "box.stl")
    file = chain(tmp_path / "in" / "arm.urdf", "", shape("visual", "package://pack/box.stl"))
    with pytest.warns(UserWarning, match="skipped 1 shapes") as caught:
        bare = erfd.load(file)
    assert [str(w.message) for w in caught] == [
        "arm.urdf: skipped 1 shapes: package://pack/box.stl (no such file); "
        "where is pack? (--package NAME=DIR)"
    ]
    assert has_sticks(bare)
    robot = erfd.load(file, packages={"pack": tmp_path / "elsewhere"})
    assert sizes(robot.links[0].visuals) == [(1.0, 2.0, 3.0)]
    with pytest.raises(RobotError, match="packages: pack: expected a folder, found '/nowhere'"):
        erfd.load(file, packages={"pack": "/nowhere"})


@pytest.mark.parametrize("link", [False, True])
def test_nothing_outside_of_the_folder_of_a_stranger(link, tmp_path):
    outside = box_file(tmp_path / "box.stl")
    name = str(outside)
    folder = tmp_path / "upload"
    if link:
        folder.mkdir()
        (folder / "link.stl").symlink_to(outside)
        name = "link.stl"
    file = chain(folder / "arm.urdf", "", shape("visual", name))
    assert erfd.load(file).links[0].visuals
    with pytest.raises(RobotError, match=r"arm\.urdf: expected a file within the folder"):
        erfd.load(file, within=folder)


def test_a_saved_robot_brings_its_meshes_along(tmp_path):
    box_file(tmp_path / "box.stl")
    robot = erfd.load(chain(tmp_path / "arm.urdf", "", shape("visual", "box.stl")))
    erfd.save(robot, tmp_path / "saved.toml")
    names = sorted(p.name for p in (tmp_path / "saved.meshes").iterdir())
    assert len(names) == 2
    assert all(name.startswith("b-") and name.endswith(".ply") for name in names)
    assert erfd.load(tmp_path / "saved.toml") == robot
    assert loads(toml_text(robot)) == robot  # what runs carry along
    assert 'shape = "mesh"' in (tmp_path / "saved.toml").read_text()


def test_mistakes_in_tables_of_meshes(tmp_path):
    def mistake(table: str) -> str:
        path = tmp_path / "arm.toml"
        path.write_text(
            'format = 1\nname = "a"\n[[joint]]\n[[link]]\nmass = 1\n[[link.visual]]\n'
            f'shape = "mesh"\n{table}\n'
        )
        with pytest.raises(RobotError) as caught:
            erfd.load(path)
        return str(caught.value)

    head = "arm.toml: [[link]] 1 [[visual]] 1: "
    assert mistake("") == f"{head}file: expected text, found nothing"
    assert mistake('file = "no.stl"') == f"{head}no.stl: no such file"
    outside = "file: expected a file in the folder of the robot's file, or below it, found text"
    assert mistake('file = "../x.stl"') == f"{head}{outside} '../x.stl'"
    assert mistake('file = "/etc/x.stl"') == f"{head}{outside} '/etc/x.stl'"
    assert mistake('data = "AAAA"').startswith(f"{head}data: expected the text of a mesh, found")
    assert mistake('file = "x.stl"\nscale = 0').startswith(f"{head}scale: expected a factor > 0")
    zeros = toml_text(erfd.load("lola15")) + "[[link.visual]]\nshape = 'mesh'\nfile = 'x.stl'\n"
    with pytest.raises(RobotError, match="the mesh itself as data"):
        loads(
            zeros.replace("[[drive]]", "[[link.visual]]\nshape = 'mesh'\nfile = 'x'\n[[drive]]", 1)
        )


def test_a_robot_without_shapes_gets_capsules_that_end_at_its_joints(tmp_path):
    robot = erfd.load(SMALL)
    bare = chain(tmp_path / "bare.urdf", "", "", "", "")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = erfd.load(bare)
    assert not has_sticks(robot) or not any(link.visuals for link in robot.links)
    assert has_sticks(made)
    assert MADE in made.illustrative
    frames = erfd.link_frames(made, [0.3, 0.4, 0.5])
    (capsule,) = made.links[1].visuals
    place = frames[2] @ np.block(
        [[np.array(capsule.pose.rotation), np.array([capsule.pose.xyz]).T], [np.eye(4)[3:]]]
    )
    ends = [place @ [0, 0, sign * capsule.size[1] / 2, 1] for sign in (-1, 1)]
    np.testing.assert_allclose([e[:3] for e in ends], frames[1:3, :3, 3], atol=1e-9)


def test_too_many_meshes_take_no_longer_than_they_may(tmp_path, monkeypatch):
    from erfd.robot.readers.meshes import shapes

    for k in range(3):
        box_file(tmp_path / f"box{k}.stl")
    visuals = "".join(shape("visual", f"box{k}.stl") for k in range(3))
    file: Path = chain(tmp_path / "arm.urdf", "", visuals)
    monkeypatch.setattr(shapes, "TOTAL", 20)
    with pytest.warns(UserWarning, match=r"box2\.stl \(the meshes before it took 20 triangles\)"):
        robot = erfd.load(file)
    assert len(robot.links[0].visuals) == 2
