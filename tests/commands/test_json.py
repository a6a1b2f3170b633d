"""`--json` is valid JSON, null where a number is not finite or there is nothing to compare with."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import erfd
from erfd.cli import main
from erfd.verification import verify
from erfd.verification.report_page import report_page
from support.easy_program import EASY

pytestmark = pytest.mark.usefixtures("compiled")
LOLA = erfd.load("lola15")
UNLIMITED = replace(
    LOLA,
    name="unlimited",
    joints=tuple(
        replace(j, velocity_max=np.inf, acceleration_max=np.inf, position_min=-np.inf,
                position_max=np.inf) for j in LOLA.joints
    ),
    drives=tuple(replace(d, torque_max=np.inf, speed_max=np.inf) for d in LOLA.drives),
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a robot without any limit, a program, a trajectory."""
    erfd.save(UNLIMITED, tmp_path / "arm.toml")
    (tmp_path / "easy.irl").write_text(EASY, encoding="utf-8")
    t = 0.01 * np.arange(30)
    rows = np.column_stack([t, np.outer(t**2, np.ones(6))])
    head = "t," + ",".join(f"q{i}" for i in range(1, 7))
    np.savetxt(tmp_path / "way.csv", rows, delimiter=",", header=head, comments="")
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        "robots", "show {0}/arm.toml", "opcount {0}/arm.toml", "cache info", "parts materials",
        "ik {0}/arm.toml --pose 1.1,0,0.8", "ik {0}/arm.toml --pose 9,0,0.8",
        "lirl check {0}/easy.irl", "verify {0}/easy.irl --robot {0}/arm.toml",
        "achieve {0}/arm.toml {0}/way.csv --out {0}/run",
        "simulate {0}/arm.toml --torque 0,0,0,0,0,0 --time 0.05 --out {0}/out",
        "codegen {0}/arm.toml --quantity bias --out {0}",
    ],
)  # fmt: skip
def test_every_command(words: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a robot without limits, all of which are infinite."""
    code = main([*words.format(folder).split(), "--json"])
    captured = capsys.readouterr()
    assert code in (0, 1), captured.err
    json.loads(captured.out, parse_constant=pytest.fail)
    for file in folder.rglob("*.json"):
        json.loads(file.read_text(), parse_constant=pytest.fail)


def told(folder: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    main(["verify", str(folder / "easy.irl"), "--robot", str(folder / "arm.toml"), "--json"])
    return json.loads(capsys.readouterr().out)


def test_no_limit_is_null_and_a_dash(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Not 0 %, which would be a motor that has nothing to do."""
    data = told(folder, capsys)
    for move in data["moves"]:
        assert move["torque"] == move["speed"] == move["acceleration"] == [None] * 6
        assert move["deviation"]["m"] < 1e-9
    rows = data["continuous"]["rows"]
    assert rows
    assert {row["part"] for row in rows if row["limit"] is None} == {None}
    page = report_page(verify(EASY, UNLIMITED))
    cells = page.split("<h2>Moves</h2>")[1].split("<tbody>")[1].split("</tr>")[0]
    assert cells.count("<td>-</td>") == 6 + 6 + 1
    motors = page.split("<h2>Motors</h2>")[1].split("</table>")[0]
    assert "inf" not in motors
    assert motors.count("<td>-</td>") == 12


def test_one_limit_is_enough_to_compare_with(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drives = (UNLIMITED.drives[0], LOLA.drives[1], *UNLIMITED.drives[2:])
    robot = replace(UNLIMITED, drives=drives)
    erfd.save(robot, folder / "arm.toml")
    move = told(folder, capsys)["moves"][0]
    assert [x is None for x in move["torque"]] == [True, False, True, True, True, True]
    run = verify(EASY, robot).run
    peak = np.abs(run["u_a"])[run["t"] <= move["end"], 1].max()
    assert move["torque"][1] == pytest.approx(peak / LOLA.drives[1].torque_max, rel=1e-9)
