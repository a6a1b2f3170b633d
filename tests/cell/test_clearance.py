"""Clearance between robot and cell: against closed forms and against brute force."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.cell import Cell, CellObject, Mesh, clearance, load_cell
from erfd.errors import InputError
from erfd.mechanics.kinematics import link_frames, pose_matrix
from erfd.robot.model import Visual
from erfd.robot.pose import Pose

LOLA = erfd.load("lola15")


def ball_arm() -> erfd.Robot:
    """One joint about z; a ball of 0.1 m at 1 m from the axis is its only shape."""
    ball = Visual("sphere", (0.1,))
    return erfd.Robot(
        "ball",
        (erfd.Joint("turn", a=1.0),),
        (erfd.Link("arm", 1.0, visuals=(ball,)),),
    )


angles = st.floats(-3.0, 3.0)
coordinates = st.floats(-2.0, 2.0)


@settings(deadline=None)
@given(angles, coordinates, coordinates, coordinates, st.floats(0.05, 0.5))
def test_balls_are_as_far_apart_as_their_centres_say(q, x, y, z, radius):
    cell = Cell("c", (CellObject("other", Visual("sphere", (radius,)), Pose((x, y, z))),))
    found = clearance(ball_arm(), cell, [[q]])
    centre = np.array([np.cos(q), np.sin(q), 0.0])
    expected = np.linalg.norm(centre - [x, y, z]) - 0.1 - radius
    # GJK's default tolerance is 1e-6
    assert found.distances[0] == pytest.approx(expected, abs=2e-6)


@settings(deadline=None)
@given(angles, st.floats(-1.5, 1.5), st.floats(-0.5, 0.5))
def test_a_wall_is_as_far_as_its_face(q, x, turn):
    """A box that is turned and so large that the ball faces its side."""
    pose = Pose((x, 0.0, 0.0), (0.0, 0.0, turn))
    cell = Cell("c", (CellObject("wall", Visual("box", (0.02, 50.0, 50.0)), pose),))
    found = clearance(ball_arm(), cell, [[q]])
    normal = np.array([np.cos(turn), np.sin(turn)])
    gap = abs(normal @ (np.array([np.cos(q), np.sin(q)]) - [x, 0.0])) - 0.01 - 0.1
    if gap > 0:
        assert found.distances[0] == pytest.approx(gap, abs=2e-6)
    else:
        assert found.distances[0] <= 1e-6


def test_the_mount_moves_the_robot_and_not_the_cell():
    cell = Cell("c", (CellObject("b", Visual("sphere", (0.1,)), Pose((0.0, 0.0, 3.0))),))
    high = replace(ball_arm(), mount=Pose((0.0, 0.0, 2.0)))
    assert clearance(high, cell, [[0.0]]).distances[0] == pytest.approx(np.sqrt(2) - 0.2, abs=2e-6)


def brute_force(robot, cell, q):
    """Every pair with Coal, no pruning."""
    import coal

    best = np.inf
    frames = pose_matrix(robot.mount) @ link_frames(robot, q)
    request = coal.DistanceRequest()
    for i, link in enumerate(robot.links):
        for visual in link.visuals:
            place = frames[i + 1] @ pose_matrix(visual.pose)
            for thing in cell.things:
                geometry = [
                    {"box": coal.Box, "sphere": coal.Sphere, "cylinder": coal.Cylinder,
                     "capsule": coal.Capsule}[v.shape](*v.size)
                    for v in (visual, thing.shape)
                ]  # fmt: skip
                poses = [
                    coal.Transform3s(m[:3, :3], m[:3, 3])
                    for m in (place, pose_matrix(thing.placement))
                ]
                result = coal.DistanceResult()
                pair = geometry[0], poses[0], geometry[1], poses[1]
                best = min(best, coal.distance(*pair, request, result))
    return best


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31))
def test_pruning_loses_nothing(seed):
    rng = np.random.default_rng(seed)
    shapes = (
        Visual("box", tuple(rng.uniform(0.05, 0.6, 3))),
        Visual("cylinder", (0.1, 0.7)),
        Visual("capsule", (0.08, 0.4)),
        Visual("sphere", (0.15,)),
    )
    things = tuple(
        CellObject(
            f"{k}", shape, Pose(tuple(rng.uniform(-1.5, 1.5, 3)), tuple(rng.uniform(-3, 3, 3)))
        )
        for k, shape in enumerate(shapes)
    )
    cell = Cell("c", things)
    q = rng.uniform(-2, 2, (3, 6))
    found = clearance(LOLA, cell, q)
    for k in range(3):
        assert found.distances[k] == pytest.approx(brute_force(LOLA, cell, q[k]), abs=1e-5)


def test_a_mesh_is_as_far_as_the_box_it_shows():
    trimesh = pytest.importorskip("trimesh")
    made = trimesh.creation.box((0.4, 0.5, 0.6))
    rng = np.random.default_rng(1)
    q = rng.uniform(-2, 2, (40, 6))
    pose = Pose((1.6, 0.7, 0.9), (0.3, 0.2, 0.1))
    box = clearance(LOLA, Cell("a", (CellObject("x", Visual("box", (0.4, 0.5, 0.6)), pose),)), q)
    mesh = Mesh(made.vertices, made.faces)
    for convex in (False, True):
        found = clearance(LOLA, Cell("b", (CellObject("x", mesh, pose, convex=convex),)), q)
        apart = box.distances > 1e-3
        assert apart.sum() > 20
        np.testing.assert_allclose(found.distances[apart], box.distances[apart], atol=1e-5)
        if convex:  # a surface does not know its inside, a hull does
            assert (found.distances[~apart] < 1e-3).all()


def test_a_prism_is_the_box_with_its_corners():
    corners = (-0.2, -0.25, 0.2, -0.25, 0.2, 0.25, -0.2, 0.25)
    pose = Pose((1.6, 0.7, 0.9), (0.3, 0.2, 0.1))
    q = np.random.default_rng(2).uniform(-2, 2, (40, 6))
    pair = [
        clearance(LOLA, Cell("c", (CellObject("x", shape, pose),)), q)
        for shape in (Visual("box", (0.4, 0.5, 0.6)), Visual("prism", (0.6, *corners)))
    ]
    apart = pair[0].distances > 1e-3
    np.testing.assert_allclose(pair[1].distances[apart], pair[0].distances[apart], atol=1e-5)
    assert (pair[1].distances[~apart] < 1e-3).all()


def test_contacts_say_when_and_who():
    cell = Cell("c", (CellObject("post", Visual("cylinder", (0.1, 1.0)), Pose((0.0, 1.0, 0.0))),))
    t = np.linspace(0, 1, 101)
    q = np.pi * t[:, None]  # passes the post at t = 0.5
    (contact,) = clearance(ball_arm(), cell, q).contacts(t)
    assert (contact.link, contact.thing) == ("arm", "post")
    # in touch while the chord to the post is below 0.2 m
    half = 2 * np.arcsin(0.1) / np.pi
    assert contact.start == pytest.approx(0.5 - half, abs=0.01)
    assert contact.end == pytest.approx(0.5 + half, abs=0.01)
    assert contact.depth == pytest.approx(0.2, abs=1e-3)
    assert str(contact).startswith("arm collides with post at 0.4")


def test_what_may_touch_is_left_out():
    things = (
        CellObject("post", Visual("sphere", (0.3,)), Pose((1.0, 0.0, 0.0)), touching=("arm",)),
    )
    assert clearance(ball_arm(), Cell("c", things), [[0.0]]).smallest == np.inf
    assert clearance(ball_arm(), Cell(), [[0.0]]).smallest == np.inf


def test_shapes_of_arguments():
    with pytest.raises(InputError, match="q: expected shape"):
        clearance(LOLA, Cell(), np.zeros((2, 5)))
    with pytest.raises(InputError, match="t: expected shape"):
        clearance(LOLA, Cell(), np.zeros((2, 6))).contacts([0.0])


def test_the_example_cell_leaves_room_for_the_robot():
    from erfd.studio.examples import example_cells

    cell = load_cell(example_cells()["lola15_workshop"])
    standing = replace(LOLA, mount=cell.mount)
    assert clearance(standing, cell, np.zeros((1, 6))).smallest > 0.05
