"""The workbench in a real browser.

One server for all; every test opens a tab of its own, with a session of its own.
"""

from collections.abc import Iterator
from pathlib import Path
from runpy import run_path

import numpy as np
import pytest

import erfd
from support.studio_browser import SLOW, Server, chromium, needed, orange, pink, studio, tabs

pytestmark = needed
PORT = 8391
BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "studio.py"


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


def test_the_demonstration_from_the_first_look_to_the_last_picture(open_tab, server):
    """Open, verify, play, scrub, click an event, a move and a line; the robot is seen to move."""
    tab = open_tab().ready()
    page = tab.page
    tab.verify()
    assert "not feasible" in page.locator(".verdict").inner_text()
    tab.until(lambda: orange(tab.pixels()).mean() > 0.005, "the robot is not drawn")
    tab.until(lambda: pink(tab.pixels()).sum() > 40, "the force is not drawn")
    pictures = run_path(str(BENCHMARK))["DRAWN"]  # what the benchmark counts is there
    assert page.evaluate(pictures) > 0
    first = tab.still()
    tab.picture("studio")
    force = page.get_by_role("button", name="Force arrow")
    force.click()
    # the red axis of the tool frame has a few such pixels at its edge
    tab.until(lambda: pink(tab.pixels()).sum() < 10, "the force is drawn though switched off")
    force.click()
    tab.until(lambda: pink(tab.pixels()).sum() > 40, "the force is not drawn again")

    page.locator(".studio-timeline button.main").click()  # play
    page.wait_for_function("window.erfdClock.t > 1.0")
    page.locator(".studio-timeline button.main").click()  # pause
    assert not page.evaluate("window.erfdClock.playing")
    moved = tab.still()
    assert (orange(first) ^ orange(moved)).mean() > 0.002, "the robot does not move"
    stopped = tab.clock()
    page.wait_for_timeout(300)
    assert tab.clock() == stopped, "it moves though it is paused"

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
    assert rows[0].startswith("t [s],1 (u_a; found) [N m],")
    assert "mm (deviation; found)" in rows[0]  # one table of all diagrams that are shown
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
    tab.until(lambda: orange(tab.pixels()).mean() > 0.005, "the robot is not drawn")
    before = tab.still()
    tab.tab("Jog")
    page.locator(".jog-row .q-slider__track-container").first.focus()
    for _ in range(8):
        page.keyboard.press("PageUp")
    page.keyboard.press("ArrowRight")
    field = page.get_by_label("X", exact=True)
    page.wait_for_function("document.querySelectorAll('.jog-row input')[0].value !== '0'")
    tab.until(lambda: (orange(before) ^ orange(tab.pixels())).mean() > 0.001, "it does not move")
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
    field.fill(str(round(x - 60)))
    page.wait_for_selector("[role=status].bad:has-text('out of reach')", state="detached")
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
    page.get_by_label("Step of the computation").fill("0.1")
    page.get_by_label("Step of the computation").blur()
    page.wait_for_timeout(600)
    page.locator(".studio-header button").first.click()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Verify").wait_for()
    assert page.locator(".studio-scene").get_attribute("data-runs") in (None, "0")
    page.get_by_label("Step of the computation").fill("10")
    page.get_by_label("Step of the computation").blur()
    page.wait_for_timeout(600)
    tab.verify()
    tab.tab("Events")
    assert "mm from" in page.locator(".studio-events").inner_text()
    tab.picture("studio-cell")


def test_signals_of_an_example_typed_and_from_a_file(open_tab, tmp_path):
    """The example brings its schedule; without it the program waits for ever; a file mends it."""
    tab = open_tab().ready()
    page = tab.page
    page.get_by_role("button", name="Examples").click()
    page.locator(".q-menu .q-item", has_text="pick_and_place").click()
    page.wait_for_selector(".cm-line:has-text('program')")
    tab.tab("Robot & cell")
    field = page.get_by_label("Input signals of the program")
    example = field.input_value()
    assert "time,signal,value\n1.5,part_there,true" in example
    tab.verify()
    took = page.locator(".verdict").inner_text()
    field.fill("time,signal,value\nsoon,ready,true")
    page.wait_for_selector("[role=status].bad:has-text('expected seconds from 0 on')")
    field.fill("")
    page.wait_for_selector("[role=status].bad:has-text('expected')", state="detached")
    page.wait_for_timeout(600)
    page.locator(".studio-header button").first.click()
    page.wait_for_selector(".q-notification:has-text('waits for ever')")
    (tmp_path / "mine.csv").write_text(example)
    page.locator(".studio-upload", has_text=".csv").locator("input[type=file]").set_input_files(
        tmp_path / "mine.csv"
    )
    page.wait_for_function(
        "text => document.querySelector('textarea').value.trim() === text.trim()", arg=example
    )
    page.wait_for_timeout(600)
    page.locator(".studio-header button").first.click()
    page.get_by_role("button", name="Cancel").wait_for(state="hidden")
    assert page.locator(".verdict").inner_text() == took


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


