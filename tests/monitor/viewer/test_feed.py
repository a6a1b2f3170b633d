"""A viewer's connection over real sockets: lost, silent, refused and found again."""

import asyncio
import json
import random
import socket
import subprocess
import sys
import threading

import numpy as np
import pytest
from websockets.asyncio.server import serve

from erfd.errors import InputError
from erfd.monitor import Command, Feed, Publisher
from erfd.monitor.protocol import HEADER, MAX_FRAME, hello_text
from support.publishing import PUBLISHING, free_port
from support.waiting import PATIENCE, until


def send(publisher: Publisher, count: int, start: int = 0) -> None:
    for k in range(start, start + count):
        publisher.publish({"q": [k, -k], "qd": [0.5, k / 3]}, t=0.01 * k)


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("http://127.0.0.1:80", "url: expected ws://HOST:PORT, found 'http://127.0.0.1:80'"),
        ("lola15", "url: expected ws://HOST:PORT, found 'lola15'"),
        ("ws://[", r"url: expected ws://HOST:PORT, found 'ws://\['"),
        ("ws://a:b", "url: expected ws://HOST:PORT, found 'ws://a:b'"),
        ("ws://a:70000", "url: expected ws://HOST:PORT, found 'ws://a:70000'"),
        ("ws://a b:1", "url: expected ws://HOST:PORT, found 'ws://a b:1'"),
        ("ws://a:1/#x", "url: expected ws://HOST:PORT, found 'ws://a:1/#x'"),
    ],
)
def test_a_viewers_mistakes(url: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        Feed(url)
    with pytest.raises(InputError, match="form: expected f64, f32 or json, found 'f16'"):
        Feed("ws://127.0.0.1:1", form="f16")
    with Feed("ws://127.0.0.1:1") as feed:
        until(lambda: feed.state().connection == "lost")
        with pytest.raises(InputError, match="not connected"):
            feed.command("stop")


def test_reconnects_after_a_kill() -> None:
    """kill -9 of the controller, three times: lost, then live again with a new hello."""
    port = free_port()
    sessions = set()
    with Feed(f"ws://127.0.0.1:{port}") as feed:
        for k in range(3):
            command = [sys.executable, "-c", PUBLISHING, str(port)]
            process = subprocess.Popen(command, stdout=subprocess.PIPE)
            try:
                assert process.stdout.readline() == b"ready\n"
                known = feed.state().samples
                until(lambda known=known: feed.state().samples > known + 5, "samples")
                sessions.add(feed.state().hello.session)
                assert feed.state().connection == "live"
                assert feed.state().connections == k + 1
                assert feed.samples().numbers[0] < 2000  # a new history
            finally:
                process.kill()
                process.communicate()
            until(lambda: feed.state().connection == "lost", "the loss")
    assert len(sessions) == 3


def test_nothing_is_lost_by_a_short_break(publisher: Publisher) -> None:
    """A connection that breaks: what came meanwhile is asked for again."""
    with Feed(publisher.url) as feed:
        until(lambda: feed.state().hello)
        for k in range(3):
            send(publisher, 100, 200 * k)
            until(lambda k=k: feed.state().samples == 100 + 200 * k)
            transport = feed._socket.transport
            feed._loop.call_soon_threadsafe(transport.abort)
            send(publisher, 100, 200 * k + 100)
            until(lambda k=k: feed.state().samples == 200 + 200 * k)
        state = feed.state()
        assert feed.samples().numbers.tolist() == list(range(600))
        assert state.connections == 4
        assert not state.counts


def test_a_silent_stream_is_shown_as_such(publisher: Publisher, monkeypatch) -> None:
    monkeypatch.setattr("erfd.monitor.viewer.feed.SILENT", 0.3)
    with Feed(publisher.url) as feed:
        send(publisher, 1)
        until(lambda: feed.state().connection == "silent")
        done = threading.Event()

        def go_on() -> None:
            k = 1
            while not done.wait(0.02):
                send(publisher, 1, k)
                k += 1

        thread = threading.Thread(target=go_on)
        thread.start()
        until(lambda: feed.state().connection == "live")
        done.set()
        thread.join()
        until(lambda: feed.state().connection == "silent")


class BadPublisher:
    """A WebSocket server that sends what it is told to, in a thread of its own."""

    def __init__(self, frames: list[str | bytes]):
        self.frames, self.ready = frames, threading.Event()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=lambda: self.loop.run_until_complete(self.run()))

    async def run(self) -> None:
        self.ended = asyncio.Event()
        async with serve(self.talk, "127.0.0.1", 0, compression=None) as server:
            self.port = server.sockets[0].getsockname()[1]
            self.ready.set()
            await self.ended.wait()

    async def talk(self, viewer) -> None:
        for frame in self.frames:
            await viewer.send(frame)
        await viewer.wait_closed()

    def __enter__(self) -> "BadPublisher":
        self.thread.start()
        assert self.ready.wait(PATIENCE)
        return self

    def __exit__(self, *_: object) -> None:
        self.loop.call_soon_threadsafe(self.ended.set)
        self.thread.join()
        self.loop.close()


