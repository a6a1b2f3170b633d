"""Live robots in the studio, without a browser: what is said of them, and what is recorded."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.errors import InputError
from erfd.monitor import Publisher
from erfd.monitor.protocol import COMMANDS, Column
from erfd.monitor.recording.journal import Journal, in_use
from erfd.monitor.viewer.feed import FeedState
from erfd.monitor.viewer.reader import Reader
from erfd.report.curves.curves import NAMES, available
from erfd.run.write import read_run
from erfd.studio.live_robots import MOST, LiveRobots, Watched, quantities
from erfd.studio.runs.store import Store
from erfd.studio.wording.live_phrases import alarms, number, speed_of, state_line
from erfd.studio.wording.texts import Words
from support.languages import left, said
from support.waiting import until

pytest.importorskip("nicegui")
from erfd.studio.runs.recording import FILE, Recording, keep_left, left_behind

ROBOT = erfd.load("two_link")


def state(connection: str = "live", reason: str = "", **values) -> FeedState:
    usual = {
        "hello": None, "delay": None, "age": None, "status": {}, "counts": {}, "problems": (),
        "events": (), "frames": 0, "samples": 0, "connections": 1,
    }  # fmt: skip
    return FeedState("ws://127.0.0.1:1", connection, reason, **(usual | values))


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=50),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
KEYS = st.sampled_from(["mode", "speed", "line", "overruns", "t", "level", "text", "number", "x"])
BODIES = st.dictionaries(KEYS, ANYTHING, max_size=6)


@settings(deadline=None)
@given(BODIES, st.lists(BODIES, max_size=8), st.sampled_from(["en", "sr"]))
def test_whatever_a_stream_says_is_shown_as_text(status, events, language):
    """No status and no event of a stranger breaks the page or fills it."""
    found = state(status=status, events=tuple(events), delay=0.003, counts={"garbage": 2})
    words = Words(language)
    line, lines = state_line(words, found), alarms(words, found)
    assert len(line) < 200
    assert lines[0] == ("bad", f"{words('live_problem')}: {words('problem_garbage')}, 2")
    assert len(lines) <= 1 + 6
    assert all(look in ("bad", "warn", "") and len(text) < 230 for look, text in lines)
    assert speed_of(found) is None or 0 <= speed_of(found) <= 100


@settings(deadline=None)
@given(ANYTHING)
def test_numbers_of_strangers(value):
    found = number(value)
    if found is not None:
        assert found == value
        assert f"{found:.0f}"


def test_what_is_said_of_a_stream():
    status = {"mode": "running", "speed": 50.0, "line": 12.0, "overruns": 3}
    here = state(status=status, delay=0.0123)
    assert state_line(Words(), here) == "12 ms behind · running 50 % · line 12 · overruns: 3"
    gone = state("lost", "nobody listens at this address", status=status, delay=0.0123)
    assert state_line(Words(), gone) == "nobody listens at this address"
    assert state_line(Words("sr"), gone) == "na ovoj adresi nema nikoga"
    silent = state("silent", status=status, delay=0.0123)
    assert "behind" not in state_line(Words(), silent)


REASONS = (
    "nobody listens at this address",
    "there is no such host",
    "the host cannot be reached",
    "no answer within 5 s",
    "the connection broke",
    "a frame was too large",
    "the publisher does not answer",
    "the publisher has ended",
    "the publisher closed the connection",
    "the publisher closed the connection: 1001",
    "no stream is served there",
    "no stream is served there (HTTP 404)",
    "token: expected the token that the controller printed",
    "viewers: 64 are connected already",
    "still connecting",
    "closed",
)


def test_every_reason_is_said_in_serbian():
    for reason in REASONS:
        said(reason)
        said(f"ws://127.0.0.1:8765: not connected: {reason}")
    for order in COMMANDS:
        said(f"ws://127.0.0.1:8765: no answer to {order} within 2 s")
    for sentence in (
        "ws://127.0.0.1:8765: expected at most 20 commands a second",
        "ws://127.0.0.1:8765: no samples came, nothing was recorded",
        "url: expected ws://HOST:PORT, found 'lola15'",
        f"live: expected at most {MOST} robots in one page",
        "/x/run.parquet.journal: cannot be written: No space left on device",
    ):
        assert said(sentence) != sentence


def test_every_problem_has_a_name_in_serbian():
    """The kinds are those of the table at the head of `reader`, and a mistake of ours."""
    import erfd.monitor.viewer.reader as module

    kinds = [line.split("`")[1] for line in module.__doc__.splitlines() if line.startswith("| `")]
    assert len(kinds) == 9
    for kind in (*kinds, "internal"):
        assert not left(Words("sr").known("problem", kind))
        assert Words("sr").known("problem", kind) != kind


def luminance(color: str) -> float:
    """Of a colour #rrggbb, as WCAG 2 defines it."""
    parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [":root", ".body--dark"])
def test_every_text_can_be_read_on_every_ground(theme):
    """Contrast of 4.5 and more, which WCAG 2 asks of small text (AA), in light and in dark."""
    sheet = (Path(erfd.__file__).parent / "studio" / "browser" / "web" / "style.css").read_text()
    rule = re.search(rf"^{re.escape(theme)} {{(.*?)}}", sheet, re.DOTALL | re.MULTILINE).group(1)
    colors = dict(re.findall(r"--(\w+): (#\w{6});", rule))
    for text in ("ink", "soft", "accent", "good", "bad", "warn"):
        for ground in ("card", "back", "hover"):
            low, high = sorted(luminance(colors[name]) for name in (text, ground))
            assert (high + 0.05) / (low + 0.05) >= 4.5, (text, ground)


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
        for name in NAMES:
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


def test_a_journal_is_in_use_until_it_is_closed(tmp_path):
    path = tmp_path / "x.journal"
    journal = Journal(path)
    assert in_use(path)
    journal.close()
    assert not in_use(path)
    assert in_use(tmp_path / "none.journal")  # nothing to recover there
