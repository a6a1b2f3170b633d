"""A viewer's connection to a stream: made again whenever it breaks, always ready to look at.

>>> with Feed("ws://127.0.0.1:8765") as feed:  # doctest: +SKIP
...     feed.state().connection, feed.samples(most=1)["q"]

One thread a feed. Whatever arrives, `state()` and `samples()` answer at once; nothing is raised.
"""

from __future__ import annotations

import asyncio
import json
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

from ...errors import InputError
from ..protocol import COMMANDS, MAX_FRAME, Hello
from ..publisher.publisher import require_websockets
from .clock import Clock
from .reader import Batch, Item, Message, Problem, Reader, Restart
from .reasons import PATIENCE, check_url, why_closed, why_lost, why_refused
from .ring import Ring, Samples

FIRST_WAIT, LONGEST_WAIT = 0.1, 5.0
"""Seconds before a reconnection: doubled each time, up to the second."""
SILENT = 1.0
"""Seconds (at least 10 dt) without samples after which a connected stream counts as silent."""


@dataclass(frozen=True, slots=True)
class FeedState:
    """The state of a stream, for a page to show.

    `connection` is connecting, live, silent (connected, but no samples come), lost (waiting to
    connect again), refused (token, or not a stream) or closed; `reason` says why. `delay` s is the
    age of a sample on arrival, `status` the controller's last word, `counts` of `reader.Problem`s
    by kind, `problems` and `events` the last ones.
    """

    url: str
    connection: str
    reason: str
    hello: Hello | None
    delay: float | None
    age: float | None
    status: dict[str, Any]
    counts: dict[str, int]
    problems: tuple[Problem, ...]
    events: tuple[dict[str, Any], ...]
    frames: int
    samples: int
    connections: int


