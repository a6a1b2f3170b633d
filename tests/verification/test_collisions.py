"""Collisions in a verification: one verdict whatever the step, every pair told, none unsaid."""

import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import erfd
from erfd.cell import Cell, CellObject
from erfd.robot.model import Visual
from erfd.verification import verify
from erfd.verification.advice import advise
from erfd.verification.report_page import report_page
from erfd.verification.tables import print_verification, verification_data
from support.random_cells import BALL, tool_points, with_needle
from support.step_programs import STEPS

pytest.importorskip("coal")
pytestmark = pytest.mark.usefixtures("compiled")
SWING = """program p; seq
move ptp joint(mainjoint({a})) speed_ptp=0.3;
move ptp joint(mainjoint({b})) speed_ptp=0.6;
endseq endprogram
"""
ARMS = {
    "lola15": SWING.format(a="0, 20, -20, 0, -60, 0", b="60, 10, -10, 30, -40, 20"),
    "puma560": SWING.format(a="0, 45, -60, 0, 30, 0", b="100, 30, -40, 20, 10, 0"),
}


def ball_in_the_way(robot: erfd.Robot, text: str) -> Cell:
    """A ball of 0.5 mm in the middle between two samples at 10 ms, where the tool is fast."""
    q = verify(text, robot).run["q"]
    points = tool_points(robot, (q[1:] + q[:-1]) / 2)
    fastest = int(np.linalg.norm(np.diff(tool_points(robot, q), axis=0), axis=1).argmax())
    return Cell("c", (CellObject("crumb", BALL, erfd.Pose(tuple(points[fastest]))),))


@pytest.mark.parametrize("name", sorted(ARMS))
def test_a_ball_of_half_a_millimetre_is_met_whatever_the_step(name: str) -> None:
    """At the samples alone it is met at no step but by chance: the tool goes some mm a cycle."""
    robot = with_needle(erfd.load(name))
    robot = replace(
        robot, links=(*(replace(b, visuals=()) for b in robot.links[:-1]), robot.links[-1])
    )
    ball = Visual("sphere", (5e-4,), robot.tool)
    robot = replace(robot, links=(*robot.links[:-1], replace(robot.links[-1], visuals=(ball,))))
    cell = ball_in_the_way(robot, ARMS[name])
    rows = erfd.clearance(robot, cell, verify(ARMS[name], robot).run["q"])
    assert rows.smallest > 2e-4  # nothing at the samples
    for dt in STEPS[:-1]:
        found = verify(ARMS[name], robot, cell=cell, dt=dt)
        assert found.run.feasible
        assert not found.feasible
        assert [(c.link, c.thing) for c in found.contacts] == [(robot.links[-1].name, "crumb")]
        assert found.bad_lines == (3,)


def walls() -> Cell:
    """Two walls that the arm turns into at the same time."""
    post = CellObject("post", Visual("box", (0.3, 0.1, 3.0)), erfd.Pose((0.5, 0.75, 0.5)))
    wall = CellObject("wall", Visual("box", (0.1, 0.6, 3.0)), erfd.Pose((0.75, 0.9, 0.5)))
    return Cell("two", (post, wall))


def test_all_pairs_are_told_with_their_times_and_lines() -> None:
    """In the tables, the data, the report and the verdict."""
    found = verify(ARMS["lola15"], erfd.load("lola15"), cell=walls())
    met = {(c.link, c.thing) for c in found.contacts}
    assert {thing for _, thing in met} == {"post", "wall"}
    assert len({link for link, _ in met}) > 1
    first = found.contacts[0]
    assert f"line 3: {first} (and {len(found.contacts) - 1} more)" in found.verdict
    data = verification_data(found, None)
    json.dumps(data, allow_nan=False)
    assert [(c["link"], c["object"], c["start"], c["end"]) for c in data["collisions"]] == [
        (c.link, c.thing, c.start, c.end) for c in found.contacts
    ]
    assert all(c["line"] == 3 and c["lines"] == [3] for c in data["collisions"])
    assert met <= {(c["link"], c["object"]) for c in data["clearances"]}
    assert data["clearances"][0]["m"] == found.nearest["distance"]
    console = Console(width=200, record=True, file=io.StringIO())
    print_verification(found, None, console)
    shown, page = console.export_text(), report_page(found, figures={"none": ""})
    for contact in found.contacts:
        assert f"line 3: {contact}" in shown
        assert f"line 3: {contact}" in page
    assert "<h2>Clearances</h2>" in page


