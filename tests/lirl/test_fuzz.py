"""Broken programs: thousands of mutations never make a traceback, a hang, or a mistake nowhere.

ERFD_FUZZ sets how many (10,000; `make soak` takes a million).
"""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from random import Random

import pytest

from erfd.lirl import Mistake, ProgramError, check, format_program, parse
from erfd.lirl.parser.scan import scan
from erfd.lirl.words import KEYWORDS, OPTIONS, TYPES
from lirl_programs import EXAMPLES, steps_of

COUNT = int(os.environ.get("ERFD_FUZZ", "10000"))
PARTS = 4
LONGEST = 5.0  # s of processor time that one program may take; most take 3 ms
GROWTH = 48_000  # kB that the process may grow after its first tenth

SMALL = [
    """program loops; var int: i, n = 3; real: x = 1.5; array[3] of real: a = [1, 2, 3]; endvar
    seq for i := 1 to n step 2 x := x + a[i] * sin(30.5); endfor
      while n < 5 n := n + 1; endwhile repeat n := n - 2; until n <= 0 or x ** 2 > 1e3;
    endseq""",
    """program branches; var int: n = 3; bool: b = true; endvar seq
      if n > 2 and not (n = 3) then halt; elsif b xor false then wait 0.5 sec; else n := -n; endif
      case n of when 1, 2: halt; when 3..5: n := n mod 2; else n := 7 div 2; endcase // done
    endseq endprogram""",
    """program targets; var robtarg: t = robtarg(((1, 2, 3), (4, 5, 6)), 4); endvar
    const pose: f = ((0, 0, 1), (90, 0, 0)); endconst seq
      t.pos.x := t.pos.x - 5; { moved } move lin t + (0, 0, 9) speed=100 c_speed frame=f;
      move circle position(1, 2, 3), inverse(f) * (3, 4, 5) angle=360 act_rob="lola_15";
      move ptp joint(mainjoint(1, 2, 3)) speed_ptp=.5; move_inc lin (0, 0, 8) ref=base; endseq""",
    """program routines;
    function mid(position: a, b): position; seq return (a + b) / 2; endseq endfct
    procedure count(bool: up; var int: n); seq if up then n := n + 1; endif endseq endproc
    var int: n = 0; position: p; endvar
    seq count(n mod 2 = 0, n); p := mid((1, 2, 3), (4, 5, 6)); move lin p; endseq""",
    """program signals; var signal in bool: ready = true; signal out real: glue; endvar
    seq wait for ready; glue := distance(here().pos, (1, 2, 3)); payload 5 at (0, 0, 60);
      wait time() / 10 sec; payload none; endseq""",
]
LARGE = [path.read_text() for path in EXAMPLES]
WORDS = (*KEYWORDS, *TYPES, *OPTIONS, "sin", "here", "x", "a", "0", "1", "99999999999999999999")
SIGNS = (";", ":", ",", "(", ")", "[", "]", ":=", "=", "+", "-", "**", "<>", "..", ".", "{", "}")
CHARACTERS = " \n\t;:,()[]=+-*/<>.{}\"'@#$äž\x00\u2028\U0001f916abcXYZ_019e"


def mutated(text: str, random: Random) -> str:
    """The text with a few tokens or characters deleted, doubled, swapped, inserted or replaced."""
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        way = random.random()
        if way < 0.6:
            tokens, _ = scan(text, comments=True)
            if way < 0.2 and len(tokens) > 1:  # a name for a name, a number for a number
                one = random.choice(tokens[:-1])
                one.text = random.choice([t.text for t in tokens if t.kind == one.kind])
            pieces = [token.text + "\n" * (token.kind == "COMMENT") for token in tokens[:-1]] or [
                ""
            ]
            text = " ".join(pieces if way < 0.2 else edited(pieces, random, (*WORDS, *SIGNS)))
        else:
            text = "".join(edited(list(text) or [""], random, CHARACTERS))
    return text


def edited(pieces: list[str], random: Random, known: tuple[str, ...] | str) -> list[str]:
    i, j = random.randrange(len(pieces)), random.randrange(len(pieces))
    way = random.randrange(7)
    if way == 0:
        del pieces[i]
    elif way == 1:
        pieces.insert(i, random.choice(known))
    elif way == 2:
        pieces[i] = random.choice(known)
    elif way == 3:
        pieces[i], pieces[j] = pieces[j], pieces[i]
    elif way == 4:
        pieces.insert(i, pieces[j])
    elif way == 5:
        del pieces[i : i + random.randrange(1, 12)]
    else:
        pieces[j:j] = pieces[i : i + random.randrange(1, 12)]
    return pieces


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
    random = Random(part)
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
    random = Random(0)
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
