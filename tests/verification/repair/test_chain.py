"""Trials of a repair: what lies between two stops is planned apart, and nothing differs for it."""

import random
from itertools import islice

import pytest

import erfd
from erfd.planning.moves import Move
from erfd.verification import verify
from erfd.verification.repair import repair
from erfd.verification.repair.chain import RepairSetup, TrialChain, TrialOutcome
from erfd.verification.repair.values import capped, caps_of, index_at_speed, values_by_line
from erfd.verification.trial import Deadline, TimeIsUpError
from support.infeasible_programs import infeasible, random_program

pytestmark = pytest.mark.usefixtures("compiled")
LOLA = erfd.load("lola15")


def same_verdict(pieces: TrialOutcome, whole: TrialOutcome) -> None:
    """Both feasible, or what fails first fails alike: behind it an arm may be off its path."""
    assert pieces.feasible == whole.feasible
    assert pieces.seconds == pytest.approx(whole.seconds, abs=1e-9)
    if not whole.feasible:
        line, first = min(whole.blamed.items(), key=lambda item: item[1].start)
        assert pieces.blamed[line].part == pytest.approx(first.part, rel=1e-6, abs=1e-9) or (
            pieces.blamed[line].part > 0.9 * first.part  # of an arm that is off its path
        )


@pytest.mark.parametrize("dt", [None, 0.0025])
def test_pieces_make_the_whole(dt: float | None) -> None:
    """From feasible to not: pieces between stops, one by one, and the whole program in one run."""
    die, feasible = random.Random(1), []
    programs = infeasible(die, LOLA, dt=dt, payload=erfd.Payload(9.0))
    for _, found in islice((pair for pair in programs if pair[1].plan.reachable), 3):
        chain = TrialChain(RepairSetup.of(found, None, payloads=(None, erfd.Payload(30.0))))
        values = [v for own in values_by_line(found.steps, found.plan.moves).values() for v in own]
        for _ in range(5):
            percent = die.uniform(20, 110)
            caps = caps_of({v: index_at_speed(v, percent * die.uniform(0.8, 1.25)) for v in values})
            whole = chain.changed(lambda step, caps=caps: capped(step, caps))
            same_verdict(chain.attempt(caps), whole)
            feasible.append(whole.feasible)
    assert 1 < sum(feasible) < len(feasible) - 1


@pytest.mark.parametrize("dt", [None, 0.0025])
def test_a_trial_is_what_verify_says(dt: float | None) -> None:
    """Without caps, what fails first in a trial is that of the verification."""
    text = random_program(random.Random(3))
    found = verify(text, LOLA, dt=dt, wrench=[50, 0, -100, 0, 0, 0])
    outcome = TrialChain(RepairSetup.of(found, None)).attempt({})
    first = min((event for event in found.run.events if event.fails), key=lambda e: e.start)
    assert found.line_at(first.start) in outcome.blamed
    assert outcome.seconds == pytest.approx(found.seconds)
    slow = repair(text, LOLA, dt=dt).verification
    assert TrialChain(RepairSetup.of(slow, None)).attempt({}).feasible


def test_passes_of_a_loop_are_planned_once() -> None:
    text = (
        "program p; var int: i; endvar seq\nfor i := 1 to 20\n"
        "move ptp joint(mainjoint(20)) speed_ptp=0.3;\nmove ptp joint(mainjoint(0));\n"
        "endfor endseq"
    )
    chain = TrialChain(RepairSetup.of(verify(text, LOLA), None))
    assert len(chain._pieces) == 40
    assert len({piece.number for piece in chain._pieces}) == 2
    assert chain.attempt({}).feasible


def test_a_program_that_asks_for_the_time_is_tried_as_a_whole() -> None:
    text = "program p; seq\nwhile time() < 3 move ptp joint(mainjoint(20)) speed_ptp=0.3;\n" \
        "move ptp joint(mainjoint(0)) speed_ptp=0.3; endwhile endseq"  # fmt: skip
    found = verify(text, LOLA)
    chain = TrialChain(RepairSetup.of(found, None))
    assert chain._pieces == []
    slower = chain.attempt({(2, "speed_ptp"): 0.1, (3, "speed_ptp"): 0.1})
    assert slower.feasible
    assert len([step for step in found.steps if isinstance(step, Move)]) == 6
    assert slower.seconds < 2 * found.seconds  # fewer passes: else it would be three times


def test_what_cannot_be_interpreted_is_an_outcome() -> None:
    text = "program p; var int: i = 0; endvar seq\nmove ptp joint(mainjoint(20));\n" \
        "if time() > 3 then i := 1 div i; endif endseq"  # fmt: skip
    chain = TrialChain(RepairSetup.of(verify(text, LOLA), None))
    outcome = chain.attempt({(2, "speed_ptp"): 0.01})
    assert not outcome.feasible
    assert "zero" in outcome.sentence


def test_the_planning_of_a_long_program_ends_with_its_time() -> None:
    """No step is planned after the time is up, whether for the pieces or as a whole."""
    found = verify("program p; seq move ptp joint(mainjoint(10)); endseq endprogram", LOLA)
    chain = TrialChain(RepairSetup.of(found, None), Deadline(0.0))
    with pytest.raises(TimeIsUpError):
        chain.given  # noqa: B018
    steps = []
    with pytest.raises(TimeIsUpError):
        chain.changed(lambda step: steps.append(step) or step)
    assert not steps
    chain.deadline = Deadline()
    assert chain.attempt({}).feasible
