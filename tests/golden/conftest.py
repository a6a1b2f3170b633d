"""The kept runs of an earlier version."""

import shutil
from pathlib import Path

import pytest

from erfd.studio.runs.store import Store


@pytest.fixture
def kept(tmp_path: Path, folder: Path) -> Store:
    """The kept runs, to be worked with."""
    shutil.copytree(folder / "runs", tmp_path / "runs")
    return Store(tmp_path / "runs")
