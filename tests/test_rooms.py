"""The order in which the rooms of src/erfd may know each other."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import erfd

ROOT = Path(erfd.__file__).parent
ROOMS = (
    "robot", "dynamics", "kernels", "mechanics", "drives", "ik", "planning", "lirl", "run",
    "achieve", "timing", "forward", "cell", "report", "verification", "studies", "codegen",
    "equations", "bench", "monitor", "studio", "shell", "reproduce", "commands",
)  # fmt: skip
"""Each knows only those before it; design and reasons: CONTRIBUTING.md."""
GROUND = ("errors", "ground")
"""What every room may use, and what uses none."""
FRONT = ("__init__", "__main__", "cli")
"""The entrance: may use all rooms, and is used by none but for the version."""


def imports(text: str, package: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Line and dotted target, from erfd down, of every import, lazy ones too."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, a.name[5:]) for a in node.names if a.name.startswith("erfd."))
        elif isinstance(node, ast.ImportFrom) and (
            node.level or (node.module or "").split(".")[0] == "erfd"
        ):
            home = package[: len(package) - node.level + 1] if node.level else ()
            module = (node.module or "").split(".") if node.module else []
            parts = [*home, *(module if node.level else module[1:])]
            for alias in node.names:
                yield node.lineno, ".".join([*parts, alias.name])


def allowed(room: str, target: str) -> bool:
    """Whether a file of this room may import that."""
    first = target.split(".")[0]
    if room in FRONT or first in GROUND or first == "__version__":
        return room not in GROUND or first == "errors" or (room, first) == ("ground", "ground")
    if first in FRONT or first not in ROOMS:
        return False
    return room in ROOMS and ROOMS.index(first) <= ROOMS.index(room)


def test_every_folder_is_a_room_in_the_order() -> None:
    folders = {p.parent.relative_to(ROOT).parts[0] for p in ROOT.glob("*/**/*.py")}
    assert folders == {*ROOMS, "ground"}
    assert {p.stem for p in ROOT.glob("*.py")} == {"errors", *FRONT}


@pytest.mark.parametrize("room", [*ROOMS, *GROUND])
def test_a_room_knows_only_those_before_it(room: str) -> None:
    files = [ROOT / f"{room}.py"] if room == "errors" else sorted((ROOT / room).rglob("*.py"))
    against = [
        f"{path.relative_to(ROOT)}:{line} imports {target}"
        for path in files
        for line, target in imports(path.read_text(), path.relative_to(ROOT).parts[:-1])
        if not allowed(room, target)
    ]
    assert not against


def test_the_law_sees_lazy_imports_and_back_edges() -> None:
    text = "def f():\n    from ..report.plots import run\n    import erfd.studio.session\n"
    seen = [target for _, target in imports(text, ("run",))]
    assert seen == ["report.plots.run", "studio.session"]
    assert not any(allowed("run", target) for target in seen)
    assert allowed("report", "run.run")


def test_no_room_has_the_name_of_a_public_function() -> None:
    """Else `import erfd.NAME.x` would put the package in the function's place."""
    assert not {*ROOMS, *GROUND} & ({*erfd.__all__} - {"errors"})
