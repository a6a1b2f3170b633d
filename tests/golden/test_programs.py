"""Programs, signals and schedules of earlier versions."""

import json
import math
from typing import Any

import numpy as np
import pytest

import erfd
from erfd.cli import main
from erfd.forward.input_schedule import write_input_schedule
from erfd.lirl import signals_beside
from erfd.monitor.controller.source import read_played_motion
from erfd.run.parquet import read_run_program
from support.golden import alike, expected, robot_of, told, versions


@versions
def test_the_signals_of_a_program(folder):
    entry = expected(folder)["signals"]
    found = erfd.read_signal_schedule(folder / "programs/reach.signals.csv")
    assert [[c.time, c.signal, c.value] for c in found.changes] == entry["changes"]
    for name, values in entry["values"].items():
        assert [found.of(name).at(t) for t in entry["times"]] == values
    assert signals_beside(folder / "programs/reach.irl").changes == found.changes


@versions
def test_schedules_of_inputs(folder, tmp_path):
    entry = expected(folder)["schedules"]
    for name, values in entry["values"].items():
        schedule = erfd.read_input_schedule(folder / name, 2)
        np.testing.assert_allclose(schedule.at(entry["times"]), values, rtol=1e-14)
        assert schedule.linear == (name != "held.schedule")
        write_input_schedule(schedule, tmp_path / "again")
        again = erfd.read_input_schedule(tmp_path / "again", 2)
        np.testing.assert_array_equal(again.at(entry["times"]), schedule.at(entry["times"]))
    text = (folder / "shell/rows.schedule").read_text(encoding="utf-8")
    assert (tmp_path / "again").read_text(encoding="utf-8") == text


@versions
def test_commands_take_the_old_files(folder, capsys):
    """Programs with their signals and cell, trajectories, schedules, runs."""
    arm = folder / "robots/small_arm.toml"
    program = folder / "programs/reach.irl"
    words = ["--robot", arm, "--dt", 0.05, "--cell", folder / "cell/room.toml", "--no-advice"]
    loads = ["--payload", "0.5,0,0,0.02", "--wrench", "3,0,-5,0,0.1,0"]
    code, found = told(capsys, "verify", program, *words, *loads)
    assert code == 0
    assert found["feasible"]
    assert [move["line"] for move in found["moves"]] == [12, 13, 14, 17]
    words = ["--robot", folder / "robots/pendulum.parts.toml", "--dt", 0.02, "--no-advice"]
    code, found = told(capsys, "verify", folder / "programs/heavy.irl", *words)
    assert code == 1
    old = expected(folder)["runs"]["verify_heavy/run.parquet"]["events"]
    assert len(found["events"]) == len(old)
    for name in ("reach", "heavy"):
        assert main(["lirl", "format", str(folder / f"programs/{name}.irl"), "--check"]) == 0
    code, found = told(capsys, "achieve", arm, folder / "trajectory.csv", "--wrench", "0,20,-15")
    assert code == 1
    old = json.loads((folder / "achieve/events.json").read_text(encoding="utf-8"))
    # gears are weighed with the speed at both ends of a cycle since, not at its end alone
    alike(without(found, "gear_torque"), without(old, "gear_torque"))


def without(data: Any, key: str) -> Any:
    """Nested data without what stands under a key."""
    if isinstance(data, dict):
        return {name: without(value, key) for name, value in data.items() if name != key}
    return [without(value, key) for value in data] if isinstance(data, list) else data


@versions
@pytest.mark.usefixtures("compiled")
def test_a_simulation_takes_an_old_schedule(folder, capsys):
    words = [
        "--q0",
        f"{math.degrees(0.5)},0.1",
        "--stops",
        "inelastic",
        "--every",
        20,
        "--payload",
        0.5,
    ]
    words += ["--wrench", "1,0,0", "--voltage", folder / "push.schedule"]
    code, found = told(capsys, "simulate", folder / "robots/small_arm.toml", *words)
    assert code == 0
    old = json.loads((folder / "simulate/summary.json").read_text(encoding="utf-8"))
    assert found.keys() == old.keys()
    for key in ("robot", "points", "seconds", "units"):
        assert found[key] == old[key]
    for one, other in zip(found["joints"], old["joints"], strict=True):
        assert one["voltage_peak"] == other["voltage_peak"]
        assert one["q"] == pytest.approx(other["q"], rel=1e-2)


@versions
def test_the_controller_plays_old_files(folder):
    """What was asked for in a run, with its loads; and a trajectory."""
    robot = robot_of(folder, "small_arm")
    run = erfd.read_run(folder / "verify/run.parquet")
    motion = read_played_motion(folder / "verify/run.parquet", robot)
    np.testing.assert_array_equal(motion.q, run["q_given"])
    np.testing.assert_array_equal(motion.wrench, run["wrench"])
    assert motion.dt == pytest.approx(run["t"][1] - run["t"][0])
    assert motion.payloads[-1].mass == pytest.approx(1.5)
    assert motion.text == read_run_program(folder / "verify/run.parquet")
    motion = read_played_motion(folder / "trajectory.csv", robot)
    given = erfd.read_run(folder / "achieve/run.parquet")["q_given"]
    np.testing.assert_allclose(motion.q, given, atol=1e-12)
