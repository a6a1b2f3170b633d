"""Sections: closed forms against textbooks and trimesh, and the laws by which bodies add up."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from erfd.errors import RobotError
from erfd.robot.model import Link
from erfd.robot.parts.body import combine
from erfd.robot.parts.shapes import Box, Cylinder, Prism, SemiCylinder, Shape, Sphere
from erfd.robot.pose import Pose
from support.part_shapes import (
    TURNED,
    about_origin,
    angles,
    close,
    extruded,
    lengths,
    polygons,
    poses,
    shapes,
)


# --------------------------------------------------------------------------- against other sources
@given(lengths, lengths, st.floats(0, 0.99))
def test_textbook_formulas(r: float, length: float, part: float) -> None:
    """Formulas as handbooks print them, with m rather than a density."""
    s = part * r
    tube = Cylinder(r, length, s).unit
    m = math.pi * (r**2 - s**2) * length
    assert tube.mass == pytest.approx(m, rel=1e-12)
    assert tube.inertia[2][2] == pytest.approx(m * (r**2 + s**2) / 2, rel=1e-12)
    assert tube.inertia[0][0] == pytest.approx(m * (3 * (r**2 + s**2) + length**2) / 12, rel=1e-12)
    half = SemiCylinder(r, length).unit
    m = math.pi / 2 * r**2 * length
    assert half.center == pytest.approx((0.0, 4 * r / (3 * math.pi), 0.0))
    assert half.inertia[2][2] == pytest.approx((1 / 2 - 16 / (9 * math.pi**2)) * m * r**2)
    ball = Sphere(r).unit
    assert ball.inertia[1][1] == pytest.approx(2 / 5 * (4 / 3 * math.pi * r**3) * r**2)
    shell = Sphere(r, s).unit
    whole = 2 / 5 * shell.mass * (r**5 - s**5) / (r**3 - s**3)
    assert shell.inertia[0][0] == pytest.approx(whole, rel=1e-9)  # the powers cancel as s nears r
    wedge = Prism(((0.0, 0.0), (r, 0.0), (0.0, length)), 1.0).unit
    m = r * length / 2
    assert wedge.center == pytest.approx((r / 3, length / 3, 0.0))
    assert wedge.inertia[2][2] == pytest.approx(m * (r**2 + length**2) / 18)
    assert wedge.inertia[0][1] == pytest.approx(m * r * length / 36)  # minus the integral of x y
    box = Box((r, length, 0.5)).unit
    assert box.inertia[0][0] == pytest.approx(box.mass * (length**2 + 0.25) / 12)


def meshed(points: Sequence[Sequence[float]]) -> np.ndarray:
    """trimesh's mass, first moments and inertia about the origin of a convex hull."""
    mesh = trimesh.convex.convex_hull(np.array(points))
    frame = mesh.moment_inertia_frame(np.eye(4))
    return np.concatenate([[mesh.volume], mesh.volume * mesh.center_mass, frame.ravel()])


def bow(radius: float, turn: float, count: int) -> list[tuple[float, float]]:
    steps = np.linspace(0, turn, count + 1)
    return [(radius * math.cos(a), radius * math.sin(a)) for a in steps]


def smooth(moments: Callable[[int], np.ndarray], count: int) -> np.ndarray:
    """Moments of polyhedra with 1, 2, 4 times `count` sides, extrapolated to infinitely many.

    The error is a series in 1/N^2 (sides that are chords): two steps of Richardson leave 1/N^6.
    """
    one, two, four = (moments(k * count) for k in (1, 2, 4))
    first, second = (4 * two - one) / 3, (4 * four - two) / 3
    return (16 * second - first) / 15


def ball(radius: float, count: int) -> np.ndarray:
    """trimesh's moments of a sphere of meridians and parallels, through points on the sphere."""
    turn, rise = np.meshgrid(
        np.linspace(0, 2 * np.pi, 2 * count, endpoint=False),
        np.linspace(-np.pi / 2, np.pi / 2, count + 1),
    )
    x, y = (radius * np.cos(rise) * f(turn) for f in (np.cos, np.sin))
    points = np.stack([x, y, radius * np.sin(rise)], axis=-1).reshape(-1, 3)
    return meshed(np.unique(points.round(12), axis=0))


