"""A verdict is of one text, one robot and one set-up: whatever else there is has another print."""

from dataclasses import asdict, replace

import pytest

import erfd
from erfd.cell.reader import load_cell
from erfd.studio.examples import example_cells
from erfd.studio.fingerprint import fingerprint
from erfd.studio.session import Setup

CELL = load_cell(example_cells()["lola15_workshop"])
ROBOT = erfd.load("lola15")
PRINT = fingerprint("program p;", ROBOT, CELL, asdict(Setup()))


def test_equal_things_have_one_print_and_names_do_not_count():
    again = fingerprint("program p;", replace(ROBOT), replace(CELL), asdict(Setup(cell="mine")))
    assert again == PRINT


OTHER = {
    "text": {"text": "program p; "},
    "robot": {"robot": replace(ROBOT, joints=(*ROBOT.joints[:-1], ROBOT.joints[0]))},
    "cell": {"cell": replace(CELL, things=CELL.things[:-1])},
    "no cell": {"cell": None},
    "mount": {"robot": replace(ROBOT, mount=erfd.Pose((0, 0, 0.1), (0, 0, 0)))},
    "load": {"settings": asdict(Setup(payload=[1.0, 0.0, 0.0, 0.0]))},
    "time": {"settings": asdict(Setup(dt=0.005))},
    "signals": {"settings": asdict(Setup(signals="time,signal,value"))},
}


@pytest.mark.parametrize("what", OTHER)
def test_all_else_has_another(what):
    made = {"text": "program p;", "robot": ROBOT, "cell": CELL, "settings": asdict(Setup())}
    assert fingerprint(**made) == PRINT
    assert fingerprint(**made | OTHER[what]) != PRINT


def test_what_was_computed_with_a_robot_does_not_count():
    robot = replace(ROBOT)
    erfd.inverse_dynamics(robot, [0] * 6, [0] * 6, [0] * 6)
    assert fingerprint("program p;", robot, CELL, asdict(Setup())) == PRINT
