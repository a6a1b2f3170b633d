"""Files that earlier versions wrote are read as those versions read them.

tests/data/golden/<commit>/ holds every kind of file that erfd writes and reads back, with what the
version that wrote them found in them, in expected.json. The files are never changed.
"""

import asyncio
import json
import math
import shutil
import subprocess
import sys
from dataclasses import asdict, fields, is_dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.reader import make_reader

import erfd

# all that is not of the public API
from erfd.cell import clearance, load_cell
from erfd.cli import main
from erfd.forward.input_schedule import write_input_schedule
from erfd.lirl import signals_beside
from erfd.monitor.controller.source import read_motion
from erfd.report.play.graphic_file import graphic_text, read_graphic
from erfd.run.parquet import read_run_program
from erfd.run.run_file import RunFile
from erfd.studio.runs.open_runs import OpenRun
from erfd.studio.runs.restore import restore
from erfd.studio.runs.store import Store
from erfd.studio.session import Session
from erfd.studio.studio import Studio
from erfd.studio.wording.phrases import verdict
from erfd.studio.wording.texts import Words
from erfd.studio.workspace import Workspace
from support.paths import DATA

PLACE = DATA / "golden"
FOLDERS = sorted(path.parent for path in PLACE.glob("*/expected.json"))
CODES = ("saturated", "clipped", "stalled", "line")
"""Quantities that are whole numbers."""


@lru_cache
def expected(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "expected.json").read_text(encoding="utf-8"))


def each(kind: str) -> Any:
    """Every entry of one kind, of every version."""
    entries = [(folder, name) for folder in FOLDERS for name in expected(folder)[kind]]
    names = [f"{folder.name}-{name}" for folder, name in entries]
    return pytest.mark.parametrize(("folder", "name"), entries, ids=names)


