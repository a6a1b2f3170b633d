"""Errata 20-25: the demonstration program of 001 (its figure 8), point by point."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pytest

import erfd
from test_errata_witness import LOLA, S0

# Positions in mm and, where printed, the angles A, B, C in degrees and the CONFIG number.
LISTING = """
s0=((786.9329, 402.9624, 632.855), (15, -60, -175.03779)), 4
s1=position(850.5427, 0, 629.1809)
s2=((821.9198, -402.9624, 572.256), (-15, -60, -175.037)), 8
s3=position(819.1725, -441.6397, 566.7923)
s4=((1019.6465, -571.0567, 669.5612), (-40, -60, -90)), 8
s5=((1238.1590, -421.6189, 810.7015), (-20, -30, -90)), 4
s6=((1317.2706, -249.063, 873.1763), (-10, -45, -175.03779)), 8
s7=((1289.7405, -149.4378, 867.7698), (-5, -40, -175.03779)), 8
s8=((1208.2531, 0, 835.7050), (0, -30, -175.03779)), 8
s9=((1276.7658, 149.4378, 890.2428 - 610), (5, -45, -175.03779)), 8
s10=position(1295.6459, 249.063, 911.1313)
s11=((1201.5523, 421.6189, 874.1061), (10, -60, -175.03779)), 8
s12=((970.0649, 571.0567, 755.4388), (17, -60, -175.03779)), 8
s13=position(780.8275, 441.6398, 633.2077)
"""
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


def points(s9_lowered: bool) -> dict[str, np.ndarray]:
    result = {}
    for line in LISTING.strip().splitlines():
        name, _, rest = line.partition("=")
        x, y, z = (text.strip() for text in re.search(r"\(([-\d][^()]*)\)", rest)[1].split(","))
        height = float(z.split(" - ")[0]) - (610.0 if " - " in z and s9_lowered else 0.0)
        result[name] = np.array([float(x), float(y), height])
    return result


def angles() -> dict[str, np.ndarray]:
    rows = re.findall(r"(s\d+)=\(\(.*?\), \((.*?)\)\)", LISTING)
    return {name: np.array([float(x) for x in text.split(",")]) for name, text in rows}


def rotation(abc: np.ndarray) -> np.ndarray:
    """Rz(A) Ry(B) Rx(C), degrees."""
    (ca, cb, cc), (sa, sb, sc) = np.cos(np.radians(abc)), np.sin(np.radians(abc))
    rz = np.array([[ca, -sa, 0], [sa, ca, 0], [0, 0, 1]])
    ry = np.array([[cb, 0, sb], [0, 1, 0], [-sb, 0, cb]])
    rx = np.array([[1, 0, 0], [0, cc, -sc], [0, sc, cc]])
    return rz @ ry @ rx


def angle_between(a: np.ndarray, b: np.ndarray) -> float:
    """The angle of the rotation from one orientation to another, degrees."""
    return float(np.degrees(np.arccos((np.trace(a.T @ b) - 1) / 2)))


@dataclass
class Segment:
    """A line (radius 0) or an arc: size in mm or degrees, unit tangents at its ends."""

    radius: float
    size: float
    leaving: np.ndarray
    arriving: np.ndarray
    center: np.ndarray
    normal: np.ndarray

    @classmethod
    def through(cls, path: list[np.ndarray]) -> Segment:
        if len(path) == 2:
            way = path[1] - path[0]
            length = float(np.linalg.norm(way))
            return cls(0.0, length, way / length, way / length, path[0], np.zeros(3))
        a, b, c = path
        u, v = b - a, c - a
        n = np.cross(u, v)
        center = a + np.cross((u @ u) * v - (v @ v) * u, n) / (2 * n @ n)
        radius = float(np.linalg.norm(a - center))
        n = n / np.linalg.norm(n)
        start, end = (a - center) / radius, (c - center) / radius
        sweep = np.degrees(np.arctan2(np.cross(start, end) @ n, start @ end)) % 360
        return cls(radius, sweep, np.cross(n, start), np.cross(n, end), center, n)

    def point(self, start: np.ndarray, t: float) -> np.ndarray:
        angle = np.radians(self.size) * t
        e = start - self.center
        return self.center + np.cos(angle) * e + np.sin(angle) * np.cross(self.normal, e)


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
