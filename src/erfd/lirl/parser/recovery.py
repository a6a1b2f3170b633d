"""Repair the text after a mistake: the cheapest small edit that lets the parser read on.

An edit spells a word right, puts in what is missing, or takes away what is too much. It is tried on
the parser's table alone. If none helps, the parser gives up the statement and goes on behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from ..messages import Mistake, mistake_at, nearest
from ..words import CLOSERS
from .expected import NAMED, expected, instead, quoted, short, text_of_kind
from .scan import Token
from .stack import Snapshot, Stack
from .tables import END, WORDS

LOOKAHEAD = 6  # tokens behind an edit that the parser should be able to read
_BRACKETS = {"LPAR": "RPAR", "LSQB": "RSQB"}
_CONFUSED = {
    (meant, written)
    for group in ({"SEMI", "COMMA", "COLON"}, {"COLON", "EQUAL", "ASSIGN"}, {"RPAR", "RSQB"})
    for meant in group
    for written in group - {meant, "SEMI"}
} | {("LPAR", "LSQB"), ("LSQB", "LPAR"), ("DOT", "COMMA"), ("DOTS", "DOT"), ("DOTS", "COMMA")}
"""Signs that one writes for another: (meant, written)."""
_TEXTS = {"NAME": "", "TYPE": "?", "KIND": "lin", "SIGN": "+", "OPERATOR": "*"}
_NEVER_INSERTED = {"INT", "REAL", "STRING", "TRUE", "FALSE", "ERROR", END, "SIGN", "NOT", "PROGRAM"}
_COST = {"SEMI": 1.0, "RPAR": 1.5, "RSQB": 1.5, "NAME": 4.0, "TYPE": 4.5, "OPERATOR": 5.0}
_CLOSER_OF = {opener.upper(): closer.upper() for opener, closer in CLOSERS.items()}
_CLOSING = set(_CLOSER_OF.values())
_SECTIONS = {"SEQ", "VAR", "CONST", "PROCEDURE", "FUNCTION", END}
_STARTS = {"MOVE", "MOVE_INC", "IF", "FOR", "WHILE", "REPEAT", "CASE", "RETURN", "WAIT", "HALT"}
_STARTS |= {"PAYLOAD", "TURNING", "ELSE", "ELSIF", "WHEN", "SIGNAL", "ENDPROGRAM"}
_STARTS |= _CLOSING | _SECTIONS
_STARTS -= {END}
_BOUNDS = {"SEMI"} | _STARTS

Attempt = Callable[[float, int, int, Sequence[Token], Callable[[], Mistake]], None]


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `removed` tokens from `start` on by `inserted`; a lower score is better."""

    score: float
    start: int
    removed: int
    inserted: tuple[Token, ...]
    mistake: Callable[[], Mistake]


