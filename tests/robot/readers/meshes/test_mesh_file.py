"""Mesh files of every kind, and what is refused of them."""

import json
from pathlib import Path

import numpy as np
import pytest

from erfd.errors import RobotError
from erfd.robot.mesh import MOST_TRIANGLES, Mesh
from erfd.robot.readers.meshes import mesh_file
from erfd.robot.readers.meshes.mesh_file import SUFFIXES, one_mesh, read_parts
from support.mesh_files import box_file


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_kind_gives_the_same_box(suffix, tmp_path):
    path = box_file(tmp_path / f"box{suffix}")
    mesh = one_mesh(read_parts(path, path.name, 0.5))
    np.testing.assert_allclose(np.ptp(mesh.vertices, axis=0), [0.5, 1.0, 1.5], atol=1e-6)
    assert len(mesh.faces) == 12


@pytest.mark.parametrize("suffix", [".obj", ".dae", ".glb"])
def test_colors_of_the_file(suffix, tmp_path):
    path = box_file(tmp_path / f"box{suffix}", (200, 30, 60))
    (part,) = read_parts(path, path.name)
    assert part.color == "#c81e3c"


def test_a_negative_factor_mirrors_and_keeps_the_outside_outside(tmp_path):
    path = box_file(tmp_path / "box.stl")
    whole, mirrored = (
        one_mesh(read_parts(path, "box.stl", np.array(s))) for s in ((1, 1, 1), (-1, 1, 1))
    )
    for mesh in (whole, mirrored):
        a, b, c = (mesh.vertices[mesh.faces[:, i]] for i in range(3))
        assert np.einsum("ij,ij->i", np.cross(a, b), c).sum() / 6 == pytest.approx(6.0)


def test_units_of_a_dae(tmp_path):
    path = box_file(tmp_path / "box.dae")
    text = path.read_text()
    assert "<unit" not in text
    path.write_text(text.replace("<asset>", '<asset><unit name="inch" meter="0.0254"/>', 1))
    mesh = one_mesh(read_parts(path, path.name))
    size = np.ptp(mesh.vertices, axis=0)
    np.testing.assert_allclose(size, np.array([1, 2, 3]) * 0.0254, atol=1e-6)


def bomb_of_nodes(depth: int) -> str:
    """A DAE whose nodes refer to each other: 2^depth boxes."""
    nodes = "".join(
        f'<node id="n{k}"><instance_node url="#n{k + 1}"/><instance_node url="#n{k + 1}"/></node>'
        for k in range(depth)
    )
    space = 'xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"'
    return (
        f"<COLLADA {space}><asset><up_axis>Z_UP</up_axis></asset><library_nodes>{nodes}"
        f'<node id="n{depth}"/></library_nodes><library_visual_scenes><visual_scene id="s">'
        '<node><instance_node url="#n0"/></node></visual_scene></library_visual_scenes>'
        '<scene><instance_visual_scene url="#s"/></scene></COLLADA>'
    )


def gltf(count: int, **more: object) -> str:
    """A glTF that claims to have so many numbers."""
    accessors = [{"componentType": 5126, "type": "VEC3", "count": count}] * 2
    primitive = {"attributes": {"POSITION": 0}, "indices": 1}
    content = {"asset": {"version": "2.0"}, "accessors": accessors, "scene": 0}
    content |= {"meshes": [{"primitives": [primitive]}], "nodes": [{"mesh": 0}]}
    return json.dumps(content | {"scenes": [{"nodes": [0]}]} | more)


