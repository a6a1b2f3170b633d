"""The benchmark of inverse kinematics runs, checks what it times, and says what is missing."""

import pytest

from erfd.bench import ik


def test_it_runs_without_the_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ik, "find_spec", lambda name: None)
    data = ik.run(count=200, peer_count=5, rounds=1)
    assert [row["who"] for row in data["rows"]] == ["erfd"] * 3
    assert all(row["found"] == 1.0 and row["largest_miss"] < 1e-12 for row in data["rows"])
    assert [row["within_limits"] for row in data["rows"]][:2] == [1.0, 1.0]
    assert data["bar"] == {"limit": 30.0, "found": None, "met": None}
    assert "roboticstoolbox is not installed" in ik.text(data)


def test_the_sentence_of_the_bar() -> None:
    row = {"who": "erfd", "how": "best", "rate": 2e6, "found": 1.0, "largest_miss": 1e-15}
    data = {"machine": {"cpu": "a processor"}, "robot": "puma560", "rows": [row], "missing": ""}
    for found, word in ((200.0, "200 times the peer's rate, at least 30: met"), (3.0, "NOT MET")):
        bar = {"limit": 30.0, "found": found, "met": found >= 30}
        assert word in ik.text(data | {"bar": bar})
