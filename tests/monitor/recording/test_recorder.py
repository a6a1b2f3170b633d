"""Recordings: all that was streamed, to the last bit, and all but the last second after a crash."""

import json
import os
import random
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.cli import main
from erfd.errors import InputError
from erfd.monitor import Command, Controller, Publisher, Recorder, recover
from erfd.monitor.controller.controller import COLUMNS
from erfd.monitor.controller.source import PlayedMotion
from erfd.monitor.protocol import JOINT_UNITS, OTHER_UNITS, Column, Hello, column
from erfd.monitor.recording.journal import Journal, read_journal
from erfd.monitor.recording.rebuild import recordings, robot_of, run_of
from erfd.monitor.recording.recorder import journal_path
from erfd.monitor.viewer.reader import Batch, Message, Restart
from erfd.report.curves.curves import NAMES, available, curves
from erfd.robot.readers.toml import text_of
from erfd.run.run_file import RunFile
from erfd.run.write import read_run, write_parquet
from support.controllers import trajectory
from support.waiting import until

KILLS = int(os.environ.get("ERFD_KILLS", "4"))


def hello_of(session: int = 1, n: int = 2) -> Hello:
    return Hello("cell", n, 0.01, (column("q", n), Column("force", ("N",))), session, "two_link")


def batch_of(first: int, count: int, width: int = 3) -> Batch:
    numbers = np.arange(first, first + count)
    return Batch(numbers, 0.01 * numbers, np.outer(np.sin(0.01 * numbers), np.arange(1, width + 1)))


def same(a: object, b: object) -> bool:
    if isinstance(a, Batch):
        arrays = ("numbers", "t", "rows")
        return isinstance(b, Batch) and all(
            np.array_equal(getattr(a, k), getattr(b, k)) for k in arrays
        )
    return a == b


