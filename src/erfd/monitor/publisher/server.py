"""The server process of a `Publisher`: WebSockets for its viewers.

    python -m erfd.monitor.publisher.server

A process of its own, so that viewers never hold the interpreter lock of the control loop. It reads
records from its input (`pipe.py`), answers with JSON lines on its output, and ends when its input
does: a controller that is killed takes its stream with it.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import os
import signal
import socket
import struct
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ..priority import lowered_priority
from ..protocol import COMMANDS, hello_text, is_number, read_hello
from .hub import Hub
from .pipe import MESSAGE, SAMPLE, Records

MOST_VIEWERS, MOST_COMMANDS = 64, 20
"""Viewers at once; commands in a second, of all viewers: a flood must not reach the controller."""
AGAIN = {"pause": ("pause", "stop"), "stop": ("stop",)}
"""Commands after which another of the same kind adds nothing."""
FRAMES = 30.0


class Server:
    """The WebSocket server of one publisher."""

    def __init__(self, settings: dict[str, Any]):
        self.hub = Hub(read_hello(settings["hello"]))
        self.greeting = hello_text(self.hub.hello)
        self.token = str(settings["token"]).encode()
        self.host, self.ports = settings["host"], settings["ports"]
        self.origins = settings["origins"]
        self.start = float(settings["start"])
        self.viewers = 0
        self.ended = asyncio.Event()
        self.ticks: dict[float, asyncio.Event] = {}
        self.inbox: deque[list[tuple[int, bytes]]] = deque()
        self.commands: list[float] = []
        self.last_command = ""

    async def run(self, loop: asyncio.AbstractEventLoop) -> None:
        """Listen, report the port, and serve until the input ends."""
        from websockets.asyncio.server import serve

        server = None
        for port in self.ports:
            try:
                server = await serve(
                    self.view,
                    self.host,
                    port,
                    # pages in a browser name their origin: none may command a robot unasked
                    origins=[None, *self.origins],
                    process_request=self.admit,
                    compression=None,
                    max_size=1 << 16,
                    ping_interval=10,
                    ping_timeout=20,
                    close_timeout=1,
                    server_header=None,
                )
                break
            except (OSError, OverflowError) as error:
                reason = reason_of(error)
        if server is None:
            last = f" to {self.ports[-1]}" if len(self.ports) > 1 else ""
            tell({"error": f"port {self.ports[0]}{last} of {self.host}: cannot be used: {reason}"})
            return
        tell({"port": server.sockets[0].getsockname()[1]})
        threading.Thread(target=self.read_input, args=(loop,), daemon=True).start()
        async with server:
            while not self.ended.is_set():
                await self.tick(FRAMES)  # also while nobody watches
            end = time.monotonic() + 1  # every viewer gets the rest, and its bye
            while self.viewers and time.monotonic() < end:
                await asyncio.sleep(0.01)

    def admit(self, connection: Any, request: Any) -> Any:
        """Refuse a viewer that has not the token (compared in constant time), or if all is full."""
        if self.token:
            query = parse_qs(urlsplit(request.path).query)
            header = request.headers.get("Authorization", "")
            token = header.removeprefix("Bearer ") or query.get("token", [""])[0]
            if not hmac.compare_digest(token.encode(), self.token):
                text = "token: expected the token that the controller printed\n"
                return connection.respond(HTTPStatus.UNAUTHORIZED, text)
        if self.viewers >= MOST_VIEWERS:
            text = f"viewers: {MOST_VIEWERS} are connected already\n"
            return connection.respond(HTTPStatus.SERVICE_UNAVAILABLE, text)
        return None

    def read_input(self, loop: asyncio.AbstractEventLoop) -> None:
        """Read the controller's records, in a thread; the server takes them at each tick."""
        records = Records()
        while data := os.read(sys.stdin.fileno(), 1 << 16):
            self.inbox.append(records.feed(data))
        loop.call_soon_threadsafe(self.finish)

    def take(self) -> None:
        """Put the records that have come into the ring."""
        while self.inbox:
            for kind, body in self.inbox.popleft():
                if kind == SAMPLE:
                    number, t = struct.unpack_from("<Qd", body)
                    self.hub.add(number, t, body[16:])
                elif kind == MESSAGE:
                    self.hub.say(json.loads(body))

    def finish(self) -> None:
        """End, since the publisher is gone."""
        self.take()
        self.ended.set()
        for tick in self.ticks.values():
            tick.set()

    async def tick(self, frames: float) -> None:
        """Wait for the next tick of a rate: its viewers are served together, at one wake-up."""
        tick = self.ticks.get(frames)
        if tick is None:
            tick = self.ticks[frames] = asyncio.Event()
            now = time.monotonic()
            due = (now * frames // 1 + 1) / frames
            asyncio.get_running_loop().call_later(due - now, self.strike, frames)
        await tick.wait()

    def strike(self, frames: float) -> None:
        """Wake the viewers of a rate."""
        self.take()
        self.ticks.pop(frames).set()

    async def view(self, connection: Any) -> None:
        """Serve one viewer, from hello to bye."""
        from websockets.exceptions import ConnectionClosed

        query = parse_qs(urlsplit(connection.request.path).query)
        form, frames, resume = viewer_options(query, self.hub.hello.session)
        position = self.hub.place(resume)
        self.viewers += 1
        listener = asyncio.ensure_future(self.listen(connection))
        try:
            await connection.send(self.greeting)
            while not listener.done():
                ending = self.ended.is_set()  # what came before it is in the ring
                while True:
                    # before every frame: one who cannot keep up has to hear of alarms, too
                    for text in self.hub.texts(position, self.viewers):
                        await send(connection, text)
                    frame = self.hub.frame(position, form)
                    if frame is None:
                        break
                    await send(connection, frame)
                if ending:
                    break
                await self.tick(frames)
            await connection.send(json.dumps({"type": "bye", "text": "the publisher has ended"}))
        except ConnectionClosed:
            pass
        finally:
            self.viewers -= 1
            listener.cancel()
            with suppress(asyncio.CancelledError, ConnectionClosed):
                await listener

    async def listen(self, connection: Any) -> None:
        """Answer a viewer's pings with the publisher's clock, and its commands."""
        async for text in connection:
            try:
                body = json.loads(text)
            except (ValueError, RecursionError):
                body = None
            if not isinstance(body, dict) or body.get("type") not in ("ping", "command"):
                answer = {"type": "reply", "ok": False, "text": "expected a ping or a command"}
            elif body["type"] == "ping":
                now = time.monotonic() - self.start
                answer = {"type": "pong", "id": body.get("id"), "now": now}
            else:
                answer = {"type": "reply", "id": body.get("id")} | self.command(body)
            await connection.send(json.dumps(answer))

    def command(self, body: dict[str, Any]) -> dict[str, Any]:
        """Pass a command on to the controller, if it is one."""
        name, value = body.get("command"), body.get("value")
        if name not in COMMANDS:
            return {"ok": False, "text": f"command: expected one of {', '.join(COMMANDS)}"}
        if name == "speed" and not (is_number(value) and 0 <= value <= 100):
            return {"ok": False, "text": "speed: expected a value of 0 to 100 %"}
        now = time.monotonic()
        self.commands = [t for t in self.commands if t > now - 1]
        # a robot must always hear that it is to stop
        if len(self.commands) >= MOST_COMMANDS and name not in ("pause", "stop"):
            return {"ok": False, "text": f"expected at most {MOST_COMMANDS} commands a second"}
        flood = len(self.commands) >= 2 * MOST_COMMANDS
        if not (flood and self.last_command in AGAIN[name]):
            self.commands.append(now)
            self.last_command = name
            tell({"command": name, "value": float(value or 0) if name == "speed" else None})
        return {"ok": True, "text": "passed on"}


async def send(connection: Any, message: str | bytes) -> None:
    """Send a message; without waiting where the last one has left already, which is cheaper.

    A connection that is closed takes nothing: who listens to it will know.
    """
    from websockets.asyncio.server import broadcast

    if connection.transport.get_write_buffer_size():
        await connection.send(message)
    else:
        broadcast([connection], message)


def viewer_options(query: dict[str, list[str]], session: int) -> tuple[str, float, int | None]:
    """Form, frames in a second, and the last sample that a viewer has, from its address."""
    form = query.get("form", ["json"])[0]
    try:
        frames = float(query.get("frames", [FRAMES])[0])
        last = int(query.get("after", ["-1"])[0])
        same = int(query.get("session", ["-1"])[0]) == session
    except ValueError:
        frames, last, same = FRAMES, -1, False
    good = 0.1 <= frames <= 1000
    return (
        form if form in ("f64", "f32") else "json",
        frames if good else FRAMES,
        last if same and last >= 0 else None,
    )


def reason_of(error: Exception) -> str:
    """Why an address cannot be used, as the system says it, without Python's words around it."""
    if isinstance(error, OverflowError):
        return "expected a number from 0 to 65535"
    number = error.errno if isinstance(error, OSError) else None
    # a name that nobody knows has a number of another list
    system_error = number is not None and number > 0 and not isinstance(error, socket.gaierror)
    return (
        os.strerror(number or 0).lower() if system_error else str(getattr(error, "strerror", error))
    )


def tell(body: dict[str, Any]) -> None:
    """Write one line to the publisher."""
    with suppress(BrokenPipeError):
        sys.stdout.write(json.dumps(body) + "\n")
        sys.stdout.flush()


def main() -> None:
    """Serve until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the controller's business
    logging.getLogger("websockets").addHandler(logging.NullHandler())
    logging.getLogger("websockets").propagate = False
    lowered_priority()  # the control loop comes first
    text = b""
    while not text.endswith(b"\n") and (data := os.read(sys.stdin.fileno(), 1 << 16)):
        text += data
    if not text:
        return
    settings = json.loads(text)

    async def serve() -> None:
        await Server(settings).run(asyncio.get_running_loop())

    asyncio.run(serve())
    # the thread that reads the input may still hold its lock
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
