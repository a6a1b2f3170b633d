"""The studio in a real browser, for tests: Chromium with WebGL in software, and Playwright."""

import io
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from browser import find_browser

needed = pytest.mark.browser
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PICTURES = os.environ.get("ERFD_PICTURES")
"""A folder for screenshots; docs/images/ has been made so."""
SLOW = 45_000
"""Milliseconds that a busy machine may take for one step."""


class Server:
    """`erfd studio` in a process of its own."""

    def __init__(self, folder: Path, *arguments: str):
        self.folder = folder
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
        environment["XDG_DATA_HOME"] = str(folder)
        environment.pop("ERFD_BACKEND", None)  # as a user has it
        self.process = subprocess.Popen(
            [sys.executable, "-m", "erfd", "studio", "--no-browser", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
            cwd=folder,
        )
        self.said: list[str] = []
        while not any("runs are kept" in line for line in self.said):
            line = self.process.stdout.readline()
            assert line, self.said
            self.said.append(line)
        self.url = (
            re.search(r"http://\S+", "".join(self.said)).group().replace("0.0.0.0", "localhost")
        )
        while True:
            try:
                urllib.request.urlopen(self.url, timeout=10).close()
                break
            except OSError:
                assert self.process.poll() is None
                time.sleep(0.1)

    def stop(self) -> str:
        """End it as Ctrl+C does; what it said since."""
        self.process.send_signal(signal.SIGINT)
        try:
            said, _ = self.process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return said


class Tab:
    """A tab of its own, with what goes wrong in it."""

    def __init__(self, browser, url: str, wide: int = 1280, high: int = 720, language: str = ""):
        self.context = browser.new_context(viewport={"width": wide, "height": high})
        if language:
            self.context.add_cookies([{"name": "erfd_language", "value": language, "url": url}])
        self.page = self.context.new_page()
        self.page.set_default_timeout(SLOW)
        self.wrong: list[str] = []
        self.outside: list[str] = []
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda request: self._request(request.url, url))
        self.page.goto(url)

    def _console(self, message) -> None:
        if message.type == "error":
            self.wrong.append(message.text)

    def _request(self, address: str, url: str) -> None:
        if not address.startswith(
            (url.rstrip("/"), url.replace("http", "ws").rstrip("/"), "data:", "blob:")
        ):
            self.outside.append(address)

    def ready(self) -> "Tab":
        self.page.wait_for_selector(".studio-scene canvas")
        self.page.wait_for_selector(".cm-content")
        self.page.wait_for_selector(".studio-status:not(:empty)")
        return self

    def verify(self) -> None:
        self.page.locator(".studio-header button").first.click()
        self.page.wait_for_selector(".studio-scene[data-runs='1']")
        self.page.wait_for_selector(".studio-diagrams[data-ready='true'] canvas")

    def tab(self, name: str) -> None:
        self.page.get_by_role("tab", name=name, exact=True).click()

    def choose(self, label: str, text: str) -> None:
        from playwright.sync_api import TimeoutError as Late

        for _ in range(6):  # a list that is filled anew closes its menu
            self.page.get_by_label(label, exact=True).first.click()
            option = self.page.locator(".q-menu .q-item", has_text=text).first
            try:
                option.click(timeout=3000, no_wait_after=True)
                return
            except Late:
                self.page.keyboard.press("Escape")
        raise AssertionError(f"no {text} under {label}")

    def pixels(self) -> np.ndarray:
        from PIL import Image

        box = self.page.locator(".studio-scene canvas").bounding_box()
        data = self.page.screenshot(clip=box)
        return np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)

    def until(self, holds: Callable[[], bool], otherwise: str) -> None:
        """Wait for it as long as a busy machine may take."""
        end = time.monotonic() + SLOW / 1000
        while not holds():
            assert time.monotonic() < end, otherwise
            self.page.wait_for_timeout(200)

    def still(self) -> np.ndarray:
        """The picture once it rests."""
        pictures = [self.pixels()]

        def rests() -> bool:
            self.page.wait_for_timeout(300)
            pictures.append(self.pixels())
            return bool((orange(pictures[-1]) ^ orange(pictures[-2])).mean() < 0.0005)

        self.until(rests, "the picture does not come to rest")
        return pictures[-1]

    def clock(self) -> float:
        return float(self.page.evaluate("window.erfdClock.t"))

    def picture(self, name: str) -> None:
        if PICTURES:
            self.page.mouse.move(2, 2)
            self.page.wait_for_timeout(1500)
            self.page.screenshot(path=f"{PICTURES}/{name}.png")

    def close(self) -> None:
        self.context.close()
        assert not self.wrong
        assert not self.outside, "the studio must work without a network"


@contextmanager
def chromium() -> Iterator:
    """A browser."""
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=find_browser(), args=FLAGS)
        yield found
        found.close()


@contextmanager
def studio(folder: Path, port: int) -> Iterator[Server]:
    """A server whose pages all did well in the end."""
    found = Server(folder, "--port", str(port))
    yield found
    said = found.stop()
    assert "Traceback" not in said, said[-4000:]
    assert "Error" not in said, said[-4000:]


@contextmanager
def tabs(browser, url: str) -> Iterator[Callable[..., Tab]]:
    """A function that opens tabs; none of them may have had an error in the end."""
    opened: list[Tab] = []

    def make(**how) -> Tab:
        opened.append(Tab(browser, url, **how))
        return opened[-1]

    yield make
    for tab in opened:
        tab.close()


def orange(pixels: np.ndarray) -> np.ndarray:
    """Where the picture shows Lola 15's paint (#e8711a in any light)."""
    red, green, blue = np.moveaxis(pixels, -1, 0)
    return (red > 110) & (red > 1.5 * green) & (green > 1.2 * blue)


def pink(pixels: np.ndarray) -> np.ndarray:
    """Where the picture shows the arrow of the force (#d6336c in any light)."""
    red, green, blue = np.moveaxis(pixels, -1, 0)
    return (red > 130) & (red > 2.2 * green) & (blue > 1.25 * green) & (red > 1.5 * blue)
