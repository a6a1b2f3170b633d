"""What a test run has left out, in one line: a hook of pytest, and the line.

tests/conftest.py has the hook. A run that ERFD_UNTESTED names a file for adds its skips to it, so
that run_tests.py can say the line once over several runs; any other run says it itself.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import NamedTuple

import pytest

BROWSER = "the studio and the 3D page in a browser"
SOAK = "make soak"
"""A skip whose reason names it is no gap: that test is run there."""
NAMED = 3
"""So many subjects are named before the rest is counted."""


class Skip(NamedTuple):
    """A test, or a file of tests, that was not run."""

    what: str
    why: str
    whole_file: bool


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Keep the skips of this run, or say them."""
    if hasattr(terminalreporter.config, "workerinput"):
        return  # who has started this worker of xdist tells it
    skips = [_skip(report) for report in terminalreporter.stats.get("skipped", [])]
    if kept := os.environ.get("ERFD_UNTESTED"):
        with Path(kept).open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(skip) + "\n" for skip in skips)
    elif skips:
        terminalreporter.write_line(line(skips))


def read(kept: Path) -> list[Skip]:
    """The skips of all runs that were given this file."""
    return [Skip(*json.loads(row)) for row in kept.read_text(encoding="utf-8").splitlines()]


def line(skips: Iterable[Skip]) -> str:
    """What was not tested, by reason, in one line."""
    reasons: dict[str, list[Skip]] = {}
    later = 0
    for skip in skips:
        if SOAK in skip.why:
            later += 1
        else:
            reasons.setdefault(skip.why, []).append(skip)
    gaps = [f"{_subjects(group)} ({_count(group)}): {why}" for why, group in reasons.items()]
    said = f"not tested: {'; '.join(gaps)}" if gaps else "everything was tested"
    return f"{said} (left for {SOAK}: {later})" if later else said


def _skip(report: pytest.TestReport | pytest.CollectReport) -> Skip:
    why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    why = why.removeprefix("Skipped: ").strip().partition("\n")[0]
    if "browser" in getattr(report, "keywords", {}):
        what = BROWSER
    else:
        path = PurePath(report.nodeid.partition("::")[0])
        names = [*path.parts[:-1], path.stem.removeprefix("test_")]
        what = "/".join(names[names[:1] == ["tests"] :])
    return Skip(what, why, isinstance(report, pytest.CollectReport))


def _subjects(group: list[Skip]) -> str:
    names = sorted({skip.what for skip in group})
    if len(names) > NAMED + 1:
        names[NAMED:] = [f"{len(names) - NAMED} more"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[:-1] else names)


def _count(group: list[Skip]) -> str:
    files = len({skip.what for skip in group if skip.whole_file})  # each run tells them
    kinds = (("test", sum(not skip.whole_file for skip in group)), ("whole file", files))
    return " and ".join(f"{n} {kind}{'s' * (n > 1)}" for kind, n in kinds if n)
