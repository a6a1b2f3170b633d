"""`erfd reproduce` and `erfd demo`: what they print, write and refuse."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from erfd.cli import main
from erfd.reproduce.library import ITEMS

pytestmark = pytest.mark.usefixtures("compiled")


def run(capsys: pytest.CaptureFixture, *words: str, code: int = 0) -> str:
    assert main(words) == code
    captured = capsys.readouterr()
    return captured.out if code == 0 else captured.err


def test_the_list(capsys: pytest.CaptureFixture) -> None:
    text = run(capsys, "reproduce")
    assert all(item.name in text for item in ITEMS)
    listed = json.loads(run(capsys, "reproduce", "--json"))
    assert [entry["item"] for entry in listed] == [item.name for item in ITEMS]


def test_an_item_on_the_terminal(capsys: pytest.CaptureFixture) -> None:
    text = run(capsys, "reproduce", "001-table-c1")
    assert "Gaussian elimination of (34), M" in text
    assert "not reproduced: the table does not add up (erratum 19)" in text


def test_a_document_with_its_figures(capsys: pytest.CaptureFixture, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "new" / "folder"
    found = json.loads(run(capsys, "reproduce", "003-fig-2", "--json", "--out", str(out)))
    assert found[0]["verdict"] == "reproduced"
    assert json.loads((out / "reproduce.json").read_text()) == found
    assert (out / "003-fig-2.png").read_bytes().startswith(b"\x89PNG")
    run(capsys, "reproduce", "001-fig-a6", "--out", str(out))
    assert {path.name for path in out.glob("001*.png")} == {"001-fig-a6-a.png", "001-fig-a6-b.png"}


def test_without_matplotlib(
    capsys: pytest.CaptureFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers need none; a figure says what to install, after the numbers are written."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    run(capsys, "reproduce", "003-fig-2")
    sentence = run(capsys, "reproduce", "003-fig-2", "--out", str(tmp_path), code=2)
    assert "matplotlib" in sentence.lower()
    assert (tmp_path / "reproduce.json").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("001-fig-z",), "ITEM: expected a name that `erfd reproduce` lists"),
        (("001", "--all"), "ITEM: expected it or --all, found both ('001')"),
        (("--out", "x"), "--out: expected an ITEM or --all with it, found none"),
    ],
)
def test_mistakes(capsys: pytest.CaptureFixture, words: tuple[str, ...], sentence: str) -> None:
    assert sentence in run(capsys, "reproduce", *words, code=2)


def test_demo(capsys: pytest.CaptureFixture, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    text = run(capsys, "demo", "centrifuge", "--out", str(tmp_path))
    assert "largest load: 4.07" in text
    assert "In load.png each of the three runs has a plateau" in text
    assert {path.name for path in tmp_path.iterdir()} == {
        "load.png", "motor-torques.png", "velocities.png",
    }  # fmt: skip
    data = json.loads(run(capsys, "demo", "centrifuge", "--json", "--out", str(tmp_path)))
    assert data["robot"] == "centrifuge3"
    sentence = run(capsys, "demo", "puma", code=2)
    assert "NAME: expected one of sdt, centrifuge, cmu, lola15, found 'puma'" in sentence


def test_opcount_terms(capsys: pytest.CaptureFixture) -> None:
    text = run(capsys, "opcount", "lola15", "--terms")
    assert "1106 M 867 A" in text
    assert "1736 M 1281 A" in text
    data = json.loads(run(capsys, "opcount", "sdt4", "--terms", "--json"))
    assert data["published"] is None
    for kind in ("multiplications", "additions"):
        assert sum(row[kind] for row in data["terms"]) == data["total"][kind]
    sentence = run(capsys, "opcount", "lola15", "--terms", "--wrench", code=2)
    assert "--terms: expected mRNEA forward dynamics alone, found --wrench" in sentence
