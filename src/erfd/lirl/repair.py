"""How the parser goes on after a mistake: the cheapest small edit that lets it read further.

An edit spells a word right, puts in what is missing, or takes away what is too much. It is tried on
the parser's table alone. If none helps, the parser gives up the statement and goes on behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .messages import Mistake, mistake_at, nearest
from .scan import Token
from .stack import Snapshot, Stack
from .tables import END, WORDS
from .words import CLOSERS, KINDS

LOOK = 6  # how many tokens an edit has to please
_SIGNS = {
    "SEMI": ";",
    "COLON": ":",
    "COMMA": ",",
    "LPAR": "(",
    "RPAR": ")",
    "LSQB": "[",
    "RSQB": "]",
    "ASSIGN": ":=",
    "EQUAL": "=",
    "DOTS": "..",
    "DOT": ".",
}
_BRACKETS = {"LPAR": "RPAR", "LSQB": "RSQB"}
_CONFUSED = {
    (meant, written)
    for group in ({"SEMI", "COMMA", "COLON"}, {"COLON", "EQUAL", "ASSIGN"}, {"RPAR", "RSQB"})
    for meant in group
    for written in group - {meant, "SEMI"}
} | {("LPAR", "LSQB"), ("LSQB", "LPAR"), ("DOT", "COMMA"), ("DOTS", "DOT"), ("DOTS", "COMMA")}
"""Signs that one writes for another: (meant, written)."""
_NAMED = {
    "NAME": "a name",
    "TYPE": "a type",
    "INT": "a number",
    "OPERATOR": "an operator",
    "KIND": "`ptp`, `lin`, `circle`",
}
_GIVEN = {"NAME": "", "TYPE": "?", "KIND": "lin", "SIGN": "+", "OPERATOR": "*"}
_EXPRESSION = {"INT", "REAL", "STRING", "TRUE", "FALSE", "NAME", "TYPE", "LPAR", "LSQB"}
_EXPRESSION |= {"SIGN", "NOT"}
_NEVER = {"INT", "REAL", "STRING", "TRUE", "FALSE", "ERROR", END, "SIGN", "NOT", "PROGRAM"}
_CLOSING = {word.upper() for word in CLOSERS.values()}
_OPENING = {opener.upper(): closer.upper() for opener, closer in CLOSERS.items()}
_STARTS = {"MOVE", "MOVE_INC", "IF", "FOR", "WHILE", "REPEAT", "CASE", "RETURN", "WAIT", "HALT"}
_STARTS |= {"PAYLOAD", "ELSE", "ELSIF", "WHEN", "SEQ", "VAR", "CONST", "PROCEDURE", "FUNCTION"}
_SECTIONS = {"SEQ", "VAR", "CONST", "PROCEDURE", "FUNCTION", END}
_STARTS |= {"SIGNAL", "ENDPROGRAM"} | _CLOSING
_BOUNDS = {"SEMI"} | _STARTS
_PUNCTUATION_COST = {"SEMI": 1.0, "RPAR": 1.5, "RSQB": 1.5, "NAME": 4.0, "TYPE": 4.5}


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `taken` tokens from `start` on by `given`; the lower the score, the better."""

    score: float
    start: int
    taken: int
    given: tuple[Token, ...]
    mistake: Mistake