versions = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def listed(value: Any) -> Any:
    """As the script that made the files lists robots and events."""
    if is_dataclass(value):
        return {f.name: listed(getattr(value, f.name)) for f in fields(value) if f.compare}
    if isinstance(value, tuple):
        return [listed(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def check_run(found: Any, entry: dict[str, Any]) -> None:
    """A run, in memory or in its file, is bit by bit what was written."""
    assert found.robot.name == entry["robot"]
    assert len(found) == entry["points"]
    assert found.feasible == entry["feasible"]
    assert found["q"][-1].tolist() == entry["end"]
    assert [str(event) for event in found.events] == entry["events"]
    values = [list(listed(event).values()) for event in found.events]
    assert values == [list(event.values()) for event in entry["event_values"]]
    for name, (shape, total, digits) in entry["quantities"].items():
        array = found[name]
        assert list(array.shape) == shape, name
        if total is not None:
            assert array.sum() == pytest.approx(total, rel=1e-9, abs=1e-9), name
        data = np.ascontiguousarray(array, "<f8").tobytes()
        assert sha256(data).hexdigest()[: len(digits)] == digits, name


def alike(found: Any, wanted: Any, rel: float = 1e-6) -> None:
    """Nested data, numbers but for rounding."""
    if isinstance(wanted, dict):
        assert list(found) == list(wanted)
        for key, entry in wanted.items():
            alike(found[key], entry, rel)
    elif isinstance(wanted, list):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            alike(one, other, rel)
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=rel, abs=1e-9)
    elif isinstance(wanted, str) and wanted.count(" at ") and "lacks" in wanted:
        assert found.split(" ")[:2] == wanted.split(" ")[:2]  # a sentence with rounded numbers
    else:
        assert found == wanted


def told(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, Any]:
    """Exit code and JSON of an erfd command."""
    capsys.readouterr()
    code = main([*map(str, words), "--json"])
    return code, json.loads(capsys.readouterr().out)


def robot_of(folder: Path, name: str) -> erfd.Robot:
    return erfd.load(folder / "robots" / f"{name}.toml")


@pytest.fixture
def kept(tmp_path: Path, folder: Path) -> Store:
    """The kept runs, to be worked with."""
    shutil.copytree(folder / "runs", tmp_path / "runs")
    return Store(tmp_path / "runs")


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


@each("robots")
def test_a_robot(folder, name, tmp_path):
    robot = erfd.load(folder / name)
    assert listed(robot) == expected(folder)["robots"][name]
    erfd.save(robot, tmp_path / "again.toml")
    assert erfd.load(tmp_path / "again.toml") == robot


@versions
def test_robots_mean_what_they_did(folder, tmp_path, capsys):
    robot = robot_of(folder, "all_features")
    assert robot.gear_matrix == ((101.0, 2.5, 0.0), (1 / 3, -80.0, 0.0), (0.0, 0.0, 250.0))
    assert robot.joints[0].position_min == -math.inf
    assert robot.drives[0].curve == ((0.0, 3.0), (250.0, 2.5), (400.0, 0.5))
    assert math.isnan(robot.drives[1].resistance)
    shapes = [visual.shape for visual in robot.links[0].visuals]
    assert shapes == ["cylinder", "box", "sphere", "capsule", "prism"]
    assert robot_of(folder, "two_link") == erfd.load("two_link")
    parts = folder / "robots/pendulum.parts.toml"
    built = robot_of(folder, "pendulum")
    alike(listed(erfd.load(parts)), listed(built), rel=1e-12)
    told(capsys, "parts", "build", parts, "-o", tmp_path / "arm.toml")
    alike(listed(erfd.load(tmp_path / "arm.toml")), listed(built), rel=1e-12)


@versions
def test_a_cell(folder):
    cell = load_cell(folder / "cell/room.toml")
    assert cell.mount.xyz == (0.0, 0.1, 0.3)
    assert [thing.name for thing in cell.things] == ["bench", "post", "object 3"]
    for entry in expected(folder)["kept"].values():
        if not entry["cell"]:
            continue
        run = erfd.read_run(folder / "runs" / entry["about"]["id"] / "run.parquet")
        own = load_cell(folder / "runs" / entry["about"]["id"] / "cell/room.toml", enclosed=True)
        found = clearance(run.robot, own, run["q"]).contacts(run["t"])
        alike([asdict(contact) for contact in found], entry["about"]["contacts"], rel=1e-3)
        assert found


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
    alike(found, json.loads((folder / "achieve/events.json").read_text(encoding="utf-8")))


@versions
@pytest.mark.usefixtures("compiled")
def test_a_simulation_takes_an_old_schedule(folder, capsys):
    words = ["--q0", "0.5,0.1", "--stops", "inelastic", "--every", 20, "--payload", 0.5]
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
    motion = read_motion(folder / "verify/run.parquet", robot)
    np.testing.assert_array_equal(motion.q, run["q_given"])
    np.testing.assert_array_equal(motion.wrench, run["wrench"])
    assert motion.dt == pytest.approx(0.05)
    assert motion.payloads[-1].mass == pytest.approx(1.5)
    assert motion.text == read_run_program(folder / "verify/run.parquet")
    motion = read_motion(folder / "trajectory.csv", robot)
    given = erfd.read_run(folder / "achieve/run.parquet")["q_given"]
    np.testing.assert_allclose(motion.q, given, atol=1e-12)


@each("recover")
def test_a_journal(folder, name, tmp_path, capsys):
    """A recording that was cut off becomes the run that it became then."""
    entry = expected(folder)["recover"][name]
    old = folder / "monitor" / f"{name}.parquet.journal"
    suffix = ".csv" if name == "bare" else ".parquet"
    robot = ["--robot", folder / "robots/passive.toml"] if name == "bare" else []
    code, found = told(
        capsys, "monitor", "recover", old, "--out", tmp_path / f"{name}{suffix}", *robot
    )
    assert code == 0
    assert found["samples"] == entry["samples"]
    assert found["lost_bytes"] == entry["lost_bytes"]
    assert len(found["written"]) == len(entry["written"])
    for path in map(Path, found["written"]):
        then = folder / "monitor" / path.name
        if path.suffix == ".jsonl":
            assert path.read_text(encoding="utf-8") == then.read_text(encoding="utf-8")
        elif path.suffix == ".csv":
            one, other = (file.read_text(encoding="utf-8").splitlines() for file in (path, then))
            assert one[0] == other[0]
            np.testing.assert_allclose(
                *(np.loadtxt(lines[1:], delimiter=",") for lines in (one, other)), atol=1e-12
            )
        else:
            same_run(path, then)


def same_run(path: Path, then: Path) -> None:
    """What was streamed is equal, what follows from it is so but for rounding."""
    one, other = erfd.read_run(path), erfd.read_run(then)
    assert one.robot == other.robot
    assert read_run_program(path) == read_run_program(then)
    assert list(one.data) == list(other.data)
    for name, values in other.data.items():
        if name in (*CODES, "t", "q"):
            np.testing.assert_array_equal(one[name], values, name)
        else:
            size = max(1.0, float(np.abs(values[np.isfinite(values)]).max(initial=0.0)))
            np.testing.assert_allclose(one[name], values, rtol=1e-9, atol=1e-9 * size, err_msg=name)
    alike([str(event) for event in one.events], [str(event) for event in other.events])
    assert [event.kind for event in one.events] == [event.kind for event in other.events]


@versions
def test_journals_mean_what_they_did(folder):
    """What only a publisher knows is in the run under the names that it gave."""
    run = erfd.read_run(folder / "monitor/own.parquet")
    assert run["grip"][:, 0].tolist() == [35.0 + k for k in range(20) if k != 12]
    assert run["power_streamed"][-1, 0] == 12.5 * 19
    assert run["line"][-1] == 3.0
    for name, mark in (("own", "door open"), ("shift", "motor 1 is at its torque limit")):
        lines = (folder / f"monitor/{name}.events.jsonl").read_text(encoding="utf-8").splitlines()
        events = [json.loads(line) for line in lines]
        assert next(e["text"] for e in events if e["type"] == "event").startswith(mark)


@versions
def test_the_studio_keeps_an_old_recording(folder, kept, capsys):
    """One that an old studio left behind when it was killed."""
    before = {about.id for about in kept.list()}
    _, part = kept.new()
    shutil.copy(folder / "monitor/shift.parquet.journal", part / "run.parquet.journal")
    Studio(kept).keep_left()
    found = [about for about in kept.list() if about.id not in before]
    sizes = [len(erfd.read_run(folder / f"monitor/{x}.parquet")) for x in ("shift", "shift-2")]
    assert sorted(about.size for about in found) == sorted(sizes)
    assert {about.robot for about in found} == {"pendulum"}
    for about in found:
        then = folder / f"monitor/{'shift' if about.size == sizes[0] else 'shift-2'}.parquet"
        same_run(kept.path(about.id), then)
        assert kept.path(about.id).with_name("run.events.jsonl").exists()
    assert capsys.readouterr().err == ""


@each("kept")
def test_a_kept_run(folder, name, kept):
    """It is in the list, and brings back all that made it."""
    entry = expected(folder)["kept"][name]
    assert kept.damaged() == ()
    assert sorted(about.id for about in kept.list()) == sorted(expected(folder)["kept"])
    about = kept.about(name)
    assert json.loads(json.dumps(asdict(about))) == entry["about"]
    shown = OpenRun(kept.path(name), about)
    assert verdict(Words("en"), shown) == entry["verdict"]
    assert list(shown.diagrams) == entry["diagrams"]
    for diagram in shown.diagrams:
        assert shown.diagram(diagram, 100)
    assert shown.poses(None, None, 100)
    assert shown.path()
    check_run(shown.file, expected(folder)["runs"][f"runs/{name}/run.parquet"])
    session = Session("s")
    try:
        restore(session, shown.file, about.settings)
        assert asdict(session.setup) == entry["setup"]
        assert session.robot == shown.file.robot
        carried = session.setup.carried()
        if carried is not None:  # m and m c are what the run tells of it
            row = [carried.mass, *(carried.mass * x for x in carried.center)]
            assert shown.file["payload"][1, :4].tolist() == pytest.approx(row)
        things = [] if session.cell is None else [thing.name for thing in session.cell.things]
        assert things == entry["cell"]
    finally:
        session.close()


@each("kept")
def test_the_studio_opens_a_kept_run(folder, name, kept):
    """With its program on the bench; under another name it stays the same run."""
    entry = expected(folder)["kept"][name]
    said = []
    bench = Workspace(Studio(kept), Session("s"))
    bench.notify = said.append
    try:
        asyncio.run(bench.show(name))
        assert bench.session.text == entry["about"]["program"]
        assert asdict(bench.session.setup) == entry["setup"]
        assert bench.session.run.about.name == entry["about"]["name"]
        assert not bench.session.stale
        asyncio.run(bench.show_file(folder / "verify_heavy/run.parquet"))
        assert bench.session.robot == robot_of(folder, "pendulum")
        assert bench.session.setup.dt == pytest.approx(0.02)
        assert "program Heavy;" in bench.session.text
    finally:
        bench.session.close()
    assert said == []
    kept.rename(name, "another name")
    again = Store(kept.folder).about(name)
    assert json.loads(json.dumps(asdict(again))) == entry["about"] | {"name": "another name"}


@versions
def test_a_draft_in_the_browser(folder, tmp_path):
    draft = json.loads((folder / "draft.json").read_text(encoding="utf-8"))
    bench = Workspace(Studio(Store(tmp_path)), Session("s"))
    assert bench.set_up_again(draft["setup"])
    assert asdict(bench.session.setup) == draft["setup"]
    assert bench.session.robot.name == "two_link"
    assert erfd.lirl.parse(draft["text"])


def shell(script: str, folder: Path, *words: str) -> list[dict[str, Any]]:
    """What `erfd sim` answers to the lines of a script, its greeting left out."""
    command = [sys.executable, "-m", "erfd", "sim", *words, "--json"]
    done = subprocess.run(command, input=script, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line)["data"] for line in done.stdout.splitlines()[1:]]


