"""docs/sim.md says what the shell does: its sessions are done again, its tables are complete."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest

import erfd
from erfd.report.play.graphic_file import graphic_text
from erfd.shell.commands.general import COMMANDS
from erfd.shell.variables import VARIABLES
from support.pages import rows
from support.paths import DOCS

PAGE = (DOCS / "sim.md").read_text()
_SPEC = importlib.util.spec_from_file_location("make_sim", DOCS / "make_sim.py")
assert _SPEC is not None
assert _SPEC.loader is not None
make_sim = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(make_sim)


@pytest.mark.usefixtures("users_environment")
def test_sessions_are_as_printed(tmp_path: Path) -> None:
    """A person who types what the page shows sees what the page shows."""
    assert make_sim.replay(PAGE, tmp_path) == PAGE
    made = {"push.txt", "push.png", "push.jsonl"}
    assert made == {path.name for path in tmp_path.iterdir()}


def test_the_sessions_type_something() -> None:
    sessions = [text for _, text in make_sim.BLOCK.findall(PAGE) if text.startswith("$ erfd sim")]
    assert len(sessions) == 2
    typed = make_sim.script(sessions[0])
    names = {line.split()[0] for line in typed.splitlines() if line.strip()}
    assert {"theta", "inverse_arm", "simulate", "print_simulation", "quit", "push.txt"} <= names
    assert "erfd: line 1: theta: expected 2 numbers, found 1" in sessions[1]


def test_every_variable_has_its_row() -> None:
    _, *body = rows(PAGE, "Variables")
    assert [row[0].strip("`") for row in body] == list(VARIABLES)
    for row in body:
        variable = VARIABLES[row[0].strip("`")]
        assert row[1] == {0: "N"}.get(variable.size, str(variable.size))
        assert row[2].split(",")[0].replace("\u00b2", "2") == variable.unit


def test_every_command_has_its_row() -> None:
    _, *body = rows(PAGE, "Commands")
    named = [name for row in body for name in re.findall(r"`(\w+)[^`]*`", row[0])]
    assert set(named) == set(COMMANDS)
    assert len(named) == len(COMMANDS)
    for row in body:
        for name, follows in re.findall(r"`(\w+) ?([^`]*)`", row[0]):
            assert COMMANDS[name].follows == follows


def test_every_key_of_a_graphic_file() -> None:
    _, *body = rows(PAGE, "Graphic files")
    explained = {name for row in body for name in re.findall(r"`(\w+)`", row[0])}
    robot = erfd.load("two_link")
    data = {"t": [0.0], "q": [[0, 0]], "qd": [[0, 0]], "qdd": [[0, 0]], "u_a": [[0, 0]]}
    import numpy as np

    run = erfd.Run(robot, {name: np.array(x, float) for name, x in data.items()}, ())
    head, moment = (json.loads(line) for line in graphic_text(run).splitlines())
    assert explained == set(head)
    for name in moment:
        assert f"`{name}`" in PAGE
