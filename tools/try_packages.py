"""Builds wheel and sdist, checks them, tries them in empty environments: `make packages`.

    python tools/try_packages.py [--extra NAME ...] [--keep DIR] [PYTHON ...]

For every interpreter: all wheels are fetched first, then each package is installed into an empty
environment without an index, and without a network if `unshare` may take it away. There the command
verifies the examples by their names, and `pip install 'erfd[NAME]'` must find what a hint promises.
The table says megabytes and seconds of the wheel.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OFFLINE = ("unshare", "--map-root-user", "--net")
TRIED = (
    (("erfd", "--version"), 0),
    (("erfd", "robots"), 0),
    (("erfd", "verify", "pick_and_place", "--robot", "lola15"), 0),
    (("erfd", "verify", "lola15_demo", "--robot", "lola15", "--wrench", "100,100,-150"), 1),
    (("erfd", "repair", "lola15_demo", "--robot", "lola15", "--turning", "smooth"), 0),
    (("erfd", "examples", "--copy"), 0),
    (("python", "erfd-examples/11_fastest.py"), 0),
    (("erfd", "verify", "no_such_program", "--robot", "lola15"), 2),
)
"""Commands in an empty folder, and their exit codes."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Build, check, install, try; 0 if all went as it should."""
    parser = argparse.ArgumentParser(description="Try the packages in empty environments.")
    parser.add_argument("--extra", action="append", help="an extra that a hint names (plots)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="put the packages there")
    parser.add_argument("python", nargs="*", default=[sys.executable], help="interpreters")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="erfd-packages-") as place:
        folder = Path(place)
        wheel, source = build(folder)
        extras = options.extra or ["plots"]
        bad = [
            f"{python}: {why}"
            for python in options.python
            for why in tried(python, wheel, source, extras, folder)
        ]
        if options.keep and not bad:
            options.keep.mkdir(exist_ok=True)
            for package in (wheel, source):
                shutil.copy(package, options.keep)
    print(*bad, sep="\n")
    return 1 if bad else 0


def build(folder: Path) -> tuple[Path, Path]:
    """The wheel, built from the sdist, and the sdist; twine has nothing to say of them."""
    tools = environment(sys.executable, folder / "tools")
    run([tools / "pip", "install", "--quiet", "build", "twine"])
    run([tools / "python", "-m", "build", "--outdir", folder / "dist", ROOT])
    packages = sorted((folder / "dist").iterdir())
    run([tools / "twine", "check", "--strict", *packages])
    (source,) = (p for p in packages if p.suffix == ".gz")
    (wheel,) = (p for p in packages if p.suffix == ".whl")
    sizes = ", ".join(f"{p.name} {p.stat().st_size / 1e6:.1f} MB" for p in packages)
    print(f"built and checked: {sizes}")
    return wheel, source


def tried(python: str, wheel: Path, source: Path, extras: Sequence[str], folder: Path) -> list[str]:
    """What went wrong with one interpreter."""
    told = run([python, "--version"]).strip()
    name = told.replace(" ", "-")
    wheels = folder / f"wheels-{name}"
    fetch: list[str | Path] = [
        environment(python, folder / f"fetch-{name}") / "pip",
        "download",
        "--quiet",
    ]
    run([*fetch, "--dest", wheels, wheel])
    needed = sum(p.stat().st_size for p in wheels.iterdir())
    for extra in extras:
        run([*fetch, "--dest", wheels, f"{wheel}[{extra}]"])
    run([*fetch, "--dest", wheels, "hatchling"])  # to build the sdist
    offline: list[str | Path] = ["install", "--no-index", "--find-links", wheels, "--quiet"]
    bad = []
    for package in (wheel, source):
        place = folder / f"{name}-{package.suffix[1:]}"
        bin_folder = environment(python, place)
        before = size(place)
        began = time.perf_counter()
        alone([bin_folder / "pip", *offline, package], folder)
        seconds = time.perf_counter() - began
        if package is wheel:
            print(f"{told}: {needed / 1e6:.0f} MB fetched, {(size(place) - before) / 1e6:.0f} MB"
                  f" installed in {seconds:.1f} s")  # fmt: skip
        work = place / "work"
        work.mkdir()
        for words, expected in TRIED:
            done = alone([bin_folder / words[0], *words[1:]], work, check=False)
            if done.returncode != expected:
                said = (done.stderr or done.stdout)[-2000:]
                bad.append(f"{package.name}: {' '.join(words)}: {done.returncode}: {said}")
        for extra in extras:
            alone([bin_folder / "pip", *offline, f"erfd[{extra}]"], work)
    return bad


def environment(python: str, place: Path) -> Path:
    """A new empty environment; the folder of its commands."""
    run([python, "-m", "venv", place])
    return place / ("Scripts" if os.name == "nt" else "bin")


def alone(
    words: Sequence[str | Path], folder: Path, *, check: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run a command without a network, with caches and settings of its own."""
    home = {
        "HOME": str(folder),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "PATH": os.environ["PATH"],
    }
    command = [*(OFFLINE if can_leave() else ()), *map(str, words)]
    done = subprocess.run(command, cwd=folder, env=home, capture_output=True, text=True)
    if check and done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done


def can_leave() -> bool:
    """Whether this machine lets a process be without a network."""
    found = shutil.which(OFFLINE[0])
    return bool(found) and subprocess.run([*OFFLINE, "true"], capture_output=True).returncode == 0


def size(folder: Path) -> int:
    """The bytes of all files below a folder."""
    return sum(p.lstat().st_size for p in folder.rglob("*") if p.is_file())


def run(words: Sequence[str | Path]) -> str:
    """The output of a command that must succeed."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
