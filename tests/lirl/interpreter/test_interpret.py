"""Running a program: the demonstration, and control flow against Python."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erfd.planning.moves import STAY, Halt, JointTarget, Pause
from support.demonstration import LISTING, angles, points, rotation
from support.lirl_programs import results, steps_of
from support.paths import EXAMPLES

FAST = settings(max_examples=60, deadline=None)


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
