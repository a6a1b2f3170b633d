"""Errata 20-26: the demonstration program of 001 (its figure 8), point by point."""

from __future__ import annotations

import re

import numpy as np
import pytest

import erfd
from erfd.lirl import interpret, parse
from erfd.planning.plan import Plan
from support.arms import Witness
from support.demonstration import LISTING, Segment, angles, points, rotation
from support.errata_witness import LOLA, S0
from support.paths import EXAMPLES

# Lines 24-36 without speeds and options.
PROGRAM = """
move ptp s0
{move circle s1, s2
move circle s3, s4
move lin s5
move circle s6, s7
move lin s8
move lin s9
move circle s10, s11
move lin s12
move circle s13, s0
move ptp p0
move ptp joint(mainjoint(-115.70, 55.70, 68.70))
"""
REACH = 600.0 + float(np.hypot(115.0, 825.0))  # of the wrist centre from joint 2, mm
P_E = 1000 * np.array(LOLA.tool.xyz)


def angle_between(a: np.ndarray, b: np.ndarray) -> float:
    """The angle of the rotation from one orientation to another, degrees."""
    return float(np.degrees(np.arccos((np.trace(a.T @ b) - 1) / 2)))


def moves() -> list[list[str]]:
    """The continuous-path moves, each with the point it starts from."""
    result, here = [], "s0"
    for targets in re.findall(r"move (?:lin|circle) (.*)", PROGRAM):
        result.append([here, *targets.split(", ")])
        here = result[-1][-1]
    return result


def path(known: dict[str, np.ndarray]) -> tuple[list[Segment], np.ndarray]:
    """The segments, and the corners between them and at the closing point s0, degrees."""
    segments = [Segment.through([known[name] for name in move]) for move in moves()]
    following = [*segments[1:], segments[0]]
    cosines = [a.arriving @ b.leaving for a, b in zip(segments, following, strict=True)]
    return segments, np.degrees(np.arccos(np.clip(cosines, -1, 1)))


def test_20_height_of_s9() -> None:
    segments, corners = path(points(s9_lowered=False))
    radii = [segment.radius for segment in segments]
    sizes = [segment.size for segment in segments]
    # the arc over s6 is erratum 21
    assert radii[:3] + radii[4:] == pytest.approx([1562.783, 150, 0, 0, 0, 200, 0, 150], abs=1e-3)
    assert sizes[:3] + sizes[4:] == pytest.approx(
        [30, 135, 300, 173.205, 173.205, 90, 300, 135], abs=1e-3
    )
    assert corners[[0, 1, 5, 6, 7, 8]] == pytest.approx(np.zeros(6), abs=1e-3)
    assert corners[4] == pytest.approx(60, abs=1e-3)  # at s8, the one rounded by c_cp
    segments, corners = path(points(s9_lowered=True))  # as printed, 610 mm lower
    assert segments[5].size == pytest.approx(579.3, abs=0.1)
    assert segments[6].radius == pytest.approx(329.4, abs=0.1)
    assert corners[4:7] == pytest.approx([69.9, 120.0, 24.4], abs=0.1)


def test_21_s6_off_its_arc() -> None:
    known = points(s9_lowered=False)
    segments, corners = path(known)
    assert segments[3].radius == pytest.approx(200.68, abs=0.01)
    assert segments[3].size == pytest.approx(89.61, abs=0.01)
    assert corners[2:4] == pytest.approx([0.39, 0.39], abs=0.01)  # at s5 and s7
    # the arc that leaves s4-s5 and meets s7-s8 tangentially: 200 mm, 90 degrees
    a, b = known["s5"], known["s7"]
    t, end = segments[2].arriving, segments[4].leaving
    assert t @ end == pytest.approx(0, abs=1e-6)
    center = a + 200 * end
    assert center == pytest.approx(b - 200 * t, abs=1e-3)
    # a third of the way before its end this arc has s6 but for one digit: z = 873.6763
    exact = center + 200 * (np.sin(np.pi / 3) * t - np.cos(np.pi / 3) * end)
    assert known["s6"] - exact == pytest.approx([0, 0, -0.5], abs=2e-4)


