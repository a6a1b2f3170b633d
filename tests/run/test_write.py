"""Keeping a run: it reads back exactly, other tools can read it, and no file is ever half there."""

import json
import os
import pickle
import random
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from mcap.reader import make_reader

import erfd
from erfd import files
from erfd.errors import InputError, MissingDependencyError
from erfd.report.plots.run import plot_velocities, save_figure
from erfd.run import parquet as export_parquet
from erfd.run.mcap import quaternions
from erfd.run.units import UNITS
from erfd.run.write import (
    read_run,
    read_run_program,
    to_pandas,
    write_csv,
    write_mcap,
    write_parquet,
    write_run,
)

pytestmark = pytest.mark.usefixtures("compiled")
KILLS = int(os.environ.get("ERFD_KILLS", "20"))
PROGRAM = "MOVE TO p1  # schnell, 速く\nerfd-sha256:" + "0" * 64
RUNS: dict[str, erfd.Run] = {}


def make_run(name: str) -> erfd.Run:
    """A motion too fast for the robot, so that there are events; worked out once."""
    if name not in RUNS:
        robot = erfd.load(name)
        if not robot.drives:
            drives = tuple(erfd.Drive(ratio=10.0, torque_max=30.0) for _ in robot.joints)
            robot = replace(robot, drives=drives)
        s = np.linspace(0, 1, 61)
        s = 10 * s**3 - 15 * s**4 + 6 * s**5
        far = np.array([0.9, -0.6, 0.5, 0.8, 0.4, 1.2])[: robot.n]
        q = s[:, None] * far + np.array([max(0.0, j.position_min) for j in robot.joints])
        with erfd.backend("compiled"):
            RUNS[name] = erfd.achievable(robot, erfd.Trajectory(0.005 * np.arange(61), q))
    return RUNS[name]


@pytest.fixture
def run() -> erfd.Run:
    return make_run("lola15")


def assert_same(found: erfd.Run, run: erfd.Run) -> None:
    assert list(found.data) == list(run.data)
    for name, array in run.data.items():
        assert found[name].dtype == np.float64
        assert found[name].shape == array.shape
        assert found[name].tobytes() == array.tobytes(), name
    assert found.events == run.events
    assert found.robot == run.robot


def plain(path: Path) -> pa.Table:
    """The table as anyone reads it (without Arrow's threads, which may abort at exit)."""
    return pq.ParquetFile(path, pre_buffer=False).read(use_threads=False)


@pytest.mark.parametrize("name", ["lola15", "sdt4", "stanford"])
def test_parquet_reads_back_exactly(name: str, tmp_path: Path) -> None:
    run, path = make_run(name), tmp_path / "run.parquet"
    assert run.events
    assert set(run.data) <= set(UNITS)
    write_parquet(run, path, program=PROGRAM)
    assert_same(read_run(path), run)
    assert read_run_program(path) == PROGRAM
    write_parquet(run, path)
    assert_same(read_run(str(path)), run)
    assert read_run_program(path) == ""
    assert [file.name for file in tmp_path.iterdir()] == ["run.parquet"]


def test_parquet_keeps_every_bit(run: erfd.Run, tmp_path: Path) -> None:
    """Signed zeros, infinities, NaN with a payload, denormals, any pattern."""
    bits = np.random.default_rng(5).integers(0, 2**64, run["force"].shape, dtype=np.uint64)
    odd = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324])
    zeros = np.resize(odd, run["u_a"].shape)
    data = run.data | {"force": bits.view(np.float64), "u_a": zeros, "u_a_max": zeros[:, ::-1]}
    data["other"] = np.arange(len(run) * 11.0).reshape(-1, 11)
    changed = erfd.Run(run.robot, data, ())
    write_parquet(changed, tmp_path / "run.parquet")
    assert_same(read_run(tmp_path / "run.parquet"), changed)
    assert "other_10" in plain(tmp_path / "run.parquet").column_names


