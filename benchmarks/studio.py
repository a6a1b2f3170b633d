"""Is the studio quick enough? Start, frames a second, a run of a million samples, in a browser.

Chromium draws in software (SwiftShader), which is the slowest machine that a user may have; that
takes about one processor. Bars: it starts in under 3 s and plays at 30 frames a second or more.

    python benchmarks/studio.py [--samples 1000000] [--seconds 10] [--out FILE.json]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Page, sync_playwright

FLAGS = ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
START, FRAMES = 3.0, 30.0
"""The bars: s, 1/s."""
READY = ".studio-diagrams[data-ready='true'] canvas"
DRAWN = "getElement(document.querySelector('.studio-scene').id.slice(1)).stage.drawn"


class Server:
    """`erfd studio` in a process of its own; `took` is the time to its first page, s."""

    def __init__(self, folder: Path, *arguments: str):
        began = time.perf_counter()
        command = [sys.executable, "-m", "erfd", "studio", "--no-browser", "--runs", str(folder)]
        self.process = subprocess.Popen(
            [*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert self.process.stdout is not None
        found = re.search(r"http://\S+", self.process.stdout.readline())
        assert found is not None
        self.url = found.group()
        while True:
            try:
                urllib.request.urlopen(self.url, timeout=10).close()
                break
            except OSError:
                assert self.process.poll() is None
                time.sleep(0.02)
        self.took = time.perf_counter() - began

    def memory(self) -> float:
        """Its own memory, MiB, without the file that it has mapped (Linux)."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.findall(r"RssAnon:\s+(\d+)", text)[0]) / 1024

    def stop(self) -> None:
        """End it as Ctrl+C does."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(30)


@contextmanager
def served(folder: Path, *arguments: str) -> Iterator[Server]:
    server = Server(folder, *arguments)
    try:
        yield server
    finally:
        server.stop()


def frames(page: Page, seconds: float) -> dict[str, float]:
    """Pictures of the scene drawn a second while the program plays, and the longest gap, ms."""
    return dict(
        page.evaluate(
            """async (seconds) => {
              const clock = window.erfdClock;
              clock.go(clock.start);
              clock.play();
              await new Promise((done) => setTimeout(done, 2000)); // the quality settles
              const gaps = [];
              const begin = performance.now();
              const before = """
            + DRAWN
            + """;
              let last = begin;
              await new Promise((done) => {
                const step = (now) => {
                  gaps.push(now - last);
                  last = now;
                  if (!clock.playing) { clock.go(clock.start); clock.play(); }
                  if (now - begin > 1000 * seconds) done();
                  else requestAnimationFrame(step);
                };
                requestAnimationFrame(step);
              });
              const drawn = """
            + DRAWN
            + """ - before;
              const span = (performance.now() - begin) / 1000;
              clock.pause();
              gaps.sort((a, b) => a - b);
              return { frames: drawn / span, gap_95: gaps[Math.floor(0.95 * gaps.length)],
                gap_max: gaps.at(-1) };
            }""",
            seconds,
        )
    )


def long_run(path: Path, samples: int) -> None:
    """A run of Lola 15 with so many samples: there and back, faster than its motors can."""
    import erfd
    from erfd.run.write import write_parquet

    robot = erfd.load("lola15")
    t = 0.01 * np.arange(samples)
    swing = np.sin(2 * np.pi * t / 7)[:, None] * np.array([1.0, 0.5, 0.6, 0.8, 0.7, 1.2])
    write_parquet(erfd.achievable(robot, erfd.Trajectory(t, swing)), path)


def opened(page: Page, url: str) -> float:
    """Seconds from the address to robot, path and diagrams of a run."""
    began = time.perf_counter()
    page.goto(url)
    page.wait_for_selector(".studio-scene[data-runs='1']")
    page.get_by_role("tab", name="Diagrams", exact=True).click()
    page.wait_for_selector(READY)
    return time.perf_counter() - began


def zoomed(page: Page) -> float:
    """Seconds from letting go of the mouse to the diagrams of a tenth of the time."""
    box = page.locator(".studio-right .panel .u-over").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.4 * box["width"], box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 20, steps=3)
    began = time.perf_counter()
    page.mouse.up()
    page.wait_for_selector(".studio-diagrams[data-ready='false']", timeout=2000)
    page.wait_for_selector(READY)
    took = time.perf_counter() - began
    page.get_by_label("Whole time").click()
    page.wait_for_selector(READY)
    return took


def measure(samples: int, seconds: float) -> dict[str, Any]:
    found: dict[str, Any] = {"processors": os.cpu_count(), "load": os.getloadavg()[0]}
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as driver:
        folder = Path(scratch)
        starts = []
        for _ in range(3):
            with served(folder / "runs") as server:
                starts.append(server.took)
        found["start"] = min(starts)
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        with served(folder / "runs") as server:
            page = browser.new_page(viewport={"width": 1280, "height": 720})
            page.set_default_timeout(60_000)
            page.goto(server.url)
            page.wait_for_selector(".studio-status:not(:empty)")
            page.locator(".studio-header button").first.click()
            page.wait_for_selector(".studio-scene[data-runs='1']")
            page.wait_for_selector(READY)
            found["playing"] = frames(page, seconds)
            page.close()
        long_run(folder / "long.parquet", samples)
        with served(folder / "runs", str(folder / "long.parquet")) as server:
            page = browser.new_page(viewport={"width": 1280, "height": 720})
            page.set_default_timeout(60_000)
            found["long"] = {
                "samples": samples,
                "open": opened(page, server.url),
                "zoom": min(zoomed(page) for _ in range(3)),
                "frames": frames(page, seconds)["frames"],
                "memory": server.memory(),
            }
            page.close()
        browser.close()
    found["met"] = found["start"] < START and found["playing"]["frames"] >= FRAMES
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=10.0, help="of playing")
    parser.add_argument("--out", metavar="FILE.json")
    options = parser.parse_args()
    found = measure(options.samples, options.seconds)
    text = json.dumps(found, indent=2)
    print(text)
    if options.out:
        Path(options.out).write_text(text + "\n")
    sys.exit(0 if found["met"] else 1)


if __name__ == "__main__":
    main()
