"""Many viewers, one controller: frames are made once, and orders get through."""

import json
import struct
from asyncio import Event, run
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erfd.monitor.protocol import Hello, column, hello_text
from erfd.monitor.publisher import server as module
from erfd.monitor.publisher.hub import Hub
from erfd.monitor.publisher.server import MOST_COMMANDS, Server

HELLO = Hello("x", 2, 0.01, (column("q", 2),), 1)
FORMS = ("f64", "f32", "json")


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5), st.booleans()), max_size=60),
    st.sampled_from(FORMS),
)
def test_a_frame_that_others_had_is_the_frame(turns, form):
    """Viewers that share a hub get, bit by bit, what each would get from a hub of its own."""
    hubs = [Hub(HELLO) for _ in range(5)]  # the first is shared
    shared = [hubs[0].place(None) for _ in range(4)]
    alone = [hub.place(None) for hub in hubs[1:]]
    number = 0
    for viewer, samples, gap in turns:
        number += 3 * gap
        for _ in range(samples):
            row = struct.pack("<2d", number, -number)
            for hub in hubs:
                hub.add(number, 0.01 * number, row)
            number += 1
        frame = hubs[0].frame(shared[viewer], form)
        assert frame == hubs[viewer + 1].frame(alone[viewer], form)
        assert shared[viewer] == alone[viewer]


def test_viewers_in_step_have_one_frame_made_for_all(monkeypatch):
    hub, made = Hub(HELLO), []
    original = Hub._frame
    monkeypatch.setattr(Hub, "_frame", lambda *a: made.append(a[1:]) or original(*a))
    places = [hub.place(None) for _ in range(20)]
    for number in range(30):
        hub.add(number, 0.01 * number, bytes(16))
        if number % 3 == 2:
            assert len({hub.frame(place, "f64") for place in places}) == 1
    assert len(made) == 10


def test_one_who_cannot_keep_up_hears_of_alarms():
    """Samples come faster than the viewer takes them, for ever: events and status still pass."""
    from websockets.exceptions import ConnectionClosedOK

    settings = {"hello": json.loads(hello_text(HELLO)), "token": "", "host": "", "ports": []}
    sent: list[str] = []

    class Slow:
        """A connection on which every frame takes as long as the next sample."""

        request = SimpleNamespace(path="/?form=json")
        transport = SimpleNamespace(get_write_buffer_size=lambda: 1)

        def __aiter__(self):
            return self

        async def __anext__(self):
            await Event().wait()

        async def send(self, text):
            sent.append(json.loads(text)["type"])
            number = len(sent)
            if number == 200:
                raise ConnectionClosedOK(None, None)
            server.hub.add(number, 0.01 * number, bytes(16))
            if number == 10:
                server.hub.say({"type": "event", "text": "door open"})
                server.hub.say({"type": "status", "mode": "paused"})

    async def view():
        nonlocal server
        server = Server(settings | {"origins": [], "start": 0.0})
        server.hub.add(0, 0.0, bytes(16))
        await server.view(Slow())

    server = None
    run(view())
    assert sent.index("event") < 15
    assert sent.index("status") < 15


NAMES = st.lists(st.sampled_from(["start", "pause", "stop"]), min_size=1, max_size=150)


def outcome(names: list[str]) -> str:
    """What a robot does in the end that was told all this: a stop is not undone by a pause."""
    state = "running"
    for name in names:
        if name == "start" or (name, state) != ("pause", "stop"):
            state = "running" if name == "start" else name
    return state


@settings(deadline=None)
@given(NAMES)
def test_what_is_answered_with_yes_is_what_happens(names):
    """However many orders come in a second: those left out would have changed nothing."""
    told: list[str] = []

    async def serve() -> list[str]:
        settings = {"hello": json.loads(hello_text(HELLO)), "token": "", "host": "", "ports": []}
        server = Server(settings | {"origins": [], "start": 0.0})
        bodies = [{"type": "command", "command": name} for name in names]
        return [b["command"] for b in bodies if server.command(b)["ok"]]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "tell", lambda body: told.append(body["command"]))
        patch.setattr(module.time, "monotonic", lambda: 7.0)
        accepted = run(serve())
    assert outcome(told) == outcome(accepted)
    assert len(told) <= 2 * MOST_COMMANDS + 2
    assert [n for n in names if n != "start"] == [n for n in accepted if n != "start"]
