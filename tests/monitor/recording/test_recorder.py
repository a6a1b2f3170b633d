"""Recording a stream: all but the last second after a crash, and what cannot be written is said."""

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import erfd
from erfd.errors import InputError
from erfd.monitor import Publisher, Recorder, recover
from erfd.monitor.recording.recorder import journal_path
from erfd.run.write import read_run
from support.seeds import seeded
from support.waiting import until

KILLS = int(os.environ.get("ERFD_KILLS", "4"))


@pytest.mark.parametrize("end", [".parquet", ".mcap", ".csv"])
def test_recording_a_publisher(tmp_path: Path, end: str) -> None:
    """Two publishers after each other, one address: a file each; the journal goes."""
    path = tmp_path / f"shift{end}"
    robot = erfd.load("two_link")
    first = Publisher("cell", robot, dt=0.01, columns=("q",), program="PTP home")
    port = first.port
    with Recorder(first.url, path) as recorder:
        for k, publisher in enumerate((first, None)):
            publisher = publisher or Publisher("cell", robot, dt=0.01, columns=("q",), port=port)
            connected = recorder.state().connections
            until(lambda k=k, c=connected: recorder.state().connections > k and c is not None)
            until(lambda s=publisher.hello.session: (
                recorder.state().hello and recorder.state().hello.session == s
            ))  # fmt: skip
            before = recorder.state().samples
            for i in range(50):
                publisher.publish({"q": [0.01 * i, 0.0]}, t=0.01 * i)
            publisher.event("half")
            until(lambda b=before: recorder.state().samples == b + 50)
            until(lambda k=k: len(recorder.state().events) == k + 1)
            publisher.close()
    names = {p.name for p in tmp_path.iterdir()}
    wanted = {f"shift{end}", f"shift-2{end}", "shift.events.jsonl", "shift-2.events.jsonl"}
    assert names == wanted
    assert set(recorder.written) == {tmp_path / name for name in wanted}
    events = (tmp_path / "shift.events.jsonl").read_text().splitlines()
    assert json.loads(events[0])["text"] == "half"
    if end == ".parquet":
        run = read_run(path)
        assert np.array_equal(run["q"][:, 0], 0.01 * np.arange(50))
        assert run.robot == robot


def test_a_recorders_mistakes(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected a name that ends in one of \.parquet, \.mcap"):
        Recorder("ws://127.0.0.1:1", tmp_path / "x.txt")
    with pytest.raises(InputError, match="cannot be written: no such folder"):
        Recorder("ws://127.0.0.1:1", tmp_path / "none" / "x.parquet")
    journal = journal_path(tmp_path / "x.parquet")
    journal.write_bytes(b"")
    with pytest.raises(InputError, match="found a journal; erfd monitor recover makes a run of it"):
        Recorder("ws://127.0.0.1:1", tmp_path / "x.parquet")
    journal.unlink()
    recorder = Recorder("ws://127.0.0.1:1", tmp_path / "x.parquet")
    assert recorder.close() == []
    assert not list(tmp_path.iterdir())
    (tmp_path / "y.parquet.journal").write_bytes(b"hello")
    with pytest.raises(InputError, match="expected a journal of erfd, found nothing of one"):
        recover(tmp_path / "y.parquet.journal", tmp_path / "y.parquet")


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    """The recorder keeps what it has and says what happened."""
    with Publisher("cell", erfd.load("two_link"), dt=0.01, columns=("q",)) as publisher:
        recorder = Recorder(publisher.url, tmp_path / "x.parquet")
        until(lambda: recorder.state().hello)
        publisher.publish({"q": [1, 2]}, t=0.0)
        until(lambda: recorder.state().samples == 1)
        real = recorder.journal.add

        def full(item: object) -> None:
            raise OSError(28, "No space left on device")

        recorder.journal.add = full
        publisher.publish({"q": [3, 4]}, t=0.01)
        until(lambda: recorder.failure)
        recorder.journal.add = real
        recorder.close()
        assert recorder.failure.endswith("cannot be written: No space left on device")
        assert recorder.journal.path.exists()  # the journal stays where something failed
        assert len(read_run(tmp_path / "x.parquet")) == 1


def test_a_run_that_cannot_be_written_leaves_its_journal(tmp_path: Path) -> None:
    (tmp_path / "x.parquet").mkdir()
    with Publisher("cell", erfd.load("two_link"), dt=0.01, columns=("q",)) as publisher:
        recorder = Recorder(publisher.url, tmp_path / "x.parquet")
        until(lambda: recorder.state().hello)
        publisher.publish({"q": [1, 2]}, t=0.0)
        until(lambda: recorder.state().samples == 1)
        with pytest.raises(InputError, match=r"x\.parquet\.journal: erfd monitor recover makes"):
            recorder.close()
    recover(tmp_path / "x.parquet.journal", tmp_path / "y.parquet")
    assert len(read_run(tmp_path / "y.parquet")) == 1


RECORDING = """
import sys, time
from erfd.monitor import Recorder
recorder = Recorder(sys.argv[1], sys.argv[2])
while True:
    print(recorder.state().samples, flush=True)
    time.sleep(0.02)
"""


def test_a_killed_recorder_loses_at_most_the_last_second(tmp_path: Path) -> None:
    """kill -9 at random moments, ERFD_KILLS times: what it had a second before is there.

    The samples are 10 ms apart and carry their number, so that a wrong one would show.
    """
    rng = random.Random(seeded(7))
    robot = erfd.load("two_link")
    with Publisher("cell", robot, dt=0.01, columns=("q",)) as publisher:
        for k in range(KILLS):
            path = tmp_path / f"r{k}.parquet"
            command = [sys.executable, "-c", RECORDING, publisher.url, str(path)]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            said = [(time.monotonic(), int(process.stdout.readline()))]
            life = time.monotonic() + rng.uniform(0.05, 1.5)
            count = publisher._count
            while time.monotonic() < life or said[-1][1] == 0:
                publisher.publish({"q": [count, -count]}, t=0.01 * count)
                count += 1
                said.append((time.monotonic(), int(process.stdout.readline())))
            process.kill()
            process.communicate()
            done = recover(journal_path(path), path)
            run = read_run(path)
            numbers = run["q"][:, 0]
            assert np.array_equal(run["q"][:, 1], -numbers)
            assert (np.diff(numbers) == 1).all()
            # it said a count after the samples were handed over, all but the item in hand
            earlier = [n for moment, n in said if moment < said[-1][0] - 1.0]
            assert done.samples == len(run) >= max(earlier, default=0)
            assert done.lost < 4096  # a record that was cut
