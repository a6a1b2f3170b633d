"""Small L-IRL programs, and random mutations of them."""

from __future__ import annotations

from random import Random

from erfd.lirl.parser.scan import scan
from erfd.lirl.words import KEYWORDS, OPTIONS, TYPES

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
