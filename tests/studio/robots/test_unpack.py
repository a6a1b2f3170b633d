"""Zips and names of strangers: unpacked within limits, or one sentence, and nothing outside."""

import io
import stat
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erfd.errors import ErfdError, InputError
from erfd.studio.jobs.opening import look_robot, make_robot
from erfd.studio.jobs.reading import unpacked
from erfd.studio.robots import unpack as limits
from erfd.studio.robots.unpack import SLASH, place_of, unpack
from support.urdf_files import ARM, SMALL

MESHED = SMALL.read_text().replace(
    '<box size="0.1 0.1 0.4"/>', '<mesh filename="package://arm/meshes/upper.stl"/>'
)
TRIANGLE = b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0.1 0 0\n" \
    b"vertex 0 0.1 0\nendloop\nendfacet\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0.1\n" \
    b"vertex 0.1 0 0\nvertex 0 0.1 0\nendloop\nendfacet\nendsolid a\n"  # fmt: skip


def zipped(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def look(folder: Path) -> list[dict]:
    return look_robot({"folder": str(folder)}, lambda *_: None)["files"]


def make(folder: Path, path: str, target: Path, **how: str) -> dict:
    request = {"folder": str(folder), "path": path, "target": str(target)}
    return make_robot(request | {"base": "", "tip": "", "drives": ""} | how, lambda *_: None)


def test_a_zip_with_meshes(tmp_path: Path) -> None:
    files = {"arm/urdf/arm.urdf": MESHED.encode(), "arm/meshes/upper.stl": TRIANGLE,
             "arm/package.xml": b"<package/>", "arm/README.md": b"x"}  # fmt: skip
    folder = tmp_path / "robot"
    folder.mkdir()
    zipped(folder / "arm.zip", files)
    (found,) = look(folder)
    assert found == {
        "path": "arm/urdf/arm.urdf",
        "links": ["base", "upper", "lower"],
        "ends": ["lower"],
    }
    assert not list(folder.rglob("*.md"))
    made = make(folder, found["path"], tmp_path / "arm.toml")
    assert made["notes"] == []
    (visual,) = unpacked(made["model"]).links[0].visuals
    assert visual.shape == "mesh"
    assert (tmp_path / "arm.toml").exists()


def test_files_without_their_folders(tmp_path: Path) -> None:
    """Meshes go where the robot's file looks for them."""
    folder = tmp_path / "robot"
    folder.mkdir()
    (folder / "arm.urdf").write_text(MESHED)
    (folder / "upper.stl").write_bytes(TRIANGLE)
    (found,) = look(folder)
    made = make(folder, found["path"], tmp_path / "arm.toml")
    assert unpacked(made["model"]).links[0].visuals[0].shape == "mesh"


def test_base_tip_and_drives(tmp_path: Path) -> None:
    folder = tmp_path / "robot"
    folder.mkdir()
    (folder / "arm.urdf").write_text(ARM.read_text())
    (found,) = look(folder)
    assert "tool0" in found["links"]
    with pytest.raises(ErfdError, match="tip: expected one of mast, left_finger"):
        make(folder, "arm.urdf", tmp_path / "a.toml")
    drives = '[[drive]]\njoint = "pan"\nratio = 100\n[drive.motor]\nrotor_inertia = "181 gcm2"\n'
    made = make(folder, "arm.urdf", tmp_path / "a.toml", base="pedestal", tip="tool0")
    names = [joint["name"] for joint in made["joints"]]
    drives = drives.replace("pan", names[0])
    made = make(
        folder, "arm.urdf", tmp_path / "a.toml", base="pedestal", tip="tool0", drives=drives
    )
    assert made["joints"][0]["inertia"] == pytest.approx(0.181)
    assert made["joints"][1]["inertia"] == 0
    with pytest.raises(InputError, match="expected a file of the robot's folder, found"):
        make(folder, "../a.toml", tmp_path / "b.toml")
    assert not (tmp_path / "b.toml").exists()


@pytest.mark.parametrize(
    "name",
    [
        "../a.urdf",
        "a/../../b.stl",
        "/etc/a.stl",
        "C:\\a.stl",
        "..\\a.stl",
        f"..{SLASH}a.stl",
        "a\0.stl",
    ],
)
def test_names_that_lead_out(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="expected files inside the folder of the robot"):
        place_of(name, tmp_path)


@given(st.text(max_size=60))
def test_any_name_stays_inside(name: str) -> None:
    folder = Path("/srv/robot")
    try:
        place = place_of(name, folder)
    except InputError:
        return
    assert place is None or place.is_relative_to(folder)
    assert place is None or ".." not in place.parts


def test_links_bombs_and_more_than_there_may_be(tmp_path: Path, monkeypatch) -> None:
    link = zipfile.ZipInfo("arm/evil.stl")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    bomb = zipped(tmp_path / "bomb.zip", {"a.stl": b"\0" * (3 * 2**20)})
    many = zipped(tmp_path / "many.zip", {f"{k}.stl": b"" for k in range(30)})
    monkeypatch.setattr(limits, "UNPACKED", 2**20)
    monkeypatch.setattr(limits, "FILES", 20)
    for archive, sentence in (
        (tmp_path / "link.zip", "expected files, found a link, 'arm/evil.stl'"),
        (bomb, "bytes unpacked: expected at most 1048576, found 3145728"),
        (many, "files: expected at most 20, found 30"),
    ):
        with pytest.raises(InputError, match=sentence):
            unpack(archive, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@given(st.data())
def test_a_damaged_zip_is_a_sentence(tmp_path_factory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("zip")
    content = bytearray(
        zipped(folder / "a.zip", {"a.urdf": MESHED.encode(), "b/c.stl": TRIANGLE}).read_bytes()
    )
    for _ in range(data.draw(st.integers(1, 5))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    (folder / "a.zip").write_bytes(content[: data.draw(st.integers(0, len(content)))])
    said = ""
    try:
        unpack(folder / "a.zip", folder / "out")
    except InputError as error:
        said = str(error)
    assert "\n" not in said
    inside = (folder / "out").rglob("*")
    assert all(path.resolve().is_relative_to(folder / "out") for path in inside)
    assert {path.name for path in folder.iterdir()} <= {"a.zip", "out"}


def test_a_size_that_a_zip_lies_about(tmp_path: Path) -> None:
    """The reader gives no more than the size that was counted."""
    path = zipped(tmp_path / "a.zip", {"a.stl": b"\0" * 100_000})
    data = path.read_bytes().replace((100_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    path.write_bytes(data)
    with suppress(InputError):
        unpack(path, tmp_path / "out")
    assert all(p.stat().st_size <= 10 for p in (tmp_path / "out").rglob("*.stl"))
    assert io.BytesIO(data).read(2) == b"PK"


def test_mjcf_is_found_and_made(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    folder = tmp_path / "robot"
    folder.mkdir()
    (folder / "package.xml").write_text("<package/>")
    (folder / "arm.xml").write_text(
        '<mujoco model="m"><worldbody><body name="a"><joint name="j" axis="0 0 1" range="-9 9"/>'
        '<geom type="sphere" size="0.1"/></body></worldbody></mujoco>'
    )
    (found,) = look(folder)
    assert found["path"] == "arm.xml"
    assert found["links"] == ["a"]
    made = make(folder, "arm.xml", tmp_path / "arm.toml")
    assert [joint["name"] for joint in made["joints"]] == ["j"]
