"""All pages: links lead somewhere, tests that they name exist, formulas survive Markdown."""

import re
from pathlib import Path

import pytest

from support.pages import prose
from support.paths import DOCS, ROOT

THEORY = (DOCS / "theory.md").read_text()

PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted(path for path in DOCS.rglob("*.md") if not {"_build", "made"} & {*path.parts}),
]
WITHOUT_LINKS = {"errata.md"}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    targets = links(page)
    assert targets or page.name in WITHOUT_LINKS or "{toctree}" in page.read_text()
    for target in targets:
        file, _, anchor = target.partition("#")
        path = page.parent / file if file else page
        assert path.exists(), f"{page.name}: {target}"
        if anchor and path.suffix == ".md":
            assert anchor in anchors(path.read_text()), f"{page.name}: {target}"


def links(page: Path) -> list[str]:
    """The targets of a page's links, but for those in the web."""
    targets = re.findall(r"\]\(([^)\s]+)\)", prose(page.read_text(encoding="utf-8")))
    made = "made/"  # pages that the site makes of the code; its build follows links to them
    return [t for t in targets if not re.match(r"[a-z]+:", t) and made not in t]


def test_pages_have_links() -> None:
    assert sum(len(links(page)) for page in PAGES) > 150
    assert all(links(page) == [] for page in PAGES if page.name in WITHOUT_LINKS)


def test_tests_that_are_named_exist() -> None:
    """By pages, by the Makefile and by the settings of the tools; a name may have stars."""
    texts = [*PAGES, *(ROOT / name for name in ("Makefile", "pyproject.toml"))]
    named = [
        (path.name, name)
        for path in texts
        for name in re.findall(r"\btests/[\w/*.]*[\w*]", path.read_text(encoding="utf-8"))
    ]
    assert len(named) > 20
    for path, name in named:
        assert any(ROOT.glob(name)), f"{path}: {name}"


def anchors(text: str) -> set[str]:
    """The anchors that GitHub makes of a page's headings."""
    titles = re.findall(r"^#+ (.*)$", prose(text), re.M)
    return {re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-") for title in titles}


def test_formulas_survive_markdown() -> None:
    """Markdown must not take an underscore for emphasis or a backslash for an escape."""
    text = re.sub(r"`[^`\n]*`", "", prose(THEORY))
    formulas = re.findall(r"\$\$(.+?)\$\$|\$(.+?)\$", text)
    assert len(formulas) > 300
    for display, inline in formulas:
        formula = display or inline
        assert not re.search(r"[^A-Za-z0-9]_|\\[^A-Za-z]|\*", formula), formula
        assert formula.count("{") == formula.count("}"), formula
        lefts = len(re.findall(r"\\left\b", formula))
        assert lefts == len(re.findall(r"\\right\b", formula)), formula
