"""docs/parts.md says what the code does: keys, densities, the example and its mistakes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import erfd
from erfd.errors import RobotError
from erfd.robot.parts import build, read, weigh
from erfd.robot.parts import reader as file
from erfd.robot.parts.materials import MATERIALS
from erfd.robot.readers.table import Table
from support.pages import POSE, rows
from support.paths import DOCS

PAGE = (DOCS / "parts.md").read_text()
ROBOT_KEYS = {"format", "name", "title", "source", "illustrative", "angle_unit", "gravity"}
ROBOT_KEYS |= {"mount", "tool", "joint", "drive", "cycle_time", "turning", "bus_power"}
ROBOT_KEYS |= {"frame", "touching"}
EXAMPLE = re.findall(r"```toml\n(.*?)```", PAGE, re.S)[0]
SHAPE_KEYS = {
    row[0].strip("`"): set(re.findall(r"`(\w+)`", row[2])) for row in rows(PAGE, "Shapes")[1:]
}

SECTIONS = {
    r"": "Top level",
    r"\[material\.\w+\]": "Materials",
    r"\[part\.\w+\]": "Parts",
    r"\[\[link\]\] \d+": "Links",
    r"(\[base\]|\[\[link\]\] \d+) \[\[part\]\] \d+": "Parts in links",
}
"""Where the reader is in a file, and the section that explains the keys there."""


@pytest.fixture
def pendulum(tmp_path: Path) -> Path:
    path = tmp_path / "pendulum.parts.toml"
    path.write_text(EXAMPLE)
    return path


def keys(title: str) -> set[str]:
    _, *body = rows(PAGE, title)
    found = [row[0].strip("`") for row in body]
    assert len(found) == len(set(found))
    assert all(all(row) for row in body)
    return set(found)


def test_every_key_of_the_reader_is_explained(
    pendulum: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, set[str]] = {}
    done = Table.done

    def remember(table: Table) -> None:
        asked.setdefault(table.where, set()).update(table.allowed)
        done(table)

    monkeypatch.setattr(Table, "done", remember)
    read(pendulum)
    assert asked.pop("[base]") == POSE | {"part"}
    found: dict[str, set[str]] = {}
    for where, known in asked.items():
        section = [name for pattern, name in SECTIONS.items() if re.fullmatch(pattern, where)]
        if section:
            found.setdefault(section[0], set()).update(known)
    found["Top level"] -= ROBOT_KEYS
    assert found == {title: keys(title) for title in SECTIONS.values()}
    sections = {w: known for w, known in asked.items() if w.endswith("[[section]] 1")}
    assert len(sections) == 3
    for known in sections.values():
        own = known - keys("Sections")
        assert own in SHAPE_KEYS.values()
        assert known == keys("Sections") | own


def test_every_shape_has_its_row_and_drawing() -> None:
    assert tuple(SHAPE_KEYS) == file.SHAPES
    for row in rows(PAGE, "Shapes")[1:]:
        picture = re.search(r"\((images/[\w.-]+)\)", row[1])
        assert picture
        assert (DOCS / picture[1]).exists()


@pytest.mark.parametrize("kind", SHAPE_KEYS)
def test_keys_of_the_shapes(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import trimesh

    trimesh.creation.box((0.1, 0.1, 0.1)).export(tmp_path / "it.obj")
    values = {
        "cylinder": "radius = 1\nlength = 1",
        "semi-cylinder": "radius = 1\nlength = 1",
        "box": "size = [1, 1, 1]",
        "sphere": "radius = 1",
        "prism": "length = 1\npoints = [[0, 0], [1, 0], [0, 1]]",
        "mesh": 'file = "it.obj"',
    }
    asked: set[str] = set()
    done = Table.done

    def remember(table: Table) -> None:
        if table.where.endswith("[[section]] 1"):
            asked.update(table.allowed)
        done(table)

    monkeypatch.setattr(Table, "done", remember)
    path = tmp_path / "one.parts.toml"
    path.write_text(
        f'format = 1\nname = "one"\n[[joint]]\n[[link]]\n[[link.part]]\n'
        f'[[link.part.section]]\nshape = "{kind}"\nmass = 1\n{values[kind]}'
    )
    assert build(read(path)).links[0].mass == pytest.approx(1.0)
    assert asked == keys("Sections") | SHAPE_KEYS[kind]


def test_densities() -> None:
    section = PAGE.partition("\n## Materials\n")[2].partition("\n## ")[0]
    found = dict(re.findall(r"`([\w-]+)` \| (\d+)", section))
    assert {name: float(density) for name, density in found.items()} == {
        name: material.density for name, material in MATERIALS.items()
    }


def test_the_example_builds_and_moves(pendulum: Path, tmp_path: Path) -> None:
    robot = erfd.load(pendulum)
    assert erfd.forward_dynamics(robot, [0.0], [0.0], [0.0]).shape == (1,)
    (tube, lower, upper), *_ = (item.items for item in weigh(read(pendulum)))
    assert lower.body.mass == pytest.approx(upper.body.mass)
    assert lower.body.center == pytest.approx((-0.05, 0.0, 0.0))
    assert tube.body.center == pytest.approx((-0.3, 0.0, 0.0))
    erfd.save(robot, tmp_path / "pendulum.toml")
    assert erfd.load(tmp_path / "pendulum.toml") == robot


def test_the_python_of_the_page_runs(
    pendulum: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.chdir(pendulum.parent)
    code = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    assert len(code) == 1
    exec(compile(code[0], "parts.md", "exec"), {})
    assert capsys.readouterr().out.startswith("rod ")


def test_the_commands_of_the_page_run(
    pendulum: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    from erfd.cli import main

    monkeypatch.chdir(pendulum.parent)
    lines = re.findall(r"^erfd (parts .*?)(?:  +#.*)?$", PAGE, re.M)
    assert len(lines) == 4
    for line in lines:
        assert main(line.split()) == 0, line
    assert Path("pendulum.toml").exists()
    assert Path("arm.png").exists()
    capsys.readouterr()


MISTAKES = [[cell.strip("`") for cell in row] for row in rows(PAGE, "Checks")[1:]]


@pytest.mark.parametrize(("old", "new", "sentence"), MISTAKES, ids=[row[1] for row in MISTAKES])
def test_error_sentences(old: str, new: str, sentence: str, pendulum: Path) -> None:
    assert old in EXAMPLE
    pendulum.write_text(EXAMPLE.replace(old, new, 1))
    with pytest.raises(RobotError) as caught:
        erfd.load(pendulum)
    assert str(caught.value) == sentence