def test_other_tools_see_columns_and_units(run: erfd.Run, tmp_path: Path) -> None:
    write_parquet(run, tmp_path / "run.parquet", program=PROGRAM)
    table = plain(tmp_path / "run.parquet")
    assert table.column_names[:8] == ["t", "q1", "q2", "q3", "q4", "q5", "q6", "qd1"]
    units = {field.name: field.metadata[b"unit"].decode() for field in table.schema}
    assert {units[f"u_a{i}"] for i in range(1, 7)} == {"N m"}
    assert (units["t"], units["force2_y"], units["pose_13"], units["pose_00"]) == (
        "s",
        "N",
        "m",
        "",
    )
    assert (units["deviation_distance"], units["deviation_angle"]) == ("m", "rad")
    text = table.schema.metadata
    assert (text[b"erfd.format"], text[b"erfd.version"]) == (b"1", erfd.__version__.encode())
    assert 'name = "lola15"' in text[b"erfd.robot"].decode()
    assert text[b"erfd.program"].decode() == PROGRAM
    assert json.loads(text[b"erfd.events"])[0]["kind"] == run.events[0].kind
    assert json.loads(text[b"erfd.quantities"])["force"]["shape"] == [6, 3]
    frame = table.to_pandas(use_threads=False)
    assert np.array_equal(frame["force2_y"], run["force"][:, 1, 1])
    assert np.array_equal(frame["pose_13"], run["pose"][:, 1, 3])
    assert np.array_equal(frame["deviation_angle"], run["deviation"][:, 1])


def test_joints_that_slide_have_their_units() -> None:
    run = make_run("stanford")
    units = to_pandas(run).attrs["units"]
    assert [joint.kind for joint in run.robot.joints][:3] == ["revolute", "revolute", "prismatic"]
    names = ("q2", "q3", "qd3", "qdd_given3", "u3", "q_a3", "u_a3")
    assert [units[k] for k in names] == ["rad", "m", "m/s", "m/s2", "N", "rad", "N m"]


def test_pandas(run: erfd.Run) -> None:
    frame = to_pandas(run)
    assert frame.index.name == "t"
    assert np.array_equal(frame.index, run["t"])
    assert np.array_equal(frame[[f"u_a{i}" for i in range(1, 7)]], run["u_a"])
    assert np.array_equal(frame.filter(like="pose_"), run["pose"].reshape(len(run), 16))
    assert len(frame.columns) == sum(a[0].size for a in run.data.values()) - 1
    assert frame.attrs["units"]["q1"] == "rad"
    assert frame.attrs["robot"] == "lola15"


def test_csv_reads_back_exactly(run: erfd.Run, tmp_path: Path) -> None:
    write_csv(run, tmp_path / "run.csv")
    titles = (tmp_path / "run.csv").read_text().split("\n")[0].split(",")
    assert titles[:2] == ["t [s]", "q1 [rad]"]
    assert {"saturated1", "pose_00", "pose_03 [m]"} < set(titles)
    values = np.loadtxt(tmp_path / "run.csv", delimiter=",", skiprows=1)
    flat = [array.reshape(len(run), -1) for array in run.data.values()]
    assert np.array_equal(values, np.hstack(flat))
    frame = pd.read_csv(tmp_path / "run.csv")
    assert np.allclose(frame["u_a3 [N m]"], run["u_a"][:, 2], rtol=1e-15, atol=0)


def test_mcap_reads_back(run: erfd.Run, tmp_path: Path) -> None:
    limits = np.where(np.arange(6) == 2, np.inf, run["u_a_max"])
    unlimited = erfd.Run(run.robot, run.data | {"u_a_max": limits}, run.events)
    write_mcap(unlimited, tmp_path / "run.mcap", program=PROGRAM)
    topics: dict[str, list[tuple[int, dict]]] = {}
    names = {}
    with (tmp_path / "run.mcap").open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        for schema, channel, message in reader.iter_messages():
            body = json.loads(message.data)
            topics.setdefault(channel.topic, []).append((message.log_time, body))
            names[channel.topic] = schema.name
            layout = json.loads(schema.data)["properties"]
            assert set(body) <= set(layout)
            stamp = body["timestamp"]
            assert stamp["sec"] * 10**9 + stamp["nsec"] == message.log_time
        (attachment,) = reader.iter_attachments()
        (about,) = reader.iter_metadata()
    assert names == {
        "/joint_states": "foxglove.JointStates",
        "/joint_states_given": "foxglove.JointStates",
        "/motor_states": "erfd.MotorStates",
        "/tool": "foxglove.PoseInFrame",
        "/deviation": "erfd.Deviation",
        "/events": "foxglove.Log",
    }
    times = [when for when, _ in topics["/joint_states"]]
    assert times == [round(t * 1e9) for t in run["t"]]
    joints = [body["joints"] for _, body in topics["/joint_states"]]
    assert [j["name"] for j in joints[0]] == [j.name for j in run.robot.joints]
    for key, name in (("position", "q"), ("velocity", "qd"), ("effort", "u")):
        assert np.array_equal([[j[key] for j in row] for row in joints], run[name])
    motors = [body["motors"] for _, body in topics["/motor_states"]]
    assert np.array_equal([[m["torque"] for m in row] for row in motors], run["u_a"])
    assert "torque_max" not in motors[9][2]
    assert motors[9][1]["torque_max"] == run["u_a_max"][9, 1]
    place = [list(body["pose"]["position"].values()) for _, body in topics["/tool"]]
    assert np.array_equal(place, run["pose"][:, :3, 3])
    assert [body["message"] for _, body in topics["/events"]] == [str(e) for e in run.events]
    (tmp_path / "robot.toml").write_bytes(attachment.data)
    assert erfd.load(tmp_path / "robot.toml") == run.robot
    assert about.metadata["program"] == PROGRAM


