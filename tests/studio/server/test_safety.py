"""Who is let in: host, origin, token, sizes; names that stay names."""

import asyncio
import string
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erfd.ground.addresses import is_local
from erfd.studio.server.safety import COOKIE, SMALL, TRIES, Guard, safe_name
from erfd.studio.server.upload_limits import forget_upload, limit_upload


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
        cookie = f"{COOKIE}={guard.pass_word}"
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


def test_wrong_tokens_are_counted(monkeypatch):
    async def no_wait(seconds):
        assert seconds >= 0.5

    monkeypatch.setattr("erfd.studio.server.safety.asyncio.sleep", no_wait)
    guard = Guard(inner, token="secret")
    for wrong in ["x", "secre", "secrett", "šećer"] + ["y"] * (TRIES - 4):
        assert ask(guard, query=f"token={wrong}".encode("latin-1", "replace"))[0] == 401
    assert ask(guard, query=b"token=secret")[0] == 429  # too many: even the right one has to wait


@settings(deadline=None)
@given(st.text(alphabet=string.printable, max_size=60), st.text(max_size=40))
def test_no_other_cookie_opens(name, value):
    guard = Guard(inner, token="secret")
    cookie = f"{name}={value}; {COOKIE}={value}".encode("latin-1", "replace").decode("latin-1")
    if value != guard.pass_word:
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
