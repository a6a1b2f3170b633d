"""`erfd parts` as a person and as a program see it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import erfd
from erfd.cli import main
from support.parts_file import GOOD


@pytest.fixture
def arm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A parts file in the current folder."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "arm.parts.toml"
    path.write_text(GOOD)
    return path


def run(capsys: pytest.CaptureFixture, *arguments: str) -> str:
    assert main(arguments) == 0
    return capsys.readouterr().out


def test_build(arm: Path, capsys: pytest.CaptureFixture) -> None:
    text = run(capsys, "parts", "build", "arm.parts.toml", "-o", "arm.toml")
    assert "wrote arm.toml" in text
    robot = erfd.load("arm.toml")
    assert robot == erfd.load("arm.parts.toml")
    for name in ("1 upper", "2 link 2", "rod", "ends", "base", "kg move", "12.5 kg stand still"):
        assert name in text
    assert f"{robot.links[0].mass:.6g}" in text
    assert "change that file, not this one" in Path("arm.toml").read_text().splitlines()[0]


def test_build_only_tells(arm: Path, capsys: pytest.CaptureFixture) -> None:
    assert "wrote" not in run(capsys, "parts", "build", "arm.parts.toml")
    assert [path.name for path in arm.parent.iterdir()] == ["arm.parts.toml"]


def test_json(arm: Path, capsys: pytest.CaptureFixture) -> None:
    text = run(capsys, "parts", "build", "arm.parts.toml", "-o", "arm.toml", "--json")
    data, robot = json.loads(text), erfd.load("arm.toml")
    assert data["name"] == "arm"
    assert data["written"] == ["arm.toml"]
    assert data["mass"] == pytest.approx(sum(link.mass for link in robot.links))
    for entry, link in zip(data["links"], robot.links, strict=True):
        assert entry["name"] == link.name
        assert entry["mass"] == link.mass
        assert tuple(entry["center"]) == link.center
        assert tuple(map(tuple, entry["inertia"])) == link.inertia
        assert entry["mass"] == pytest.approx(sum(part["mass"] for part in entry["parts"]))
    tube = data["links"][0]["parts"][0]["sections"][0]
    assert (tube["name"], tube["shape"], tube["material"]) == ("tube", "cylinder", "aluminium")
    assert data["base"]["mass"] == pytest.approx(12.5)


@pytest.mark.parametrize(("name", "start"), [("arm.png", b"\x89PNG"), ("arm.svg", b"<?xml")])
def test_picture(arm: Path, capsys: pytest.CaptureFixture, name: str, start: bytes) -> None:
    run(capsys, "parts", "build", "arm.parts.toml", "--picture", name)
    first = Path(name).read_bytes()
    assert first.startswith(start)
    run(capsys, "parts", "build", "arm.parts.toml", "--picture", name, "--q", "1.5,0.3")
    assert Path(name).read_bytes() != first


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("none.parts.toml",), "erfd: none.parts.toml: no such file"),
        (("lola15",), "erfd: lola15: expected a parts database, a name that ends in .parts.toml"),
        (("arm.toml",), "erfd: arm.toml: expected a parts database, a name that ends in"),
        (("arm.parts.toml", "-o", "arm.parts.toml"), "erfd: arm.parts.toml: expected a name that"),
        (
            ("arm.parts.toml", "-o", "arm.json"),
            "erfd: arm.json: expected a name that ends in .toml",
        ),
        (("arm.parts.toml", "-o", "no/arm.toml"), "erfd: no/arm.toml: cannot be written: No such"),
        (("arm.parts.toml", "--picture", "arm.gif"), "erfd: arm.gif: expected a name ending in"),
        (("arm.parts.toml", "--q", "0,0"), "erfd: --q: expected --picture beside it, found none"),
        (
            ("arm.parts.toml", "--picture", "arm.png", "--q", "0"),
            "erfd: --q: expected 2 numbers between commas, found '0'",
        ),
    ],
)
def test_mistakes(
    arm: Path, capsys: pytest.CaptureFixture, arguments: tuple, sentence: str
) -> None:
    assert main(["parts", "build", *arguments]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert err.startswith(sentence)
    assert err.count("\n") == 1
    assert arm.read_text() == GOOD
    assert [path.name for path in arm.parent.iterdir()] == ["arm.parts.toml"]


def test_a_mistake_in_the_file_writes_nothing(arm: Path, capsys: pytest.CaptureFixture) -> None:
    arm.write_text(GOOD.replace("radius = 0.05", "radius = 0.03"))
    assert main(["parts", "build", "arm.parts.toml", "-o", "arm.toml"]) == 2
    assert "arm.parts.toml: [part.rod] [[section]] 1: inner_radius" in capsys.readouterr().err
    assert not Path("arm.toml").exists()


def test_materials(capsys: pytest.CaptureFixture) -> None:
    assert "aluminium" in run(capsys, "parts", "materials")
    data = json.loads(run(capsys, "parts", "materials", "--json"))
    assert data["steel"] == 7850.0
    assert all(50 < density < 23000 for density in data.values())  # foam to osmium


def test_other_commands_take_parts_files(arm: Path, capsys: pytest.CaptureFixture) -> None:
    assert "upper" in run(capsys, "show", "arm.parts.toml")
    with pytest.raises(erfd.errors.RobotError, match=r"and not in \.parts\.toml"):
        erfd.save(erfd.load("two_link"), "two.parts.toml")
