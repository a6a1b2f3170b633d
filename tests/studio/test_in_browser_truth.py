"""Nothing false on the screen, in a real browser."""

from collections.abc import Iterator

import pytest

from support.studio_browser import SLOW, Server, chromium, needed, studio, tabs

pytestmark = needed
PORT = 8551
EASY = "program easy; seq move ptp joint(mainjoint(20)) speed_ptp=0.2; endseq endprogram"
HARD = EASY.replace("easy", "hard").replace("20", "60")


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


def write(page, text: str) -> None:
    """Put a program into the editor, as a person would."""
    page.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)


def test_a_duplicated_tab_is_a_session_of_its_own(open_tab):
    """Edited in one and verified in the other: each has the verdict of its own text."""
    tab = open_tab().ready()
    page = tab.page
    write(page, EASY)
    page.wait_for_selector(".studio-status:has-text('no mistakes')")
    page.wait_for_timeout(600)
    with tab.context.expect_page() as opening:  # takes the tab's storage along, as a copy does
        page.evaluate("window.open(location.href)")
    copy = opening.value
    copy.set_default_timeout(SLOW)
    copy.wait_for_selector(".cm-line:has-text('program easy')")  # begins with what there was
    write(copy, HARD)
    page.get_by_role("button", name="Verify").click()
    page.wait_for_selector(".verdict.good")
    page.wait_for_selector(".cm-line:has-text('program easy')")
    assert copy.locator(".verdict").inner_text() == "not verified yet"
    copy.get_by_role("button", name="Verify").click()
    copy.wait_for_selector(".verdict.bad, .verdict.good")
    assert copy.locator(".verdict").inner_text() != page.locator(".verdict").inner_text()
    assert page.locator(".verdict.good").count() == 1
    write(page, HARD)  # the verdict is of the text of before
    page.wait_for_selector(".verdict.old:has-text('changed since')")
    copy.close()


def test_a_page_that_is_loaded_anew_shows_what_the_server_does(open_tab):
    """Whenever it comes: while it is verified, and while the run is being kept."""
    tab = open_tab().ready()
    page = tab.page
    for wait in (50, 400, 900):
        write(page, EASY + "  " * wait)
        page.get_by_role("button", name="Verify").click()
        page.wait_for_timeout(wait)
        page.reload()
        page.wait_for_selector(".verdict.good:visible")
        page.wait_for_selector(".studio-scene[data-runs='1']")
        assert page.get_by_role("button", name="Verify").is_visible()


def text_of(page) -> str:
    return "\n".join(page.locator(".cm-line").all_inner_texts()).replace("\xa0", " ")


def test_taught_moves_stand_where_moves_may(open_tab):
    """On a fresh page the cursor is in a comment; an empty editor becomes a whole program."""
    tab = open_tab().ready()
    page = tab.page
    tab.tab("Jog")
    page.get_by_role("button", name="PTP here").click()
    page.wait_for_selector(".q-notification:has-text('The move is in line')")
    tab.tab("Program")
    page.wait_for_selector(".cm-line:has-text('move ptp robtarg(((')")
    page.wait_for_selector(".studio-status:has-text('no mistakes')")
    write(page, " ")
    tab.tab("Jog")
    field = page.get_by_label("X", exact=True)
    here = field.input_value()
    field.fill("9000")
    page.wait_for_selector("[role=status].bad:has-text('out of reach')")
    page.get_by_role("button", name="LIN here").click()
    page.wait_for_selector(".q-notification:has-text('cannot be reached')")
    assert "lin" not in text_of(page)  # nothing that was not typed
    page.get_by_role("button", name="Go as near as it can").click()
    page.wait_for_function(
        "here => { const x = +document.querySelectorAll('.studio-form .numbers input')[0].value;"
        " return x !== +here && x < 9000; }",
        arg=here,
    )
    page.get_by_role("button", name="LIN here").click()
    tab.tab("Program")
    page.wait_for_selector(".cm-line:has-text('move lin robtarg(((')")
    page.wait_for_selector(".studio-status:has-text('no mistakes')")
    assert text_of(page).split()[:3] == ["program", "taught;", "seq"]