class Repairer:
    """The tokens of a program and the parser's stacks, both edited in place."""

    def __init__(self, stack: Stack, tokens: list[Token]):
        self.stack, self.tokens = stack, tokens
        self.mistakes: list[Mistake] = []
        self.lost: set[str] = set()

    def repair(self, i: int, before: Snapshot | None) -> int:
        """Make token `i` acceptable; where to go on, or -1 if that is nowhere.

        `before` are the parser's stacks before token i - 1, if that one is a name.
        """
        best = min(self._edits(i, before), key=lambda edit: edit.score, default=None)
        if best is not None:
            self.mistakes.append(best.mistake)
            if best.start < i and before is not None:
                self.stack.states[:], self.stack.values[:] = before
            if best.taken and best.given and best.given[0].kind == "NAME":
                self.lost.add(best.given[0].text.lower())  # a reserved word used as a name
            self.tokens[best.start : best.start + best.taken] = best.given
            return best.start
        return self._give_up(i)

    def _edits(self, i: int, before: Snapshot | None) -> list[Edit]:
        """All edits that let the parser go on for a while."""
        token = self.tokens[i]
        ahead = [t.kind for t in self.tokens[i : i + LOOK]]
        enough = min(2, len(ahead))
        accepted = self.stack.accepted()
        found: list[Edit] = []

        def attempt(
            cost: float, start: int, taken: int, given: Sequence[Token], mistake: Mistake
        ) -> None:
            used = before[0] if start < i and before is not None else None
            kinds = [t.kind for t in given] + ahead[taken - (i - start) :]
            extra = len(given) - taken + (i - start)  # tokens that are ours
            reached = min(len(ahead), self.stack.reach(kinds, used) - extra)
            if reached >= enough or (reached == len(ahead) and ahead[-1] == END):
                found.append(Edit(cost + LOOK - reached, start, taken, tuple(given), mistake))

        def spell(j: int) -> None:
            wrong = self.tokens[j]
            near = nearest(wrong.text, WORDS)
            if near:
                known = "?" if WORDS[near] == "TYPE" else near  # a guessed type proves nothing
                word = Token(WORDS[near], known, wrong.line, wrong.column, wrong.width)
                sentence = f"unknown word `{wrong.text}`"
                right = mistake_at(wrong.at, sentence, f"did you mean `{near}`?")
                attempt(0.0, j, 1, [word], right)

        if i and before is not None and self.tokens[i - 1].kind == "NAME":
            spell(i - 1)
        if token.kind == "NAME":
            spell(i)
        elif token.text.lower() in WORDS and "NAME" in accepted:
            sentence = f"`{token.text}` is a word of the language and cannot be a name"
            name = Token("NAME", token.text, token.line, token.column, token.width)
            attempt(1.5, i, 1, [name], mistake_at(token.at, sentence))
        for kind in accepted:
            if kind not in _NEVER:
                missing = self._missing(i, kind, accepted)
                joins = kind == "OPERATOR" or (kind == "EQUAL" and "OPERATOR" in accepted)
                cost = 5.0 if joins else _PUNCTUATION_COST.get(kind, 2.0)
                attempt(cost, i, 0, [self._given(kind, i)], missing)
                if (kind, token.kind) in _CONFUSED or (kind in _CLOSING and token.kind in _CLOSING):
                    cost = 1.8 if kind in _CLOSING else 3.5
                    sentence = f"expected `{_text(kind)}`, found {_found(token)}"
                    hint = self._opened(i, kind)
                    swap = mistake_at(token.at, sentence + hint)
                    attempt(cost, i, 1, [self._given(kind, i)], swap)
        self._close(i, attempt)
        self._close_brackets(i, attempt)
        if token.kind != END:
            sentence = f"unexpected {_found(token)}{_instead(accepted)}"
            twice = i and token.kind in ("SIGN", "NOT") and self.tokens[i - 1].kind == token.kind
            hint = "the second one needs parentheses" if twice else ""
            attempt(3.0, i, 1, [], mistake_at(token.at, sentence, hint))
        if i == 0:
            header = [self._given(kind, 0) for kind in ("PROGRAM", "NAME", "SEMI")]
            sentence = f"expected `program NAME;`, found {_found(token)}"
            attempt(1.0, 0, 0, header, mistake_at(token.at, sentence))
        return found

    def _close(self, i: int, attempt: Any) -> None:
        """Try the closing words of the blocks that are open, innermost first."""
        given: list[Token] = []
        for opener in reversed(self._open(i)):
            kind = _OPENING[opener.kind]
            given.append(self._given(kind, i))
            if len(given) > 1 and kind != "UNTIL":
                sentence = f"expected `{given[0].text}`, found {_found(self.tokens[i])}"
                hint = self._opened(i, given[0].kind)
                mistake = mistake_at(self.tokens[i].at, sentence + hint)
                attempt(2.0 + 0.1 * len(given), i, 0, list(given), mistake)

    def _close_brackets(self, i: int, attempt: Any) -> None:
        """Try the closing brackets that the statement lacks, if there are several."""
        given: list[Token] = []
        depth: list[str] = []
        first = i
        while first and self.tokens[first - 1].kind not in _BOUNDS:
            first -= 1
        for token in self.tokens[first:i]:
            if token.kind in _BRACKETS:
                depth.append(_BRACKETS[token.kind])
            elif depth and token.kind == depth[-1]:
                depth.pop()
        for kind in reversed(depth):
            given.append(self._given(kind, i))
            if len(given) > 1:
                signs = "".join(token.text for token in given)
                previous = self.tokens[i - 1]
                sentence = f"missing `{signs}` behind `{_short(previous)}`"
                cost = 1.5 + 0.1 * len(given)
                attempt(cost, i, 0, list(given), mistake_at(previous.behind, sentence))

    def _open(self, i: int) -> list[Token]:
        """The words before token i whose blocks are not closed yet."""
        opened: list[Token] = []
        depth = 0
        for j, token in enumerate(self.tokens[:i]):
            kind = token.kind
            if kind in ("LPAR", "LSQB"):
                depth += 1
            elif kind in ("RPAR", "RSQB"):
                depth -= 1
            elif kind in _OPENING:
                inside = kind == "VAR" and depth > 0
                if not inside and not (kind == "FOR" and self.tokens[j - 1].kind == "WAIT"):
                    opened.append(token)
                    depth = 0
            elif kind in _CLOSING and opened:
                opened.pop()
        return opened

    def _opened(self, i: int, kind: str) -> str:
        """Which word a missing closing word belongs to, as the end of a sentence."""
        if kind not in _CLOSING:
            return ""
        for opener in reversed(self._open(i)):
            if _OPENING[opener.kind] == kind:
                return f" (the `{opener.text.lower()}` of line {opener.line} is open)"
        return ""

    def _given(self, kind: str, i: int) -> Token:
        text = _GIVEN.get(kind, _text(kind))
        return Token(kind, text, self.tokens[i].line, self.tokens[i].column, 0)

    def _missing(self, i: int, kind: str, accepted: Sequence[str]) -> Mistake:
        """The sentence for something that has to stand before token i."""
        token = self.tokens[i]
        previous = self.tokens[i - 1] if i else token
        closing = kind in ("SEMI", "RPAR", "RSQB")
        if i and kind not in _NAMED and (closing or token.line > previous.line):
            sentence = f"missing `{_text(kind)}` behind `{_short(previous)}`"
            return mistake_at(previous.behind, sentence + self._opened(i, kind))
        if kind == "NAME" and "INT" in accepted:
            return mistake_at(token.at, f"expected an expression, found {_found(token)}")
        if kind == "KIND":
            words = ", ".join(f"`{k}`" for k in KINDS)
            return mistake_at(token.at, f"expected one of {words}, found {_found(token)}")
        what = _NAMED.get(kind, f"`{_text(kind)}`")
        sentence = f"expected {what}, found {_found(token)}{self._opened(i, kind)}"
        decimal = i > 1 and [t.kind for t in self.tokens[i - 2 : i + 1]] == ["INT", "COMMA", "INT"]
        hint = f"{self.tokens[i - 2].text}.{token.text} is written with a point" if decimal else ""
        return mistake_at(token.at, sentence, hint)

    def _give_up(self, i: int) -> int:
        """Skip the rest of the statement; where to go on, or -1 if that is nowhere."""
        token, stack = self.tokens[i], self.stack
        accepted = stack.accepted()
        if END in accepted:
            sentence = f"unexpected {_found(token)} behind the end of the program"
            self.mistakes.append(mistake_at(token.at, sentence))
            return len(self.tokens) - 1
        expected = _expected(accepted)
        sentence = f"expected {expected}, found {_found(token)}"
        self.mistakes.append(mistake_at(token.at, sentence))
        depth = len(stack.states)
        while depth and not stack.reach(["ERROR"], stack.states[:depth]):
            depth -= 1
        if token.kind == END:
            return -1
        if not depth:
            return self._skip_to_section(i)
        stack.cut(depth)
        first = i
        while first and self.tokens[first - 1].kind not in _BOUNDS:
            first -= 1
        stack.feed(self._given("ERROR", i))
        j = i
        while self.tokens[j].kind != END:
            kind = self.tokens[j].kind
            if kind == "SEMI":
                j += 1
                break
            if kind in _STARTS and stack.reach([kind]):
                break
            j += 1
        self.lost.update(t.text.lower() for t in self.tokens[first:j] if t.kind == "NAME")
        return j

    def _skip_to_section(self, i: int) -> int:
        """Skip whatever stands before the first section, the program's head being broken."""
        end = i + 1
        while self.tokens[end].kind not in _SECTIONS:
            end += 1
        del self.tokens[i:end]
        return i if self.tokens[i].kind != END else -1


def _text(kind: str) -> str:
    return _SIGNS.get(kind, kind.lower())


def _short(token: Token) -> str:
    return token.text if len(token.text) <= 30 else f"{token.text[:27]}..."


def _found(token: Token) -> str:
    return "the end of the program" if token.kind == END else f"`{_short(token)}`"


def _expected(accepted: Sequence[str]) -> str:
    """What may come next, in a few words."""
    kinds = [kind for kind in accepted if kind not in ("ERROR", END)]
    words = []
    if "INT" in kinds:
        words.append("an expression")
        kinds = [kind for kind in kinds if kind not in _EXPRESSION]
    if {"HALT", "MOVE"} <= set(kinds):
        words.append("a statement")
        kinds = [kind for kind in kinds if kind in _CLOSING]
    if "OPERATOR" in kinds:
        kinds = [kind for kind in kinds if kind not in ("OPERATOR", "SIGN", "DOT", "LSQB")]
    words += [_NAMED.get(kind, f"`{_text(kind)}`") for kind in kinds]
    words = words[:6] or ["something else"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _instead(accepted: Sequence[str]) -> str:
    """What would be right instead, if that is little."""
    text = _expected(accepted)
    return f", expected {text}" if text.count(",") < 2 else ""
