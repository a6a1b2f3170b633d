"""Every example runs as it stands and says something; every docstring example is true."""

import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import erfd
from support.paths import EXAMPLES, ROOT

SCRIPTS = sorted(EXAMPLES.glob("[0-9]*.py"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
@pytest.mark.usefixtures("users_environment")
def test_example(path: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", path], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > 2
    assert not list(tmp_path.iterdir())  # an example leaves nothing behind


def test_docstrings() -> None:
    tried = 0
    for info in pkgutil.walk_packages(erfd.__path__, "erfd."):
        if info.name.endswith("__main__"):
            continue
        result = doctest.testmod(importlib.import_module(info.name))
        assert result.failed == 0, info.name
        tried += result.attempted
    tried += doctest.testmod(erfd).attempted
    assert tried > 10


@pytest.mark.usefixtures("users_environment")
def test_readme_snippet() -> None:
    """The README's Python block runs and prints what the README says."""
    text = (ROOT / "README.md").read_text()
    code = text.split("```python\n", 1)[1].split("```", 1)[0]
    expected = [line.split("# ", 1)[1] for line in code.splitlines() if line.startswith("print")]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert expected
    assert done.stdout.splitlines() == expected
