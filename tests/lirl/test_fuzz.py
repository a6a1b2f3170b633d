"""Broken programs: thousands of mutations never make a traceback, a hang, or a mistake nowhere.

ERFD_FUZZ sets how many (10,000; `make soak` takes a million).
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from random import Random

import pytest

from erfd.lirl import Mistake, ProgramError, check, format_program, parse
from support.broken_programs import CHARACTERS, SIGNS, SMALL, WORDS, mutated
from support.lirl_programs import EXAMPLE_PROGRAMS, steps_of
from support.seeds import seeded

COUNT = int(os.environ.get("ERFD_FUZZ", "10000"))
PARTS = 4
LONGEST = 5.0  # s of processor time that one program may take; most take 3 ms
GROWTH = 48_000  # kB that the process may grow after its first tenth
resource = pytest.importorskip("resource", reason="memory of a process: not on Windows")
LARGE = [path.read_text() for path in EXAMPLE_PROGRAMS]


@contextmanager
def watched(text: str) -> Iterator[None]:
    """Stop what takes too long, and show the program."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"more than {LONGEST} s for:\n{text}")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def has_place(mistake: Mistake, text: str) -> bool:
    lines = text.split("\n")
    inside = 1 <= mistake.line <= len(lines)
    return inside and 1 <= mistake.column <= len(lines[mistake.line - 1]) + 1


def looked_at(text: str, thorough: bool = True) -> bool:
    """Check, parse, run and format a text; whether it is a program. All agree about that.

    A wrong one is only parsed and formatted, too, if this is to be `thorough`.
    """
    found = check(text)
    assert found == sorted(found)
    assert all(has_place(mistake, text) and mistake.sentence for mistake in found)
    assert all(mistake.render(text) for mistake in found)
    wrong = any(mistake.severity == "error" for mistake in found)
    if wrong and not thorough:
        return False
    try:
        program = parse(text)
    except ProgramError:
        program = None
    assert wrong == (program is None)
    if program is None:
        with suppress(ProgramError):
            format_program(text)
        return False
    neat = format_program(text)
    assert parse(neat) == program
    assert format_program(neat) == neat
    try:
        steps_of(program, steps=2000, moves=200)
    except ProgramError as error:
        trouble = error.mistakes
    else:
        trouble = []
    assert all(has_place(mistake, text) for mistake in trouble)
    return True


@pytest.mark.parametrize("part", range(PARTS))
def test_mutated_programs(part: int) -> None:
    random = Random(seeded(part))
    bounds = (COUNT * part // PARTS, COUNT * (part + 1) // PARTS)
    valid = 0
    start = 0
    for k in range(*bounds):
        whole = random.random() < 0.01
        text = mutated(random.choice(LARGE if whole else SMALL), random)
        with watched(text):
            try:
                valid += looked_at(text, thorough=k % 20 == 0)
            except Exception as error:
                error.add_note(f"program {k}:\n{text}")
                raise
        if k == bounds[0] + (bounds[1] - bounds[0]) // 10:
            start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert 0.02 < valid / (bounds[1] - bounds[0]) < 0.5  # neither all broken nor all fine
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start < GROWTH


@pytest.mark.parametrize("text", [*SMALL, *LARGE], ids=lambda text: text.split()[1])
def test_the_programs_themselves(text: str) -> None:
    assert looked_at(text)


def test_random_texts() -> None:
    """No program at all: words, signs and characters in any order."""
    random = Random(seeded(0))
    for _ in range(max(COUNT // 10, 100)):
        known = random.choice((WORDS, SIGNS, (*WORDS, *SIGNS), CHARACTERS))
        joint = random.choice((" ", "", "\n"))
        text = joint.join(random.choice(known) for _ in range(random.randrange(80)))
        with watched(text):
            assert not looked_at(text)


MANY = 4000
LONG = {
    "braces": "{" * 1_000_000,
    "digits": "1" * 1_000_000,
    "quotes": '"' * 50_000,
    "dots": "program p; seq x := " + "1." * MANY,
    "chain": "program p; "
    + "".join(f"procedure a{i}; seq a{i + 1}; endseq endproc " for i in range(MANY))
    + f"procedure a{MANY}; seq halt; endseq endproc seq a0; endseq",
    "readers": "program p; "
    + "".join(f"function a{i}: real; seq return a{i + 1}; endseq endfct " for i in range(MANY))
    + f"function a{MANY}: real; seq return time(); endseq endfct seq wait a{MANY} sec; endseq",
    "unknown": "program p; seq " + "".join(f"abc{i} := 1;" for i in range(MANY)) + " endseq",
    "known": "program p; var "
    + "".join(f"int: abc{i};" for i in range(MANY))
    + " endvar seq "
    + "".join(f"xbc{i} := 1;" for i in range(40))
    + "endseq",
    "holes": "program p; seq " + "x := ;" * MANY + " endseq",
    "signs": "program p; seq x := " + "-" * MANY + "1; endseq",
    "not": "program p; seq x := " + "not " * MANY + "true; endseq",
    "powers": "program p; seq x := " + "2 ** -" * MANY + "1; endseq",
    "parts": "program p; var pose: a; endvar seq a := a" + ".pos" * MANY + "; endseq",
    "labels": "program p; seq case 1 of "
    + "".join(f"when {i}: " for i in range(MANY))
    + " endcase endseq",
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_long_texts(text: str) -> None:
    """Nothing grows with the square of the length."""
    with watched(text[:100]):
        found = check(text)
        assert all(has_place(mistake, text) for mistake in found)
        with suppress(ProgramError):
            steps_of(parse(text), seconds=1.0)
