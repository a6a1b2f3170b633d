"""The stream protocol: what is sent arrives, and whatever else arrives does no harm."""

import json
import math
import os
import random
import re
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.errors import InputError
from erfd.monitor.protocol import (
    HEADER,
    JOINT_UNITS,
    MAX_FRAME,
    OTHER_UNITS,
    Column,
    Hello,
    column,
    frame_bytes,
    hello_text,
    read_hello,
)
from erfd.monitor.publisher.hub import EVENTS, ROWS, Hub
from erfd.monitor.publisher.pipe import Records, record
from erfd.monitor.publisher.publisher import QUEUE
from erfd.monitor.publisher.server import MOST_COMMANDS, MOST_VIEWERS
from erfd.monitor.viewer.reader import OLD_FRAMES, Batch, Message, Reader, Restart
from support.paths import DOCS

FUZZ = int(os.environ.get("ERFD_FUZZ", "10000"))
FINITE = st.floats(allow_nan=False, allow_infinity=False)


def hello_of(n: int = 2, dt: float = 0.01, session: int = 7) -> Hello:
    columns = (column("q", n), column("u_a_max", n), Column("force", ("N",) * 3))
    return Hello("cell 1", n, dt, columns, session, "two_link", 1.5e9, {"torque_max": (None, 3.0)})


def rows_of(rng: np.random.Generator, hello: Hello, count: int) -> np.ndarray:
    return rng.normal(size=(count, hello.width))


def binary(hello: Hello, first: int, rows: np.ndarray, t: np.ndarray | None = None) -> bytes:
    times = hello.dt * (first + np.arange(len(rows))) if t is None else t
    data = [r.astype("<f8").tobytes() for r in rows]
    return frame_bytes(hello.session, rows.shape[1], first, times.tolist(), data, "f64")


def greeted(hello: Hello, n: int | None = None) -> Reader:
    reader = Reader(n, clock=lambda: 0.0)
    assert reader.read(hello_text(hello)) == [hello]
    return reader


NAMES = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True).filter(
    lambda name: (
        name not in ("q", "qd", "qdd", "u", "line", "rate", "pose", "payload", "wrench", "t", "seq")
    )
)


@st.composite
def hellos(draw: st.DrawFn) -> Hello:
    n = draw(st.integers(1, 8))
    names = draw(st.lists(NAMES, unique=True, max_size=4))
    others = tuple(Column(k, ("m",) * draw(st.integers(1, 5))) for k in names)
    limit = st.none() | st.floats(0, 1e6)
    return Hello(
        name=draw(st.text(max_size=20)),
        n=n,
        dt=draw(st.floats(1e-4, 10)),
        columns=(column("q", n), *others),
        session=draw(st.integers(0, 2**32 - 1)),
        robot=draw(st.text(max_size=20)),
        epoch=draw(st.floats(0, 1e10)),
        limits={"torque_max": tuple(draw(limit) for _ in range(n))},
        model=draw(st.text(max_size=50)),
        program=draw(st.text(max_size=50)),
    )


@settings(max_examples=50, deadline=None)
@given(hellos())
def test_a_hello_comes_back(hello: Hello) -> None:
    assert read_hello(json.loads(hello_text(hello))) == hello


