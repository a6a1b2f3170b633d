"""The referee's rules share nothing with what they judge."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
RULES = sorted((HERE / "rules").glob("*.py"))
ALLOWED = {"numpy", "pinocchio", *sys.stdlib_module_names} - {"importlib", "runpy", "subprocess"}


def roots(text: str) -> set[str]:
    """What a text imports from outside its own package."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            # one dot: a neighbour in the rules; two: the harness, which knows ERFD
            found.add((node.module or "").split(".")[0] if not node.level else "." * node.level)
        elif isinstance(node, ast.Name) and node.id in ("__import__", "exec", "eval"):
            found.add(node.id)
    return found - {"."}


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)
def test_rules_import_only_numpy_and_pinocchio(path: Path) -> None:
    assert roots(path.read_text(encoding="utf-8")) <= ALLOWED


def test_c_texts_include_only_the_standard_library() -> None:
    texts = [path.read_text(encoding="utf-8") for path in sorted((HERE / "rules").glob("*.c"))]
    included = {line for text in texts for line in text.splitlines() if line.startswith("#include")}
    assert texts
    assert included <= {"#include <stdint.h>", "#include <math.h>"}


def test_the_law_sees_such_imports() -> None:
    assert len(RULES) >= 8
    text = "from erfd.drives import Drives\nfrom ..arms import pair\nfrom .arm import Arm\n"
    assert roots(text) == {"erfd", ".."}
    assert not roots(text) <= ALLOWED


def test_nothing_of_the_referee_uses_the_helpers_of_other_tests() -> None:
    for path in HERE.rglob("*.py"):
        assert "support" not in roots(path.read_text(encoding="utf-8")), path
