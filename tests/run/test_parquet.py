"""Runs as Parquet files: they read back exactly, other tools can read them, damage is named."""

import json
import random
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import erfd
from erfd.errors import InputError
from erfd.run import parquet as export_parquet
from erfd.run.columns import UNITS
from erfd.run.write import read_run, read_run_program, to_pandas, write_parquet
from support.written_runs import PROGRAM, assert_same, make_run

pytestmark = pytest.mark.usefixtures("compiled")


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
