"""Parts databases: every mistake gets its sentence, with file, table, key and value."""

from __future__ import annotations

from pathlib import Path

import pytest
import trimesh

import erfd
from erfd.errors import MissingDependencyError, RobotError
from support.parts_file import GOOD


def read(tmp_path: Path, text: str) -> erfd.Robot:
    path = tmp_path / "arm.parts.toml"
    path.write_text(text)
    return erfd.load(path)


def test_the_file_without_a_mistake(tmp_path: Path) -> None:
    robot = read(tmp_path, GOOD)
    assert [link.name for link in robot.links] == ["upper", "link 2"]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("format = 1", "format = 2", "arm.parts.toml: format: expected 1 (the version of the file format), found 2"),
        ('name = "arm"', 'name = "arm', "arm.parts.toml: not valid TOML:"),
        ('shape = "cylinder"', 'shape = "cone"', "arm.parts.toml: [part.rod] [[section]] 1: shape: expected one of 'cylinder', 'semi-cylinder', 'box', 'sphere', 'prism', 'mesh', found text 'cone'"),
        ('shape = "cylinder"\n', "", "arm.parts.toml: [part.rod] [[section]] 1: shape: expected one of 'cylinder'"),
        ("radius = 0.05", "radius = -0.05", "arm.parts.toml: [part.rod] [[section]] 1: radius: expected a length > 0 m, found -0.05"),
        ("radius = 0.05", "radius = 0.04", "arm.parts.toml: [part.rod] [[section]] 1: inner_radius: expected a radius from 0 to below 0.04 m, found 0.04"),
        ("radius = 0.05", "raduis = 0.05", "arm.parts.toml: [part.rod] [[section]] 1: unknown key 'raduis'; did you mean 'radius'?"),
        ("radius = 0.05", 'radius = "5 cm"', "[part.rod] [[section]] 1: radius: expected a number, found text '5 cm'"),
        ("inner_radius = 0.04", "inner_raduis = 0.04", "[part.rod] [[section]] 1: unknown key 'inner_raduis'; did you mean 'inner_radius'?"),
        ("inner_radius = 0.04", "size = [1, 1, 1]", "[part.rod] [[section]] 1: unknown key 'size'; did you mean"),
        ("length = 0.5\n", "", "[part.rod] [[section]] 1: length: expected a number, found nothing"),
        ("[0, 0.1]]", "[0, 0.1], [0.02, 0.02]]", "arm.parts.toml: [part.rod] [[section]] 2: points: expected a convex polygon (cut others into convex ones), found a corner that points inward, 4 at [0.02, 0.02]"),
        ("[0.1, 0], [0, 0.1]]", "[0.1, 0.1], [0.1, 0], [0, 0.1]]", "[part.rod] [[section]] 2: points: expected a polygon that does not cut itself, found edges from corners 1 and 3 that cross"),
        ("[0, 0.1]]", "[0, 0.1, 0]]", "[part.rod] [[section]] 2: points: expected a list of points [x, y], found a list [[0, 0], [0.1, 0], [0, 0.1, 0]]"),
        ("[0, 0.1]]", "[0, nan]]", "[part.rod] [[section]] 2: points[2][1]: expected a finite number, found nan"),
        ("[0, 0.1]]", "[0, true]]", "[part.rod] [[section]] 2: points[2][1]: expected a number, found true/false True"),
        ("size = [1, 1, 0.1]", "size = [1, 1]", "[base] [[part]] 1 [[section]] 1: size: expected a list of 3 numbers, found 2: a list [1, 1]"),
        ("size = [1, 1, 0.1]", "size = [1, 1, 0]", "[base] [[part]] 1 [[section]] 1: size[2]: expected a length > 0 m, found 0.0"),
        ("size = [1, 1, 0.1]", "size = [1, 1, 0.1]\ninner_size = [0.9, 0.9, 0.2]", "[base] [[part]] 1 [[section]] 1: inner_size[2]: expected at most 0.1 m, the box's own, found 0.2"),
        ('material = "aluminium"', 'material = "aluminum"', "arm.parts.toml: [part.rod] [[section]] 1: material: expected the name of a material, found text 'aluminum'; did you mean 'aluminium'?"),
        ('material = "aluminium"', 'material = "x"', "material: expected the name of a material, found text 'x'; known are aluminium, steel,"),
        ('material = "aluminium"\n', "", "[part.rod] [[section]] 1: expected one of material, density and mass, found none of them"),
        ("density = 1000", "density = 1000\nmass = 2", "[part.rod] [[section]] 2: expected one of material, density and mass, found density and mass"),
        ("density = 1000", "density = 0", "[part.rod] [[section]] 2: density: expected a density other than 0 kg/m3, found 0.0"),
        ("density = 1000", "density = -1000\nhole = true", "[part.rod] [[section]] 2: density: expected a density > 0 kg/m3 beside hole = true, found -1000.0"),
        ("mass = 12.5", "mass = -1", "[base] [[part]] 1 [[section]] 1: mass: expected a mass > 0 kg (hole = true takes it away), found -1.0"),
        ("hole = true", "hole = 1", "[[link]] 1 [[part]] 2 [[section]] 2: hole: expected true or false, found 1"),
        ("hole = true", 'visible = "no"', "[[link]] 1 [[part]] 2 [[section]] 2: visible: expected true or false, found text 'no'"),
        ("hole = true", 'color = "red"', "[[link]] 1 [[part]] 2 [[section]] 2: color: expected a colour such as '#9aa5b1', found 'red'"),
        ("rpy = [90, 0, 0]", "rpy = [90, 0, 0]\naxis = [0, 0, 1]", "[part.rod] [[section]] 2: axis: expected either axis or rpy, not both"),
        ("axis = [1, 0, 0]", "axis = [1, 1, 0]", "[[link]] 2 [[part]] 1: axis: expected a unit vector (length 1, not 1.41421), found a list [1.0, 1.0, 0.0]"),
        ("density = 700.0", "density = -700.0", "arm.parts.toml: [material.oak]: density: expected a density > 0 kg/m3, found -700.0"),
        ("density = 700.0", "densty = 700.0", "arm.parts.toml: [material.oak]: unknown key 'densty'; did you mean 'density'?"),
        ("density = 700.0", 'density = 700.0\ncolor = "#12"', "arm.parts.toml: [material.oak]: color: expected a colour such as '#9aa5b1', found '#12'"),
        ("[material.oak]\ndensity = 700.0", "[material]\noak = 700.0", "arm.parts.toml: [material]: oak: expected a table [material.oak], found 700.0"),
        ('use = "rod"\nxyz', 'use = "rot"\nxyz', "arm.parts.toml: [[link]] 1 [[part]] 1: use: expected the name of a part, found text 'rot'; did you mean 'rod'?"),
        ('use = "rod"\nxyz', 'use = "zzz"\nxyz', "[[link]] 1 [[part]] 1: use: expected the name of a part, found text 'zzz'; known are rod"),
        ('use = "rod"\nxyz', "xyz", "arm.parts.toml: [[link]] 1 [[part]] 1: expected either use (the name of a [part]) or [[section]], found neither"),
        ('name = "ends"', 'name = "ends"\nuse = "rod"', "[[link]] 1 [[part]] 2: expected either use (the name of a [part]) or [[section]], found both"),
        ('name = "ends"', 'title = "ends"', "[[link]] 1 [[part]] 2: unknown key 'title'; did you mean"),
        ("[part.rod]\n", '[part.lid]\n[[part.lid.section]]\nshape = "sphere"\nradius = 1\nmass = 1\n[part.rod]\n', "arm.parts.toml: [part.lid]: expected a link that uses it, found none"),
        ("[part.rod]\n", "[part.lid]\n[part.rod]\n", "arm.parts.toml: [part.lid]: expected at least one [[section]], found none"),
        ("[part.rod]\n", "[part.lid]\nsections = 3\n[part.rod]\n", "arm.parts.toml: [part.lid]: unknown key 'sections'; did you mean 'section'?"),
        ('[[link.part]]\nuse = "rod"\naxis = [1, 0, 0]', "", "arm.parts.toml: [[link]] 2 (link 2): expected at least one part, found none: a link needs a mass"),
        ("radius = 0.02", "radius = 0.06", "arm.parts.toml: [[link]] 1 [[part]] 2: mass: expected a mass other than 0, found 2 that cancel"),
        ("radius = 0.02", "radius = 0.3", "arm.parts.toml: [[link]] 1 (upper): expected a mass > 0 kg, found 4.55038 kg of material and 79.1681 kg of holes"),
        ('radius = 0.02\nmaterial = "oak"', "radius = 0.02\nxyz = [0, 0, 3]\nmass = 0.2", "arm.parts.toml: [[link]] 1 (upper): inertia: expected principal moments >= 0, found -"),
        ('frame = { xyz = [-0.5, 0, 0], rpy', 'frame = { xzy = [-0.5, 0, 0], rpy', "arm.parts.toml: [[link]] 1.frame: unknown key 'xzy'; did you mean 'xyz'?"),
        ("[[link]]\nname", "[[link]]\nmass = 3.0\nname", "arm.parts.toml: [[link]] 1: unknown key 'mass'; did you mean"),
        ("[[joint]]\na = 0.5", "[[joint]]\nA = 0.5", "arm.parts.toml: [[joint]] 1: unknown key 'A'; did you mean 'a'?"),
        ("[[joint]]\na = 0.5", "", "arm.parts.toml: link: expected 1 links, one a joint, found 2"),
        ('kind = "prismatic"', '[[drive]]\nratio = 1', "arm.parts.toml: drive: expected 2 drives, one a joint (or none), found 1"),
        ("[[base.part]]", "[[base.visual]]\n[[base.part]]", "arm.parts.toml: [base]: unknown key 'visual'; did you mean"),
        ('name = "arm"', 'name = "arm"\nparts = 3', "arm.parts.toml: unknown key 'parts'; did you mean 'part'?"),
        ('shape = "sphere"\nradius = 0.06', 'shape = "mesh"\nfile = "none.stl"', "arm.parts.toml: [[link]] 1 [[part]] 2 [[section]] 1: file: expected a file, found no file 'none.stl'"),
        ('shape = "sphere"\nradius = 0.06', 'shape = "mesh"\nfile = "arm.step"', "[[section]] 1: file: expected a file ending in .stl, .obj, .ply, .off, found 'arm.step'"),
        ('shape = "sphere"\nradius = 0.06', 'shape = "mesh"', "[[section]] 1: file: expected text, found nothing"),
        ('shape = "sphere"\nradius = 0.06', 'shape = "mesh"\nfile = "a.stl"\nscale = 0', "[[section]] 1: scale: expected a number > 0 (0.001 for a file in mm), found 0.0"),
    ],
)  # fmt: skip
def test_mistakes(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    assert old in GOOD
    with pytest.raises(RobotError) as caught:
        read(tmp_path, GOOD.replace(old, new, 1))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).count("arm.parts.toml") == 1


