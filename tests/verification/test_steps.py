"""One verdict, whatever the step: a step of velocity takes a cycle of the controller."""

import os
import random

import numpy as np
import pytest

import erfd
from erfd.lirl import interpret, parse
from erfd.verification import verify
from support.step_programs import STEPS, clear, disagreements, random_program

pytestmark = pytest.mark.usefixtures("compiled")
LOLA = erfd.load("lola15")
MORE = int(os.environ.get("ERFD_EXAMPLES", "1"))
TURN = """program p;
var
  robtarg: a = robtarg(((900, -150, 500), (0, -60, -175)), 4);
  robtarg: b = robtarg(((900, 50, 500), (0, -60, -175)), 4);
  robtarg: c = robtarg(((900, 250, 500), (0, -55, -175)), 4);
endvar
seq
  move ptp a speed_ptp=0.4;
  move lin b speed=200 c_speed;
  move lin c speed=200;
endseq
"""
"""The tool begins to turn at b without a stop: with even turning a step of velocity."""


def test_random_programs_have_one_verdict() -> None:
    """From 0.5 to 20 ms, unless what fails does so by less than 2 % of its limit."""
    seed = 4 if MORE == 1 else random.randrange(10**9)
    differ = [f"seed {seed}:\n{text}" for text, _ in disagreements(12 * MORE, seed)]
    assert not differ, "\n".join(differ)


def test_there_are_programs_of_both_kinds_among_them() -> None:
    die = random.Random(4)
    found = [verify(random_program(die), LOLA) for _ in range(12)]
    assert {v.feasible for v in found} == {True, False}
    assert any(map(clear, found))


def test_a_step_of_velocity_is_no_harder_at_a_finer_step() -> None:
    """Planned at 1 ms, the step asks for ten times the acceleration: no motor gives it."""
    fine = erfd.plan(LOLA, interpret(parse(TURN), LOLA), 0.001, turning="even")
    assert not erfd.achievable(LOLA, fine.trajectory).feasible
    found = [verify(TURN, LOLA, dt=dt, turning="even") for dt in STEPS]
    assert all(v.feasible for v in found)
    torque = np.array([v.moves[2].torque.max() for v in found])
    asked = np.array([v.moves[2].acceleration.max() for v in found])
    assert torque == pytest.approx(torque[-1], rel=0.02)
    assert asked == pytest.approx(asked[-1], rel=1e-6)


def test_the_last_cycle_brakes_whatever_the_step() -> None:
    """A program that ends with a hard stop: the cycle in which it comes to rest is judged."""
    text = """program p; seq
move ptp joint(mainjoint(0, 20, -20, 0, -60, 0));
move_inc lin position(0, 0, -80) ref=base speed=300 acc=2000 c_speed;
move_inc lin position(0, 0, -30) ref=base speed=300 acc=40000;
endseq endprogram
"""
    found = [erfd.verify(text, erfd.load("lola15"), dt=dt) for dt in (None, 0.005, 0.001)]
    assert [verification.feasible for verification in found] == [False] * 3
    assert len({round(verification.seconds, 9) for verification in found}) == 1


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("dt", [0.01, 0.0025, 0.001])
def test_a_move_right_to_the_limits_is_within_them(dt: float) -> None:
    """Positions are sums of thousands of steps; what rounding leaves beyond a limit is no event."""
    text = """program p; seq
    move ptp joint(mainjoint(170, -100, 90, 350, -120, -350)) speed_ptp=0.3 acc_ptp=0.3;
    wait 0.1 sec;
    move ptp joint(mainjoint(0, 0, 0, 0, -30, 0)) speed_ptp=0.3 acc_ptp=0.3;
    endseq endprogram"""
    found = verify(text, erfd.load("lola15"), dt=dt)
    assert found.feasible, found.verdict
