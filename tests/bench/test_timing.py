"""The benchmark of timing measures what it says."""

import pytest

import erfd
from erfd.bench import timing


@pytest.mark.usefixtures("compiled")
def test_peers_saturate_and_erfd_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "CELLS", 200)
    data = timing.run(count=1, rounds=1)
    rows = {name: row for name, (row,) in data["rows"].items()}
    assert rows["erfd"]["saturated"] == rows["erfd"]["events"] == 0
    assert rows["toppra"]["saturated"] > 0.05
    assert rows["toppra"]["deviation"] > 0.005
    assert rows["copp_py"]["duration"] > rows["erfd"]["duration"] > rows["toppra"]["duration"]
    said = timing.text(data)
    assert "times the speed of toppra" in said
    assert "1 of 1 paths clean" in said


def test_peers_that_are_missing_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "find_spec", lambda name: None)
    monkeypatch.setattr(timing, "CELLS", 60)
    with erfd.backend("compiled"):
        data = timing.run(count=1, rounds=1)
    assert data["missing"] == ["toppra", "copp_py"]
    assert "toppra: the bar is not measured" in timing.text(data)