def test_a_bad_publisher_does_no_harm(publisher: Publisher) -> None:
    """Garbage, wrong n, NaN and oversize frames over a real socket: counted; no exception."""
    die, good = random.Random(6), publisher.hello
    head = HEADER.pack(b"ERFM", 1, 1, good.width, 1, good.session, 0)
    wide = HEADER.pack(b"ERFM", 1, 1, 99, 1, good.session, 0)
    frames: list[str | bytes] = [die.randbytes(die.randint(0, 300)) for _ in range(50)]
    frames += [wide + bytes(800), hello_text(good), wide + bytes(800)]
    frames += [head + bytes(8) + np.full(good.width, np.nan).tobytes()]
    frames += ["{" * 1000, json.dumps({"type": "reply", "id": []}), json.dumps({"type": "pong"})]
    frames += [head + bytes(8 + 8 * good.width), b"x" * (MAX_FRAME + 1)]
    with BadPublisher(frames) as bad, Feed(f"ws://127.0.0.1:{bad.port}") as feed:
        until(lambda: feed.state().counts.get("oversize"))
        counts = feed.state().counts
        for kind in ("garbage", "wrong n", "not a number"):
            assert counts[kind] >= 1
        assert "internal" not in counts
        assert feed.samples().numbers.tolist() == [0]
        until(lambda: feed.state().connections >= 2)  # and it tries again


def test_not_a_stream_at_all() -> None:
    """Something else listens there: a server that says nothing, one that talks HTTP."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        with Feed(f"ws://127.0.0.1:{server.getsockname()[1]}") as feed:
            for said, connection, reason in (
                (b"SSH-2.0-OpenSSH\r\n", "refused", "no stream is served there"),
                (b"", "lost", "the connection broke"),
                (
                    b"HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\n<html",
                    "refused",
                    "no stream is served there (HTTP 404)",
                ),
            ):
                raw, _ = server.accept()
                raw.recv(4096)
                raw.sendall(said)
                raw.close()
                until(lambda c=connection, r=reason: _how(feed) == (c, r), reason)


def _how(feed: Feed) -> tuple[str, str]:
    return feed.state().connection, feed.state().reason


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        ("127.0.0.1", "nobody listens at this address"),
        ("localhost", "nobody listens at this address"),  # it may have several addresses
        ("nobody.invalid", "there is no such host"),
    ],
)
def test_why_there_is_no_stream(host: str, reason: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens, and nobody else can
        with Feed(f"ws://{host}:{taken.getsockname()[1]}") as feed:
            until(lambda: feed.state().connection == "lost")
            assert feed.state().reason == reason


def test_a_publisher_that_ends_says_so(publisher: Publisher) -> None:
    with Feed(publisher.url) as feed:
        until(lambda: feed.state().hello)
        publisher.close()
        until(lambda: feed.state().connection == "lost")
        assert feed.state().reason in (
            "the publisher has ended",
            "nobody listens at this address",  # it has tried again already
        )


def test_a_command_waits_for_the_connection() -> None:
    """A link that is being made anew is no reason to lose an order; a late one is never sent."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with Feed(f"ws://127.0.0.1:{port}") as feed:
        until(lambda: feed.state().connection == "lost")
        with pytest.raises(InputError, match="not connected: nobody listens at this address"):
            feed.command("start", timeout=0.1)
        answers: list[str] = []
        order = threading.Thread(
            target=lambda: answers.append(feed.command("pause", timeout=PATIENCE))
        )
        order.start()
        with Publisher("late", n=1, dt=0.01, columns=("q",), port=port) as publisher:
            order.join()
            assert answers == ["passed on"]
            until(lambda: publisher._commands)
            assert publisher.commands() == [Command("pause")]
    with pytest.raises(InputError, match="not connected: closed"):
        feed.command("stop")


def test_an_order_to_a_connection_that_breaks() -> None:
    """The publisher hangs up on it: a sentence, whatever the socket says."""

    class Rude(BadPublisher):
        async def talk(self, viewer) -> None:
            async for text in viewer:
                if "command" in text:
                    viewer.transport.abort()

    with Rude([]) as rude, Feed(f"ws://127.0.0.1:{rude.port}") as feed:
        for _ in range(5):
            with pytest.raises(InputError, match=r"no answer to stop within 0\.2 s|not connected"):
                feed.command("stop", timeout=0.2)
