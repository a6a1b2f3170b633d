"""Colours for L-IRL programs."""

import re
from typing import Any, ClassVar

from pygments.lexer import RegexLexer, words
from pygments.lexers.special import TextLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

from erfd.lirl.words import KEYWORDS, TYPES


class IrlLexer(RegexLexer):
    """The words as the language itself has them."""

    name = "L-IRL"
    aliases: ClassVar = ["irl", "irl-wrong"]
    flags = re.IGNORECASE
    tokens: ClassVar = {
        "root": [
            (r"\s+", Text),
            (r"\{[^}]*\}?", Comment.Multiline),
            (r"//.*", Comment.Single),
            (r'"[^"\n]*"?', String),
            (words(KEYWORDS, prefix=r"\b", suffix=r"\b"), Keyword),
            (words(TYPES, prefix=r"\b", suffix=r"\b"), Keyword.Type),
            (r"\d+(\.\d+)?(e[+-]?\d+)?", Number),
            (r"\w+(?=\s*=)(?!\s*==)", Name.Attribute),
            (r"\w+", Name),
            (r"[:<>=+*/-]+", Operator),
            (r".", Punctuation),
        ]
    }


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    for name in IrlLexer.aliases:
        app.add_lexer(name, IrlLexer)
    app.add_lexer("csv", TextLexer)
    return {"parallel_read_safe": True}
