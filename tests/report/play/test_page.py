"""The page of a graphic file: everything is in it, and it plays in a browser."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from browser import find_browser
from erfd.report.play.graphic_file import Graphic, read_graphic, write_graphic
from erfd.report.play.page import MOST, page, scene
from support.graphics import motion, mounted

FLAGS = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
         "--disable-background-networking", "--no-first-run")  # fmt: skip
FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Waits until what was asked for has been drawn."""


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


@pytest.mark.browser
def test_in_a_browser(tmp_path: Path) -> None:
    """It draws the arm, plays, scrubs, turns, zooms, changes its theme, and fetches nothing."""
    playwright = pytest.importorskip("playwright.sync_api")
    write_graphic(motion(mounted(5, "RPR")), tmp_path / "m.jsonl")
    path = tmp_path / "m.html"
    path.write_text(page(read_graphic(tmp_path / "m.jsonl")))
    with playwright.sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=find_browser(), args=list(FLAGS))
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
        for key, time in (("Right", "0.010"), ("Right", "0.020"), ("Left", "0.010")):
            tab.keyboard.press(f"Arrow{key}")  # from sample to sample
            tab.evaluate(FRAMES)
            assert tab.inner_text("#clock").startswith(time)
        assert tab.locator("#values tr").count() == 4
        assert "m/s\u00b2" in tab.inner_text("#values")
        browser.close()
    assert troubles == []
    assert fetched == [path.as_uri()]
