"""Laws of whole programs: random L-IRL programs of moves for several arms, planned from the text.

ERFD_EXAMPLES tries more of them (conftest).
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import erfd
from erfd.errors import InputError
from erfd.planning import move_chain as planner_chain
from erfd.planning import planner
from erfd.planning.moves import (
    Increment,
    JointIncrement,
    JointTarget,
    Move,
    Pause,
    PoseTarget,
    Step,
)
from erfd.planning.plan import Plan
from erfd.planning.planner import plan
from support.move_programs import ARMS, Arm, program, steps_of

numbers = st.integers(0, 2**32 - 1).map(np.random.default_rng)
cycles = st.sampled_from([0.0005, 0.001, 0.004, 0.01, 0.0137, 0.05])
QUICK = [name for name, arm in ARMS.items() if not arm.slow]


def tool_frames(robot: erfd.Robot, q: np.ndarray, tool: erfd.Pose) -> np.ndarray:
    """Where a tool is, without the planner's help."""
    flange, held = np.eye(4), np.eye(4)
    flange[:3, :3], flange[:3, 3] = robot.tool.rotation, robot.tool.xyz
    held[:3, :3], held[:3, 3] = tool.rotation, tool.xyz
    return erfd.forward_kinematics(robot, q) @ np.linalg.inv(flange) @ held


