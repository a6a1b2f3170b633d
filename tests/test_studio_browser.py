"""The studio in a real browser: Chromium with WebGL in software, driven by Playwright.

One server for all; every test opens a tab of its own, with a session of its own.
"""

import io
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import erfd
from erfd.report.export import write_parquet

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PICTURES = os.environ.get("ERFD_PICTURES")
"""A folder for screenshots; docs/images/ has been made so."""
SLOW = 45_000
"""Milliseconds that a busy machine may take for one step."""


class Server:
    """`erfd studio` in a process of its own."""

    def __init__(self, folder: Path, *arguments: str):
        self.folder = folder
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
        environment["XDG_DATA_HOME"] = str(folder)
        environment.pop("ERFD_BACKEND", None)  # as a user has it
        self.process = subprocess.Popen(
            [sys.executable, "-m", "erfd", "studio", "--no-browser", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
            cwd=folder,
        )
        self.said: list[str] = []
        while not any("runs are kept" in line for line in self.said):
            line = self.process.stdout.readline()
            assert line, self.said
            self.said.append(line)
        self.url = (
            re.search(r"http://\S+", "".join(self.said)).group().replace("0.0.0.0", "localhost")
        )
        while True:
            try:
                urllib.request.urlopen(self.url, timeout=10).close()
                break
            except OSError:
                assert self.process.poll() is None
                time.sleep(0.1)

    def stop(self) -> str:
        """End it as Ctrl+C does; what it said since."""
        self.process.send_signal(signal.SIGINT)
        try:
            said, _ = self.process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return said


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Server]:
    found = Server(tmp_path_factory.mktemp("studio"), "--port", "8391")
    yield found
    said = found.stop()
    assert "Traceback" not in said
    assert "Error" not in said


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


class Tab:
    """A tab of its own, with what goes wrong in it."""

    def __init__(self, browser, url: str, wide: int = 1280, high: int = 720, language: str = ""):
        self.context = browser.new_context(viewport={"width": wide, "height": high})
        if language:
            self.context.add_cookies([{"name": "erfd_language", "value": language, "url": url}])
        self.page = self.context.new_page()
        self.page.set_default_timeout(SLOW)
        self.wrong: list[str] = []
        self.outside: list[str] = []
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda request: self._request(request.url, url))
        self.page.goto(url)

    def _console(self, message) -> None:
        if message.type == "error":
            self.wrong.append(message.text)

    def _request(self, address: str, url: str) -> None:
        if not address.startswith(
            (url.rstrip("/"), url.replace("http", "ws").rstrip("/"), "data:", "blob:")
        ):
            self.outside.append(address)

    def ready(self) -> "Tab":
        self.page.wait_for_selector(".studio-scene canvas")
        self.page.wait_for_selector(".cm-content")
        self.page.wait_for_selector(".studio-status:not(:empty)")
        return self

    def verify(self) -> None:
        self.page.locator(".studio-header button").first.click()
        self.page.wait_for_selector(".studio-scene[data-runs='1']")
        self.page.wait_for_selector(".studio-diagrams[data-ready='true'] canvas")

    def tab(self, name: str) -> None:
        self.page.get_by_role("tab", name=name, exact=True).click()

    def choose(self, label: str, text: str) -> None:
        for _ in range(6):
            self.page.get_by_label(label, exact=True).first.click()
            option = self.page.locator(".q-menu .q-item", has_text=text).first
            try:
                option.click(timeout=3000, no_wait_after=True)
                return
            except Exception:
                self.page.keyboard.press("Escape")
        raise AssertionError(f"no {text} under {label}")

    def pixels(self) -> np.ndarray:
        from PIL import Image

        box = self.page.locator(".studio-scene canvas").bounding_box()
        data = self.page.screenshot(clip=box)
        return np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)

    def clock(self) -> float:
        return float(self.page.evaluate("window.erfdClock.t"))

    def picture(self, name: str) -> None:
        if PICTURES:
            self.page.mouse.move(2, 2)
            self.page.wait_for_timeout(1500)
            self.page.screenshot(path=f"{PICTURES}/{name}.png")

    def close(self) -> None:
        self.context.close()
        assert not self.wrong
        assert not self.outside, "the studio must work without a network"


@pytest.fixture
def open_tab(browser, server):
    tabs: list[Tab] = []

    def make(**how) -> Tab:
        tabs.append(Tab(browser, server.url, **how))
        return tabs[-1]

    yield make
    for tab in tabs:
        tab.close()


