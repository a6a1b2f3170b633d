"""Names of modules, files and attributes: on the pages and in the docstrings of src/, all exist."""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import erfd
from support.paths import DOCS, ROOT

SOURCE = ROOT / "src" / "erfd"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]
MODULES = sorted(SOURCE.rglob("*.py"))
FOLDERS = [ROOT, SOURCE, *sorted(path.parent for path in SOURCE.rglob("__init__.py"))]
MADE = {"benchmarks/last.json", "docs/_build/html", "erfd/sim_history"}
"""Files that come into being."""
OF_FILES = {"erfd.check", "erfd.events", "erfd.format", "erfd.program", "erfd.quantities",
            "erfd.robot", "erfd.version", "erfd.Deviation", "erfd.MotorStates"}  # fmt: skip
"""Keys in run files, which only look like names."""


def spans(text: str) -> list[str]:
    """What stands in backticks, blocks of code left out."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"^ *```.*?^ *```", "", text, flags=re.S | re.M))


def dotted(text: str) -> set[str]:
    """The names `erfd.x.y`, those of imports in blocks of code included."""
    names = set(re.findall(r"(?<![\w/.-])erfd(?:\.[A-Za-z_]\w*)+", text))
    for module, imported in re.findall(r"^ *from (erfd[\w.]*) import (.+)$", text, re.M):
        names |= {f"{module}.{name.split()[0]}" for name in imported.split("#")[0].split(",")}
    return names - OF_FILES


def paths(text: str) -> set[str]:
    """The paths `room/module` and files `something.py`; capitals stand for any name."""
    found = set()
    for span in spans(text):
        found |= set(re.findall(r"^[a-z_]\w*(?:/[\w.*-]*)+$", span))
        found |= set(re.findall(r"(?<![\w/*.])[\w/*.]*\w\.py\b", span))
    return {path for path in found if not re.search(r"\b[A-Z]+\b", path)} - MADE


def named(name: str) -> object:
    """What a dotted name stands for, the longest module first."""
    module, attributes = name, []
    while True:
        try:
            found: object = import_module(module)
            break
        except ModuleNotFoundError:
            module, _, last = module.rpartition(".")
            attributes.insert(0, last)
    for attribute in attributes:
        found = getattr(found, attribute)
    return found


def exists(name: str) -> bool:
    """Whether a dotted name stands for something."""
    try:
        return named(name) is not None
    except AttributeError:
        return False


def is_there(path: str, folders: list[Path]) -> bool:
    """Whether a path, with or without its `.py`, is in one of the folders."""
    return any(any(f.glob(path)) or (f / f"{path}.py").exists() for f in folders)


def without_links(text: str) -> str:
    """A page without links whose text is the name of their file: test_pages follows them."""
    return re.sub(r"\[`?([\w/.]+)`?\]\([^)]*\1\)", "", text)


def today(page: Path) -> str:
    """What a page says of today: the first columns of docs/renamed-modules.md are of yesterday."""
    text = page.read_text(encoding="utf-8")
    if page.name == "renamed-modules.md":
        text = re.sub(r"^\|.*?\| ", "", text, flags=re.M)
    return without_links(text)


def docstrings(module: Path) -> Iterator[str]:
    """All texts that stand alone in a module, those of constants included."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield str(node.value.value)


def test_names_on_pages() -> None:
    found = {(page.name, name) for page in PAGES for name in dotted(today(page))}
    assert len(found) > 200
    for page, name in sorted(found):
        assert exists(name), f"{page}: {name}"


def test_paths_on_pages() -> None:
    """From the project or from src/erfd on; a folder alone (`readers/`) may be in any room."""
    found = {(page.name, path) for page in PAGES for path in paths(today(page))}
    assert len(found) > 80
    for page, path in sorted(found):
        folders = FOLDERS if path.count("/") == 1 and path.endswith("/") else [ROOT, SOURCE]
        assert is_there(path, folders), f"{page}: {path}"


def test_files_in_blocks_of_code() -> None:
    """Where code comes from is drawn in docs/kernels.md."""
    page = (DOCS / "kernels.md").read_text(encoding="utf-8")
    found = re.findall(r"[\w/*]+\.py\b", page)
    assert len(found) > 5
    assert [path for path in found if not is_there(path, [ROOT, SOURCE])] == []


def test_names_and_paths_in_docstrings() -> None:
    """Seen from the module's folder, too; a dotted name of two modules is looked up in src/."""
    looked = 0
    for module in MODULES:
        here = [ROOT, SOURCE, module.parent, module.parent.parent]
        for text in docstrings(module):
            for path in paths(text) | set(re.findall(r"\b(?:docs|tests)/[\w/.-]*\w", text)):
                looked += 1
                assert is_there(path, here) or path == "random.py", f"{module}: {path}"
            for name in dotted(" ".join(spans(text))):
                looked += 1
                assert exists(name), f"{module}: {name}"
    assert looked > 30