def test_the_set_up_of_the_demonstration_is_left_with_it(open_tab):
    """Its tool force is not taken along to another robot or program, and the page says so."""
    tab = open_tab().ready()
    page = tab.page
    page.get_by_role("button", name="New program").click()
    page.wait_for_selector(".q-notification:has-text('Force and moment of the tool')")
    page.wait_for_selector(".cm-line:has-text('program program1;')")
    assert page.get_by_label("Name of the program").input_value() == "program1"
    tab.tab("Robot & cell")
    assert page.get_by_label("Fx").input_value() == "0"
    tab.tab("Program")
    page.get_by_role("button", name="Examples").click()
    page.locator(".q-menu .q-item", has_text="lola15_demo").click()
    page.wait_for_selector(".cm-line:has-text('program Lola15DD')")
    write(page, EASY)
    page.wait_for_selector(".q-notification:has-text('Force and moment of the tool')")
    tab.until(
        lambda: page.get_by_label("Name of the program").input_value() == "easy", "an old name"
    )


def test_jogging_goes_on_from_the_pose_that_is_shown(open_tab):
    tab = open_tab().ready()
    page = tab.page
    write(page, EASY)
    tab.verify()
    page.locator(".studio-timeline canvas").focus()
    page.keyboard.press("End")
    tab.tab("Jog")
    page.wait_for_function("document.querySelectorAll('.jog-row input')[0]?.value === '20'")
    page.locator(".jog-row .q-slider__track-container").nth(1).focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelectorAll('.jog-row input')[1].value !== '0'")
    assert page.locator(".jog-row input[type=number]").first.input_value() == "20"


def test_what_collides_is_red_and_compare_says_so(open_tab):
    """Bench and link at their time; mounts, verdicts and collisions are rows of the comparison."""
    tab = open_tab().ready()
    page = tab.page
    write(
        page,
        "program Lola15DD; seq\nmove ptp joint(mainjoint(0, -90, 0));\n"
        "move ptp joint(mainjoint(0, 0, 0));\nmove ptp joint(mainjoint(40, 0, 0));\n"
        "endseq endprogram",
    )
    tab.tab("Robot & cell")
    tab.choose("Cell", "workshop")
    tab.verify()
    tab.tab("Events")
    page.wait_for_selector(".event:has-text('collides') .when")
    when = page.locator(".event:has-text('collides') .when").all_inner_texts()
    times = [float(text.split()[0]) for text in when]
    assert len(times) > 2
    assert times == sorted(times)
    assert page.locator(".scene-legend").inner_text().split("\n")[-1] == "collision"
    page.locator(".event.bad").first.click()
    page.wait_for_selector(".studio-scene[data-touching*='bench']")
    red = page.locator(".event.bad .swatch").first.evaluate("e => getComputedStyle(e).background")
    assert "rgb(201, 42, 42)" in red
    tab.picture("studio-collision")
    page.locator(".studio-timeline canvas").press("Home")
    page.wait_for_selector(".studio-scene[data-touching='']")
    tab.tab("Moves")
    rows = page.locator("tr.fails")
    rows.first.wait_for()
    assert 0 < rows.count() < 3  # the last move touches nothing

    tab.tab("Diagrams")
    assert "Motor torques u_a (%)" in page.locator(".studio-diagrams").inner_text()
    tab.choose("Cell", "none")
    page.wait_for_selector(".verdict:has-text('not verified')")
    tab.verify()
    tab.tab("Compare")
    tab.choose("Compare with", "lola15_demo")
    row = page.locator(".studio-table tbody tr", has_text="Verdict")
    row.wait_for()
    assert row.locator("td").nth(2).inner_text() == "collision"
    mounts = page.locator(".studio-table tbody tr", has_text="Mount").locator("td")
    assert [mounts.nth(k).inner_text() for k in (1, 2)] == ["0, 0, 0 m", "0, 0, 0.61 m"]
    page.wait_for_selector(".studio-scene[data-runs='2']")  # the scene has it after the table
    heights = page.evaluate(
        "document.querySelector('.studio-scene').stage.scene.children"
        ".flatMap(o => o.children).filter(o => o.matrixAutoUpdate === false && o.children.length"
        " && o.children[0].setThin).map(o => o.matrixWorld.elements[14])"
    )
    assert heights == pytest.approx([0, 0.61])  # each path stands on its own mount
    tab.picture("studio-two-mounts")
