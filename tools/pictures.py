"""Compares the pictures of docs/images with those that today's code draws: `make pictures`.

    python tools/pictures.py [SCRIPT ...]

Runs the scripts docs/make_SCRIPT.py in a copy of the docs, and looks at what they draw there. A
picture of pixels may differ in some that nobody sees, as another machine rounds otherwise; one of
lines may not. `make docs` puts new pictures in their place. Pictures of the studio need a browser
(docs/make_studio.py), those of arms files of others (docs/make_arms.py): they are not compared.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
SCRIPTS = ("achievable", "timing", "planner", "parts", "sim", "rooms")
SEEN, SHARE = 30, 0.002
"""Of 255: what a difference of a colour is; the part of the pixels that may differ by it."""


def drawn(script: str, folder: Path) -> Iterator[Path]:
    """Run a script in a copy of the docs; the pictures that it has drawn."""
    copy = folder / script / "docs"
    shutil.copytree(ROOT / "docs", copy, ignore=shutil.ignore_patterns("_build", "images", "made"))
    (copy / "images").mkdir()
    for name in ("examples", "src", "CONTRIBUTING.md", "benchmarks"):
        (copy.parent / name).symlink_to(ROOT / name)
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, str(copy / f"make_{script}.py")]
    done = subprocess.run(command, cwd=copy.parent, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"make_{script}.py: {done.returncode}\n{done.stdout}{done.stderr}")
    yield from sorted((copy / "images").iterdir())


def difference(new: Path, old: Path) -> str:
    """What is different of two pictures, in words; nothing if they look the same."""
    if not old.exists():
        return "is not there"
    if new.read_bytes() == old.read_bytes():
        return ""
    if new.suffix != ".png":
        return "is drawn otherwise"
    from matplotlib.image import imread

    first, second = (255 * imread(path)[..., :3] for path in (new, old))
    if first.shape != second.shape:
        return f"has the size {first.shape[:2]} instead of {second.shape[:2]}"
    share = float(np.mean(np.abs(first - second).max(-1) > SEEN))
    return f"differs in {share:.2%} of its pixels" if share > SHARE else ""


def main(scripts: Sequence[str]) -> int:
    """Compare; 1 if a picture is not of today's code."""
    bad = 0
    with tempfile.TemporaryDirectory(prefix="erfd-pictures-") as place:
        for script in scripts or SCRIPTS:
            for new in drawn(script, Path(place)):
                words = difference(new, IMAGES / new.name)
                bad += bool(words)
                print(f"{new.name}: {words or 'as it is'}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