@versions
def test_a_session_of_the_shell(folder):
    script = (folder / "shell/session.sim").read_text(encoding="utf-8") + "show\nforward_arm\n"
    alike(shell(script, folder), expected(folder)["shell"][1:], rel=1e-9)


@versions
def test_files_of_the_shell(folder, tmp_path):
    """Rows of data give the results of then; a schedule drives a simulation."""
    for name in ("rows.txt", "rows.schedule"):
        shutil.copy(folder / "shell" / name, tmp_path)
    script = "simulate\nnew\nyes\nyes\nrows.schedule\ninverse_arm rows.txt\nagain.out\n"
    answers = shell(script, tmp_path, "two_link", "--dt", "0.002")
    last = erfd.read_input_schedule(folder / "shell/rows.schedule", 2).at(0.098)  # the last step's
    assert answers[0]["steps"] == 50
    assert answers[0]["voltage"]["value"] == pytest.approx(last, rel=1e-9)
    old = (folder / "shell/rows.out").read_text(encoding="utf-8").splitlines()
    new = (tmp_path / "again.out").read_text(encoding="utf-8").splitlines()
    assert new[0] == old[0]
    np.testing.assert_allclose(np.loadtxt(new), np.loadtxt(old), rtol=1e-9)
    text = (folder / "shell/simulation.txt").read_text(encoding="utf-8")
    titles, table = text.splitlines()[0].split()[1:], np.loadtxt(text.splitlines())
    graphic = read_graphic(folder / "shell/simulation.jsonl")
    np.testing.assert_allclose(table[:, 0], graphic.t, atol=1e-12)
    np.testing.assert_array_equal(table[:, titles.index("theta2[rad]")], graphic.data["q"][:, 1])


@versions
def test_a_graphic_file(folder, tmp_path, capsys):
    path = folder / "shell/simulation.jsonl"
    graphic = read_graphic(path)
    assert len(graphic) == 6
    assert set(graphic.data) == {"q", "qd", "qdd", "torque", "voltage"}
    run = graphic.run()
    assert run.robot == erfd.load("two_link")
    np.testing.assert_array_equal(run["u_a"], graphic.data["torque"])
    assert [json.loads(line) for line in graphic_text(run).splitlines()] == [
        json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()
    ]
    page = tmp_path / "page.html"
    code, found = told(capsys, "play", path, "--out", page)
    assert code == 0
    assert (found["robot"], found["moments"]) == ("two_link", 6)
    assert found["seconds"] == pytest.approx(0.1)
    assert "two_link" in page.read_text(encoding="utf-8")
    erfd.write_run(run, tmp_path / "run.parquet")  # as the studio opens it
    np.testing.assert_array_equal(erfd.read_run(tmp_path / "run.parquet")["q"], graphic.data["q"])
