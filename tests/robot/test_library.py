"""Robots by name and by file: saving is all or nothing, what does not exist is said."""

from pathlib import Path

import pytest

import erfd
from erfd.errors import ErfdError, InputError, RobotError


def test_saving_is_all_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    robot, path = erfd.load("two_link"), tmp_path / "arm.toml"
    path.write_text("before")
    with monkeypatch.context() as patch:
        patch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("disk gone")))
        with pytest.raises(InputError, match=r"arm\.toml: cannot be written: disk gone"):
            erfd.save(robot, path)
    assert path.read_text() == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["arm.toml"]
    path.chmod(0o600)
    erfd.save(robot, path)
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(InputError, match="cannot be written: No such file or directory"):
        erfd.save(robot, tmp_path / "none" / "arm.toml")
    with pytest.raises(RobotError, match=r"expected a name that ends in \.toml"):
        erfd.save(robot, tmp_path / "arm.json")


def test_names_and_files_that_do_not_exist(tmp_path: Path) -> None:
    for source, sentence in [
        ("lola51", "no robot named 'lola51'; did you mean 'lola15'?"),
        ("xyz", "no robot named 'xyz'; bundled are centrifuge3, cmu_dd, lola15,"),
        (tmp_path / "no.toml", "no.toml: no such file"),
        (tmp_path, f"{tmp_path}: expected a .toml, .urdf or .xml file, found none"),
    ]:
        with pytest.raises(ErfdError) as caught:
            erfd.load(source)
        assert sentence in str(caught.value)
    (tmp_path / "latin.toml").write_bytes(b'name = "\xff"')
    with pytest.raises(RobotError, match="expected UTF-8 text"):
        erfd.load(tmp_path / "latin.toml")
    with pytest.raises(RobotError, match=r"base, tip, .* are for \.urdf, .* files only"):
        erfd.load("lola15", tip="hand")