@settings(max_examples=50, deadline=None)
@given(hellos(), st.data())
def test_samples_come_back(hello: Hello, data: st.DataObject) -> None:
    """float64 and JSON to the last bit, float32 rounded once; infinite values, too."""
    count = data.draw(st.integers(1, 5))
    value = FINITE | st.sampled_from([math.inf, -math.inf])
    q = st.lists(FINITE, min_size=hello.n, max_size=hello.n)
    rest = st.lists(value, min_size=hello.width - hello.n, max_size=hello.width - hello.n)
    rows = np.array([data.draw(q) + data.draw(rest) for _ in range(count)])
    for form in ("f64", "f32", "json"):
        hub, reader = Hub(hello), greeted(hello)
        place = hub.place(None)
        for k, row in enumerate(rows):
            hub.add(k, 0.5 * k, row.astype("<f8").tobytes())
        frame = hub.frame(place, form)
        assert hub.frame(place, form) is None
        with np.errstate(over="ignore"):
            wanted = rows.astype(np.float32).astype(float) if form == "f32" else rows
        found = reader.read(frame)
        if not np.isfinite(wanted[:, : hello.n]).all():  # q too large for float32
            assert reader.counts["not a number"] > 0
            continue
        (batch,) = found
        assert np.array_equal(batch.rows, wanted)
        assert batch.numbers.tolist() == list(range(count))
        assert batch.t.tolist() == [0.5 * k for k in range(count)]
        assert not set(reader.counts) - {"time"}  # dt of the hello is not 0.5 s


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"version": 2}, "hello: expected erfd-monitor version 1, found 'erfd-monitor' 2"),
        ({"n": 3}, "hello: q: expected 3 numbers, found 2"),
        ({"n": 10**9}, "hello: n: expected 1 to 64, found 1000000000"),
        ({"n": True}, "hello: n: expected 1 to 64, found True"),
        ({"dt": 0}, "hello: dt: expected a time > 0 s, found 0"),
        ({"dt": math.nan}, "hello: dt: expected a number, found nan"),
        ({"columns": []}, "hello: columns: expected a list"),
        ({"columns": [{"name": "q"}]}, "hello: columns: expected a name and a list of units"),
        ({"columns": [{"name": "t", "units": ["s"]}]}, "hello: columns: expected a name with un"),
        ({"limits": {"torque_max": [1]}}, "hello: limits: 'torque_max': expected 2 numbers"),
        ({"session": -1}, "hello: session: expected 0 to 4294967295, found -1"),
        ({"name": 5}, "hello: name: expected a text, found 5"),
    ],
)
def test_a_wrong_hello_is_named(change: dict, sentence: str) -> None:
    hello = hello_of()
    body = json.loads(hello_text(hello)) | change
    reader = Reader()
    assert reader.read(json.dumps(body)) == []
    assert reader.problems[-1].kind == "hello"
    assert reader.problems[-1].text.startswith(sentence)
    with pytest.raises(InputError):
        read_hello(body)
    assert reader.read(binary(hello, 0, np.zeros((1, hello.width)))) == []  # nothing before it
    assert reader.counts == {"hello": 2}


def test_kinds_of_problems() -> None:
    """Each is counted under its name, and the good samples around it are taken."""
    hello, rng = hello_of(), np.random.default_rng(0)
    reader = greeted(hello)
    rows = rows_of(rng, hello, 3)

    def send(frame: str | bytes, **expected: int) -> list:
        before = dict(reader.counts)
        items = reader.read(frame)
        gained = {k: v - before.get(k, 0) for k, v in reader.counts.items()}
        wanted = {k.replace("_", " "): v for k, v in expected.items()}
        assert {k: v for k, v in gained.items() if v} == wanted
        return items

    assert len(send(binary(hello, 0, rows))[0]) == 3
    assert send(b"ERF", garbage=1) == []
    assert send(b"\0" * 100, garbage=1) == []
    assert send(binary(hello, 3, rows)[:-1], garbage=1) == []
    assert send("{", garbage=1) == []
    assert send("[" * 100_000, garbage=1) == []
    assert send('{"type": "fly"}', garbage=1) == []
    assert send('{"type": "state", "samples": 5}', garbage=1) == []
    wide = binary(hello, 3, np.zeros((2, hello.width + 1)))
    assert send(wide, wrong_n=1) == []
    assert send("x" * (MAX_FRAME + 1), oversize=1) == []
    spoilt = rows.copy()
    spoilt[1, -1], spoilt[2, 0] = np.nan, np.inf
    assert send(binary(hello, 3, spoilt), not_a_number=2)[0].numbers.tolist() == [3]
    assert send(binary(hello, 8, rows), missing=4)[0].numbers.tolist() == [8, 9, 10]
    assert send(binary(hello, 9, rows), duplicate=2)[0].numbers.tolist() == [11]
    assert len(send(binary(hello, 12, rows[:1], np.array([60.0])), time=1)[0]) == 1  # ahead
    assert send(binary(hello, 13, rows[:1], np.array([0.13])), time=1) == []  # back
    sample = {"seq": 14, "t": 61, "q": [1, 2], "u_a_max": [1, "inf"], "force": [0, 0, 0]}
    assert send(json.dumps({"type": "state", "samples": [sample | {"q": [1]}]}), wrong_n=1) == []
    assert send(json.dumps({"type": "state", "samples": [sample | {"q": [1, None]}]}),
                not_a_number=1) == []  # fmt: skip
    (batch,) = send(json.dumps({"type": "state", "samples": [sample]}), missing=1, time=1)
    assert batch.rows[0].tolist() == [1, 2, 1, math.inf, 0, 0, 0]


def test_the_wrong_robot_is_not_shown() -> None:
    hello = hello_of()
    reader = Reader(6)
    assert reader.read(hello_text(hello)) == []
    assert reader.problems[-1].text == "hello: expected a robot of n = 6, found 2, 'two_link'"
    assert reader.read(binary(hello, 0, np.zeros((1, hello.width)))) == []
    assert reader.counts == {"wrong n": 1, "hello": 1}


