"""The picture of robots of others with their meshes: docs/images/robot-meshes.png.

    EXAMPLE_ROBOT_DATA=DIR python docs/make_arms.py

DIR is the folder `robots` of the package example-robot-data (400 MB, so no part of `make docs`).
Needs a Chromium, as the tests of the studio do: the page of `erfd play` is what is seen.
"""

import os
import sys
import tempfile
import warnings
from io import BytesIO
from pathlib import Path

import numpy as np

import erfd
from erfd.report.play.graphic_file import graphic_of
from erfd.report.play.page import page
from erfd.run.run import Run

TOP = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOP / "tools"))
ARMS = (
    ("ur_description/urdf/ur5_robot.urdf", "tool0", (-0.6, -1.9, 1.6, -1.2, -1.57, 0.0)),
    ("panda_description/urdf/panda.urdf", "panda_hand_tcp", (-0.5, -0.6, 0, -2.3, 0, 1.8, 0.8)),
)
FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
HEIGHT = 290
"""Of the picture, in pixels: below it there is only the floor."""


def shot(robot: erfd.Robot, q: tuple[float, ...]) -> bytes:
    """A picture of the robot, as the page of a motion shows it."""
    from playwright.sync_api import sync_playwright

    from browser import find_browser

    run = Run(robot, {"t": np.array([0.0, 1.0]), "q": np.array([q, q])}, ())
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        file = Path(folder) / "arm.html"
        file.write_text(page(graphic_of(run)))
        browser = driver.chromium.launch(executable_path=find_browser(), args=FLAGS)
        view = browser.new_page(viewport={"width": 560, "height": 460})
        view.goto(file.as_uri())
        view.evaluate(
            "for (const one of document.body.children)"
            " if (!one.contains(document.getElementById('view'))) one.style.display = 'none'"
        )
        view.mouse.move(280, 230)
        for _ in range(3):
            view.mouse.wheel(0, -120)
            view.wait_for_timeout(200)
        view.wait_for_timeout(800)
        data = view.screenshot()
        browser.close()
    return bytes(data)


def main() -> None:
    """Draw both arms side by side."""
    from PIL import Image

    data = Path(os.environ["EXAMPLE_ROBOT_DATA"])
    pictures = []
    for file, tip, q in ARMS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            robot = erfd.load(data / file, tip=tip)
        pictures.append(Image.open(BytesIO(shot(robot, q))))
    whole = Image.new("RGB", (sum(p.width for p in pictures), pictures[0].height))
    for k, picture in enumerate(pictures):
        whole.paste(picture, (k * picture.width, 0))
    whole.crop((0, 0, whole.width, HEIGHT)).quantize(128).save(
        TOP / "docs" / "images" / "robot-meshes.png", optimize=True
    )


if __name__ == "__main__":
    main()