class Checked:
    """A plan with the steps that it comes from."""

    def __init__(self, arm: Arm, steps: list[Step], dt: float):
        self.robot = arm.robot
        self.made = plan(arm.robot, steps, dt, q0=arm.q0)
        self.steps = [step for step in steps if isinstance(step, Move | Pause)]
        self.dt, self.q = dt, self.made.trajectory.q
        self.tools: list[erfd.Pose] = []
        for step in self.steps:  # who waits keeps the tool
            held = self.tools[-1] if self.tools else arm.robot.tool
            if isinstance(step, Move):
                held = arm.robot.tool if step.tool is None else step.tool
            self.tools.append(held)

    def check(self) -> None:
        if not self.steps:
            return
        self.check_samples()
        self.check_ends()
        for first, last in self.chains():
            overlap = any(m.blend == "c_ptp" for m in self.made.moves[first : last + 1])
            kinds = {getattr(step, "kind", "wait") for step in self.steps[first : last + 1]}
            if kinds == {"ptp"}:  # chains of both: nothing is promised where their ramps overlap
                self.check_ptp(first, last)
            elif self.made.reachable and not overlap:  # else paths begin where none ended
                self.check_speed(first, last)

    def chains(self) -> list[tuple[int, int]]:
        """First and last of the moves from stop to stop."""
        stops = [k for k, move in enumerate(self.made.moves) if move.blend == "stop"]
        return [(a + 1, b) for a, b in zip([-1, *stops[:-1]], stops, strict=True)]

    def check_samples(self) -> None:
        """Finite, in the order of the moves, each within the time of its own."""
        made, t, place = self.made, self.made.trajectory.t, self.made.move
        assert len(made.moves) == len(self.steps)
        assert np.isfinite(self.q).all()
        assert np.isfinite(made.poses).all()
        assert np.abs(t - self.dt * np.arange(len(t))).max() < 1e-9
        assert (np.diff(place) >= 0).all()
        assert (made.lines == np.array([step.line for step in self.steps])[place]).all()
        times = np.array([(move.start, move.end) for move in made.moves])
        assert (np.diff(times.ravel()) > -1e-9).all()
        assert (t[1:] > times[place[1:], 0] - 1e-9).all()
        assert (t[1:] < times[place[1:], 1] + 1e-9).all()
        assert times[-1, 1] == pytest.approx(t[-1], abs=1e-9)
        if made.reachable:
            for k, tool in enumerate(self.tools):
                own = place == k
                gap = np.abs(tool_frames(self.robot, self.q[own], tool) - made.poses[own])
                assert gap.max(initial=0.0) < 1e-9

    def check_ends(self) -> None:
        """Where a move stops the robot is at its target, at a sample."""
        for step, move, tool in zip(self.steps, self.made.moves, self.tools, strict=True):
            if isinstance(step, Pause) or move.blend != "stop":
                continue
            at = round(move.end / self.dt)
            assert move.end == pytest.approx(at * self.dt, abs=1e-9)
            target = step.targets[-1]
            if not self.made.reachable or step.angle is not None:
                continue
            if isinstance(target, JointTarget) and step.kind == "ptp":
                assert np.abs(self.q[at] - target.joints).max() < 1e-9
            elif isinstance(target, PoseTarget):
                pose = tool_frames(self.robot, self.q[at], tool)
                turn, place = np.eye(3), np.zeros(3)
                if step.frame is not None:
                    turn, place = np.array(step.frame.rotation), np.array(step.frame.xyz)
                wanted = turn @ target.position + place
                assert np.abs(pose[:3, 3] - wanted).max() < 2e-9  # points within 1e-9 are one
                if target.rotation is not None and self.robot.n >= 6:
                    assert np.abs(pose[:3, :3] - turn @ np.array(target.rotation)).max() < 1e-9

    def rows(self, first: int, last: int) -> np.ndarray:
        """The samples of moves, with the one before them."""
        start, end = np.searchsorted(self.made.move, [first, last + 1])
        return np.arange(max(start - 1, 0), end)

    def check_ptp(self, first: int, last: int) -> None:
        """Limits of axes and rotors are kept, where only point-to-point moves overlap."""
        q = self.q[self.rows(first, last)]
        if not len(q):  # nothing moves
            return
        still = np.vstack([*[q[:1]] * 3, q, *[q[-1:]] * 3])
        rates = [np.diff(still, order, axis=0) / self.dt**order for order in (1, 2, 3)]
        moves = self.steps[first : last + 1]
        speed, acc = (max(getattr(m, name) for m in moves) for name in ("speed_ptp", "acc_ptp"))
        joints, drives = self.robot.joints, self.robot.drives
        rounding = 1e-15 * (1 + np.abs(q).max()) * np.array([2, 4, 8])
        rounding /= self.dt ** np.arange(1, 4)  # of q, seen through the differences
        shares = {"velocity_max": speed, "acceleration_max": acc, "jerk_max": 1.0}
        for rate, (name, share), slack in zip(rates, shares.items(), rounding, strict=True):
            limit = share * np.array([getattr(joint, name) for joint in joints])
            assert (np.abs(rate) <= limit * (1 + 1e-9) + slack).all()
        gears = np.array(self.robot.gear_matrix)
        limit = speed * np.array([drive.speed_max for drive in drives] or [math.inf] * len(joints))
        slack = rounding[0] * np.abs(gears).sum(axis=1)
        assert (np.abs(rates[0] @ gears.T) <= limit * (1 + 1e-9) + slack).all()

    def check_speed(self, first: int, last: int) -> None:
        """Path moves are never faster than the fastest of those that a cycle is part of."""
        speeds = np.array([getattr(step, "speed", 0.0) for step in self.steps])
        rows, p = self.rows(first, last), self.made.poses[:, :3, 3]
        place = self.made.move[rows]
        place[:1] = first  # from where the chain begins
        fastest = speeds[place]
        for k in np.flatnonzero(np.diff(place)):
            fastest[k + 1] = speeds[place[k] : place[k + 1] + 1].max()
        one_tool = [self.tools[k] == self.tools[first] for k in self.made.move[rows]]
        steps = np.linalg.norm(np.diff(p[rows], axis=0), axis=1)
        assert (steps <= fastest[1:] * self.dt * (1 + 1e-9) + 1e-14)[one_tool[:-1]].all()


@settings(max_examples=50, deadline=None)
@given(numbers, st.sampled_from(QUICK), cycles, st.integers(1, 6), st.booleans())
def test_programs(rng, name, dt, count, wild) -> None:
    arm = ARMS[name]
    plan_or_refuse(arm, steps_of(program(rng, arm, count, wild), arm.robot), dt, 10_000)


@settings(max_examples=6, deadline=None)
@given(numbers, st.sampled_from(sorted({*ARMS} - {*QUICK})), st.booleans())
def test_programs_of_arms_without_a_closed_form(rng, name, wild) -> None:
    """Three, four and seven axes; few and coarse samples, since each takes its time."""
    arm = ARMS[name]
    plan_or_refuse(arm, steps_of(program(rng, arm, 2, wild), arm.robot), 0.05, 120)


