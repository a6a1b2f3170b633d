"""Graphic files: written, read back, refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import erfd
from erfd.errors import InputError
from erfd.report.play.graphic_file import graphic_text, read_graphic, write_graphic
from support.arms import random_robot
from support.graphics import motion, mounted


def matrices(poses: np.ndarray) -> np.ndarray:
    """4x4 matrices of positions and quaternions x y z w (..., 7), by Rodrigues' formula."""
    p, v, w = poses[..., :3], poses[..., 3:6], poses[..., 6]
    skew = np.zeros((*v.shape[:-1], 3, 3))
    for (i, j), k, sign in (((0, 1), 2, -1), ((0, 2), 1, 1), ((1, 2), 0, -1)):
        skew[..., i, j], skew[..., j, i] = sign * v[..., k], -sign * v[..., k]
    result = np.zeros((*p.shape[:-1], 4, 4)) + np.eye(4)
    result[..., :3, :3] += 2 * (w[..., None, None] * skew + skew @ skew)
    result[..., :3, 3] = p
    return result


@pytest.mark.parametrize(("seed", "kinds"), [(1, "RR"), (2, "RPR"), (3, "RRRRRR")])
def test_poses_are_those_of_the_links(seed: int, kinds: str, tmp_path: Path) -> None:
    """Of every link and the tool, in the world, to the nine digits that are written."""
    robot = mounted(seed, kinds)
    run = motion(robot, seed=seed)
    assert write_graphic(run, tmp_path / "m.jsonl") == 40
    graphic = read_graphic(tmp_path / "m.jsonl")
    world = np.eye(4)
    world[:3, :3], world[:3, 3] = robot.mount.rotation, robot.mount.xyz
    frames = [erfd.forward_kinematics(robot, run["q"], link) for link in range(1, robot.n + 1)]
    frames.append(erfd.forward_kinematics(robot, run["q"]))
    expected = np.stack([world @ frame for frame in frames], axis=1)
    assert np.abs(matrices(graphic.poses) - expected).max() < 1e-8
    assert matrices(np.array(graphic.head["mount"])) == pytest.approx(world, abs=1e-12)


def test_it_reads_back(tmp_path: Path) -> None:
    """The joint history exactly, and the robot itself: so the studio can open it as a run."""
    robot = mounted(4, "RPR")
    run = motion(robot)
    write_graphic(run, tmp_path / "m.jsonl")
    back = read_graphic(tmp_path / "m.jsonl").run()
    assert back.robot == robot
    for name in ("t", "q", "qd", "qdd", "u_a"):
        assert (back[name] == run[name]).all(), name
    assert back["pose"] == pytest.approx(erfd.forward_kinematics(robot, run["q"]), abs=1e-14)


def test_the_studio_can_open_it(tmp_path: Path) -> None:
    from erfd.report.curves.curves import available, curves
    from erfd.run.run_file import RunFile
    from erfd.run.write import write_parquet

    write_graphic(motion(mounted(4, "RPR")), tmp_path / "m.jsonl")
    write_parquet(read_graphic(tmp_path / "m.jsonl").run(), tmp_path / "m.parquet")
    file = RunFile(tmp_path / "m.parquet")
    names = available(file.quantities)
    assert {"q", "qd", "qdd", "u_a"} <= set(names)
    assert curves(file, "q", given=False).values.shape[1] == 40
    file.close()


def test_units_of_joints_and_motors() -> None:
    robot = random_robot(1, "RP")
    for drives, torque in (((), ["N m", "N"]), ((erfd.Drive(), erfd.Drive()), ["N m", "N m"])):
        text = graphic_text(motion(replace(robot, drives=drives), 2))
        units = json.loads(text.splitlines()[0])["units"]
        assert (units["q"], units["qdd"]) == (["rad", "m"], ["rad/s2", "m/s2"])
        assert units["torque"] == torque


def test_every_nth_moment_and_the_last() -> None:
    run = motion(random_robot(1, "RR"), 12)
    moments = [json.loads(line) for line in graphic_text(run, 5).splitlines()[1:]]
    assert [moment["t"] for moment in moments] == [0.0, 0.05, 0.1, 0.11]


def break_line(number: int, change: Callable[[dict[str, Any]], Any]) -> Callable[[list[str]], None]:
    def edit(lines: list[str]) -> None:
        content = json.loads(lines[number - 1])
        change(content)
        lines[number - 1] = json.dumps(content)

    return edit


WRONG: list[tuple[Callable[[list[str]], Any], str]] = [
    (list.clear, "expected a graphic file (write_graphic_file writes them)"),
    (lambda lines: lines.__setitem__(0, "{}"), "expected a graphic file"),
    (lambda lines: lines.__setitem__(0, "hello"), "line 1: expected JSON"),
    (lambda lines: lines.__setitem__(2, "[1]"), "line 3: expected an object, found [1]"),
    (lambda lines: lines.__delitem__(slice(1, None)), "expected lines of moments, found none"),
    (break_line(1, lambda head: head.update(version=7)), "expected version 1, found 7"),
    (break_line(1, lambda head: head.pop("bodies")), "line 1: expected a robot, its bodies"),
    (break_line(1, lambda head: head["bodies"].pop()), "line 1: expected a robot, its bodies"),
    (break_line(3, lambda m: m.pop("q")), "line 3: q: expected 2 finite numbers"),
    (break_line(3, lambda m: m["q"].pop()), "line 3: q: expected 2 finite numbers"),
    (break_line(4, lambda m: m.update(t="x")), "line 4: t: expected one finite numbers"),
    (break_line(4, lambda m: m["poses"].pop()), "line 4: poses: expected 3x7 finite numbers"),
    (break_line(4, lambda m: m["qd"].__setitem__(0, np.nan)), "line 4: qd: expected 2 finite"),
    (break_line(4, lambda m: m.update(t=0.0)), "line 4: expected a time after 0.01 s"),
]


@pytest.mark.parametrize(("edit", "why"), WRONG, ids=[why for _, why in WRONG])
def test_wrong_files(edit: Callable[[list[str]], Any], why: str, tmp_path: Path) -> None:
    lines = graphic_text(motion(random_robot(1, "RR"), 5)).splitlines()
    edit(lines)
    path = tmp_path / "m.jsonl"
    path.write_text("\n".join(lines))
    with pytest.raises(InputError) as error:
        read_graphic(path)
    assert why in str(error.value)
    assert str(error.value).startswith(str(path))
