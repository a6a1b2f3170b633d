"""The pages for everybody: names, roles and contrast (WCAG 2.2 AA), large text, small screens."""

from collections.abc import Iterator
from itertools import count

import pytest

import erfd
from erfd.monitor import Publisher
from erfd.report.wording.texts import catalogue
from support.languages import left
from support.studio_browser import Server, chromium, needed, studio, tabs

pytestmark = needed
PORT = 8491
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
EASY = """program Lola15DD;
var
  robtarg: a = robtarg(((900, -150, 500), (0, -60, -175)), 4);
endvar
seq
  move ptp a speed_ptp=0.5;
  move lin a + (0, 300, 0) speed=3000 acc=20000; { there }
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


class Rules:
    """The rules of accessibility, asked of what a page shows, in light and dark."""

    def __init__(self, page) -> None:
        axe = pytest.importorskip("axe_playwright_python.sync_playwright")
        self.page, self.found = page, set()
        page.evaluate(axe.Axe().axe_script)

    def ask(self, where: str, part: str = "body") -> None:
        """Keep what is violated here; what a dialog covers is out of everybody's reach."""
        for dark in (False, True):
            self.page.evaluate(
                """async ([dark, rule]) => {
                  window.Quasar.Dark.set(dark);
                  const still = document.createElement('style');
                  still.textContent = rule;
                  document.head.append(still);
                  await new Promise((done) => setTimeout(done, 100));
                }""",
                [dark, "* { transition: none !important; animation: none !important }"],
            )
            run = "([p, rules]) => axe.run(p, {runOnly: rules, resultTypes: ['violations']})"
            for rule in self.page.evaluate(run, [part, RULES])["violations"]:
                for node in rule["nodes"]:
                    why = (node["any"] + node["all"] + node["none"])[0]["message"]
                    place = f"{where} {'dark' if dark else 'light'}"
                    self.found.add((rule["id"], node["html"][:160], why[:200], place))

    def none(self) -> None:
        """Nothing was violated."""
        assert not self.found, "\n".join(map(str, sorted(self.found)))


def test_everything_has_a_name_a_role_and_contrast(open_tab, server, tmp_path):
    """The main page, tab by tab; what is offered; the live page with a robot on it."""
    tab = open_tab().ready()
    page = tab.page
    rules = Rules(page)
    tab.verify()
    rules.ask("Program, Diagrams")
    left = ("Robot & cell", "Jog", "Runs", "Program")
    for name, below in zip(left, ("Events", "Compare", "Study", "Moves"), strict=True):
        tab.tab(name)
        tab.tab(below)
        page.wait_for_timeout(250)
        rules.ask(f"{name}, {below}", ".studio-left, .studio-lower")
    tab.tab("Program")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(EASY)
    page.wait_for_timeout(800)
    page.get_by_role("button", name="Repair").click()
    page.wait_for_selector(".studio-diff")
    page.wait_for_timeout(400)
    rules.ask("offer", ".studio-offer")
    page.get_by_role("button", name="Leave it as it is").click()
    rules.none()


def test_the_live_page_has_names_roles_and_contrast(open_tab, server):
    """A robot that is watched; the page before, with nothing on it."""
    pytest.importorskip("websockets")
    publisher = Publisher("cell", erfd.load("two_link"), dt=0.01, columns=("q",))
    times = count()

    def live() -> bool:
        t = 0.01 * next(times)
        publisher.publish({"q": [t, -t]}, t=t)
        return page.locator(".chip.live").count() > 0 and page.locator("canvas").count() > 1

    tab = open_tab(wide=700, high=700)
    page = tab.page
    page.goto(server.url + "live")
    page.wait_for_selector(".studio-empty")
    rules = Rules(page)
    rules.ask("live, empty")
    page.get_by_label("Address of a controller").fill(publisher.url)
    page.get_by_role("button", name="Connect").click()
    tab.until(live, "the robot is not live")
    rules.ask("live")
    publisher.close()
    page.wait_for_selector(".chip.lost")
    rules.ask("live, lost")
    rules.none()


