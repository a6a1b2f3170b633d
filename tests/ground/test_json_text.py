"""JSON that every reader takes: whatever numbers are in it, and from whichever command."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import erfd
from erfd.ground.json_text import json_text

numbers = st.floats() | st.integers() | st.floats().map(np.float64) | st.booleans()
leaves = numbers | st.text() | st.none() | st.lists(st.floats()).map(np.array)
values = st.recursive(
    leaves, lambda x: st.lists(x) | st.tuples(x, x) | st.dictionaries(st.text(), x), max_leaves=20
)


def refused(name: str) -> float:
    raise AssertionError(f"{name} is no JSON")


@given(values)
def test_anything_is_valid_json(value: object) -> None:
    json.loads(json_text(value), parse_constant=refused)


@given(st.lists(st.floats()))
def test_what_is_finite_comes_back(value: list[float]) -> None:
    finite = [x if np.isfinite(x) else None for x in value]
    assert json.loads(json_text(value)) == finite
    assert json.loads(json_text({"a": np.array(value)}, indent=2))["a"] == finite


@pytest.mark.parametrize("room", ["commands", "shell"])
def test_no_command_writes_json_of_its_own(room: str) -> None:
    files = list((Path(erfd.__file__).parent / room).rglob("*.py"))
    assert files
    assert not [path for path in files if re.search(r"json\.dumps?\(", path.read_text())]
