"""How the tool turns: evenly within each move, or smoothly across moves; who decides."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from erfd.errors import InputError, RobotError
from erfd.lirl import check, format_program, interpret, parse
from erfd.planning.moves import Move, StepError
from erfd.planning.plan import Plan
from erfd.planning.planner import plan
from support.lola_moves import LOLA, READY, TOOL
from support.path_programs import Way, numbers, random_program


def off_even(made: Plan, ways: list[Way], moves: list[Move]) -> list[float]:
    """By how much (rad) each move's orientation is off an even turn over its path, at most."""
    turns = [TOOL[:3, :3], *(np.array(move.targets[-1].rotation) for move in moves)]
    result = []
    for k, way in enumerate(ways):
        own = np.flatnonzero(made.move == k)
        s, _ = way.found(made.poses[own, :3, 3])
        even = Slerp([0, way.length], Rotation.from_matrix(turns[k : k + 2]))
        gap = even(np.clip(s, 0, way.length)).inv() * Rotation.from_matrix(made.poses[own, :3, :3])
        result.append(float(gap.magnitude().max()))
    return result


@settings(max_examples=30, deadline=None)
@given(numbers, st.integers(2, 4))
def test_even_turns_are_even_shares_of_the_path(rng, count) -> None:
    """Against SciPy's interpolation, to rounding; smooth ones are not, but take the same path."""
    ways, moves = random_program(rng, count, True, c_speed=True)
    made = plan(LOLA, moves, q0=READY, turning="even")
    assert [m.blend for m in made.moves] == ["c_speed"] * (count - 1) + ["stop"]
    assert max(off_even(made, ways, moves)) < 1e-7  # where the point is on its path, by its length
    smooth = plan(LOLA, moves, q0=READY, turning="smooth")
    assert (smooth.poses[:, :3, 3] == made.poses[:, :3, 3]).all()
    assert max(off_even(smooth, ways, moves)) > 1e-3


@settings(max_examples=20, deadline=None)
@given(numbers)
def test_a_junction_is_smooth_if_both_of_its_moves_are(rng) -> None:
    ways, moves = random_program(rng, 4, True, c_speed=True)
    mixed = [
        replace(m, turning=t) for m, t in zip(moves, (*["even"] * 2, *["smooth"] * 2), strict=True)
    ]
    off = off_even(plan(LOLA, mixed, q0=READY), ways, moves)
    assert max(off[:2]) < 1e-7
    assert min(off[2:]) > 1e-5
    alone = [replace(m, turning="even" if k == 1 else None) for k, m in enumerate(moves)]
    off = off_even(plan(LOLA, alone, q0=READY), ways, moves)
    assert max(off[:2]) < 1e-7  # the first one has no other neighbour


def test_plan_before_move_before_robot() -> None:
    rng = np.random.default_rng(1)
    _, moves = random_program(rng, 3, True, c_speed=True)
    even = plan(LOLA, moves, q0=READY, turning="even").poses
    smooth = plan(LOLA, moves, q0=READY, turning="smooth").poses
    assert np.abs(even - smooth).max() > 1e-3
    said = [replace(move, turning="even") for move in moves]
    robot = replace(LOLA, turning="even")
    assert LOLA.turning == "smooth"
    assert (plan(LOLA, moves, q0=READY).poses == smooth).all()
    assert (plan(LOLA, said, q0=READY).poses == even).all()
    assert (plan(robot, moves, q0=READY).poses == even).all()
    smoothly = [replace(move, turning="smooth") for move in moves]
    assert (plan(robot, smoothly, q0=READY).poses == smooth).all()
    assert (plan(robot, said, q0=READY, turning="smooth").poses == smooth).all()


@settings(max_examples=20, deadline=None)
@given(numbers, st.sampled_from(["even", "smooth"]))
def test_rates_jump_where_even_turns_meet_and_only_there(rng, turning) -> None:
    """A tenth of the cycle, a tenth of the largest change of the rate; or all of it in one."""
    _, moves = random_program(rng, 2, True, c_speed=True, turning=turning)
    moves = [replace(move, speed=0.2, acc=1.0) for move in moves]
    changes = []
    for dt in (1e-3, 1e-4):
        r = plan(LOLA, moves, dt, q0=READY).poses[:, :3, :3]
        rates = Rotation.from_matrix(r[1:] @ np.swapaxes(r[:-1], 1, 2)).as_rotvec() / dt
        changes.append(np.linalg.norm(np.diff(rates, axis=0), axis=1).max())
    assume(changes[0] > 0.05)
    if turning == "smooth":
        assert changes[1] < 0.2 * changes[0]
    else:
        assert changes[1] > 0.45 * changes[0]  # in one cycle, or over two


PROGRAM = """program p;
seq
  move ptp joint(0, 20, -20, 0, -60, 0);
  turning EVEN;
  move lin (900, 0, 800) c_speed;
  turning smooth;
  move lin (900, 100, 800);
endseq
"""


def test_the_word_of_a_program() -> None:
    assert not check(PROGRAM, LOLA)
    steps = [step for step in interpret(parse(PROGRAM), LOLA) if isinstance(step, Move)]
    assert [step.turning for step in steps] == [None, "even", "smooth"]
    text = format_program(PROGRAM)
    assert "  turning even;\n" in text.lower()
    assert parse(text) == parse(PROGRAM)


def test_words_that_are_none() -> None:
    (mistake,) = check(PROGRAM.replace("EVEN", "evn"), LOLA)
    assert mistake.sentence == "`turning` is `even` or `smooth`, found `evn`"
    assert (mistake.line, mistake.column) == (4, 11)
    with pytest.raises(RobotError, match="turning: expected 'even' or 'smooth', found 'round'"):
        replace(LOLA, turning="round")
    with pytest.raises(InputError, match="turning: expected one of even, smooth, found 'round'"):
        plan(LOLA, [], turning="round")
    _, moves = random_program(np.random.default_rng(1), 1, True, turning="round")
    with pytest.raises(StepError, match="turning: expected even or smooth, found 'round'"):
        plan(LOLA, moves, q0=READY)


def test_a_function_cannot_say_it() -> None:
    text = "program p; function f(): int; seq turning even; return 1; endseq endfct seq endseq"
    assert any("f" in m.sentence and m.severity == "error" for m in check(text))
