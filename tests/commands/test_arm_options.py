"""Which arm of a file is meant: the same options on every command that takes a robot."""

from pathlib import Path

import pytest

import erfd
from erfd.cli import main, parser
from erfd.commands.common import ARM_OPTIONS
from erfd.commands.parser import leaves
from support.mesh_files import box_file, chain, shape
from support.urdf_files import ARM, quiet


def test_every_command_with_a_robot_has_them() -> None:
    for leaf in leaves(parser()):
        options = {option for action in leaf._actions for option in action.option_strings}
        wanted = {f"--{name}" for name in (*ARM_OPTIONS, "drives")}
        assert (wanted <= options) == (leaf._robot is not None), leaf.prog


def test_convert_writes_what_load_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "arm.toml"
    words = ["convert", str(ARM), "--tip", "tool0", "--lock", "grip=0.02"]
    assert main([*words, "--lock", "camera_tilt=-30", "-o", str(out)]) == 0
    assert capsys.readouterr().out == f"wrote {out}: gripper_arm, 3 joints\n"
    locked = {"grip": 0.02, "camera_tilt": -0.5235987755982988}
    assert erfd.load(out) == quiet(ARM, tip="tool0", locked=locked)


def test_a_package_that_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    box_file(tmp_path / "elsewhere" / "box.stl")
    file = chain(tmp_path / "arm" / "arm.urdf", "", shape("visual", "package://pack/box.stl"))
    out = tmp_path / "arm.toml"
    named = f"pack={tmp_path / 'elsewhere'}"
    assert main(["convert", str(file), "--package", named, "-o", str(out), "--json"]) == 0
    assert "skipped" not in capsys.readouterr().err
    assert erfd.load(out).links[0].visuals[0].shape == "mesh"
    assert (tmp_path / "arm.meshes").is_dir()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--lock", "grip=x"), "--lock: expected a number for grip (degrees, m), found 'x'"),
        (("--lock", "grip"), "--lock: expected NAME=VALUE, found 'grip'"),
        (("--package", "=x"), "--package: expected NAME=DIR, found '=x'"),
        (("--package", "a=/no"), "packages: a: expected a folder, found '/no'"),
        (("--lock", "grop=1"), "gripper_arm.urdf: locked: expected the name of a moving joint off"),
    ],
)
def test_mistakes(
    words: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", str(ARM), "--tip", "tool0", *words]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith(f"erfd: {sentence}")
