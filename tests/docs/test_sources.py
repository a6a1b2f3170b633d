"""docs/sources.md names every numbered item of the documents, and only what there is."""

from __future__ import annotations

import re
import tomllib

import pytest

from erfd.cli import COMMANDS
from erfd.reproduce.library import ITEMS
from support.pages import rows
from support.paths import DOCS, ROOT
from support.printed_numbers import VERDICTS

PAGE = (DOCS / "sources.md").read_text(encoding="utf-8")
NUMBERED = tomllib.loads((ROOT / "tests/data/numbered_items.toml").read_text(encoding="utf-8"))
COLUMNS = {
    "001 English": ("000 and 001", 0), "001 Serbian": ("000 and 001", 1),
    "000": ("000 and 001", 2), "003": ("003", 0), "004": ("004", 0),
}  # fmt: skip
"""Section and column of the page that name a document's items."""
EQUATION = r"\((?:([A-ZА-Я])\.|(\d)\.)?(\d+)\)"  # noqa: RUF001
WORDS = {
    "figures": r"(?:Figure|Fig\.|Слика) ([\dA-ZА-Я.]*\d)",  # noqa: RUF001
    "tables": r"(?:Table|Табела) ([\dA-ZА-Я.]*\d)",  # noqa: RUF001
    "algorithms": r"(?:Algorithm|Алгоритам) (\d)",
}


def equations_of(span: str) -> set[str]:
    """The numbers from first to last of `B.1-B.14` or `1-92`."""
    first, last = span.split("-")
    head, _, low = first.rpartition(".")
    high = last.rpartition(".")[2]
    return {f"{head}.{k}" if head else str(k) for k in range(int(low), int(high) + 1)}


def named_equations(cell: str) -> set[str]:
    """The numbers in a cell such as `(4), (5)` or `(B.2)-(B.7)`."""
    found: set[str] = set()
    for part in cell.split(","):
        ends = [f"{a or b}.{k}" if a or b else k for a, b, k in re.findall(EQUATION, part)]
        if ends:
            found |= equations_of(f"{ends[0]}-{ends[-1]}")
    return found


def tables() -> list[list[str]]:
    """All rows of the tables with a status, their last cell."""
    lines = [line for line in PAGE.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if len(row) in (5, 7) and row[-1] != "status"]


@pytest.mark.parametrize("document", NUMBERED)
def test_nothing_numbered_is_missing(document: str) -> None:
    section, column = COLUMNS[document]
    cells = [row[column] for row in rows(PAGE, section)[1:]]
    listed = NUMBERED[document]
    expected = set().union(*(equations_of(span) for span in listed["equations"]))
    named = set().union(*(named_equations(cell) for cell in cells))
    assert named == expected
    for kind, pattern in WORDS.items():
        found = {number for cell in cells for number in re.findall(pattern, cell)}
        assert found == set(listed[kind]), kind


def test_every_item_of_the_command_is_on_the_page() -> None:
    named = set(re.findall(r"`erfd reproduce (\d{3}-[\w-]+)`", PAGE))
    assert named == {item.name for item in ITEMS}


def test_the_status_is_the_verdict() -> None:
    seen = 0
    for row in tables():
        items = re.findall(r"`erfd reproduce (\d{3}-[\w-]+)`", " ".join(row))
        for name in items:
            verdict = VERDICTS[name]
            if len(items) == 1 and verdict != "not reproduced":
                assert row[-1] == verdict, row
            else:
                assert verdict in row[-1], row
            seen += 1
    assert seen >= len(ITEMS)


def test_commands_and_methods_exist() -> None:
    from erfd.dynamics.methods import METHODS

    commands = re.findall(r"`erfd ([a-z]+)", PAGE)
    assert len(commands) > 40
    assert set(commands) <= set(COMMANDS)
    for words in re.findall(r"methods? ((?:`\w+`(?: to |, )?)+)", PAGE):
        assert set(re.findall(r"`(\w+)`", words)) <= set(METHODS)


def test_errata_in_statuses_exist() -> None:
    last = max(int(number) for number in re.findall(r"^### (\d+)\. ",
               (DOCS / "errata.md").read_text(encoding="utf-8"), re.M))  # fmt: skip
    for row in tables():
        numbers = re.findall(r"\d+", re.sub(r".*?errat(?:a|um)", "", row[-1])) if (
            "errat" in row[-1]
        ) else []  # fmt: skip
        assert all(1 <= int(number) <= last for number in numbers), row


def test_the_reader_of_cells() -> None:
    assert named_equations("(4), (5)") == {"4", "5"}
    assert named_equations("(B.2)-(B.4)") == {"B.2", "B.3", "B.4"}
    assert named_equations("(2.3)-(2.5)") == {"2.3", "2.4", "2.5"}
    assert equations_of("9-11") == {"9", "10", "11"}
