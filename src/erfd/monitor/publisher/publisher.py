"""Publish samples, events and a status of a controller, and hear commands of its viewers.

>>> from erfd.monitor import Publisher  # doctest: +SKIP
>>> with Publisher("cell 1", robot, dt=0.01, columns=("q", "qd")) as publisher:  # doctest: +SKIP
...     publisher.publish({"q": q, "qd": qd})

The controller listens, viewers connect. `publish` packs the numbers and puts them into a bounded
queue; a thread hands them to the server process. If that cannot keep up, the oldest go and are
counted.
"""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from struct import Struct
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError
from ...ground.addresses import is_local
from ...ground.optional import import_optional
from ..protocol import LEVELS, MAX_TEXT, Column, Hello, column, hello_text, read_hello
from .pipe import MESSAGE, SAMPLE, record

if TYPE_CHECKING:
    from ...robot.model import Robot

QUEUE = 4096
"""Samples and messages between the control loop and the server process, at most."""
_STAMP = Struct("<Qd")


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a viewer: start, pause, stop, or speed with a value of 0 to 100 %."""

    name: str
    value: float | None = None


class Publisher:
    """A stream that viewers can connect to, at `url`.

    Use it as a context manager, or call `close` at the end.

    Args:
        name: What viewers call this stream.
        robot: The robot, which viewers can then draw; or give `n`.
        dt: Time between two samples, s.
        n: Number of joints, without a robot.
        columns: What a sample holds: names of known quantities (docs/monitor.md) or `Column`s.
        host: Address to listen at; other than this machine's own it needs a token.
        port: Port to listen at, 0 for a free one; a sequence of ports is tried in its order.
        token: What viewers must know; off localhost one is made up if left out.
        program: Text of the program that the controller runs.
        origins: Web pages (their origins) that may connect from a browser.

    Raises:
        InputError: An argument is wrong, or no port can be used.
        MissingDependencyError: The package websockets is not installed.

    >>> with Publisher("cell 1", n=2, dt=0.01, columns=("q",)) as publisher:  # doctest: +SKIP
    ...     publisher.publish({"q": [0.1, 0.2]})
    """

    def __init__(
        self,
        name: str,
        robot: Robot | None = None,
        *,
        dt: float,
        n: int | None = None,
        columns: Sequence[str | Column] = ("q", "qd"),
        host: str = "127.0.0.1",
        port: int | Sequence[int] = 0,
        token: str = "",
        program: str = "",
        origins: Sequence[str] = (),
    ):
        if robot is None and n is None:
            raise InputError("publisher: expected a robot or n, the number of joints, found none")
        require_websockets()
        self.host = host
        self.token = token or ("" if is_local(host) else secrets.token_urlsafe(16))
        self.start = time.monotonic()
        of_robot = _of_robot(robot, int(n or 0), columns)
        self.hello = _hello(name=name, dt=float(dt), program=program, **of_robot)
        self.dropped = self._count = 0
        self._layout = [(c.name, c.size) for c in self.hello.columns]
        self._queue: deque[bytes] = deque(maxlen=QUEUE)
        self._wake, self._closing = threading.Event(), False
        self._commands: deque[Command] = deque(maxlen=1000)
        settings = {
            "hello": json.loads(hello_text(self.hello)),
            "token": self.token,
            "host": host,
            "ports": [port] if isinstance(port, int) else list(port),
            "origins": list(origins),
            "start": self.start,
        }
        self._server = subprocess.Popen(
            [sys.executable, "-m", "erfd.monitor.publisher.server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._input: IO[bytes] = self._server.stdin
        self._output: IO[bytes] = self._server.stdout
        self.port = self._listen(settings)
        self._threads = [threading.Thread(target=f, daemon=True) for f in (self._write, self._read)]
        for thread in self._threads:
            thread.start()

    def _listen(self, settings: dict[str, Any]) -> int:
        """Start the server; the port that it listens at."""
        with suppress(BrokenPipeError):
            self._input.write(json.dumps(settings).encode() + b"\n")
        line = _line(self._output)
        answer = json.loads(line) if line else {"error": "the server process did not start"}
        if "error" in answer:
            self._end()
            self._output.close()
            raise InputError(f"publisher: {answer['error']}")
        return int(answer["port"])

    @property
    def url(self) -> str:
        """The address that viewers connect to, ws://HOST:PORT."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"ws://{host}:{self.port}"

    @property
    def now(self) -> float:
        """The publisher's clock in s, from its beginning; samples are stamped with it."""
        return time.monotonic() - self.start

    def publish(self, values: Mapping[str, ArrayLike], t: float | None = None) -> None:
        """Send one sample; never waits.

        Args:
            values: All columns of the stream by name, in the units of the columns.
            t: Time of the sample, s, on the publisher's clock `now`; now if left out.

        Raises:
            InputError: A column is missing, or has another number of numbers.
        """
        parts = []
        for name, size in self._layout:
            if name not in values:
                raise InputError(f"publish: expected {name!r} among the values, found none")
            part = np.asarray(values[name], dtype=np.float64).reshape(-1)
            if len(part) != size:
                raise InputError(f"publish: {name}: expected {size} numbers, found {len(part)}")
            parts.append(part)
        stamp = _STAMP.pack(self._count, self.now if t is None else t)
        self._count += 1
        self._put(record(SAMPLE, stamp + np.concatenate(parts).astype("<f8").tobytes()))

    def event(
        self,
        text: str,
        level: str = "info",
        *,
        kind: str = "",
        joint: int = 0,
        t: float | None = None,
    ) -> None:
        """Send an event to the viewers.

        Args:
            text: What happened, in a sentence.
            level: `info`, `warning` or `alarm`.
            kind: A word for programs, such as `torque limit`.
            joint: The joint or motor that it is about, from 1; 0 for none.
            t: When it happened, s, on the publisher's clock; now if left out.

        Raises:
            InputError: There is no such level.
        """
        if level not in LEVELS:
            raise InputError(f"level: expected one of {', '.join(LEVELS)}, found {level!r}")
        moment = self.now if t is None else t
        body = {"type": "event", "t": moment, "level": level, "kind": kind, "joint": joint}
        self._say(body | {"text": text[:MAX_TEXT]})

    def status(self, mode: str, **values: float | str) -> None:
        """Send the status of the controller.

        Args:
            mode: What it does: `running`, `paused`, ...
            values: Further entries by name, such as `speed` (0 to 100 %) and `line`.
        """
        self._say({"type": "status", "t": self.now, "mode": mode} | values)

    def commands(self) -> list[Command]:
        """The commands of viewers that have come since the last call, in their order."""
        commands = []
        while self._commands:
            commands.append(self._commands.popleft())
        return commands

    @property
    def alive(self) -> bool:
        """Whether the server process runs."""
        return self._server.poll() is None

    def close(self) -> None:
        """Send what is left, take leave of the viewers, and end the server process."""
        if self._closing:
            return
        self._closing = True
        self._wake.set()
        self._threads[0].join(2)
        self._end()
        self._threads[1].join(2)
        self._output.close()

    def __enter__(self) -> Publisher:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _say(self, body: dict[str, Any]) -> None:
        self._put(record(MESSAGE, json.dumps(body).encode()))

    def _put(self, data: bytes) -> None:
        if len(self._queue) == QUEUE:
            self.dropped += 1
        self._queue.append(data)
        self._wake.set()

    def _write(self) -> None:
        """Write the queue to the pipe, in a thread: the control loop must not wait for it."""
        while True:
            self._wake.wait()
            self._wake.clear()
            ending = self._closing
            parts = []
            while self._queue:
                parts.append(self._queue.popleft())
            data = memoryview(b"".join(parts))
            try:
                while data:
                    data = data[self._input.write(data) :]
            except (OSError, ValueError):
                return  # the server is gone: `alive` says so, the control loop goes on
            if ending:
                return

    def _read(self) -> None:
        """Read commands from the server process, in a thread."""
        while line := _line(self._output):
            body = json.loads(line)
            if "command" in body:
                self._commands.append(Command(body["command"], body.get("value")))

    def _end(self) -> None:
        with suppress(OSError):
            self._input.close()
        try:
            self._server.wait(3)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()


