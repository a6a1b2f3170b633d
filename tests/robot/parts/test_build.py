"""From sections to links: frames, parts used twice, meshes, shapes to look at."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import erfd
from erfd.report.plots.robot_picture import faces_of
from erfd.robot.parts import Database, LinkParts, Part, PlacedPart, Section, build, read, weigh
from erfd.robot.parts.body import Body, combine
from erfd.robot.parts.materials import MATERIALS
from erfd.robot.parts.mesh import read_mesh
from erfd.robot.parts.shapes import Box, Cylinder, Prism, SemiCylinder, Sphere
from erfd.robot.pose import Pose
from support.part_shapes import TURNED, about_origin, close, extruded, polygons, poses, shapes
from support.parts_file import GOOD

densities = st.floats(500, 9000)
sections = st.builds(Section, shapes(), densities, poses)


def database(*links: LinkParts) -> Database:
    joints = tuple(erfd.Joint(f"joint {k}") for k, _ in enumerate(links, 1))
    bare = tuple(erfd.Link(link.name, 0.0) for link in links)
    return Database(erfd.Robot("arm", joints, bare), links, file="arm.parts.toml")


def of(link: erfd.Link) -> Body:
    return Body(link.mass, link.center, link.inertia)


def matrix(pose: Pose) -> np.ndarray:
    """A pose by SciPy, not by ours: fixed axes x, y, z."""
    full = np.eye(4)
    full[:3, :3] = Rotation.from_euler("xyz", pose.rpy).as_matrix()
    full[:3, 3] = pose.xyz
    return full


@st.composite
def prisms(draw: st.DrawFn) -> Section:
    shape = Prism(draw(polygons()), draw(st.floats(0.05, 1)))
    return Section(shape, draw(densities), draw(poses))


@settings(max_examples=40, deadline=None)
@given(st.lists(prisms(), min_size=2, max_size=4), poses, poses, poses)
def test_links_are_trimeshs(found: list[Section], first: Pose, second: Pose, frame: Pose) -> None:
    """Section in part in drawing frame in D-H frame, every step by trimesh and SciPy."""
    part = Part("both", tuple(found))
    link = LinkParts("link", (PlacedPart("a", part, first), PlacedPart("b", part, second)), frame)
    robot = build(database(link))
    wanted = np.zeros(13)
    for use in link.uses:
        for section in part.sections:
            corners = extruded(section.shape.points, section.shape.length)
            mesh = trimesh.convex.convex_hull(np.array(corners))
            mesh.apply_transform(matrix(frame) @ matrix(use.pose) @ matrix(section.pose))
            mass = section.density * mesh.volume
            tensor = section.density * mesh.moment_inertia_frame(np.eye(4))
            wanted += np.concatenate([[mass], mass * mesh.center_mass, tensor.ravel()])
    size = np.repeat([1.0, 9.0, 81.0], [1, 3, 9]) * wanted[0]  # up to 9 m from the D-H frame
    assert np.abs((about_origin(of(robot.links[0])) - wanted) / size).max() < TURNED


@given(st.lists(sections, min_size=1, max_size=4), poses, poses)
def test_the_drawing_frame_is_free(found: list[Section], place: Pose, frame: Pose) -> None:
    """Parts drawn in another frame, and that frame told: the same link."""
    part = Part("it", tuple(found))
    direct = build(database(LinkParts("link", (PlacedPart("it", part, place),)))).links[0]
    drawn = PlacedPart("it", part, frame.inverse() @ place)
    moved = build(database(LinkParts("link", (drawn,), frame))).links[0]
    close(of(moved), of(direct), 3 * TURNED)


def test_a_small_file(tmp_path: Path) -> None:
    """The numbers of a file by hand: a tube and a wedge along x of frame 1, a ball, a hole."""
    path = tmp_path / "arm.parts.toml"
    path.write_text(GOOD)
    robot = erfd.load(path)
    tube = Cylinder(0.05, 0.5, 0.04).unit.times(2700.0)
    assert tube.mass == pytest.approx(2700 * math.pi * 0.0009 * 0.5)
    wedge = Prism(((0.0, 0.0), (0.1, 0.0), (0.0, 0.1)), 0.02).unit.times(1000.0)
    wedge = wedge.placed(Pose(rpy=(math.pi / 2, 0.0, 0.0)))
    assert wedge.center == pytest.approx((0.1 / 3, 0.0, 0.1 / 3))
    upright = Pose((0.0, 0.0, 0.25))
    drawn = Pose((-0.5, 0.0, 0.0), (0.0, math.pi / 2, 0.0))  # its z is x of frame 1
    shell = combine([Sphere(0.06).unit.times(700.0), Sphere(0.02).unit.times(-700.0)])
    upper = combine([tube.placed(upright), wedge.placed(upright), shell]).placed(drawn)
    close(of(robot.links[0]), upper, 1e-14)
    across = Pose(rpy=(0.0, math.pi / 2, 0.0))
    close(of(robot.links[1]), combine([tube, wedge]).placed(across), 1e-14)
    assert [v.shape for v in robot.links[0].visuals] == ["cylinder", "prism", "sphere"]
    assert robot.links[0].visuals[0] == erfd.Visual(
        "cylinder", (0.05, 0.5), erfd.Pose((-0.25, 0.0, 0.0), (0.0, math.pi / 2, 0.0)), "#12ab34"
    )
    assert robot.base_visuals == (erfd.Visual("box", (1.0, 1.0, 0.1)),)
    *_, base = weigh(read(path))
    assert (base.kind, base.body.mass) == ("base", pytest.approx(12.5))
    erfd.save(robot, tmp_path / "arm.toml")
    assert erfd.load(tmp_path / "arm.toml") == robot


def test_own_materials_come_before_ours(tmp_path: Path) -> None:
    path = tmp_path / "arm.parts.toml"
    path.write_text(GOOD)
    usual = erfd.load(path).links[1].mass
    path.write_text(
        GOOD.replace("[material.oak]", "[material.aluminium]\ndensity = 1.0\n[material.oak]")
    )
    light = erfd.load(path).links[1].mass
    tube = Cylinder(0.05, 0.5, 0.04).unit.mass
    assert usual - light == pytest.approx((MATERIALS["aluminium"].density - 1.0) * tube)


def test_negative_density_is_a_hole(tmp_path: Path) -> None:
    path = tmp_path / "arm.parts.toml"
    path.write_text(GOOD)
    one = erfd.load(path)
    path.write_text(GOOD.replace('material = "oak"\nhole = true', "density = -700.0"))
    assert erfd.load(path) == one


def test_a_hole_alone_is_a_part(tmp_path: Path) -> None:
    """A pattern of holes may be drawn once and used where it is needed."""
    plate = Part("plate", (Section(Box((0.3, 0.3, 0.01)), 7850.0),))
    bore = Part("bore", (Section(Cylinder(0.01, 0.01), -7850.0),))
    uses = [PlacedPart("plate", plate)]
    uses += [PlacedPart("bore", bore, Pose((x, y, 0.0))) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    link = build(database(LinkParts("link", tuple(uses)))).links[0]
    assert link.mass == pytest.approx(7850 * (0.0009 - 4 * math.pi * 1e-4 * 0.01))
    assert link.center == (0.0, 0.0, 0.0)
    assert len(link.visuals) == 1


def test_zeros_are_exact() -> None:
    """What is zero by symmetry is 0.0, so that it disappears from the equations."""
    turned = Pose((0.1, 0.2, 0.3), (0.3, -0.7, 1.1))
    ball = Part("ball", (Section(Sphere(0.1), 1000.0, turned),))
    link = build(database(LinkParts("link", (PlacedPart("ball", ball),), turned.inverse()))).links[
        0
    ]
    assert link.center == (0.0, 0.0, 0.0)
    assert {link.inertia[i][j] for i in range(3) for j in range(3) if i != j} == {0.0}


# ------------------------------------------------------------------------------------------ meshes
@pytest.mark.parametrize(("suffix", "tolerance"), [(".obj", 1e-7), (".stl", 1e-6), (".ply", 1e-6)])
@pytest.mark.parametrize("unit", [1.0, 0.001])
def test_a_mesh_is_the_shape_it_was_made_of(
    tmp_path: Path, suffix: str, tolerance: float, unit: float
) -> None:
    """STL and PLY keep 24 bits of a coordinate, OBJ eight decimals of a number of millimetres."""
    corners = ((0.0, 0.0), (0.2, 0.0), (0.25, 0.1), (0.0, 0.15))
    place = Pose((0.4, -0.2, 1.0), (0.4, 0.3, -1.0))
    prism = Prism(corners, 0.3)
    mesh = trimesh.convex.convex_hull(np.array(extruded(corners, 0.3)))
    mesh.apply_transform(matrix(place))
    mesh.apply_scale(1 / unit)
    mesh.export(tmp_path / f"a{suffix}")
    path = tmp_path / "arm.parts.toml"
    section = f'shape = "mesh"\nfile = "a{suffix}"\nscale = {unit}'
    path.write_text(GOOD.replace('shape = "sphere"\nradius = 0.06', section))
    mesh_item = weigh(read(path))[0].items[1].items[0]
    assert (mesh_item.kind, mesh_item.material) == ("mesh", "oak")
    drawn = Pose((-0.5, 0.0, 0.0), (0.0, math.pi / 2, 0.0))
    close(mesh_item.body, prism.unit.times(700.0).placed(drawn @ place), tolerance)
    visual = erfd.load(path).links[0].visuals[2]  # its bounding box
    assert visual.shape == "box"
    assert visual.size == pytest.approx(mesh.extents * unit, rel=1e-6)


def test_a_mesh_that_is_inside_out_is_the_same_body(tmp_path: Path) -> None:
    mesh = trimesh.creation.icosphere(subdivisions=2, radius=0.3)
    mesh.apply_translation((5.0, 0.0, 0.0))
    mesh.export(tmp_path / "out.obj")
    mesh.invert()
    mesh.export(tmp_path / "in.obj")
    one, two = (read_mesh(tmp_path / f"{name}.obj", name).unit for name in ("out", "in"))
    assert one.mass > 0
    close(two, one, 1e-12)


# ----------------------------------------------------------------------------------------- visuals
@settings(max_examples=60, deadline=None)
@given(shapes(), poses, poses, poses)
def test_what_is_seen_is_where_it_weighs(shape, inner: Pose, place: Pose, frame: Pose) -> None:
    """The hull of a visual's faces is the solid section: volume and centre in the link frame."""
    solid = replace(shape, **{k: v for k, v in WHOLE.items() if hasattr(shape, k)})
    part = Part("it", (Section(solid, 1.0, inner),))
    link = build(database(LinkParts("link", (PlacedPart("it", part, place),), frame))).links[0]
    visual = link.visuals[0]
    points = np.concatenate(faces_of(visual, sides=96))
    hull = trimesh.convex.convex_hull(points @ matrix(visual.pose)[:3, :3].T + visual.pose.xyz)
    body = solid.unit.placed(frame @ place @ inner)
    round_ = isinstance(solid, Cylinder | SemiCylinder | Sphere)
    # straight shapes are exact but for the rounding of visuals (1e-12 m, 1e-9 deg)
    assert hull.volume == pytest.approx(body.mass, rel=0.05 if round_ else 1e-6)
    size = max(hull.extents)
    assert hull.center_mass == pytest.approx(body.center, abs=size * (0.02 if round_ else 1e-6))


WHOLE = {"inner_radius": 0.0, "inner_size": None, "inner_points": ()}


def test_what_is_not_drawn() -> None:
    hidden = Section(Sphere(0.1), 1000.0, visible=False)
    part = Part("it", (hidden, replace(hidden, visible=True), Section(Sphere(0.05), -1000.0)))
    link = build(database(LinkParts("link", (PlacedPart("it", part),)))).links[0]
    assert [v.size for v in link.visuals] == [(0.1,)]
    assert link.mass == pytest.approx(1000 * 4 / 3 * math.pi * (2e-3 - 0.05**3))
