"""Graphic files: written, read back, refused; and the page that `erfd play` makes of them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import erfd
from erfd.cli import main
from erfd.errors import InputError
from erfd.report.play.graphic_file import Graphic, graphic_text, read_graphic, write_graphic
from erfd.report.play.page import MOST, page, scene
from support.arms import random_robot

CHROMIUM = shutil.which("chromium")
FLAGS = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
         "--disable-background-networking", "--no-first-run")  # fmt: skip
FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Waits until what was asked for has been drawn."""
SHAPES = (
    erfd.Visual("box", (0.1, 0.2, 0.3), erfd.Pose((0.1, 0.0, 0.0), (0.3, 0.2, 0.1)), "#c8372d"),
    erfd.Visual("cylinder", (0.05, 0.3)),
    erfd.Visual("sphere", (0.08,), erfd.Pose((0.0, 0.1, 0.0))),
    erfd.Visual("capsule", (0.04, 0.2), erfd.Pose((0.0, -0.1, 0.1))),
    erfd.Visual("prism", (0.05, 0.0, 0.0, 0.2, 0.0, 0.0, 0.2), erfd.Pose((0.0, 0.0, 0.2))),
)


def motion(robot: erfd.Robot, size: int = 40, seed: int = 0) -> erfd.Run:
    """Some motion, not a possible one: the file does not care."""
    rng = np.random.default_rng(seed)
    t = np.arange(size) * 0.01
    q = rng.uniform(-1, 1, robot.n) * np.sin(3 * t)[:, None]
    data = {"t": t, "q": q, "qd": np.gradient(q, 0.01, axis=0), "qdd": 2 * q, "u_a": 3 * q}
    return erfd.Run(robot, data, ())


def mounted(seed: int, kinds: str) -> erfd.Robot:
    robot = random_robot(seed, kinds)
    mount = erfd.Pose((0.3, -0.2, 1.1), (0.4, 2.0, -1.0))
    links = tuple(replace(link, visuals=SHAPES) for link in robot.links)
    tool = erfd.Pose((0.0, 0.0, 0.2), (0.0, 0.5, 0.0))
    return replace(robot, mount=mount, links=links, tool=tool, base_visuals=SHAPES[:1])


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


def test_page_holds_everything(tmp_path: Path) -> None:
    """One file: nothing is fetched, the motion is in it, and no text in it can end its script."""
    robot = replace(mounted(5, "RR"), title="</script><script>alert(1)</script>")
    write_graphic(motion(robot), tmp_path / "m.jsonl")
    text = page(read_graphic(tmp_path / "m.jsonl"))
    assert not re.search(r"https?:|//cdn|@import|src=|href=", text)
    assert "@" not in re.sub(r"@media", "", text)  # every place is filled
    assert text.count("</script>") == 2
    data = json.loads(text.split('id="scene">', 1)[1].split("</script>", 1)[0])
    assert len(data["t"]) == 40
    assert data["units"]["torque"] == ["N m", "N m"]
    assert page(read_graphic(tmp_path / "m.jsonl")) == text


def test_long_motions_are_thinned() -> None:
    size = 3 * MOST
    head = {"robot": "x", "title": "", "joints": [], "mount": [], "bodies": [], "units": {}}
    graphic = Graphic(head, np.arange(size) * 0.001, np.zeros((size, 1, 7)), {})
    t = scene(graphic)["t"]
    assert len(t) <= MOST
    assert (t[0], t[-1]) == (0.0, pytest.approx((size - 1) * 0.001))


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    path = tmp_path / "m.jsonl"
    write_graphic(motion(random_robot(1, "RR")), path)
    assert main(["play", str(path), "--out", str(tmp_path / "x.html"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["moments"] == 40
    assert Path(told["written"]).read_text().startswith("<!doctype html>")
    assert main(["play", str(path), "--out", str(tmp_path / "x.gif")]) == 2
    assert "--out: expected a name that ends in .html" in capsys.readouterr().err
    assert main(["play", str(tmp_path / "none.jsonl")]) == 2
    assert "no such file" in capsys.readouterr().err


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_in_a_browser(tmp_path: Path) -> None:
    """It draws the arm, plays, scrubs, turns, zooms, changes its theme, and fetches nothing."""
    playwright = pytest.importorskip("playwright.sync_api")
    write_graphic(motion(mounted(5, "RPR")), tmp_path / "m.jsonl")
    path = tmp_path / "m.html"
    path.write_text(page(read_graphic(tmp_path / "m.jsonl")))
    with playwright.sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        tab = browser.new_page(viewport={"width": 780, "height": 440})
        troubles: list[str] = []
        tab.on("pageerror", lambda error: troubles.append(str(error)))
        tab.on("console", lambda message: troubles.append(message.text))
        fetched: list[str] = []
        tab.on("request", lambda request: fetched.append(request.url))
        tab.goto(path.as_uri())
        tab.wait_for_selector("body[data-ready=webgl]")

        def picture() -> bytes:
            tab.evaluate(FRAMES)
            return bytes(tab.locator("#view").screenshot())

        first = picture()
        tab.locator("#time").fill("500")
        moved = picture()
        assert tab.inner_text("#clock") == "0.195 / 0.390 s"
        assert moved != first  # the arm moves
        tab.mouse.move(560, 120)
        tab.mouse.down()
        tab.mouse.move(630, 160)
        tab.mouse.up()
        turned = picture()
        assert turned != moved
        tab.mouse.wheel(0, -300)
        near = picture()
        assert near != turned
        tab.locator("#view").dblclick(position={"x": 600, "y": 130})
        assert picture() == moved  # begins again
        tab.locator("#theme").click()
        assert picture() != moved
        tab.locator("#speed").select_option("4")
        tab.locator("#play").click()
        tab.wait_for_function("document.getElementById('play').textContent === 'Play'")
        assert tab.inner_text("#clock") == "0.390 / 0.390 s"
        tab.keyboard.press("Home")
        tab.wait_for_function("document.getElementById('clock').textContent.startsWith('0.000')")
        assert tab.locator("#values tr").count() == 4
        assert "m/s\u00b2" in tab.inner_text("#values")
        browser.close()
    assert troubles == []
    assert fetched == [path.as_uri()]