def _of_robot(robot: Robot | None, n: int, columns: Sequence[str | Column]) -> dict[str, Any]:
    """What a hello says of a robot, or only of its number of joints."""
    kinds: list[str] = []
    described: dict[str, Any] = {}
    if robot is not None:
        from ...robot.readers.toml import toml_text

        n, kinds = robot.n, [joint.kind for joint in robot.joints]
        described = {"robot": robot.name, "limits": limits_of(robot)}
        described["model"] = toml_text(robot, "rad")
    all_columns = tuple(c if isinstance(c, Column) else column(c, n, kinds) for c in columns)
    return {"n": n, "columns": all_columns, **described}


def _hello(**content: Any) -> Hello:
    """The hello of a new session, checked as a viewer would."""
    hello = Hello(session=secrets.randbelow(2**32), epoch=time.time(), **content)
    try:
        return read_hello(json.loads(hello_text(hello)))
    except ValueError as error:
        raise InputError(f"publisher: {error}") from None


def limits_of(robot: Robot) -> dict[str, tuple[float | None, ...]]:
    """The robot's limits, a number a joint or motor, None where there is none."""
    names = ("position_min", "position_max", "velocity_max", "acceleration_max")
    limits = {name: [getattr(joint, name) for joint in robot.joints] for name in names}
    for name in ("torque_max", "speed_max"):
        if robot.drives:
            limits[name] = [getattr(drive, name) for drive in robot.drives]
    return {name: tuple(x if np.isfinite(x) else None for x in row) for name, row in limits.items()}


def _line(stream: IO[bytes]) -> bytes:
    """The next line of an unbuffered stream, empty at its end."""
    try:
        return stream.readline()
    except (OSError, ValueError):
        return b""


def require_websockets() -> None:
    """Raise a `MissingDependencyError` if the package websockets is not installed."""
    import_optional("websockets", "the live monitor", "monitor")
