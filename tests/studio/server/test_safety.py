"""Who is let in: host, origin, token, sizes; names that stay names."""

import asyncio
import string
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erfd.errors import InputError
from erfd.ground.addresses import is_local
from erfd.studio.server.access import RIGHTS, read_tokens
from erfd.studio.server.safety import (
    COOKIE,
    SLOWLY,
    SMALL,
    TRIES,
    VERY_SLOWLY,
    Guard,
    safe_name,
)
from erfd.studio.server.upload_limits import forget_upload, limit_upload
from erfd.studio.session import Session


async def inner(scope, receive, send):
    """The application behind the guard: says what it got."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


def ask(guard, path="/", *, kind="http", method="GET", query=b"", body=(b"",), **headers):
    """Status (or 101 for an accepted WebSocket), headers, body."""
    headers = {"host": "127.0.0.1:8077"} | headers
    pairs = [(k.encode(), v.encode("latin-1")) for k, v in headers.items() if v is not None]
    scope = {
        "type": kind, "path": path, "method": method, "query_string": query, "headers": pairs,
        "scheme": "http",
    }  # fmt: skip
    pieces = list(body)
    sent = []

    async def receive():
        if kind == "websocket":
            return {"type": "websocket.connect"}
        return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}

    async def send(message):
        sent.append(message)

    asyncio.run(guard(scope, receive, send))
    if kind == "websocket":
        return 101 if sent[0]["type"] == "websocket.accept" else sent[0]["code"]
    if not sent:
        return 0, {}, b""
    found = {k.decode(): v.decode() for k, v in sent[0]["headers"]}
    return sent[0]["status"], found, b"".join(m.get("body", b"") for m in sent[1:])


HERE = "http://127.0.0.1:8077"


def test_this_machine_needs_no_token():
    guard = Guard(inner, token=None)
    status, headers, _ = ask(guard)
    assert status == 200
    assert headers["x-frame-options"] == "DENY"
    assert "default-src 'self'" in headers["content-security-policy"]
    assert ask(guard, kind="websocket", origin=HERE) == 101


@pytest.mark.parametrize(
    "host", ["evil.example:8077", "", "127.0.0.1.evil.example", "a b", "[::2]"]
)
def test_names_that_are_not_this_machine(host):
    """A page of another site whose name leads here (DNS rebinding) shows its own host."""
    guard = Guard(inner, token=None)
    assert ask(guard, host=host)[0] == 403
    assert ask(guard, kind="websocket", host=host, origin=f"http://{host}") == 1008


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9999", None])
def test_other_pages_get_no_socket_and_change_nothing(origin):
    for token in (None, "secret"):
        guard = Guard(inner, token=token)
        cookie = f"{COOKIE}={guard.tokens[0].cookie if token else ''}"
        assert ask(guard, kind="websocket", origin=origin, cookie=cookie) == 1008
        assert ask(guard, method="POST", origin=origin, cookie=cookie)[0] == 403
        if origin:
            assert ask(guard, origin=origin, cookie=cookie)[0] == 403


def test_the_token_opens_and_stays_in_a_cookie():
    guard = Guard(inner, token="secret")
    status, _, page = ask(guard, host="robot.lan:8077")
    assert (status, b"<form" in page) == (200, True)
    assert ask(guard, "/erfd/run/x/path")[0] == 401
    assert ask(guard, kind="websocket", origin=HERE) == 1008
    status, headers, _ = ask(guard, query=b"token=secret")
    assert (status, headers["location"]) == (303, "/")
    assert "HttpOnly" in headers["set-cookie"]
    assert "SameSite=Strict" in headers["set-cookie"]
    assert "secret" not in headers["set-cookie"]
    cookie = headers["set-cookie"].split(";")[0]
    assert ask(guard, "/erfd/run/x/path", cookie=cookie)[0] == 200
    assert ask(guard, kind="websocket", origin=HERE, cookie=f"a=b; {cookie}") == 101
    login = {"method": "POST", "origin": HERE}
    assert ask(guard, "/login", body=[b"token=", b"secret"], **login)[0] == 303
    assert ask(guard, "/login", body=[b"x" * 5000], **login)[0] == 200  # the form again


def test_wrong_tokens_do_not_lock_out_the_right_one(monkeypatch):
    """However many were wrong, the right one opens; wrong ones wait longer and longer."""
    waited = []

    async def no_wait(seconds):
        waited.append(seconds)

    monkeypatch.setattr("erfd.studio.server.safety.asyncio.sleep", no_wait)
    guard = Guard(inner, token="secret")
    wrong = ["x", "secre", "secrett", "šećer"] + ["y"] * (TRIES - 4)
    for one in wrong:
        assert ask(guard, query=f"token={one}".encode("latin-1", "replace"))[0] == 401
    assert ask(guard, query=b"token=z")[0] == 429
    assert waited[-2:] == [SLOWLY, VERY_SLOWLY]
    assert ask(guard, query=b"token=secret")[0] == 303


def test_a_token_does_not_stay_in_the_address_bar():
    """Logged in or not, and where none is asked for: the page is under a plain address."""
    guard = Guard(inner, token="secret")
    status, headers, _ = ask(guard, query=b"token=secret")
    cookie = headers["set-cookie"].split(";")[0]
    for other, more in ((guard, {"cookie": cookie}), (Guard(inner), {})):
        status, headers, _ = ask(other, "/live", query=b"token=secret", **more)
        assert (status, headers["location"]) == (303, "/live")


@pytest.mark.parametrize("right", RIGHTS)
def test_a_named_token_has_its_right(right, tmp_path):
    """The application hears of the right; a session refuses what takes another."""
    file = tmp_path / "tokens"
    file.write_text("# who may what\n" + "".join(f"{r}er {r} secret-of-{r}\n" for r in RIGHTS))
    heard = []

    async def hear(scope, receive, send):
        heard.append(scope["erfd_right"])
        await inner(scope, receive, send)

    guard = Guard(hear, tokens=read_tokens(file))
    _, headers, _ = ask(guard, query=f"token=secret-of-{right}".encode())
    cookie = headers["set-cookie"].split(";")[0]
    assert ask(guard, "/x", cookie=cookie)[0] == 200
    assert heard == [right]
    session = Session("s", right=right)
    for k, wanted in enumerate(RIGHTS):
        if k <= RIGHTS.index(right):
            session.require(wanted)
        else:
            with pytest.raises(InputError, match=f"takes the right `{wanted}`; .* has `{right}`"):
                session.require(wanted)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("ana view", "line 1: expected a name, a right and a token, found 2"),
     ("\nana look 123456789012", "line 2: right: expected one of view, run, command"),
     ("ana view short", "line 1: token: expected at least 12 characters"),
     ("a run 123456789012\nb run 123456789012", "line 2: expected each name and each token once"),
     ("# nobody", "expected a line with a name")],
)  # fmt: skip
def test_a_wrong_file_of_tokens_is_a_sentence(tmp_path, text, sentence):
    (tmp_path / "tokens").write_text(text)
    with pytest.raises(InputError, match=sentence):
        read_tokens(tmp_path / "tokens")


def test_a_login_that_never_comes_is_ended(monkeypatch):
    monkeypatch.setattr("erfd.studio.server.safety.PATIENCE", 0.05)
    guard, sent = Guard(inner, token="secret"), []

    async def never():
        await asyncio.Event().wait()

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http", "path": "/login", "method": "POST", "query_string": b"", "scheme": "http",
        "headers": [(b"host", b"127.0.0.1:8077"), (b"origin", HERE.encode())],
    }  # fmt: skip
    asyncio.run(guard(scope, never, send))
    assert sent[0]["status"] == 408


def test_half_open_connections_are_ended_and_bounded(monkeypatch):
    """Many that never finish the head of a request: closed in time, the oldest at once."""
    uvicorn = pytest.importorskip("uvicorn")
    from erfd.studio.server import connections

    monkeypatch.setattr(connections, "PATIENCE", 0.6)
    monkeypatch.setattr(connections, "MOST", 20)

    async def trial():
        config = uvicorn.Config(
            Guard(inner), port=0, http=connections.Connection, log_level="critical", lifespan="off"
        )
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        opened = []
        for _ in range(50):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET / HTTP/1.1\r\nHost: 127")
            opened.append((reader, writer))
        await asyncio.sleep(0.1)
        held = len(connections._HALF_OPEN)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        request = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
        writer.write(request)
        first = await reader.readline()
        await asyncio.sleep(1.0)
        left = len(connections._HALF_OPEN)
        writer.write(request)  # the one that has asked before is still there
        second = b""
        while b"200" not in second:
            second = await reader.readline()
        for _, other in [*opened, (reader, writer)]:
            other.close()
        server.should_exit = True
        await task
        return held, first, left, second

    held, first, left, second = asyncio.run(trial())
    assert held == 20
    assert b"200" in first
    assert left == 0
    assert second.startswith(b"HTTP/1.1 200")


@settings(deadline=None)
@given(st.text(alphabet=string.printable, max_size=60), st.text(max_size=40))
def test_no_other_cookie_opens(name, value):
    guard = Guard(inner, token="secret")
    cookie = f"{name}={value}; {COOKIE}={value}".encode("latin-1", "replace").decode("latin-1")
    if value != guard.tokens[0].cookie:
        assert ask(guard, "/x", cookie=cookie)[0] == 401


def test_large_requests_end_at_their_limit():
    guard = Guard(inner, token=None)
    post = {"method": "POST", "origin": HERE}
    length = {"content-length": str(SMALL + 1)}
    assert ask(guard, "/x", **post, **length)[0] == 413
    assert ask(guard, "/x", **post, **{"content-length": "-1"})[0] == 413
    pieces = [bytes(SMALL // 4)] * 5  # no length given: counted as it comes
    assert ask(guard, "/x", body=pieces, **post)[0] == 0
    assert ask(guard, "/x", body=pieces[:4], **post)[2] == str(SMALL).encode()
    field = "/_nicegui/client/a/upload/3"
    assert ask(guard, field, body=pieces, **post)[0] == 0  # no such field
    limit_upload(field, len(pieces) * len(pieces[0]))
    assert ask(guard, field, body=pieces, **post)[0] == 200
    assert ask(guard, field, body=[*pieces, b"1"], **post)[0] == 0
    forget_upload(field)  # its page is gone
    assert ask(guard, field, body=pieces, **post)[0] == 0


@settings(deadline=None)
@given(st.text(max_size=200))
def test_a_name_is_one_harmless_file_name(text):
    name = safe_name(text)
    assert name
    assert len(name) <= 80
    assert Path(name).name == name
    assert name not in (".", "..")
    assert not name.startswith(".")
    assert not set(name) & set('/\\\0:*?"<>|\n')
    assert safe_name(name) == name


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.0.0.5"])
def test_local_addresses(host):
    assert is_local(host)
    assert not is_local("0.0.0.0")
    assert not is_local("robot.lan")