@pytest.mark.parametrize("what", ["numbers", "times"])
def test_a_publisher_that_begins_anew_without_a_hello(what: str) -> None:
    """One mad frame must not shut out all that come after it."""
    hello, rng = hello_of(), np.random.default_rng(1)
    reader = greeted(hello)
    if what == "numbers":
        reader.read(binary(hello, 2**61, rows_of(rng, hello, 1), np.array([0.0])))
    else:
        reader.read(binary(hello, 0, rows_of(rng, hello, 1), np.array([1e9])))
    items = []
    for k in range(1, OLD_FRAMES + 3):
        items += reader.read(binary(hello, k, rows_of(rng, hello, 1)))
    assert [type(item) for item in items] == [Restart, Batch, Batch]
    assert reader.counts["restart"] == 1


def test_events_come_once() -> None:
    reader = greeted(hello_of())
    event = json.dumps({"type": "event", "number": 0, "text": "a"})
    assert [type(item) for item in reader.read(event)] == [Message]
    assert reader.read(event) == []
    reader.connected()
    assert reader.read(hello_text(hello_of())) == []  # the same session
    assert reader.read(event) == []
    assert reader.read(hello_text(hello_of(session=8))) == [hello_of(session=8)]
    assert len(reader.read(event)) == 1


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 5)), max_size=30))
def test_what_is_taken_is_in_order(spans: list[tuple[int, int]]) -> None:
    """Frames lost, doubled and out of order: the rest rises, and the counts add up."""
    hello = hello_of()
    reader = greeted(hello)
    rng = np.random.default_rng(2)
    table = rows_of(rng, hello, 100)
    taken: list[int] = []
    for first, count in spans:
        for item in reader.read(binary(hello, first, table[first : first + count])):
            if isinstance(item, Restart):
                taken.clear()
                continue
            assert np.array_equal(item.rows, table[item.numbers])
            taken += item.numbers.tolist()
    assert taken == sorted(set(taken))
    if not reader.counts["restart"] and taken:
        assert reader.counts["missing"] == taken[-1] - taken[0] + 1 - len(taken)
        assert reader.counts["duplicate"] == sum(count for _, count in spans) - len(taken)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)
KEYS = st.sampled_from(
    ["seq", "t", "q", "u_a_max", "force", "samples", "number", "n", "dt", "columns", "limits",
     "session", "protocol", "version", "name", "now", "id", "text"]
)  # fmt: skip
TYPES = st.sampled_from(["hello", "state", "event", "status", "reply", "pong", "bye", "x"])
BODIES = st.builds(lambda kind, body: body | {"type": kind}, TYPES, st.dictionaries(KEYS, JSON))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.binary(max_size=200) | st.text(max_size=50) | BODIES.map(json.dumps)))
def test_anything_may_come(frames: list[str | bytes]) -> None:
    """Nothing is raised, and a good hello and its samples are taken afterwards."""
    hello = hello_of(session=2**31)
    reader = greeted(hello)
    for frame in frames:
        for item in reader.read(frame):
            assert isinstance(item, Hello | Batch | Message | Restart)
    for item in reader.read(hello_text(hello)):
        assert item == hello
    last = max(reader.last_number, -1) + 1
    (batch,) = reader.read(binary(hello, last, np.ones((2, hello.width)), reader_times(reader)))
    assert len(batch) == 2


def reader_times(reader: Reader) -> np.ndarray:
    start = reader.last_time if math.isfinite(reader.last_time) else 0.0
    return start + np.array([0.01, 0.02]) * max(1.0, abs(start))


