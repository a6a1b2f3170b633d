"""Wrong command lines, made from the parsers themselves: a right line with one to three faults.

A new command is tried as soon as it is on the command line: for options it does not know by name,
values are taken from the pool of wrong ones.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import erfd
from erfd.cli import parser
from erfd.commands.parser import leaves
from support.easy_program import EASY
from support.joint_tables import motion_rows, write_table

VALUES = (
    "", " ", "-", "--", "nan", "inf", "-inf", "1e400", "-1", "-1e-3", "0", "1e-12", "1e12", "-0",
    "10ms", "5kg", "1,2", "-1,0,0.5", "1,2,3,4,5,6", "-1,0,0.5,nan,0,0", "0,0,0,0,0", "1;2;3",
    "x" * 5000, "9" * 400, "\udcff\udc80", "Größe", "a b", "'\"`$", "[red]x[/nothing]", "%s{}",
    "x=nan", "z=0.61,up=1", "roll=90,pitch=-1e9", "None", "True", "0x10", "1_000", "٣",
)  # fmt: skip
"""What is no number, no unit, no end, or not meant."""
NUMBERS = {
    "dt": "0.01", "time": "0.02", "every": "2", "speed": "1", "pause": "1", "seconds": "0.2",
    "joints": "2", "port": "0", "config": "4",
}  # fmt: skip
VECTORS = {
    "pose": "0.7,0.4,0.6", "near": "0,0,0,0,-30,0", "tool": "0,0,0.1,0,10,0", "mount": "z=0.5",
    "wrench": "10,0,-5", "payload": "1,0,0,0.1", "start": "0,0,0,0,0,0", "q0": "0,0,0,0,0,0",
    "qd0": "0,0,0,0,0,0", "torque": "0,0,0,0,0,0", "voltage": "0,0,0,0,0,0", "q": "0,0,0,0,0,0",
    "joint_torque": "0,0,0,0,0,0",
}  # fmt: skip
PLACES = {
    "robot": "lola15", "named_robot": "lola15", "program": "easy.irl", "trajectory": "motion.csv",
    "signals": "signals.csv", "cell": "room.toml", "journal": "cut.parquet.journal",
    "url": "ws://127.0.0.1:9", "urls": "ws://127.0.0.1:9", "quantity": "bias", "method": "auto",
    "order": "pause", "base": "base", "tip": "tip", "host": "127.0.0.1", "picture": "arm.svg",
}  # fmt: skip
"""Words that are right, by the name of the argument; those of one command come first."""
OF_COMMAND = {
    ("play", "file"): "motion.jsonl", ("parts build", "file"): "arm.parts.toml",
    ("studio", "file"): "none.irl", ("bench", "out"): "bench.json", ("play", "out"): "page.html",
    ("parts build", "out"): "built.toml", ("monitor record", "out"): "kept.csv",
    ("monitor recover", "out"): "back.csv", ("simulate", "method"): "rk4", ("sim", "method"): "rk4",
    ("studio", "runs"): "kept", ("cache", "action"): "info",
}  # fmt: skip
WRITTEN = ("out", "picture", "runs")
"""Arguments that name what is written."""
SERVERS = ("controller", "studio", "bench", "monitor watch", "monitor record")
"""What goes on for long, or until somebody ends it, if nothing is wrong."""
WORDS = re.compile(
    r"Traceback|NoneType|PosixPath|<class|object at 0x|ndarray|dtype|Errno|unhashable|subscriptable"
    r"|\bdict\b|\bfloat\b|\bstr\b|\w+Error\b|\w=(?:True|False|None)\b|\bself\.|argument must be"
    r"|takes \d+ positional|not supported between|codec|invalid literal|could not convert"
)
"""Words of Python that no sentence of ours has."""


@dataclass(frozen=True, slots=True)
class WrongLine:
    """The words of a command line behind `erfd`, and what stands in its standard input."""

    command: str
    words: tuple[str, ...]
    given: bytes

    def __str__(self) -> str:
        return " ".join(word if len(word) < 60 else f"{word[:20]}..." for word in self.words)


def make_files(folder: Path) -> list[str]:
    """Fill a folder with files that are right, and many that are wrong; returns their names."""
    (folder / "easy.irl").write_text(EASY)
    (folder / "wrong.irl").write_text("program p; seq\nmvoe ptp home;\nendseq")
    (folder / "endless.irl").write_text("program p; seq while true do endwhile endseq endprogram")
    (folder / "signals.csv").write_text("time,signal,value\n0,ready,1\n")
    (folder / "room.toml").write_text('[[object]]\nshape = "box"\nsize = [1.0, 1.0, 1.0]\n')
    t, q = motion_rows(0.5)
    write_table(folder / "motion.csv", np.column_stack([t, 0.02 * q]))
    write_table(folder / "two.csv", np.column_stack([t, 0.02 * q[:, :2]]))
    write_table(folder / "nan.csv", np.column_stack([t, q * np.nan]))
    (folder / "schedule.txt").write_text("linear\n0 0 0 0 0 0 0\n0.01 1 1 1 1 1 1\n")
    source = Path(erfd.__file__).parent / "robot" / "data"
    shutil.copy(source / "two_link.toml", folder / "two_link.toml")
    shutil.copy(source / "cmu_dd.parts.toml", folder / "arm.parts.toml")
    (folder / "weak.toml").write_text((source / "lola15.toml").read_text()[:3000])
    data = Path(__file__).parent.parent / "data"
    shutil.copy(data / "two_joints.urdf", folder / "joints.urdf")
    shutil.copy(data / "gripper_arm.urdf", folder / "gripper.urdf")
    motion = erfd.Trajectory(t, 0.02 * q)
    erfd.write_run(erfd.achievable("lola15", motion), folder / "run.parquet", program=EASY)
    noise = random.Random(1).randbytes(3000)
    for ending in (".irl", ".csv", ".toml", ".parts.toml", ".urdf", ".parquet", ".jsonl",
                   ".parquet.journal", ".signals.csv", ".txt"):  # fmt: skip
        (folder / f"empty{ending}").touch()
        (folder / f"binary{ending}").write_bytes(noise)
        (folder / f"folder{ending}").mkdir()
        (folder / f"text{ending}").write_text("this is no such file\n")
        (folder / f"nul{ending}").write_bytes(b"\0" * 100)
        (folder / f"lost{ending}").symlink_to("nowhere")
        secret = folder / f"secret{ending}"
        secret.write_text("x = 1\n")
        secret.chmod(0)
    (folder / "cut.parquet").write_bytes((folder / "run.parquet").read_bytes()[:-100])
    (folder / "huge.irl").write_text("move ptp home;\n" * 400_000)
    (folder / "huge.csv").write_text("0,0,0,0,0,0,0\n" * 100_000)
    (folder / "huge.toml").write_text("x = 1\n" * 300_000)
    (folder / "deep.toml").write_text(f"x = {'[' * 5000}{']' * 5000}\n")
    (folder / "deep.jsonl").write_text("[" * 100_000)
    (folder / "one.csv").write_text("0" * 2_000_000)
    names = sorted(path.name for path in folder.iterdir())
    return [*names, "none.irl", "none/deep.csv", "easy.irl/inside.toml", "/", ".", "..", "~",
            "/dev/null", "/dev/stdin", "/dev/full", "/proc/self/mem", "n" * 300]  # fmt: skip


class WrongLines:
    """Wrong command lines over every command and option."""

    def __init__(self, files: list[str], seed: int):
        self.files, self.random = files, random.Random(seed)
        self.commands = {leaf.prog.removeprefix("erfd "): leaf for leaf in leaves(parser())}

    def line(self, *, servers: bool = True) -> WrongLine:
        """One more line; `servers`: also of commands that go on for long."""
        names = [name for name in self.commands if servers or name not in SERVERS]
        command = self.random.choice(names)
        leaf = self.commands[command]
        actions = [a for a in leaf._actions if not isinstance(a, argparse._HelpAction)]
        needed = [a for a in actions if not a.option_strings or a.required]
        if command == "simulate":
            needed.append(next(a for a in actions if a.dest == "torque"))
            needed.append(next(a for a in actions if a.dest == "time"))
        rare = {"named_robot"} | ({"base", "tip"} if self.random.random() < 0.8 else set())
        others = [a for a in actions if a not in needed and a.dest not in rare]
        chosen = [*needed, *self.random.sample(others, min(len(others), self.random.randrange(4)))]
        can_fail = [a for a in chosen if a.nargs != 0 or self.random.random() < 0.1]
        faults = self.random.sample(can_fail, min(len(can_fail), self.random.randint(0, 2)))
        words = [self._words(command, action, action in faults) for action in chosen]
        if command in SERVERS and any(a.dest == "seconds" for a in actions):
            words.append(["--seconds", "0.2"])
        self._spoil(words)
        given = self.random.choice([b"", EASY.encode(), b"\xff\xfe\0", b"theta = x\nsimulate\n"])
        return WrongLine(command, (*command.split(), *(x for part in words for x in part)), given)

    def _words(self, command: str, action: argparse.Action, wrong: bool) -> list[str]:
        """The words of an argument: its option and its value, right or wrong."""
        value = self._wrong(command, action) if wrong else self._right(command, action)
        if not action.option_strings:
            return [value]
        option = self.random.choice(action.option_strings)
        if action.nargs == 0:
            return [f"{option}={value}"] if wrong else [option]
        return [f"{option}={value}"] if self.random.random() < 0.2 else [option, value]

    def _right(self, command: str, action: argparse.Action) -> str:
        if (command, action.dest) in OF_COMMAND:
            return OF_COMMAND[command, action.dest]
        if action.choices is not None:
            return str(self.random.choice(list(action.choices)))
        for known in (PLACES, NUMBERS, VECTORS):
            if action.dest in known:
                return known[action.dest]
        return "out" if action.dest == "out" else self._wrong(command, action)

    def _wrong(self, command: str, action: argparse.Action) -> str:
        """A wrong value; nothing is written outside the folder of the trial."""
        writes = action.dest in WRITTEN or command == "lirl format"
        files = [name for name in self.files if not (writes and name[0] in "/.~")]
        return self.random.choice(files if self.random.random() < 0.5 else VALUES)

    def _spoil(self, words: list[list[str]]) -> None:
        """Leave out a word, say one twice, add one, or change their order, now and then."""
        if self.random.random() < 0.3:
            self.random.shuffle(words)
        fault = self.random.random()
        if words and fault < 0.1:
            words.pop(self.random.randrange(len(words)))
        elif words and fault < 0.2:
            words.append(self.random.choice(words))
        elif fault < 0.3:
            words.append([self.random.choice((*VALUES, "--nothing", "-x", "--robot", "extra"))])


def complaint(line: WrongLine, code: int | None, said: str) -> str:
    """What is wrong with how a command ended: its exit code and what it said; "" for nothing."""
    if code not in (0, 1, 2):
        return f"exit code {code}"
    if found := WORDS.search(said):
        return f"a word of Python: {found.group()!r}"
    if code == 2 and not said.strip() and line.command != "lirl check":  # which prints mistakes
        return "exit code 2 without a sentence"
    return ""