def orange(pixels: np.ndarray) -> np.ndarray:
    """Where the picture shows Lola 15's paint (#e8711a in any light)."""
    red, green, blue = np.moveaxis(pixels, -1, 0)
    return (red > 110) & (red > 1.5 * green) & (green > 1.2 * blue)


def test_the_demonstration_from_the_first_look_to_the_last_picture(open_tab, server):
    """Open, verify, play, scrub, click an event, a move and a line; the robot is seen to move."""
    tab = open_tab().ready()
    page = tab.page
    tab.verify()
    assert "not feasible" in page.locator(".verdict").inner_text()
    page.wait_for_timeout(800)
    first = tab.pixels()
    assert orange(first).mean() > 0.005, "the robot is not drawn"
    tab.picture("studio")

    page.locator(".studio-timeline button.main").click()  # play
    page.wait_for_function("window.erfdClock.t > 1.0")
    page.locator(".studio-timeline button.main").click()  # pause
    assert not page.evaluate("window.erfdClock.playing")
    page.wait_for_timeout(600)
    moved = tab.pixels()
    assert (orange(first) ^ orange(moved)).mean() > 0.002, "the robot does not move"
    again = tab.pixels()
    assert (orange(moved) ^ orange(again)).mean() < 0.0005, "it moves though it is paused"

    bar = page.locator(".studio-timeline canvas").bounding_box()
    page.mouse.click(bar["x"] + 0.75 * bar["width"], bar["y"] + bar["height"] / 2)  # scrub
    end = page.evaluate("window.erfdClock.end")
    assert tab.clock() == pytest.approx(0.75 * end, abs=0.01 * end)
    page.keyboard.press("Home")
    assert tab.clock() == 0
    page.keyboard.press("ArrowRight")
    assert tab.clock() == pytest.approx(end / 200)

    tab.tab("Events")
    event = page.locator(".event").first
    start = float(event.locator(".when").inner_text().split()[0])
    event.click()
    page.wait_for_function(f"Math.abs(window.erfdClock.t - {start}) < 0.006")
    tab.picture("studio-events")
    tab.tab("Moves")
    page.locator(".studio-table tbody tr").nth(3).click()
    began = float(page.locator(".studio-table tbody tr").nth(3).locator("td").nth(4).inner_text())
    page.wait_for_function(f"Math.abs(window.erfdClock.t - {began}) < 0.006")
    line = page.locator(".cm-running").inner_text()
    assert "move lin s5" in line
    tab.picture("studio-moves")
    page.locator(".cm-line", has_text="move circle s10").click()  # a line of the editor
    page.wait_for_function(f"window.erfdClock.t > {began} + 1")

    box = page.locator(".studio-right .panel .u-over").first
    tab.tab("Diagrams")
    box.wait_for()
    at = box.bounding_box()
    page.mouse.move(at["x"] + 0.2 * at["width"], at["y"] + 20)  # zoom by dragging
    page.mouse.down()
    page.mouse.move(at["x"] + 0.4 * at["width"], at["y"] + 20, steps=4)
    page.mouse.up()
    page.wait_for_function("document.querySelector('.studio-diagrams')?.dataset.ready === 'true'")
    with page.expect_download() as waiting:
        page.get_by_label("Table (CSV)").click()
    text = Path(waiting.value.path()).read_text()
    rows = text.splitlines()
    assert rows[0].startswith("t [s],")
    assert 10 < len(rows) < 600  # of the zoomed time alone, at full resolution
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Picture (PNG)").last.click()
    assert Path(waiting.value.path()).read_bytes().startswith(b"\x89PNG")

    page.reload()  # nothing is lost
    tab.ready()
    page.wait_for_selector(".studio-scene[data-runs='1']")
    assert "not feasible" in page.locator(".verdict").inner_text()
    assert len(list((server.folder / "erfd" / "runs").iterdir())) >= 1


def test_a_mistake_is_marked_where_it_is(open_tab):
    tab = open_tab().ready()
    page = tab.page
    page.locator(".cm-line", has_text="move lin s12").click()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.keyboard.type("mvoe lin s99;", delay=20)
    page.keyboard.press("Escape")
    page.wait_for_selector(".cm-lintRange-error")
    page.wait_for_selector(".studio-status.bad")
    assert "did you mean" in page.locator(".studio-status").inner_text()
    assert page.locator(".cm-lintRange-error").first.inner_text() == "mvoe"
    tab.picture("studio-mistake")
    page.locator(".cm-line", has_text="mvoe").click()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.keyboard.type("mov", delay=30)
    page.wait_for_selector(".cm-tooltip-autocomplete")
    assert "move_inc" in page.locator(".cm-tooltip-autocomplete").inner_text()
    page.keyboard.press("Escape")
    page.locator(".studio-header button").first.click()  # verify: the page says what is wrong
    page.wait_for_selector(".q-notification")
    assert "line" in page.locator(".q-notification").first.inner_text()


