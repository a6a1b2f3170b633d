"""The joints between the samples, and the bound on how far a shape moves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.cell.joint_curve import JointCurve, furthest_ways
from erfd.mechanics.kinematics import link_frames
from support.random_cells import random_plan

ARMS = [erfd.load(name) for name in ("lola15", "stanford", "sdt4", "two_link")]


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(ARMS), st.integers(0, 2**31))
def test_no_point_goes_further_than_the_bound(robot, seed):
    """Points in a sphere on each link, between any two places of a wild motion."""
    rng = np.random.default_rng(seed)
    t, q = np.arange(8) * 0.01, rng.uniform(-1, 1, (8, robot.n)) * rng.choice([1.0, 0.05])
    curve = JointCurve.of(t, q)
    frames, middle, reach = link_frames(robot, curve.knots), rng.normal(0, 0.3, 3), 0.2
    x = np.sort(rng.uniform(0, len(curve), 40))
    moved = link_frames(robot, curve.at(x))
    directions = rng.normal(size=(20, 3))
    points = middle + reach * directions / np.linalg.norm(directions, axis=1)[:, None]
    for link in range(robot.n):
        frame = frames[:, link + 1]
        centers = (frame[:, :3, :3] @ middle + frame[:, :3, 3])[None]
        ways = furthest_ways(robot, link, centers, np.array([reach]), frames, curve.rates())[0]
        way = np.interp(x, np.arange(len(ways)), ways)
        at = moved[:, link + 1]
        places = np.einsum("kij,pj->kpi", at[:, :3, :3], points) + at[:, None, :3, 3]
        gone = np.linalg.norm(places[:, None] - places[None], axis=-1).max(axis=-1)
        assert (gone <= np.abs(way[:, None] - way[None]) + 1e-12).all()


def test_it_is_one_curve_whatever_the_step():
    """Of a plan in finer steps: its cycles' knots are on the curve of every refinement."""
    planned = random_plan(ARMS[0], np.random.default_rng(1))
    coarse = JointCurve.of(planned.trajectory.t, planned.trajectory.q)
    for parts in (2, 4, 20):
        fine = planned.refined(parts).trajectory
        curve = JointCurve.of(fine.t, fine.q)
        # the cycle's knots are knots here, too, but for where the motion begins
        inner = coarse.knots[2:-1]
        apart = np.abs(inner[:, None] - curve.knots[None]).max(axis=2).min(axis=1)
        assert apart.max() < 1e-12


def test_it_goes_through_the_middles_and_ends():
    t, q = np.array([0.0, 0.1, 0.2, 0.4]), np.array([[0.0], [1.0], [3.0], [2.0]])
    curve = JointCurve.of(t, q)
    assert curve.at(np.arange(5.0))[:, 0] == pytest.approx([0.0, 0.5, 2.0, 2.5, 2.0])
    assert curve.time(np.arange(5.0)) == pytest.approx([0.0, 0.05, 0.15, 0.3, 0.4])
    # a sample is off the curve by an eighth of the change of the step, here from 1 to 2
    assert curve.at(np.array([1.5]))[0, 0] == pytest.approx(1.0 + (2.0 - 1.0) / 8)
    part = curve.part(1, 3)
    assert part.at(np.array([0.25]))[0, 0] == curve.at(np.array([1.25]))[0, 0]
