"""The stand-alone program around a cycle: C99 and C++17, and equal to `erfd.achievable`."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import erfd
from erfd.cli import main
from erfd.codegen.cycle import program_text
from erfd.codegen.cycle.program import OWN, generate_program
from erfd.errors import InputError
from support.built_step import CC, LOLA, STRICT, compile_with, needs_cc

CXX = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
STRICT_CXX = [word.replace("c99", "c++17") for word in STRICT]
WRENCH = [100.0, 100.0, -150.0, 0.0, 0.0, 0.0]
PAYLOAD = erfd.Payload(5.0, (0.0, 0.02, 0.1))
LOADS = ["--wrench", *map(str, WRENCH), "--payload", "5", "0", "0.02", "0.1"]
SAME = 1e-9
"""Of the largest value, as the self-test of the generated cycle."""


@dataclass
class Program:
    path: Path

    def __call__(self, *words: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.path, *map(str, words)], capture_output=True, text=True)


def build(folder: Path, robot: erfd.Robot, language: str, **options: object) -> Program:
    files = generate_program(robot, 0.01, out=folder, **options)
    sources = [path for path in files if path.suffix == ".c" and "_test" not in path.name]
    if language == "c++":
        compile_with(CXX, "-x", "c++", *STRICT_CXX, *sources, "-lm", "-o", folder / "run")
    else:
        compile_with(CC, *STRICT, *sources, "-lm", "-o", folder / "run")
    return Program(folder / "run")


@pytest.fixture(scope="module", params=["c", "c++"])
def lola(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Program:
    if CC is None or (request.param == "c++" and CXX is None):
        pytest.skip(f"no compiler for {request.param} on the path")
    folder = tmp_path_factory.mktemp("program")
    return build(folder, LOLA, request.param, wrench=True, payload=True)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Program:
    if CC is None:
        pytest.skip("no C compiler (cc, gcc or clang) on the path")
    return build(tmp_path_factory.mktemp("small"), erfd.load("two_link"), "c")


def motion(seconds: float, seed: int) -> erfd.Trajectory:
    """Point to point, smooth, in that time: too fast for Lola 15 if that is 0.9 s."""
    rng = np.random.default_rng(seed)
    t = 0.008 * np.arange(round(seconds / 0.008) + 1)
    s = t / t[-1]
    s = 10 * s**3 - 15 * s**4 + 6 * s**5
    ends = rng.uniform(-0.8, 0.8, (2, 6))
    return erfd.Trajectory(t, ends[0] + s[:, None] * (ends[1] - ends[0]))


def table(text: str) -> dict[str, np.ndarray]:
    rows = list(csv.reader(io.StringIO(text)))
    values = np.array(rows[1:], dtype=float)
    return dict(zip(rows[0], values.T, strict=True))


def columns(found: dict[str, np.ndarray], name: str, n: int) -> np.ndarray:
    return np.stack([found[f"{name}{i}"] for i in range(1, n + 1)], axis=1)


def write(path: Path, rows: list[list[object]], before: str = "") -> Path:
    path.write_text(before + "\n".join(",".join(map(str, row)) for row in rows) + "\n")
    return path


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize(("seconds", "seed", "code"), [(0.7, 1, 1), (0.5, 2, 1), (8.0, 3, 0)])
def test_equal_to_python(
    lola: Program, tmp_path: Path, seconds: float, seed: int, code: int
) -> None:
    """Columns in any order, with others between them, comments and empty lines."""
    given = motion(seconds, seed)
    names = [f"q{i}" for i in range(6, 0, -1)] + ["note", "T"]
    names += [f'"QD{i}"' for i in range(1, 7)]
    rows: list[list[object]] = [
        [*(repr(float(x)) for x in q[::-1]), "abc", repr(float(t)), *(repr(float(x)) for x in qd)]
        for t, q, qd in zip(given.t, given.q, given.qd, strict=True)
    ]
    path = write(tmp_path / "motion.csv", [names, *rows], "# a motion\n\n")
    out = tmp_path / "result.csv"
    done = lola(path, out, *LOADS)
    assert done.returncode == code, done.stderr
    assert not done.stdout
    run = erfd.achievable(LOLA, given, wrench=WRENCH, payload=PAYLOAD)
    assert run.feasible is (code == 0)
    found = table(out.read_text())
    assert np.abs(found["t"] - run["t"]).max() == 0
    for name in ("q", "qd", "qdd", "u_a", "u_a_wanted", "u_a_max"):
        wanted = run[name]
        gap = np.abs(columns(found, name, 6)[1:] - wanted[1:]).max()
        assert gap <= SAME * np.abs(wanted).max(), name
    assert (columns(found, "saturated", 6) == run["saturated"]).all()
    full = int((run["saturated"] != 0).any(axis=1).sum())
    assert f"a motor at its limit in {full} of {len(run) - 1} cycles" in done.stderr
    assert [p.name for p in tmp_path.glob("*.part")] == []
    assert table(lola(path, *LOADS).stdout).keys() == found.keys()  # without a file: the terminal


@pytest.mark.usefixtures("compiled")
def test_without_header_and_velocities(small: Program, tmp_path: Path) -> None:
    t = 0.02 * np.arange(60)
    q = np.stack([0.3 * np.sin(t) ** 2, 0.2 * (1 - np.cos(t))], axis=1)
    path = write(tmp_path / "bare.csv", [[a, *b] for a, b in zip(t.tolist(), q.tolist(),
                                                                 strict=True)])  # fmt: skip
    found = table(small(path).stdout)
    run = erfd.achievable(erfd.load("two_link"), erfd.Trajectory(t, q))
    for name in ("q", "qd", "u_a"):
        gap = np.abs(columns(found, name, 2)[1:] - run[name][1:]).max()
        assert gap <= SAME * max(1.0, np.abs(run[name]).max()), name


@pytest.mark.parametrize(
    ("text", "words", "sentence"),
    [
        ("t,q1\n0,0\n1,0\n", (), "line 1: expected columns t and q1..q2"),
        ("t,q1,q2,qd2\n0,0,0,0\n", (), "line 1: expected all of qd1..qd2, or none"),
        ("0,0\n1,0\n", (), "line 1: expected t and q1..q2, or these and qd1..qd2"),
        ("0,0,0\n1,0,x\n", (), "line 2: expected a finite number in every column"),
        ("0,0,0\n1,nan,0\n", (), "line 2: expected a finite number in every column"),
        ("0,0,0\n1,0\n", (), "line 2: expected a finite number in every column"),
        ("0,0,0\n", (), "expected at least two rows of numbers"),
        ("0,0,0\n1,0,0\n3,0,0\n", (), "expected times with a fixed step"),
        ("1,0,0\n0,0,0\n", (), "expected rising times"),
        ("0,0,0,0,0\n1,0,0,1,0\n", (), "qd: expected (q[k] - q[k-1]) / dt"),
        ("0,0,0\n1,0,0\n", ("a.csv", "b.csv"), "expected MOTION.csv [RESULT.csv]"),
        ("0,0,0\n1,0,0\n", ("--wrench", "1"), "--wrench: expected no such option"),
        ("0,0,0\n1,0,0\n", ("no/such/folder.csv",), "cannot be written"),
    ],
)
def test_mistakes(
    small: Program, tmp_path: Path, text: str, words: tuple[str, ...], sentence: str
) -> None:
    path = tmp_path / "wrong.csv"
    path.write_text(text)
    done = small(path, *words)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_mistakes_without_a_file(small: Program, lola: Program, tmp_path: Path) -> None:
    assert "expected MOTION.csv" in small().stderr
    assert "cannot be read" in small(tmp_path / "none.csv").stderr
    assert "--wrench: expected 6 finite numbers" in lola("x.csv", "--wrench", 1, 2, 3).stderr
    assert "--payload: expected a mass of 0 or more" in lola("--payload", -1, 0, 0, 0).stderr


@needs_cc
@pytest.mark.skipif(shutil.which("cmake") is None, reason="no cmake on the path")
def test_cmake_builds_it(tmp_path: Path) -> None:
    generate_program(erfd.load("two_link"), 0.01, out=tmp_path)
    made = tmp_path / "build"
    for words in (("-S", tmp_path, "-B", made), ("--build", made)):
        done = subprocess.run(["cmake", *map(str, words)], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    assert subprocess.run([made / "self_test"], capture_output=True).returncode == 0
    assert "expected MOTION.csv" in Program(made / "achievable")().stderr


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    words = ("codegen", "two_link", "--quantity", "achievable_step", "--dt", "0.01", "--program")
    assert main((*words, "--out", str(tmp_path))) == 0
    assert {"main.c", "CMakeLists.txt"} <= {path.name for path in tmp_path.iterdir()}
    capsys.readouterr()
    assert main(("codegen", "two_link", "--program")) == 2
    assert "--program: only --quantity achievable_step takes it" in capsys.readouterr().err


def test_names_of_its_own(tmp_path: Path) -> None:
    defined = re.findall(
        r"^static [\w *]*?\**(\w+)[\[(]", program_text.PROGRAM + program_text.READER, re.M
    )
    assert sorted(defined) == sorted(OWN)
    with pytest.raises(InputError, match=r"'fail' is a function of main\.c"):
        generate_program(erfd.load("two_link"), 0.01, out=tmp_path, name="fail")
