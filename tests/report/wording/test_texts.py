"""The languages: whole, and whole sentences of the library, too."""

import ast
import random
import re
import string
from pathlib import Path

import pytest

import erfd
from erfd.lirl import ProgramError, check, interpret, parse
from erfd.planning.planner import plan
from erfd.report.wording.texts import LANGUAGES, LONGEST, Words, catalogue, sentences, translated
from support.broken_programs import SMALL, mutated
from support.languages import said

LOLA = erfd.load("lola15")
ROOT = Path(erfd.__file__).parent
KNOWN = (
    "kind",
    "cause",
    "load",
    "mode",
    "connection",
    "problem",
    "stage",
    "turning",
    "adapt",
    "policy",
    "follow",
    "torque_path",
)
GAP = re.compile(r"\{(\w+)[*?#]?\}")


def test_every_text_is_there_in_every_language():
    for key, entry in catalogue().items():
        assert set(entry) == set(LANGUAGES), key
        fields = {
            tuple(sorted(f for _, f, *_ in string.Formatter().parse(text) if f))
            for text in entry.values()
        }
        assert len(fields) == 1, f"{key}: other names in braces"
        assert all(text.strip() for text in entry.values()), key


def test_every_key_of_the_code_is_in_the_catalogue_and_the_other_way_round():
    used, prefixes = set(), set()
    for path in [p for room in ("report", "studio") for p in (ROOT / room).rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                used.add(node.value)
            elif isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
                prefixes.add(node.values[0].value)
            elif isinstance(node, ast.Call):
                name = node.func
                direct = isinstance(name, ast.Name) and name.id == "words"
                of_bench = isinstance(name, ast.Attribute) and name.attr == "words"
                if (direct or of_bench) and isinstance(node.args[0], ast.Constant):
                    assert node.args[0].value in catalogue(), f"{path.name}: {node.args[0].value}"
    known = {f"{word}_" for word in KNOWN}
    starts = {p for p in prefixes if p.endswith("_")} | known
    unused = {
        key for key in catalogue() if key not in used and not any(map(key.startswith, starts))
    }
    assert not unused


def test_every_sentence_has_the_same_gaps_and_can_be_found():
    """Filled with words of the list where it asks for them, each is found, in whatever place."""
    seen = set()
    for sentence in sentences():
        gaps = [set(GAP.findall(text)) for text in sentence.texts.values()]
        assert gaps[0] == gaps[1], sentence.texts
        english = sentence.texts["en"]
        assert english not in seen, "twice"
        seen.add(english)
        filled = re.sub(r"\{\w+\?\}", "", english)
        filled = re.sub(r"\{\w+\*\}", "a number", filled)
        filled = re.sub(r"\{\w+#\}", "-7.5", filled)
        assert translated(re.sub(r"\{\w+\}", "n7", filled), "sr") is not None, english


@pytest.mark.parametrize("part", range(4))
def test_whatever_is_wrong_with_a_program_is_said_in_serbian(part):
    """Programs spoilt at random: every mistake and suspicion, without a word of English."""
    die = random.Random(part)
    count = 0
    for _ in range(150):
        for mistake in check(mutated(die.choice(SMALL), die), LOLA):
            hint = f"; {mistake.suggestion}" if mistake.suggestion else ""
            if len(mistake.sentence + hint) < LONGEST:
                said(mistake.sentence + hint)
                said(str(mistake))
                count += 1
    assert count > 300


def random_program(die: random.Random) -> str:
    """Moves here and there, some out of reach, with all sorts of words behind them."""

    def target() -> str:
        far = die.choice((1, 1, 1, 2))
        x, y, z = (far * die.uniform(-1200, 1200) for _ in range(3))
        a, b, c = (die.choice((0, 90, 180, die.uniform(-180, 180))) for _ in range(3))
        if die.random() < 0.3:
            x, y, z = 800, die.choice((-200, 0, 200)), die.choice((300, 500))
        config = die.choice((0, 1, 4, 8, 8, 8))
        return f"robtarg((({x:.0f}, {y:.0f}, {z:.0f}), ({a:.0f}, {b:.0f}, {c:.0f})), {config})"

    moves = ["move ptp joint(mainjoint(0, 20, -30, 0, 60, 0));"]
    for _ in range(8):
        kind = die.choice(("ptp", "lin", "lin", "circle", "joint", "inc"))
        words = die.choice(("", "c_cp=300", "c_speed", "c_ori=o_pco", "c_ptp", "speed=5000"))
        if kind == "joint":
            axes = ", ".join(f"{die.uniform(-200, 200):.0f}" for _ in range(6))
            moves.append(f"move ptp joint(mainjoint({axes}));")
        elif kind == "inc":
            step = die.choice(("(30, 0, 0)", "(0, 0, 0)", "orientation(0, 40, 0)"))
            moves.append(f"move_inc lin {step} {words};")
        elif kind == "circle":
            via = target()
            end = die.choice((target(), via))
            moves.append(f"move circle {via}, {end} {words if 'c_ptp' not in words else ''};")
        else:
            moves.append(f"move {kind} {target()} {words if kind == 'lin' else ''};")
    return "program p; seq " + "\n".join(moves) + "\nendseq endprogram"


def test_whatever_the_planner_says_is_said_in_serbian():
    die = random.Random(5)
    kinds = set()
    for _ in range(40):
        try:
            steps = interpret(parse(random_program(die)), robot_name="lola15", n=6)
            found = plan(LOLA, steps, dt=0.02)
        except ProgramError as error:
            raise AssertionError(str(error)) from None
        for entry in (*found.notes, *found.failures):
            said(entry.sentence)
            kinds.add(entry.kind)
    assert {"target", "path", "limit", "turn", "singularity", "start"} <= kinds


@pytest.mark.parametrize(
    ("english", "serbian"),
    [
        ("line 3, column 7: unknown word `mvoe`; did you mean `move`? (and 2 more mistakes)",
         "linija 3, kolona 7: nepoznata reč `mvoe`; da li ste mislili `move`? (i još grešaka: 2)"),
        ("P1 is out of reach by 3.5 mm and 2.0 deg with CONFIG 1; CONFIG 0, 4 can",
         "P1 je van domašaja za 3.5 mm i 2.0 stepeni sa CONFIG 1; može sa CONFIG 0, 4"),
        ("the path to P2: axis 3 at 170.0 deg is beyond its limit of 155.0 deg",
         "putanja do P2: osa 3 na 170.0 stepeni je preko granice od 155.0 stepeni"),
        ("with +-10 % payload and friction still feasible: motor 2 uses 91 %",
         "uz ±10 % tereta i trenja i dalje izvodljivo: motor 2 koristi 91 %"),
        ("motor 2 is at its torque limit in line 14", "motor 2 je na granici momenta u liniji 14"),
        ("signals.csv: line 2: time: expected seconds from 0 on, found '-1'",
         "signals.csv: linija 2: vreme: očekuju se sekunde od 0 nadalje, a nađeno je '-1'"),
    ],
)  # fmt: skip
def test_sentences_as_a_person_reads_them(english, serbian):
    assert Words("sr").said(english) == serbian
    assert Words("en").said(english) == english


def test_what_the_catalogue_lacks_stays_whole():
    for text in ("", "something nobody has thought of", "x" * 10_000, "`" * 599, "; " * 290):
        assert Words("sr").said(text) == text
