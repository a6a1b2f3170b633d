"""Wrong command lines of every command: a sentence and exit code 0, 1 or 2, and no words of Python.

A few in this process; ERFD_COMMANDS says how many as processes (`make soak-command-lines`).
"""

import io
import os
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

import pytest

from erfd.cli import main
from support.seeds import seeded
from support.wrong_commands import WrongLine, WrongLines, complaint, make_files

pytestmark = pytest.mark.usefixtures("compiled")
COMMANDS = int(os.environ.get("ERFD_COMMANDS", "0"))
SAMPLE = 150
LONGEST = 10.0
"""Seconds that a command may take without a progress bar."""
GOING = 8.0
"""Seconds after which a server is told to end: it has nothing to complain of."""
LAST = 120.0
"""Seconds that a command with a progress bar may take here, and one that waits."""


def exit_code(words: tuple[str, ...]) -> int | str:
    """The exit code of a command in this process, or what went wrong."""
    try:
        return main(words)
    except SystemExit as end:
        return int(str(end.code))
    except BaseException:
        return traceback.format_exc()


def test_a_few_in_this_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = WrongLines(make_files(tmp_path), seeded(31))
    monkeypatch.chdir(tmp_path)
    for _ in range(SAMPLE):
        line = lines.line(servers=False)
        if "bench" in line.words or any("huge" in word for word in line.words):
            continue
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(line.given)))
        code = exit_code(line.words)
        said = capsys.readouterr().err
        if isinstance(code, str):
            pytest.fail(f"erfd {line}\n{code}")
        assert not complaint(line, code, said), f"erfd {line}\n{said}"


def busy_seconds(pid: int) -> float:
    """Processor time of a process, s: what another one takes of the machine does not count."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(line: WrongLine, folder: Path) -> tuple[int | None, str]:
    """The exit code (None: too long in silence) and the error output of a command."""
    environment = os.environ | {"TTY_COMPATIBLE": "1", "COLUMNS": "100"}
    process = subprocess.Popen(
        [sys.executable, "-m", "erfd", *(os.fsencode(word) for word in line.words)], cwd=folder,
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment,
    )  # fmt: skip
    begin, told = time.monotonic(), False
    given: bytes | None = line.given
    while True:
        try:
            _, said = process.communicate(given, timeout=1.0)
            code = process.returncode
            # what was told to end ended; 0 and 1 are those that end tidily
            return (0 if told and code in (130, -signal.SIGINT) else code), said.decode(
                "utf-8", "replace"
            )
        except subprocess.TimeoutExpired as late:
            given = None
            seconds, so_far = time.monotonic() - begin, late.stderr or b""
            server = line.words[0] in ("controller", "studio", "monitor", "bench")
            if server and busy_seconds(process.pid) + seconds / 4 > GOING and not told:
                process.send_signal(signal.SIGINT)
                told = True
            limit = LAST if b"\x1b[" in so_far else LONGEST + GOING * server
            if busy_seconds(process.pid) > limit or seconds > LAST:
                process.kill()
                said = process.communicate()[1].decode("utf-8", "replace")
                return (0 if b"\x1b[" in so_far else None), said


@pytest.mark.skipif(not COMMANDS, reason="ERFD_COMMANDS says how many wrong command lines")
def test_many_as_processes(tmp_path: Path) -> None:
    lines = WrongLines(make_files(tmp_path), seeded(7))
    bad = []
    for _ in range(COMMANDS):
        line = lines.line()
        begin = time.monotonic()
        code, said = run(line, tmp_path)
        if problem := complaint(line, code, said):
            seconds = time.monotonic() - begin
            bad.append(f"{problem} ({seconds:.1f} s)\n  erfd {line}\n  {said[-1500:]}")
            print(bad[-1], flush=True)
    assert not bad, f"{len(bad)} of {COMMANDS}:\n" + "\n".join(bad)