class Repairer:
    """Repairs a program: its tokens and the parser's stacks are edited in place."""

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
            self.mistakes.append(best.mistake())
            if best.start < i and before is not None:
                self.stack.states[:], self.stack.values[:] = before
            if best.removed and best.inserted and best.inserted[0].kind == "NAME":
                self.lost.add(best.inserted[0].text.lower())  # a reserved word used as a name
            self.tokens[best.start : best.start + best.removed] = best.inserted
            return best.start
        return self._give_up(i)

    def _edits(self, i: int, before: Snapshot | None) -> list[Edit]:
        """All edits that let the parser go on for a while."""
        next_kinds = [token.kind for token in self.tokens[i : i + LOOKAHEAD]]
        enough = min(2, len(next_kinds))
        edits: list[Edit] = []

        def attempt(
            cost: float,
            start: int,
            removed: int,
            inserted: Sequence[Token],
            mistake: Callable[[], Mistake],
        ) -> None:
            states = before[0] if start < i and before is not None else None
            kinds = [token.kind for token in inserted] + next_kinds[removed - (i - start) :]
            extra = len(inserted) - removed + (i - start)  # tokens that are ours
            reached = min(len(next_kinds), self.stack.reach(kinds, states) - extra)
            if reached >= enough:
                edits.append(
                    Edit(cost + LOOKAHEAD - reached, start, removed, tuple(inserted), mistake)
                )

        accepted = self.stack.accepted()
        if i and before is not None and self.tokens[i - 1].kind == "NAME":
            self._spell(i - 1, attempt)
        self._rename(i, accepted, attempt)
        for kind in accepted:
            if kind not in _NEVER_INSERTED:
                self._put_in(i, kind, accepted, attempt)
        self._close(i, attempt)
        self._close_brackets(i, attempt)
        self._take_away(i, accepted, attempt)
        if i == 0:
            header = [self._new_token(kind, 0) for kind in ("PROGRAM", "NAME", "SEMI")]
            attempt(1.0, 0, 0, header, lambda: self._wrong(0, "expected `program NAME;`"))
        return edits

    def _wrong(self, i: int, sentence: str, kind: str = "", hint: str = "") -> Mistake:
        """A mistake at token i: what was expected there (of which kind), and what stands there."""
        token = self.tokens[i]
        found = f"found {quoted(token)}{self._open_hint(i, kind)}"
        return mistake_at(token.at, f"{sentence}, {found}", hint)

    def _spell(self, j: int, attempt: Attempt) -> None:
        """Try the word of the language that is most like the name at j."""
        wrong = self.tokens[j]
        near = nearest(wrong.text, WORDS)
        if near:
            text = "?" if WORDS[near] == "TYPE" else near  # a guessed type proves nothing
            word = Token(WORDS[near], text, wrong.line, wrong.column, wrong.width)
            sentence, hint = f"unknown word `{wrong.text}`", f"did you mean `{near}`?"
            attempt(0.0, j, 1, [word], lambda: mistake_at(wrong.at, sentence, hint))

    def _rename(self, i: int, accepted: Sequence[str], attempt: Attempt) -> None:
        """Try the name at i as a word, or the word as a name."""
        token = self.tokens[i]
        if token.kind == "NAME":
            self._spell(i, attempt)
        elif token.text.lower() in WORDS and "NAME" in accepted:
            sentence = f"`{token.text}` is a word of the language and cannot be a name"
            name = Token("NAME", token.text, token.line, token.column, token.width)
            attempt(1.5, i, 1, [name], lambda: mistake_at(token.at, sentence))

    def _put_in(self, i: int, kind: str, accepted: Sequence[str], attempt: Attempt) -> None:
        """Try a token of this kind before token i, or instead of it."""
        cost = _COST.get(kind, 2.0)
        if kind == "EQUAL" and "OPERATOR" in accepted:
            cost = _COST["OPERATOR"]
        elif kind == "ASSIGN":  # before `=` in assignments, behind it elsewhere
            cost = 1.9 if "DOT" in accepted else 2.1
        attempt(cost, i, 0, [self._new_token(kind, i)], lambda: self._missing(i, kind, accepted))
        written = self.tokens[i].kind
        closers = kind in _CLOSING and written in _CLOSING
        if closers or (kind, written) in _CONFUSED:
            cost, sentence = (1.8 if closers else 3.5), f"expected `{text_of_kind(kind)}`"
            swapped = partial(self._wrong, i, sentence, kind)
            attempt(cost, i, 1, [self._new_token(kind, i)], swapped)

    def _take_away(self, i: int, accepted: Sequence[str], attempt: Attempt) -> None:
        """Try without token i."""
        token = self.tokens[i]
        if token.kind == END:
            return
        twice = i and token.kind in ("SIGN", "NOT") and self.tokens[i - 1].kind == token.kind
        hint = "the second one needs parentheses" if twice else ""
        sentence = f"unexpected {quoted(token)}{instead(accepted)}"
        attempt(3.0, i, 1, [], lambda: mistake_at(token.at, sentence, hint))

    def _close(self, i: int, attempt: Attempt) -> None:
        """Try the closing words of the blocks that are open, innermost first."""
        inserted: list[Token] = []
        for opener in reversed(self._open_blocks(i)):
            inserted.append(self._new_token(_CLOSER_OF[opener.kind], i))
            if len(inserted) > 1:
                cost = 2.0 + 0.1 * len(inserted)
                attempt(cost, i, 0, list(inserted), lambda: self._missing(i, inserted[0].kind, ()))

    def _close_brackets(self, i: int, attempt: Attempt) -> None:
        """Try the closing brackets that the statement lacks, if there are several."""
        inserted: list[Token] = []
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
            inserted.append(self._new_token(kind, i))
            if len(inserted) > 1:
                signs = "".join(token.text for token in inserted)
                cost = 1.5 + 0.1 * len(inserted)
                attempt(cost, i, 0, list(inserted), partial(self._missing_behind, i, signs))

    def _missing_behind(self, i: int, missing: str, hint: str = "") -> Mistake:
        """A mistake: something is missing behind the token before i."""
        previous = self.tokens[i - 1]
        sentence = f"missing `{missing}` behind `{short(previous)}`{hint}"
        return mistake_at(previous.behind, sentence)

    def _open_blocks(self, i: int) -> list[Token]:
        """The words before token i whose blocks are not closed yet."""
        opened: list[Token] = []
        depth = 0
        for j, token in enumerate(self.tokens[:i]):
            kind = token.kind
            if kind in ("LPAR", "LSQB"):
                depth += 1
            elif kind in ("RPAR", "RSQB"):
                depth -= 1
            elif kind in _CLOSER_OF:
                inside = kind == "VAR" and depth > 0
                if not inside and not (kind == "FOR" and self.tokens[j - 1].kind == "WAIT"):
                    opened.append(token)
                    depth = 0
            elif kind in _CLOSING and opened:
                opened.pop()
        return opened

    def _open_hint(self, i: int, kind: str) -> str:
        """Which word a missing closing word belongs to, as the end of a sentence."""
        if kind not in _CLOSING:
            return ""
        for opener in reversed(self._open_blocks(i)):
            if _CLOSER_OF[opener.kind] == kind:
                return f" (the `{opener.text.lower()}` of line {opener.line} is open)"
        return ""

    def _new_token(self, kind: str, i: int) -> Token:
        """A token to be inserted before token i; it has no width."""
        text = _TEXTS.get(kind, text_of_kind(kind))
        return Token(kind, text, self.tokens[i].line, self.tokens[i].column, 0)

    def _missing(self, i: int, kind: str, accepted: Sequence[str]) -> Mistake:
        """A mistake: a token of this kind has to stand before token i."""
        token = self.tokens[i]
        closing = kind in ("SEMI", "RPAR", "RSQB")
        if i and kind not in NAMED and (closing or token.line > self.tokens[i - 1].line):
            return self._missing_behind(i, text_of_kind(kind), self._open_hint(i, kind))
        if kind == "NAME" and "INT" in accepted:
            return self._wrong(i, "expected an expression")
        if kind == "KIND":
            return self._wrong(i, f"expected one of {NAMED[kind]}")
        what = NAMED.get(kind, f"`{text_of_kind(kind)}`")
        decimal = i > 1 and [t.kind for t in self.tokens[i - 2 : i + 1]] == ["INT", "COMMA", "INT"]
        point = f"{self.tokens[i - 2].text}.{token.text} is written with a point" if decimal else ""
        return self._wrong(i, f"expected {what}", kind, point)

    def _give_up(self, i: int) -> int:
        """Skip the rest of the statement; where to go on, or -1 if that is nowhere."""
        token, stack = self.tokens[i], self.stack
        accepted = stack.accepted()
        if END in accepted:
            sentence = f"unexpected {quoted(token)} behind the end of the program"
            self.mistakes.append(mistake_at(token.at, sentence))
            return len(self.tokens) - 1
        self.mistakes.append(self._wrong(i, f"expected {expected(accepted)}"))
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
        stack.feed(self._new_token("ERROR", i))
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
        """Skip everything before the first section: the program's head cannot be read."""
        end = i + 1
        while self.tokens[end].kind not in _SECTIONS:
            end += 1
        del self.tokens[i:end]
        return i if self.tokens[i].kind != END else -1
