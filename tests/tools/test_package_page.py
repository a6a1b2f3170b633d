"""The description that a package index shows."""

import re

import pytest

from support.paths import ROOT

pytest.importorskip("hatchling")
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager

import erfd
from package_page import absolute

HOME = "https://example.org/erfd/erfd"


def metadata() -> ProjectMetadata:
    return ProjectMetadata(str(ROOT), PluginManager())


def test_links_and_pictures_lead_to_the_source_at_the_tag(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERFD_HOME", HOME)
    monkeypatch.setenv("ERFD_REF", "v0.2.0")
    core = metadata().core
    targets = re.findall(r"\]\(([^)]*)\)", core.readme)
    assert len(targets) > 10
    for target in targets:
        assert target.startswith("https://"), target
        if target.startswith(HOME):
            kind, path = target.removeprefix(f"{HOME}/").split("/v0.2.0/")
            assert (ROOT / path).exists(), target
            assert kind == ("raw" if path.endswith((".png", ".gif")) else "blob")
    assert core.urls["Source"] == HOME
    assert core.readme_content_type == "text/markdown"


def test_a_build_at_home_keeps_the_page_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ERFD_HOME", raising=False)
    found = metadata()
    assert found.core.readme == (ROOT / "README.md").read_text(encoding="utf-8")
    assert not found.core.urls
    assert found.version == erfd.__version__


def test_what_leads_elsewhere_stays() -> None:
    text = "[a](https://x.org/y) [b](#part) [c](mailto:a@b.c) ![d](docs/images/e.png)"
    assert absolute(text, HOME, "main") == (
        f"[a](https://x.org/y) [b](#part) [c](mailto:a@b.c) ![d]({HOME}/raw/main/docs/images/e.png)"
    )
