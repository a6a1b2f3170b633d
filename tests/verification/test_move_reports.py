"""Move by move: which events are during which move."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.run.events import Event
from erfd.verification.move_reports import move_reports

TEXT = """program p; seq
  move ptp joint(mainjoint(10)) c_ptp; move ptp joint(mainjoint(10, 5)); wait 0.1 sec;
  move ptp joint(mainjoint(10, 5)); move ptp joint(mainjoint(20, 5)) c_ptp;
  move ptp joint(mainjoint(20)); endseq endprogram"""
FOUND = erfd.verify(TEXT, erfd.load("lola15"))
T = FOUND.run["t"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(T) - 1), st.integers(0, 40)), max_size=12))
def test_the_events_of_a_move_are_those_during_it(spans) -> None:
    """Against a look at every event for every move; events may begin and end with a move."""
    events = []
    for first, length in sorted(spans):
        end = float(T[min(first + length, len(T) - 1)])
        events.append(Event(float(T[first]), end, 1, "stall", 1.0))
    run = replace(FOUND.run, events=tuple(events))
    reports = move_reports(FOUND.plan, run)
    for k, report in enumerate(reports):
        rows = np.flatnonzero(FOUND.plan.move == k)
        if not len(rows):
            assert report.events == ()
            continue
        begin, stop = T[max(rows[0] - 1, 0)], T[rows[-1]]
        during = (e for e in events if e.start < stop - 1e-9 and e.end > begin + 1e-9)
        assert report.events == tuple(during)