@settings(max_examples=30, deadline=None)
@given(polygons(), lengths)
def test_prisms_are_trimeshs(corners: tuple, length: float) -> None:
    found = about_origin(Prism(corners, length).unit)
    wanted = meshed(extruded(corners, length))
    # both sum triangles; trimesh about the origin, up to 3 m away from a body of centimetres
    assert np.abs(found - wanted).max() < 1e-10 * np.abs(wanted).max()


@settings(max_examples=20, deadline=None)
@given(lengths, lengths, lengths, st.floats(0.1, 0.9))
def test_hollow_boxes_are_trimeshs(x: float, y: float, z: float, part: float) -> None:
    size, inner = (x, y, z), (part * x, y, part * z)
    corners = np.array([(a, b, c) for a in (-0.5, 0.5) for b in (-0.5, 0.5) for c in (-0.5, 0.5)])
    wanted = meshed(corners * size) - meshed(corners * inner)
    found = about_origin(Box(size, inner).unit)
    assert np.abs(found - wanted).max() < 1e-12 * np.abs(meshed(corners * size)).max()


@pytest.mark.parametrize(("radius", "inner", "length"), [(0.3, 0.0, 1.1), (1.5, 1.2, 0.2)])
def test_round_shapes_are_trimeshs(radius: float, inner: float, length: float) -> None:
    """Polyhedra with ever more sides tend to our closed forms."""

    def cylinder(count: int, turn: float = 2 * math.pi) -> np.ndarray:
        outer = meshed(extruded(bow(radius, turn, count), length))
        return outer - meshed(extruded(bow(inner, turn, count), length)) if inner else outer

    def sphere(count: int) -> np.ndarray:
        return ball(radius, count) - ball(inner, count) if inner else ball(radius, count)

    pairs = [
        (Cylinder(radius, length, inner), smooth(cylinder, 64)),
        (SemiCylinder(radius, length, inner), smooth(lambda n: cylinder(n, math.pi), 64)),
        (Sphere(radius, inner), smooth(sphere, 16)),
    ]
    for shape, wanted in pairs:
        found = about_origin(shape.unit)
        # what 1/N^6 leaves: (2 pi/64)^6 = 9e-7 and (pi/16)^6 = 6e-5, over some 1000
        assert np.abs(found - wanted).max() < 1e-7 * np.abs(wanted).max(), shape


# -------------------------------------------------------------------------------------------- laws
@given(shapes(), st.floats(100, 20000), poses)
def test_every_section_is_a_body(shape: Shape, density: float, pose: Pose) -> None:
    """A Link checks positive principal moments and the triangle inequality."""
    body = shape.unit.times(density).placed(pose)
    assert body.mass > 0
    Link("it", body.mass, body.center, body.inertia)


@given(st.tuples(lengths, lengths, lengths), st.floats(0.01, 0.99), st.integers(0, 2), poses)
def test_a_box_cut_in_two(size: tuple, part: float, axis: int, pose: Pose) -> None:
    """The split-box law: two pieces in their places are the whole."""
    pieces = []
    for low, high in ((0.0, part), (part, 1.0)):
        edges, middle = list(size), [0.0, 0.0, 0.0]
        edges[axis] *= high - low
        middle[axis] = size[axis] * ((low + high) / 2 - 0.5)
        piece = Box(tuple(edges)).unit.placed(Pose(tuple(middle)))
        pieces.append(piece.placed(pose))
    close(combine(pieces), Box(size).unit.placed(pose), TURNED)


@given(lengths, lengths, angles, poses)
def test_a_cylinder_cut_in_two(radius: float, length: float, turn: float, pose: Pose) -> None:
    halves = [
        SemiCylinder(radius, length).unit.placed(pose @ Pose(rpy=(0.0, 0.0, a)))
        for a in (turn, turn + math.pi)
    ]
    close(combine(halves), Cylinder(radius, length).unit.placed(pose), TURNED)


@given(polygons(), lengths, poses)
def test_a_prism_cut_into_triangles(corners: tuple, length: float, pose: Pose) -> None:
    fan = [Prism((corners[0], b, c), length).unit.placed(pose) for b, c in pairwise(corners[1:])]
    close(combine(fan), Prism(corners, length).unit.placed(pose), TURNED)


