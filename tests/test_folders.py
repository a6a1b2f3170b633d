"""Tests live in folders that mirror the rooms, and share tests/support, not each other."""

import ast
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import erfd
from support.paths import TESTS

MODULES = [path for path in TESTS.rglob("*.py") if not path.is_relative_to(TESTS / "data")]
BESIDES = {"data", "docs", "errata", "golden", "referee", "support", "tools"}
"""Folders that stand for no room: pages, sources, files of earlier versions, tools."""
LONGEST = 400


def imports(text: str) -> Iterator[tuple[str, ...]]:
    """What a text imports, as paths; programs that it has in quotation marks, too."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = tuple((node.module or "").split("."))
            yield from ((*module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Constant) and "import" in str(node.value):
            with suppress(SyntaxError):
                yield from imports(str(node.value))


def of_tests(path: tuple[str, ...]) -> bool:
    """Whether an import is of a test module or a conftest."""
    files = {module.stem for module in MODULES if module.name.startswith("test_")}
    return path[0] == "tests" or not files.isdisjoint(path) or "conftest" in path


def test_no_test_module_imports_another() -> None:
    found = [
        f"{path.relative_to(TESTS)} imports {'.'.join(target)}"
        for path in MODULES
        for target in imports(path.read_text(encoding="utf-8"))
        if of_tests(target)
    ]
    assert not found


def test_the_law_sees_such_imports() -> None:
    text = 'def f():\n    from {0}rooms import ROOMS\n    x = "import {0}folders as y"\n'.format(
        "test_"
    )
    assert [path for path in imports(text) if of_tests(path)] == [
        ("test_rooms", "ROOMS"),
        ("test_folders",),
    ]
    assert not any(of_tests(path) for path in imports("from support.arms import arms"))


def test_every_folder_is_that_of_a_package() -> None:
    source = Path(erfd.__file__).parent
    for path in MODULES:
        folder = path.parent.relative_to(TESTS)
        if folder.parts and folder.parts[0] not in BESIDES:
            assert (source / folder / "__init__.py").exists(), path.relative_to(TESTS)


def test_what_is_shared_has_no_tests() -> None:
    for path in (TESTS / "support").rglob("*.py"):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        assert not [n for n in body if getattr(n, "name", "").startswith("test_")], path.name


def test_a_file_fits_one_subject() -> None:
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= LONGEST, path.relative_to(TESTS)
        assert ast.get_docstring(ast.parse(text)), path.relative_to(TESTS)
