"""The continuous load in tables, sentences (in every language) and JSON."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

import erfd
from erfd.run.run import Run
from erfd.verification.continuous import PHRASES, LoadRow, continuous_load
from erfd.verification.load_tables import (
    COLUMNS,
    continuous_data,
    continuous_lines,
    continuous_table,
)
from support.languages import said

FACTS = {"torque_rated": 30.0, "thermal_time_constant": 60.0, "gear_torque_peak": 1e3}


def lifting(**first: float) -> Run:
    """The two-link arm lifts its first link by a radian; facts of its first drive are changed."""
    robot = erfd.load("two_link")
    drives = (replace(robot.drives[0], **first), robot.drives[1])
    t = 0.01 * np.arange(101)
    q = np.stack([t**2 * (3 - 2 * t), np.zeros(101)], axis=1)
    return erfd.achievable(replace(robot, drives=drives), erfd.Trajectory(t, q))


def test_the_table_has_a_row_for_each_motor_and_the_supply() -> None:
    load = continuous_load(lifting(**FACTS))
    columns, rows = continuous_table(load, mark="!")
    assert columns[:3] == ("motor", "RMS 1/min", "RMS N m")
    assert set(columns[2:]) == set(COLUMNS.values())
    assert [row[0] for row in rows] == ["1", "2", "supply"]
    assert all(len(row) == len(columns) for row in rows)
    rms, limit = load.rms_torque[0], 30.0
    assert rms > limit
    assert rows[0][2] == f"{rms:.4g} ({100 * rms / limit:.0f} %)!"
    assert rows[1][columns.index("heat")] == "-"  # no time constant
    assert "%" not in rows[2][columns.index("peak W")]  # no limit
    plain, unmarked = continuous_table(load)
    assert plain == columns
    assert not any(cell.endswith("!") for row in unmarked for cell in row)
    assert "gear peak N m" not in continuous_table(continuous_load(lifting()))[0]


def test_lines_begin_with_the_worst() -> None:
    load = continuous_load(lifting(**FACTS), pause=0.05)
    lines = continuous_lines(load)
    worst = max((row for row in load.rows if row.severity), key=lambda row: row.part)
    assert lines[0] == str(worst)
    assert lines[-1].startswith("continuous load: in the pause of 0.05 s brakes hold the arm")
    assert len(lines) == len(load.failures) + len(load.warnings) + 2


def test_json() -> None:
    load = continuous_load(lifting(**FACTS), pause=1.0)
    data = json.loads(json.dumps(continuous_data(load), allow_nan=False))
    assert data["pause"] == 1.0
    assert data["period"] == pytest.approx(2.0)
    assert data["rms_torque"] == load.rms_torque.tolist()
    assert [row["text"] for row in data["rows"]] == list(map(str, load.rows))
    supply = data["rows"][-1]
    assert (supply["motor"], supply["limit"], supply["severity"]) == (0, None, "")
    assert tuple(data["not_checked"]) == load.not_checked


def test_a_motion_without_time_has_no_table_rows() -> None:
    run = lifting()
    still = replace(run, data={name: array[:1] for name, array in run.data.items()})
    assert continuous_table(continuous_load(still))[1] == []


@pytest.mark.parametrize("limit", [10.0, math.inf])
@pytest.mark.parametrize("quantity", PHRASES)
def test_every_load_is_said_in_serbian(quantity: str, limit: float) -> None:
    said(str(LoadRow(3, quantity, 12.5, limit, "N m")))


def test_what_is_left_out_is_said_in_serbian() -> None:
    lola, run = erfd.load("lola15"), lifting()
    t = 0.01 * np.arange(5)
    moved = erfd.Trajectory(t, t[:, None] ** 2 * np.ones(6))
    partly = replace(lola.drives[0], resistance=1.0, torque_constant=0.1, torque_rated=9.0)
    for robot in (
        lola,
        replace(lola, bus_power=900.0),
        replace(lola, drives=(partly, *lola.drives[1:]), bus_power=900.0),
        replace(lola, drives=(lola.drives[0], *5 * (partly,))),
    ):
        load = continuous_load(erfd.achievable(robot, moved), pause=2.5)
        for sentence in (*load.not_checked, *load.notes):
            said(sentence)
    torques = ("ua_links", "ua_coriolis", "ua_gravity", "ua_external")
    geared = tuple(replace(drive, ratio=2.0) for drive in run.robot.drives)
    for other in (
        replace(run, robot=replace(run.robot, drives=())),
        replace(run, data={name: array[:1] for name, array in run.data.items()}),
        replace(
            run, robot=replace(run.robot, drives=geared),
            data={k: v for k, v in run.data.items() if k not in torques},
        ),
    ):  # fmt: skip
        for sentence in continuous_load(other).not_checked:
            said(sentence)
