"""The stream protocol: what is sent arrives; wrong hellos are named."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erfd.errors import InputError
from erfd.monitor.protocol import Column, Hello, column, hello_text, read_hello
from erfd.monitor.publisher.hub import Hub
from erfd.monitor.viewer.reader import Reader
from support.streams import FINITE, binary, greeted, hello_of

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
