"""Format programs in one style, token by token: comments and numbers stay as they were written.

One statement a line, blocks indented by two, words of the language in lower case, `:=` in
assignments and `=` in declarations and behind moves. Blank lines are kept, at most one in a row.
"""

from __future__ import annotations

from .messages import ProgramError
from .parser.parse import parse_with_mistakes
from .parser.scan import Token, scan
from .parser.tables import END, WORDS

WIDTH = 100
INDENT = "  "
CONTINUED = "    "

_OPERAND_ENDS = {"NAME", "INT", "REAL", "STRING", "TRUE", "FALSE", "RPAR", "RSQB", "TYPE"}
_NO_SPACE_AFTER = {"LPAR", "LSQB", "DOT", "DOTS"}
_NO_SPACE_BEFORE = {"RPAR", "RSQB", "COMMA", "SEMI", "COLON", "DOT", "DOTS"}
_ENDS_LINE = {"SEQ", "THEN", "ELSE", "REPEAT", "CONST"}
_ENDS_LINE |= {"ENDVAR", "ENDCONST", "ENDSEQ", "ENDIF", "ENDFOR", "ENDWHILE", "ENDCASE"}
_ENDS_LINE |= {"ENDPROC", "ENDFCT", "ENDPROGRAM"}
_CLOSES = {"ENDVAR", "ENDCONST", "ENDSEQ", "ENDIF", "ENDFOR", "ENDWHILE", "UNTIL", "ELSIF"}
_BODY_STARTS = {"NAME", "TYPE", "MOVE", "MOVE_INC", "IF", "FOR", "WHILE", "REPEAT", "CASE"}
_BODY_STARTS |= {"RETURN", "WAIT", "HALT", "PAYLOAD", "TURNING", "ENDFOR", "ENDWHILE", "SEMI"}


def format_program(text: str) -> str:
    """Format a program.

    Formatting twice changes nothing more, and the tree stays the same.

    Args:
        text: an L-IRL program.

    Returns:
        The program in the one style: one statement a line, blocks indented by two.

    Raises:
        ProgramError: if the text cannot be parsed.

    >>> print(format_program("PROGRAM p; SEQ move  ptp joint( 1,2 ) speed_ptp = .5;ENDSEQ"), end="")
    program p;
    seq
      move ptp joint(1, 2) speed_ptp=.5;
    endseq
    """
    _, mistakes, _ = parse_with_mistakes(text)
    if mistakes:
        raise ProgramError(sorted(set(mistakes)), text)
    tokens, _ = scan(text, comments=True)
    return _Page().printed(tokens)