STEMS = {path.stem for path in MODULES} | {path.parent.name for path in MODULES}


def test_attributes_of_modules_in_docstrings() -> None:
    """`fixed_step.PythonLoop`: a module or folder of src/, and something that it has."""
    looked = 0
    for module in MODULES:
        for text in docstrings(module):
            for span in spans(text):
                if not re.fullmatch(r"[a-z_]\w*(\.[A-Za-z]\w*)+", span) or span in OF_FILES:
                    continue
                first, *rest = span.split(".")
                if first not in STEMS - OBJECTS or rest[-1] in ("json", "toml", "parquet", "py"):
                    continue
                looked += 1
                assert homes(first, rest), f"{module}: {span}"
    assert looked > 15


OBJECTS = {"cell", "robot", "run", "erfd"}
"""Folders whose names are also those of arguments: `run.events` is of an `erfd.Run`."""


def homes(first: str, rest: list[str]) -> list[object]:
    """All that a dotted name may mean, its first part a module or folder of any room."""
    found: list[object] = []
    for path in MODULES:
        place = path.parent if path.name == "__init__.py" else path.with_suffix("")
        if place.name == first:
            dotted_place = ".".join(("erfd", *place.relative_to(SOURCE).parts))
            try:
                found.append(named(".".join((dotted_place, *rest))))
            except AttributeError:
                continue
    return found


@pytest.mark.parametrize(
    "wrong",
    ["erfd.motion.planner", "erfd.run.write.read_parquet", "erfd.Scedule", "erfd.lirl.words.no"],
)
def test_a_wrong_name_is_seen(wrong: str) -> None:
    assert dotted(f"As `{wrong}(robot)` says.") == {wrong}
    assert not exists(wrong)


@pytest.mark.parametrize(
    "wrong", ["planner_chain.py", "motion/profile", "kernels/crew.py", "simulation/", "llvm/no/"]
)
def test_a_wrong_path_is_seen(wrong: str) -> None:
    assert paths(f"As `{wrong}` says, not `NAME.py`.") == {wrong}
    assert not is_there(wrong, FOLDERS)


def test_a_wrong_attribute_is_seen() -> None:
    assert homes("fixed_step", ["PythonLoop", "run"])
    assert not homes("fixed_step", ["Steps"])
    assert dotted("```\nfrom erfd.lirl import parse, schedule_beside\n```") == {
        "erfd.lirl", "erfd.lirl.parse", "erfd.lirl.schedule_beside",
    }  # fmt: skip
    assert without_links("[`count.py`](a/count.py) [b.py](c.py)") == " [b.py](c.py)"
    assert dotted(today(DOCS / "renamed-modules.md")) >= {"erfd.InputSchedule", "erfd.forward"}


def test_renamed_modules_are_gone() -> None:
    """What docs/renamed-modules.md calls a module of before is none, unless it is a folder now."""
    text = (DOCS / "renamed-modules.md").read_text(encoding="utf-8")
    section = text.partition("\n## Modules\n")[2].partition("\n## ")[0]
    gone = re.findall(r"^\| `(erfd\.[\w.]+)` \| `", section, re.M)
    assert len(gone) > 150
    for name in gone:
        path = SOURCE.parent.joinpath(*name.split("."))
        assert not path.with_suffix(".py").exists(), name


def test_the_public_names_have_a_row_each() -> None:
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^\| `(\w+)", page, re.M)) == sorted(erfd.__all__)
    assert "(docs/api.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_signatures_of_the_public_names() -> None:
    """Arguments in their order, those by name behind the star; `...` stands for others."""
    from inspect import Parameter, signature

    page = (DOCS / "api.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| `(\w+)\(([^)`]*)\)`", page, re.M)
    assert len(found) > 50
    for name, text in found:
        arguments = signature(getattr(erfd, name)).parameters.values()
        expected = [a.name for a in arguments if a.kind is not Parameter.KEYWORD_ONLY]
        rest = [a.name for a in arguments if a.kind is Parameter.KEYWORD_ONLY]
        expected += ["*", *rest] if rest else []
        said = [word.strip() for word in text.split(",") if word.strip()]
        if said[-1:] == ["..."]:
            said = said[:-1]
            expected = expected[: len(said)]
        assert said == expected, name


def test_every_room_of_the_public_names_has_its_section() -> None:
    """A section of docs/api.md holds the names of its room and no others."""
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    for section in page.split("\n## ")[1:]:
        room = re.search(r"\(`(\w+)`\)", section.splitlines()[0])
        assert room is not None, section.splitlines()[0]
        for name in re.findall(r"^\| `(\w+)", section, re.M):
            home = getattr(erfd, name).__module__ if name != "errors" else "erfd.robot"
            assert home.split(".")[1] == room[1], name
