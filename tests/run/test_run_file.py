"""Parts of a run that stays on the disk: the same numbers, without reading the rest."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import erfd
from erfd.errors import ErfdError, InputError
from erfd.run import parquet as export_parquet
from erfd.run.run_file import RunFile
from erfd.run.write import read_run, write_parquet
from erfd.studio.runs.open_runs import OpenRun
from erfd.studio.runs.store import About

SIZE = 101
KINDS = {"f4": "<f4", "f8": "<f8", "i4": "<i4", "u1": "|u1"}


def unpack(data: bytes) -> dict[str, np.ndarray]:
    """What the browser makes of a packet."""
    (length,) = struct.unpack_from("<I", data)
    header, place, found = json.loads(data[8 : 8 + length]), 8 + -(-length // 8) * 8, {}
    for entry in header["arrays"]:
        kind = np.dtype(KINDS[entry["kind"]])
        found[entry["name"]] = np.frombuffer(data, kind, entry["length"], place)
        place += -(-entry["length"] * kind.itemsize // 8) * 8
    return found


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A run in pieces of 8 rows."""
    t = 0.01 * np.arange(SIZE)
    way = np.outer(1 - np.cos(4 * np.pi * t), [2.0, 1.0])  # faster than its motors can
    run = erfd.achievable(erfd.load("two_link"), erfd.Trajectory(t, way))
    found = tmp_path_factory.mktemp("parts") / "run.parquet"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(export_parquet, "ROWS", 8)
        write_parquet(run, found)
    return found


@given(st.data())
def test_a_part_is_a_slice_of_the_whole(path, data):
    whole = read_run(path)
    file = RunFile(path)
    first = data.draw(st.integers(0, SIZE))
    last = data.draw(st.integers(first, SIZE + 5))
    name = data.draw(st.sampled_from(sorted(whole.data)))
    before = data.draw(st.booleans())
    if before:
        np.testing.assert_array_equal(file[name], whole.data[name])
    part = file.part(name, first, last)
    np.testing.assert_array_equal(part, whole.data[name][first:last])
    few = 0 < len(file._groups(first, last)) < len(file._rows)
    assert (name in file._kept) == (before or not few)  # nothing but its rows was read


def test_no_such_quantity(path):
    with pytest.raises(InputError, match="expected one of"):
        RunFile(path).part("nothing", 3, 5)


@given(st.integers(0, SIZE - 1), st.integers(1, 40))
def test_a_part_of_the_way_is_the_way(path, first, rows):
    """What a long run shows around a time lies on the path that a short one shows as a whole."""
    shown = OpenRun(path, About("", "x", "", "two_link", True, 1.0, SIZE))
    whole = unpack(shown.path())
    part = unpack(shown.path(first, first + rows))
    end = min(first + rows, SIZE)
    assert len(np.unique(whole["limited"])) > 2  # more than one limit, and not everywhere the same
    for name, width in (("t", 1), ("found", 3), ("given", 3), ("limited", 1)):
        np.testing.assert_array_equal(part[name], whole[name][width * first : width * end])


def test_a_program_may_speak_of_checksums(tmp_path: Path) -> None:
    """The mark in a program's text is not taken for the one that the file itself has."""
    robot = erfd.load("two_link")
    t = 0.01 * np.arange(5)
    run = erfd.achievable(robot, erfd.Trajectory(t, 0.1 * t[:, None] * np.ones(2)))
    program = "{ erfd-sha256:" + "0" * 64 + " }"
    write_parquet(run, tmp_path / "run.parquet", program=program)
    assert RunFile(tmp_path / "run.parquet").program == program


def test_a_run_file_is_the_run(hard_run, hard_run_file):
    assert len(hard_run_file) == len(hard_run)
    assert hard_run_file.events == hard_run.events
    assert hard_run_file.robot == hard_run.robot
    assert hard_run_file.program == "program p;"
    for name, array in hard_run.data.items():
        np.testing.assert_array_equal(hard_run_file[name], array)
    with pytest.raises(InputError, match="expected one of"):
        hard_run_file["nothing"]


def test_damaged_files_are_a_sentence(hard_run_file, tmp_path):
    data = hard_run_file.path.read_bytes()
    for k, wrong in enumerate((b"", b"PAR1", data[:-8], data[: len(data) // 2] + b"PAR1")):
        path = tmp_path / f"{k}.parquet"
        path.write_bytes(wrong)
        with pytest.raises(ErfdError):
            RunFile(path)
    flipped = bytearray(data)
    flipped[len(data) // 3] ^= 1
    (tmp_path / "flipped.parquet").write_bytes(flipped)
    with pytest.raises(InputError, match="damaged or changed"):
        RunFile(tmp_path / "flipped.parquet")
    with pytest.raises(InputError, match="cannot be read"):
        RunFile(tmp_path / "none.parquet")
