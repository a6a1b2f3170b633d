"""Cell files: what is read, and every mistake with its place."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erfd.cell import Mesh, load_cell
from erfd.errors import ErfdError, RobotError
from erfd.robot.pose import Pose

GOOD = """
name = "room"
[mount]
xyz = [0.0, 0.0, 0.6]
[[object]]
name = "table"
shape = "box"
size = [1.0, 2.0, 0.1]
xyz = [1.0, 0.0, 0.5]
rpy = [0.0, 0.0, 90.0]
color = "#aa8866"
[[object]]
shape = "mesh"
file = "part.stl"
scale = 0.001
convex = true
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box((100, 200, 300)).export(tmp_path / "part.stl")
    trimesh.creation.icosphere(1, 100).export(tmp_path / "part.obj")
    return tmp_path


def test_a_cell_file(folder):
    (folder / "cell.toml").write_text(GOOD)
    cell = load_cell(folder / "cell.toml", enclosed=True)
    assert cell.name == "room"
    assert cell.mount == Pose((0.0, 0.0, 0.6))
    table, part = cell.things
    assert table.placement.rpy[2] == pytest.approx(np.pi / 2)
    assert isinstance(part.shape, Mesh)
    assert part.convex
    assert np.ptp(part.shape.vertices, axis=0) == pytest.approx([0.1, 0.2, 0.3])
    (folder / "cell.toml").write_text(GOOD.replace("part.stl", "part.obj"))
    sphere = load_cell(folder / "cell.toml").things[1].shape
    assert isinstance(sphere, Mesh)
    assert np.linalg.norm(sphere.vertices, axis=1) == pytest.approx(np.full(42, 0.1))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"box"', '"cube"', "cell.toml: [[object]] 1: shape: expected one of"),
        ("size = [1.0", "size = [-1.0", "cell.toml: [[object]] 1: x: expected a length > 0"),
        ("color", "colour", "unknown key 'colour'; did you mean 'color'?"),
        ("scale = 0.001", "scale = 0", "scale: expected a factor > 0"),
        ("convex = true", "convex = 1", "convex: expected true or false"),
        ('"part.stl"', '"none.stl"', "none.stl: cannot be read"),
        ('"part.stl"', '"part.step"', "part.step: expected a name that ends in .stl or .obj"),
        ('"part.stl"', '"../part.stl"', "file: expected the bare name of a file"),
        ('"part.stl"', '"/etc/passwd.stl"', "file: expected the bare name of a file"),
        ('name = "table"', 'name = "object 2"', "name: expected each once"),
        ("[mount]", "[mounts]", "unknown key 'mounts'"),
    ],
)
def test_mistakes_name_their_place(folder, old, new, said):
    (folder / "cell.toml").write_text(GOOD.replace(old, new))
    with pytest.raises(ErfdError) as caught:
        load_cell(folder / "cell.toml", enclosed=True)
    assert said in str(caught.value)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300), st.sampled_from([".stl", ".obj"]))
def test_damaged_meshes_are_a_sentence(tmp_path_factory, data, suffix):
    pytest.importorskip("trimesh")
    folder = tmp_path_factory.mktemp("mesh")
    (folder / f"part{suffix}").write_bytes(data)
    (folder / "cell.toml").write_text(GOOD.replace("part.stl", f"part{suffix}"))
    try:
        shape = load_cell(folder / "cell.toml", enclosed=True).things[1].shape
    except RobotError as error:
        said = str(error)
    else:  # a file that is a mesh by chance is fine
        assert isinstance(shape, Mesh)
        assert np.isfinite(shape.vertices).all()
        assert len(shape.faces) > 0
        assert 0 <= shape.faces.min() <= shape.faces.max() < len(shape.vertices)
        return
    assert f"part{suffix}: " in said
