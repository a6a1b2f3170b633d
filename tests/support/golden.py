"""Golden files of earlier versions, and what those versions found in them (tests/data/golden)."""

import json
import math
from dataclasses import MISSING, fields, is_dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import erfd
from erfd.cli import main
from erfd.run.events import TORQUE_KINDS
from erfd.run.parquet import read_run_program
from support.paths import DATA

PLACE = DATA / "golden"
FOLDERS = sorted(path.parent for path in PLACE.glob("*/expected.json"))
CODES = ("saturated", "clipped", "stalled", "line")
"""Quantities that are whole numbers."""


@lru_cache
def expected(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "expected.json").read_text(encoding="utf-8"))


def each(kind: str) -> Any:
    """Every entry of one kind, of every version."""
    entries = [(folder, name) for folder in FOLDERS for name in expected(folder)[kind]]
    names = [f"{folder.name}-{name}" for folder, name in entries]
    return pytest.mark.parametrize(("folder", "name"), entries, ids=names)


versions = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def listed(value: Any) -> Any:
    """As the script that made the files lists robots and events."""
    if is_dataclass(value):
        return {f.name: listed(getattr(value, f.name)) for f in fields(value) if f.compare}
    if isinstance(value, tuple):
        return [listed(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def check_robot(robot: Any, wanted: dict[str, Any]) -> None:
    """A robot is what an earlier version listed; what that did not know has its default."""
    assert listed_then(robot, wanted) == wanted


def listed_then(value: Any, wanted: Any) -> Any:
    """A value as `listed`, without what the version that wrote `wanted` did not know."""
    if is_dataclass(value):
        found = {}
        for f in [f for f in fields(value) if f.compare]:
            if f.name in wanted:
                found[f.name] = listed_then(getattr(value, f.name), wanted[f.name])
            else:
                made = f.default_factory() if f.default_factory is not MISSING else f.default
                assert listed(getattr(value, f.name)) == listed(made), f.name
        return found
    if isinstance(value, tuple) and len(value) == len(wanted):
        return [listed_then(entry, then) for entry, then in zip(value, wanted, strict=True)]
    return listed(value)


LATER = {"severity": "failure", "part": 0.0, "beyond": False, "at": None, "line": 0, "pause": 0.0,
         "strict": False, "turning": "", "adapt": "",
         "policy": "consistent", "follow": "velocity", "torque_path": "virtual-work"}  # fmt: skip
"""What events and set-ups have got since, and what it is where a file does not know of it."""


def known_then(
    found: dict[str, Any], wanted: dict[str, Any], later: dict[str, Any]
) -> dict[str, Any]:
    """What a version knew of an event or a set-up; what came later is as if nobody had said it."""
    later = {key: value for key, value in later.items() if key not in wanted}
    assert all(found[key] == value for key, value in later.items() if key in found)
    return {key: value for key, value in found.items() if key not in later}


def check_run(found: Any, entry: dict[str, Any]) -> None:
    """A run, in memory or in its file, is bit by bit what was written."""
    assert found.robot.name == entry["robot"]
    assert len(found) == entry["points"]
    assert found.feasible == entry["feasible"]
    assert found["q"][-1].tolist() == entry["end"]
    assert [str(event) for event in found.events] == entry["events"]
    events = [listed(event) for event in found.events]
    known = [known_then(*pair, LATER) for pair in zip(events, entry["event_values"], strict=True)]
    assert [list(event.values()) for event in known] == [
        # where torque is missing an earlier version had the unit of a speed: read as N m
        list((event | ({"unit": "N m"} if event["kind"] in TORQUE_KINDS else {})).values())
        for event in entry["event_values"]
    ]
    for name, (shape, total, digits) in entry["quantities"].items():
        array = found[name]
        assert list(array.shape) == shape, name
        if total is not None:
            assert array.sum() == pytest.approx(total, rel=1e-9, abs=1e-9), name
        data = np.ascontiguousarray(array, "<f8").tobytes()
        assert sha256(data).hexdigest()[: len(digits)] == digits, name


def alike(found: Any, wanted: Any, rel: float = 1e-6) -> None:
    """Nested data, numbers but for rounding; newer versions may say more, behind what was said."""
    if isinstance(wanted, dict):
        assert list(found)[: len(wanted)] == list(wanted)
        for key, entry in wanted.items():
            alike(found[key], entry, rel)
    elif isinstance(wanted, list):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            alike(one, other, rel)
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=rel, abs=1e-9)
    elif isinstance(wanted, str) and wanted.count(" at ") and "lacks" in wanted:
        assert found.split(" ")[:2] == wanted.split(" ")[:2]  # a sentence with rounded numbers
    else:
        assert found == wanted


def told(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, Any]:
    """Exit code and JSON of an erfd command."""
    capsys.readouterr()
    code = main([*map(str, words), "--json"])
    return code, json.loads(capsys.readouterr().out)


def robot_of(folder: Path, name: str) -> erfd.Robot:
    return erfd.load(folder / "robots" / f"{name}.toml")


def same_run(path: Path, then: Path) -> None:
    """What was streamed is equal, what follows from it is so but for rounding."""
    one, other = erfd.read_run(path), erfd.read_run(then)
    assert one.robot == other.robot
    assert read_run_program(path) == read_run_program(then)
    assert list(one.data) == list(other.data)
    for name, values in other.data.items():
        if name in (*CODES, "t", "q"):
            np.testing.assert_array_equal(one[name], values, name)
        else:
            size = max(1.0, float(np.abs(values[np.isfinite(values)]).max(initial=0.0)))
            np.testing.assert_allclose(one[name], values, rtol=1e-9, atol=1e-9 * size, err_msg=name)
    alike([str(event) for event in one.events], [str(event) for event in other.events])
    assert [event.kind for event in one.events] == [event.kind for event in other.events]
