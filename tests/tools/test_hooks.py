"""The hooks before a commit are what `make lint` runs, from the same environment."""

import re

import pytest

from support.paths import ROOT


def test_the_same_tools() -> None:
    yaml = pytest.importorskip("yaml")
    (source,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert source["repo"] == "local"  # no versions of its own
    hooks = {re.match(r"\.venv/bin/(\w+( [a-z]+)?)", h["entry"])[1] for h in source["hooks"]}
    recipe = re.search(r"^lint:.*\n((\t.*\n)+)", (ROOT / "Makefile").read_text(), re.M)[1]
    assert hooks == set(re.findall(r"\$\(BIN\)/(\w+(?: [a-z]+)?)", recipe))
    assert {hook["language"] for hook in source["hooks"]} == {"system"}
