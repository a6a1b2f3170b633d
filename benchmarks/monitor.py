"""Do viewers disturb the controller? Overruns without and with 20 WebSocket clients, in one run.

A controller plays Lola 15 at dt = 10 ms. Spans of the test alternate between no viewers and 20
clients that take 30 frames a second each, in a process of their own, so that both see the same
machine. The bar: overruns with viewers at most those without plus 0.1 % of the cycles.

Beside them stands what the machine itself did: the overruns of a loop of the same dt and priority
that does nothing (`idle_overruns`), and the seconds in which the host of a virtual machine had its
processors elsewhere (`stolen`). Where the idle loop is late, no controller could have been in time:
`met_beside_idle` is the bar for what the controller missed beyond that.

    python benchmarks/monitor.py [--seconds 60] [--viewers 20] [--spans 12] [--out FILE.json]
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numpy as np

BAR = 0.001


def view(url: str, viewers: int, seconds: float) -> None:
    """Clients that take what comes; prints how many frames and samples that was.

    They look for new frames 60 times a second, as a page in a browser does, and cost little
    themselves: viewers are on other machines, as a rule.
    """
    from websockets.client import ClientProtocol
    from websockets.frames import Frame, Opcode
    from websockets.uri import parse_uri

    from erfd.monitor.protocol import HEADER

    counts = {"frames": 0, "samples": 0, "connected": 0}
    uri = parse_uri(f"{url}/?form=f64&frames=30")
    clients = []
    for _ in range(viewers):
        protocol = ClientProtocol(uri)
        protocol.send_request(protocol.connect())
        clients.append((socket.create_connection((uri.host, uri.port)), protocol))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for connection, protocol in clients:
            for data in protocol.data_to_send():  # the request, then pongs
                connection.sendall(data)
            connection.setblocking(False)
            with suppress(BlockingIOError):
                while data := connection.recv(1 << 16):
                    protocol.receive_data(data)
            connection.setblocking(True)
            for event in protocol.events_received():
                if not isinstance(event, Frame):
                    counts["connected"] += event.status_code == 101
                elif event.opcode is Opcode.BINARY:
                    counts["frames"] += 1
                    counts["samples"] += HEADER.unpack_from(event.data)[4]
        time.sleep(1 / 60)
    print(json.dumps(counts))


def motion() -> Path:
    """A feasible motion of Lola 15, there and back, as a CSV file."""
    start = np.array([0.0, 0.2, -0.3, 0.0, -0.8, 0.0])
    goal = np.array([1.5, -0.8, 0.9, 1.0, 0.5, 2.0])
    t = 0.01 * np.arange(401)
    s = np.concatenate([t[:201] / 2, t[199::-1] / 2])
    s = 10 * s**3 - 15 * s**4 + 6 * s**5
    rows = np.column_stack([t, start + s[:, None] * (goal - start)])
    with tempfile.NamedTemporaryFile("w", suffix=".csv", delete=False) as file:
        file.writelines(",".join(repr(float(x)) for x in row) + "\n" for row in rows)
    return Path(file.name)


def measure(seconds: float, viewers: int, spans: int, dt: float) -> dict[str, object]:
    """Cycles and overruns of the controller, without and with viewers, span by span."""
    from erfd.monitor import Feed

    path = motion()
    command = [sys.executable, "-m", "erfd", "controller", str(path), "--robot", "lola15"]
    command += ["--loop", "--json", "--port", "0", "--dt", str(dt)]
    controller = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    beside = subprocess.Popen(
        [sys.executable, __file__, "--idle", "--dt", str(dt)], stdout=subprocess.PIPE, text=True
    )
    totals = {kind: {"cycles": 0, "overruns": 0, "skipped": 0} for kind in ("without", "with")}
    spread: dict[str, list[int]] = {"without": [], "with": []}
    taken = {"without": 0.0, "with": 0.0}
    times: dict[str, list[tuple[float, float]]] = {"without": [], "with": []}
    received = {"frames": 0, "samples": 0}
    try:
        assert controller.stdout is not None
        url = json.loads(controller.stdout.readline())["url"]
        for k in range(2 * spans):
            kind = ("without", "with")[k % 2]
            process = None
            if kind == "with":
                arguments = ["--view", url, "--viewers", str(viewers)]
                arguments += ["--seconds", str(seconds / spans + 2)]
                process = subprocess.Popen(
                    [sys.executable, __file__, *arguments], stdout=subprocess.PIPE, text=True
                )
                time.sleep(1.5)  # they are all connected
            before, lost, begin = status(Feed, url), stolen(), time.monotonic()
            time.sleep(seconds / spans)
            after = status(Feed, url)
            taken[kind] += stolen() - lost
            times[kind].append((begin, time.monotonic()))
            for name in totals[kind]:
                totals[kind][name] += int(after[name]) - int(before[name])
            spread[kind].append(int(after["overruns"]) - int(before["overruns"]))
            if process is not None:
                counts = json.loads(process.communicate()[0])
                assert counts["connected"] == viewers
                for name in received:
                    received[name] += counts[name]
    finally:
        controller.terminate()
        controller.communicate()
        beside.terminate()
        late = [float(line) for line in beside.communicate()[0].split()]
        path.unlink()
    parts = {k: v["overruns"] / v["cycles"] for k, v in totals.items()}
    missed = {
        kind: sum(begin <= t < end for begin, end in found for t in late)
        for kind, found in times.items()
    }
    beyond = {kind: parts[kind] - missed[kind] / totals[kind]["cycles"] for kind in parts}
    return {
        "dt": dt,
        "seconds": seconds,
        "viewers": viewers,
        "processors": os.cpu_count(),
        "load": os.getloadavg()[0],
        "priority": after["priority"],
        **{
            kind: {
                **totals[kind],
                "spans": spread[kind],
                "idle_overruns": missed[kind],
                "stolen": round(taken[kind], 2),
            }
            for kind in totals
        },
        "received": received,
        "overruns_without": parts["without"],
        "overruns_with": parts["with"],
        "bar": parts["without"] + BAR,
        "met": parts["with"] <= parts["without"] + BAR,
        "met_beside_idle": beyond["with"] <= beyond["without"] + BAR,
    }


def idle(dt: float) -> None:
    """A loop that does nothing, paced like a controller; prints when it was late, on the clock."""
    from erfd.monitor.controller.pacing import CyclePacer
    from erfd.monitor.priority import raised_priority

    with raised_priority():
        pace, known = CyclePacer(dt), 0
        while True:
            pace.wait()
            if pace.timing.overruns != known:
                known = pace.timing.overruns
                print(time.monotonic(), flush=True)


def stolen() -> float:
    """Seconds that the host of a virtual machine has given to others, of all processors; or 0."""
    try:
        first = Path("/proc/stat").read_text().split("\n", 1)[0].split()
        return int(first[8]) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError):
        return 0.0


def status(feed: type, url: str) -> dict[str, float]:
    """The controller's next word about its cycles; one more viewer, for a second at most."""
    with feed(url, frames=30) as viewer:
        first = None
        while True:
            found = viewer.state().status
            if found and first is None:
                first = found["cycles"]
            if found and found["cycles"] != first:
                return dict(found)
            time.sleep(0.01)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="with viewers, in all")
    parser.add_argument("--viewers", type=int, default=20)
    parser.add_argument("--spans", type=int, default=12)
    parser.add_argument("--dt", type=float, default=0.01)
    parser.add_argument("--out", metavar="FILE.json")
    parser.add_argument("--view", metavar="URL", help=argparse.SUPPRESS)
    parser.add_argument("--idle", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.idle:
        idle(options.dt)
    if options.view:
        view(options.view, options.viewers, options.seconds)
        return
    found = measure(options.seconds, options.viewers, options.spans, options.dt)
    text = json.dumps(found, indent=2)
    print(text)
    if options.out:
        Path(options.out).write_text(text + "\n")
    sys.exit(0 if found["met"] else 1)


if __name__ == "__main__":
    main()
