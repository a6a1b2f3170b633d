"""`make test` ends with what it has left out, and fails when either of its runs does."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import untested
from untested import Skip, line

TOOLS = Path(untested.__file__).parent
CONFTEST = """
import pytest
from browser import NoBrowserError, find_browser
from untested import pytest_terminal_summary

def pytest_runtest_setup(item):
    if item.get_closest_marker("browser"):
        try:
            find_browser()
        except NoBrowserError as none:
            pytest.skip(str(none))
"""
PLAIN = "def test_plain(): pass\n"
DRAWS = """
import pytest
pytestmark = pytest.mark.browser
@pytest.mark.parametrize("n", range(3))
def test_draws(n): pass
@pytest.mark.skipif(True, reason="an hour; `make soak` does it")
def test_long(): pass
"""
COMPILES = """
import pytest
@pytest.mark.parametrize("n", range(2))
def test_compiles(n): pytest.skip("no C compiler")
"""
IMPORTS = "import pytest\npytest.importorskip('no_such_package')\ndef test_it(): pass\n"


@pytest.mark.parametrize(
    ("skips", "said"),
    [
        ([], "everything was tested"),
        (
            [Skip("run", "`make soak` does it", False)],
            "everything was tested (left for make soak: 1)",
        ),
        ([Skip("run", "no cc", False)], "not tested: run (1 test): no cc"),
        (
            [Skip("b", "no cc", False), Skip("a", "no cc", False), Skip("c", "no pin", True)],
            "not tested: a and b (2 tests): no cc; c (1 whole file): no pin",
        ),
        (
            [Skip(name, "no cc", name < "c") for name in "abcdeba"],  # two runs, the same files
            "not tested: a, b, c and 2 more (3 tests and 2 whole files): no cc",
        ),
    ],
)
def test_the_line(skips: list[Skip], said: str) -> None:
    assert line(skips) == said


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Tests in folders, with the tools of this project."""
    shutil.copytree(TOOLS, tmp_path / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\ntestpaths = tests\npythonpath = tools\naddopts = -q\nmarkers = browser: x\n"
    )
    (tmp_path / "tests" / "studio").mkdir(parents=True)
    (tmp_path / "tests" / "conftest.py").write_text(CONFTEST)
    (tmp_path / "tests" / "test_plain.py").write_text(PLAIN)
    (tmp_path / "tests" / "studio" / "test_draws.py").write_text(DRAWS)
    return tmp_path


def run(project: Path, *command: str, **more: str) -> tuple[int, list[str]]:
    """A command of Python: its exit code and what it says."""
    own = ("ERFD_", "PYTEST", "COV_", "MAKE", "MFLAGS")  # also those of a make that runs this test
    left = {k: v for k, v in os.environ.items() if not k.startswith(own)}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=project,
        env=left | more,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.returncode, done.stdout.splitlines()


def make_test(project: Path, *arguments: str, **more: str) -> tuple[int, list[str]]:
    more = {"ERFD_BROWSER": sys.executable} | more
    return run(project, "tools/run_tests.py", *(arguments or ("--numprocesses=0",)), **more)


def test_all_was_tested(project: Path) -> None:
    code, said = make_test(project)
    assert code == 0, said
    assert said[-1] == "everything was tested (left for make soak: 1)"


def test_a_selection_may_leave_one_run_without_tests(project: Path) -> None:
    code, said = make_test(project, "--numprocesses=0", "tests/test_plain.py")
    assert code == 0, said
    assert said[-1].startswith("everything was tested")
    code, said = make_test(project, "--numprocesses=0", "tests/test_plain.py", "-k", "nobody")
    assert code != 0


def test_what_was_not(project: Path) -> None:
    """By reason, over both runs, workers and whole files."""
    (project / "tests" / "code").mkdir()
    (project / "tests" / "code" / "test_compile.py").write_text(COMPILES)
    (project / "tests" / "test_imports.py").write_text(IMPORTS)
    code, said = make_test(project, "--numprocesses=2", ERFD_NO_BROWSER="no browser was found")
    assert code == 0, said
    compiler = "code/compile (2 tests): no C compiler"
    package = (
        "imports (1 whole file): could not import 'no_such_package': "
        "No module named 'no_such_package'"
    )
    browser = "the studio and the 3D page in a browser (3 tests): no browser was found"
    soak = " (left for make soak: 1)"
    assert said[-1] in (
        f"not tested: {compiler}; {package}; {browser}{soak}",
        f"not tested: {package}; {compiler}; {browser}{soak}",
    )


@pytest.mark.parametrize("place", ["tests/test_plain.py", "tests/studio/test_draws.py"])
def test_either_run_may_fail(project: Path, place: str) -> None:
    """The other one is run all the same."""
    with (project / place).open("a") as file:
        file.write("\ndef test_wrong(): assert False\n")
    code, said = make_test(project)
    assert code == 1
    assert said[-1] == (
        "some tests FAILED, see above; everything was tested (left for make soak: 1)"
    )
    assert sum("passed" in row for row in said) == 2


def test_a_lost_marker_is_noticed(project: Path) -> None:
    """A run of no tests has not passed."""
    (project / "tests" / "studio" / "test_draws.py").write_text(PLAIN.replace("plain", "other"))
    code, said = make_test(project)
    assert code == 5
    assert said[-1].startswith("some tests FAILED")


def test_any_run_says_what_it_skips(project: Path) -> None:
    code, said = run(project, "-m", "pytest", ERFD_NO_BROWSER="none")
    assert code == 0, said
    gaps = "not tested: the studio and the 3D page in a browser (3 tests): none"
    assert f"{gaps} (left for make soak: 1)" in said


def test_make_hands_on_the_code(project: Path) -> None:
    """And its last line, to which make only adds that it has failed."""
    if not shutil.which("make"):
        pytest.skip("no make on the path")
    shutil.copy(TOOLS.parent / "Makefile", project)
    for name in ("pyproject.toml", "constraints.txt", ".venv/bin/pip", ".venv/.installed"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).touch()
    (project / ".venv" / "bin" / "python").symlink_to(sys.executable)
    make = "import subprocess, sys; sys.exit(subprocess.call(['make', 'test']))"
    for wanted in (0, 2):
        (project / "tools" / "run_tests.py").write_text(f"print('the line'); exit({wanted})")
        code, said = run(project, "-c", make)
        assert (code, said[:1]) == (wanted, ["the line"])
        assert len(said) == 1 + bool(wanted)
