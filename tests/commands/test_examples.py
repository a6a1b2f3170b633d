"""`erfd examples`, and examples by their names wherever a program is asked for."""

import json
from pathlib import Path

import pytest

import erfd
from erfd.cli import main
from erfd.commands.examples import about
from erfd.ground.examples import example_files, example_programs, is_example, program_path
from support.paths import EXAMPLES


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_example_is_listed_with_a_sentence(capsys: pytest.CaptureFixture) -> None:
    assert main(["examples", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    wanted = {p.stem if p.suffix == ".irl" else p.name for p in EXAMPLES.glob("*.[ip]*")}
    assert {row["name"] for row in rows} == wanted
    assert all(len(row["about"].split()) > 3 for row in rows)
    assert main(["examples"]) == 0
    assert "lola15_demo" in capsys.readouterr().out


def test_copied_once_and_never_over_a_change(capsys: pytest.CaptureFixture, empty: Path) -> None:
    assert main(["examples", "--copy"]) == 0
    copied = empty / "erfd-examples"
    files = example_files()
    assert {p.name: p.read_bytes() for p in copied.iterdir()} == {
        p.name: p.read_bytes() for p in files
    }
    assert main(["examples", "--copy", "erfd-examples"]) == 0  # again: nothing differs
    (copied / "lola15_demo.irl").write_text("mine")
    (copied / "11_fastest.py").unlink()
    capsys.readouterr()
    assert main(["examples", "--copy"]) == 2
    assert "lola15_demo.irl is there already and differs" in capsys.readouterr().err
    assert (copied / "lola15_demo.irl").read_text() == "mine"
    assert not (copied / "11_fastest.py").exists()


def test_a_program_by_name(capsys: pytest.CaptureFixture, empty: Path) -> None:
    """The same verdict as by its file, with the schedule beside it."""
    for program in ("pick_and_place", str(example_programs()["pick_and_place"])):
        assert main(["verify", program, "lola15", "--no-advice", "--json"]) == 0
    assert main(["lirl", "check", "lola15_demo"]) == 0
    by_name, _, rest = capsys.readouterr().out.partition("\n}\n")
    assert json.loads(by_name + "}") == json.loads(rest.partition("\n}\n")[0] + "}")
    found = erfd.verify("lola15_demo", "lola15")
    assert found.name == "lola15_demo"
    assert found.bad_lines == erfd.verify(program_path("lola15_demo"), "lola15").bad_lines
    assert not list(empty.iterdir())


def test_a_file_of_the_user_comes_first(capsys: pytest.CaptureFixture, empty: Path) -> None:
    assert is_example("lola15_demo")
    (empty / "lola15_demo").write_text("program mine; seq endseq endprogram")
    assert not is_example("lola15_demo")
    assert main(["lirl", "format", "lola15_demo"]) == 0
    assert "mine" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ("repair", "lola15_demo", "lola15", "--in-place"),
        ("lirl", "format", "lola15_demo", "--write"),
    ],
)
@pytest.mark.usefixtures("empty")
def test_an_example_is_not_written_into(
    capsys: pytest.CaptureFixture, words: tuple[str, ...]
) -> None:
    before = example_programs()["lola15_demo"].read_bytes()
    assert main(words) == 2
    assert "expected a file of yours, found the example" in capsys.readouterr().err
    assert example_programs()["lola15_demo"].read_bytes() == before


@pytest.mark.usefixtures("empty")
def test_nearly_the_name_of_an_example(capsys: pytest.CaptureFixture) -> None:
    assert main(["verify", "lola15_demi", "lola15"]) == 2
    assert "did you mean the example 'lola15_demo'?" in capsys.readouterr().err
    assert main(["verify", "quite_another", "lola15"]) == 2
    assert "quite_another: no such file" in capsys.readouterr().err
    assert main(["verify", "n" * 300, "lola15"]) == 2


def test_the_sentence_of_an_example(tmp_path: Path) -> None:
    program = tmp_path / "a.irl"
    program.write_text(
        "{ Carries 1.5 kg\n  home. Then it waits. }\nprogram a; seq endseq endprogram"
    )
    assert about(program) == "Carries 1.5 kg home."
    program.write_text("program a; seq endseq endprogram")
    assert about(program) == ""
