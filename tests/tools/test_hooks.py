"""The hooks before a commit are what `make lint` runs, from the same environment."""

import json
import re
import shutil
import subprocess

import pytest

from support.paths import ROOT

MAKEFILE = (ROOT / "Makefile").read_text()


def test_the_same_tools() -> None:
    yaml = pytest.importorskip("yaml")
    (source,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert source["repo"] == "local"  # no versions of its own
    hooks = {re.match(r"\.venv/bin/(\w+( [a-z]+)?)", h["entry"])[1] for h in source["hooks"]}
    recipe = re.search(r"^lint:.*\n((\t.*\n)+)", MAKEFILE, re.M)[1]
    assert hooks == set(re.findall(r"\$\(BIN\)/(\w+(?: [a-z]+)?)", recipe))
    assert {hook["language"] for hook in source["hooks"]} == {"system"}


def test_one_version_of_the_linter_of_javascript() -> None:
    schema = json.loads((ROOT / "biome.json").read_text())["$schema"]
    assert f"/{re.search(r'^BIOME = (.*)$', MAKEFILE, re.M)[1]}/" in schema


@pytest.mark.skipif(not shutil.which("make"), reason="no make on the path")
@pytest.mark.parametrize("goal", ["lint", "format"])
def test_without_npm_it_is_said(goal: str) -> None:
    command = ["make", "--dry-run", goal, "NPM="]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "JavaScript was not" in said
    assert "biome" not in said
    assert "npm install" not in said
