"""All tests, in two runs: what draws in a browser needs the processor for itself.

A browser is found or installed first. The last line says what was not tested, and why. Arguments go
to both runs of pytest.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from browser import NoBrowserError, get_browser
from untested import line, read

NOTHING = pytest.ExitCode.NO_TESTS_COLLECTED
RUNS = (
    ("-m", "not browser", "--numprocesses", "auto", "--dist", "worksteal"),
    ("-m", "browser"),
)


def main(arguments: list[str]) -> int:
    """Both runs, whether the first one passes or not."""
    environment = dict(os.environ)
    try:
        environment["ERFD_BROWSER"] = get_browser()
    except NoBrowserError as none:
        environment["ERFD_NO_BROWSER"] = str(none)
    with tempfile.TemporaryDirectory(prefix="erfd-tests-") as folder:
        kept = Path(folder) / "untested"
        kept.touch()
        environment["ERFD_UNTESTED"] = str(kept)
        codes = []
        for run in RUNS:
            sys.stdout.flush()
            command = [sys.executable, "-m", "pytest", *run, *arguments]
            codes.append(subprocess.run(command, env=environment).returncode)
        said = line(read(kept))
    selected = any(not a.startswith("-") or a in ("-k", "-m") for a in arguments)
    if selected and any(code != NOTHING for code in codes):  # one run may have none of them
        codes = [0 if code == NOTHING else code for code in codes]
    print(f"some tests FAILED, see above; {said}" if any(codes) else said)
    return next((code for code in codes if code), 0)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