def test_mcap_times_are_never_negative(run: erfd.Run, tmp_path: Path) -> None:
    early = erfd.Run(run.robot, run.data | {"t": run["t"] - 1.0}, ())
    write_mcap(early, tmp_path / "run.mcap")
    with (tmp_path / "run.mcap").open("rb") as file:
        summary = make_reader(file).get_summary()
    assert summary.statistics.message_start_time == 0


def test_quaternions_turn_as_the_matrices_do() -> None:
    """Random ones, and half turns about each axis, where the scalar part is zero."""
    rng = np.random.default_rng(3)
    turns = np.linalg.qr(rng.normal(size=(200, 3, 3)))[0]
    turns *= np.linalg.det(turns)[:, None, None]
    turns[:4] = [np.diag(d) for d in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))]
    found = quaternions(turns)
    xyz, w = found[:, :3], found[:, 3:]
    v = rng.normal(size=(200, 3))
    turned = v + 2 * np.cross(xyz, np.cross(xyz, v) + w * v)
    assert np.abs(turned - np.einsum("kij,kj->ki", turns, v)).max() < 1e-13


def test_export_goes_by_the_name(run: erfd.Run, tmp_path: Path) -> None:
    for name, start in (("a.parquet", b"PAR1"), ("a.CSV", b"t [s]"), ("a.mcap", b"\x89MCAP")):
        write_run(run, tmp_path / name, program="p")
        assert (tmp_path / name).read_bytes().startswith(start)
    assert read_run_program(tmp_path / "a.parquet") == "p"
    with pytest.raises(InputError, match=r"a\.xlsx: expected a name that ends in one of \.parquet"):
        write_run(run, tmp_path / "a.xlsx")
    with pytest.raises(InputError, match="run: q: expected 61 rows, found 60"):
        write_run(erfd.Run(run.robot, run.data | {"q": run["q"][1:]}, ()), tmp_path / "a.csv")


def test_damaged_files_are_named(run: erfd.Run, tmp_path: Path) -> None:
    """Cut anywhere, or any byte changed: one sentence, never a wrong number."""
    path, bad = tmp_path / "run.parquet", tmp_path / "bad.parquet"
    write_parquet(run, path)
    whole = path.read_bytes()
    size = len(whole)
    footer = size - 8 - int.from_bytes(whole[-8:-4], "little")
    rng = random.Random(8)
    cuts = [1, 3, 4, 11, 12, footer, footer + 9, size - 8, size - 4, size - 1]
    damaged = [whole[:cut] for cut in cuts + rng.choices(range(4, size), k=40)]
    places = [0, 4, size - 1, size - 5, *rng.choices(range(footer, size), k=300)]
    for place in places + rng.choices(range(size), k=300):
        change = bytes([whole[place] ^ (1 << rng.randrange(8))])
        damaged.append(whole[:place] + change + whole[place + 1 :])
    damaged += [whole + b"\0", whole + whole, b"PAR1", b"PAR1PAR1", b"PAR1" + bytes(8) + b"PAR1"]
    for data in damaged:
        bad.write_bytes(data)
        with pytest.raises(InputError) as caught:
            read_run(bad)
        assert str(caught.value).startswith(f"{bad}: expected a")
        assert "\n" not in str(caught.value)


