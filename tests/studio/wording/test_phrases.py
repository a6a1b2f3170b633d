"""What the studio says of a run."""

import pytest

from erfd.errors import InputError
from erfd.run.events import Event
from erfd.studio.runs.open_runs import OpenRun
from erfd.studio.runs.store import About
from erfd.studio.wording.phrases import event_text, verdict
from erfd.studio.wording.texts import LANGUAGES, Words


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_about_a_run(hard_run_file, language):
    words = Words(language)
    shown = OpenRun(
        hard_run_file.path, About("", "x", "", "lola15", False, 0.9, len(hard_run_file))
    )
    assert "5" in verdict(words, shown)  # the motor that is longest at its limit
    for event in hard_run_file.events:
        text = event_text(words, event)
        assert f"{event.joint}" in text
        assert f"{event.start:.2f}-{event.end:.2f} s" in text
    with pytest.raises(InputError, match="language"):
        Words("xx")


def test_a_sliding_joint_lacks_metres_a_second():
    event = Event(0.1, 0.2, 3, "joint speed limit", 0.05, unit="m/s")
    for language in LANGUAGES:
        assert "0.05 m/s" in event_text(Words(language), event)
