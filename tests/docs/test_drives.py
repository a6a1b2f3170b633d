"""docs/drives.md: its keys are those of the code, its example gives the numbers of its table."""

import math
import re

import pytest

import erfd
from erfd.robot.drive_file.read import attach_text
from erfd.robot.drive_file.sheet import GEAR, MOTOR
from erfd.verification.checks import not_checked
from support.paths import DOCS
from support.urdf_files import SMALL

PAGE = (DOCS / "drives.md").read_text()


@pytest.mark.parametrize(("title", "keys"), [("motor", MOTOR), ("gear", GEAR)])
def test_the_tables_have_every_key(title: str, keys: dict[str, str]) -> None:
    table = PAGE.partition(f"| `[drive.{title}]` |")[2].partition("\n\n")[0]
    first = " ".join(line.split("|")[1] for line in table.splitlines()[2:])
    assert set(re.findall(r"`(\w+)`", first)) == {*keys}


def test_the_example_gives_its_numbers() -> None:
    text = re.findall(r"```toml\n(.*?)```", PAGE, re.S)[0]
    robot = attach_text(erfd.load(SMALL), text)
    drive = robot.drives[0]
    assert robot.illustrative == ("drives: the gears", "drives: 10 A of the amplifiers")
    assert drive.inertia == pytest.approx(1.81e-5)
    assert drive.inertia * drive.ratio**2 == pytest.approx(0.181)
    assert drive.coulomb == pytest.approx(0.01091, abs=5e-6)
    assert drive.load_friction == pytest.approx(0.3333, abs=5e-5)
    assert drive.torque_max == pytest.approx(0.404)
    assert drive.torque_rated == pytest.approx(0.134)
    assert drive.speed_max == pytest.approx(1047, abs=0.5)
    free = (drive.voltage_max - drive.resistance * 0.27) / drive.torque_constant
    assert free == pytest.approx(590, abs=0.5)
    assert free * 30 / math.pi == pytest.approx(5636, abs=0.5)


def test_the_sentence_of_the_verdict() -> None:
    said = [line for line in not_checked(erfd.load(SMALL), None) if "drives" in line]
    assert len(said) == 1
    assert said[0] in PAGE
    assert not any("rotor inertia of" in line for line in not_checked(erfd.load(SMALL), None))
    assert not any("drives are" in line for line in not_checked(erfd.load("lola15"), None))
