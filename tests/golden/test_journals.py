"""Recordings of earlier versions."""

import json
from pathlib import Path

import numpy as np

import erfd
from support.golden import each, expected, same_run, told, versions


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
