"""Clearance on a motion: the same whatever the step, against closed forms and dense sampling."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.cell import Cell, CellObject, clearance, motion_clearance
from erfd.cell import motion_clearance as module_or_function
from erfd.cell.contact import TOUCH
from erfd.errors import InputError
from erfd.robot.model import Visual
from erfd.robot.pose import Pose
from support.random_cells import BALL, random_cell, random_plan, with_needle

ARMS = {name: with_needle(erfd.load(name)) for name in ("lola15", "stanford")}
PARTS = (20, 10, 4, 2, 1)
"""Steps of 0.5, 1, 2.5, 5 and 10 ms."""


def ball_arm(*more: Visual, radius: float = 0.1) -> erfd.Robot:
    """One joint about z; a ball at 1 m from the axis, and what else its link has."""
    ball = Visual("sphere", (radius,))
    return erfd.Robot(
        "ball", (erfd.Joint("turn", a=1.0),), (erfd.Link("arm", 1.0, visuals=(ball, *more)),)
    )


def turn(seconds: float, step: float, speed: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """A turn of the one joint at a speed in rad/s."""
    t = np.arange(round(seconds / step) + 1) * step
    return t, speed * t[:, None]


@settings(deadline=None)
@given(st.floats(0.1, 3.0), st.floats(-0.2, 0.2), st.sampled_from([0.0005, 0.01, 0.1, 0.25]))
def test_the_smallest_distance_is_that_of_the_closed_form(angle, off, step):
    """A ball of 2 mm passes one of 0.5 mm on an arc, between the samples or not."""
    place = Pose((np.cos(angle) * (1 + off), np.sin(angle) * (1 + off), 0.0))
    t, q = turn(3.5, step)
    found = motion_clearance(
        ball_arm(radius=0.001), Cell("c", (CellObject("x", BALL, place),)), t, q
    )
    expected = abs(off) - 0.00125
    if expected <= 0:
        (contact,) = found.contacts
        assert contact.start <= angle + 1e-3
        assert contact.end >= angle - 1e-3
        assert contact.depth == pytest.approx(-expected, abs=1e-3)
    elif expected > 2 * TOUCH:
        assert not found.contacts
        # GJK's tolerance is 1e-6
        assert -2e-6 <= found.smallest - expected <= max(1e-4, 0.005 * expected) + 2e-6
        near = found.nearest
        assert np.linalg.norm(np.subtract(*near.points)) == pytest.approx(near.distance, abs=2e-6)


def pairs(found):
    """Which link and thing touch."""
    return {(contact.link, contact.thing) for contact in found.contacts}


@settings(max_examples=6, deadline=None)
@given(st.sampled_from(sorted(ARMS)), st.integers(0, 2**31))
def test_what_touches_does_not_depend_on_the_step(name, seed):
    """From 0.5 to 10 ms; and it is what dense sampling finds, but for what falls between."""
    rng, robot = np.random.default_rng(seed), ARMS[name]
    planned = random_plan(robot, rng)
    cell = random_cell(robot, planned, rng)
    motions = [planned.refined(parts).trajectory for parts in PARTS]
    found = [motion_clearance(robot, cell, motion.t, motion.q) for motion in motions]
    assert len({frozenset(pairs(each)) for each in found}) == 1
    smallest = np.array([each.smallest for each in found])
    if not found[0].contacts:
        room = max(1e-4, 0.005 * smallest.max())
        assert np.ptp(smallest) <= room
    # in between by another way than the library's: straight, at 0.25 ms
    fine = motions[0]
    x = np.linspace(0, len(fine) - 1, 2 * len(fine) - 1)
    dense = np.column_stack([np.interp(x, np.arange(len(fine)), column) for column in fine.q.T])
    sampled = clearance(robot, cell, dense)
    assert pairs_of_poses(sampled) <= pairs(found[0])
    assert sampled.smallest >= smallest.min() - max(1e-4, 0.005 * smallest.min()) - TOUCH
    for link, thing in pairs(found[0]):
        alone = [replace(b, visuals=b.visuals if b.name == link else ()) for b in robot.links]
        only = Cell("one", tuple(each for each in cell.things if each.name == thing))
        near = clearance(replace(robot, links=tuple(alone)), only, dense)
        assert near.smallest < 1e-3  # what it can go by in 0.25 ms


def pairs_of_poses(found):
    """Which link and thing touch at some of the poses."""
    return {(found.links[link], found.things[thing]) for _, link, thing in found.touching.tolist()}


def test_there_are_cells_of_both_kinds_among_them():
    free = []
    for seed in range(12):
        rng, robot = np.random.default_rng(seed), ARMS["lola15"]
        planned = random_plan(robot, rng)
        motion = planned.trajectory
        cell = random_cell(robot, planned, rng)
        free.append(not motion_clearance(robot, cell, motion.t, motion.q).contacts)
    assert set(free) == {True, False}


@pytest.mark.parametrize("step", [0.0005, 0.01, 0.1])
def test_contacts_begin_and_end_when_the_closed_form_says(step):
    post = CellObject("post", Visual("cylinder", (0.1, 1.0)), Pose((0.0, 1.0, 0.0)))
    (contact,) = motion_clearance(ball_arm(), Cell("c", (post,)), *turn(3.0, step)).contacts
    half = 2 * np.arcsin(0.1)  # in touch while the chord to the post is below 0.2 m
    assert contact.start == pytest.approx(np.pi / 2 - half, abs=2e-4)
    assert contact.end == pytest.approx(np.pi / 2 + half, abs=2e-4)
    assert contact.depth == pytest.approx(0.2, abs=1e-3)


def test_all_that_touches_at_the_same_time_is_told():
    """Two shapes of one link, two things: as poses and as a motion."""
    robot = ball_arm(Visual("sphere", (0.05,), Pose((-0.4, 0.0, 0.0))))
    things = [
        CellObject(f"{r}", Visual("sphere", (0.02,)), Pose((0.0, r, 0.0))) for r in (1.0, 0.6)
    ]
    t, q = turn(3.0, 0.01)
    cell = Cell("c", tuple(things))
    for found in (
        motion_clearance(robot, cell, t, q).contacts,
        clearance(robot, cell, q).contacts(t),
    ):
        assert {contact.thing for contact in found} == {"1.0", "0.6"}
        assert len(found) == 2
        assert max(c.start for c in found) < np.pi / 2 < min(c.end for c in found)
        depths = {c.thing: c.depth for c in found}
        assert depths == pytest.approx({"1.0": 0.12, "0.6": 0.07}, abs=1e-3)


def test_a_pair_that_touches_twice_has_two_contacts():
    t = np.arange(301) * 0.01
    q = np.pi * np.sin(np.pi * t / 3)[:, None]  # there and back
    post = CellObject("post", Visual("sphere", (0.05,)), Pose((0.0, 1.0, 0.0)))
    found = motion_clearance(ball_arm(), Cell("c", (post,)), t, q)
    assert len(found.contacts) == 2
    assert found.contacts[0].end < 1.5 < found.contacts[1].start
    assert len(found.approaches) == 1


def test_long_motions_are_looked_at_in_parts(monkeypatch):
    robot = ARMS["lola15"]
    rng = np.random.default_rng(0)
    planned = random_plan(robot, rng)
    motion, cell = planned.trajectory, random_cell(robot, planned, rng)
    whole = motion_clearance(robot, cell, motion.t, motion.q)
    monkeypatch.setitem(module_or_function.__globals__, "PIECES", 17)
    told = []
    parts = motion_clearance(robot, cell, motion.t, motion.q, progress=told.append)
    assert pairs(parts) == pairs(whole) != set()
    for one, other in zip(parts.contacts, whole.contacts, strict=True):
        assert [one.start, one.end] == pytest.approx([other.start, other.end], abs=2e-4)
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_a_robot_that_stands_still():
    robot, t = ball_arm(), np.arange(500) * 0.01
    still = np.zeros((500, 1))
    for x, touches in ((1.3, False), (1.1, True)):
        cell = Cell("c", (CellObject("b", Visual("sphere", (0.05,)), Pose((x, 0.0, 0.0))),))
        found = motion_clearance(robot, cell, t, still)
        assert found.smallest == pytest.approx(x - 1.15, abs=2e-6)
        assert [(c.start, c.end) for c in found.contacts] == ([(0.0, 4.99)] if touches else [])
        assert motion_clearance(robot, cell, t[:1], still[:1]).smallest == found.smallest


def test_nothing_to_meet():
    post = CellObject("post", Visual("sphere", (0.3,)), Pose((1.0, 0.0, 0.0)), touching=("arm",))
    for cell in (Cell(), Cell("c", (post,))):
        found = motion_clearance(ball_arm(), cell, *turn(1.0, 0.01))
        assert (found.smallest, found.nearest, found.contacts) == (np.inf, None, ())


@pytest.mark.parametrize(
    ("t", "q", "sentence"),
    [
        ([0.0, 0.0], [[0.0], [1.0]], "t: expected increasing times, found 0 and 0"),
        ([0.0], [[0.0], [1.0]], "t: expected shape"),
        ([0.0, 1.0], [[0.0], [np.nan]], "q: "),
        ([0.0, 1.0], [[0.0, 1.0]], "q: expected shape"),
    ],
)
def test_arguments(t, q, sentence):
    with pytest.raises(InputError, match=sentence):
        motion_clearance(ball_arm(), Cell(), t, q)
