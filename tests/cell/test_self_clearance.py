"""Links that come near each other: against distances that are computed pose by pose."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.cell.model import Cell, CellObject
from erfd.cell.self_clearance import NEAR_ITSELF, OwnShapes, rest_position
from erfd.mechanics.kinematics import link_frames
from erfd.robot.visual import Visual

coal = pytest.importorskip("coal")


def arm(radius: float = 0.05, n: int = 4) -> erfd.Robot:
    """A planar chain of n capsules of 0.4 m, each turning about z of the one before."""
    link = erfd.Link(
        "link", 1.0, inertia=((0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)),
        visuals=(Visual("capsule", (radius, 0.3), erfd.Pose((-0.2, 0, 0), (0, np.pi / 2, 0))),),
    )  # fmt: skip
    joints = tuple(erfd.Joint(f"j{i}", a=0.4) for i in range(n))
    links = tuple(replace(link, name=f"link {i + 1}") for i in range(n))
    return erfd.Robot("chain", joints, links)


def by_hand(robot: erfd.Robot, q) -> float:
    """The smallest distance of two capsules that are no neighbours, by segments in the plane."""
    frames = link_frames(robot, q)
    ends = [[(f @ [x, 0, 0, 1])[:2] for x in (-0.35, -0.05)] for f in frames[1:]]
    best = np.inf
    for i in range(len(ends)):
        for j in range(i + 2, len(ends)):
            best = min(best, segments(*ends[i], *ends[j]))
    return best - 2 * robot.links[0].visuals[0].size[0]


def segments(a, b, c, d) -> float:
    """The distance of two segments in the plane; 0 if they cross."""

    def side(p, q, r) -> float:
        return float((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))

    if side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0:
        return 0.0
    found = []
    for p, (u, v) in ((a, (c, d)), (b, (c, d)), (c, (a, b)), (d, (a, b))):
        s = np.clip((p - u) @ (v - u) / ((v - u) @ (v - u)), 0, 1)
        found.append(np.linalg.norm(p - u - s * (v - u)))
    return float(min(found))


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_distances_and_contacts_are_those_of_every_pose(seed):
    rng = np.random.default_rng(seed)
    robot = arm()
    ends = rng.uniform(-2.6, 2.6, (2, robot.n))
    t = np.linspace(0, 2, 60)
    q = ends[0] + (ends[1] - ends[0]) * ((1 - np.cos(np.pi * t / 2)) / 2)[:, None]
    found = erfd.self_clearance(robot, t, q)
    dense = [by_hand(robot, row) for row in q]
    least = min(dense)
    assert bool(found.contacts) == (least <= 1e-5) or abs(least) < 2e-3
    if 0.002 < least < NEAR_ITSELF:
        assert found.smallest == pytest.approx(least, abs=2e-3)
    elif least > NEAR_ITSELF:
        assert found.smallest > NEAR_ITSELF - 2e-3
    for contact in found.contacts:
        inside = [d for d, s in zip(dense, t, strict=True) if contact.start <= s <= contact.end]
        assert all(d < 2e-3 for d in inside)


def test_a_contact_between_two_samples_is_found():
    """The last link goes past the first one from one sample to the next."""
    robot, t = arm(), np.array([0.0, 1.0])
    q = np.array([[0, 2.2, 1.2, 0.0], [0, 2.2, 2.9, 0.0]])
    path = q[0] + (q[1] - q[0]) * np.linspace(0, 1, 100)[:, None]
    assert min(by_hand(robot, row) for row in path) < -0.01
    q[1] = path[-1]
    ends = [by_hand(robot, row) for row in q]
    found = erfd.self_clearance(robot, t, q)
    assert ends[0] > 0.05
    assert found.contacts
    assert 0.0 < found.contacts[0].start < 1.0


def test_neighbours_and_named_pairs_may_touch():
    robot = arm()
    folded = np.array([[0, 2.6, 2.6, 0.0]] * 2)
    assert erfd.self_clearance(robot, [0, 1], folded).contacts
    pairs = (("link 1", "link 3"), ("link 4", "link 1"), ("link 4", "link 2"))
    assert not erfd.self_clearance(replace(robot, touching=pairs), [0, 1], folded).contacts
    short = arm(n=2)
    assert not len(OwnShapes.of(short).scene.pairs)


def test_shapes_that_touch_at_rest_are_left_out_and_named():
    robot = arm(radius=0.25)
    own = OwnShapes.of(robot)
    assert own.touching == (("link 1", "link 3"), ("link 2", "link 4"))
    assert not len(erfd.self_clearance(robot, [0, 1], [[0.0] * 4] * 2).contacts)
    high = replace(robot.joints[1], position_min=1.0, position_max=2.0)
    assert rest_position(replace(robot, joints=(robot.joints[0], high, *robot.joints[2:])))[1] == 1


def test_the_base_is_something_to_meet():
    base = Visual("sphere", (0.2,), erfd.Pose((0.0, 0.0, 0.0)))
    robot = replace(arm(), base_visuals=(base,), mount=erfd.Pose((1, 2, 3), (0.1, 0.2, 0.3)))
    folded = np.array([[0, 2.4, 1.5, 0.0]] * 2)
    found = erfd.self_clearance(robot, [0, 1], folded)
    base_contacts = [c for c in found.contacts if c.thing == "base"]
    assert {c.link for c in base_contacts} <= {"link 2", "link 3", "link 4"}
    moved = erfd.self_clearance(replace(robot, mount=erfd.Pose()), [0, 1], folded)
    assert [(c.link, c.thing) for c in moved.contacts] == [
        (c.link, c.thing) for c in found.contacts
    ]
    assert moved.smallest == pytest.approx(found.smallest, abs=1e-9)


def test_collision_shapes_count_before_visuals():
    robot = arm()
    thin = tuple(
        replace(link, collisions=(replace(link.visuals[0], size=(0.001, 0.3)),))
        for link in robot.links
    )
    near = np.array([[0, 2.9, 2.9, 0.0]] * 2)
    assert erfd.self_clearance(robot, [0, 1], near).contacts
    fold = np.array([[0, 1.7, 1.7, 0.0]] * 2)
    assert not erfd.self_clearance(replace(robot, links=thin), [0, 1], fold).contacts


def test_verify_names_the_line_and_the_time():
    text = "program p; seq move ptp joint(mainjoint(0,150,150,0)); endseq endprogram"
    from erfd.verification.checks import not_checked

    robot = arm()
    drive = erfd.Drive(torque_max=1e4, speed_max=100.0)
    joints = tuple(replace(j, velocity_max=2.0, acceleration_max=4.0) for j in robot.joints)
    robot = replace(robot, joints=joints, drives=(drive,) * 4, gravity=(0, 0, 0))
    found = erfd.verify(text, robot)
    assert not found.feasible
    assert [(c.link, c.thing) for c in found.contacts][:1] == [("link 3", "link 1")]
    assert found.verdict.startswith("not feasible: line 1: link 3 collides with link 1 at ")
    assert found.bad_lines == (1,)
    assert "collides with link 1" in erfd.report_page(found)
    assert "self-collision" not in found.not_checked_line
    assert found.not_checked[0] == "collisions with the surroundings not checked (no cell)"
    alone = list(not_checked(robot, None, itself=False))  # where links are not compared
    assert alone[0] == "collisions not checked (no cell)"
    bare = replace(robot, links=tuple(replace(link, visuals=()) for link in robot.links))
    box = Cell("box", (CellObject("box", Visual("box", (9.0, 9.0, 9.0))),))
    drawn = replace(robot, illustrative=("visual shapes",))
    assert not erfd.verify(text, drawn).contacts
    said = "self-collision not checked (the robot's shapes are illustrative)"
    assert said in list(not_checked(drawn, box))
    assert "self-collision not checked (the robot has no shapes)" in list(not_checked(bare, box))
