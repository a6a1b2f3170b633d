"""The four doors of the site: every page behind one of them, and code that fits."""

import ast
import re
import shlex
from inspect import signature
from pathlib import Path

import pytest

import erfd
from erfd.cli import parser
from support.notebooks import cells
from support.paths import DOCS

DOORS = ("tutorials", "how-to", "reference", "explanation")
PAGES = [
    path.relative_to(DOCS)
    for path in sorted(DOCS.rglob("*.md"))
    if not {"_build", "made"} & {*path.parts} and path.name != "index.md"
]
RUN = [page for page in PAGES if cells(DOCS / page)]


def behind(door: str) -> list[Path]:
    """The pages that the door's index lists."""
    text = (DOCS / door / "index.md").read_text(encoding="utf-8")
    listed = re.findall(r"^```\{toctree\}\n(.*?)^```", text, re.S | re.M)
    names = [line for block in listed for line in block.splitlines() if line[:1] not in ("", ":")]
    places = [(DOCS / door / f"{name}.md").resolve() for name in names]
    return [path.relative_to(DOCS) for path in places if "made" not in path.parts]


def test_every_page_is_behind_one_door() -> None:
    found = [page for door in DOORS for page in behind(door)]
    assert sorted(found) == PAGES


def test_the_front_page_has_the_four_doors() -> None:
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    assert tuple(re.findall(r"^:link: ([\w-]+)/index$", text, re.M)) == DOORS


def test_tutorials_and_tasks_have_code_that_is_run() -> None:
    named = {page.parent.name for page in RUN}
    assert named == {"tutorials", "how-to"}
    assert {page for page in PAGES if page.parent.name in named} - {*RUN} == {
        Path("how-to/install.md")
    }


@pytest.mark.parametrize("page", RUN, ids=str)
def test_the_code_of_a_page_is_of_today(page: Path) -> None:
    """It parses, its public names and commands are there; `make site` runs it all."""
    for code in cells(DOCS / page):
        if code.startswith("!"):
            words = shlex.split(code[1:].partition("<")[0])
            if words[0] == "erfd":
                parser().parse_args(words[1:])
            continue
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "erfd":
                assert node.attr in erfd.__all__
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("erfd."):
                name = ast.unparse(node.func).partition(".")[2]
                given = {keyword.arg for keyword in node.keywords} - {None}
                if name.isidentifier():
                    assert given <= set(signature(getattr(erfd, name)).parameters), name