def test_jogging_by_joint_and_by_pose_and_teaching(open_tab):
    tab = open_tab().ready()
    page = tab.page
    page.wait_for_timeout(800)
    before = tab.pixels()
    tab.tab("Jog")
    page.locator(".jog-row .q-slider__track-container").first.focus()
    for _ in range(8):
        page.keyboard.press("PageUp")
    page.keyboard.press("ArrowRight")
    field = page.get_by_label("X", exact=True)
    page.wait_for_function("document.querySelectorAll('.jog-row input')[0].value !== '0'")
    page.wait_for_timeout(800)
    assert (orange(before) ^ orange(tab.pixels())).mean() > 0.001
    tab.picture("studio-jog")
    x = float(field.input_value())
    fields = page.locator(".jog-row input[type=number]")
    joints = before = [float(i.input_value()) for i in fields.all()]
    field.fill(str(round(x - 60)))
    while joints[1:] == before[1:]:
        page.wait_for_timeout(300)
        joints = [float(i.input_value()) for i in fields.all()]
    page.wait_for_timeout(500)
    joints = [float(i.input_value()) for i in fields.all()]
    pose = erfd.forward_kinematics(erfd.load("lola15"), np.radians(joints))
    assert 1000 * pose[0, 3] == pytest.approx(round(x - 60), abs=2)  # joints shown to 0.01 degrees
    field.fill("9000")
    page.wait_for_selector("[role=status].bad:not(:empty)")
    assert "out of reach" in page.locator("[role=status].bad").first.inner_text()
    page.get_by_role("button", name="joint values").click()
    tab.tab("Program")
    page.wait_for_selector(".cm-line:has-text('move ptp joint(mainjoint(')")


def test_cell_settings_and_cancel(open_tab):
    tab = open_tab().ready()
    page = tab.page
    tab.tab("Robot & cell")
    tab.choose("Cell", "workshop")
    page.get_by_label("kg").fill("12")
    page.get_by_label("kg").blur()
    page.get_by_label("Cycle time").fill("0.1")
    page.get_by_label("Cycle time").blur()
    page.wait_for_timeout(600)
    page.locator(".studio-header button").first.click()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Verify").wait_for()
    assert page.locator(".studio-scene").get_attribute("data-runs") in (None, "0")
    page.get_by_label("Cycle time").fill("10")
    page.get_by_label("Cycle time").blur()
    page.wait_for_timeout(600)
    tab.verify()
    tab.tab("Events")
    assert "mm from" in page.locator(".studio-events").inner_text()
    tab.picture("studio-cell")


def test_two_runs_side_by_side_in_serbian_and_dark(open_tab):
    tab = open_tab(language="sr").ready()
    page = tab.page
    tab.verify()
    assert "nije izvodljivo" in page.locator(".verdict").inner_text()
    tab.tab("Rezultati")
    page.wait_for_selector(".kept.now")
    page.wait_for_timeout(1000)  # the list is made anew for the run and for the list itself
    kept = page.locator(".kept").count()
    tab.tab("Robot i okolina")
    page.get_by_label("kg").fill("15")
    page.get_by_label("kg").blur()
    page.wait_for_timeout(600)
    tab.tab("Program")
    page.locator(".studio-header button").first.click()
    tab.tab("Rezultati")
    page.wait_for_function(f"document.querySelectorAll('.kept').length > {kept}")
    tab.tab("Poređenje")
    tab.choose("Uporedi sa", "lola15_demo")
    page.wait_for_selector(".studio-scene[data-runs='2']")
    page.wait_for_selector(".studio-table tbody tr:has-text('Najveći moment')")
    page.get_by_role("button", name="Svetlo ili tamno").click()
    page.wait_for_selector("body.body--dark")
    tab.tab("Program")
    tab.picture("studio-compare")
    tab.tab("Dijagrami")
    page.wait_for_selector(".studio-diagrams .u-label:has-text('6 · B')")
    tab.picture("studio-dark")
    tab.tab("Rezultati")
    page.wait_for_timeout(500)
    count = page.locator(".kept").count()
    page.locator(".kept .q-btn").last.click()
    page.locator(".q-menu .q-item", has_text="Obriši").click()
    page.get_by_role("button", name="Obriši").click()
    page.wait_for_function(f"document.querySelectorAll('.kept').length < {count}")
    tab.choose("Jezik", "English")
    page.wait_for_selector("button:has-text('Verify')")


