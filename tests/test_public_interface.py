"""What `import erfd` brings: little, and every name that it promises."""

import subprocess
import sys
from importlib import import_module

import pytest

import erfd


def test_import_is_light() -> None:
    """`import erfd` pulls in nothing heavy, not even NumPy, and single calls no tracer."""
    code = (
        "import sys, erfd; heavy = {'numpy', 'casadi', 'sympy', 'rich', 'matplotlib', 'yourdfpy'};"
        "print(sorted(heavy & set(sys.modules)));"
        "erfd.load('lola15'); erfd.mass_matrix(erfd.load('lola15'), [0] * 6);"
        "print(sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split("\n")[:2] == ["[]", "['numpy']"]


def test_unknown_names_and_dir() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'inverse'"):
        erfd.inverse  # noqa: B018
    assert set(erfd.__all__) <= set(dir(erfd))
    assert all(hasattr(erfd, name) for name in erfd.__all__)


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("erfd.cell", "Thing", "CellObject"),
        ("erfd.lirl", "Schedule", "SignalSchedule"),
        ("erfd.lirl", "read_schedule", "read_signal_schedule"),
        ("erfd.robot.parts", "Use", "PlacedPart"),
        ("erfd.equations", "Quantity", "SymbolMeaning"),
    ],
)
def test_names_of_before_say_what_to_write(module: str, old: str, new: str) -> None:
    home = import_module(module)
    with pytest.warns(DeprecationWarning, match=f"{module}.{old} is now called {module}.{new}"):
        assert getattr(home, old) is getattr(home, new)
    with pytest.raises(AttributeError, match="has no attribute 'nobody'"):
        home.nobody  # noqa: B018
