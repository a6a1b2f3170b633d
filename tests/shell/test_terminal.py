"""`erfd sim` in a real terminal: every command, completion, history, wrong answers, Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from erfd.shell.commands.general import COMMANDS
from erfd.shell.commands.simulation import LONGEST

pexpect = pytest.importorskip("pexpect")
if not hasattr(pexpect, "spawn"):
    pytest.skip("no terminals of this kind on Windows", allow_module_level=True)

ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07|[=>78])")
PLAIN = "import sys; sys.modules['prompt_toolkit'] = None; import erfd.cli as c; sys.exit(c.main())"
READY, TAKEN = "\x1b[?2004h", "\x1b[?2004l"
"""What prompt_toolkit writes when it begins to wait for a line, and when it has got one."""
WAIT = 60
"""Seconds for one answer: the first simulation compiles, and machines may be busy."""


class Terminal:
    """A session of a person: types lines, waits for prompts, reads what is between."""

    def __init__(self, folder: Path, *arguments: str, plain: bool = False):
        start = ["-c", PLAIN] if plain else ["-m", "erfd"]
        settings = {"TERM": "xterm-256color", "PROMPT_TOOLKIT_NO_CPR": "1", "LC_ALL": "C.UTF-8"}
        environment = {k: v for k, v in os.environ.items() if k != "ERFD_BACKEND"} | settings
        self.child = pexpect.spawn(
            sys.executable, [*start, "sim", *arguments], cwd=str(folder), env=environment,
            encoding="utf-8", timeout=WAIT, dimensions=(50, 120),
        )  # fmt: skip
        self.plain = plain or "--json" in arguments
        self.started = self.wait("sim>")

    def wait(self, prompt: str) -> str:
        """What is shown before the next prompt."""
        if self.plain:
            return self.until(prompt)
        shown = self.until(READY)
        self.until(prompt)
        return shown

    def until(self, text: str) -> str:
        """What is shown before a text, without colours and movements of the cursor."""
        self.child.expect_exact(text)
        return ESCAPES.sub("", self.child.before).replace("\r", "")

    def answer(self, line: str, until: str = "sim>") -> str:
        """Type a line, and what is shown before the next prompt."""
        self.child.sendline(line)
        if not self.plain:
            self.until(TAKEN)  # until then it only draws what was typed
        return self.wait(until)

    def interrupt(self) -> None:
        """Ctrl-C, after a pause: Python's input() misses one between its prompt and its reading."""
        time.sleep(0.5)
        self.child.sendintr()

    def close(self) -> int:
        self.child.expect(pexpect.EOF)
        self.child.close()
        return int(self.child.exitstatus)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, and a history of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


@pytest.mark.parametrize("plain", [False, True], ids=["prompt_toolkit", "plain"])
def test_every_command(folder: Path, plain: bool) -> None:
    shell = Terminal(folder, "two_link", plain=plain)
    used = set[str]()

    def type_(line: str, until: str = "sim>") -> str:
        used.update(name for name in COMMANDS if line.split()[:1] == [name])
        return shell.answer(line, until)

    assert "2 joints" in shell.started
    assert "Commands:" in type_("help")
    assert "rad" in type_("theta = 0.4 0.9")
    assert "N m" in type_("inverse_arm")
    assert "rad/s2" in type_("forward_arm")
    (folder / "sets.txt").write_text("0 0 0 0 1 1\n")
    type_("inverse_arm sets.txt", "[sets.out]:")
    assert "wrote sets.out" in type_("")
    type_("simulate", "[new]:")
    assert "expected new or continue" in type_("old", "[new]:")  # and asks again
    type_("", "first? (yes/no) [no]:")
    assert "expected one of yes, no" in type_("perhaps", "first? (yes/no) [no]:")
    type_("n", "file? (yes/no) [no]:")
    type_("", "[1000]:")
    assert "expected a whole number" in type_("many", "[1000]:")
    assert "simulated 300 steps" in type_("300")
    type_("simulate", "[new]:")
    type_("continue", "[no]:")
    type_("", "[no]:")
    type_("yes", "Schedule file:")
    assert "no such file" in type_("push.txt", "Schedule file:")
    (folder / "push.txt").write_text("0 1 1\n0.1 0 0\n")
    assert "from 0.3 to 0.4 s" in type_("push.txt")
    type_("plot_simulation", "[all]:")
    type_("theta", "[simulation.png]:")
    curves = type_("none")
    assert "theta (rad)" in curves
    assert re.search("[\u2801-\u28ff]", curves)  # Braille
    type_("print_simulation", "[0]:")
    type_("0", "[0.4]:")
    type_("0.1", "[0.005]:")
    assert "omega (rad/s)" in type_("0.05")
    assert "opened out.txt" in type_("open_output_file out.txt")
    type_("print_simulation", "[0]:")
    type_("", "[0.4]:")
    type_("", "[0.02]:")
    assert "wrote 21 rows to out.txt" in type_("")
    assert "closed out.txt" in type_("close_output_file")
    type_("write_graphic_file", "[simulation.jsonl]:")
    type_("move.jsonl", "[0.02]:")
    assert "wrote move.jsonl, 21 moments" in type_("")
    type_("save", "[session.sim]:")
    type_("out.txt", "write over it? (yes/no) [no]:")
    assert "out.txt: nothing was written" in type_("no")
    assert "wrote my.sim" in type_("save my.sim")
    assert "expected a command or variable" in type_("nonsense")
    assert "0.4 s" in type_("show")
    assert "cmu_dd" in type_("database_read cmu_dd")
    shell.child.sendline("quit")
    used.add("quit")
    assert shell.close() == 0
    assert used == set(COMMANDS)
    assert (folder / "out.txt").read_text().count("\n") == 22


