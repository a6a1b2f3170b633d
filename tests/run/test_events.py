"""Kinds of events: each has its colour and its words, wherever it is shown."""

import re
from pathlib import Path

import erfd
from erfd.report.event_colors import EVENT_COLORS
from erfd.report.wording.texts import LANGUAGES, Words
from erfd.run.events import KINDS


def test_every_kind_can_be_drawn_and_said() -> None:
    assert set(EVENT_COLORS) == set(KINDS)
    for language in LANGUAGES:
        words = Words(language)
        said = [words(f"kind_{kind.replace(' ', '_')}") for kind in KINDS]
        assert len(set(said)) == len(KINDS)


def test_no_room_makes_a_kind_that_is_not_listed() -> None:
    """Kinds are the words that end in `limit` or say `stall`, in the rooms that make events."""
    root = Path(erfd.__file__).parent
    texts = [
        p.read_text() for room in ("run", "achieve", "forward") for p in (root / room).rglob("*.py")
    ]
    named = {kind for text in texts for kind in re.findall(r'"([a-z ]+ limit|stall)"', text)}
    assert named == set(KINDS)
