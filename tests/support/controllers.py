"""Motions for a controller, and `erfd controller` as a process."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

import erfd

START = np.array([0.0, 0.2, -0.3, 0.0, -0.8, 0.0])
GOAL = np.array([1.5, -0.8, 0.9, 1.0, 0.5, 2.0])


def trajectory(seconds: float, dt: float = 0.01) -> erfd.Trajectory:
    t = dt * np.arange(round(seconds / dt) + 1)
    s = t / t[-1]
    s = 10 * s**3 - 15 * s**4 + 6 * s**5
    return erfd.Trajectory(t, START + s[:, None] * (GOAL - START))


def write(path: Path, motion: erfd.Trajectory) -> Path:
    rows = np.column_stack([motion.t, motion.q])
    path.write_text("\n".join(",".join(repr(float(x)) for x in row) for row in rows) + "\n")
    return path


class Started:
    """`erfd controller` as a process."""

    def __init__(self, *arguments: str):
        command = [sys.executable, "-m", "erfd", "controller", *arguments, "--json"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.greeting = json.loads(self.process.stdout.readline())
        self.url = self.greeting["url"]
        self.port = self.url.rsplit(":", 1)[1]

    def __enter__(self) -> "Started":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()