def test_completion(folder: Path) -> None:
    shell = Terminal(folder, "two_link")
    shell.child.send("inv\t")
    shell.until("erse_arm")
    shell.answer("")
    shell.child.send("dacti\t")
    shell.until("DACTimePeriod =")
    assert "0.002" in shell.answer("0.002")
    (folder / "a_long_name.txt").write_text("0 0 0 0 1 1\n")
    shell.child.send("inverse_arm a_lo\t")
    shell.until("ng_name.txt")
    shell.answer("", "a_long_name.out]:")
    shell.answer("")
    shell.child.sendeof()  # Ctrl-D at the prompt
    assert shell.close() == 0


def test_history_goes_over_sessions(folder: Path) -> None:
    first = Terminal(folder, "two_link")
    first.answer("theta = 0.123 0.456")
    first.child.sendline("quit")
    assert first.close() == 0
    second = Terminal(folder, "two_link")
    second.child.send("\x1b[A\x1b[A")  # up, up: before quit
    second.until("theta = 0.123 0.456")
    assert "0.123" in second.answer("")
    second.child.sendline("quit")
    assert second.close() == 0


def test_history_that_cannot_be_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "file" / "state"))
    shell = Terminal(folder, "two_link")
    assert "rad" in shell.answer("theta")
    shell.child.sendline("quit")
    assert shell.close() == 0


@pytest.mark.parametrize("plain", [False, True], ids=["prompt_toolkit", "plain"])
def test_ctrl_c(folder: Path, plain: bool) -> None:
    """It stops a simulation, which is kept; gives up a question; and throws away a line."""
    shell = Terminal(folder, "two_link", plain=plain)
    shell.answer("simulate", "[new]:")
    shell.interrupt()
    assert "given up" in shell.wait("sim>")
    shell.answer("theta = 0.4 0.9")
    for question in ("[new]:", "[no]:", "[no]:", "[1000]:"):
        shell.answer("" if question != "[new]:" else "simulate", question)
    shell.child.sendline(str(LONGEST))
    shell.until("simulating (Ctrl-C stops it)")
    shell.child.expect(r"[1-9]\d?%")  # some steps are done: a quick machine passes over 1 %
    shell.child.sendintr()  # no pause: nothing reads a line now, and it must not end before
    told = shell.wait("sim>")
    steps = int(re.search(r"simulated (\d+) steps", told).group(1))
    assert "stopped; what was simulated is kept" in told
    assert 0 < steps < LONGEST
    assert f"simulation: {steps} steps" in shell.answer("show")
    shell.child.send("theta = 1 1")
    shell.interrupt()
    shell.wait("sim>")
    shell.child.sendline("quit")
    assert shell.close() == 0


@pytest.mark.usefixtures("users_environment")
def test_ctrl_c_stops_a_script_as_a_whole(folder: Path) -> None:
    command = [sys.executable, "-m", "erfd", "sim", "two_link"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe, text=True) as done:
        assert done.stdin is not None
        assert done.stdout is not None
        done.stdin.write("simulate\n\n\n\n1000000\nshow\n")
        done.stdin.close()
        while "1000000" not in done.stdout.readline():  # the last answer: now it simulates
            pass
        time.sleep(0.5)
        done.send_signal(signal.SIGINT)
        assert done.stdout.read() == ""
        assert done.wait(WAIT) == 130


def test_json_in_a_terminal(folder: Path) -> None:
    """Prompts go to stderr: what goes to stdout is JSON alone (here both are the terminal)."""
    shell = Terminal(folder, "two_link", "--json")
    assert '"command": "start"' in shell.started
    assert '"command": "theta"' in shell.answer("theta")
    shell.child.sendline("quit")
    assert shell.close() == 0


def test_small_terminal_curves() -> None:
    import numpy as np

    from erfd.shell.braille import chart

    t = np.linspace(0, 1, 1001)
    spike = np.where(np.arange(1001) == 500, 5.0, 0.0)
    both = np.stack([t, spike], axis=1)
    lines = [str(line) for line in chart("x (rad)", t, both, ["1", "2"], width=60)]
    assert len(lines) == 12
    assert max(len(line) for line in lines) <= 60
    assert lines[1].strip().startswith("5")  # the highest value, reached by one sample alone
    assert re.search("[\u2801-\u28ff]", lines[1])
    line = [str(row) for row in chart("x", t, t[:, None] * 0.0, ["1"], width=60)]
    dots = [ord(c) - 0x2800 for row in line for c in row if 0x2801 <= ord(c) <= 0x28FF]
    assert sum(map(int.bit_count, dots)) == 2 * 46  # one dot in each of the columns of dots
    flat = chart("x", np.array([0.0]), np.array([[2.0]]), ["1"], width=40)  # one moment, one value
    assert any(re.search("[\u2801-\u28ff]", str(line)) for line in flat)


def test_the_shell_is_cheap_to_ask_for() -> None:
    """`erfd --help` must not load the shell, and `import erfd` not the terminal."""
    code = "import sys, erfd.cli; erfd.cli.parser(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "erfd.commands.sim" in loaded
    assert not [name for name in loaded if name.startswith(("erfd.shell", "prompt_toolkit"))]
