"""Runs in a real browser: compared, brought as files; languages; live robots; the token."""

import re
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest

import erfd
from erfd.report.play.graphic_file import write_graphic
from erfd.run.write import write_parquet
from support.languages import left
from support.paths import EXAMPLES
from support.publishing import free_port
from support.studio_browser import SLOW, Server, chromium, needed, orange, pink, studio, tabs

pytestmark = needed
PORT = 8431


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Server]:
    with studio(tmp_path_factory.mktemp("studio"), PORT) as found:
        yield found


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture
def open_tab(browser, server):
    with tabs(browser, server.url) as make:
        yield make


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
    tab.until(lambda: pink(tab.pixels()).sum() > 40, "the run shown is not seen where it is")
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


def test_a_graphic_file_of_the_simulator(open_tab, tmp_path):
    """A .jsonl file of `erfd sim` is brought, drawn and played; a broken one is a sentence."""
    robot = erfd.load("lola15")
    t = 0.01 * np.arange(201)
    way = (1 - np.cos(np.pi * t / 2))[:, None] * np.array([1.0, -0.4, 0.3, 0.0, 0.5, 0.0])
    write_graphic(erfd.achievable(robot, erfd.Trajectory(t, way)), tmp_path / "swing.jsonl")
    (tmp_path / "broken.jsonl").write_text("no graphic\n")
    tab = open_tab().ready()
    page = tab.page
    tab.tab("Runs")
    files = page.locator(".studio-upload", has_text=".jsonl").locator("input[type=file]")
    files.set_input_files(tmp_path / "broken.jsonl")
    page.wait_for_selector(".q-notification:has-text('broken.jsonl')")
    files.set_input_files(tmp_path / "swing.jsonl")
    page.wait_for_selector(".studio-scene[data-runs='1']")
    assert page.evaluate("window.erfdClock.end") == pytest.approx(2.0, abs=0.04)
    tab.until(lambda: orange(tab.pixels()).mean() > 0.005, "the robot is not drawn")
    before = tab.still()
    page.evaluate("window.erfdClock.go(1.9)")
    tab.until(
        lambda: (orange(before) ^ orange(tab.pixels())).mean() > 0.002, "the robot does not move"
    )


def test_the_serbian_page_speaks_serbian(open_tab):
    """Mistakes, what the planner says, advice and misses: no word of English is left."""
    tab = open_tab(language="sr").ready()
    page = tab.page
    page.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(
        "program p; seq\n move ptp joint(mainjoint(0, 20, -30, 0, 60, 0));\n"
        " move lin robtarg(((5000, 0, 300), (0, 90, 0)), 8);\n mvoe lin (1, 2, 3);\n"
        "endseq endprogram"
    )
    page.wait_for_selector(".studio-status.bad:has-text('nepoznata reč')")
    page.wait_for_selector(".cm-lintRange-error")
    page.locator(".studio-header button").first.click()
    page.wait_for_selector(".q-notification:has-text('da li ste mislili')")
    page.locator(".cm-line", has_text="mvoe").click()
    page.keyboard.press("End")
    page.keyboard.press("Shift+Home")
    page.keyboard.press("Delete")
    page.wait_for_selector(".studio-status:has-text('nema grešaka')")
    tab.verify()
    assert "van domašaja" in page.locator(".verdict").inner_text()
    tab.tab("Ručno")
    page.get_by_label("X", exact=True).fill("9000")
    page.wait_for_selector("[role=status].bad:has-text('van domašaja')")
    texts = [page.locator(".verdict").inner_text(), page.locator(".studio-form").last.inner_text()]
    for name in ("Pokreti", "Događaji", "Poređenje"):
        tab.tab(name)
        page.wait_for_selector(f".q-tab--active:has-text('{name}')")
        page.wait_for_timeout(400)
        texts.append(page.locator(".studio-lower").inner_text())
    assert not [(text, left(text)) for text in texts if left(text)]


def moves(tab) -> None:
    """The robot is drawn, and not always at the same place: it rests between two rounds."""
    tab.until(lambda: orange(tab.pixels()).mean() > 0.005, "the robot is not drawn")
    before = tab.pixels()
    tab.until(
        lambda: (orange(before) ^ orange(tab.pixels())).mean() > 0.002,
        "the live robot does not move",
    )


def press(page, name: str, shown: str) -> None:
    """Press a button until the page shows what it does, as a person would.

    A browser that does not answer for long (WebGL in software, all cores busy) is given up by the
    server and loads its page anew: what was pressed meanwhile is lost.
    """
    from playwright.sync_api import TimeoutError as Late

    for _ in range(3):
        page.get_by_role("button", name=name).click()
        try:
            page.wait_for_selector(f"text={shown}", timeout=SLOW / 3)
            return
        except Late:
            continue
    raise AssertionError(f"{name}: the page does not show {shown!r}")


def test_live_robots_and_one_that_is_killed(open_tab, server, tmp_path):
    """Watch a controller, slow it down, kill it, start it again: the page connects by itself."""
    pytest.importorskip("websockets")
    demo = EXAMPLES / "lola15_demo.irl"
    port = free_port()
    arguments = [str(demo), "--robot", "lola15", "--loop", "--port", str(port)]

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
        page.get_by_label("Address of a controller").fill(f"ws://127.0.0.1:{port}")
        page.get_by_role("button", name="Connect").click()
        page.wait_for_selector(".chip.live")
        page.wait_for_selector(".studio-diagrams canvas")
        moves(tab)
        tab.picture("studio-live")
        page.locator(".live-speed [tabindex]").focus()
        page.keyboard.press("ArrowLeft")
        page.wait_for_selector("text=99 %")  # by its keys
        press(page, "Pause", "paused")
        process.kill()
        process.wait()
        page.wait_for_selector(".chip.lost")
        page.wait_for_selector("text=nobody listens at this address")
        process = controller()
        page.wait_for_selector(".chip.live")
        page.wait_for_selector("text=100 %")  # as the new one says
        moves(tab)
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
