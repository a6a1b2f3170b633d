"""docs/theory.md: its table of methods, its sections and its names are those of the code."""

import re
from importlib import import_module

import erfd
from erfd.dynamics import methods
from support.pages import rows
from support.paths import DOCS, ROOT

THEORY = (DOCS / "theory.md").read_text()


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