def plan_or_refuse(arm: Arm, steps: list[Step], dt: float, longest: int) -> None:
    """Planned within the laws, or refused with its line; never anything else.

    With at most so many cycles: hours of motion would say no more.
    """
    with pytest.MonkeyPatch.context() as patch:
        for module in (planner, planner_chain):
            patch.setattr(module, "LONGEST", longest)
        try:
            checked = Checked(arm, steps, dt)
        except InputError as error:
            if not str(error).startswith("line "):
                raise
        else:
            checked.check()


def largest_step(made: Plan) -> float:
    """The largest step of a joint's velocity, those at reported corners left out; rad/s."""
    dt = made.trajectory.dt
    steps = np.abs(np.diff(np.vstack([made.trajectory.qd, np.zeros(made.trajectory.n)]), axis=0))
    reported = {note.line for note in made.notes if note.kind == "corner"}
    for move in made.moves:
        if move.line in reported and move.blend != "stop":
            k = round(move.end / dt)
            steps[max(k - 3, 0) : k + 3] = 0.0
    return float(steps.max())


@settings(max_examples=6, deadline=None)
@given(numbers, st.sampled_from(["lola15", "puma560", "stanford", "with jerk limits"]))
def test_velocities_are_continuous_but_at_reported_corners(rng, name) -> None:
    """A fourth of the cycle, less than half of the largest step of joint velocity."""
    check_continuity(rng, ARMS[name], 0.002, 4)


@settings(max_examples=2, deadline=None)
@given(numbers, st.sampled_from(["sdt4", "seven"]))
def test_velocities_of_redundant_arms_are_continuous(rng, name) -> None:
    check_continuity(rng, ARMS[name], 0.01, 2)


def check_continuity(rng: np.random.Generator, arm: Arm, dt: float, count: int) -> None:
    steps = steps_of(program(rng, arm, count, False), arm.robot)
    coarse = plan(arm.robot, steps, dt, q0=arm.q0)
    assume(coarse.reachable)
    fine = plan(arm.robot, steps, dt / 4, q0=arm.q0)
    assume(fine.reachable)
    assume(not any(note.kind == "singularity" for note in fine.notes))
    before, after = largest_step(coarse), largest_step(fine)
    assume(before < 150 * dt)  # rad/s2: too near to a singularity to be told from a step
    if after >= 0.5 * before + 5 * dt / 4:  # 5 rad/s2 are no step
        # a corner rounded within a few cycles is only seen with shorter ones
        finest = largest_step(plan(arm.robot, steps, dt / 16, q0=arm.q0))
        assert finest < 0.5 * after + 5 * dt / 16


def size(rng: np.random.Generator) -> float:
    """Of anything from the smallest number on."""
    least = [5e-324, 10.0 ** rng.uniform(-320, -15), 10.0 ** rng.uniform(-14, 0)]
    return float(rng.choice(least, p=[0.1, 0.1, 0.8]))


def any_target(rng: np.random.Generator, arm: Arm, start: np.ndarray) -> object:
    n = arm.robot.n
    step = rng.normal(size=3) * size(rng)
    axes = rng.normal(size=n) * np.array([size(rng) for _ in range(n)]) * (rng.random(n) < 0.6)
    turn = start[:3, :3] @ Rotation.from_rotvec(rng.normal(size=3) * size(rng)).as_matrix()
    rotation = tuple(map(tuple, turn.tolist())) if rng.random() < 0.5 else None
    made = [
        PoseTarget(tuple((start[:3, 3] + step).tolist()), rotation),
        Increment(tuple(step.tolist()), None, "base"),
        JointIncrement(tuple(axes.tolist())),
        JointTarget(tuple(axes.tolist())),
    ]
    return made[rng.integers(4)]


