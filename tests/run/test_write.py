"""Keeping a run: as CSV, for pandas, by the name of its file; and no file is ever half there."""

import os
import pickle
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import erfd
from erfd.errors import InputError, MissingDependencyError
from erfd.ground import files
from erfd.report.plots.run import plot_velocities, save_figure
from erfd.run.write import (
    read_run,
    read_run_program,
    to_pandas,
    write_csv,
    write_mcap,
    write_parquet,
    write_run,
)
from support.seeds import seeded
from support.written_runs import assert_same

pytestmark = pytest.mark.usefixtures("compiled")
KILLS = int(os.environ.get("ERFD_KILLS", "20"))


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


def test_export_goes_by_the_name(run: erfd.Run, tmp_path: Path) -> None:
    for name, start in (("a.parquet", b"PAR1"), ("a.CSV", b"t [s]"), ("a.mcap", b"\x89MCAP")):
        write_run(run, tmp_path / name, program="p")
        assert (tmp_path / name).read_bytes().startswith(start)
    assert read_run_program(tmp_path / "a.parquet") == "p"
    with pytest.raises(InputError, match=r"a\.xlsx: expected a name that ends in one of \.parquet"):
        write_run(run, tmp_path / "a.xlsx")
    with pytest.raises(InputError, match="run: q: expected 61 rows, found 60"):
        write_run(erfd.Run(run.robot, run.data | {"q": run["q"][1:]}, ()), tmp_path / "a.csv")


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
from erfd.ground.files import write_bytes
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
    rng = random.Random(seeded(20))

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