ITEMS = st.one_of(
    st.builds(hello_of, st.integers(0, 100)),
    st.builds(batch_of, st.integers(0, 1000), st.integers(1, 5)),
    st.builds(lambda text: Message("event", {"type": "event", "text": text}), st.text(max_size=20)),
    st.just(Restart()),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("journals")


def journal_of(folder: Path, items: list) -> bytes:
    path = folder / "x.journal"
    path.unlink(missing_ok=True)
    journal = Journal(path)
    for item in items:
        journal.add(item)
    journal.close()
    return path.read_bytes()


@settings(max_examples=30, deadline=None)
@given(items=st.lists(ITEMS, min_size=1, max_size=8), data=st.data())
def test_a_journal_cut_anywhere(folder: Path, items: list, data: st.DataObject) -> None:
    """Whole, all items come back; cut, all that were whole, and the rest is counted."""
    whole = journal_of(folder, items)
    path = folder / "x.journal"
    found = read_journal(path)
    assert found.lost == 0
    assert len(found.items) == len(items)
    assert all(same(a, b) for a, b in zip(items, found.items, strict=True))
    size = data.draw(st.integers(0, len(whole)))
    path.write_bytes(whole[:size])
    ends = np.cumsum([len(journal_of(folder, [item])) for item in items])
    path.write_bytes(whole[:size])
    kept = int((ends <= size).sum())
    if kept == 0:
        with pytest.raises(InputError, match="expected a journal of erfd, found nothing of one"):
            read_journal(path)
        return
    found = read_journal(path)
    assert len(found.items) == kept
    assert found.lost == size - ends[kept - 1]


@settings(max_examples=30, deadline=None)
@given(items=st.lists(ITEMS, min_size=3, max_size=8), data=st.data())
def test_a_damaged_journal(folder: Path, items: list, data: st.DataObject) -> None:
    """A changed byte costs the record that it is in and no other."""
    whole = bytearray(journal_of(folder, items))
    ends = np.cumsum([0, *(len(journal_of(folder, [item])) for item in items)])
    place = data.draw(st.integers(0, len(whole) - 1))
    whole[place] ^= data.draw(st.integers(1, 255))
    path = folder / "x.journal"
    path.write_bytes(whole)
    hit = int(np.searchsorted(ends, place, side="right")) - 1
    found = read_journal(path)
    left = [item for k, item in enumerate(items) if k != hit]
    assert len(found.items) == len(left)
    assert all(same(a, b) for a, b in zip(left, found.items, strict=True))
    assert found.lost == ends[hit + 1] - ends[hit]


def test_histories() -> None:
    """A new session and a new beginning are recordings of their own; those without samples none."""
    one, two = hello_of(1), hello_of(2)
    event = Message("event", {"type": "event", "text": "a"})
    items = [one, batch_of(0, 3), event, batch_of(3, 2), Restart(), batch_of(0, 2), two, Restart()]
    found = recordings([*items, batch_of(5, 1)])
    assert [(r.hello.session, len(r.t)) for r in found] == [(1, 5), (1, 2), (2, 1)]
    assert found[0].numbers.tolist() == [0, 1, 2, 3, 4]
    assert found[0].messages == ({"type": "event", "text": "a"},)


def controller_rows(seconds: float, wrench: list[float], loads: tuple) -> tuple:
    """What a controller streams of a motion: hello and one batch."""
    robot, motion = erfd.load("lola15"), trajectory(seconds)
    lines = np.arange(len(motion.q), dtype=float)
    controller = Controller(
        robot, PlayedMotion("m", motion.q, motion.dt, lines, loads), wrench=wrench
    )
    rows = [controller.cycle([Command("start")])[0]]
    while controller.player.mode != "done":
        rows.append(controller.cycle()[0])
    with Publisher("cell", robot, dt=0.01, columns=COLUMNS) as publisher:
        hello = publisher.hello
    table = np.array([np.concatenate([np.ravel(row[k]) for k in COLUMNS]) for row in rows])
    count = np.arange(len(table))
    return hello, Batch(count, motion.t[1:], table.astype(float))


@pytest.mark.parametrize("seconds", [0.9, 2.0])
@pytest.mark.usefixtures("compiled")
def test_a_recording_is_the_run(seconds: float) -> None:
    """All quantities that Algorithm 1 gives come back from the stream, torque parts included."""
    motion = trajectory(seconds)
    wrench = [100.0, 100.0, -150.0, 0.0, 0.0, 0.0]
    body = ((0.1, 0.01, 0.0), (0.01, 0.1, 0.0), (0.0, 0.0, 0.1))
    load = erfd.Payload(3.0, (0.0, 0.0, 0.1), body)
    loads = (None,) * 40 + (load,) * (len(motion) - 40)
    hello, batch = controller_rows(seconds, wrench, loads)
    (recording,) = recordings([hello, batch])
    run = run_of(recording)
    assert run.robot == erfd.load("lola15")
    wanted = erfd.achievable(run.robot, motion, wrench=wrench, payload=loads)
    assert set(wanted.data) <= set(run.data)
    for name, values in wanted.data.items():
        # the stream begins with the end of the first cycle; up to 200 cycles of rounding
        assert np.allclose(run[name], values[1:], rtol=1e-9, atol=1e-7), name
    assert len(run.events) == len(wanted.events)
    assert [e.kind for e in run.events] == [e.kind for e in wanted.events]
    assert np.array_equal(run["line"], np.arange(1, len(run) + 1))
    # what was streamed is kept to the last bit
    for name, place in hello.places.items():
        if name != "pose":
            assert np.array_equal(run[name].reshape(len(run), -1), batch.rows[:, place]), name


@pytest.mark.usefixtures("compiled")
def test_gaps_are_not_filled() -> None:
    """Samples that never came are not made up, and their neighbours are computed without them."""
    hello, batch = controller_rows(0.9, [0.0] * 6, (None,) * 91)
    keep = np.r_[0:20, 33:34, 40:90]
    cut = Batch(batch.numbers[keep], batch.t[keep], batch.rows[keep])
    (whole,), (gappy,) = recordings([hello, batch]), recordings([hello, cut])
    a, b = run_of(whole), run_of(gappy)
    assert np.array_equal(b["t"], batch.t[keep])
    for name in set(a.data) - {"energy"}:  # which is a sum over all
        # the state before a gap's end is q - q' dt, not the sample itself: rounding, times K
        assert np.allclose(b[name], a[name][keep], rtol=1e-9, atol=1e-9), name


@pytest.mark.usefixtures("compiled")
def test_a_plain_stream_becomes_a_run() -> None:
    """Only q streamed: velocities, accelerations and motor torques follow from the model."""
    robot, motion = erfd.load("lola15"), trajectory(2.0)
    hello = Hello("real", 6, 0.01, (column("q", 6),), 1, "lola15")
    batch = Batch(np.arange(len(motion)), motion.t, motion.q)
    (recording,) = recordings([hello, batch])
    assert robot_of(hello) == robot  # by its name
    run = run_of(recording)
    wanted = erfd.achievable(robot, motion)
    for name in ("qd", "qdd", "u", "u_a", "power", "pose"):
        # what was before the first sample is unknown, so its cycle and the next may differ
        assert np.allclose(run[name][2:], wanted[name][2:], rtol=1e-9, atol=1e-8), name
    assert run.feasible


def test_streams_that_cannot_be_a_run() -> None:
    nobody = Hello("x", 2, 0.01, (column("q", 2),), 1)
    (recording,) = recordings([nobody, batch_of(0, 3, 2)])
    with pytest.raises(InputError, match="x: expected a stream that describes its robot; name one"):
        run_of(recording)
    with pytest.raises(InputError, match="x: expected q of 6 joints, found n = 2"):
        run_of(recording, erfd.load("lola15"))


@pytest.mark.parametrize("drives", [True, False])
def test_names_that_a_run_means_otherwise(tmp_path: Path, drives: bool) -> None:
    """Whatever a controller calls its columns, the run can be drawn, and they are in it."""
    robot = erfd.load("two_link")
    robot = robot if drives else replace(robot, drives=())
    t = 0.01 * np.arange(30)
    made = erfd.achievable(erfd.load("two_link"), erfd.Trajectory(t, np.zeros((30, 2)))).data
    foreign = (made.keys() | set(NAMES)) - JOINT_UNITS.keys() - OTHER_UNITS.keys() - {"t"}
    for size in (1, 5):
        names = tuple(Column(name, ("x",) * size) for name in sorted(foreign))
        hello = Hello("x", 2, 0.01, (column("q", 2), *names), 1, "two_link", model=text_of(robot))
        rows = np.random.default_rng(size).random((30, hello.width))
        run = run_of(recordings([hello, Batch(np.arange(30), t, rows)])[0])
        write_parquet(run, tmp_path / "x.parquet")
        file = RunFile(tmp_path / "x.parquet")
        for name in available(run.data):
            curves(file, name)
        for c in names:
            kept = run.data.get(f"{c.name}_streamed", run.data.get(c.name))
            assert np.array_equal(kept, rows[:, hello.places[c.name]])


def test_a_robot_without_drives(tmp_path: Path) -> None:
    """Its motors are unknown; its motion is kept all the same."""
    arm = erfd.load("two_link")
    from dataclasses import replace

    bare = replace(arm, drives=(), name="bare")
    (recording,) = recordings([Hello("x", 2, 0.01, (column("q", 2),), 1), batch_of(0, 9, 2)])
    run = run_of(recording, bare)
    from erfd.run.write import write_run

    write_run(run, tmp_path / "bare.parquet")
    assert np.array_equal(read_run(tmp_path / "bare.parquet")["q"], batch_of(0, 9, 2).rows)
    assert run["pose"].shape == (9, 4, 4)


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
    rng = random.Random(7)
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


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """`erfd monitor record` and `recover`, as a person and as a program see them."""
    import threading

    done = threading.Event()
    with Publisher("cell", erfd.load("two_link"), dt=0.01, columns=("q",)) as publisher:

        def go_on() -> None:
            k = 0
            while not done.wait(0.01):
                publisher.publish({"q": [k, 0]}, t=0.01 * k)
                k += 1

        thread = threading.Thread(target=go_on)
        thread.start()
        try:
            path = tmp_path / "a.parquet"
            arguments = ["monitor", "record", publisher.url, "--seconds", "1", "--out", str(path)]
            assert main([*arguments, "--json"]) == 0
            data = json.loads(capsys.readouterr().out)
            assert data["written"] == [str(path)]
            assert len(read_run(path)) == data["samples"] > 0
        finally:
            done.set()
            thread.join()
    assert main(["monitor", "record", "ws://127.0.0.1:1", "--seconds", "0.3", "--out", str(path)])
    assert "no samples came" in capsys.readouterr().err
    journal = journal_path(tmp_path / "b.mcap")
    journal.write_bytes(journal_of(tmp_path, [hello_of(), batch_of(0, 20), batch_of(20, 9)])[:-5])
    assert main(["monitor", "recover", str(journal)]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"wrote {tmp_path / 'b.mcap'}\n20 samples; ")
    assert out.endswith("bytes could not be read\n")
    assert main(["monitor", "recover", str(tmp_path / "none.parquet.journal")]) == 2
    assert "cannot be read" in capsys.readouterr().err
    assert main(["monitor", "recover", str(path)]) == 2
    assert "expected a name that ends in .journal, or --out FILE" in capsys.readouterr().err
