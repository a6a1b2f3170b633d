"""docs/monitor.md says what the streams do: layout, tables, examples and numbers."""

import json
import re
import struct
from pathlib import Path

import numpy as np

import erfd
from erfd.monitor.protocol import HEADER, JOINT_UNITS, OTHER_UNITS, hello_text
from erfd.monitor.publisher.hub import EVENTS, ROWS
from erfd.monitor.publisher.publisher import QUEUE
from erfd.monitor.publisher.server import MOST_COMMANDS, MOST_VIEWERS
from erfd.monitor.viewer.reader import Reader
from support.paths import DOCS
from support.streams import binary, hello_of


def test_the_layout_of_the_page() -> None:
    """The header is 24 bytes, so that the numbers behind it are aligned in a browser."""
    assert HEADER.size == 24
    frame = binary(hello_of(), 5, np.arange(7.0)[None], np.array([0.25]))
    assert frame[:4] == b"ERFM"
    assert struct.unpack_from("<BBHIIQ", frame, 4) == (1, 1, 7, 1, 7, 5)
    assert struct.unpack_from("<8d", frame, 24) == (0.25, *map(float, range(7)))


PAGE = (DOCS / "monitor.md").read_text()


def test_the_page_tells_what_is_so() -> None:
    """Its examples are read, its tables are complete, its numbers are those of the code."""
    blocks = re.findall(r"```json\n(.*?)```", PAGE, re.S)
    hello = json.loads(blocks[0])
    reader = Reader()
    (read,) = reader.read(blocks[0])
    assert (read.n, read.width, read.limits["position_max"]) == (2, 3, (3.1, None))
    assert set(hello) == set(json.loads(hello_text(read)))
    (batch,) = reader.read(blocks[1])
    assert batch.rows.tolist() == [[0.1, 0.2, 35.0]]
    assert not reader.counts
    for name in (*JOINT_UNITS, *OTHER_UNITS):
        assert re.search(rf"^\|[^|]*`{name}`", PAGE, re.M), name
    kinds = set(re.findall(r'report\(\s*"([a-z ]+)"', source("reader") + source("feed")))
    assert kinds
    for kind in kinds:
        assert f"\n| `{kind}` |" in PAGE, kind
    for mode in ("ready", "approaching", "running", "paused", "stopped", "done"):
        assert f"\n| `{mode}` |" in PAGE
        assert f'"{mode}"' in source("player")
    for number in (QUEUE, ROWS, EVENTS, MOST_VIEWERS, MOST_COMMANDS):
        assert re.search(rf"\b{number}\b", PAGE), number


def source(name: str) -> str:
    (path,) = (Path(erfd.__file__).parent / "monitor").rglob(f"{name}.py")
    return path.read_text()