def test_22_the_tip_is_programmed() -> None:
    """Forward kinematics with the tool p_e, and what is out of reach without it."""
    tip = erfd.forward_kinematics(LOLA, S0)
    known, oriented = points(s9_lowered=False), angles()
    rounding = 1000 * np.radians(0.05)  # half of the last digit of an angle at 1 m, mm
    assert np.linalg.norm(1000 * tip[:3, 3] - known["s0"]) < rounding
    bare = erfd.forward_kinematics(LOLA, S0, 6)
    assert np.linalg.norm(1000 * bare[:3, 3] - known["s0"]) > 380  # the wrist centre

    def spare(wrist: np.ndarray) -> float:
        return REACH - float(np.hypot(np.hypot(wrist[0], wrist[1]) - 200, wrist[2]))

    by_tip = {name: spare(known[name] - rotation(abc) @ P_E) for name, abc in oriented.items()}
    assert min(by_tip.values()) == pytest.approx(114.4, abs=0.1)  # s7
    bare_reach = {name: spare(point) for name, point in known.items()}
    assert {name for name, left in bare_reach.items() if left < 0} == {"s6", "s10"}
    assert [bare_reach["s6"], bare_reach["s10"]] == pytest.approx([-3.5, -10.3], abs=0.05)
    # between s5 and s7 the arm stretches most; how far depends on how angles are interpolated
    arc = Segment.through([known["s5"], known["s6"], known["s7"]])
    start, way = oriented["s5"], oriented["s7"] - oriented["s5"]
    by_angles = [
        spare(arc.point(known["s5"], t) - rotation(start + t * way) @ P_E)
        for t in np.linspace(0, 1, 501)
    ]
    assert min(by_angles) == pytest.approx(53.5, abs=0.1)


def test_23_orientation_angles() -> None:
    """A, B, C about z, the new y, the new x; the same numbers about x, y, z point elsewhere."""
    oriented = angles()
    reached = erfd.forward_kinematics(LOLA, S0)[:3, :3]
    assert angle_between(reached, rotation(oriented["s0"])) < 0.1
    assert angle_between(reached, rotation(oriented["s0"][::-1])) > 30
    for abc in oriented.values():
        forward, down = rotation(abc)[0, 2], -rotation(abc)[2, 2]
        assert forward > 0.3
        assert down > -1e-12
    # o_pco from s0 to s2: the turn that is left when the turn of the path is taken off
    known = points(s9_lowered=False)
    arc = Segment.through([known["s0"], known["s1"], known["s2"]])

    def on_path(name: str, tangent: np.ndarray) -> np.ndarray:
        frame = np.column_stack([tangent, np.cross(arc.normal, tangent), arc.normal])
        return frame.T @ rotation(oriented[name])

    left = angle_between(on_path("s0", arc.leaving), on_path("s2", arc.arriving))
    assert left == pytest.approx(15.55, abs=0.01)


def test_24_config_number_of_s0() -> None:
    """CONFIG 4 is printed at s0; in our code that is the flipped wrist, q5 < 0."""
    shoulder_back = erfd.forward_kinematics(LOLA, S0, 6)[:2, 3] @ [np.cos(S0[0]), np.sin(S0[0])] < 0
    wrist_flipped = S0[4] < 0
    # The elbow is up if joint 3 lies above the line from joint 2 to the wrist centre.
    frames = erfd.link_frames(LOLA, S0)[:, :3, 3]
    line, upper = frames[3] - frames[1], frames[2] - frames[1]
    outward = np.array([np.cos(S0[0]), np.sin(S0[0]), 0.0])
    elbow_down = line @ outward * upper[2] - line[2] * (upper @ outward) < 0
    assert 1 * shoulder_back + 2 * elbow_down + 4 * wrist_flipped == 4
    printed = {int(number) for number in re.findall(r"\)\), (\d)", LISTING)}
    assert printed == {4, 8}


def test_25_brace_and_missing_move() -> None:
    """The text runs 13 moves: PTP, nine CP, three PTP. As a comment the brace would leave one."""
    kinds = re.findall(r"move (\w+)", PROGRAM)
    assert kinds[0] == "ptp"
    assert sum(kind in ("lin", "circle") for kind in kinds) == len(moves()) == 9
    assert kinds[-2:] == ["ptp", "ptp"]
    assert len(kinds) == 12  # the third of the last PTP moves is cut off
    code = re.sub(r"\{[^}]*(\}|$)", "", PROGRAM)  # DIN 66312 comments; nothing closes this one
    assert re.findall(r"move (\w+)", code) == ["ptp"]