class Feed:
    """Connects to a publisher, keeps its last samples, and connects again if it is lost.

    Use it as a context manager, or call `close` at the end.

    Args:
        url: Address of the publisher, ws://HOST:PORT.
        token: The publisher's token, if it has one.
        n: Number of joints to expect; any if left out.
        form: Form of the samples: `f64`, `f32` or `json`.
        frames: Frames a second to ask for.
        seconds: How long samples are kept, s.
        resume: Whether samples that came between two connections are asked for again.
        sink: Gets every item as it is read, in the feed's thread.

    Raises:
        InputError: `url` or `form` cannot be.
        MissingDependencyError: The package websockets is not installed.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str = "",
        n: int | None = None,
        form: str = "f64",
        frames: float = 30.0,
        seconds: float = 60.0,
        resume: bool = True,
        sink: Callable[[Item], None] | None = None,
    ):
        check_url(url)
        if form not in ("f64", "f32", "json"):
            raise InputError(f"form: expected f64, f32 or json, found {form!r}")
        require_websockets()
        self.url, self.seconds = url, seconds
        self._token, self._form, self._frames, self._resume = token, form, frames, resume
        self._sink = sink
        self._reader, self._clock = Reader(n), Clock()
        self._ring: Ring | None = None
        self._lock = threading.Lock()
        self._connection, self._reason, self._connections = "connecting", "", 0
        self._bye = ""
        self._status: dict[str, Any] = {}
        self._events: deque[dict[str, Any]] = deque(maxlen=200)
        self._last_sample: float | None = None
        self._since = 0.0  # when it was connected
        self._replies: dict[int, Future[dict[str, Any]]] = {}
        self._count = 0
        self._socket: Any = None
        self._loop = asyncio.new_event_loop()
        self._closing = asyncio.Event()
        self._thread = threading.Thread(target=self._work, name=f"feed {url}", daemon=True)
        self._thread.start()

    def state(self) -> FeedState:
        """The state of the stream now."""
        with self._lock:
            reader, connection = self._reader, self._connection
            hello = reader.hello
            now, last = time.monotonic(), self._last_sample
            age = None if last is None else now - last
            allowed = max(SILENT, 10 * hello.dt if hello is not None else 0.0)
            if connection == "live" and now - max(self._since, last or 0.0) > allowed:
                connection = "silent"
            return FeedState(
                url=self.url,
                connection=connection,
                reason=self._reason,
                hello=hello,
                delay=self._clock.delay,
                age=age,
                status=dict(self._status),
                counts=dict(reader.counts),
                problems=tuple(reader.problems),
                events=tuple(self._events),
                frames=reader.frames,
                samples=reader.samples,
                connections=self._connections,
            )

    def samples(self, after: int = -1, most: int | None = None) -> Samples | None:
        """A copy of the last samples.

        Args:
            after: Only samples with a sequence number above this.
            most: Only so many of them, the newest.

        Returns:
            The samples, `samples["q"]` is (N, n); None before the first hello.
        """
        with self._lock:
            return None if self._ring is None else self._ring.samples(after, most)

    def command(self, name: str, value: float | None = None, timeout: float = 2.0) -> str:
        """Send a command to the controller, and wait for the answer.

        Waits for the connection, if it is being made anew, and for the answer. What was not sent by
        then is never sent.

        Args:
            name: `start`, `pause`, `stop` or `speed`.
            value: The speed, 0 to 100 %.
            timeout: How long to wait for the connection and for the answer, s each.

        Returns:
            What the publisher answered.

        Raises:
            InputError: There is no such command, no answer, or it was refused.
        """
        if name not in COMMANDS:
            raise InputError(f"command: expected one of {', '.join(COMMANDS)}, found {name!r}")
        answer: Future[dict[str, Any]] = Future()
        with self._lock:
            self._count += 1
            number = self._count
            self._replies[number] = answer
        body = {"type": "command", "id": number, "command": name, "value": value}
        try:
            why = self._wait(self._send(body, timeout), timeout)
            if why:
                raise InputError(f"{self.url}: not connected: {why}")
            reply = answer.result(timeout)
        except TimeoutError:
            raise InputError(f"{self.url}: no answer to {name} within {timeout:g} s") from None
        finally:
            with self._lock:
                self._replies.pop(number, None)
        if not reply.get("ok"):
            raise InputError(f"{self.url}: {reply.get('text')!s:.200}")
        return str(reply.get("text"))[:200]

    def _wait(self, sending: Coroutine[Any, Any, str], timeout: float) -> str:
        """Send in the feed's thread, and wait for it; why it failed, empty if it was sent."""
        try:
            sent = asyncio.run_coroutine_threadsafe(sending, self._loop)
        except RuntimeError:  # the thread has ended
            sending.close()
            return "closed"
        try:
            return sent.result(timeout + 1)
        except TimeoutError:
            sent.cancel()
            raise

    def close(self) -> None:
        """Disconnect and end the thread."""
        if self._thread.is_alive():
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._closing.set)
            self._thread.join(5)
        self._connection = "closed"

    def __enter__(self) -> Feed:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # in the feed's thread

    def _work(self) -> None:
        try:
            self._loop.run_until_complete(self._run())
        finally:
            self._loop.close()

    async def _run(self) -> None:
        wait = FIRST_WAIT
        while not self._closing.is_set():
            before = self._reader.samples
            connection_task = asyncio.ensure_future(self._connect())
            closing_task = asyncio.ensure_future(self._closing.wait())
            await asyncio.wait((connection_task, closing_task), return_when=asyncio.FIRST_COMPLETED)
            closing_task.cancel()
            if not connection_task.done():
                connection_task.cancel()
                with suppress(asyncio.CancelledError, Exception):
                    await connection_task
                return
            with self._lock:
                self._connection, self._reason = connection_task.result()
                self._socket = None
            wait = FIRST_WAIT if self._reader.samples > before else min(2 * wait, LONGEST_WAIT)
            with suppress(TimeoutError):
                # not all viewers at the same moment
                await asyncio.wait_for(self._closing.wait(), wait * random.uniform(0.5, 1.0))

    async def _connect(self) -> tuple[str, str]:
        """Connect once, and read until the connection ends: its state then, and why."""
        from websockets.asyncio.client import connect
        from websockets.exceptions import (
            ConnectionClosed,
            InvalidHandshake,
            InvalidStatus,
            WebSocketException,
        )

        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        try:
            async with connect(
                self._address(),
                additional_headers=headers,
                compression=None,
                max_size=MAX_FRAME,
                proxy=None,
                open_timeout=PATIENCE,
                close_timeout=1,
                ping_interval=5,
                ping_timeout=10,
            ) as socket:
                with self._lock:
                    self._connection, self._reason = "live", ""
                    self._connections, self._since = self._connections + 1, time.monotonic()
                    self._socket, self._bye = socket, ""
                    self._reader.connected()
                pinging = asyncio.ensure_future(self._ping(socket))
                try:
                    async for frame in socket:
                        self._take(frame)
                finally:
                    pinging.cancel()
            return "lost", self._bye or "the publisher closed the connection"
        except InvalidStatus as error:
            response = error.response
            return "refused", why_refused(response.status_code, bytes(response.body or b""))
        except InvalidHandshake as error:
            if isinstance(error.__cause__, EOFError | OSError):
                return "lost", "the connection broke"
            return "refused", "no stream is served there"
        except ConnectionClosed as error:
            if error.sent is not None and error.sent.code == 1009:
                with self._lock:
                    text = f"frame: expected at most {MAX_FRAME} bytes, found more"
                    self._reader.report("oversize", text)
            return "lost", self._bye or why_closed(error)
        except (OSError, WebSocketException, TimeoutError, EOFError) as error:
            return "lost", why_lost(error)
        except asyncio.CancelledError:
            raise
        except Exception as error:  # a page must not lose its feed to a mistake of ours
            with self._lock:
                self._reader.report("internal", f"{type(error).__name__}: {error}")
            return "lost", f"internal: {type(error).__name__}: {error}"[:200]

    def _address(self) -> str:
        query: dict[str, str | int | float] = {"form": self._form, "frames": self._frames}
        hello = self._reader.hello
        if self._resume and hello is not None and self._reader.last_number >= 0:
            query |= {"session": hello.session, "after": self._reader.last_number}
        between = "&" if urlsplit(self.url).query else "?"
        path = "" if urlsplit(self.url).path else "/"
        return f"{self.url}{path}{between}{urlencode(query)}"

    async def _ping(self, socket: Any) -> None:
        """Ask for the publisher's clock again and again, quickly at first."""
        number = 0
        while True:
            number += 1
            text = json.dumps({"type": "ping", "id": self._clock.sent(number, time.monotonic())})
            with suppress(Exception):
                await socket.send(text)
            await asyncio.sleep(0.1 if number < 5 else 1.0)

    async def _send(self, body: dict[str, Any], patience: float) -> str:
        """Send, as soon as there is a connection; why not, empty if it was sent."""
        from websockets.exceptions import ConnectionClosed

        end = time.monotonic() + patience
        while self._socket is None:
            if time.monotonic() > end or self._closing.is_set():
                return self._reason or "still connecting"
            await asyncio.sleep(0.02)
        try:
            await self._socket.send(json.dumps(body))
        except ConnectionClosed as error:
            return why_closed(error)
        return ""

    def _take(self, frame: str | bytes) -> None:
        with self._lock:
            now = time.monotonic()
            items = self._reader.read(frame)
            for item in items:
                if isinstance(item, Hello):
                    self._ring, self._clock = Ring(item, self.seconds), Clock()
                    self._last_sample = None
                elif isinstance(item, Restart) and self._reader.hello is not None:
                    self._ring = Ring(self._reader.hello, self.seconds)
                elif isinstance(item, Batch) and self._ring is not None:
                    self._ring.add(item)
                    self._last_sample = now
                    self._clock.arrived(float(item.t[-1]), now)
                elif isinstance(item, Message):
                    self._hear(item, now)
        if self._sink is not None:
            for item in items:
                self._sink(item)

    def _hear(self, message: Message, now: float) -> None:
        if message.kind == "event":
            self._events.append(message.body)
        elif message.kind == "status":
            self._status = message.body
        elif message.kind == "pong":
            self._clock.answered(message.body.get("id"), message.body.get("now"), now)
        elif message.kind == "reply":
            number = message.body.get("id")
            waiting = self._replies.pop(number, None) if isinstance(number, int) else None
            if waiting is not None:
                waiting.set_result(message.body)
        elif message.kind == "bye":
            self._bye = str(message.body.get("text", ""))[:200]