BOMBS = {
    "nodes.dae": (bomb_of_nodes(40), "expected at most 2,000,000 triangles, found more"),
    "deep.dae": (bomb_of_nodes(100), "expected nodes at most 64 deep"),
    "entity.dae": ('<!DOCTYPE a [<!ENTITY x "y">]><COLLADA/>', "expected XML without entities"),
    "claims.gltf": (gltf(10**12), "expected at most 2,000,000 triangles, found more"),
    "draco.gltf": (gltf(3, extensionsRequired=["KHR_x"]), "without extensions, found KHR_x"),
    "empty.stl": ("solid a\nendsolid a\n", "."),
    "words.stl": ("no mesh at all", "."),
    "head.ply": (
        "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\n"
        "property float y\nproperty float z\nend_header\n", ".",
    ),
    "claims.off": ("OFF\n1000000000 1000000000 0\n0 0 0\n", "."),
    "points.obj": ("v 0 0 0\nv 1 0 0\n", "."),
    "nan.obj": ("v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "finite vertices"),
    "far.obj": ("v 1e300 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "finite vertices"),
    "beyond.obj": ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "."),
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_what_is_no_mesh_ends_in_a_sentence(name, tmp_path):
    path = tmp_path / name
    path.write_text(BOMBS[name][0])
    with pytest.raises(RobotError, match=BOMBS[name][1]) as caught:
        read_parts(path, name)
    assert str(caught.value).startswith(f"{name}: ")
    assert "\n" not in str(caught.value)


def test_files_that_are_too_large_or_not_there(tmp_path, monkeypatch):
    with pytest.raises(RobotError, match=r"no\.stl: no such file"):
        read_parts(tmp_path / "no.stl", "no.stl")
    (tmp_path / "folder.stl").mkdir()
    with pytest.raises(RobotError, match=r"folder\.stl: expected a file, found a folder"):
        read_parts(tmp_path / "folder.stl", "folder.stl")
    with pytest.raises(RobotError, match=r"box\.step: expected a mesh that ends in \.stl, "):
        read_parts(tmp_path / "box.step", "box.step")
    path = box_file(tmp_path / "box.stl")
    monkeypatch.setattr(mesh_file, "LARGEST_BYTES", 100)
    with pytest.raises(RobotError, match=r"box\.stl: expected at most \d+ MB, found more"):
        read_parts(path, "box.stl")
    assert MOST_TRIANGLES == 2_000_000


def test_only_what_lies_beside_a_mesh_is_read(tmp_path):
    """An OBJ takes its colours from beside it, not from elsewhere."""
    box_file(tmp_path / "inner" / "box.obj", (200, 30, 60))
    secret = tmp_path / "secret.mtl"
    (tmp_path / "inner" / "material.mtl").rename(secret)
    obj = tmp_path / "inner" / "box.obj"
    text = obj.read_text()
    assert "mtllib material.mtl" in text
    for link in ("../secret.mtl", str(secret)):
        obj.write_text(text.replace("mtllib material.mtl", f"mtllib {link}"))
        assert "#c81e3c" not in {part.color for part in read_parts(obj, "box.obj")}
    obj.write_text(text)
    (tmp_path / "inner" / "material.mtl").symlink_to(secret)
    assert "#c81e3c" not in {part.color for part in read_parts(obj, "box.obj")}


def test_bytes_of_a_mesh_read_back_equal_and_damaged_ones_do_not():
    rng = np.random.default_rng(1)
    for points in (rng.normal(size=(9, 3)), rng.normal(size=(9, 3)).astype(np.float32)):
        mesh = Mesh(points, rng.integers(0, 9, (5, 3)))
        data = mesh.to_bytes()
        assert Mesh.from_bytes(data) == mesh
        assert hash(Mesh.from_bytes(data)) == hash(mesh)
        with pytest.raises(RobotError, match="bytes of numbers"):
            Mesh.from_bytes(data[:-1])
        with pytest.raises(RobotError, match=r"other polygons|vertex numbers"):
            Mesh.from_bytes(data[:-13] + b"\x04" + data[-12:])
    assert Mesh.from_bytes(b"ply\nformat ascii 1.0\n") is None


def test_damaged_files_of_every_kind(tmp_path):
    """Bytes changed at random: a mesh or a sentence, nothing else."""
    rng, said = np.random.default_rng(7), []
    for suffix in SUFFIXES:
        data = np.frombuffer(box_file(tmp_path / f"box{suffix}").read_bytes(), np.uint8)
        for trial in range(12):
            bad = data.copy()
            bad[rng.integers(0, len(bad), 1 + trial)] = rng.integers(0, 256, 1 + trial)
            path: Path = tmp_path / f"bad{suffix}"
            path.write_bytes(bad[: len(bad) - int(rng.integers(0, len(bad))) * (trial % 3 == 0)])
            try:
                assert read_parts(path, path.name)
            except RobotError as error:
                said.append(str(error))
    assert said
    assert all(sentence.startswith("bad.") for sentence in said)
