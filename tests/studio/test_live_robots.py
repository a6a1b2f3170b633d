"""Live robots in the studio, without a browser: what is watched and what is recorded."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import erfd
from erfd.errors import InputError
from erfd.monitor import Publisher
from erfd.monitor.protocol import Column, Hello, column
from erfd.monitor.recording.journal import Journal
from erfd.monitor.viewer.reader import Batch, Reader, Restart
from erfd.report.curves.curves import DIAGRAMS, available
from erfd.run.write import read_run
from erfd.studio.live_robots import LiveRobots, Watched, quantities
from erfd.studio.runs.recording import FILE, Recording, keep_left, left_behind
from erfd.studio.runs.store import Store
from support.waiting import until

pytest.importorskip("nicegui")

ROBOT = erfd.load("two_link")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "runs")


def publish(publisher: Publisher, count: int = 30) -> None:
    for k in range(count):
        publisher.publish({"q": [0.01 * k, -0.01 * k]}, t=0.01 * k)


def recorded(watched: Watched, count: int) -> None:
    until(lambda: watched.recording._recorder.state().samples >= count)


def fed(publisher: Publisher, watched: Watched, count: int = 30) -> None:
    """Samples, once the recorder is there to hear them."""
    session = publisher.hello.session
    feed = watched.recording._recorder
    until(lambda: feed.state().hello is not None and feed.state().hello.session == session)
    before = feed.state().samples
    publish(publisher, count)
    recorded(watched, before + count)


def test_a_card_that_is_closed_keeps_what_it_recorded(store):
    """As a session does that ends; and a controller that was started anew is a run of its own."""
    live = LiveRobots()
    first = Publisher("cell", ROBOT, dt=0.01, columns=("q",))
    watched = live.open(first.url, "", 0)
    watched.record(store)
    fed(first, watched)
    first.close()
    with Publisher("cell", ROBOT, dt=0.01, columns=("q",), port=first.port) as second:
        fed(second, watched, 20)
        live.close(watched)
    assert live.get(watched.key) is None
    found = store.list()
    assert sorted(about.size for about in found) == [20, 30]
    for about in found:
        run = read_run(store.path(about.id))
        assert np.array_equal(run["q"][:, 0], 0.01 * np.arange(about.size))
        assert about.robot == "two_link"
        assert "two_link" in about.name
    assert not list(store.folder.glob(".*"))


def test_nothing_came(store):
    recording = Recording(store, "ws://127.0.0.1:1")
    with pytest.raises(InputError, match="no samples came, nothing was recorded"):
        recording.keep()
    assert not list(store.folder.iterdir())


def test_a_stream_that_cannot_become_a_run_is_not_recorded(store):
    with Publisher("bare", n=3, dt=0.01, columns=("q",)) as publisher:
        watched = Watched(publisher.url)
        until(lambda: watched.feed.state().hello)
        assert watched.robot is None
        with pytest.raises(InputError, match="does not describe its robot"):
            watched.record(store)
        watched.close()
    assert not list(store.folder.iterdir())


def test_a_robot_that_is_only_named(store):
    """A bundled one is known without its description."""
    with Publisher("named", ROBOT, dt=0.01, columns=("q",)) as publisher:
        watched = Watched(publisher.url)
        until(lambda: watched.feed.state().hello)
        reader = Reader()
        body = {"type": "hello", "protocol": "erfd-monitor", "version": 1, "robot": "two_link"}
        body |= {"n": 2, "dt": 0.01, "session": 5, "columns": [{"name": "q", "units": ["", ""]}]}
        reader.read(json.dumps(body))
        watched.feed._reader = reader
        assert watched.robot == ROBOT
        watched.close()


def test_columns_that_a_run_means_otherwise():
    """A controller's own `power`, one number for all: no diagram of six joints is made of it."""
    columns = (
        "q",
        Column("power", ("W",)),
        Column("force", ("N", "N")),
        Column("voltage", ("V",) * 2),
    )
    with Publisher("own", ROBOT, dt=0.01, columns=columns) as publisher:
        watched = Watched(publisher.url)
        until(lambda: watched.feed.state().hello)
        for k in range(20):
            values = {"q": [k, k], "power": [k], "force": [1, 2], "voltage": [3, 4]}
            publisher.publish(values, t=0.01 * k)
        until(lambda: watched.feed.state().samples == 20)
        offered = available(quantities(watched.feed.state().hello))
        assert offered == ("q", "voltage")
        for name in DIAGRAMS:
            assert watched.diagram(name, 100)
        watched.close()


