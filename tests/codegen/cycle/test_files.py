"""The files of the generated cycle: self-test, C++, command, mistakes, documentation."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import erfd
from erfd.cli import main
from erfd.codegen.cycle import code as step_code
from erfd.codegen.cycle.generate import generate_step
from erfd.codegen.generate import generate
from erfd.errors import InputError, MethodError
from support.arms import random_robot
from support.built_step import (
    CC,
    DT,
    LOADED,
    LOLA,
    ROBOTS,
    STRICT,
    built_of,
    compile_with,
    needs_cc,
    refused,
    run,
)
from support.paths import DOCS

PAGE = (DOCS / "codegen.md").read_text()


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return generate_step(ROBOTS["two_link"], DT, out=tmp_path_factory.mktemp("arm"), name="arm")


@needs_cc
@pytest.mark.parametrize(
    ("file", "pattern", "wrong", "sentence"),
    [
        ("_test.c", r"(want_qd\[\d+\]\[2\] = \{\s*\{)[^,]+", r"\g<1>1.5", "expected up to"),
        ("_test.c", r"(want_torque\[\d+\]\[2\] = \{\s*\{)[^,]+", r"\g<1>NAN", "expected up to"),
        ("_test.c", r"(want_side\[\d+\]\[2\] = \{\s*\{)[^,]+", r"\g<1>7", "other limits are met"),
        ("_test.c", r"(want_clipped\[\d+\]\[2\] = \{\s*\{)[^,]+", r"\g<1>9", "other limits"),
        (".c", r"(torque_max\[0\] = )120\.0", r"\g<1>120.001", "expected up to"),
        (".c", r"(count >= )8( \?)", r"\g<1>0\2", ""),
        (".c", r"!isfinite\(values\[i\]\)", "i < 0", "not refused|returned"),
    ],
)
def test_wrong_numbers_fail_the_self_test(
    arm: list[Path], tmp_path: Path, file: str, pattern: str, wrong: str, sentence: str
) -> None:
    """A reference or the code changed; changing one index at a time is slower, not wrong."""
    for written in arm:
        shutil.copy(written, tmp_path)
    path = tmp_path / f"arm{file}"
    text, count = re.subn(pattern, wrong, path.read_text())
    assert count == 1
    path.write_text(text)
    program = tmp_path / "program"
    compile_with(CC, "-std=c99", tmp_path / "arm.c", tmp_path / "arm_test.c", "-lm", "-o", program)
    code, said = run(program)
    assert code == (1 if sentence else 0)
    assert re.search(f"failed, .*({sentence})" if sentence else "arm: ", said)


@needs_cc
def test_rounds_that_do_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With no round allowed: whoever needs one gets -3, and nothing has happened."""
    monkeypatch.setattr(step_code, "ROUNDS", 0)
    built = built_of("two_link", {}, tmp_path)
    at = np.array([0.3, 0.4])
    refused(built, -3, built.state(at, 0 * at), [[9.0, 9.0], [6.0, 6.0]], built.parameters())
    rounds, _ = built.step(built.state(at, 0 * at), at, 0 * at, parameters=built.parameters())
    assert rounds == 0


@needs_cc
def test_header_serves_cpp(tmp_path: Path) -> None:
    cpp = shutil.which("g++") or shutil.which("clang++")
    if cpp is None:
        pytest.skip("no C++ compiler (g++ or clang++) on the path")
    code, header, _ = generate_step(ROBOTS["two_link"], DT, out=tmp_path, name="x" * 47)
    compile_with(CC, *STRICT, "-c", code, "-o", tmp_path / "code.o")
    x = "x" * 47
    body = f"{x}_parameters p; {x}_state s = {{{{0, 0}}, {{0, 0}}, {{0, 0}}}}; {x}_cycle c; "
    body += f"{x}_parameters_init(&p); return {x}(&s, s.q, s.qd, &p, &c) < 0;"
    include = f'#include "{header.name}"\n' * 2
    (tmp_path / "main.cpp").write_text(f"{include}int main() {{ {body} }}\n")
    flags = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
    compile_with(
        cpp, *flags, tmp_path / "main.cpp", tmp_path / "code.o", "-lm", "-o", tmp_path / "main"
    )
    assert run(tmp_path / "main")[0] == 0


