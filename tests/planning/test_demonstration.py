"""The demonstration of 001 as planned: its moves by hand, its geometry, an independent motion."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import erfd
from erfd.planning.moves import JointTarget, Move, PoseTarget
from erfd.planning.path import segments as segments_of_courses
from erfd.planning.plan import Plan
from erfd.planning.planner import plan
from support.arms import Witness
from support.demonstration import Segment, angles, points, rotation
from support.errata_witness import LOLA
from support.paths import EXAMPLES

POINTS = {name: point / 1000 for name, point in points(s9_lowered=False).items()}
ANGLES = angles()
CONFIGS = {"s0": 4, "s5": 4}
DT = 0.01
# lines 26 to 34: targets, speed mm/s, acceleration mm/s2, orientation, and how each ends
PATH = [
    ("s1 s2", 760, 1000, "o_pco", "c_speed"),
    ("s3 s4", 350, 1000, "o_pvo", "c_speed"),
    ("s5", 460, 1000, "o_var", "c_speed"),
    ("s6 s7", 300, 800, "o_var", "c_speed"),
    ("s8", 227.7, 900, "o_var", "c_cp"),
    ("s9", 225, 900, "o_var", "c_speed"),
    ("s10 s11", 695, 1200, "o_var", "c_speed"),
    ("s12", 620, 1200, "o_var", "c_speed"),
    ("s13 s0", 570, 1000, "o_var", "stop"),
]


def target(name: str) -> PoseTarget:
    turned = tuple(map(tuple, rotation(ANGLES[name]).tolist())) if name in ANGLES else None
    return PoseTarget(tuple(POINTS[name].tolist()), turned, CONFIGS.get(name, 8))


def demonstration() -> list[Move]:
    """Lines 24 to 36 of the listing, and the way home that is cut off."""
    moves = [Move("ptp", (target("s0"),), 24, "s0", speed_ptp=0.6, c_ptp=True, names=("s0",))]
    for line, (text, speed, acc, mode, end) in enumerate(PATH, 26):
        names = tuple(text.split())
        ending = {"c_speed": {"c_speed": True}, "c_cp": {"c_cp": 0.15}, "stop": {}}[end]
        moves.append(
            Move(
                "circle" if len(names) == 2 else "lin",
                tuple(target(name) for name in names),
                line,
                names[-1],
                speed=speed / 1000,
                acc=acc / 1000,
                c_ori=mode,
                names=names,
                **ending,
            )
        )
    far = tuple(np.radians([-115.70, 55.70, 68.70]).tolist())
    for line, joints in enumerate(((0.0,) * 5, far, (0.0,) * 5), 35):
        moves.append(Move("ptp", (JointTarget(joints),), line, "p"))
    return moves


@pytest.fixture(scope="module")
def made() -> Plan:
    return plan(LOLA, demonstration(), DT)


def segments() -> list[Segment]:
    result, here = [], "s0"
    for text, *_ in PATH:
        names = [here, *text.split()]
        result.append(Segment.through([1000 * POINTS[name] for name in names]))
        here = names[-1]
    return result


def test_geometry_of_erratum_20(made: Plan) -> None:
    radii = [1562.8, 150.0, 0, None, 0, 0, 200.0, 0, 150.0]
    sizes = [30.0, 135.0, 300.0, None, 173.205, 173.205, 90.0, 300.0, 135.0]
    path = made.moves[1:10]
    for move, radius, size in zip(path, radii, sizes, strict=True):
        if radius is None:  # over s6, erratum 21
            assert 1000 * move.radius == pytest.approx(200.7, abs=0.05)
            assert math.degrees(move.angle) == pytest.approx(89.61, abs=0.01)
            continue
        assert 1000 * move.radius == pytest.approx(radius, abs=0.05)
        if radius:
            assert math.degrees(move.angle) == pytest.approx(size, abs=0.01)
        else:
            assert 1000 * move.length == pytest.approx(size, abs=0.05)
    corners = [math.degrees(move.corner) for move in path]
    assert corners == pytest.approx([0, 0, 0.39, 0.39, 60, 0, 0, 0, 0], abs=0.01)
    assert [m.blend for m in path] == [end for *_, end in PATH]
    assert 1000 * path[4].reach == pytest.approx(86.6, abs=0.01)  # half of 173.2, not 150


def test_samples_show_that_geometry(made: Plan) -> None:
    """Circles and lines through the planned tool points, off the ramp at s0 and the corner s8."""
    p = 1000 * made.poses[:, :3, 3]
    for k, segment in enumerate(segments(), 1):
        own = p[made.move == k]
        if k == 1:
            own = own[np.linalg.norm(own - 1000 * POINTS["s0"], axis=1) > 290]  # 760^2 / 2000
        if k in (5, 6):
            own = own[np.linalg.norm(own - 1000 * POINTS["s8"], axis=1) > 86.61]
        assert len(own) > 20
        if segment.radius:
            u, v = own[0] - own[len(own) // 2], own[-1] - own[len(own) // 2]
            n = np.cross(u, v)
            center = own[len(own) // 2] + np.cross((u @ u) * v - (v @ v) * u, n) / (2 * n @ n)
            center = center if k > 1 else segment.center  # too short an arc to find it so
            assert np.linalg.norm(center - segment.center) < 1e-3
            assert (
                np.abs(np.linalg.norm(own - segment.center, axis=1) - segment.radius).max() < 1e-6
            )
            assert np.abs((own - segment.center) @ segment.normal).max() < 1e-6
        else:
            off = own - segment.center  # a line's start
            assert np.abs(off - np.outer(off @ segment.leaving, segment.leaving)).max() < 1e-6


def test_notes_and_no_failures(made: Plan) -> None:
    assert made.reachable
    said = {(note.line, note.kind): note for note in made.notes}
    assert set(said) == {
        (24, "start"),
        (26, "orientation"),
        (28, "corner"),
        (29, "corner"),
        (30, "rounding"),
    }
    assert math.degrees(said[26, "orientation"].value) == pytest.approx(15.55, abs=0.01)
    for line in (28, 29):  # 0.39 deg at no more than 300 and 228 mm/s
        assert 1e-3 < said[line, "corner"].value < 2.1e-3


def test_one_smooth_wrist_branch(made: Plan) -> None:
    """Erratum 22: q5 from -105 to -43 deg, q4 within 95 deg; the figure is for even turns."""
    path = (made.move >= 1) & (made.move <= 9)
    q = np.degrees(made.trajectory.q[path])
    assert np.abs(q[:, 3]).max() < 95
    assert -107 < q[:, 4].min() < -103
    assert -48 < q[:, 4].max() < -40
    assert np.abs(np.diff(q, axis=0)).max() < 3  # degrees in a cycle
    s0 = np.degrees(made.trajectory.q[np.flatnonzero(made.move == 9)[-1]])
    assert s0 == pytest.approx([44.1, 44.4, -32.7, -27.9, -47.3, 34.8], abs=0.05)


def test_pinocchio_finds_the_tool_where_it_is_planned(made: Plan) -> None:
    witness = Witness(LOLA)
    for k in range(0, len(made.trajectory), 7):
        seen = witness.tool_pose(made.trajectory.q[k])
        assert np.abs(seen - made.poses[k]).max() < 1e-9


def test_lines_times_and_velocities(made: Plan) -> None:
    trajectory = made.trajectory
    assert len(made.lines) == len(made.move) == len(made.poses) == len(trajectory)
    assert (np.diff(made.lines) >= 0).all()
    assert sorted(set(made.lines.tolist())) == [24, *range(26, 38)]
    assert (trajectory.qd[1:] == np.diff(trajectory.q, axis=0) / trajectory.dt).all()
    assert trajectory.dt == pytest.approx(DT, rel=1e-12)
    ends = [move.end for move in made.moves]
    starts = [move.start for move in made.moves]
    assert starts[1:] == pytest.approx(ends[:-1], abs=1e-9)
    assert made.duration == pytest.approx(ends[-1], abs=1e-9)
    for k in (9, 10, 11, 12):  # a stop is at a sample
        assert ends[k] / DT == pytest.approx(round(ends[k] / DT), abs=1e-6)
    for k, move in enumerate(made.moves):
        t = trajectory.t[made.move == k]
        assert t[0] >= move.start - 1e-9
        assert t[-1] <= move.end + 1e-9


def law(
    pieces: list[tuple[float, float, float]], bend: Callable[[np.ndarray], np.ndarray]
) -> tuple[np.ndarray, ...]:
    """Ways, times and speeds of the fastest motion within (length, speed, acc) per piece.

    By forward and backward passes in the phase plane, not by ramps: v^2 grows by 2 a ds at most,
    and `bend` (1/mm) times v^2 takes its part of the acceleration.
    """
    lengths, speeds, accs = np.array(pieces).T
    ends = np.cumsum(lengths)
    s = np.union1d(np.linspace(0, ends[-1], 40000), ends)
    i = np.minimum(np.searchsorted(ends, (s[1:] + s[:-1]) / 2), len(ends) - 1)
    bent = bend((s[1:] + s[:-1]) / 2)
    with np.errstate(divide="ignore"):
        most = np.minimum(speeds[i] ** 2, accs[i] / bent)
    square = np.zeros(len(s))
    square[1:-1] = np.minimum(most[:-1], most[1:])
    steps = np.diff(s)

    def left(k: int, w: float) -> float:
        return w + 2 * steps[k] * math.sqrt(max(accs[i[k]] ** 2 - (bent[k] * w) ** 2, 0.0))

    for k in range(1, len(s)):
        square[k] = min(square[k], left(k - 1, square[k - 1]))
    for k in range(len(s) - 2, -1, -1):
        square[k] = min(square[k], left(k, square[k + 1]))
    v = np.sqrt(square)
    return s, np.concatenate([[0.0], np.cumsum(2 * np.diff(s) / (v[1:] + v[:-1]))]), v


def way_at(time: float, s: np.ndarray, t: np.ndarray, v: np.ndarray) -> float:
    """The way at a time, even acceleration from step to step."""
    k = min(max(int(np.searchsorted(t, time)) - 1, 0), len(t) - 2)
    off = time - t[k]
    return s[k] + off * (v[k] + off / 2 * (v[k + 1] - v[k]) / (t[k + 1] - t[k]))


@pytest.mark.parametrize(("finer", "apart"), [(1, 0.3), (40, 0.03)])
def test_tool_points_against_an_independent_motion(finer, apart, monkeypatch) -> None:
    """Bezier corner, phase-plane time law, circles of the errata: the same points in time.

    The planner runs half a degree of arc with one acceleration, that of its faster end: `apart` mm
    at most from the fastest motion, a tenth of that if it were 40 times finer (the corner stays).
    """
    monkeypatch.setattr(segments_of_courses, "FINE", segments_of_courses.FINE / finer)
    monkeypatch.setattr(segments_of_courses, "MOST", 20_000)
    made = plan(LOLA, demonstration(), DT)
    found = segments()
    reach = 86.6025  # half of the line s7-s8, mm
    line, after = found[4], found[5]
    start = 1000 * POINTS["s8"]
    u = np.linspace(0, 1, 20001)[:, None]
    corner = start - reach * (1 - u) ** 2 * line.leaving + reach * u**2 * after.leaving
    round_ = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(corner, axis=0), axis=1))])
    pieces, places = [], []
    for k, (segment, (_, speed, acc, *_)) in enumerate(zip(found, PATH, strict=True)):
        size = segment.size if not segment.radius else segment.radius * np.radians(segment.size)
        low, high = (reach if k == 5 else 0.0), size - (reach if k == 4 else 0.0)
        pieces.append((high - low, speed, acc))
        places.append((k, low))
        if k == 4:
            pieces.append((float(round_[-1]), 225.0, 900.0))
            places.append((-1, 0.0))
    begins = np.cumsum([0.0, *(piece[0] for piece in pieces)])
    first_, second = (np.gradient(x, axis=0) for x in (corner, np.gradient(corner, axis=0)))
    sharp = np.linalg.norm(np.cross(first_, second), axis=1) / np.linalg.norm(first_, axis=1) ** 3

    def bend(way: np.ndarray) -> np.ndarray:
        """1 / radius of arcs, of the corner by differences."""
        piece = np.minimum(np.searchsorted(begins, way, side="right") - 1, len(pieces) - 1)
        of_piece = [found[k].radius if k >= 0 else 0.0 for k, _ in places]
        bends = np.array([1 / radius if radius else 0.0 for radius in of_piece])[piece]
        inside = np.array([k < 0 for k, _ in places])[piece]
        bends[inside] = np.interp(way[inside] - begins[places.index((-1, 0.0))], round_, sharp)
        return bends

    s, t, v = law(pieces, bend)
    last = np.flatnonzero(made.move == 9)[-1]
    first = np.flatnonzero(made.move == 1)[0]
    # the path ends with the chain; stretched as the whole chain is to whole cycles
    span = made.moves[9].end - made.moves[1].start
    ramp = 760.0 / 1000.0
    checked = 0
    names = [["s0", *PATH[0][0].split()]]
    for text, *_ in PATH[1:]:
        names.append([names[-1][-1], *text.split()])
    # the stretch: from two events that both motions have, the ends of the moves 3 and 9
    whole = (made.moves[9].end - made.moves[3].end) / (t[-1] - np.interp(begins[3], s, t))
    assert 1 - 1e-6 <= whole < 1 + DT / span * 1.01 + 0.004 / finer
    worst = 0.0
    for k in range(first, last + 1):
        back = (made.moves[9].end - made.trajectory.t[k]) / whole
        if t[-1] - back < ramp:
            continue  # the ptp's ramp is still on top
        way = way_at(t[-1] - back, s, t, v)
        piece = min(np.searchsorted(begins, way, side="right") - 1, len(pieces) - 1)
        index, low = places[piece]
        off = way - begins[piece]
        if index < 0:
            wanted = [np.interp(off, round_, corner[:, i]) for i in range(3)]
        else:
            segment, begin = found[index], 1000 * POINTS[names[index][0]]
            size = segment.radius * np.radians(segment.size) if segment.radius else segment.size
            wanted = (
                segment.point(begin, (low + off) / size)
                if segment.radius
                else begin + (low + off) * segment.leaving
            )
        worst = max(worst, float(np.abs(1000 * made.poses[k, :3, 3] - wanted).max()))
        checked += 1
    assert checked > 600
    assert worst < apart


def test_orientations_at_the_targets(made: Plan) -> None:
    """Where a target is passed (s8 is rounded) the tool has its orientation."""
    fine = plan(LOLA, demonstration()[:10], 0.001)
    p, r = fine.poses[:, :3, 3], fine.poses[:, :3, :3]
    for name in ("s2", "s4", "s5", "s7", "s9", "s11", "s12"):
        at = int(np.linalg.norm(p - POINTS[name], axis=1).argmin())
        off = Rotation.from_matrix(r[at] @ rotation(ANGLES[name]).T).magnitude()
        step = Rotation.from_matrix(r[at] @ r[at - 1].T).magnitude()
        assert off < step + 1e-9
    s0 = rotation(ANGLES["s0"])
    assert np.abs(made.poses[made.move == 9][-1, :3, :3] - s0).max() < 1e-12


def test_ptp_moves_against_their_closed_form(made: Plan) -> None:
    """The last three moves: ramps of the slowest axis or motor, all axes in proportion."""
    limit = np.array([min(j.velocity_max, 1e9) for j in LOLA.joints])
    rotor = np.array([d.speed_max for d in LOLA.drives])
    gears = np.array(LOLA.gear_matrix)
    hard = np.array([j.acceleration_max for j in LOLA.joints])
    for k in (10, 11, 12):
        own = np.flatnonzero(made.move == k)
        q = made.trajectory.q[own[0] - 1 : own[-1] + 1]
        way = q[-1] - q[0]
        with np.errstate(divide="ignore"):
            v = min((limit / abs(way)).min(), (rotor / abs(gears @ way)).min())
            a = (hard / abs(way)).min()
        ramp = min(v / a, 1 / math.sqrt(a))
        v = a * ramp
        total = 1 / v + ramp
        t = np.linspace(0, total, len(q))
        rising, falling = np.minimum(t, ramp), np.minimum(total - t, ramp)
        middle = np.clip(t - ramp, 0, total - 2 * ramp)
        part = a * rising**2 / 2 + v * middle + (a * ramp**2 - a * falling**2) / 2
        assert np.abs(q - q[0] - np.outer(part, way)).max() < 1e-12
        assert len(q) - 1 == math.ceil(total / DT - 1e-9)


def test_without_the_tool_two_points_are_out_of_reach() -> None:
    """Erratum 22: s6 by 3.5 mm, s10 by 10.3 mm, with their lines; all else is still planned."""
    bare = plan(LOLA, demonstration(), DT, tool=erfd.Pose())
    found = {f.name: f for f in bare.failures}
    assert set(found) == {"s6", "s10"}
    assert [found[name].line for name in ("s6", "s10")] == [29, 32]
    for name, far in (("s6", 3.5), ("s10", 10.3)):
        assert 1000 * found[name].distance == pytest.approx(far, abs=0.05)
        assert found[name].kind == "target"
        assert found[name].sentence == f"{name} is out of reach by {far} mm"
    assert len(bare.moves) == 13
    assert np.isfinite(bare.trajectory.q).all()
    last = bare.trajectory.q[-1]
    assert last[:5] == pytest.approx(np.zeros(5))


def test_the_program_text_gives_the_same_plan(made: Plan) -> None:
    """The language's steps and those written here by hand."""
    from erfd.lirl import interpret, parse

    text = (EXAMPLES / "lola15_demo.irl").read_text()
    spoken = plan(LOLA, interpret(parse(text), LOLA), DT, turning="smooth")
    assert np.abs(spoken.trajectory.q - made.trajectory.q).max() < 1e-12
    assert [move.kind for move in spoken.moves] == [move.kind for move in made.moves]
    bare = plan(LOLA, interpret(parse(text), LOLA), DT, tool=erfd.Pose())
    lines = text.splitlines()
    assert [f.name for f in bare.failures] == ["s6", "s10"]
    assert all(f"circle {f.name}," in lines[f.line - 1] for f in bare.failures)
