"""Open runs, as the page shows them: forces as they were, and no limited stretch is lost."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest

import erfd
from erfd.errors import InputError
from erfd.run.run import Run
from erfd.run.write import write_parquet
from erfd.studio.runs.open_runs import OpenRun
from erfd.studio.runs.store import About
from support.motions import lola_motion

LOLA = erfd.load("lola15")


def shown_run(run: Run, path: Path) -> OpenRun:
    write_parquet(run, path)
    return OpenRun(path, About("", "x", "", "", True, 0.0, 0))


def test_a_force_over_time_is_shown_as_it_was(tmp_path):
    way = lola_motion(0.9)
    push = np.zeros((len(way), 6))
    push[:, 2] = 200 * np.sin(np.linspace(0, np.pi, len(way)))
    shown = shown_run(erfd.achievable(LOLA, way, wrench=push), tmp_path / "run.parquet")
    np.testing.assert_array_equal(shown.force(np.arange(len(way))), push[:, :3])
    assert shown.force_max == push.max()


def test_a_force_that_is_not_told_is_found_again(hard_run, tmp_path):
    data = {name: hard_run[name] for name in hard_run.data if name != "wrench"}
    shown = shown_run(Run(LOLA, data, hard_run.events), tmp_path / "run.parquet")
    rows = np.arange(1, len(hard_run))
    found = shown.force(rows)
    away = np.abs(found - [100.0, 100.0, -150.0]).max(axis=1)
    # exact but near singular positions, where joint torques do not tell
    assert np.median(away) < 1e-6
    assert shown.force_max == pytest.approx(np.linalg.norm([100.0, 100.0, -150.0]), rel=1e-3)


def test_thinned_paths_lose_no_limited_stretch(hard_run, tmp_path):
    """One row at a limit among a hundred thousand is still on the path."""
    size = 100_000
    data = {name: hard_run[name][:1].repeat(size, axis=0) for name in ("q", "q_given", "saturated")}
    data["t"] = np.arange(size) * 0.001
    data["saturated"] = np.zeros((size, 6))
    data["saturated"][54_321, 2] = 1
    write_parquet(Run(LOLA, data, ()), tmp_path / "long.parquet")
    shown = OpenRun(tmp_path / "long.parquet", About("", "x", "", "", True, 0.0, 0))
    packet = shown.path()
    (length, _) = struct.unpack_from("<II", packet)
    entries = json.loads(packet[8 : 8 + length])["arrays"]
    assert [e["name"] for e in entries] == ["t", "found", "given", "limited"]
    count = entries[3]["length"]
    flags = np.frombuffer(packet, np.uint8, count, len(packet) - -(-count // 8) * 8)
    assert flags.sum() == 1
    with pytest.raises(InputError, match="rows: expected"):
        shown.poses(0, 50_000, 10)
