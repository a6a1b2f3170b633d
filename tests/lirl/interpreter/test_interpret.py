"""Running a program: control flow against Python, steps in SI units, signals, budgets."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erfd.errors import InputError
from erfd.lirl import ProgramError, SignalChange, SignalSchedule, interpret, parse
from erfd.planning.moves import (
    STAY,
    Carry,
    Halt,
    Increment,
    JointIncrement,
    JointTarget,
    Move,
    Now,
    Pause,
    PoseTarget,
    SetOutput,
    Step,
)
from erfd.robot.payload import Payload
from erfd.robot.pose import Pose
from support.demonstration import LISTING, angles, points, rotation
from support.lirl_programs import Clock, results, steps_of
from support.paths import EXAMPLES

FAST = settings(max_examples=60, deadline=None)


def one(statement: str, declarations: str = "", **options) -> Move:
    """The move of a program with one move."""
    text = f"program p; var {declarations} endvar seq {statement} endseq"
    (step,) = steps_of(text, **options)
    assert isinstance(step, Move)
    return step


# the demonstration


def test_the_demonstration() -> None:
    """13 moves; the points of the listing, its angles by a second computation, its words."""
    text = (EXAMPLES / "lola15_demo.irl").read_text()
    steps = steps_of(text, robot_name="lola15", n=6)
    assert [step.kind for step in steps] == [
        *("ptp", "circle", "circle", "lin", "circle", "lin", "lin", "circle", "lin", "circle"),
        *("ptp", "ptp", "ptp"),
    ]
    known, oriented = points(s9_lowered=False), angles()
    configs = {name: int(code) for name, code in re.findall(r"(s\d+)=.*\)\), (\d)", LISTING)}
    passed = set()
    for step in steps[:10]:
        for name, target in zip(step.names, step.targets, strict=True):
            name = name.removesuffix("_a")
            passed.add(name)
            assert target.position == pytest.approx(known[name] / 1000, abs=1e-12)
            if name in oriented:
                turned = np.array(target.rotation)
                assert turned == pytest.approx(rotation(oriented[name]), abs=1e-12)
                assert target.config == configs[name]
            else:
                assert target.rotation is None
                assert target.config == STAY
    assert passed == set(known)
    lines = text.splitlines()
    for step in steps:
        assert lines[step.line - 1].split()[:2] == ["move", step.kind]
        words = dict(re.findall(r"(\w+)=([\d.]+)", lines[step.line - 1]))
        if step.kind != "ptp":
            assert step.speed == pytest.approx(float(words["speed"]) / 1000)
            assert step.acc == pytest.approx(float(words["acc"]) / 1000)
            assert step.c_ori in lines[step.line - 1]
        else:
            assert step.speed_ptp == float(words["speed_ptp"])
        assert step.c_cp == (0.15 if "c_cp" in words else None)
        assert step.c_speed == ("c_speed" in lines[step.line - 1])
    assert [step.c_ptp for step in steps] == [True] + [False] * 12
    assert steps[10].targets == steps[12].targets == (JointTarget((0.0,) * 5),)
    home = np.radians([-115.70, 55.70, 68.70])
    assert steps[11].targets[0].joints == pytest.approx(home)


# control flow


@FAST
@given(st.integers(-9, 9), st.integers(-9, 9), st.integers(-4, 4).filter(bool))
def test_for_counts_like_range(first: int, last: int, step: int) -> None:
    body = f"for i := {first} to {last} step {step} r1 := r1 * 5 + i; r2 := r2 + 1; endfor"
    found = results(f"r1 := 0; r2 := 0; {body}", "int", "int", declarations="int: i;")
    total, count = 0, 0
    for i in range(first, last + (1 if step > 0 else -1), step):
        total, count = total * 5 + i, count + 1
    assert found == [total, count]


@FAST
@given(st.integers(1, 400), st.integers(1, 400))
def test_while_repeat_and_recursion_agree(a: int, b: int) -> None:
    """The greatest common divisor in three ways."""
    routines = """
      function gcd(int: a, b): int;
      seq
        if b = 0 then return a; endif
        return gcd(b, a mod b);
      endseq
      endfct
      procedure reduce(var int: a, b);
      var int: rest; endvar
      seq
        repeat
          rest := a mod b; a := b; b := rest;
        until b = 0;
      endseq
      endproc
    """
    body = f"""
      x := {a}; y := {b};
      while x <> y
        if x > y then x := x - y; else y := y - x; endif
      endwhile
      r1 := x; r2 := gcd({a}, {b}); p := {a}; q := {b}; reduce(p, q); r3 := p;
    """
    found = results(body, "int", "int", "int", declarations="int: x, y, p, q;", routines=routines)
    assert found == [math.gcd(a, b)] * 3


@FAST
@given(st.lists(st.integers(-99, 99), min_size=1, max_size=8))
def test_sorting_through_var_parameters(numbers: list[int]) -> None:
    n = len(numbers)
    routines = """
      procedure order(var int: a, b);
      var int: c; endvar
      seq
        if a > b then c := a; a := b; b := c; endif
      endseq
      endproc
    """
    body = f"""
      for i := 1 to {n} for j := 1 to {n} - i order(a[j], a[j + 1]); endfor endfor
      for i := 1 to {n} r1 := a[i]; endfor
    """
    declared = f"int: i, j; array[{n}] of int: a = {numbers};"
    text = f"program t; var signal out int: r1; {declared} endvar {routines} seq {body} endseq"
    assert [step.value for step in steps_of(text)] == sorted(numbers)


@FAST
@given(st.integers(-5, 15))
def test_case(x: int) -> None:
    body = f"""
      case {x} of
        when 1, 3: r1 := 13;
        when 5..9: r1 := 59;
        when -2: r1 := -2;
        else r1 := 0;
      endcase
      case string({x}) of when "7": r2 := 1; else r2 := 2; endcase
    """
    first = 13 if x in (1, 3) else 59 if 5 <= x <= 9 else -2 if x == -2 else 0
    assert results(body, "int", "int") == [first, 1 if x == 7 else 2]


def test_names_inside_routines_hide_those_outside() -> None:
    routines = """
      procedure count(int: x);
      var int: y = 10; endvar
      seq y := y + x; x := 0; r1 := y; endseq
      endproc
      function twice(real: sin): real; seq return 2 * sin; endseq endfct
    """
    body = "x := 5; y := 1; count(x); r2 := x + y; r3 := twice(4);"
    declared = "int: x, y;"
    found = results(body, "int", "int", "real", declarations=declared, routines=routines)
    assert found == [15, 6, 8.0]


def test_the_element_of_a_var_parameter_is_chosen_once() -> None:
    """`a[i]` is the element that it was when the call began, even if the routine changes i."""
    routines = "procedure set(var int: e, i); seq i := 2; e := 7; endseq endproc"
    declared = "int: i = 1; array[2] of int: a = [0, 0];"
    body = "set(a[i], i); r1 := a[1]; r2 := a[2];"
    assert results(body, "int", "int", declarations=declared, routines=routines) == [7, 0]


def test_return_and_halt() -> None:
    text = """program p;
      procedure stop(int: i);
      seq
        if i = 3 then halt; endif
        if i = 1 then return; endif
        wait i sec;
      endseq
      endproc
      var int: i; endvar
      seq for i := 1 to 9 stop(i); endfor endseq"""
    assert steps_of(text) == [Pause(2.0, 6), Halt(4)]


# moves


def test_units_and_defaults() -> None:
    plain = one("move lin position(100, 200, 300);")
    assert plain == Move(
        "lin",
        (PoseTarget((0.1, 0.2, 0.3)),),
        1,
        "position(100, 200, 300)",
        speed=0.25,
        acc=1.0,
        names=("position(100, 200, 300)",),
    )
    full = one(
        """move circle a, b speed=500 acc=2000 speed_ori=90 acc_ori=180 c_speed c_cp=25
             c_ori=o_pvo angle=360 tool=t frame=f;""",
        """robtarg: a = robtarg(position(1, 2, 3)); pose: b = ((4, 5, 6), (90, 0, 0));
           pose: t = ((0, 0, 120), (0, 0, 180)), f = ((1000, 0, 0), (0, 0, 0));""",
    )
    assert full.names == ("a", "b")
    assert full.name == "b"
    assert (full.speed, full.acc) == (0.5, 2.0)
    assert full.speed_ori == pytest.approx(math.pi / 2)
    assert full.acc_ori == pytest.approx(math.pi)
    assert full.angle == pytest.approx(2 * math.pi)
    assert full.c_cp == pytest.approx(0.025)
    assert full.c_speed
    assert not full.c_ptp
    assert full.c_ori == "o_pvo"
    assert full.tool == Pose((0.0, 0.0, 0.12), (math.pi, 0.0, 0.0))
    assert full.frame == Pose((1.0, 0.0, 0.0))
    assert full.targets[1].rotation == ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))


@FAST
@given(st.lists(st.floats(-180, 180), min_size=1, max_size=6), st.sampled_from(["", "_inc"]))
def test_axes(axes: list[float], way: str) -> None:
    listed = ", ".join(map(repr, axes))
    move = one(f"move{way} ptp joint(mainjoint({listed}));", n=6)
    expected = JointTarget if way == "" else JointIncrement
    assert move.targets == (expected(tuple(math.radians(x) for x in axes)),)


def test_sliding_axes_are_in_millimetres() -> None:
    move = one("move ptp joint(90, 0, 250);", n=3, prismatic=(3,))
    assert move.targets[0].joints == pytest.approx((math.pi / 2, 0.0, 0.25))


def test_relative_moves() -> None:
    assert one("move_inc lin position(0, 0, 50);").targets == (Increment((0.0, 0.0, 0.05)),)
    based = one("move_inc lin (0, 10, 0) ref=base;")
    assert based.targets == (Increment((0.0, 0.01, 0.0), None, "base"),)
    turned = one("move_inc lin orientation(90, 0, 0);").targets[0]
    assert turned.translation == (0.0, 0.0, 0.0)
    assert turned.rotation == ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    both = one("move_inc ptp ((1, 2, 3), (90, 0, 0));").targets[0]
    assert both == Increment((0.001, 0.002, 0.003), turned.rotation)


@pytest.mark.parametrize("name", ["lola_15", "LOLA-15", "Lola15"])
def test_the_right_robot(name: str) -> None:
    one(f'move ptp joint(1) act_rob="{name}";', robot_name="lola15")
    with pytest.raises(ProgramError, match="the robot is"):
        one(f'move ptp joint(1) act_rob="{name}";', robot_name="puma560")


def test_too_many_axes() -> None:
    declared = "joint: j = joint(1, 2, 3, 4);"
    with pytest.raises(ProgramError, match="the robot has 3 axes, found 4"):
        one("move ptp j;", declared, n=3)


def test_settings_belong_to_one_move() -> None:
    text = "program p; seq move lin (1, 2, 3) speed=100 c_speed; move lin (4, 5, 6); endseq"
    first, second = steps_of(text)
    assert (first.speed, first.c_speed) == (0.1, True)
    assert (second.speed, second.c_speed) == (0.25, False)


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("speed=zero", "above 0 mm/s"),
        ("speed_ptp=zero + 2", "at most 1"),
        ("c_cp=zero - 1", "at least 0 mm"),
        ("angle=zero", "above 0 deg"),
    ],
)
def test_numbers_out_of_range(option: str, said: str) -> None:
    with pytest.raises(ProgramError, match=said) as caught:
        one(f"move lin (1, 2, 3) {option};", "real: zero = 0;")
    assert caught.value.mistakes[0].column > 50


def test_payload_and_waits() -> None:
    text = """program p; seq
      payload 2.5 at (0, 0, 100); wait 0.5 sec; payload 1; payload none; endseq"""
    assert steps_of(text) == [
        Carry(Payload(2.5, (0.0, 0.0, 0.1)), 2),
        Pause(0.5, 2),
        Carry(Payload(1.0), 2),
        Carry(None, 2),
    ]


# signals

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
    """A `Now` makes the robot stop, so there is none without need."""
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
    assert found == ["Move", "SetOutput", "Move", "Now", "Pause", "Now"]


def test_now_needs_an_answer() -> None:
    run = interpret(parse("program p; var real: t = time(); endvar seq endseq"))
    assert next(run) == Now(1)
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


# nothing hangs

ENDLESS = {
    "steps": "while true x := x + 1; x := 0; endwhile",
    "empty loop": "while true endwhile",
    "repeat": "repeat until false;",
    "long for": "for x := 1 to 9007199254740992 endfor",
    "signal": "while not s endwhile",
    "copies": "while true b := a; endwhile",
    "lists": "for x := 1 to 1000000 a[1] := 1; endfor",
}


@pytest.mark.parametrize("body", ENDLESS.values(), ids=ENDLESS)
def test_step_budget(body: str) -> None:
    declared = "int: x = 0; array[10000] of int: a, b; signal in bool: s;"
    text = f"program p; var {declared} endvar seq {body} endseq"
    with pytest.raises(ProgramError, match="more than 20000 steps") as caught:
        steps_of(text, steps=20_000)
    assert caught.value.mistakes[0].column > 70


def test_time_budget() -> None:
    with pytest.raises(ProgramError, match=r"computed for more than 0\.01 s"):
        steps_of("program p; seq while true endwhile endseq", steps=10**9, seconds=0.01)


def test_the_planners_time_does_not_count() -> None:
    import time

    run = interpret(parse("program p; seq halt; halt; endseq"), seconds=0.05)
    next(run)
    time.sleep(0.1)
    with pytest.raises(StopIteration):
        next(run)


def test_move_and_wait_budgets() -> None:
    with pytest.raises(ProgramError, match="more than 10 moves"):
        steps_of("program p; seq while true move ptp joint(1); endwhile endseq", moves=10)
    with pytest.raises(ProgramError, match="more than 3600 s"):
        steps_of("program p; seq while true wait 99 sec; endwhile endseq")


RECURSIVE = {
    "procedure": "procedure f(int: n); seq f(n + 1); endseq endproc seq f(1); endseq",
    "function": """function f(int: n): int; seq return 1 + f(n + 1); endseq endfct
                   var int: x; endvar seq x := f(1); endseq""",
    "deep": """function f(int: n): int; seq
                 if n > 0 then if n > 0 then if n > 0 then return 1 + (2 * (3 + (4 * f(n + 1))));
                 endif endif endif
               endseq endfct var int: x; endvar seq x := f(1); endseq""",
    "arrays": """procedure f; var array[9000] of real: a; endvar seq f; endseq endproc
                 seq f; endseq""",
}


@pytest.mark.parametrize("text", RECURSIVE.values(), ids=RECURSIVE)
def test_recursion_is_bounded(text: str) -> None:
    with pytest.raises(ProgramError, match=r"deep|more than 100000 elements") as caught:
        steps_of(f"program p; {text}")
    assert caught.value.mistakes[0].line >= 1


def test_recursion_is_allowed() -> None:
    routines = """function fac(int: n): int;
      seq if n < 2 then return 1; endif return n * fac(n - 1); endseq endfct"""
    assert results("r1 := fac(17);", "int", routines=routines) == [math.factorial(17)]


def test_a_function_without_its_return() -> None:
    routines = "function f(int: n): int; seq if n > 0 then return 1; endif endseq endfct"
    with pytest.raises(ProgramError, match="ended without a `return`"):
        results("r1 := f(0);", "int", routines=routines)


def test_long_sums_and_chains() -> None:
    """Depth comes from brackets alone, so no length of a line is too much."""
    assert results(f"r1 := {'1 + ' * 5000}1;", "int") == [5001]
    branches = "".join(f"elsif x = {i} then r1 := {i}; " for i in range(2000))
    body = f"if x < 0 then r1 := -1; {branches} endif"
    assert results(body, "int", declarations="int: x = 1999;") == [1999]