@pytest.mark.parametrize(("wide", "high"), [(640, 360), (768, 1024)])
def test_large_text_and_upright_tablets(open_tab, wide, high):
    """A screen of 1280 x 720 at 200 % is half as wide and high; nothing is cut off, all scrolls."""
    tab = open_tab(wide=wide, high=high).ready()
    page = tab.page
    tab.verify()
    assert page.evaluate("document.documentElement.scrollWidth") <= wide
    for selector in (".studio-editor", ".studio-lower"):
        for _ in range(40):
            box = page.locator(selector).bounding_box()
            if box["y"] + 60 < high:
                break
            page.mouse.move(wide / 2, high - 30)
            page.mouse.wheel(0, 200)
            page.wait_for_timeout(60)
        assert box["y"] + 60 < high, "the wheel does not scroll"
        verify = page.get_by_role("button", name="Verify").bounding_box()
        assert 0 <= verify["y"] < high / 4, "Verify is out of sight"
        assert verify["x"] + verify["width"] <= wide


def test_what_is_said_covers_nothing_that_is_needed(open_tab):
    """Three long messages at once: Verify, all tabs and the editor's status stay in sight."""
    tab = open_tab().ready()
    page = tab.page
    page.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(EASY.replace("move lin", "mvoe lin"))
    page.wait_for_selector(".studio-status.bad")
    for _ in range(3):
        page.get_by_role("button", name="Verify").click()
        page.wait_for_timeout(250)
    page.wait_for_selector(".q-notification")
    page.wait_for_timeout(500)
    covered = page.evaluate(
        """() => [...document.querySelectorAll('.studio-header button, .q-tab, .studio-status')]
        .filter((e) => e.offsetParent).filter((e) => {
          const r = e.getBoundingClientRect();
          const [x, y] = [r.x + r.width / 2, r.y + r.height / 2];
          return [r.x + 3, x, r.right - 3].some((at) =>
            document.elementsFromPoint(at, y)[0].closest('.q-notification'));
        }).map((e) => e.innerText)"""
    )
    assert not covered
    rules = Rules(page)
    rules.ask("messages", ".q-notification")
    rules.none()


CATALOGUE = """() => {
  const seen = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const hidden = 'script, style, .cm-editor, .q-icon, i, svg title, .q-uploader__title';
  while (walk.nextNode()) {
    const at = walk.currentNode.parentElement;
    if (!at.closest(hidden) && at.checkVisibility()) seen.push(walk.currentNode.data.trim());
  }
  for (const e of document.querySelectorAll('[aria-label], [placeholder], [title]'))
    if (!e.closest('.cm-editor'))
      seen.push(...['aria-label', 'placeholder', 'title'].map((a) => e.getAttribute(a) ?? ''));
  return seen.filter(Boolean);
}"""


def test_the_main_page_in_serbian_has_no_english_text_of_the_catalogue(open_tab):
    """Tab by tab after a verification: texts, names for screen readers, placeholders."""
    english = {t["en"] for t in catalogue().values() if t["en"] != t["sr"] and " " in t["en"]}
    alike = {t["sr"] for t in catalogue().values()}
    english |= {t["en"] for t in catalogue().values()} - alike
    tab = open_tab(language="sr").ready()
    page = tab.page
    tab.verify()
    found = set()
    sides = ("Robot i okolina", "Ručno", "Rezultati", "Program")
    for name, below in zip(sides, ("Događaji", "Poređenje", "Studija", "Pokreti"), strict=True):
        tab.tab(name)
        tab.tab(below)
        page.wait_for_timeout(250)
        texts = page.evaluate(CATALOGUE)
        assert len(texts) > 40
        found |= {text for text in texts if text in english or left(text) - {"be", "no"}}
    assert not found


def test_a_viewer_cannot_press_what_moves_a_robot(browser, tmp_path):
    """Start, pause, stop, speed and Record are greyed; the diagrams are not."""
    pytest.importorskip("websockets")
    (tmp_path / "tokens").write_text("looker view a-long-secret-of-somebody\n")
    publisher = Publisher("cell", erfd.load("two_link"), dt=0.01, columns=("q",))
    server = Server(tmp_path, "--port", "8493", "--local-token", "--tokens", "tokens")
    try:
        page = browser.new_context().new_page()
        page.goto(server.url)
        page.get_by_label("Token").fill("a-long-secret-of-somebody")
        page.get_by_role("button", name="Open").click()
        page.wait_for_selector(".studio-header")
        page.goto(server.url.split("?")[0].rstrip("/") + "/live")
        page.get_by_label("Address of a controller").fill(publisher.url)
        page.get_by_role("button", name="Connect").click()
        card = page.locator(".live-card")
        card.wait_for()
        for name in ("Start", "Pause", "Stop", "Record"):
            assert card.get_by_role("button", name=name, exact=True).is_disabled(), name
        assert card.locator(".live-speed.disabled").count() == 1
        assert card.get_by_role("button", name="Watch no more").is_enabled()
        page.context.close()
    finally:
        publisher.close()
        server.stop()
