"""The recipe for conda and the container file say what pyproject.toml says."""

import re
import tomllib

from support.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_recipe_needs_what_the_package_needs() -> None:
    recipe = (ROOT / "packaging/conda/recipe.yaml").read_text()
    needed = re.findall(r"^ +- ([\w-]+) (>=\S+)$", recipe.partition("  run:")[2], re.M)
    wanted = [re.fullmatch(r"([\w-]+)(>=.+)", line).groups() for line in PROJECT["dependencies"]]
    assert sorted(needed) == sorted([*wanted, ("python", PROJECT["requires-python"])])


def test_the_container_has_a_python_that_is_supported() -> None:
    text = (ROOT / "packaging/Containerfile").read_text()
    versions = set(re.findall(r"^FROM python:([\d.]+)-slim", text, re.M))
    workflow = (ROOT / ".github/workflows/tests.yml").read_text()
    assert len(versions) == 1
    assert f'"{versions.pop()}"' in workflow


def test_every_extra_that_a_sentence_names_is_there() -> None:
    """In code and on pages: pip install 'erfd[NAME]'; all but those of developers are in `all`."""
    extras = PROJECT["optional-dependencies"]
    named = set()
    for folder in ("src", "docs", "README.md"):
        place = ROOT / folder
        for path in [place] if place.is_file() else [*place.rglob("*.py"), *place.rglob("*.md")]:
            if "_build" not in path.parts:
                found = re.findall(r"erfd\[([\w,]+)\]", path.read_text(encoding="utf-8"))
                named |= {name for names in found for name in names.split(",")}
                text = path.read_text(encoding="utf-8")
                named |= set(re.findall(r'import_optional\([^)]*"(\w+)"\)', text))
    assert len(named) > 8
    assert named <= set(extras)
    (everything,) = re.findall(r"\[(.*)\]", extras["all"][0])
    assert set(everything.split(",")) == set(extras) - {"all", "peers", "test", "docs", "dev"}