class _Page:
    """The lines printed so far and the one that is being put together."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.pieces: list[tuple[str, bool]] = []  # text, and whether a space goes before it
        self.kinds: list[str] = []  # of the statement's tokens
        self.depth = 0  # of brackets
        self.blocks: list[str] = []
        self.broken = False  # a comment has ended the line inside a statement
        self.assigned = False  # the statement's own `=` or `:=` has come
        self.behind_option = False  # the last token is the `=` of a move's option
        self.last_line = 0  # of the source, where the last token or comment ended

    def printed(self, tokens: list[Token]) -> str:
        """All tokens as lines."""
        for token in tokens:
            if token.kind == END:
                break
            if token.kind == "COMMENT":
                self._comment(token)
            else:
                self._token(token)
            self.last_line = token.line + token.text.count("\n")
        self._flush()
        return "\n".join(self.lines) + "\n"

    def _token(self, token: Token) -> None:
        kind = token.kind
        if self._heads_body(kind):
            self._end("FOR")
        if not self.kinds:
            if kind == "SEMI":  # an empty statement
                return
            self._blank(token)
            self._close(kind)
        spaced = self._spaced(token)
        self.pieces.append((self._text(token), spaced))
        self.kinds.append(kind)
        if kind in ("LPAR", "LSQB"):
            self.depth += 1
        elif kind in ("RPAR", "RSQB"):
            self.depth -= 1
        elif self.depth == 0:
            self._maybe_end(kind)

    def _heads_body(self, kind: str) -> bool:
        """Whether the head of a `for` or `while` is complete before a token of this kind."""
        if self.depth or not self.kinds or self.kinds[0] not in ("FOR", "WHILE"):
            return False
        return self.kinds[-1] in _OPERAND_ENDS and kind in _BODY_STARTS

    def _maybe_end(self, kind: str) -> None:
        first = self.kinds[0]
        if kind == "SEMI":
            self._end()
        elif kind in _ENDS_LINE or (kind == "VAR" and first == "VAR"):
            self._end({"SEQ": "SEQ", "THEN": "IF", "REPEAT": "REPEAT"}.get(kind, kind))
        elif (kind == "OF" and first == "CASE") or (kind == "COLON" and first == "WHEN"):
            self._end(first)

    def _end(self, opened: str = "") -> None:
        """End a line; the block that it opens is indented from here on."""
        self._flush()
        if opened == "ELSE":
            opened = "WHEN" if self.blocks and self.blocks[-1] == "CASE" else "IF"
        if opened and not opened.startswith("END"):
            self.blocks.append(opened)

    def _close(self, kind: str) -> None:
        """End the blocks that a line's first word closes."""
        inside = self.blocks[-1] if self.blocks else ""
        if kind in ("WHEN", "ENDCASE") or (kind == "ELSE" and inside == "WHEN"):
            if inside == "WHEN":
                self.blocks.pop()
            if kind == "ENDCASE":
                self.blocks.pop()
        elif (kind in _CLOSES or kind == "ELSE") and self.blocks and inside != "CASE":
            self.blocks.pop()

    def _text(self, token: Token) -> str:
        """A token as it is printed; the first `=` or `:=` of a statement in its one form."""
        self.behind_option = False
        if token.kind == "COMMA" and self.depth == 0:
            self.assigned = False  # the next item of a declaration
        if token.kind in ("EQUAL", "ASSIGN") and self.depth == 0:
            if self._is_option():
                self.behind_option = True
                return "="
            if not self.assigned:
                self.assigned = True
                if self.blocks and self.blocks[-1] in ("VAR", "CONST"):
                    return "="
                if self.kinds[0] in ("NAME", "TYPE", "FOR"):
                    return ":="
        return token.text.lower() if token.text.lower() in WORDS else token.text

    def _is_option(self) -> bool:
        """Whether the last word is one behind a move's target."""
        kinds = self.kinds
        if not kinds or kinds[0] not in ("MOVE", "MOVE_INC") or self.depth or len(kinds) < 4:
            return False
        return kinds[-1] == "NAME" and kinds[-2] in _OPERAND_ENDS

    def _spaced(self, token: Token) -> bool:
        """Whether a space goes before a token."""
        kind, kinds = token.kind, self.kinds
        if not kinds:
            return False
        before = kinds[-1]
        if before in _NO_SPACE_AFTER or kind in _NO_SPACE_BEFORE:
            return False
        if kind == "LPAR" and before in ("NAME", "TYPE"):
            return False
        if kind == "LSQB" and before in (*_OPERAND_ENDS, "ARRAY"):
            return False
        if kind in ("EQUAL", "ASSIGN"):
            return not self._is_option()
        if self.behind_option:
            return False
        is_sign = before == "SIGN" and (len(kinds) < 2 or kinds[-2] not in _OPERAND_ENDS)
        return not is_sign

    def _blank(self, token: Token) -> None:
        """Keep one of the blank lines before a token that begins a line."""
        if self.lines and self.lines[-1] and token.line - self.last_line > 1:
            self.lines.append("")

    def _comment(self, token: Token) -> None:
        text = "\n".join(line.rstrip() for line in token.text.split("\n"))
        beside = token.line == self.last_line
        if not self.pieces and not self.broken:
            if beside and self.lines:
                self.lines[-1] += f"  {text}"
            else:
                self._blank(token)
                self.lines.append(INDENT * len(self.blocks) + text)
        elif text.startswith("{") and "\n" not in text:
            self.pieces.append((text, True))
        else:
            self._print()
            self.lines[-1] += f"  {text}" if text.startswith("//") or beside else f" {text}"
            self.broken = True

    def _flush(self) -> None:
        """Print what there is and begin a new statement."""
        if self.pieces:
            self._print()
        self.kinds, self.depth = [], 0
        self.broken = self.assigned = self.behind_option = False

    def _print(self) -> None:
        """Print the pieces, on as many lines as they need."""
        words: list[str] = []  # pieces with no space between them stay together
        for text, spaced in self.pieces:
            if spaced or not words:
                words.append(text)
            else:
                words[-1] += text
        self.pieces = []
        start = INDENT * len(self.blocks)
        line = ""
        for word in words:
            if not line:
                line = (start + CONTINUED if self.broken else start) + word
            elif len(line) + 1 + len(word) > WIDTH:
                self.lines.append(line)
                line = start + CONTINUED + word
            else:
                line += f" {word}"
        if line:
            self.lines.append(line)
