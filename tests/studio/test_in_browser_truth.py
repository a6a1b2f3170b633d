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
