"""The user's own robots: kept, found again, replaced, taken out; nothing is half-written."""

from dataclasses import replace
from pathlib import Path

import pytest

import erfd
from erfd.errors import InputError
from erfd.studio.robots.library import FILE, RobotLibrary

ARM = replace(erfd.load("two_link"), name="mine")


def test_kept_and_found(tmp_path: Path) -> None:
    library = RobotLibrary(tmp_path / "robots")
    assert library.names() == {}
    file = library.keep(ARM, "My arm")
    assert library.names() == {"My arm": file}
    assert erfd.load(file) == ARM
    other = replace(ARM, title="later")
    library.keep(other, "My arm")
    assert erfd.load(file) == other
    assert [path.name for path in library.folder.iterdir()] == ["My arm"]
    library.remove("../My arm")
    library.remove("My arm")
    assert library.names() == {}


@pytest.mark.parametrize("name", ["../../x", "a/b", "..", "", "\0", "<img src=x>"])
def test_odd_names_stay_inside(tmp_path: Path, name: str) -> None:
    library = RobotLibrary(tmp_path / "robots")
    file = library.keep(ARM, name)
    assert file.parent.parent == library.folder
    assert file.name == FILE
    assert len(library.names()) == 1


def test_a_bundled_name_is_not_taken(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a name of its own, found 'lola15', a bundled"):
        RobotLibrary(tmp_path).keep(ARM, "lola15")


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "robots").write_text("a file")
    with pytest.raises(InputError, match="robots: cannot be written"):
        RobotLibrary(tmp_path / "robots").keep(ARM, "mine")