def meshes() -> dict[str, trimesh.Trimesh]:
    box = trimesh.creation.box((0.1, 0.2, 0.3))
    corners = [(1, 1, 0), (-1, 1, 0), (-1, -1, 0), (1, -1, 0), (0.1, 0, 0), (-0.1, 0, 0)]
    faces = [(k, (k + 1) % 4, 4) for k in range(4)] + [((k + 1) % 4, k, 5) for k in range(4)]
    return {
        "open.stl": trimesh.Trimesh(box.vertices, box.faces[1:]),
        "twisted.obj": trimesh.Trimesh(
            box.vertices, [box.faces[0][::-1], *box.faces[1:]], process=False
        ),
        "flat.obj": trimesh.Trimesh(corners, faces, process=False),
    }


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("open.stl", "file: expected a closed surface, found 3 open edges in 'open.stl'"),
        ("twisted.obj", "file: expected faces that all look outward, found some that look inward in 'twisted.obj'"),
        ("flat.obj", "file: expected a surface around a volume, found 0 m3 in 'flat.obj'"),
        ("garbage.off", "file: expected a mesh, found 'garbage.off', which cannot be read: "),
        ("garbage.stl", "file: expected a surface, found no faces in 'garbage.stl'"),
        ("empty.obj", "file: expected a "),
    ],
)  # fmt: skip
def test_meshes_that_are_no_bodies(tmp_path: Path, name: str, sentence: str) -> None:
    for file, mesh in meshes().items():
        mesh.export(tmp_path / file)
    (tmp_path / "garbage.stl").write_bytes(b"solid but not really")
    (tmp_path / "garbage.off").write_bytes(b"OFF but\nnot really")
    (tmp_path / "empty.obj").write_text("# nothing here\n")
    section = f'shape = "mesh"\nfile = "{name}"'
    with pytest.raises(RobotError) as caught:
        read(tmp_path, GOOD.replace('shape = "sphere"\nradius = 0.06', section))
    assert f"arm.parts.toml: [[link]] 1 [[part]] 2 [[section]] 1: {sentence}" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_without_trimesh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "trimesh", None)
    (tmp_path / "a.stl").write_bytes(b"")
    section = 'shape = "mesh"\nfile = "a.stl"'
    with pytest.raises(MissingDependencyError, match=r"pip install 'erfd\[cad\]'"):
        read(tmp_path, GOOD.replace('shape = "sphere"\nradius = 0.06', section))
    read(tmp_path, GOOD)  # and all the rest does without
