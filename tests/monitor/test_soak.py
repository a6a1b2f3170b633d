"""Nothing grows: viewers and recorders that stay for long, with rough company, in bounded memory.

A short turn here; `make soak` sets ERFD_SOAK to 600 s.
"""

import json
import os
import random
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from erfd.monitor import Feed
from erfd.monitor.protocol import Hello, column, hello_text
from erfd.monitor.publisher.hub import Hub
from erfd.monitor.viewer.reader import Reader
from erfd.monitor.viewer.ring import Ring
from support.controllers import Started
from support.motions import lola_motion, write_motion
from support.processes import children, resident
from support.waiting import until

SECONDS = float(os.environ.get("ERFD_SOAK", "0"))


def test_state_is_bounded() -> None:
    """40,000 samples and problems among them through hub, reader and ring: memory stays."""
    hello = Hello("x", 6, 0.001, (column("q", 6),), 1)
    hub, reader, ring = Hub(hello), Reader(), Ring(hello, 5.0)
    reader.read(hello_text(hello))
    place, row, sizes, number = hub.place(None), bytes(48), [], 0
    tracemalloc.start()
    try:
        for k in range(20):
            for _ in range(4):
                for _ in range(500):
                    hub.add(number, 0.001 * number, row)
                    number += 1
                for item in reader.read(hub.frame(place, "f64")):
                    ring.add(item)
                reader.read(b"garbage")
            hub.say({"type": "event", "text": f"{k}"})
            sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert ring.count == number == 40_000
    assert len(ring.samples()) == ring.size == 5001
    assert reader.counts["garbage"] == 80
    # the first rounds fill the rings; one object left behind for each sample would be 0.8 MB
    assert max(sizes[6:]) - sizes[5] < 100_000


VIEWING = """
import asyncio, json, sys
from websockets.asyncio.client import connect
async def one(k):
    form = ("f64", "f32", "json")[k % 3]
    async with connect(f"{sys.argv[1]}/?form={form}&frames=30", compression=None) as socket:
        async for frame in socket:
            pass
async def everyone():
    await asyncio.gather(*(one(k) for k in range(20)), return_exceptions=True)
asyncio.run(everyone())
"""


@pytest.mark.skipif(SECONDS == 0, reason="ten minutes; `make soak` sets ERFD_SOAK")
@pytest.mark.usefixtures("users_environment")
def test_memory_is_flat(tmp_path: Path) -> None:
    """Controller, server and viewers for ERFD_SOAK seconds: flat after the first quarter."""
    path = write_motion(tmp_path / "slow.csv", lola_motion(3.0))
    die = random.Random(8)
    out = tmp_path / "kept.parquet"
    with (
        Started(str(path), "--robot", "lola15", "--loop", "--port", "0") as controller,
        Feed(controller.url, seconds=20) as feed,
    ):
        record = [sys.executable, "-m", "erfd", "monitor", "record", controller.url]
        helpers = [
            subprocess.Popen([sys.executable, "-c", VIEWING, controller.url]),
            subprocess.Popen([*record, "--out", str(out), "--seconds", str(SECONDS - 5)]),
        ]
        try:
            until(lambda: feed.state().samples > 2500)  # the feed's ring is full
            (server,) = children(controller.process.pid)
            processes = {"controller": controller.process.pid, "server": server}
            processes |= {"recorder": helpers[1].pid, "this": os.getpid()}
            start, rows = time.monotonic(), []
            while (now := time.monotonic() - start) < SECONDS - 40:
                rows.append({name: resident(pid) for name, pid in processes.items()})
                with connect(controller.url, compression=None) as rough:  # they come and go
                    try:
                        rough.send(die.randbytes(die.randint(1, 1000)))
                        rough.send(json.dumps({"type": "command", "command": "start"}))
                    except WebSocketException:
                        pass
                time.sleep(1)
            state = feed.state()
        finally:
            for helper in helpers[:1]:
                helper.kill()
            helpers[1].wait(120)
            helpers[0].wait()
    print(json.dumps({"seconds": now, "first": rows[len(rows) // 4], "last": rows[-1]}))
    table = {name: np.array([row[name] for row in rows]) for name in processes}
    quarter = len(rows) // 4
    for name, values in table.items():
        # an allocator keeps a page here and there; a leak grows with every minute
        early, late = np.median(values[quarter : 2 * quarter]), np.median(values[-quarter:])
        assert late - early < 3.0, (name, early, late)
    assert not set(state.counts) - {"time"}
    assert out.exists()
