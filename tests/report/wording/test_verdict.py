"""The verdict and the events of runs, in sentences."""

from dataclasses import replace

import pytest

from erfd.cell.contact import Contact
from erfd.errors import InputError
from erfd.report.wording.texts import LANGUAGES, Words
from erfd.report.wording.verdict import (
    Facts,
    contact_text,
    event_text,
    headline,
    run_facts,
    short_verdict,
    verdict,
)
from erfd.run.events import CAUSES, KINDS, Event
from erfd.studio.runs.facts import kept_facts
from erfd.studio.runs.store import About
from support.languages import left

CONTACT = Contact(0.4, 1.44, "ram", "post", 0.07)
SHORT = Event(0.5, 0.6, 5, "torque limit", 3.0, (("gravity", 60.0), ("rotor", 40.0)), part=0.2)
LONG = Event(0.1, 0.4, 2, "joint speed limit", 4.0, part=0.1)
WARNING = Event(0.2, 0.3, 1, "joint acceleration limit", 9.0, severity="warning", part=7.0)
LOAD = "motor 2: RMS torque 12 N m is 120.0 % of its limit 10 N m"
UNCHECKED = "collisions not checked (no cell)"
FACTS = Facts("arm", False, 2.0, (LONG, SHORT), 0.01, "Pick", line_at=lambda t: round(10 * t))


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_about_a_run(hard_run_file, language):
    words = Words(language)
    about = About("", "x", "", "lola15", False, 0.9, len(hard_run_file))
    worst = max(hard_run_file.events, key=lambda event: (event.fails, event.part))
    line = headline(words, kept_facts(about, hard_run_file))
    assert f"{worst.joint}, " in line
    assert f"{worst.start:.2f}-{worst.end:.2f} s" in line
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


def test_the_english_catalogue_says_what_the_library_says():
    shares = tuple((cause, 10.0 + k) for k, cause in enumerate(CAUSES.values()))
    for kind in KINDS:
        for unit in ("rad/s", "m/s"):
            for missing, beyond in ((0.01234, False), (0.0, False), (0.2, True)):
                event = Event(0.123, 4.5, 6, kind, missing, shares, unit, beyond=beyond)
                assert event_text(Words(), event) == str(event)
                assert not left(event_text(Words("sr"), event))
    assert contact_text(Words(), CONTACT) == str(CONTACT)


def test_a_run_and_the_file_that_it_is_kept_in_have_one_verdict(hard_run, hard_run_file):
    t = hard_run["t"]
    about = About("", "x", "", "lola15", False, float(t[-1] - t[0]), len(t))
    for language in LANGUAGES:
        words = Words(language)
        of_file = verdict(words, kept_facts(about, hard_run_file))
        assert of_file == verdict(words, run_facts(hard_run))


@pytest.mark.parametrize(
    ("facts", "sentence", "line", "short"),
    [
        (FACTS, f"not feasible: line 5: {SHORT} (and 1 more)",
         "not feasible: 2 events; joint 5, torque limit at 0.50-0.60 s, line 5", "not feasible"),
        (replace(FACTS, contacts=[CONTACT]),
         f"not feasible: line 5: {SHORT} (and 1 more); line 4: {CONTACT}",
         "not feasible: 2 events; joint 5, torque limit at 0.50-0.60 s, line 5", "not feasible"),
        (replace(FACTS, events=[SHORT], failures=[(3, "P1 is out of reach by 3.5 mm")]),
         f"not feasible: line 3: P1 is out of reach by 3.5 mm; line 5: {SHORT}",
         "not feasible: 1 out of reach; P1 is out of reach by 3.5 mm", "out of reach"),
        (replace(FACTS, events=[], contacts=[CONTACT]), f"not feasible: line 4: {CONTACT}",
         "collision: ram with post at 0.40 s (1 in all)", "collision"),
        (replace(FACTS, events=[], contacts=[CONTACT, Contact(0.5, 0.6, "arm", "post", 0.0)]),
         f"not feasible: line 4: {CONTACT} (and 1 more)",
         "collision: ram with post at 0.40 s (2 in all)", "collision"),
        (replace(FACTS, program=None, line_at=lambda t: 0),
         "not feasible: 2 events (joint speed limit, torque limit), the tool is up to 10 mm off",
         "not feasible: 2 events; joint 5, torque limit at 0.50-0.60 s", "not feasible"),
        (replace(FACTS, events=[], feasible=True), "feasible: arm does Pick in 2.00 s",
         "feasible, 2.00 s", "feasible"),
        (replace(FACTS, events=[WARNING], feasible=True, not_checked=[UNCHECKED]),
         "feasible: arm does Pick in 2.00 s (warnings: 1)", "feasible, 2.00 s (warnings: 1)",
         "feasible"),
        (replace(FACTS, events=[WARNING, LONG]), f"not feasible: line 1: {LONG}",
         "not feasible: 1 event; joint 2, joint speed limit at 0.10-0.40 s, line 1",
         "not feasible"),
        (replace(FACTS, events=[WARNING], loads=[LOAD]), f"not feasible: {LOAD}",
         f"not feasible: {LOAD}", "not feasible for long"),
        (replace(FACTS, events=[], loads=[LOAD, LOAD], contacts=[CONTACT]),
         f"not feasible: line 4: {CONTACT}; {LOAD} (and 1 more)",
         "collision: ram with post at 0.40 s (1 in all)", "collision"),
        (replace(FACTS, events=[WARNING], strict=True, not_checked=[UNCHECKED]),
         f"not feasible: {UNCHECKED}", f"not feasible: {UNCHECKED}", "not all checked"),
        (replace(FACTS, events=[], feasible=True, program=None), "feasible: arm does all of it",
         "feasible, 2.00 s", "feasible"),
    ],
)  # fmt: skip
def test_verdicts(facts, sentence, line, short):
    """What fails in the order reach, motors, collisions, loads, what was not checked.

    Of events the one with the largest part of its limit, failures before warnings.
    """
    forms = (verdict, headline, short_verdict)
    assert [form(Words(), facts) for form in forms] == [sentence, line, short]
    for form in forms:
        said = form(Words("sr"), facts)
        assert not left(said), said
