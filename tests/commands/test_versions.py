"""`erfd --version --verbose`."""

import re
import sys
from importlib.metadata import version

import pytest

import erfd
from erfd.cli import main
from support.paths import ROOT


def test_what_a_report_of_a_bug_needs(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ERFD_BACKEND", "auto")
    for words in (["--version", "--verbose"], ["--verbose", "--version"]):
        assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"erfd {erfd.__version__} in ")
    assert sys.executable in lines[1]
    text = "\n".join(lines)
    assert f"numpy {version('numpy')}" in text
    assert "kernels: " in text
    assert "ERFD_BACKEND=auto" in text


def test_verbose_goes_with_version_alone(capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--verbose", "robots"])
    assert ended.value.code == 2
    assert "expected it with --version alone" in capsys.readouterr().err


def test_the_version_stands_in_one_place() -> None:
    """Built by hatchling from the package; what has to name it as well agrees."""
    assert 'dynamic = ["version"' in (ROOT / "pyproject.toml").read_text()
    for name in ("CITATION.cff", "packaging/conda/recipe.yaml"):
        (found,) = re.findall(r'^ *version: "?(\d[\w.]*)', (ROOT / name).read_text(), re.M)
        assert found == erfd.__version__, name
