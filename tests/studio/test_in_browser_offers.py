"""Repair and Fastest in a real browser: what is offered, accepted or left, and what is compared."""

from collections.abc import Iterator

import pytest

import erfd
from erfd.verification import verify
from support.languages import left
from support.studio_browser import Server, chromium, needed, studio, tabs

pytestmark = needed
PORT = 8451
FORCE = [100, 100, -150, 0, 0, 0]  # as the demonstration has it, which every tab opens with
LINE = "  move lin a + (0, 300, 0) speed=3000 acc=20000;"
PROGRAM = f"""program Lola15DD;
var
  robtarg: a = robtarg(((900, -150, 500), (0, -60, -175)), 4);
endvar
seq
  move ptp a speed_ptp=0.5;
{LINE}
  move lin a; {{ back }}
endseq
endprogram
"""


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


def write(tab, text: str) -> None:
    """Put a program into the editor, as a person would."""
    tab.page.locator(".cm-content").click()
    tab.page.keyboard.press("Control+A")
    tab.page.keyboard.insert_text(text)
    tab.page.wait_for_timeout(800)  # it reaches the studio in pieces


def text_of(tab) -> str:
    return "\n".join(tab.page.locator(".cm-line").all_inner_texts()).replace("\xa0", " ")


def test_a_repair_is_shown_left_and_accepted(open_tab):
    """A diff of the changed line; left, all stays; accepted, the verdict is of the text shown."""
    assert not verify(PROGRAM, erfd.load("lola15"), wrench=FORCE).feasible
    tab = open_tab().ready()
    page = tab.page
    write(tab, PROGRAM)
    page.get_by_role("button", name="Repair").click()
    page.wait_for_selector(".studio-offer")
    title = page.locator(".studio-offer .title").inner_text()
    assert title.startswith("feasible, lines changed: 1; ")
    assert page.locator(".studio-diff .gone .code").all_inner_texts() == [LINE]
    (new,) = page.locator(".studio-diff .new .code").all_inner_texts()
    assert page.locator(".studio-diff .new .number").inner_text() == "7"
    tab.picture("studio-repair")
    page.reload()  # what is offered is still there
    page.wait_for_selector(".studio-offer")
    page.get_by_role("button", name="Leave it as it is").click()
    page.wait_for_selector(".studio-offer", state="detached")
    assert LINE in text_of(tab)
    assert page.locator(".verdict").inner_text() == "not verified yet"

    page.get_by_role("button", name="Repair").click()
    page.wait_for_selector(".studio-offer")
    page.get_by_role("button", name="Accept and verify").click()
    page.wait_for_selector(".verdict.good")
    page.wait_for_selector(".studio-scene[data-runs='1']")
    shown = PROGRAM.split("\n")
    shown[6] = new
    assert text_of(tab).rstrip() == "\n".join(shown).rstrip()
    found = verify("\n".join(shown), erfd.load("lola15"), wrench=FORCE)
    assert found.feasible
    assert f"{found.seconds:.2f} s" in page.locator(".verdict").inner_text()
    assert f"{found.seconds:.2f} s instead of" in title
    tab.picture("studio-repaired")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+Z")  # the program of before is one step away, and not verified
    page.wait_for_selector(".verdict.old")
    assert LINE in text_of(tab)


def test_a_repair_that_is_not_possible_says_why_in_serbian(open_tab):
    tab = open_tab(language="sr").ready()
    page = tab.page
    write(tab, PROGRAM.replace("seq\n", "seq\n  payload 500 at (0, 0, 100);\n", 1))
    page.get_by_role("button", name="Popravi").click()
    page.wait_for_selector(".studio-offer")
    text = page.locator(".studio-offer").inner_text()
    assert "popravka nije moguća" in text
    assert "ne može da drži ruku" in text
    assert not left(text)
    assert not page.locator(".studio-diff").count()
    tab.picture("studio-repair-none")
    page.get_by_role("button", name="Zatvori").click()
    page.wait_for_selector(".studio-offer", state="detached")


def test_the_fastest_motion_beside_the_programmed_one(open_tab):
    """Both in the picture and in Compare; a program that comes near it can be taken."""
    program = PROGRAM.replace("speed=3000 acc=20000", "speed=100 acc=1000")
    tab = open_tab().ready()
    page = tab.page
    write(tab, program)
    page.get_by_role("button", name="Fastest").click()
    page.wait_for_selector(".studio-scene[data-runs='2']")
    page.wait_for_selector(".q-tab--active:has-text('Compare')")
    row = page.locator(".studio-table tbody tr", has_text="Duration")
    row.wait_for()
    first, second = (float(row.locator("td").nth(k).inner_text().split()[0]) for k in (1, 2))
    found = verify(program, erfd.load("lola15"), wrench=FORCE)
    assert first == pytest.approx(found.seconds, abs=0.02)
    assert second < 0.7 * first
    notes = page.locator(".studio-lower .studio-notes").inner_text()
    assert f"takes {second:.2f} s; as programmed {found.seconds:.2f} s" in notes
    assert "of the time" in notes
    assert page.locator(".verdict.good").count()  # of the program, which is shown
    tab.picture("studio-fastest")
    page.get_by_role("button", name="Show that program").click()
    page.wait_for_selector(".studio-offer .studio-diff .new")
    tab.picture("studio-fastest-program")
    page.get_by_role("button", name="Accept and verify").click()
    page.wait_for_function(
        f"!document.querySelector('.verdict').innerText.includes('{found.seconds:.2f}')"
    )
    page.wait_for_selector(".verdict.good")
    assert text_of(tab) != program


def test_a_search_can_be_cancelled(open_tab, server):
    tab = open_tab().ready()
    page = tab.page
    tab.until(lambda: page.get_by_role("button", name="Fastest").count() == 1, "no button")
    folder = server.folder / "erfd" / "runs"
    before = sorted(path.name for path in folder.iterdir())
    page.get_by_role("button", name="Fastest").click()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Fastest").wait_for()
    assert sorted(path.name for path in folder.iterdir()) == before
