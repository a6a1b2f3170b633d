"""The erfd command as a person and as a program see it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import erfd
from erfd.cli import main, parser
from support.arms import BUNDLED


def run(capsys: pytest.CaptureFixture, *arguments: str) -> str:
    assert main(arguments) == 0
    return capsys.readouterr().out


def test_robots(capsys: pytest.CaptureFixture) -> None:
    text = run(capsys, "robots")
    assert all(name in text for name in BUNDLED)
    data = json.loads(run(capsys, "robots", "--json"))
    assert [entry["name"] for entry in data] == list(BUNDLED)


@pytest.mark.parametrize("name", BUNDLED)
def test_show(capsys: pytest.CaptureFixture, name: str) -> None:
    robot = erfd.load(name)
    text = run(capsys, "show", name)
    assert robot.title in text
    assert "Kinematics" in text
    assert "Inertia" in text
    assert all(link.name in text for link in robot.links)
    assert ("Illustrative, not published" in text) == bool(robot.illustrative)
    data = json.loads(run(capsys, "show", name, "--json"))
    assert data["n"] == robot.n
    assert [link["mass"] for link in data["links"]] == [link.mass for link in robot.links]


def test_show_tells_the_coupling(capsys: pytest.CaptureFixture) -> None:
    text = run(capsys, "show", "lola15")
    assert "q_a6" in text
    assert "133.714" in text
    assert "3150" in text


def test_opcount(capsys: pytest.CaptureFixture) -> None:
    text = run(capsys, "opcount", "lola15")
    count = erfd.operation_count(erfd.load("lola15"))
    assert f"{count.multiplications} M {count.additions} A" in text
    assert "3418 M 2502 A" in text
    assert "Mohan & Saha" in text
    data = json.loads(run(capsys, "opcount", "lola15", "--json"))
    assert data["auto"] == "fast"
    found = {row["method"]: row for row in data["methods"]}
    assert found["fast"]["multiplications"] == count.multiplications
    assert found["wo3"]["published"] == {"multiplications": 1627, "additions": 1255}
    assert data["mrnea_as_papers_count"][5]["published"]["multiplications"] == 1356


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "mass_matrix", "bias", "cycle"])
def test_opcount_of_other_quantities(capsys: pytest.CaptureFixture, quantity: str) -> None:
    data = json.loads(run(capsys, "opcount", "stanford", "--quantity", quantity, "--json"))
    names = [row["method"] for row in data["methods"]]
    assert "fast" in names
    assert "dalembert" not in names  # the Stanford arm slides
    assert run(
        capsys, "opcount", "two_link", "--quantity", quantity, "--method", "auto", "--wrench"
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("show", "lola51"), "erfd: no robot named 'lola51'; did you mean 'lola15'?"),
        (("opcount", "lola15", "--method", "rnea"), "erfd: method: expected one of mrnea,"),
        (("equations", "lola15"), "erfd: "),
        (("equations", "lola15", "--joints", "9"), "erfd: n: expected 1 to 6 links"),
        (("show", "none.toml"), "erfd: none.toml: no such file"),
        (("show", "none.urdf"), "erfd: none.urdf: no such file"),
    ],
)
def test_a_users_mistake_is_one_sentence(capsys, arguments: tuple, sentence: str) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert not out
    assert err.startswith(sentence)
    assert err.count("\n") == 1


def test_wrong_use_exits_with_2(capsys: pytest.CaptureFixture) -> None:
    for arguments in ((), ("fly",), ("opcount", "lola15", "--quantity", "speed")):
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        assert caught.value.code == 2


def test_equations(capsys: pytest.CaptureFixture) -> None:
    text = run(capsys, "equations", "two_link")
    assert "H11" in text
    assert "cos(q2)" in text
    assert "\\begin" in run(capsys, "equations", "two_link", "--latex")


def test_as_a_program(tmp_path: Path) -> None:
    """The installed command: exit codes, and a pipe that closes early does no harm."""
    erfd.save(erfd.load("puma560"), tmp_path / "mine.toml")
    command = [sys.executable, "-m", "erfd"]
    done = subprocess.run(
        [*command, "show", "mine.toml"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0
    assert "Puma 560" in done.stdout
    bad = subprocess.run([*command, "show", "mine"], cwd=tmp_path, capture_output=True, text=True)
    assert bad.returncode == 2
    assert "Traceback" not in bad.stderr
    piped = f"{sys.executable} -m erfd show mine.toml | head -n 1"
    early = subprocess.run(piped, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert "Traceback" not in early.stderr
    full = Path("/dev/full")
    if full.exists():  # Linux: a disk without room
        with full.open("w") as file:
            lost = subprocess.run([*command, "robots"], stdout=file, stderr=-1, text=True)
        assert lost.returncode == 2
        assert lost.stderr == "erfd: output: No space left on device\n"
    version = subprocess.run([*command, "--version"], capture_output=True, text=True)
    assert version.stdout.strip() == f"erfd {erfd.__version__}"


def test_a_command_loads_only_what_it_needs() -> None:
    """One module for its first word, all of them for help and for what is no command."""
    assert "achieve" not in parser("verify").format_help()
    for first in (None, "--help", "kernels", "nothing"):
        assert all(name in parser(first).format_help() for name in ("verify", "cache", "studio"))