@given(lengths, lengths, st.floats(0.01, 0.99), poses)
def test_hollow_by_negative_density_or_by_an_inner_dimension(
    radius: float, length: float, part: float, pose: Pose
) -> None:
    r, s = radius, part * radius
    square = ((-r, -r), (r, -r), (r, r), (-r, r))
    small = tuple((part * x, part * y) for x, y in square)
    pairs: list[tuple[Shape, Shape, Shape]] = [
        (Cylinder(r, length, s), Cylinder(r, length), Cylinder(s, length)),
        (SemiCylinder(r, length, s), SemiCylinder(r, length), SemiCylinder(s, length)),
        (Sphere(r, s), Sphere(r), Sphere(s)),
        (Prism(square, length, small), Prism(square, length), Prism(small, length)),
        (
            Box((2 * r, 2 * r, length), (2 * s, 2 * s, length)),
            Prism(square, length),
            Prism(small, length),
        ),
    ]
    for hollow, solid, hole in pairs:
        apart = [solid.unit.times(2700.0).placed(pose), hole.unit.times(-2700.0).placed(pose)]
        # what is left of the difference is at least 1 - 0.99^2 = 2 % of the solid
        close(combine(apart), hollow.unit.times(2700.0).placed(pose), 2 * TURNED)


@given(st.lists(st.tuples(shapes(), poses), min_size=1, max_size=5), poses)
def test_moving_the_whole_is_moving_the_parts(pieces: list, pose: Pose) -> None:
    bodies = [shape.unit.placed(place) for shape, place in pieces]
    close(combine(b.placed(pose) for b in bodies), combine(bodies).placed(pose), TURNED)


@given(shapes(), poses, poses)
def test_moving_twice_is_moving_once(shape: Shape, first: Pose, second: Pose) -> None:
    body = shape.unit
    close(body.placed(first).placed(second), body.placed(second @ first), TURNED)


@given(shapes(), poses)
def test_principal_moments_do_not_depend_on_the_frame(shape: Shape, pose: Pose) -> None:
    before, after = (np.linalg.eigvalsh(b.inertia) for b in (shape.unit, shape.unit.placed(pose)))
    assert np.abs(after - before).max() < TURNED * before.max()


@given(st.lists(st.tuples(shapes(), poses), min_size=2, max_size=6), st.randoms())
def test_the_order_of_parts_does_not_matter(pieces: list, random) -> None:
    bodies = [shape.unit.placed(place) for shape, place in pieces]
    whole = combine(bodies)
    random.shuffle(bodies)
    split = len(bodies) // 2
    close(combine([combine(bodies[:split]), combine(bodies[split:])]), whole, 1e-12)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Cylinder(0.0, 1.0), "radius: expected a length > 0 m, found 0.0"),
        (lambda: Cylinder(1.0, -1.0), "length: expected a length > 0 m, found -1.0"),
        (lambda: Cylinder(1.0, math.inf), "length: expected a length > 0 m, found inf"),
        (lambda: SemiCylinder(1.0, 1.0, 1.0), "inner_radius: expected a radius from 0 to below 1.0 m, found 1.0"),
        (lambda: Sphere(1.0, -0.1), "inner_radius: expected a radius from 0 to below 1.0 m, found -0.1"),
        (lambda: Sphere(math.nan), "radius: expected a length > 0 m, found nan"),
        (lambda: Box((1.0, 0.0, 1.0)), "size[1]: expected a length > 0 m, found 0.0"),
        (lambda: Box((1.0, 1.0, 1.0), (0.5, 0.5, 1.1)), "inner_size[2]: expected at most 1.0 m, the box's own, found 1.1"),
        (lambda: Box((1.0, 1.0, 1.0), (1.0, 1.0, 1.0)), "inner_size: expected a hollow smaller than the box, found [1.0, 1.0, 1.0]"),
        (lambda: Prism(((0, 0), (1, 0), (0, 1)), 1.0, ((0, 0), (0.5, 0), (0.9, 0.9))), "inner_points: expected corners inside the prism, found corner 3 at [0.9, 0.9]"),
        (lambda: Prism(((0, 0), (1, 0), (0, 1)), 1.0, ((0, 0), (1, 0), (0, 1))), "inner_points: expected a hole smaller than the prism, found all of it"),
        (lambda: combine([Sphere(1.0).unit, Sphere(1.0).unit.times(-1.0)]), "mass: expected a mass other than 0, found 2 that cancel"),
    ],
)  # fmt: skip
def test_wrong_dimensions(make: Callable[[], object], sentence: str) -> None:
    with pytest.raises(RobotError) as caught:
        make()
    assert str(caught.value) == sentence
