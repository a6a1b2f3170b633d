"""`erfd completion`: what the Tab key offers, asked of the shells that are here."""

import shutil
import subprocess
from pathlib import Path

import pytest

from erfd.cli import COMMANDS, main, parser
from erfd.commands.completion import SHELLS, script

pytest.importorskip("shtab")
ASK = {
    "bash": """source "./$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); COMPREPLY=()
$(complete -p erfd | sed 's/.*-F \\([^ ]*\\).*/\\1/'); printf '%s\\n' "${COMPREPLY[@]}"
""",
    "fish": 'source ./$argv[1]; complete -C (string join -- " " $argv[2..])\n',
}


@pytest.fixture(scope="module")
def offered(tmp_path_factory: pytest.TempPathFactory):
    """What a shell offers for the last of some words."""
    folder = tmp_path_factory.mktemp("completion")
    for shell in ASK:
        (folder / shell).write_text(script(shell, parser()))
        (folder / f"ask.{shell}").write_text(ASK[shell])

    def ask(shell: str, *words: str) -> set[str]:
        if shutil.which(shell) is None:
            pytest.skip(f"{shell} is missing")
        command = [shell, f"ask.{shell}", shell, "erfd", *words]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        return {line.split("\t")[0] for line in done.stdout.splitlines()}

    return ask


@pytest.mark.parametrize("shell", ASK)
def test_commands_options_robots_and_programs(offered, shell: str) -> None:
    assert {"verify"} == offered(shell, "ver")
    assert "--turning" in offered(shell, "verify", "lola15_demo", "--tu")
    assert offered(shell, "show", "cm") == {"cmu_dd"}
    assert offered(shell, "verify", "lola15_d") == {"lola15_demo"}
    assert offered(shell, "verify", "lola15_demo", "--robot", "pum") == {"puma560"}
    assert offered(shell, "lirl", "for") == {"format"}
    assert offered(shell, "cache", "cl") == {"clear"}


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_is_in_the_script(
    capsys: pytest.CaptureFixture, tmp_path: Path, shell: str
) -> None:
    assert main(["completion", shell]) == 0
    text = capsys.readouterr().out
    assert all(command in text for command in COMMANDS)
    if shutil.which(shell):
        (tmp_path / "script").write_text(text)
        subprocess.run([shell, "-n", tmp_path / "script"], check=True)