def test_it_fits_a_tablet_and_the_keyboard_reaches_it(open_tab):
    tab = open_tab(wide=820, high=1180).ready()
    page = tab.page
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 820
    for selector in (".studio-scene", ".studio-timeline", ".studio-editor", ".studio-lower"):
        assert page.locator(selector).bounding_box()["width"] > 700
    reached = set()
    for _ in range(30):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.textContent.trim().slice(0, 24)"))
        reached.add(page.evaluate("document.activeElement.className.split(' ')[0]"))
    assert "studio-scene" in reached
    assert any("Verify" in word for word in reached)
    unnamed = page.evaluate(
        """[...document.querySelectorAll('button')].filter(b => b.offsetParent &&
        !(b.getAttribute('aria-label') || b.textContent.replace(/[a-z_]+/, '').trim() ||
          b.title)).map(b => b.outerHTML.slice(0, 90))"""
    )
    assert not unnamed
    tab.picture("studio-tablet")


def test_live_robots_and_one_that_is_killed(open_tab, server, tmp_path):
    """Watch a controller, slow it down, kill it, start it again: the page connects by itself."""
    pytest.importorskip("websockets")
    demo = Path(__file__).parent.parent / "examples" / "lola15_demo.irl"
    arguments = [str(demo), "--robot", "lola15", "--loop", "--port", "8491"]

    def controller() -> subprocess.Popen:
        return subprocess.Popen(
            [sys.executable, "-m", "erfd", "controller", *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=tmp_path,
        )

    process = controller()
    try:
        tab = open_tab()
        page = tab.page
        page.set_viewport_size({"width": 700, "height": 700})  # software WebGL: a small picture
        page.goto(server.url + "live")
        page.get_by_label("Address of a controller").fill("ws://127.0.0.1:8491")
        page.get_by_role("button", name="Connect").click()
        page.wait_for_selector(".chip.live")
        page.wait_for_selector(".studio-diagrams canvas")
        before = tab.pixels()
        assert orange(before).mean() > 0.005
        for _ in range(40):  # it rests between two rounds
            page.wait_for_timeout(500)
            if (orange(before) ^ orange(tab.pixels())).mean() > 0.002:
                break
        else:
            raise AssertionError("the live robot does not move")
        tab.picture("studio-live")
        page.get_by_role("button", name="Pause").click()
        page.wait_for_selector("text=paused")
        process.kill()
        process.wait()
        page.wait_for_selector(".chip.lost")
        process = controller()
        page.wait_for_selector(".chip.live")
        page.get_by_role("button", name="Watch no more").click()
        page.wait_for_function("document.querySelectorAll('.live-card').length === 0")
    finally:
        process.kill()
        process.wait()


def test_a_token_is_asked_for_where_others_can_reach_it(browser, tmp_path):
    robot = erfd.load("two_link")
    t = 0.01 * np.arange(101)
    way = 1 - np.cos(np.pi * t)
    run = erfd.achievable(robot, erfd.Trajectory(t, np.stack([way, 0.5 * way], axis=1)))
    write_parquet(run, tmp_path / "way.parquet")
    server = Server(
        tmp_path, "way.parquet", "--host", "0.0.0.0", "--port", "8391", "--runs", "kept"
    )
    try:
        token = re.search(r"token: (\S+)", server.process.stdout.readline()).group(1)
        context = browser.new_context()
        page = context.new_page()
        page.set_default_timeout(SLOW)
        page.goto(server.url)
        page.get_by_label("Token").fill("wrong")
        page.get_by_role("button", name="Open").click()
        page.wait_for_selector("text=This is not the token")
        page.get_by_label("Token").fill(token)
        page.get_by_role("button", name="Open").click()
        page.wait_for_selector(".studio-scene[data-runs='1']")  # the file of the command line
        assert token not in page.url
        refused = page.evaluate("""async () => (await fetch('/erfd/run/none/path')).status""")
        assert refused == 404  # logged in: looked for, and not there
        context.close()
    finally:
        assert "Traceback" not in server.stop()