def test_files_that_are_no_runs(
    run: erfd.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.parquet"

    def refused(sentence: str) -> None:
        with pytest.raises(InputError, match=sentence):
            read_run(path)

    refused(r"run\.parquet: cannot be read: No such file or directory")
    path.write_bytes(b"")
    refused(r"run\.parquet: expected a Parquet file, found an empty file")
    path.write_text("t,q1\n0,0\n")
    refused(r"run\.parquet: expected a Parquet file, found other contents")
    pq.write_table(pa.table({"t": [0.0]}), path)
    refused(r"run\.parquet: expected a run written by erfd, found another Parquet file")
    write_parquet(run, path)
    path.write_bytes(path.read_bytes()[:-100])
    refused(r"run\.parquet: expected a whole Parquet file, found one cut short or damaged")
    monkeypatch.setattr(export_parquet, "FORMAT", 2)
    monkeypatch.setattr(export_parquet, "__version__", "9.1")
    write_parquet(run, path)
    monkeypatch.undo()
    refused(r"run\.parquet: expected run format 1, found 2, written by erfd 9\.1; an erfd at least")
    monkeypatch.setattr("erfd.robot.readers.toml.FORMAT", 2)
    write_parquet(run, path)
    monkeypatch.undo()
    refused(r"run\.parquet: robot\.toml: format: expected 1 .*, found 2")


def test_a_failed_write_leaves_the_old_file(
    run: erfd.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.parquet"
    write_parquet(run, path)
    before = path.read_bytes()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    for name, write in (("run.parquet", write_parquet), ("a.csv", write_csv), ("a", write_mcap)):
        with pytest.raises(InputError, match=f"{name}: cannot be written: No space left on device"):
            write(run, tmp_path / name)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(InputError, match="cannot be written: No such file or directory"):
        write_csv(run, tmp_path / "none" / "run.csv")
    with pytest.raises(InputError, match=r"a\.svg: cannot be written: No space left on device"):
        save_figure(plot_velocities(run), tmp_path / "a.svg")
    with pytest.raises(InputError, match=r"a\.toml: cannot be written: No space left on device"):
        erfd.save(run.robot, tmp_path / "a.toml")
    assert list(tmp_path.iterdir()) == [path]
    monkeypatch.undo()
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match=r"folder\.csv: cannot be written: Is a directory"):
        write_csv(run, tmp_path / "folder.csv")


WRITERS = (
    """
import pickle, sys
from erfd.run.write import write_parquet
with open(sys.argv[1], "rb") as file:
    run = pickle.load(file)
write_parquet(run, sys.argv[1] + ".parquet")
print("ready", flush=True)
sys.stdin.readline()
while True:
    write_parquet(run, sys.argv[2])
""",
    """
import sys
from erfd.files import write_bytes
with open(sys.argv[1] + ".parquet", "rb") as file:
    data = file.read()
print("ready", flush=True)
sys.stdin.readline()
while True:
    write_bytes(sys.argv[2], data)
""",
)


def test_a_killed_writer_leaves_the_old_file_or_none(run: erfd.Run, tmp_path: Path) -> None:
    """kill -9 at random moments (ERFD_KILLS of them): the file is absent or whole.

    Every other writer has the bytes ready, so that it is killed among open, write and rename.
    """
    source, folder = tmp_path / "source", tmp_path / "runs"
    source.write_bytes(pickle.dumps(run))
    write_parquet(run, f"{source}.parquet")
    folder.mkdir()
    path = folder / "run.parquet"
    rng = random.Random(20)

    def start(k: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", WRITERS[k % 2], str(source), str(path)]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def end(writer: subprocess.Popen[bytes]) -> None:
        writer.kill()
        writer.communicate()

    following = start(0)
    try:
        for k in range(KILLS):
            writer, following = following, start(k + 1)  # the next one wakes up meanwhile
            try:
                if k % 3 == 0:
                    path.unlink(missing_ok=True)
                old = path.exists()
                assert writer.stdout.readline() == b"ready\n"
                writer.stdin.write(b"go\n")
                writer.stdin.flush()
                time.sleep(rng.uniform(0, (0.15, 0.05)[k % 2]))
                assert writer.poll() is None
            finally:
                end(writer)
            if path.exists():
                assert_same(read_run(path), run)
            else:
                assert not old
            others = [file for file in folder.iterdir() if file != path]
            assert all(f.name.startswith(".") and f.suffix == ".part" for f in others)
    finally:
        end(following)


@pytest.mark.parametrize(
    ("package", "action", "sentence"),
    [
        ("pyarrow", write_parquet, "a Parquet file needs the package pyarrow"),
        ("mcap", write_mcap, "an MCAP file needs the package mcap"),
        ("pandas", lambda run, path: to_pandas(run), "a DataFrame needs the package pandas"),
        ("pyarrow", lambda run, path: read_run(path), "needs the package pyarrow"),
    ],
)
def test_missing_packages_are_named(
    package: str,
    action: object,
    sentence: str,
    run: erfd.Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingDependencyError, match=sentence) as caught:
        action(run, tmp_path / "run")
    assert str(caught.value).endswith("; pip install 'erfd[runs]' installs it")
    write_csv(run, tmp_path / "run.csv")  # needs none of them
    assert not (tmp_path / "run").exists()
