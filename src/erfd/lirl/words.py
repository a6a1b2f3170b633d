"""The words of L-IRL: for the parser, the checker, the documentation and an editor."""

from __future__ import annotations

from dataclasses import dataclass

TYPES = (
    "int",
    "real",
    "bool",
    "string",
    "position",
    "orientation",
    "pose",
    "robtarg",
    "joint",
    "mainjoint",
)
"""The types; a type's name is also its constructor where one makes sense."""

KINDS = ("ptp", "lin", "circle")
"""The kinds of moves."""

OPERATOR_WORDS = ("and", "or", "xor", "div", "mod")

KEYWORDS = (
    *("program", "endprogram", "const", "endconst", "var", "endvar", "seq", "endseq"),
    *("signal", "in", "out", "array", "of"),
    *("procedure", "endproc", "function", "endfct", "return"),
    *("if", "then", "elsif", "else", "endif", "for", "to", "step", "endfor"),
    *("while", "endwhile", "repeat", "until", "case", "when", "endcase"),
    *("move", "move_inc", "wait", "sec", "halt", "payload", "at", "none", "turning"),
    *("true", "false", "not"),
    *OPERATOR_WORDS,
    *KINDS,
)
"""Reserved words: none of them, and no type, can be a name."""

PRECEDENCE = {
    "or": 1,
    "xor": 1,
    "and": 2,
    "=": 3,
    "<>": 3,
    "<": 3,
    "<=": 3,
    ">": 3,
    ">=": 3,
    "+": 5,
    "-": 5,
    "*": 6,
    "/": 6,
    "div": 6,
    "mod": 6,
    "**": 8,
}
"""How strongly a binary operator binds its operands; equal ones go from left to right, all of them.

That, and signs that bind tightly behind `**`, keeps every tree flat: depth comes from brackets.
"""

NOT_STRENGTH = 9
SIGN_STRENGTH = 7

CLOSERS = {
    "if": "endif",
    "for": "endfor",
    "while": "endwhile",
    "repeat": "until",
    "case": "endcase",
    "seq": "endseq",
    "var": "endvar",
    "const": "endconst",
    "procedure": "endproc",
    "function": "endfct",
}
"""The word that opens a block, and the one that closes it."""


@dataclass(frozen=True, slots=True)
class OptionWord:
    """A word behind a move's target: what its value is, in which unit, and for which moves.

    `value` is a type, `word` (one of `choices`) or empty (the word stands alone). The value has to
    be above `low` (at least `low` if `low_included`) and at most `high`.
    """

    value: str
    unit: str
    kinds: tuple[str, ...]
    meaning: str
    choices: tuple[str, ...] = ()
    low: float = 0.0
    high: float = float("inf")
    low_included: bool = False

    def allows(self, number: float) -> bool:
        """Whether a number is within the bounds."""
        return self.low < number <= self.high or (self.low_included and number == self.low)


_PATH = ("lin", "circle")

OPTIONS = {
    "speed": OptionWord("real", "mm/s", _PATH, "speed along the path"),
    "acc": OptionWord("real", "mm/s2", _PATH, "largest acceleration of the tool point"),
    "jerk": OptionWord("real", "mm/s3", _PATH, "largest change of the speed's acceleration"),
    "speed_ori": OptionWord("real", "deg/s", _PATH, "largest rate of the orientation"),
    "acc_ori": OptionWord("real", "deg/s2", _PATH, "largest acceleration of the orientation"),
    "speed_ptp": OptionWord("real", "", ("ptp",), "part of the axes' speed limits", high=1.0),
    "acc_ptp": OptionWord("real", "", ("ptp",), "part of the axes' acceleration limits", high=1.0),
    "c_ptp": OptionWord("", "", KINDS, "the ramp at the end overlaps the next move's ramp"),
    "c_speed": OptionWord("", "", KINDS, "no stop at the end"),
    "c_cp": OptionWord(
        "real",
        "mm",
        KINDS,
        "the corner at the end is rounded within this distance",
        low_included=True,
    ),
    "c_ori": OptionWord(
        "word",
        "",
        _PATH,
        "how the orientation goes from start to end",
        ("o_var", "o_pco", "o_pvo"),
    ),
    "angle": OptionWord("real", "deg", ("circle",), "how far the circle goes from its start"),
    "tool": OptionWord("pose", "", KINDS, "tool frame of this move"),
    "frame": OptionWord("pose", "", KINDS, "the targets are given in this frame"),
    "ref": OptionWord("word", "", KINDS, "axes of a relative move", ("tool", "base")),
    "act_rob": OptionWord("string", "", KINDS, "the robot that must be loaded"),
}
"""The words behind a move's target. They are not reserved."""

TURNINGS = {
    "even": "each move turns the tool evenly over its path, whatever its neighbours do",
    "smooth": "where moves join, the rate of turning goes over from one to the other",
}
"""The words behind `turning`. They are not reserved."""

DEFAULTS = {"speed": 250.0, "acc": 1000.0, "speed_ptp": 1.0, "acc_ptp": 1.0}
"""What a move has that does not say it: mm/s, mm/s2, parts of the axes' limits."""

MEMBERS: dict[str, dict[str, str]] = {
    "position": {"x": "real", "y": "real", "z": "real"},
    "orientation": {"a": "real", "b": "real", "c": "real"},
    "pose": {"pos": "position", "ori": "orientation"},
    "robtarg": {"pos": "position", "ori": "orientation", "pose": "pose", "config": "int"},
    "joint": {"main": "mainjoint"},
    "mainjoint": {},
}
"""The components of a type, by name; `joint` and `mainjoint` also by index, axis 1 first."""

MAX_TEXT = 1_000_000
MAX_NESTING = 40
MAX_MISTAKES = 50
MAX_STRING = 255
MAX_ARRAY = 10_000
MAX_ELEMENTS = 100_000
MAX_INT = 2**53
MAX_DEPTH = 60
MAX_WAIT = 3600.0
MAX_AXES = 12
"""Bounds that no sensible program meets: text, nesting, mistakes listed, strings, arrays (each and
all together), whole numbers (exact as a real), calls inside calls, a program's waits in s, axes."""


def language_description() -> dict[str, object]:
    """Describe the language for an editor.

    Returns:
        JSON values by group: keywords, types, operators, options of moves (value, unit,
        moves, choices, meaning), turnings, functions (signatures, meaning), members, blocks,
        comments.
    """
    from .functions import FUNCTIONS

    return {
        "keywords": list(KEYWORDS),
        "types": list(TYPES),
        "operators": list(PRECEDENCE),
        "options": {
            name: {
                "value": word.value,
                "unit": word.unit,
                "moves": list(word.kinds),
                "choices": list(word.choices),
                "meaning": word.meaning,
            }
            for name, word in OPTIONS.items()
        },
        "turnings": dict(TURNINGS),
        "functions": {
            name: {"signatures": list(entry.signatures), "meaning": entry.meaning}
            for name, entry in FUNCTIONS.items()
        },
        "members": MEMBERS,
        "blocks": CLOSERS,
        "comments": {"line": "//", "open": "{", "close": "}"},
    }