def test_a_move_into_a_wall_is_advised_at_no_speed() -> None:
    found = verify(ARMS["lola15"], erfd.load("lola15"), cell=walls())
    advice = advise(found)
    assert advice.override is None
    assert advice.per_move[0] is not None
    assert advice.per_move[1] is None


def test_the_advice_sees_what_is_between_the_samples() -> None:
    """A program that the motors cannot do, either: no speed helps against the ball in the way."""
    robot = with_needle(erfd.load("lola15"))
    cell = ball_in_the_way(robot, ARMS["lola15"])
    weak = replace(
        robot, drives=tuple(replace(d, torque_max=0.3 * d.torque_max) for d in robot.drives)
    )
    heavy = verify(ARMS["lola15"], weak, cell=cell)
    alone = verify(ARMS["lola15"], weak)
    assert not alone.run.feasible
    assert advise(alone).override is not None
    assert advise(heavy).override is None


UR = """<robot name="ur"><link name="base"/>
{links}{joints}
</robot>"""
JOINT = """<joint name="to {child}" type="revolute"><parent link="{parent}"/><child link="{child}"/>
<origin xyz="{xyz}"/><axis xyz="{axis}"/>
<limit lower="-6" upper="6" effort="150" velocity="3"/></joint>"""
JOINTS = "".join(
    JOINT.format(parent=parent, child=child, xyz=xyz, axis=axis)
    for parent, child, xyz, axis in (
        ("base", "shoulder", "0 0 0.0892", "0 0 1"),
        ("shoulder", "upper", "0 0.136 0", "0 1 0"),
        ("upper", "fore", "0 -0.12 0.425", "0 1 0"),
    )
)
LINK = """<link name="{name}"><inertial><mass value="3"/><origin xyz="0 0 0.1"/>
<inertia ixx="0.05" iyy="0.05" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>{shape}</link>"""
SHAPE = """<visual><origin xyz="0 0 0.2"/>
<geometry><cylinder radius="0.05" length="0.4"/></geometry></visual>"""


@pytest.mark.parametrize(
    ("shapes", "touching", "sentence"),
    [
        ("", "shoulder upper", "capsules from joint to joint stand for them"),
        ("upper", "upper", "collisions of shoulder, fore not checked (no shapes)"),
        ("shoulder upper fore", "shoulder upper fore", ""),
    ],
)
def test_links_without_shapes_in_a_closed_box_are_named(
    tmp_path: Path, shapes: str, touching: str, sentence: str
) -> None:
    links = "".join(
        LINK.format(name=name, shape=SHAPE if name in shapes.split() else "")
        for name in ("shoulder", "upper", "fore")
    )
    file = tmp_path / "ur.urdf"
    file.write_text(UR.format(links=links, joints=JOINTS), encoding="utf-8")
    box = Cell("box", (CellObject("box", Visual("box", (9.0, 9.0, 9.0))),))
    text = "program p; seq move ptp joint(mainjoint(30, 20, 10)) speed_ptp=0.2; endseq endprogram"
    found = verify(text, erfd.load(file), cell=box)
    in_the_box = {c.link for c in found.contacts if c.thing == "box"}
    assert in_the_box == set(touching.split())
    assert not found.feasible
    assert sentence in found.not_checked_line
    if not sentence:
        assert not any("collision" in said for said in found.not_checked)