def test_a_kept_run_comes_back_with_what_made_it(open_tab):
    """Program, cell and loads; a program that is kept nowhere is asked for, and can be undone."""
    tab = open_tab().ready()
    page = tab.page
    tab.tab("Robot & cell")
    tab.choose("Cell", "workshop")
    page.get_by_label("kg").fill("7")
    page.get_by_label("kg").blur()
    page.wait_for_timeout(600)
    tab.verify()
    page.get_by_label("kg").fill("0")
    page.get_by_label("kg").blur()
    page.wait_for_selector(".verdict.old:has-text('changed since')")
    tab.tab("Program")
    page.get_by_role("button", name="Examples").click()
    page.locator(".q-menu .q-item", has_text="pick_and_place").click()
    page.wait_for_selector(".verdict:has-text('not verified')")
    page.locator(".cm-line").first.click()
    page.keyboard.press("End")
    page.keyboard.type(" {mine}")
    tab.tab("Runs")
    page.wait_for_timeout(600)
    kept = page.locator(".kept .title", has_text="7 kg").first
    kept.click()
    page.get_by_role("button", name="Show the run, leave my program").click()
    page.wait_for_selector(".verdict.old")
    tab.tab("Program")
    page.wait_for_selector(".cm-line:has-text('{mine}')")
    tab.tab("Runs")
    kept.click()
    page.get_by_role("button", name="Replace it").click()
    page.wait_for_selector(".verdict.bad:not(.old)")
    tab.tab("Robot & cell")
    assert page.get_by_label("kg").input_value() == "7"
    assert page.get_by_label("Cell", exact=True).first.input_value() == "lola15_workshop"
    tab.tab("Program")
    page.wait_for_selector(".cm-line:has-text('program Lola15DD')")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+z")
    page.wait_for_selector(".cm-line:has-text('{mine}')")
    page.wait_for_selector(".verdict.old")


def test_a_long_program_is_whole_and_not_lost(open_tab, server, tmp_path):
    """A message to the server takes a million bytes; a page that is gone leaves its text behind."""
    line = "  move ptp joint(mainjoint(20, 5, -5, 0, 10, 0)); {čćžšđ čćžšđ}\n"
    text = "program long;\nseq\n" + 9000 * line + "endseq\nendprogram\n"
    (tmp_path / "long.irl").write_text(text)
    tab = open_tab().ready()
    page = tab.page
    page.locator("input[type=file]").first.set_input_files(tmp_path / "long.irl")
    page.wait_for_selector(".cm-line:has-text('program long')")
    page.locator(".cm-line").first.click()
    page.keyboard.press("End")
    page.keyboard.type(" {mine}")
    tab.tab("Robot & cell")
    page.get_by_label("kg").fill("3.5")
    page.wait_for_timeout(1500)
    tab.tab("Program")
    other = tab.context.new_page()
    other.set_default_timeout(SLOW)
    other.goto(server.url)
    other.get_by_role("button", name="Bring it back").click()
    other.wait_for_selector(".cm-line:has-text('program long; {mine}')")
    other.get_by_role("tab", name="Robot & cell").click()
    assert other.get_by_label("kg").input_value() == "3.5"
    other.get_by_role("tab", name="Program").click()
    with other.expect_download() as waiting:
        other.get_by_label("Download the program").click()
    assert Path(waiting.value.path()).read_text() == text.replace("long;", "long; {mine}")
    with page.expect_download() as waiting:
        page.get_by_label("Download the program").click()
    assert Path(waiting.value.path()).read_text() == text.replace("long;", "long; {mine}")


def test_files_that_are_no_programs_are_a_sentence(open_tab, tmp_path):
    tab = open_tab().ready()
    page = tab.page
    files = page.locator("input[type=file]").first
    for name, data in (("sixteen", "program p;".encode("utf-16")), ("zeros", bytes(99))):
        (tmp_path / f"{name}.irl").write_bytes(data)
        files.set_input_files(tmp_path / f"{name}.irl")
        page.wait_for_selector(".q-notification:has-text('expected UTF-8 text')")
    (tmp_path / "mark.irl").write_bytes(
        "program mark;\r\nseq\r\nendseq endprogram".encode("utf-8-sig")
    )
    files.set_input_files(tmp_path / "mark.irl")
    page.wait_for_selector(".cm-line:has-text('program mark')")
    page.wait_for_selector(".studio-status:has-text('no mistakes')")


def test_large_robots_and_own_cells_are_seen(open_tab, tmp_path):
    """The centrifuge (8 m) is no mist; a cell comes with its mesh in whatever order."""
    tab = open_tab().ready()
    page = tab.page
    tab.tab("Robot & cell")
    tab.choose("Robot", "centrifuge3")
    page.wait_for_timeout(2500)
    seen = tab.pixels()
    brightness = seen.sum(axis=-1)
    assert (brightness < 0.45 * 3 * 255).mean() > 0.005, "the robot is not seen against the floor"
    edge = np.concatenate([brightness[:12].ravel(), brightness[-12:].ravel()])
    assert (edge < 0.3 * 3 * 255).mean() < 0.005, "it reaches out of the picture"
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box((1.5, 1.5, 1.5)).export(tmp_path / "block.stl")
    (tmp_path / "hall.toml").write_text(
        '[[object]]\nname = "block"\nshape = "mesh"\nfile = "block.stl"\n'
        'xyz = [4.0, -4.0, 0.8]\ncolor = "#e8711a"\n'
    )
    files = page.locator(".studio-upload", has_text=".stl").locator("input[type=file]")
    assert orange(seen).sum() < 20
    files.set_input_files([tmp_path / "hall.toml", tmp_path / "block.stl"])
    page.wait_for_selector(".hint:has-text('objects: 1')")
    assert page.get_by_label("Cell", exact=True).first.input_value() == "hall.toml"
    page.wait_for_timeout(1500)
    assert orange(tab.pixels()).sum() > 100
