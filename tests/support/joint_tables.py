"""Joint positions of a smooth motion, as a table and as a CSV file."""

from pathlib import Path

import numpy as np


def motion_rows(seconds: float) -> tuple[np.ndarray, np.ndarray]:
    t = 0.01 * np.arange(round(seconds / 0.01) + 1)
    s = t / t[-1]
    s = 10 * s**3 - 15 * s**4 + 6 * s**5
    return t, s[:, None] * [1.5, -1.0, 1.2, 1.0, 1.3, 2.0] + [0, 0.2, -0.3, 0, -0.8, 0]


def write_table(path: Path, table: np.ndarray, header: str = "") -> Path:
    lines = [header] if header else []
    lines += [",".join(repr(float(x)) for x in row) for row in table]
    path.write_text("\n".join(lines) + "\n")
    return path
