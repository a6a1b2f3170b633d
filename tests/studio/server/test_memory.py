"""Memory is given back."""

import weakref
from pathlib import Path

import pytest


def test_memory_is_given_back_after_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For all pages that went, and again when their threads have ended; cycles are gone then."""
    from erfd.studio import studio as place
    from erfd.studio.runs.store import Store
    from erfd.studio.server.memory import give_back

    calls: list[int] = []
    monkeypatch.setattr(place, "give_back", lambda: calls.append(1))
    here = place.Studio(Store(tmp_path))
    here.tidy()
    assert not calls
    here.let_go()
    for _ in range(4):
        here.tidy()
    assert len(calls) == 2
    session = here.sessions.of("tab")
    here.tidy()
    assert len(calls) == 2
    session.seen -= 60  # nobody looks any more: it rests, once
    for _ in range(4):
        here.tidy()
    assert len(calls) == 4

    class Ring:
        """Holds itself."""

    ring = Ring()
    ring.self = ring  # type: ignore[attr-defined]
    alive = weakref.ref(ring)
    del ring
    give_back()
    assert alive() is None