@settings(max_examples=60, deadline=None)
@given(numbers, st.sampled_from(QUICK), st.sampled_from([0.0005, 0.01, 0.05, 1.0]))
def test_sizes_without_sense(rng, name, dt) -> None:
    """Moves from 5e-324 m on, speeds from 1e-9 to 1e6: planned within the laws, or refused."""
    arm = ARMS[name]
    start = erfd.forward_kinematics(arm.robot, arm.q0)
    moves = []
    for line in range(1, rng.integers(2, 6)):
        kind = ("ptp", "lin", "circle")[rng.integers(3)]
        targets = [any_target(rng, arm, start) for _ in range(1 + (kind == "circle"))]
        options = {
            **{word: 10.0 ** rng.uniform(-9, 6) for word in ("speed", "acc", "speed_ori", "angle")},
            **{word: 10.0 ** rng.uniform(-9, 0) for word in ("speed_ptp", "acc_ptp")},
            "acc_ori": 10.0 ** rng.uniform(-9, 6),
            "c_cp": float(rng.choice([5e-324, 10.0 ** rng.uniform(-12, 3), 1e300])),
        }
        given_ = {word: value for word, value in options.items() if rng.random() < 0.4}
        style = ({"c_ptp": True}, {"c_speed": True}, {})[rng.integers(3)]
        moves.append(Move(kind, tuple(targets), line, f"p{line}", **given_, **style))
    plan_or_refuse(arm, moves, dt, 1000)


@pytest.mark.parametrize("word", ["tool", "frame"])
def test_frames_out_of_this_world_are_refused(word) -> None:
    arm = ARMS["lola15"]
    move = Move("lin", (Increment((0.1, 0.0, 0.0)),), 3, **{word: erfd.Pose((1e300, 0.0, 0.0))})
    with pytest.raises(InputError, match=f"line 3: {word}: expected a position within 1e\\+06 m"):
        plan(arm.robot, [move], q0=arm.q0)


def test_a_path_that_leaves_the_reach_at_once_is_a_failure() -> None:
    """The chord between two points that a stretched arm reaches."""
    arm = ARMS["centrifuge3"]
    start, end = (erfd.forward_kinematics(arm.robot, [q1, 0.4, 0.5])[:3, 3] for q1 in (0.2, 0.45))
    assert np.linalg.norm(start - end) > 1
    move = Move("lin", (PoseTarget(tuple(end.tolist())),), 1, "end", speed=5.0, acc=20.0)
    (failure,) = plan(arm.robot, [move], 0.05, q0=arm.q0).failures
    assert (failure.line, failure.kind) == (1, "path")


def test_few_joints_step_in_the_axes_of_the_tool_as_it_is() -> None:
    """A position is reached with some orientation: whatever it is, the next step goes along it."""
    arm = ARMS["sdt4"]
    start = erfd.forward_kinematics(arm.robot, arm.q0)
    there = PoseTarget(tuple((start[:3, 3] + [-0.1, 0.1, -0.05]).tolist()))
    for kind, options in (("lin", {}), ("lin", {"c_speed": True}), ("ptp", {})):
        moves = [Move(kind, (there,), 1, **options), Move("lin", (Increment((0, 0, 0.02)),), 2)]
        made = plan(arm.robot, moves, 0.002, q0=arm.q0)
        assert made.reachable
        stood = made.poses[made.lines == 1][-1, :3, 2]
        assert np.abs(stood - start[:3, 2]).max() > 0.05
        step = made.poses[-1, :3, 3] - there.position
        assert step == pytest.approx(0.02 * stood, abs=1e-4 if options else 1e-9)  # on the way


def test_a_corner_rounded_within_a_tenth_of_a_millimetre_is_no_step() -> None:
    """The tool slows down as far as the bend asks for: no cycle sees more than `acc`."""
    arm = ARMS["lola15"]
    options = {"speed": 0.2, "acc": 1.0, "c_cp": 1e-4}
    ways = [(0.1, 0.0, 0.0), (0.0, 0.1, 0.0)]
    moves = [
        Move("lin", (Increment(way, None, "base"),), line, **options)
        for line, way in enumerate(ways, 1)
    ]
    for dt in (0.01, 0.0001):
        made = plan(arm.robot, moves, dt, q0=arm.q0)
        assert not made.notes
        steps = np.linalg.norm(np.diff(made.poses[:, :3, 3], 2, axis=0), axis=1)
        assert steps.max() <= 1.0 * dt**2 * (1 + 1e-6) + 1e-15
