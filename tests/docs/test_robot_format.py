"""docs/robot-format.md: keys, defaults, examples and error sentences are those of the code."""

import re
import warnings
from pathlib import Path

import pytest

import erfd
from erfd.errors import RobotError
from erfd.robot.readers.table import Table
from erfd.robot.readers.toml import DRIVE_KEYS
from support.pages import POSE, rows
from support.paths import DATA, DOCS

FORMAT = (DOCS / "robot-format.md").read_text()
EXAMPLES = [
    block for block in re.findall(r"```toml\n(.*?)```", FORMAT, re.S) if "format = 1" in block
]
KEYS = {
    "Top level": {"format", "name", "title", "source", "illustrative", "angle_unit", "gravity"}
    | {"mount", "base", "tool", "joint", "link", "drive", "cycle_time", "turning", "bus_power"}
    | {"frame", "touching"},
    "Placements": POSE,
    "Joints": {"name", "kind", "theta", "d", "a", "alpha", "after", "damping"}
    | {"position", "velocity", "acceleration", "jerk"},
    "Links": {"name", "mass", "center", "inertia", "visual", "collision"},
    "Visuals": {"shape", "radius", "length", "points", "size", "color"} | POSE,
    "Meshes": {"file", "scale", "data"},
    "Frames": {"name", "link"} | POSE,
    "Drives": {*DRIVE_KEYS, "coupling", "curve"},
}
"""What the page on the robot format explains, by section."""

SECTIONS = {
    r"": "Top level",
    r"\[mount\]|\[tool\]|.*\.after": "Placements",
    r"\[\[joint\]\] \d+": "Joints",
    r"\[\[link\]\] \d+": "Links",
    r".*\[\[(visual|collision)\]\] \d+": "Visuals",
    r"\[\[frame\]\] \d+": "Frames",
    r"\[\[drive\]\] \d+": "Drives",
}
"""Where the reader is in a file, and the section that explains the keys there."""


@pytest.mark.parametrize("text", EXAMPLES, ids=lambda text: text.split('"')[1])
def test_robots_of_the_page_load_and_move(text: str, tmp_path: Path) -> None:
    path = tmp_path / "robot.toml"
    path.write_text(text)
    robot = erfd.load(path)
    still = [0.0] * robot.n
    assert erfd.forward_dynamics(robot, still, still, still).shape == (robot.n,)
    erfd.save(robot, tmp_path / "copy.toml")
    assert erfd.load(tmp_path / "copy.toml") == robot


def test_there_is_a_small_and_a_full_example() -> None:
    small, full = EXAMPLES
    assert len(small.split()) < 40
    for key in set().union(*KEYS.values()) - KEYS["Meshes"] - {"a", "axis", "base", "after"}:
        assert re.search(rf"\b{key}\b", full), key


def test_every_key_of_the_reader_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, set[str]] = {}
    done = Table.done

    def remember(table: Table) -> None:
        asked.setdefault(re.sub(r"^\[base\] ", "", table.where), set()).update(table.allowed)
        done(table)

    monkeypatch.setattr(Table, "done", remember)
    path = tmp_path / "robot.toml"
    path.write_text(EXAMPLES[-1])
    erfd.load(path)
    base = asked.pop("[base]")
    assert base == POSE | {"visual", "collision"}
    found: dict[str, set[str]] = {}
    for where, keys in asked.items():
        section = next(name for pattern, name in SECTIONS.items() if re.fullmatch(pattern, where))
        found.setdefault(section, set()).update(keys)
    assert found | {"Meshes": KEYS["Meshes"]} == KEYS  # test_shapes reads those


@pytest.mark.parametrize("section", KEYS)
def test_keys_have_a_row_each(section: str) -> None:
    _, *body = rows(FORMAT, section)
    explained = [row[0].strip("`") for row in body]
    assert len(explained) == len(set(explained))
    assert set(explained) == KEYS[section]
    assert all(all(row) for row in body)


def test_defaults_of_the_drives() -> None:
    words = {"unlimited": "inf", "unknown": "nan"}
    for row in rows(FORMAT, "Drives")[1:]:
        key = row[0].strip("`")
        if key in DRIVE_KEYS:
            assert str(DRIVE_KEYS[key]).removesuffix(".0") == words.get(row[2], row[2]), key


def test_gears_of_lola_15() -> None:
    """The rounded rows of K on the page are those of the bundled robot."""
    robot = erfd.load("lola15")
    found = re.findall(r"^\| (\d) \| ([\d.]+) \| (?:-|`\[(.*?)\]`) \|", FORMAT, re.M)
    assert [int(number) for number, _, _ in found] == list(range(1, 7))
    for number, ratio, coupling in found:
        i = int(number) - 1
        row = [float(x) for x in coupling.split(",")] if coupling else [0.0] * robot.n
        row[i] = float(ratio)
        assert row == pytest.approx(robot.gear_matrix[i], abs=5e-4)


MISTAKES = [[cell.strip("`") for cell in row] for row in rows(FORMAT, "Checks")[1:]]


@pytest.mark.parametrize(("old", "new", "sentence"), MISTAKES, ids=[row[1] for row in MISTAKES])
def test_error_sentences(old: str, new: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "picker.toml"
    assert old in EXAMPLES[-1]
    path.write_text(EXAMPLES[-1].replace(old, new, 1))
    with pytest.raises(RobotError) as caught:
        erfd.load(path)
    assert str(caught.value) == sentence


def test_sentences_about_urdf() -> None:
    """The warnings of the page are those of the gripper arm, and so are its errors."""
    path = DATA / "gripper_arm.urdf"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        erfd.load(path, tip="tool0", locked={"grip": 0.01})
    said = [str(warning.message) for warning in caught]
    for choice in ({}, {"tip": "tol0"}, {"base": "boom", "tip": "mast"}, {"tip": "right_finger"}):
        with pytest.raises(RobotError) as error:
            erfd.load(path, **choice)
        said.append(str(error.value))
    for sentence in said:
        assert f"\n{sentence}\n" in FORMAT