def test_the_picture_goes_on_when_a_controller_is_started_anew():
    """Its numbers begin at 0 again: the page still asks for those above the ones it had."""
    first = Publisher("cell", ROBOT, dt=0.01, columns=("q",))
    watched = Watched(first.url)
    until(lambda: watched.feed.state().hello)
    publish(first, 30)
    until(lambda: watched.feed.state().samples == 30)
    assert b'"last": 29' in watched.poses(-1)
    empty = watched.poses(29)
    first.close()
    with Publisher("cell", ROBOT, dt=0.01, columns=("q",), port=first.port) as second:
        session = second.hello.session
        until(lambda: watched.feed.state().hello.session == session)
        assert len(watched.poses(29)) == len(empty)
        publish(second, 10)
        until(lambda: watched.feed.state().samples == 40)
        assert b'"last": 9' in watched.poses(29)
        assert len(watched.poses(29)) > len(empty)
        assert len(watched.poses(9)) == len(empty)  # nothing is new
        watched.close()


KILLED = """
import sys, time
from erfd.studio.runs.recording import Recording
from erfd.studio.runs.store import Store
recording = Recording(Store(sys.argv[1]), sys.argv[2])
while True:
    print(recording._recorder.state().samples, flush=True)
    time.sleep(0.02)
"""


def test_the_next_studio_keeps_what_a_killed_one_recorded(store):
    with Publisher("cell", ROBOT, dt=0.01, columns=("q",)) as publisher:
        command = [sys.executable, "-c", KILLED, str(store.folder), publisher.url]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            count = 0
            while int(process.stdout.readline()) < 50:
                publisher.publish({"q": [count, -count]}, t=0.01 * count)
                count += 1
            (journal,) = store.folder.glob(f".*.part/{FILE}.journal")
            assert left_behind(store) == []  # it still grows: another studio leaves it alone
        finally:
            process.send_signal(signal.SIGKILL)
            process.communicate()
    assert left_behind(store) == [journal]
    (about,) = keep_left(store, journal)
    assert store.list() == [about]
    assert about.size >= 50
    assert (np.diff(read_run(store.path(about.id))["q"][:, 0]) == 1).all()
    assert left_behind(store) == []
    assert not list(store.folder.glob(".*"))


def test_a_journal_of_which_nothing_can_be_made_stays(store):
    """It says where it is, and the studio starts all the same."""
    from erfd.studio.studio import Studio

    _, part = store.new()
    (part / f"{FILE}.journal").write_bytes(b"nothing of a journal")
    with pytest.raises(InputError, match=r"run\.parquet\.journal: no run can be made"):
        keep_left(store, part / f"{FILE}.journal")
    Studio(store).keep_left()
    assert left_behind(store) == [part / f"{FILE}.journal"]


def test_runs_of_one_recording_come_in_the_order_of_time(store):
    """A controller that was started anew eleven times leaves twelve of them."""
    _, part = store.new()
    journal = part / f"{FILE}.journal"
    hello = Hello("cell", 2, 0.01, (column("q", 2),), 1, "two_link")
    writer = Journal(journal)
    writer.add(hello)
    for k in range(12):
        writer.add(Restart())
        rows = np.full((3 + k, 2), 0.1 * k)
        writer.add(Batch(np.arange(3 + k), 0.01 * np.arange(3 + k), rows))
    writer.close()
    abouts = keep_left(store, journal)
    assert [about.size for about in abouts] == [3 + k for k in range(12)]
