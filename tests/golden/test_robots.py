"""Robots and cells of earlier versions."""

import math
from dataclasses import asdict, replace

import erfd
from erfd.cell import clearance, load_cell
from erfd.cell.motion_clearance import motion_clearance
from support.golden import alike, check_robot, each, expected, listed, robot_of, told, versions


@each("robots")
def test_a_robot(folder, name, tmp_path):
    robot = erfd.load(folder / name)
    check_robot(robot, expected(folder)["robots"][name])
    erfd.save(robot, tmp_path / "again.toml")
    assert erfd.load(tmp_path / "again.toml") == robot


@versions
def test_robots_mean_what_they_did(folder, tmp_path, capsys):
    robot = robot_of(folder, "all_features")
    assert robot.gear_matrix == ((101.0, 2.5, 0.0), (1 / 3, -80.0, 0.0), (0.0, 0.0, 250.0))
    assert robot.joints[0].position_min == -math.inf
    assert robot.drives[0].curve == ((0.0, 3.0), (250.0, 2.5), (400.0, 0.5))
    assert math.isnan(robot.drives[1].resistance)
    shapes = [visual.shape for visual in robot.links[0].visuals]
    assert shapes == ["cylinder", "box", "sphere", "capsule", "prism"]
    assert robot_of(folder, "two_link") == erfd.load("two_link")
    parts = folder / "robots/pendulum.parts.toml"
    built = robot_of(folder, "pendulum")
    alike(listed(erfd.load(parts)), listed(built), rel=1e-12)
    told(capsys, "parts", "build", parts, "-o", tmp_path / "arm.toml")
    alike(listed(erfd.load(tmp_path / "arm.toml")), listed(built), rel=1e-12)


@versions
def test_a_cell(folder):
    cell = load_cell(folder / "cell/room.toml")
    assert cell.mount.xyz == (0.0, 0.1, 0.3)
    assert [thing.name for thing in cell.things] == ["bench", "post", "object 3"]
    for entry in expected(folder)["kept"].values():
        if not entry["cell"]:
            continue
        run = erfd.read_run(folder / "runs" / entry["about"]["id"] / "run.parquet")
        own = load_cell(folder / "runs" / entry["about"]["id"] / "cell/room.toml", enclosed=True)
        # its robot stands where the page said, which came before the cell's word
        placed = replace(own, mount=None)
        if expected(folder)["erfd"] == "0.1.0":  # looked at the samples alone
            found = clearance(run.robot, placed, run["q"]).contacts(run["t"])
        else:
            found = motion_clearance(run.robot, placed, run["t"], run["q"]).contacts
        # versions before told of the nearest pair alone: what else touched then is found beside
        pairs = {(contact["link"], contact["thing"]) for contact in entry["about"]["contacts"]}
        told_then = [asdict(c) for c in found if (c.link, c.thing) in pairs]
        alike(told_then, entry["about"]["contacts"], rel=1e-3)
        assert told_then
