"""Nothing hangs: budgets of steps, time, moves and waiting; recursion within bounds."""

from __future__ import annotations

import math

import pytest

from erfd.lirl import ProgramError, interpret, parse
from support.lirl_programs import results, steps_of

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