def test_same_again(tmp_path: Path) -> None:
    """Another run, over the first, whichever backend is on: the same bytes."""
    paths = generate_step(erfd.load("two_link"), DT, out=tmp_path, **LOADED)
    before = [path.read_bytes() for path in paths]
    with erfd.backend("compiled"):
        again = generate_step(erfd.load("two_link"), DT, out=str(tmp_path), **LOADED)
    assert again == paths
    assert [path.read_bytes() for path in paths] == before


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"dt": 0.0}, r"dt: expected a time > 0 s, found 0\.0"),
        ({"dt": np.nan}, "dt: expected a time > 0 s, found nan"),
        ({"policy": "best"}, "policy: expected one of consistent, printed, found 'best'"),
        ({"follow": "me"}, "follow: expected one of velocity, position, found 'me'"),
        ({"torque_path": "short"}, "torque_path: expected one of virtual-work, diagonal"),
        ({"name": "2fast"}, "name: expected a C identifier .* '2fast'"),
        ({"name": "state"}, "name: 'state' has a meaning in C"),
        ({"name": "x" * 48}, "name: expected up to 47 characters before _achievable_step"),
        ({"robot": ("two_link",)}, r"robot: expected an erfd\.Robot"),
        ({"robot": random_robot(3, "RR")}, "robot 'random': expected drives, found none"),
    ],
)
def test_mistakes(tmp_path: Path, options: dict[str, Any], sentence: str) -> None:
    given = {"robot": ROBOTS["two_link"], "dt": DT, **options}
    with pytest.raises(InputError, match=sentence):
        generate_step(given.pop("robot"), given.pop("dt"), out=tmp_path / "out", **given)
    assert list(tmp_path.iterdir()) == []


def test_quantity_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(MethodError, match=r"written by codegen\.cycle\.generate\.generate_step"):
        generate(ROBOTS["two_link"], "achievable_step", out=tmp_path)
    with pytest.raises(MethodError, match=r"quantity: expected one of .* achievable_step, found"):
        generate(ROBOTS["two_link"], "step", out=tmp_path)


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    step = ["codegen", "two_link", "--quantity", "achievable_step", "--out", str(tmp_path / "c")]
    chosen = ["--dt", "0.004", "--wrench", "--payload", "--follow", "position"]
    assert main([*step, *chosen, "--torque-path", "diagonal", "--json"]) == 0
    paths = [Path(path) for path in json.loads(capsys.readouterr().out)]
    names = ["two_link_achievable_step" + end for end in (".c", ".h", "_test.c")]
    assert [path.name for path in paths] == names
    text = paths[1].read_text()
    assert "follow position, torque path diagonal" in text
    assert "dt = 0.004 s" in text
    assert "const double wrench[6]" in text
    assert "const double payload[10]" in text
    assert main(step) == 0  # the cycle of the robot's controller
    assert f"dt = {erfd.load('two_link').cycle_time:g} s" in paths[1].read_text()
    capsys.readouterr()
    for wrong, sentence in (
        ([*step, "--dt", "0"], "dt: expected a time > 0 s, found 0.0"),
        ([*step, "--dt", "1", "--method", "aba"], "--method: achievable_step has one, 'auto'"),
        (["codegen", "two_link", "--dt", "0"], "--dt: only --quantity achievable_step takes it"),
        (["codegen", "two_link", "--payload"], "--payload: only --quantity achievable_step"),
        (["codegen", "two_link", "--torque-path", "diagonal"], "--torque-path: only --quantity"),
    ):
        assert main(wrong) == 2
        assert sentence in capsys.readouterr().err


@needs_cc
def test_page(tmp_path: Path) -> None:
    """docs/codegen.md: its main compiles without a warning and prints what the page shows."""
    program = re.search(r"```c\n(#include \"lola15_achievable_step.h\".*?)```", PAGE, re.S)[1]
    shown = re.search(r"It prints\n\n```\n(.*?)```", PAGE, re.S)[1]
    generate_step(LOLA, DT, out=tmp_path, **LOADED)
    (tmp_path / "main.c").write_text(program)
    files = [tmp_path / "main.c", tmp_path / "lola15_achievable_step.c"]
    compile_with(CC, *STRICT, *files, "-lm", "-o", tmp_path / "main")
    assert run(tmp_path / "main") == (0, shown)
    header = (tmp_path / "lola15_achievable_step.h").read_text()
    prototype = header[header.index("int lola15_achievable_step(") :].partition(";")[0]
    assert " ".join(prototype.split()) in " ".join(PAGE.split())
