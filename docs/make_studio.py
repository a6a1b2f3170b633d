"""The animation of docs/images/studio.gif: the demonstration, verified and played in the studio.

The still pictures come from the browser tests: ERFD_PICTURES=docs/images pytest
tests/studio/test_in_browser*.py. Needs Chromium and Playwright.
"""

import io
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

FLAGS = ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
FRAMES, SIZE = 66, (640, 400)
TARGET = Path(__file__).parent / "images" / "studio.gif"


def frames(url: str) -> list[Image.Image]:
    """Pictures of the 3D view, evenly spread over the program."""
    found = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": 1180, "height": 820})
        page.set_default_timeout(60_000)
        page.goto(url)
        page.wait_for_selector(".studio-status:not(:empty)")
        page.locator(".studio-header button").first.click()
        page.wait_for_selector(".studio-scene[data-runs='1']")
        page.add_style_tag(content=".scene-tools, .q-notification { display: none !important }")
        for k in range(FRAMES):
            page.evaluate("k => erfdClock.go(erfdClock.end * k)", k / FRAMES)
            page.wait_for_timeout(250)
            box = page.locator(".studio-upper").bounding_box()
            data = page.screenshot(clip=box)
            picture = Image.open(io.BytesIO(data)).convert("RGB")
            picture.thumbnail(SIZE, Image.Resampling.LANCZOS)
            found.append(picture)
        browser.close()
    return found


def main() -> None:
    """Start a studio, take the pictures, write the animation."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "erfd", "studio", "--no-browser", "--runs", folder]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ))
        try:
            assert server.stdout is not None
            url = re.search(r"http://\S+", server.stdout.readline()).group()
            while True:
                try:
                    urllib.request.urlopen(url).close()
                    break
                except OSError:
                    time.sleep(0.1)
            pictures = frames(url)
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(20)
    few = [p.quantize(255, kmeans=3, dither=Image.Dither.NONE) for p in pictures]
    few[0].save(TARGET, save_all=True, append_images=few[1:], duration=110, loop=0, optimize=True)
    print(f"wrote {TARGET.name}, {TARGET.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
