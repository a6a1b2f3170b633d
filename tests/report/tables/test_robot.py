"""`erfd show`: what a robot file says of its drives is shown, what it does not say is left out."""

from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console

import erfd
from erfd.report.tables.robot import print_robot, robot_data


def shown(robot: erfd.Robot) -> str:
    console = Console(file=io.StringIO(), width=400)
    print_robot(robot, console)
    return console.file.getvalue()


def test_limits_of_continuous_load_are_shown() -> None:
    robot = erfd.load("two_link")
    assert not any(word in shown(robot) for word in ("thermal s", "gear mean", "supply"))
    facts = {"thermal_time_constant": 612.0, "gear_torque_average": 71.0, "gear_torque_peak": 143.0}
    drives = (replace(robot.drives[0], **facts), robot.drives[1])
    text = shown(replace(robot, drives=drives, bus_power=1750.0))
    for word in ("thermal s", "612", "gear mean N m", "71", "gear peak N m", "143"):
        assert word in text
    assert "supply 1750 W" in text


def test_unlimited_is_null_in_json() -> None:
    data = robot_data(erfd.load("two_link"))
    assert data["bus_power"] is None
    assert data["drives"][0]["gear_torque_peak"] is None
    assert data["drives"][0]["thermal_time_constant"] is None
    assert data["drives"][0]["torque_rated"] == 50.0
