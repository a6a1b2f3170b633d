"""What the studio says of live robots, in every language."""

from hypothesis import given, settings
from hypothesis import strategies as st

from erfd.monitor.protocol import COMMANDS
from erfd.monitor.viewer.feed import FeedState
from erfd.report.wording.texts import Words
from erfd.studio.live_phrases import alarms, number, speed_of, state_line
from erfd.studio.live_robots import MOST
from support.languages import left, said


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
