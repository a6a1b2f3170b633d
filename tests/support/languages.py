"""Whether a sentence is said in Serbian, all of it."""

import re

from erfd.report.wording.texts import translated

QUOTED = re.compile(r"`[^`]*`+|\"[^\"]*\"|„[^“]*“|array\[.*?\] of \S+|not \(a < b\)")
ENGLISH = set(
    re.findall(
        r"\w+",
        """an and are at be by cannot deg expected for found from has have in
    is it its limit line more needs no not of one or out that the this too with""",
    )
)


def left(text: str) -> set[str]:
    """English words of a sentence outside of what is quoted."""
    return set(re.findall(r"[^\W\d_]+", QUOTED.sub(" ", text).lower())) & ENGLISH


def said(sentence: str) -> str:
    """The sentence in Serbian, all of it."""
    found = translated(sentence, "sr")
    assert found is not None, sentence
    assert not left(found), (sentence, found)
    return found
