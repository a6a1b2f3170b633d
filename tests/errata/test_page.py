"""docs/errata.md names every errata test, and no test that does not exist."""

from __future__ import annotations

import re
from pathlib import Path

from support.paths import DOCS

HERE = Path(__file__).parent
PAGE = (DOCS / "errata.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\d+) \| (.*) \| (.*) \|$", PAGE, re.MULTILINE)


def names_in_files() -> set[str]:
    texts = [path.read_text(encoding="utf-8") for path in HERE.glob("test_*.py")]
    return {name for text in texts for name in re.findall(r"^def (test_\d+_\w+)", text, re.M)}


def test_every_erratum_has_a_row_and_a_section() -> None:
    assert [int(number) for number, _, _ in ROWS] == list(range(1, 30))
    sections = re.findall(r"^### (\d+)\. ", PAGE, re.MULTILINE)
    assert [int(number) for number in sections] == list(range(1, 30))


def test_page_and_tests_name_each_other() -> None:
    named = set()
    for number, subject, proofs in ROWS:
        tests = re.findall(r"`(\w+)`", proofs)
        assert tests, subject
        assert all(name.startswith(f"test_{number}_") for name in tests), subject
        named.update(tests)
    assert named == names_in_files()
