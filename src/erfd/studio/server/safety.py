"""Access to the studio: host, origin, token, sizes of requests, safe file names.

`Guard` stands before every request and every WebSocket. On this machine alone, it only lets in
pages that the studio itself has served (host and origin are checked, so no other web page can
reach it). On other addresses a token is asked for as well.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import time
import unicodedata
from collections import deque
from collections.abc import Awaitable, Callable, MutableMapping
from html import escape
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ...ground.addresses import is_local
from .access import AccessToken, logged_in, token_of
from .upload_limits import upload_limit

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

COOKIE = "erfd_studio"
BROWSER = "erfd_browser"
"""The cookie that tells browsers apart: turns in the queue are by browser."""
SMALL = 1 * 2**20
"""Bytes of a request; an upload has the limit of its field."""
TRIES = 20
"""Wrong tokens a minute from one address, after which its further wrong ones wait longer."""
SLOWLY, VERY_SLOWLY = 0.5, 5.0
"""Seconds that the answer to a wrong token takes, and to one of too many."""
WAITING = 200
"""Wrong tokens at most whose answers wait; more are answered at once, with 429."""
PATIENCE = 10.0
"""Seconds that the form of a login may take to come."""
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (
        b"content-security-policy",
        b"default-src 'self' data: blob:; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:;"
        b" style-src 'self' 'unsafe-inline'; connect-src 'self' data: blob:;"
        b" frame-ancestors 'none'; form-action 'self'",
    ),
)


def safe_name(text: str, fallback: str = "untitled") -> str:
    """A user's words as the name of one file: no path, nothing hidden, nothing odd."""
    plain = unicodedata.normalize("NFKC", text)
    name = "".join(c if c.isalnum() or c in " -_.()" else "_" for c in plain)
    name = re.sub(r"\s+", " ", name).strip(" .")[:80].strip(" .")
    return name or fallback


