"""The sessions of docs/sim.md, done again: python docs/make_sim.py rewrites them and the pictures.

A block that begins with `$ erfd sim` is a session. Its lines `sim> ...` and the answers behind its
questions are given to the shell as a script, and what the shell prints is the block. Blocks whose
first line is a comment with the name of a file are that file.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).with_name("sim.md")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.S | re.M)
QUESTION = re.compile(r"^(?:.* \[[^\]]*\]|Schedule file):(.*)$")


def script(session: str) -> str:
    """What a person typed in a session."""
    typed = []
    for line in session.splitlines():
        question = QUESTION.match(line)
        if line.startswith("sim> "):
            typed.append(line.removeprefix("sim> "))
        elif question:
            typed.append(question.group(1).strip())
    return "\n".join(typed) + "\n"


def replay(page: str, folder: Path) -> str:
    """The page with every session as the shell prints it now, files and all in `folder`."""

    def renew(found: re.Match[str]) -> str:
        kind, text = found.groups()
        named = re.match(r"# (\w[\w.]*\.(?:txt|sim)):? ?.*\n", text)
        if named:
            (folder / named.group(1)).write_text(text)
        if not text.startswith("$ erfd "):
            return found.group()
        first = text.splitlines()[0]
        words = shlex.split(first.removeprefix("$ erfd "))
        environment = {k: v for k, v in os.environ.items() if k != "ERFD_BACKEND"}
        done = subprocess.run(
            [sys.executable, "-m", "erfd", *words], input=script(text), cwd=folder,
            env=environment, capture_output=True, text=True,
        )  # fmt: skip
        shown = re.sub(r" +$", "", done.stdout + done.stderr, flags=re.M)
        return f"```{kind}\n{first}\n{shown}```"

    return BLOCK.sub(renew, page)


def photograph(graphic: Path, picture: Path) -> None:
    """The page of `erfd play` at 0.7 s, by Chromium."""
    from playwright.sync_api import sync_playwright

    page = graphic.with_suffix(".html")
    subprocess.run([sys.executable, "-m", "erfd", "play", graphic, "--out", page], check=True)
    flags = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    with sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        tab = browser.new_page(viewport={"width": 1200, "height": 720})
        tab.goto(page.as_uri())
        tab.wait_for_selector("body[data-ready=webgl]")
        tab.locator("#time").fill(f"{1000 * 0.7 / 1.5}")
        tab.wait_for_function("document.getElementById('clock').textContent.startsWith('0.7')")
        tab.screenshot(path=picture)
        browser.close()


def main() -> None:
    """Write the page again, and its pictures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = replay(PAGE.read_text(), folder)
        images = PAGE.parent / "images"
        (images / "sim-plot.png").write_bytes((folder / "push.png").read_bytes())
        photograph(folder / "push.jsonl", images / "sim-play.png")
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
