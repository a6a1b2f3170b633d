"""Schedules of input signals: what is read, what is refused, what is looked up."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import erfd
from erfd.errors import InputError
from erfd.lirl import SignalChange, SignalSchedule, read_signal_schedule, signals_beside
from erfd.lirl.signal_schedule import parse_signal_schedule
from support.paths import EXAMPLES

times = st.floats(0, 1e3).map(lambda x: round(x, 2))
changes = st.lists(
    st.builds(SignalChange, times, st.sampled_from(["a", "b"]), st.booleans()), max_size=12
)


@given(changes, times)
def test_the_last_change_counts(listed: list[SignalChange], now: float) -> None:
    schedule = SignalSchedule(tuple(listed))
    assert list(schedule.changes) == sorted(listed, key=lambda change: change.time)
    for name in ("a", "b"):
        found = schedule.of(name)
        mine = [change for change in schedule.changes if change.signal == name]
        before = [change.value for change in mine if change.time <= now + 1e-9]
        after = [change.time for change in mine if change.time > now + 1e-9]
        assert found.at(now) == (before[-1] if before else None)
        assert found.after(now) == min(after, default=math.inf)


@given(changes)
def test_written_and_read(listed: list[SignalChange]) -> None:
    import tempfile

    lines = [f"{c.time}, {c.signal} ,{str(c.value).upper()}" for c in listed]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.signals.csv"
        path.write_text("\n# a remark\nTime,Signal,Value\n\n" + "\n".join(lines))
        found = read_signal_schedule(path)
    assert found.changes == SignalSchedule(tuple(listed)).changes
    assert found.name == "x.signals.csv"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "s.csv: expected the header time,signal,value, found nothing"),
        ("1,a,true", "s.csv: line 1: expected the header time,signal,value, found '1,a,true'"),
        ("time,signal,value\n1,a", "s.csv: line 2: expected time, signal, value; found 2 columns"),
        ("time,signal,value\n-1,a,true", "s.csv: line 2: time: expected seconds from 0 on, found"),
        ("time,signal,value\nnan,a,true", "s.csv: line 2: time: expected seconds from 0 on, found"),
        (
            "time,signal,value\n# x\n1,a,on",
            "s.csv: line 3: value: expected true, false or a number, found 'on'",
        ),
        ("time,signal,value\n1,a,inf", "s.csv: line 2: value: expected true, false or a number"),
    ],
)
def test_mistakes_name_the_line(text: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_signal_schedule(path)
    assert str(caught.value).startswith(sentence)


def test_a_text_is_read_as_its_file_is() -> None:
    text = "\ufefftime,signal,value\r\n1,Ready,true\r\n"
    found = parse_signal_schedule(text)
    assert found == SignalSchedule((SignalChange(1.0, "ready", True),), "signals.csv")
    with pytest.raises(InputError, match=r"^mine: line 3: expected time, signal, value"):
        parse_signal_schedule(text + "2", "mine")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_signal_schedule(tmp_path / "none.csv")
    with pytest.raises(InputError, match="expected a file, found a folder"):
        read_signal_schedule(tmp_path)
    (tmp_path / "b.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="UTF-8"):
        read_signal_schedule(tmp_path / "b.csv")


def test_beside_the_program(tmp_path: Path) -> None:
    assert signals_beside(tmp_path / "pick.irl") is None
    (tmp_path / "pick.signals.csv").write_text("time,signal,value\n1,Ready,true\n")
    found = signals_beside(tmp_path / "pick.irl")
    assert found is not None
    assert found.signals == ("ready",)


def test_a_program_takes_signals_and_not_the_input_of_a_simulation() -> None:
    program = (EXAMPLES / "pick_and_place.irl").read_text()
    robot = erfd.load("lola15")
    there = erfd.SignalSchedule((erfd.SignalChange(0.0, "part_there", True),))
    assert erfd.verify(program, robot, signals=there).run["t"][-1] > 1.0
    with pytest.raises(
        InputError, match=r"signals: expected an erfd\.SignalSchedule, found InputSchedule"
    ):
        erfd.verify(program, robot, signals=erfd.InputSchedule([0], [[1]]))


def test_the_old_name_says_what_to_write() -> None:
    with pytest.warns(DeprecationWarning, match=r"now called erfd\.InputSchedule .*SignalSchedule"):
        assert erfd.Schedule is erfd.InputSchedule


def test_changes_that_cannot_be_are_refused() -> None:
    for time in (float("nan"), -1.0, float("inf"), "1.5", None, True):
        with pytest.raises(InputError, match="time: expected seconds from 0 on, found"):
            SignalChange(time, "a", True)
    with pytest.raises(InputError, match="value: expected true, false or a number, found nan"):
        SignalChange(0.0, "a", math.nan)
    with pytest.raises(InputError, match="signal: expected a name, found 3"):
        SignalChange(0.0, 3, True)
    for changes in (((1.5, "a", True),), SignalChange(1.0, "a", True)):
        with pytest.raises(InputError, match="changes: expected several SignalChange, found"):
            SignalSchedule(changes)
