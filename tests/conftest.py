"""The formulations are tested over NumPy; tests of kernels compile, into a cache of their own.

Without this every random arm of every law would be compiled for every method.

The laws of Hypothesis are tried on the same examples in every run, so that a tree passes or fails
whenever it is asked. ERFD_EXAMPLES=1 draws others each time, ERFD_EXAMPLES=50 also 50 times as many
(make soak).
"""

import os
import signal
import tempfile
from collections.abc import Iterator

os.environ["ERFD_BACKEND"] = "numpy"
if "PYTEST_XDIST_WORKER" not in os.environ:  # workers share the cache of who starts them
    _CACHE = tempfile.TemporaryDirectory(prefix="erfd-test-cache-")
    os.environ["ERFD_CACHE_DIR"] = _CACHE.name

import pytest
from hypothesis import settings

import erfd
from browser import NoBrowserError, find_browser
from erfd.run.run import Run
from erfd.run.run_file import RunFile
from erfd.run.write import write_parquet
from untested import pytest_terminal_summary  # noqa: F401  pytest finds it by its name

pytest.register_assert_rewrite("support")

MORE = int(os.environ.get("ERFD_EXAMPLES", "1"))
# no deadline: a busy machine is not a mistake
settings.register_profile("erfd", derandomize="ERFD_EXAMPLES" not in os.environ, deadline=None)
settings.load_profile("erfd")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # a shell's background jobs have no Ctrl-C, nor would the programs that tests start
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Multiply the number of examples of each law, whatever its own settings say."""
    asked = "_hypothesis_internal_use_settings"  # where Hypothesis keeps them; it has no other way
    for test in {id(f): f for f in (getattr(i, "obj", None) for i in items)}.values():
        if MORE > 1 and hasattr(test, "hypothesis"):
            own = getattr(test, asked, None) or settings.default
            setattr(test, asked, settings(own, max_examples=MORE * own.max_examples))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test that is marked with browser is skipped where there is none."""
    if item.get_closest_marker("browser"):
        try:
            find_browser()
        except NoBrowserError as none:
            pytest.skip(str(none))


@pytest.fixture
def compiled() -> Iterator[None]:
    """Compute with kernels inside this test."""
    with erfd.backend("compiled"):
        yield


@pytest.fixture
def users_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """For subprocesses: what a user has, but for the cache folder."""
    monkeypatch.delenv("ERFD_BACKEND")


@pytest.fixture(scope="session")
def hard_run() -> Run:
    """A motion too fast for Lola 15, with the force of the papers' demonstration."""
    from support.motions import lola_motion

    wrench = [100.0, 100.0, -150.0, 0.0, 0.0, 0.0]
    return erfd.achievable(erfd.load("lola15"), lola_motion(0.9), wrench=wrench)


@pytest.fixture(scope="session")
def hard_run_file(hard_run: Run, tmp_path_factory: pytest.TempPathFactory) -> RunFile:
    """The same run in its file."""
    path = tmp_path_factory.mktemp("run") / "run.parquet"
    write_parquet(hard_run, path, program="program p;")
    return RunFile(path)
