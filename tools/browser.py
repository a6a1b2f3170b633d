"""A Chromium or Chrome for the tests: the one of this machine, else one that is got for them.

`python tools/browser.py` prints its path; if there is none, it gets one through Playwright (into
the user's cache) or, as root, through apt. Where neither can be done it says why and exits with 1.

ERFD_BROWSER names the one to take. ERFD_NO_BROWSER says why there shall be none: nothing is
searched or installed then.
"""

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MAC = ("Google Chrome", "Chromium")
WINDOWS = ("Google/Chrome", "Chromium")
PLAYWRIGHTS = (
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
    "chromium-*/chrome-win*/chrome.exe",
)
INSTALL = 900
"""Seconds that an installation may take."""


class NoBrowserError(Exception):
    """Its text is the reason."""


@functools.cache
def find_browser() -> str:
    """The path of a browser that starts.

    Raises:
        NoBrowserError: there is none.
    """
    if reason := os.environ.get("ERFD_NO_BROWSER"):
        raise NoBrowserError(reason)
    if named := os.environ.get("ERFD_BROWSER"):
        if path := shutil.which(named):
            return path
        raise NoBrowserError(f"ERFD_BROWSER is {named}, which is no program")
    for path in _candidates():
        if _starts(path):
            return path
    raise NoBrowserError("no Chromium or Chrome was found")


def get_browser() -> str:
    """The path of a browser, which is installed if there is none.

    Raises:
        NoBrowserError: none could be had.
    """
    try:
        return find_browser()
    except NoBrowserError as none:
        reason = str(none)
    if os.environ.get("ERFD_NO_BROWSER") or os.environ.get("ERFD_BROWSER"):
        raise NoBrowserError(reason)
    for command in _ways():
        if _does(command):
            try:
                return find_browser()
            except NoBrowserError:
                print("  that has brought none that starts", file=sys.stderr)
    if _root():
        raise NoBrowserError(f"{reason}, and neither Playwright nor apt could install one")
    hint = " (apt would need root)" if shutil.which("apt-get") else ""
    raise NoBrowserError(f"{reason}, and Playwright could not install one{hint}")


def _ways() -> Iterator[list[str]]:
    """Commands that may bring one, each to be tried if those before did not help."""
    playwright = [sys.executable, "-m", "playwright"]
    yield [*playwright, "install", "chromium"]
    if _root():
        _does(["apt-get", "update", "-qq"])
        yield ["apt-get", "install", "-y", "-qq", "chromium"]
        if _playwrights():  # where apt's is a mere pointer to a snap: the libraries that it lacks
            yield [*playwright, "install-deps", "chromium"]


def _root() -> bool:
    """Whether apt may be asked."""
    return shutil.which("apt-get") is not None and os.geteuid() == 0


def _candidates() -> Iterator[str]:
    for name in NAMES:
        if path := shutil.which(name):
            yield path
    for place in (*_places(), *_playwrights()):
        if place.is_file() and os.access(place, os.X_OK):
            yield str(place)


def _places() -> list[Path]:
    """Where installers put it outside the PATH."""
    if sys.platform == "darwin":
        folders = [Path("/Applications"), Path.home() / "Applications"]
        return [f / f"{name}.app" / "Contents" / "MacOS" / name for f in folders for name in MAC]
    if sys.platform == "win32":
        variables = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
        folders = [Path(os.environ[name]) for name in variables if name in os.environ]
        return [f / name / "Application" / "chrome.exe" for f in folders for name in WINDOWS]
    return []


def _playwrights() -> list[Path]:
    """What Playwright has installed, the newest first."""
    own = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    if own and own != "0":
        cache = Path(own)
    elif sys.platform == "darwin":
        cache = Path.home() / "Library" / "Caches" / "ms-playwright"
    elif sys.platform == "win32":
        cache = Path(os.environ.get("LOCALAPPDATA", Path.home())) / "ms-playwright"
    else:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ms-playwright"
    found = [path for pattern in PLAYWRIGHTS for path in cache.glob(pattern)]
    return sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)


def _starts(path: str) -> bool:
    """Whether it is a browser with its libraries: not a mere pointer to a snap, for example."""
    if sys.platform == "win32":
        return True  # there, --version opens a window
    try:
        asked = subprocess.run([path, "--version"], capture_output=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0


def _does(command: list[str]) -> bool:
    shown = " ".join([Path(command[0]).name, *command[1:]])
    print(f"no browser yet; {shown} ...", file=sys.stderr, flush=True)
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=INSTALL,
            env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"  {error}", file=sys.stderr)
        return False
    if done.returncode:
        said = [line for line in done.stdout.splitlines() if line.strip()]
        told = [line for line in said if "rror" in line or line.startswith("E:")] or said
        print(f"  failed: {told[-1].strip() if told else done.returncode}", file=sys.stderr)
    return done.returncode == 0


if __name__ == "__main__":
    try:
        print(get_browser())
    except NoBrowserError as none:
        sys.exit(str(none))
