"""Runs and exports that earlier versions wrote are read as those versions read them.

tests/data/golden/<commit>/ holds every kind of file that erfd writes and reads back, with what the
version that wrote them found in them, in expected.json. The files are never changed.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from mcap.reader import make_reader

import erfd
from erfd.run.parquet import read_run_program
from erfd.run.run_file import RunFile
from support.golden import FOLDERS, check_run, each, expected, robot_of, versions


def test_there_are_golden_files():
    assert FOLDERS
    for folder in FOLDERS:
        commit = expected(folder)["commit"]
        assert commit.startswith(folder.name)
        assert commit in (folder / "README.md").read_text(encoding="utf-8")
        files = {str(path.relative_to(folder)) for path in folder.rglob("*.parquet")}
        assert files == {str(Path(name)) for name in expected(folder)["runs"]}


@each("runs")
def test_a_run(folder, name):
    entry = expected(folder)["runs"][name]
    run = erfd.read_run(folder / name)
    assert list(run.data) == list(entry["quantities"])
    check_run(run, entry)
    assert read_run_program(folder / name) == entry["program"]
    file = RunFile(folder / name)
    check_run(file, entry)
    assert list(file.quantities) == list(run.data)
    assert file.program == entry["program"]
    assert file.robot == run.robot
    assert file.events == run.events
    file.close()
    assert replace(robot_of(folder, run.robot.name), mount=run.robot.mount) == run.robot
    assert len(run.to_pandas()) == len(run)


@each("runs")
def test_a_run_written_again_reads_equal(folder, name, tmp_path):
    entry = expected(folder)["runs"][name]
    run, again = erfd.read_run(folder / name), tmp_path / "again.parquet"
    erfd.write_run(run, again, program=read_run_program(folder / name))
    found = erfd.read_run(again)
    check_run(found, entry)
    assert list(found.data) == list(run.data)
    assert found.events == run.events
    assert found.robot == run.robot
    assert read_run_program(again) == entry["program"]
    check_run(RunFile(again), entry)


@versions
def test_what_the_runs_are_about(folder):
    """Loads, cell, stops and energies have come through, not just equal digits."""
    run = erfd.read_run(folder / "verify/run.parquet")
    assert run.robot.mount.xyz == (0.0, 0.1, 0.3)  # the cell says so
    assert (run["wrench"] == [3.0, 0.0, -5.0, 0.0, 0.1, 0.0]).all()
    assert run["payload"][1, 0] == 0.5
    assert run["payload"][-1, 0] == 1.5
    assert read_run_program(folder / "verify/run.parquet") == (
        folder / "programs/reach.irl"
    ).read_text(encoding="utf-8")
    run = erfd.read_run(folder / "verify_heavy/run.parquet")
    assert {event.kind for event in run.events} == {"torque limit"}
    run = erfd.read_run(folder / "achieve/run.parquet")
    assert [event.unit for event in run.events] == ["rad/s", "m/s"]
    np.testing.assert_allclose(run["q_a"], run["q"] @ np.array(run.robot.gear_matrix).T, atol=1e-9)
    run = erfd.read_run(folder / "simulate/run.parquet")
    assert [event.kind for event in run.events] == ["position limit"]
    assert np.abs(run["u_stop"]).max() > 0
    assert run["lost_stops"][-1] > 1
    assert np.abs(run["energy_gap"]).max() < 1e-3
    np.testing.assert_allclose(
        run["voltage"][1], erfd.read_input_schedule(folder / "push.schedule", 2).at(0.02), atol=0.5
    )


@versions
def test_exports(folder, tmp_path):
    """A run of then goes out as it went out then: CSV to the byte, MCAP to the message."""
    run = erfd.read_run(folder / "achieve/run.parquet")
    old = folder / "achieve/run.csv"
    erfd.write_run(run, tmp_path / "run.csv")
    assert (tmp_path / "run.csv").read_bytes() == old.read_bytes()
    titles = old.read_text(encoding="utf-8").splitlines()[0].split(",")
    table = np.loadtxt(old, delimiter=",", skiprows=1)
    np.testing.assert_array_equal(table[:, titles.index("t [s]")], run["t"])
    np.testing.assert_array_equal(table[:, titles.index("q2 [m]")], run["q"][:, 1])
    np.testing.assert_array_equal(table[:, titles.index("u_a1 [N m]")], run["u_a"][:, 0])
    erfd.write_run(run, tmp_path / "run.mcap", program="program Of_an_export;")
    one, other = mcap_of(folder / "achieve/run.mcap"), mcap_of(tmp_path / "run.mcap")
    assert len(one["messages"]) == 5 * len(run) + len(run.events)
    assert one == other
    assert one["about"]["robot"] == "small_arm"
    (tmp_path / "robot.toml").write_bytes(one["robot.toml"])
    assert erfd.load(tmp_path / "robot.toml") == run.robot


def mcap_of(path: Path) -> dict[str, Any]:
    with path.open("rb") as stream:
        reader = make_reader(stream)
        (attached,) = reader.iter_attachments()
        (about,) = reader.iter_metadata()
        messages = [
            (channel.topic, schema.name, message.log_time, json.loads(message.data))
            for schema, channel, message in reader.iter_messages()
        ]
        schemas = {s.name: s.data for s in reader.get_summary().schemas.values()}
    known = {key: value for key, value in about.metadata.items() if key != "version"}
    found = {"about": known, "messages": messages, "schemas": schemas}
    return found | {attached.name: attached.data}
