"""Fewer triangles and hulls: the budget is kept, the form stays, nothing sticks out of a hull."""

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from erfd.robot.mesh import Mesh
from erfd.robot.readers.meshes.decimate import TRIANGLES, decimated, merged, within_budget
from erfd.robot.readers.meshes.hull import CORNERS, convex_hull


def mesh_of(shape: trimesh.Trimesh) -> Mesh:
    return Mesh(shape.vertices, shape.faces)


def test_the_budget_is_kept_and_the_form_stays():
    ball = mesh_of(trimesh.creation.icosphere(5, radius=0.1))
    torus = mesh_of(trimesh.creation.torus(0.2, 0.05, 128, 64))
    small = within_budget([ball, torus, ball], 3000)
    assert 2500 < sum(len(mesh.faces) for mesh in small) <= 3000
    radius = np.linalg.norm(small[0].vertices, axis=1)
    assert abs(radius - 0.1).max() < 2e-3
    ring = np.hypot(np.hypot(*small[1].vertices[:, :2].T) - 0.2, small[1].vertices[:, 2])
    assert abs(ring - 0.05).max() < 6e-3


def test_within_the_budget_nothing_changes_but_vertices_that_are_double():
    ball = trimesh.creation.icosphere(2)
    soup = Mesh(
        ball.vertices[ball.faces].reshape(-1, 3), np.arange(3 * len(ball.faces)).reshape(-1, 3)
    )
    (same,) = within_budget([soup])
    assert (len(same.vertices), len(same.faces)) == (len(ball.vertices), len(ball.faces))
    assert len(ball.faces) < TRIANGLES


def test_loose_triangles_are_decimated_too():
    rng = np.random.default_rng(3)
    corners = rng.uniform(-1, 1, (3000, 1, 3)) + rng.normal(0, 0.01, (3000, 3, 3))
    soup = Mesh(corners.reshape(-1, 3), np.arange(9000).reshape(-1, 3))
    assert len(decimated(merged(soup), 200).faces) <= 220


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), count=st.integers(5, 2000), flat=st.floats(0.01, 1.0))
def test_a_hull_holds_the_mesh_and_is_hardly_larger(seed, count, flat):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(count, 3))
    if seed % 2:
        points /= np.linalg.norm(points, axis=1)[:, None]
    points *= (0.1, 0.2, 0.2 * flat)
    faces = rng.integers(0, count, (count, 3))
    hull = convex_hull(Mesh(points, faces))
    assert hull is not None
    assert len(hull.vertices) <= CORNERS
    solid = ConvexHull(hull.vertices)
    sides = solid.equations
    assert (points @ sides[:, :3].T + sides[:, 3]).max() < 1e-7
    assert solid.volume < ConvexHull(points).volume * 1.2
    a, b, c = (hull.vertices[hull.faces[:, i]] for i in range(3))  # outward triangles
    assert np.einsum("ij,ij->i", np.cross(a, b), c).sum() / 6 == pytest.approx(solid.volume)


def test_what_is_flat_has_no_hull():
    assert (
        convex_hull(Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [[0, 1, 2], [1, 2, 3]]))
        is None
    )
