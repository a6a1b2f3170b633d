"""The disk cache: found again, and never trusted when it should not be."""

import os
import re
import stat
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

import erfd
from erfd.cli import main
from erfd.kernels import cache, machine_code
from erfd.kernels import kernel as kernels
from erfd.kernels.cache_key import content_of, sources_digest
from support.arms import random_robot

pytestmark = pytest.mark.usefixtures("compiled")
KINDS = "RRP"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ERFD_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def fresh() -> erfd.Robot:
    """The same robot without anything worked out."""
    return random_robot(5, KINDS)


def built(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Notes every kernel that is compiled rather than read."""
    made: list[str] = []
    original = kernels.build
    monkeypatch.setattr(kernels, "build", lambda *a: made.append(a[1]) or original(*a))
    return made


def test_a_second_process_reads_what_the_first_wrote(folder, monkeypatch) -> None:
    made = built(monkeypatch)
    first = erfd.mass_matrix(fresh(), np.zeros(3))
    assert made == ["mass_matrix"]
    assert np.array_equal(erfd.mass_matrix(fresh(), np.zeros(3)), first)
    assert made == ["mass_matrix"]
    files = list(folder.iterdir())
    assert len(files) == 1
    assert stat.S_IMODE(files[0].stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_the_key_is_everything_that_matters(folder, monkeypatch) -> None:
    from dataclasses import replace

    made = built(monkeypatch)
    robot = fresh()
    heavier = replace(robot.links[0], mass=robot.links[0].mass + 1)
    variants = [
        robot,
        replace(robot, links=(heavier, *robot.links[1:])),
        replace(robot, gravity=(0.0, 0.0, 0.0)),
        replace(robot, tool=erfd.Pose((0.0, 0.0, 1.0))),
    ]
    for variant in variants:
        erfd.bias(variant, np.zeros(3), np.zeros(3))
    assert len(made) == 4
    monkeypatch.setattr(machine_code, "code_version", lambda: "another")
    erfd.bias(fresh(), np.zeros(3), np.zeros(3))
    assert len(made) == 5
    erfd.bias(replace(robot, title="other words"), np.zeros(3), np.zeros(3))  # no part of it
    assert len(made) == 5


@pytest.mark.parametrize("damage", ["truncated", "flipped", "empty", "swapped", "writable"])
def test_a_damaged_file_is_built_again(folder, monkeypatch, damage: str) -> None:
    wanted = erfd.mass_matrix(fresh(), np.zeros(3))
    path = next(folder.glob("*.kernel"))
    content = path.read_bytes()
    if damage == "truncated":
        path.write_bytes(content[:-100])
    elif damage == "flipped":
        path.write_bytes(content[:-200] + bytes([content[-200] ^ 1]) + content[-199:])
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "swapped":  # a good file under another's name
        erfd.bias(fresh(), np.zeros(3), np.zeros(3))
        other = next(p for p in folder.glob("*.kernel") if p != path)
        path.write_bytes(other.read_bytes())
    else:
        path.chmod(0o666)
    made = built(monkeypatch)
    assert np.array_equal(erfd.mass_matrix(fresh(), np.zeros(3)), wanted)
    assert made == ["mass_matrix"]
    assert path.read_bytes() == content


def test_a_folder_that_others_may_write_is_not_used(folder, monkeypatch) -> None:
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    made = built(monkeypatch)
    for _ in range(2):
        erfd.mass_matrix(fresh(), np.zeros(3))
    assert len(made) == 2
    assert not list(folder.iterdir())


def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path, monkeypatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ERFD_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert erfd.mass_matrix(fresh(), np.zeros(3)).shape == (3, 3)
    assert cache.info()["kernels"] == 0


def test_where_nobody_knows_the_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user without a home, as in a container: nothing is kept, nothing fails."""
    for name in ("ERFD_CACHE_DIR", "XDG_CACHE_HOME", "HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)

    def nobody(path: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "expanduser", nobody)
    assert erfd.mass_matrix(fresh(), np.zeros(3)).shape == (3, 3)
    assert cache.info()["kernels"] == cache.clear() == 0


def test_a_folder_at_home(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no shell has resolved it: in a service file or a container's settings."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ERFD_CACHE_DIR", "~/kernels")
    assert cache.folder() == tmp_path / "kernels"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_strange_things_in_the_folder(folder: Path, capsys: pytest.CaptureFixture) -> None:
    folder.mkdir(mode=0o700)
    (folder / "lost.kernel").symlink_to(folder / "nowhere")
    (folder / "ring.kernel").symlink_to(folder / "ring.kernel")
    os.mkfifo(folder / "pipe.kernel", 0o600)
    (folder / "z.kernel").mkdir()
    found = cache.info()
    assert all(entry["broken"] for entry in found["entries"])
    assert found["kernels"] == 4
    assert main(["cache", "clear"]) == 2
    assert re.search(r"^erfd: .*z\.kernel: cannot be removed: ", capsys.readouterr().err)
    (folder / "z.kernel").rmdir()
    assert main(["cache", "clear"]) == 0
    assert list(folder.iterdir()) == []


def test_two_processes_at_once(folder: Path) -> None:
    call = "erfd.forward_dynamics(erfd.load('sdt4'), *np.ones((3, 4)))"
    code = f"import erfd, numpy as np; print({call}.sum())"
    environment = os.environ | {"ERFD_BACKEND": "compiled"}
    runs = [
        subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    answers = {run.communicate()[0] for run in runs}
    assert all(run.returncode == 0 for run in runs)
    assert len(answers) == 1
    assert [p.suffix for p in folder.iterdir()] == [".kernel"]


def test_the_command(folder: Path, capsys: pytest.CaptureFixture) -> None:
    assert main(["cache", "info"]) == 0
    assert "0 kernels" in capsys.readouterr().out
    erfd.mass_matrix(fresh(), np.zeros(3))
    (folder / ".killed.part").write_bytes(b"half")
    next(folder.glob("*.kernel")).with_name("0" * 64 + ".kernel").write_bytes(b"junk")
    assert main(["cache", "info"]) == 0
    text = capsys.readouterr().out
    assert "2 kernels" in text
    assert "mass_matrix" in text
    assert "broken" in text
    assert main(["cache", "info", "--json"]) == 0
    assert '"kernels": 2' in capsys.readouterr().out
    assert main(["cache", "clear"]) == 0
    assert "removed 3 files" in capsys.readouterr().out
    assert not list(folder.iterdir())


def test_digest_of_the_sources_sees_every_folder(tmp_path):
    inner = tmp_path / "kernels" / "llvm" / "deep"
    inner.mkdir(parents=True)
    (tmp_path / "kernels" / "trace.py").write_text("a = 1\n")
    (inner / "writer.py").write_text("b = 1\n")
    seen = [sources_digest(tmp_path, ("kernels",))]
    (inner / "writer.py").write_text("b = 2\n")
    seen.append(sources_digest(tmp_path, ("kernels",)))
    (inner / "writer.py").rename(tmp_path / "kernels" / "llvm" / "writer.py")
    seen.append(sources_digest(tmp_path, ("kernels",)))
    assert len(set(seen)) == 3
    with pytest.raises(FileNotFoundError, match="dynamics"):
        sources_digest(tmp_path, ("kernels", "dynamics"))


WITHOUT_EFFECT = {
    "title", "source", "illustrative", "base_visuals", "visuals", "memo", "position_min",
    "position_max", "velocity_max", "acceleration_max", "jerk_max", "damping",
    "cycle_time", "turning", "bus_power", "frames", "collisions", "base_collisions", "touching",
}  # fmt: skip
"""Fields of a robot, a link or a joint that no equation of a kernel knows."""
ELSEWHERE = {"joints", "links", "drives"}
"""Looked at part by part; drives are in the keys of what depends on them."""


def changed(value: object) -> object:
    """Another value of the same kind."""
    if isinstance(value, str):
        return {"revolute": "prismatic", "prismatic": "revolute"}.get(value, value + "x")
    if isinstance(value, erfd.Pose):
        return erfd.Pose((9.0, 8.0, 7.0))
    if isinstance(value, tuple) and isinstance(value[0], tuple):
        return tuple(tuple(2 * x for x in row) for row in value)
    return tuple(x + 1 for x in value) if isinstance(value, tuple) else value + 1.0


def test_every_number_of_the_equations_is_in_the_key() -> None:
    """A field that the equations come to know and the key does not would give stale kernels."""
    robot = random_robot(1, KINDS)
    for part, put in (
        (robot, lambda new: new),
        (robot.links[0], lambda new: replace(robot, links=(new, *robot.links[1:]))),
        (robot.joints[0], lambda new: replace(robot, joints=(new, *robot.joints[1:]))),
    ):
        names = {f.name for f in fields(part)} - WITHOUT_EFFECT - ELSEWHERE
        for name in names - ({"name"} if part is not robot else set()):
            other = put(replace(part, **{name: changed(getattr(part, name))}))
            assert content_of(other) != content_of(robot), name
