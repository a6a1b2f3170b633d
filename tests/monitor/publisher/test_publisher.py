"""A publisher and its viewers over real sockets: commands, tokens, and rough company."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

import erfd
from erfd.errors import InputError
from erfd.ground.addresses import is_local
from erfd.monitor import Column, Command, Feed, Publisher
from support.publishing import PUBLISHING
from support.waiting import PATIENCE, until


def send(publisher: Publisher, count: int, start: int = 0) -> None:
    for k in range(start, start + count):
        publisher.publish({"q": [k, -k], "qd": [0.5, k / 3]}, t=0.01 * k)


@pytest.mark.parametrize("form", ["f64", "f32", "json"])
def test_all_of_it_arrives(publisher: Publisher, form: str) -> None:
    with Feed(publisher.url, form=form, n=2) as feed:
        until(lambda: feed.state().hello)
        assert feed.state().hello == publisher.hello
        send(publisher, 1000)
        publisher.event("motor 1 is at its torque limit", "warning", kind="torque limit", joint=1)
        publisher.status("running", speed=100.0)
        until(lambda: feed.state().samples == 1000 and feed.state().status)
        until(lambda: feed.state().events)
        found = feed.samples()
        assert found.numbers.tolist() == list(range(1000))
        assert np.array_equal(found["q"][:, 1], -np.arange(1000.0))
        thirds = np.arange(1000) / 3
        wanted = thirds.astype(np.float32) if form == "f32" else thirds
        assert np.array_equal(found["qd"][:, 1], wanted)
        assert np.array_equal(found.t, 0.01 * np.arange(1000))
        assert feed.samples(after=989).numbers.tolist() == list(range(990, 1000))
        assert feed.samples(after=900, most=3).numbers.tolist() == [997, 998, 999]
        state = feed.state()
        assert not state.counts
        assert state.status["mode"] == "running"
        assert (state.status["viewers"], state.status["dropped"]) == (1, 0)
        assert state.events[0]["joint"] == 1
    assert feed.state().connection == "closed"
    assert publisher.dropped == 0


def test_commands(publisher: Publisher) -> None:
    with Feed(publisher.url) as feed:
        until(lambda: feed.state().hello)
        for name, value in (("start", None), ("speed", 40), ("pause", None), ("stop", None)):
            assert feed.command(name, value) == "passed on"
        found: list[Command] = []
        until(lambda: found.extend(publisher.commands()) or len(found) == 4)
        assert found == [Command("start"), Command("speed", 40), Command("pause"), Command("stop")]
        for value in (-1, 101, float("nan"), None):
            with pytest.raises(InputError, match="speed: expected a value of 0 to 100 %"):
                feed.command("speed", value)
        with pytest.raises(InputError, match="command: expected one of start, pause, stop, speed"):
            feed.command("fly")


def test_a_flood_of_commands_does_not_reach_the_controller(publisher: Publisher) -> None:
    """At most 40 of 300 in a second; a stop always gets through."""
    with connect(publisher.url, compression=None) as viewer:
        for k in range(300):
            viewer.send(json.dumps({"type": "command", "id": k, "command": "start"}))
        viewer.send(json.dumps({"type": "command", "id": 300, "command": "stop"}))
        replies = []
        while not replies or replies[-1]["id"] != 300:
            body = json.loads(viewer.recv(timeout=PATIENCE))
            if body["type"] == "reply":
                replies.append(body)
    assert replies[-1]["ok"]
    refused = [r for r in replies if not r["ok"]]
    assert refused[0]["text"] == "expected at most 20 commands a second"
    until(lambda: Command("stop") in publisher._commands)
    # as many as the replies say, however many seconds the flood took
    assert len(publisher.commands()) == len(replies) - len(refused)


def test_several_robots_at_once() -> None:
    robots = [erfd.load(name) for name in ("two_link", "lola15", "stanford")]
    publishers = [Publisher(r.name, r, dt=0.01, columns=("q",)) for r in robots]
    feeds = [Feed(p.url) for p in publishers]
    try:
        for feed, robot in zip(feeds, robots, strict=True):
            until(lambda feed=feed: feed.state().hello)
            assert feed.state().hello.n == robot.n
        for p, robot in zip(publishers, robots, strict=True):
            p.publish({"q": np.arange(robot.n)})
        for feed, robot in zip(feeds, robots, strict=True):
            until(lambda feed=feed: feed.state().samples == 1)
            assert feed.samples()["q"].tolist() == [list(range(robot.n))]
        assert feeds[2].state().hello.columns[0].units == ("rad", "rad", "m", "rad", "rad", "rad")
    finally:
        for thing in (*feeds, *publishers):
            thing.close()


def test_a_publishers_mistakes() -> None:
    with pytest.raises(InputError, match="publisher: expected a robot or n"):
        Publisher("x", dt=0.01)
    with pytest.raises(InputError, match="columns: expected a Column or one of q, qd,"):
        Publisher("x", n=2, dt=0.01, columns=("speeds",))
    with pytest.raises(InputError, match="publisher: hello: dt: expected a time > 0 s, found 0"):
        Publisher("x", n=2, dt=0)
    with Publisher("x", n=2, dt=0.01, columns=("q", Column("grip", ("mm",)))) as publisher:
        with pytest.raises(InputError, match="publish: q: expected 2 numbers, found 3"):
            publisher.publish({"q": [1, 2, 3], "grip": 5})
        with pytest.raises(InputError, match="publish: expected 'grip' among the values"):
            publisher.publish({"q": [1, 2]})
        with pytest.raises(InputError, match="level: expected one of info, warning, alarm"):
            publisher.event("!", "panic")
        sentence = f"publisher: port {publisher.port} of 127.0.0.1: cannot be used"
        with pytest.raises(InputError, match=sentence):
            Publisher("y", n=2, dt=0.01, port=publisher.port)
        with Publisher("y", n=2, dt=0.01, port=[publisher.port, 0]) as other:
            assert other.port != publisher.port
    for port in (-1, 65536):
        with pytest.raises(InputError, match=f"port {port} of 127.0.0.1: cannot be used: expected"):
            Publisher("x", n=1, dt=0.01, columns=("q",), port=port)


def test_local_addresses() -> None:
    assert all(is_local(host) for host in ("127.0.0.1", "::1", "localhost", "127.9.9.9"))
    assert not any(is_local(host) for host in ("0.0.0.0", "::", "192.168.1.4", "robot", ""))


def test_off_localhost_a_token_is_needed() -> None:
    """Refused without it, with a wrong one, and by a page in a browser; let in with it."""
    with Publisher("x", n=2, dt=0.01, columns=("q",), host="0.0.0.0") as publisher:
        url = f"ws://127.0.0.1:{publisher.port}"
        assert len(publisher.token) > 20
        for token in ("", "wrong", publisher.token[:-1], publisher.token + "x", "ü"):
            with Feed(url, token=token) as feed:
                until(lambda feed=feed: feed.state().connection in ("refused", "live"))
                assert feed.state().connection == "refused"
                assert feed.state().reason.startswith("token: expected the token")
        with Feed(url, token=publisher.token) as feed:
            until(lambda: feed.state().hello)
            assert feed.command("stop") == "passed on"
        with connect(f"{url}/?token={publisher.token}", compression=None) as viewer:
            assert json.loads(viewer.recv())["type"] == "hello"


def test_pages_of_other_sites_are_refused(publisher: Publisher) -> None:
    """A browser names the page's origin: no page may command a robot on its visitor's machine."""
    with pytest.raises(InvalidStatus) as caught:
        connect(publisher.url, origin="https://example.org")
    assert caught.value.response.status_code == 403
    page = "http://127.0.0.1:8080"
    with (
        Publisher("y", n=1, dt=0.01, columns=("q",), origins=[page]) as allowed,
        connect(allowed.url, origin=page) as viewer,
    ):
        assert json.loads(viewer.recv())["name"] == "y"


def test_rough_viewers_do_no_harm(publisher: Publisher) -> None:
    """Random bytes, half requests, garbage frames, silence: the others go on."""
    die = random.Random(5)
    rough = []
    with Feed(publisher.url) as feed:
        until(lambda: feed.state().hello)
        for k in range(30):
            raw = socket.create_connection(("127.0.0.1", publisher.port))
            rough.append(raw)
            raw.sendall(die.randbytes(die.randint(0, 2000)) if k % 2 else b"GET / HTTP/1.1\r\nHo")
        with connect(publisher.url, compression=None, close_timeout=0.1) as viewer:
            for _ in range(300):
                data = die.randbytes(die.randint(0, 200))
                viewer.send(data if die.random() < 0.5 else data.decode("latin1"))
            for body in ({"type": "command"}, {"type": "command", "command": []}, [], 5, None):
                viewer.send(json.dumps(body))
            viewer.send("[" * 60_000)
        with connect(publisher.url, compression=None, close_timeout=0.1) as viewer:
            viewer.send("x" * 100_000)  # more than the server takes
        send(publisher, 200)
        until(lambda: feed.state().samples == 200)
        assert not feed.state().counts
        for raw in rough:
            raw.close()
    assert publisher.commands() == []
    assert publisher.alive


def test_a_viewer_that_never_reads_holds_up_nobody(publisher: Publisher) -> None:
    """25,000 samples past a stuck viewer: publishing never waits, the rest get all."""
    stuck = socket.create_connection(("127.0.0.1", publisher.port))
    stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    upgrade = "Host: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    stuck.sendall(f"GET /?form=json HTTP/1.1\r\n{upgrade}{key}\r\n".encode())
    with Feed(publisher.url, frames=200) as feed:
        until(lambda: feed.state().hello)
        for block in range(25):
            send(publisher, 1000, 1000 * block)
            until(lambda block=block: feed.state().samples == 1000 * (block + 1))
        assert not feed.state().counts
    stuck.close()


def test_the_server_ends_with_its_publisher() -> None:
    """No process stays behind, whether the publisher closes or is killed."""
    code = PUBLISHING.replace('print("ready"', "print(publisher._server.pid")
    process = subprocess.Popen([sys.executable, "-c", code, "0"], stdout=subprocess.PIPE)
    server = int(process.stdout.readline())
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()

    def gone() -> bool:
        stat = Path(f"/proc/{server}/stat")
        return not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] == "Z"

    until(gone)
    with Publisher("x", n=1, dt=0.01, columns=("q",)) as publisher:
        server = publisher._server.pid
    until(gone)
    publisher.close()  # once more does nothing


def test_a_publisher_whose_server_is_gone_goes_on() -> None:
    """The control loop outlives its audience."""
    with Publisher("x", n=1, dt=0.01, columns=("q",)) as publisher:
        publisher._server.kill()
        until(lambda: not publisher.alive)
        for k in range(10_000):
            publisher.publish({"q": [k]})
        assert publisher.commands() == []
        assert publisher.dropped > 0
