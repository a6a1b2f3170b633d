"""`erfd drives` as a person and as a program see it, and `--drives` wherever a robot is named."""

import argparse
import json
from pathlib import Path

import pytest

import erfd
from erfd.cli import main, parser
from erfd.commands.parser import leaves
from support.urdf_files import SMALL


def test_a_template_is_written_filled_in_and_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    path = tmp_path / "arm.drives.toml"
    assert main(["drives", "template", str(SMALL), "-o", str(path)]) == 0
    assert f"wrote {path}" in capsys.readouterr().out
    text = path.read_text()
    assert "at most 50 N m, 4 rad/s" in text
    assert erfd.load(SMALL, drives=path) == erfd.load(SMALL)
    path.write_text(text.replace('joint = "elbow"', 'joint = "elbow"\nratio = 50\ninertia = 1e-5'))
    assert main(["drives", "show", str(SMALL), "--drives", str(path), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)["drives"]
    assert [d["joint"] for d in shown] == ["shoulder", "elbow"]
    assert shown[1]["torque_max"] == pytest.approx(30 / 50)
    assert main(["drives", "show", str(SMALL), "--drives", str(path)]) == 0
    assert "0.025" in capsys.readouterr().out  # 50^2 times 1e-5 kg m2 at the joint


def test_what_was_filled_in_is_not_lost(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    path = tmp_path / "arm.drives.toml"
    path.write_text("# mine")
    assert main(["drives", "template", "lola15", "-o", str(path)]) == 2
    assert "expected a new file" in capsys.readouterr().err
    assert path.read_text() == "# mine"
    assert main(["drives", "template", "lola15", "-o", str(path), "--force"]) == 0
    assert main(["drives", "template", "lola15", "-o", str(tmp_path / "x.txt")]) == 2
    assert "--out: expected a name that ends in .toml" in capsys.readouterr().err


def test_every_command_with_a_robot_takes_drives() -> None:
    for command in leaves(parser()):
        options = {name for action in command._actions for name in action.option_strings}
        assert ("--drives" in options) == ("--robot" in options), command.prog


def test_drives_of_another_robot(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    path = tmp_path / "arm.drives.toml"
    assert main(["drives", "template", str(SMALL), "-o", str(path)]) == 0
    assert main(["show", "lola15", "--drives", str(path)]) == 2
    found = capsys.readouterr().err
    assert "arm.drives.toml: [[drive]] 1: joint: expected a joint of lola15" in found
    assert "found 'shoulder'" in found
    assert isinstance(parser(), argparse.ArgumentParser)
