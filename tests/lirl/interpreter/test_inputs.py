"""Input signals and the time while a program runs."""

from __future__ import annotations

import math
import re

import pytest

from erfd.errors import InputError
from erfd.lirl import ProgramError, SignalChange, SignalSchedule, interpret, parse
from erfd.planning.moves import Pause, ReadTime, SetOutput, Step
from support.lirl_programs import Clock, steps_of

SIGNALS = """program p;
var
  signal in bool: ready;
  signal in real: pressure = 1.5;
  signal in int: number;
  signal out bool: grip;
  signal out real: glue = 0.5;
endvar
seq
  wait for ready;
  grip := not grip;
  glue := pressure + number;
  move ptp joint(1);
  glue := pressure + number;
  wait for not ready and pressure > 3;
  grip := not grip;
endseq
"""
CHANGES = (
    SignalChange(1.0, "ready", True),
    SignalChange(1.2, "Pressure", 2.5),
    SignalChange(2.0, "ready", False),
    SignalChange(3.5, "pressure", 4.0),
    SignalChange(1.2, "number", 7.0),
)


def test_signals_follow_the_schedule() -> None:
    steps = steps_of(SIGNALS, signals=SignalSchedule(CHANGES), move_time=0.4)
    waited = [step.seconds for step in steps if isinstance(step, Pause)]
    assert sum(waited) + 0.4 == pytest.approx(3.5)
    outputs = [(step.signal, step.value) for step in steps if isinstance(step, SetOutput)]
    assert outputs == [("grip", True), ("glue", 1.5), ("glue", 9.5), ("grip", False)]


CLOCK = """program p;
var
  signal in bool: part;
  real: start;
endvar
function since(real: start): real;
seq
  return time() - start;
endseq
endfct
seq
  start := time();
  wait for {condition};
endseq
"""


@pytest.mark.parametrize(
    ("condition", "seconds"),
    [
        ("part or since(start) > 2", 2.01),  # a time-out
        ("part or since(start) > 9", 5.0),
        ("part and time() >= 7", 7.0),
        ("time() > start", 0.01),
        ("since(start) >= 3000", 3000.0),
        ("part", 5.0),
    ],
)
def test_waiting_for_the_clock(condition: str, seconds: float) -> None:
    """Time goes by in steps of a cycle; whatever comes first ends the waiting."""
    signals = SignalSchedule((SignalChange(5.0, "part", True), SignalChange(6.0, "part", False),
                        SignalChange(6.5, "part", True)))  # fmt: skip
    steps = steps_of(CLOCK.format(condition=condition), signals=signals)
    waited = sum(step.seconds for step in steps if isinstance(step, Pause))
    assert waited == pytest.approx(seconds, abs=1e-9)


def test_waiting_for_the_clock_for_too_long() -> None:
    with pytest.raises(ProgramError, match=r"line 13.*waits for more than 3600 s in all"):
        steps_of(CLOCK.format(condition="since(start) > 4000"))


def test_waiting_for_ever() -> None:
    with pytest.raises(ProgramError, match=r"waits for ever: no signal changes after 0\.000 s"):
        steps_of(SIGNALS)
    with pytest.raises(ProgramError, match=r"line 15.*waits for ever"):
        steps_of(SIGNALS, signals=SignalSchedule(CHANGES[:3]))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            SignalChange(0.0, "reddy", True),
            "'reddy' is no input signal of the program; did you mean `re",
        ),
        (SignalChange(0.0, "grip", True), "'grip' is no input signal"),
        (SignalChange(0.0, "ready", 1.0), "expected true or false, found 1.0"),
        (SignalChange(0.0, "pressure", True), "expected a number, found True"),
    ],
)
def test_schedules_that_do_not_fit(change: SignalChange, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        interpret(parse(SIGNALS), signals=SignalSchedule((change,)))


def test_the_time_is_asked_only_where_it_matters() -> None:
    """A `ReadTime` makes the robot stop, so there is none without need."""
    text = """program p;
    var signal in bool: ready; signal out bool: grip; bool: seen; int: i; endvar
    function both(bool: a): bool; seq return a and ready; endseq endfct
    function fine(bool: ready): bool; seq return ready; endseq endfct
    seq
      move ptp joint(1);
      grip := fine(true);
      if grip then i := 1; endif
      move ptp joint(2);
      seen := both(true); seen := ready; seen := both(ready);
      wait 1 sec;
      for i := 1 to 3 seen := ready; endfor
    endseq"""
    steps = Clock().every_step(interpret(parse(text)))
    found = [type(step).__name__ for step in steps]
    assert found == ["Move", "SetOutput", "Move", "ReadTime", "Pause", "ReadTime"]


def test_now_needs_an_answer() -> None:
    run = interpret(parse("program p; var real: t = time(); endvar seq endseq"))
    assert next(run) == ReadTime(1)
    with pytest.raises(InputError, match="Moment"):
        next(run)


def test_a_planner_that_rounds_down() -> None:
    """Pauses grow until the time reaches the change, so that no rounding can make a hang."""
    text = "program p; var signal in bool: a; endvar seq wait for a; endseq"

    class Rounding(Clock):
        def pass_by(self, step: Step) -> None:
            self.time += math.floor(step.seconds / 0.01) * 0.01 if isinstance(step, Pause) else 0.0

    clock = Rounding()
    clock.every_step(
        interpret(parse(text), signals=SignalSchedule((SignalChange(0.995, "a", True),)))
    )
    assert 0.995 <= clock.time < 1.05
