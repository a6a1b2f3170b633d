"""The Study tab in a real browser: what varies, progress, the probability, a point of the map."""

from collections.abc import Iterator

import pytest

import erfd
from support.studio_browser import Server, chromium, needed, studio, tabs

pytestmark = needed
PORT = 8467


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Server]:
    with studio(tmp_path_factory.mktemp("studio"), PORT) as found:
        yield found


@pytest.fixture
def open_tab(server):
    with chromium() as browser, tabs(browser, server.url) as make:
        yield make


def test_a_study_and_a_variant_of_it(open_tab, server) -> None:
    tab = open_tab().ready()
    page = tab.page
    tab.tab("Study")
    fields = page.locator(".studio-study .row .wide input")
    fields.nth(0).fill("uniform(0, 300)")
    fields.nth(1).fill("0.8..")
    page.wait_for_timeout(400)
    page.get_by_role("button", name="Run the study").click()
    page.wait_for_selector(".q-notification:has-text('vary friction: expected normal')")
    fields.nth(1).fill("0.8..1.2")
    page.wait_for_timeout(400)
    page.get_by_role("button", name="Run the study").click()
    page.wait_for_selector(".studio-study .headline")
    text = page.locator(".studio-study .headline").inner_text()
    assert "of 1000 variants" in text
    assert "feasible with a probability of" in text
    assert page.locator(".studio-study figure svg").count() >= 3
    cells = page.locator(".studio-study .map [data-cell]")
    assert cells.count() == 31 * 31
    tab.picture("studio-study")
    cell = page.locator(".studio-study .map [data-cell='3,30']")
    said = cell.locator("title").text_content()
    cell.click()
    page.wait_for_selector(".studio-scene[data-runs='1']")
    page.wait_for_selector(".verdict.old")  # of another payload than the set-up has
    kept = list((server.folder / "erfd" / "runs").glob("*/run.parquet"))
    assert len(kept) == 1
    run = erfd.read_run(kept[0])
    assert run.feasible == ("margin -" not in str(said))
    assert not tab.outside
    assert not tab.wrong


def test_a_study_can_be_cancelled(open_tab) -> None:
    tab = open_tab().ready()
    page = tab.page
    tab.tab("Study")
    page.locator(".studio-study .buttons input").fill("200000")
    page.locator(".studio-study .row .wide input").nth(0).fill("uniform(0, 30)")
    page.wait_for_timeout(400)
    page.get_by_role("button", name="Run the study").click()
    page.locator(".studio-study").get_by_role("button", name="Cancel").click()
    page.locator(".studio-study").get_by_role("button", name="Cancel").wait_for(state="hidden")
    page.get_by_role("button", name="Run the study").wait_for()
    assert not page.locator(".studio-study .headline").count()
