"""What a viewer reads: in order, once, and whatever else comes does no harm."""

import json
import math
import os
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erfd.monitor.protocol import MAX_FRAME, Hello, hello_text
from erfd.monitor.viewer.reader import OLD_FRAMES, Batch, Message, Reader, Restart
from support.seeds import seeded
from support.streams import binary, greeted, hello_of, rows_of

FUZZ = int(os.environ.get("ERFD_FUZZ", "10000"))


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
    hello, rng, die = hello_of(), np.random.default_rng(3), random.Random(seeded(3))
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