class Guard:
    """ASGI middleware that checks host, origin, token and size of every request."""

    def __init__(
        self,
        app: App,
        *,
        token: str | None = None,
        tokens: tuple[AccessToken, ...] = (),
        words: dict[str, str] | None = None,
    ):
        self.app = app
        self.tokens = tokens if token is None else (*tokens, AccessToken("user", "command", token))
        self.words = {"title": "ERFD studio", "ask": "Token", "enter": "Open", "wrong": ""}
        self.words |= words or {}
        self.wrong: dict[str, deque[float]] = {}
        self._waiting = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, or answer it here."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]}
        refusal = self._refusal(scope, headers)
        if refusal:
            await _refuse(scope, receive, send, 403, refusal)
            return
        login = self._login_of(headers) if self.tokens else None
        if self.tokens and login is None:
            await self._login(scope, receive, send)
            return
        if scope["type"] == "http" and _token_in(scope):
            # it must not stay in the address bar, in the history and in what is sent on
            await _answer(send, 303, b"", ((b"location", scope["path"].encode()),))
            return
        scope["erfd_right"] = "command" if login is None else login.right
        if scope["type"] == "http":
            await self._pass(scope, receive, _naming(scope, headers, send))
        else:
            await self.app(scope, receive, send)

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> str:
        """Why host or origin are not acceptable; empty if they are."""
        host = headers.get("host", "")
        name = urlsplit(f"//{host}").hostname or "" if _well_formed(host) else ""
        if not self.tokens and not is_local(name):
            return "this studio serves its own machine only"
        origin = headers.get("origin")
        if scope["type"] == "websocket" and origin is None:
            return "a WebSocket needs an Origin"
        if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            return "the page that asks is not of this studio"
        method = scope.get("method", "GET")
        if method not in ("GET", "HEAD") and origin is None:
            return "a request that changes something needs an Origin"
        return ""

    def _login_of(self, headers: dict[str, str]) -> AccessToken | None:
        for piece in headers.get("cookie", "").split(";"):
            name, _, value = piece.strip().partition("=")
            if name == COOKIE and (token := logged_in(self.tokens, value)) is not None:
                return token
        return None

    async def _login(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the token of the address or the form; without one, show the form."""
        if scope["type"] == "websocket":
            await _refuse(scope, receive, send, 401, "log in first")
            return
        secret = _token_in(scope)
        posted = scope["path"] == "/login" and scope["method"] == "POST"
        if posted:
            try:
                body = await asyncio.wait_for(_body(receive, 4096), PATIENCE)
            except TimeoutError:
                await _answer(send, 408, self._form(""))
                return
            secret = parse_qs((body or b"").decode("utf-8", "replace")).get("token", [""])[0]
        if not secret:
            status = 200 if scope["path"] in ("/", "/login") else 401
            await _answer(send, status, self._form(""))
            return
        token = token_of(self.tokens, secret)  # a right one is taken however many were wrong
        if token is None:
            await self._answer_wrong(scope, send)
            return
        secure = "; Secure" if scope.get("scheme") == "https" else ""
        cookie = f"{COOKIE}={token.cookie}; HttpOnly; SameSite=Strict; Path=/{secure}"
        extra = ((b"location", b"/"), (b"set-cookie", cookie.encode()))
        await _answer(send, 303, b"", extra)

    async def _answer_wrong(self, scope: Scope, send: Send) -> None:
        """Answer a wrong token, slowly; ever more slowly to an address that goes on."""
        address, now = str((scope.get("client") or ("",))[0]), time.monotonic()
        tries = self.wrong.setdefault(address, deque(maxlen=TRIES))
        often = len(tries) == TRIES and now - tries[0] < 60
        tries.append(now)
        while len(self.wrong) > 1000:
            del self.wrong[next(iter(self.wrong))]
        code = 429 if often else 401
        if self._waiting < WAITING:
            self._waiting += 1
            try:
                await asyncio.sleep(VERY_SLOWLY if often else SLOWLY)
            finally:
                self._waiting -= 1
        else:
            code = 429
        await _answer(send, code, self._form(self.words["wrong"]))

    def _form(self, note: str) -> bytes:
        title, ask, enter = (escape(self.words[key]) for key in ("title", "ask", "enter"))
        return f"""<!doctype html><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width"><style>
:root {{ color-scheme: light dark; font: 16px system-ui, sans-serif }}
body {{ display: grid; place-items: center; min-height: 90vh; margin: 0 }}
form {{ display: grid; gap: 12px; width: 20rem }} h1 {{ font-size: 1.3rem; margin: 0 }}
input, button {{ font: inherit; padding: 10px; border-radius: 6px; border: 1px solid #8a93a0 }}
button {{ background: #1f6fb2; color: white; border: 0 }} p {{ color: #c92a2a; margin: 0 }}
</style><form method="post" action="/login"><h1>{title}</h1>
<label for="token">{ask}</label>
<input id="token" name="token" type="password" autofocus autocomplete="off">
<button>{enter}</button><p role="alert">{escape(note)}</p></form>""".encode()

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, cut off at its size limit, and add safety headers to the answer."""
        limit = upload_limit(scope["path"]) or SMALL
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if not length.isdigit() or int(length) > limit:
            await _refuse(scope, receive, send, 413, f"expected at most {limit} bytes")
            return
        received = 0

        async def counted() -> MutableMapping[str, Any]:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > limit:
                return {"type": "http.disconnect"}
            return message

        async def dressed(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)

        await self.app(scope, counted, dressed)


def _token_in(scope: Scope) -> str:
    """The token in the address; empty if there is none."""
    query = scope.get("query_string", b"").decode("latin-1")
    return str(parse_qs(query).get("token", [""])[0])


def _naming(scope: Scope, headers: dict[str, str], send: Send) -> Send:
    """Give a browser that comes for the first time its name, in a cookie."""
    cookies = headers.get("cookie", "")
    if scope["path"] not in ("/", "/live") or f"{BROWSER}=" in cookies:
        return send
    pair = f"{BROWSER}={secrets.token_urlsafe(12)}"
    others = [(k, v) for k, v in scope["headers"] if k != b"cookie"]
    named = f"{cookies}; {pair}" if cookies else pair
    scope["headers"] = [*others, (b"cookie", named.encode("latin-1"))]
    secure = "; Secure" if scope.get("scheme") == "https" else ""
    cookie = f"{pair}; HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000{secure}".encode()

    async def named_send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), (b"set-cookie", cookie)]
        await send(message)

    return named_send


def _well_formed(host: str) -> bool:
    return re.fullmatch(r"[A-Za-z0-9.\-_]+(:\d+)?|\[[0-9a-fA-F:.]+\](:\d+)?", host) is not None


async def _body(receive: Receive, limit: int) -> bytes | None:
    data = b""
    while True:
        message = await receive()
        data += bytes(message.get("body", b""))
        if len(data) > limit or message["type"] == "http.disconnect":
            return None
        if not message.get("more_body"):
            return data


async def _refuse(scope: Scope, receive: Receive, send: Send, code: int, why: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": why})
        return
    await _answer(send, code, f"erfd studio: {why}\n".encode(), plain=True)


async def _answer(
    send: Send,
    code: int,
    body: bytes,
    extra: tuple[tuple[bytes, bytes], ...] = (),
    *,
    plain: bool = False,
) -> None:
    kind = b"text/plain" if plain else b"text/html"
    headers = [(b"content-type", kind + b"; charset=utf-8"), (b"cache-control", b"no-store")]
    headers += [(b"content-length", str(len(body)).encode()), *HEADERS, *extra]
    await send({"type": "http.response.start", "status": code, "headers": headers})
    await send({"type": "http.response.body", "body": body})
