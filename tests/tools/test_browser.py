"""A browser is found where it may be, got where it is not, and its lack has a sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import browser
from browser import NoBrowserError, find_browser, get_browser

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="its programs are shell scripts")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One that has nothing but an empty folder on its path, and an empty cache."""
    for name in ("ERFD_BROWSER", "ERFD_NO_BROWSER", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "cache"))
    monkeypatch.setattr(browser, "_places", lambda: [tmp_path / "Applications" / "Chromium"])
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    find_browser.cache_clear()
    yield tmp_path
    find_browser.cache_clear()


def program(path: Path, *lines: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(0o755)
    return str(path)


def playwrights(machine: Path, revision: int = 1254) -> Path:
    return machine / "cache" / f"chromium-{revision}" / "chrome-linux64" / "chrome"


def installs(name: Path, path: Path) -> str:
    """A program that puts a browser there when it is asked to install, and notes how it was."""
    log = name.parent.parent / "log"
    made = f"/bin/mkdir -p {path.parent}; echo '#!/bin/sh' > {path}; /bin/chmod +x {path}"
    return program(
        name, f'echo "$@" >> {log}', f'case "$*" in *install*chromium) {made};; esac', "exit 0"
    )


@pytest.mark.parametrize("name", ["chromium", "chromium-browser", "google-chrome-stable"])
def test_on_the_path(machine: Path, name: str) -> None:
    wanted = program(machine / "bin" / name)
    assert find_browser() == get_browser() == wanted


def test_where_installers_put_it(machine: Path) -> None:
    wanted = program(machine / "Applications" / "Chromium")
    assert find_browser() == wanted


@pytest.mark.parametrize(
    ("system", "place"),
    [
        ("darwin", "home/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
        ("win32", "programs/Google/Chrome/Application/chrome.exe"),
        ("win32", "local/Chromium/Application/chrome.exe"),
    ],
)
def test_the_places_of_other_systems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str, place: str
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PROGRAMFILES", str(tmp_path / "programs"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert tmp_path / place in browser._places()


@pytest.mark.parametrize(
    "inside",
    [
        "chrome-linux64/chrome",
        "chrome-linux/chrome",
        "chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
    ],
)
def test_what_playwright_has_installed(machine: Path, inside: str) -> None:
    wanted = program(machine / "cache" / "chromium-1254" / inside)
    assert find_browser() == wanted


def test_the_newest_that_playwright_has(machine: Path) -> None:
    for age, revision in enumerate((1254, 999, 1100)):
        path = playwrights(machine, revision)
        program(path)
        os.utime(path, (1e9 - age, 1e9 - age))
    assert find_browser() == str(playwrights(machine, 1254))


def test_the_users_cache(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PLAYWRIGHT_BROWSERS_PATH")
    folder = "Library/Caches" if sys.platform == "darwin" else ".cache"
    inside = "ms-playwright/chromium-1/chrome-linux64/chrome"
    wanted = program(machine / folder / inside)
    assert find_browser() == wanted


def test_one_that_does_not_start_is_none(machine: Path) -> None:
    """Ubuntu's chromium-browser without snap, or a browser without its libraries."""
    program(machine / "bin" / "chromium-browser", "exit 1")
    (machine / "bin" / "google-chrome").write_bytes(b"\x7fELF of another machine")
    (machine / "bin" / "google-chrome").chmod(0o755)
    wanted = program(playwrights(machine))
    assert find_browser() == wanted


def test_the_one_that_is_named(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(machine / "bin" / "chromium")
    wanted = program(machine / "own" / "browser")
    monkeypatch.setenv("ERFD_BROWSER", wanted)
    assert find_browser() == wanted


def test_a_wrong_name_is_not_replaced(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(machine / "bin" / "chromium")
    monkeypatch.setenv("ERFD_BROWSER", "/none")
    for function in (find_browser, get_browser):
        with pytest.raises(NoBrowserError, match=r"^ERFD_BROWSER is /none, which is no program$"):
            function()


def test_none_is_wanted(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installs(machine / "bin" / "python", playwrights(machine))
    monkeypatch.setenv("ERFD_NO_BROWSER", "not on this machine")
    with pytest.raises(NoBrowserError, match=r"^not on this machine$"):
        get_browser()
    assert not (machine / "log").exists()


def test_got_through_playwright(machine: Path) -> None:
    installs(machine / "bin" / "python", playwrights(machine))
    installs(machine / "bin" / "apt-get", machine / "bin" / "chromium")
    assert get_browser() == str(playwrights(machine))
    assert (machine / "log").read_text() == "-m playwright install chromium\n"


def test_got_through_apt_where_playwright_cannot(machine: Path, capsys) -> None:
    program(machine / "bin" / "python", "echo Error: no such host; echo at line 3; exit 1")
    installs(machine / "bin" / "apt-get", machine / "bin" / "chromium")
    assert get_browser() == str(machine / "bin" / "chromium")
    assert (machine / "log").read_text() == "update -qq\ninstall -y -qq chromium\n"
    assert "failed: Error: no such host" in capsys.readouterr().err


def test_libraries_for_playwrights_own(machine: Path) -> None:
    """Apt has a package that starts nothing."""
    path = playwrights(machine)
    started = f"#!/bin/sh\ntest -e {machine}/libraries"
    program(
        machine / "bin" / "python",
        f'case "$*" in *install-deps*) : > {machine}/libraries;; *)'
        f" /bin/mkdir -p {path.parent}; echo '{started}' > {path}; /bin/chmod +x {path};; esac",
    )
    program(machine / "bin" / "apt-get")
    assert get_browser() == str(path)


def test_neither_can(machine: Path) -> None:
    program(machine / "bin" / "apt-get", "exit 100")
    with pytest.raises(NoBrowserError) as none:
        get_browser()
    assert str(none.value) == (
        "no Chromium or Chrome was found, and neither Playwright nor apt could install one"
    )


@pytest.mark.parametrize(("apt", "more"), [(True, " (apt would need root)"), (False, "")])
def test_not_as_root(machine: Path, monkeypatch: pytest.MonkeyPatch, apt: bool, more: str) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    if apt:
        installs(machine / "bin" / "apt-get", machine / "bin" / "chromium")
    with pytest.raises(NoBrowserError) as none:
        get_browser()
    assert str(none.value) == (
        "no Chromium or Chrome was found, and Playwright could not install one" + more
    )
    assert not (machine / "log").exists()


def test_the_command(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With nothing but the standard library."""
    monkeypatch.undo()
    own = program(machine / "own")
    command = [sys.executable, "-I", "-S", browser.__file__]
    for more, told in (
        ({"ERFD_BROWSER": own}, (0, f"{own}\n", "")),
        ({"ERFD_NO_BROWSER": "none here"}, (1, "", "none here\n")),
    ):
        done = subprocess.run(command, env=more, capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == told
