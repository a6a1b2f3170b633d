"""Pictures of the pages are those of today's code; `make pictures` compares all of them."""

import re
from pathlib import Path

import numpy as np
import pytest

from pictures import IMAGES, SCRIPTS, difference, drawn
from support.paths import DOCS, ROOT

BY_OTHERS = {"arms", "figures", "studio"}
"""Scripts that take minutes, files of others, or a browser."""


def test_the_plan_of_the_rooms_is_of_today(tmp_path: Path) -> None:
    """The quickest script, as all of them are compared."""
    pictures = list(drawn("rooms", tmp_path))
    assert [path.name for path in pictures] == ["rooms.svg"]
    assert [difference(path, IMAGES / path.name) for path in pictures] == [""]


def test_every_script_is_known_and_every_picture_is_shown() -> None:
    scripts = {path.stem.removeprefix("make_") for path in DOCS.glob("make_*.py")}
    assert scripts == {*SCRIPTS, *BY_OTHERS}
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md")]
    shown = {
        name
        for page in pages
        if "_build" not in page.parts
        for name in re.findall(r"images/([\w.-]+)", page.read_text(encoding="utf-8"))
    }
    made = {path.name for path in IMAGES.iterdir() if not path.name.startswith("studio")}
    assert made <= shown


def test_another_picture_is_seen(tmp_path: Path) -> None:
    image = pytest.importorskip("matplotlib.image")
    old, new = tmp_path / "old.png", tmp_path / "new.png"
    pixels = np.zeros((50, 60, 3))
    image.imsave(old, pixels)
    assert difference(new=old, old=new) == "is not there"
    noisy = pixels.copy()
    noisy[3, 4] = 1.0  # one of 3000
    image.imsave(new, noisy)
    assert difference(new, old) == ""
    noisy[10:20] = 1.0
    image.imsave(new, noisy)
    assert difference(new, old) == "differs in 20.03% of its pixels"
    image.imsave(new, pixels[:40])
    assert difference(new, old) == "has the size (40, 60) instead of (50, 60)"
    lines = [tmp_path / "a.svg", tmp_path / "b.svg"]
    for path, text in zip(lines, ("<svg/>", "<svg />"), strict=True):
        path.write_text(text)
    assert difference(*lines) == "is drawn otherwise"
