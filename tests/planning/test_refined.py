"""Plans in parts of the controller's cycle: a step of velocity takes one cycle all the same."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.errors import InputError, RobotError
from erfd.planning.moves import JointTarget, Move, Pause, SetPayload
from erfd.planning.plan import Plan
from erfd.planning.planner import plan
from support.lola_moves import LOLA, READY, circle, lin, pose

HEAVY = erfd.Payload(5.0)


def program() -> Plan:
    """A corner that is passed with a step of velocity, a pause, a payload and a way home."""
    steps = [
        lin(pose(0.1), 1, c_speed=True),
        lin(pose(0.2, 0.0015), 2),
        SetPayload(HEAVY, 3),
        Pause(0.05, 4),
        circle(pose(0.25, 0.1), pose(0.3, 0.05), 5),
        Move("ptp", (JointTarget(tuple(READY.tolist())),), 6),
    ]
    return plan(LOLA, steps, q0=READY)


MADE = program()


def in_small_steps(made: Plan, parts: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions and velocities (N, n), one step after the other, as the definition says."""
    given, dt = made.trajectory, made.trajectory.dt / parts
    rates = list(given.qd)
    if given.qd[-1].any():
        rates.append(np.zeros(given.n))
    q, qd = [given.q[0]], [rates[0]]
    for before, after in pairwise(rates):
        for j in range(1, parts + 1):
            qd.append(before + (after - before) * j / parts)
            q.append(q[-1] + qd[-1] * dt)
    return np.array(q), np.array(qd)


@settings(max_examples=12, deadline=None)
@given(st.integers(2, 40))
def test_positions_are_the_sum_of_velocities_that_go_evenly(parts) -> None:
    fine = MADE.refined(parts).trajectory
    assert fine.dt == pytest.approx(MADE.trajectory.dt / parts, rel=1e-12)
    q, qd = (MADE.trajectory.q, MADE.trajectory.qd) if parts == 1 else in_small_steps(MADE, parts)
    assert np.abs(fine.q - q).max() < 1e-12
    assert np.abs(fine.qd - qd).max() < 1e-12


@settings(max_examples=12, deadline=None)
@given(st.integers(2, 40))
def test_accelerations_do_not_depend_on_the_parts(parts) -> None:
    """Those of a cycle of the controller hold in each part of it; at last it comes to rest."""
    given_, fine = MADE.trajectory, MADE.refined(parts).trajectory
    wanted = np.diff(given_.qd, axis=0) / given_.dt
    wanted = np.vstack([wanted, -given_.qd[-1:] / given_.dt])
    found = np.diff(fine.qd, axis=0) / fine.dt
    assert np.abs(found - np.repeat(wanted, parts, axis=0)).max() < 1e-8


@settings(max_examples=12, deadline=None)
@given(st.integers(2, 40))
def test_it_ends_where_the_plan_ends_and_is_late_by_half_a_cycle(parts) -> None:
    given_, made = MADE.trajectory, MADE.refined(parts)
    fine = made.trajectory
    assert (fine.q[0] == given_.q[0]).all()
    assert (fine.q[-1] == given_.q[-1]).all()
    assert np.abs(fine.qd[-1]).max() < 1e-15
    assert made.duration == pytest.approx(MADE.duration + given_.dt, abs=1e-12)
    assert made.moves[-1].end == pytest.approx(made.duration)
    # at most half a cycle late: between where the plan is now and half a cycle before
    late = given_.dt / 2 * (1 - 1 / parts)
    step = np.abs(np.diff(given_.qd, axis=0)).max() * given_.dt
    for i in range(6):
        there = np.interp(fine.t - late, given_.t, given_.q[:, i])
        assert np.abs(fine.q[:, i] - there).max() <= step / 4


@pytest.mark.parametrize("parts", [2, 5, 10])
def test_lines_moves_and_payloads_are_those_of_the_cycle(parts) -> None:
    made, count = MADE.refined(parts), len(MADE.trajectory)
    for name in ("lines", "move", "payloads"):
        given_, fine = list(getattr(MADE, name)), list(getattr(made, name))
        assert len(fine) == len(made.trajectory) == count * parts + 1
        assert fine[0] == given_[0]
        for k in range(1, count):
            assert fine[(k - 1) * parts + 1 : k * parts + 1] == [given_[k]] * parts
        assert fine[(count - 1) * parts + 1 :] == [given_[-1]] * parts
    assert set(made.payloads) == {None, HEAVY}
    assert made.notes == MADE.notes
    assert made.moves[:-1] == MADE.moves[:-1]


def test_frames_are_where_the_joints_are() -> None:
    """Averaged as the joints are: off by the square of a step only, and rotations."""
    made = MADE.refined(8)
    reached = erfd.forward_kinematics(LOLA, made.trajectory.q)
    steps = np.abs(np.diff(MADE.trajectory.q, axis=0)).max()
    assert np.abs(reached - made.poses).max() < 2 * steps**2
    r = made.poses[:, :3, :3]
    assert np.abs(r @ np.swapaxes(r, 1, 2) - np.eye(3)).max() < 1e-12


def test_another_tool_is_not_averaged_with_the_one_before() -> None:
    short = erfd.Pose((0.0, 0.0, 0.1))
    made = plan(LOLA, [lin(pose(0.1)), lin(pose(0.1), 2, tool=short)], q0=READY)
    fine = made.refined(5)
    for place, tool in ((0, LOLA.tool), (1, short)):
        own = fine.move == place
        base = erfd.forward_kinematics(LOLA, fine.trajectory.q[own])
        off = np.eye(4)
        off[:3, 3] = np.subtract(tool.xyz, LOLA.tool.xyz)
        assert np.abs(base @ off - fine.poses[own])[:, :3, 3].max() < 1e-4


def test_a_plan_that_ends_at_rest_gets_no_cycle_more() -> None:
    made = plan(LOLA, [lin(pose(0.1)), Pause(0.02, 2)], q0=READY)
    assert made.refined(4).duration == pytest.approx(made.duration, abs=1e-12)
    assert np.abs(made.refined(4).trajectory.q[-1] - made.trajectory.q[-1]).max() < 1e-15


@pytest.mark.parametrize("parts", [0, -1, 2.0, True, 10_001, "2"])
def test_parts_that_are_none(parts) -> None:
    with pytest.raises(InputError, match="parts: expected a whole number from 1 to 10000, found"):
        MADE.refined(parts)


def test_one_part_is_the_plan_itself_but_for_the_end() -> None:
    """Where it ends with a velocity, a cycle brings it to rest, as with any number of parts."""
    made = MADE.refined(1)
    assert MADE.trajectory.qd[-1].any()
    for name in ("q", "qd"):
        given_, fine = getattr(MADE.trajectory, name), getattr(made.trajectory, name)
        assert np.array_equal(fine[:-1], given_)
    assert np.array_equal(made.trajectory.q[-1], MADE.trajectory.q[-1])
    assert not made.trajectory.qd[-1].any()
    assert made.moves[-1].end == pytest.approx(made.duration)
    assert made.refined(1) is made


@pytest.mark.parametrize("seconds", [0.0, 9e-6, 0.11, float("nan")])
def test_cycle_times_that_no_controller_has(seconds) -> None:
    with pytest.raises(
        RobotError, match=r"cycle_time: expected a time from 1e-05 to 0\.1 s, found"
    ):
        replace(LOLA, cycle_time=seconds)
    assert LOLA.cycle_time == 0.01
