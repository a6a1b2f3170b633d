"""The documentation says what the code does: tables, examples, names, links and error sentences."""

import re
import warnings
from importlib import import_module
from pathlib import Path

import pytest

import erfd
from erfd.dynamics import methods
from erfd.errors import RobotError
from erfd.robot.readers.table import Table
from erfd.robot.readers.toml import DRIVE_KEYS
from support.pages import POSE, prose, rows
from support.paths import DATA, DOCS, ROOT

PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
THEORY = (DOCS / "theory.md").read_text()
FORMAT = (DOCS / "robot-format.md").read_text()
EXAMPLES = [
    block for block in re.findall(r"```toml\n(.*?)```", FORMAT, re.S) if "format = 1" in block
]
KEYS = {
    "Top level": {"format", "name", "title", "source", "illustrative", "angle_unit", "gravity"}
    | {"mount", "base", "tool", "joint", "link", "drive"},
    "Placements": POSE,
    "Joints": {"name", "kind", "theta", "d", "a", "alpha", "after", "damping"}
    | {"position", "velocity", "acceleration", "jerk"},
    "Links": {"name", "mass", "center", "inertia", "visual"},
    "Visuals": {"shape", "radius", "length", "points", "size", "color"} | POSE,
    "Drives": {*DRIVE_KEYS, "coupling", "curve"},
}
"""What the page on the robot format explains, by section."""

SECTIONS = {
    r"": "Top level",
    r"\[mount\]|\[tool\]|.*\.after": "Placements",
    r"\[\[joint\]\] \d+": "Joints",
    r"\[\[link\]\] \d+": "Links",
    r".*\[\[visual\]\] \d+": "Visuals",
    r"\[\[drive\]\] \d+": "Drives",
}
"""Where the reader is in a file, and the section that explains the keys there."""


def test_table_of_methods_and_quantities() -> None:
    header, *body = rows(THEORY, "Which method serves which quantity")
    quantities = [cell.strip("`") for cell in header[1:-1]]
    assert quantities == list(methods.FORMULATED_QUANTITIES)
    assert [row[0].strip("`") for row in body] == list(methods.METHODS)
    for row in body:
        method = row[0].strip("`")
        served = ["yes" if methods.serves(method, q) else "-" for q in quantities]
        assert row[1:-1] == served, method
        assert f"dynamics/{method}.py" in row[-1]


def test_every_method_has_its_section() -> None:
    assert re.findall(r"^### `(\w+)`", THEORY, re.M) == list(methods.METHODS)
    for method in methods.METHODS:
        assert re.search(rf"`{method}\.\w+`", THEORY), method  # mapped to a function


def named(name: str) -> object:
    """What a dotted name stands for: in the package, a module of two of its parts, or CasADi."""
    first, *rest = name.split(".")
    places = [f"erfd.{part}.{first}" for part in ("dynamics", "kernels")]
    files = [ROOT / "src" / f"{place.replace('.', '/')}.py" for place in places]
    homes = [place for place, file in zip(places, files, strict=True) if file.exists()]
    found: object = import_module(homes[0] if homes else first)
    for part in rest:
        found = getattr(found, part)
    return found


def test_names_in_the_theory_exist() -> None:
    names = set(re.findall(r"`([A-Za-z]\w*(?:\.\w+)+)`", THEORY))
    names = {name for name in names if not name.endswith(".py")}
    assert len(names) > 50
    for name in sorted(names):
        assert named(name) is not None


def test_terms_by_name() -> None:
    robot = erfd.load("two_link")
    for method in ("mrnea", "lagrange", "dalembert"):
        for name in erfd.terms(robot, [0, 0], [0, 0], method=method):
            assert f"`{name}`" in THEORY, (method, name)


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
    for key in set().union(*KEYS.values()) - {"a", "axis", "base", "after"}:
        assert re.search(rf"\b{key}\b", full), key


def test_every_key_of_the_reader_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, set[str]] = {}
    done = Table.done

    def remember(table: Table) -> None:
        asked.setdefault(re.sub(r"^\[base\] ", "", table.where), set()).update(table.known)
        done(table)

    monkeypatch.setattr(Table, "done", remember)
    path = tmp_path / "robot.toml"
    path.write_text(EXAMPLES[-1])
    erfd.load(path)
    base = asked.pop("[base]")
    assert base == POSE | {"visual"}
    found: dict[str, set[str]] = {}
    for where, keys in asked.items():
        section = next(name for pattern, name in SECTIONS.items() if re.fullmatch(pattern, where))
        found.setdefault(section, set()).update(keys)
    assert found == KEYS


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


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = prose(page.read_text())
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        path = page.parent / file if file else page
        assert path.exists(), f"{page.name}: {target}"
        if anchor and path.suffix == ".md":
            assert anchor in anchors(path.read_text()), f"{page.name}: {target}"


def anchors(text: str) -> set[str]:
    """The anchors that GitHub makes of a page's headings."""
    titles = re.findall(r"^#+ (.*)$", prose(text), re.M)
    return {re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-") for title in titles}


def test_formulas_survive_markdown() -> None:
    """Markdown must not take an underscore for emphasis or a backslash for an escape."""
    text = re.sub(r"`[^`\n]*`", "", prose(THEORY))
    for display, inline in re.findall(r"\$\$(.+?)\$\$|\$(.+?)\$", text):
        formula = display or inline
        assert not re.search(r"[^A-Za-z0-9]_|\\[^A-Za-z]|\*", formula), formula
        assert formula.count("{") == formula.count("}"), formula
        lefts = len(re.findall(r"\\left\b", formula))
        assert lefts == len(re.findall(r"\\right\b", formula)), formula