def test_spoilt_frames() -> None:
    """Good frames with bytes changed, cut and added, ERFD_FUZZ of them: nothing is raised.

    What is taken of them is finite, rises, and has the right width.
    """
    hello, rng, die = hello_of(), np.random.default_rng(3), random.Random(3)
    sample = {"seq": 5, "t": 0.1, "q": [1, 2], "u_a_max": [1, 2], "force": [0, 0, 0]}
    seeds = [
        hello_text(hello).encode(),
        json.dumps({"type": "state", "samples": [sample, sample | {"seq": 6, "t": 0.2}]}).encode(),
        *(binary(hello, k, rows_of(rng, hello, 3)) for k in range(0, 30, 3)),
    ]
    reader = greeted(hello)
    for _ in range(FUZZ):
        data = bytearray(die.choice(seeds))
        for _ in range(die.randint(0, 4)):
            place = die.randrange(len(data))
            action = die.random()
            if action < 0.6:
                data[place] = die.randrange(256)
            elif action < 0.8:
                del data[place : place + die.randint(1, 9)]
            else:
                data[place:place] = die.randbytes(die.randint(1, 9))
            if not data:
                break
        text = die.random() < 0.3
        before = reader.last_number
        for item in reader.read(data.decode(errors="replace") if text else bytes(data)):
            if isinstance(item, Batch):
                assert item.rows.shape == (len(item), reader.hello.width)
                assert not np.isnan(item.rows).any()
                assert np.isfinite(item.t).all()
                assert (np.diff(item.numbers) > 0).all()
                assert (np.diff(item.t) > 0).all()
                assert item.numbers[0] > before
    assert reader.samples > 0
    assert {"garbage", "duplicate"} <= set(reader.counts)
    assert len(reader.problems) <= 100


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("plr"), st.integers(1, 80)), max_size=40),
    st.sampled_from(["f64", "json"]),
)
def test_slow_viewers_lose_the_oldest(actions: list[tuple[str, int]], form: str) -> None:
    """Publishing, losing at the source and reading in any order: received + dropped = published.

    Memory is bounded by the ring, frames have no gaps inside, nothing comes twice.
    """
    hello = hello_of()
    hub = Hub(hello)
    hub.size = 64
    place, reader = hub.place(None), greeted(hello)
    number = received = published = 0
    for action, count in actions:
        if action == "p":
            for _ in range(count):
                hub.add(number, 0.01 * number, struct.pack("<7d", *range(7)))
                number, published = number + 1, published + 1
        elif action == "l":
            number += count
        else:
            while (frame := hub.frame(place, form)) is not None:
                received += sum(len(item) for item in reader.read(frame))
        assert len(hub.ring) <= 64
    while (frame := hub.frame(place, form)) is not None:
        received += sum(len(item) for item in reader.read(frame))
    assert received + place.dropped == published
    assert not set(reader.counts) - {"missing"}


def test_a_viewer_that_comes_again_goes_on_where_it_was() -> None:
    hub = Hub(hello_of())
    for k in range(50):
        hub.add(k, 0.01 * k, bytes(56))
    assert hub.place(None).sample == 50
    assert hub.place(29).sample == 30
    assert hub.place(49).sample == 50
    assert hub.place(10**9).sample == 50
    hub.size = 50
    for k in range(50, 80):
        hub.add(k, 0.01 * k, bytes(56))
    assert hub.place(10).sample == 30  # the oldest that is left


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 255), st.binary(max_size=40))), st.data())
def test_records_of_the_pipe(records: list[tuple[int, bytes]], data: st.DataObject) -> None:
    """However the bytes are cut on their way, the same records come out."""
    whole = b"".join(record(kind, body) for kind, body in records)
    reader, found = Records(), []
    while whole:
        cut = data.draw(st.integers(1, len(whole)))
        found += reader.feed(whole[:cut])
        whole = whole[cut:]
    assert found == records


def test_the_layout_of_the_page() -> None:
    """The header is 24 bytes, so that the numbers behind it are aligned in a browser."""
    assert HEADER.size == 24
    frame = binary(hello_of(), 5, np.arange(7.0)[None], np.array([0.25]))
    assert frame[:4] == b"ERFM"
    assert struct.unpack_from("<BBHIIQ", frame, 4) == (1, 1, 7, 1, 7, 5)
    assert struct.unpack_from("<8d", frame, 24) == (0.25, *map(float, range(7)))


PAGE = (DOCS / "monitor.md").read_text()


def test_the_page_tells_what_is_so() -> None:
    """Its examples are read, its tables are complete, its numbers are those of the code."""
    blocks = re.findall(r"```json\n(.*?)```", PAGE, re.S)
    hello = json.loads(blocks[0])
    reader = Reader()
    (read,) = reader.read(blocks[0])
    assert (read.n, read.width, read.limits["position_max"]) == (2, 3, (3.1, None))
    assert set(hello) == set(json.loads(hello_text(read)))
    (batch,) = reader.read(blocks[1])
    assert batch.rows.tolist() == [[0.1, 0.2, 35.0]]
    assert not reader.counts
    for name in (*JOINT_UNITS, *OTHER_UNITS):
        assert re.search(rf"^\|[^|]*`{name}`", PAGE, re.M), name
    kinds = set(re.findall(r'report\(\s*"([a-z ]+)"', source("reader") + source("feed")))
    assert kinds
    for kind in kinds:
        assert f"\n| `{kind}` |" in PAGE, kind
    for mode in ("ready", "approaching", "running", "paused", "stopped", "done"):
        assert f"\n| `{mode}` |" in PAGE
        assert f'"{mode}"' in source("player")
    for number in (QUEUE, ROWS, EVENTS, MOST_VIEWERS, MOST_COMMANDS):
        assert re.search(rf"\b{number}\b", PAGE), number


def source(name: str) -> str:
    return (Path(erfd.__file__).parent / "monitor" / f"{name}.py").read_text()
