"""What the server keeps for its viewers, and the pipe by which it gets it."""

import struct

from hypothesis import given, settings
from hypothesis import strategies as st

from erfd.monitor.publisher.hub import Hub
from erfd.monitor.publisher.pipe import Records, record
from support.streams import greeted, hello_of


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
