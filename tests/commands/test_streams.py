"""Readers that leave, notes, and what is put back when a command has ended."""

import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from erfd.cli import main
from erfd.commands.streams import PatientStream, is_abandoned
from support.easy_program import EASY
from support.paths import EXAMPLES

HARD = EXAMPLES / "lola15_demo.irl"
PIPE = """
import subprocess, sys
command = [sys.executable, "-m", "erfd", *sys.argv[2:]]
with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
    read = process.stdout.read(int(sys.argv[1])) if int(sys.argv[1]) else b""
    process.stdout.close()
    said = process.stderr.read().decode()
    code = process.wait()
print(said, file=sys.stderr, end="")
sys.exit(code)
"""


def read_a_little(size: int, *words: str) -> tuple[int, str]:
    """The exit code and the error output of a command whose output is read for `size` bytes."""
    command = [sys.executable, "-c", PIPE, str(size), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_closed_pipe_is_no_verdict(options: tuple[str, ...], tmp_path: Path) -> None:
    """`erfd verify ... | head -1`: the exit code is the verdict, and the files are written."""
    easy = tmp_path / "easy.irl"
    easy.write_text(EASY)
    for program, verdict in ((easy, 0), (HARD, 1)):
        words = ("verify", str(program), "lola15", "--no-advice", *options)
        out = tmp_path / f"out-{verdict}"
        code, said = read_a_little(0, *words, "--out", str(out))
        assert code == verdict, said
        assert all(line.startswith("wrote ") for line in said.splitlines())
        assert (out / "report.html").exists()


def test_other_output_nobody_reads() -> None:
    """Help, a table, and what would go on for ever: it ends, with nothing to complain of."""
    for words in (("--help",), ("show", "lola15", "--json"), ("opcount", "two_link")):
        assert read_a_little(1, *words) == (0, "")
    assert read_a_little(1, "monitor", "watch", "ws://127.0.0.1:9", "--json") == (0, "")
    assert read_a_little(1, "monitor", "watch", "ws://127.0.0.1:9") == (0, "")


def test_a_patient_stream_passes_on_all_else() -> None:
    stream = PatientStream(sys.stderr)
    assert stream.encoding == sys.stderr.encoding
    assert not is_abandoned()


def test_warnings_are_as_before_when_a_command_has_ended(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Notes while a command runs; whoever called it gets warnings as ever."""
    before = warnings.showwarning
    assert main(["show", "two_link"]) == 0
    assert main(["show", "nobody"]) == 2
    with pytest.raises(SystemExit):
        main(["show"])
    assert warnings.showwarning is before
    capsys.readouterr()


def test_ctrl_c_at_any_moment_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    """While a command runs, and while a mistake is told."""

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("erfd.robot.library.load", interrupt)
    assert main(["show", "two_link"]) == 130
    monkeypatch.undo()
    monkeypatch.setattr(PatientStream, "write", interrupt)
    assert main(["show", "nobody"]) == 130


def test_letters_that_a_stream_cannot_show(capsys: pytest.CaptureFixture[str]) -> None:
    """Bytes of a name that are no text are shown by their numbers."""
    assert main(["show", "\udcff"]) == 2
    assert "\\udcff" in capsys.readouterr().err