def planned(turning: str, dt: float = 0.01, down: float = 0.0) -> Plan:
    """The demonstration, its points lowered by `down` mm."""

    def lower(found: re.Match[str]) -> str:
        x, y, z = found[1].split(",")
        return f"({x},{y}, {float(z) - down})"

    text = (EXAMPLES / "lola15_demo.irl").read_text()
    lines = [
        re.sub(r"\((\d[^()]*)\)", lower, line, count=1) if "robtarg: s" in line else line
        for line in text.splitlines()
    ]
    return erfd.plan(LOLA, interpret(parse("\n".join(lines)), LOLA), dt, turning=turning)


def motor_needs(made: Plan) -> np.ndarray:
    """The torque that each motor needs in each cycle, as a part of what it has, (N - 1, 6).

    Pinocchio's inverse dynamics at the start of a cycle, virtual work (erratum 10), rotor inertia,
    friction that dissipates (erratum 9) at the velocity of the cycle's end.
    """
    witness, given = Witness(LOLA), made.trajectory
    qdd = np.diff(given.qd, axis=0) / given.dt
    rows = zip(given.q[:-1], given.qd[:-1], qdd, strict=True)
    gears = np.array(LOLA.gear_matrix)
    load = np.array([witness.inverse_dynamics(*row) for row in rows]) @ np.linalg.inv(gears)
    names = ("inertia", "load_friction", "coulomb", "viscous", "torque_max")
    inertia, part, coulomb, viscous, most = (
        np.array([getattr(drive, name) for drive in LOLA.drives]) for name in names
    )
    speed = given.qd[1:] @ gears.T
    friction = (part * np.abs(load) + coulomb) * np.sign(speed) + viscous * speed
    return np.abs(load + inertia * (qdd @ gears.T) + friction) / most


def test_26_even_turning_asks_too_much_at_junctions() -> None:
    even = planned("even")
    needs = motor_needs(even)
    assert 100 * needs.max(axis=0) == pytest.approx([260, 315, 160, 457, 467, 114], abs=1)
    over = np.flatnonzero((needs > 1).any(axis=1))
    assert len(over) == 8
    ends = np.array([move.end for move in even.moves[1:9]])
    for cycle in even.trajectory.t[1 + over]:  # the end of a cycle, two of which see a step
        assert np.abs(ends - cycle).min() < 2 * even.trajectory.dt
    smooth = planned("smooth")
    assert smooth.duration == pytest.approx(13.45)
    assert 0.7 < motor_needs(smooth).max() < 0.76
    fastest = np.abs(smooth.trajectory.qd).max(axis=0)
    beyond = fastest / [joint.velocity_max for joint in LOLA.joints]
    assert beyond[3:5] == pytest.approx([1.39, 1.05], abs=0.01)  # what is left to bend
    assert (np.delete(beyond, [3, 4]) < 1).all()
    text = (EXAMPLES / "lola15_demo.irl").read_text()
    said = erfd.plan(LOLA, interpret(parse(text), LOLA))
    assert (said.trajectory.q == even.trajectory.q).all()
    for dt in (0.008, 0.0095, 0.0105, 0.012):  # wherever the samples fall
        assert (motor_needs(planned("even", dt)).max(axis=0)[:5] > 1.4).all()


def test_26_all_heights_from_the_floor() -> None:
    lowered = planned("smooth", down=610.0)
    assert lowered.reachable
    as_it_is = planned("smooth")
    s0, s0_as_it_is = (made.poses[made.move == 9][-1, :3, 3] for made in (lowered, as_it_is))
    assert s0_as_it_is - s0 == pytest.approx([0.0, 0.0, 0.61], abs=1e-9)
    on_path = (lowered.move >= 1) & (lowered.move <= 9)
    nearest = np.degrees(np.abs(lowered.trajectory.q[on_path, 4])).min()
    assert nearest == pytest.approx(6, abs=1)
    needs = 100 * motor_needs(lowered).max(axis=0)
    assert needs[3:5] == pytest.approx([131, 118], abs=2)
    assert (np.delete(needs, [3, 4]) < 60).all()
