"""Long trials add up: pieces, seeds, time, what fails; every part's tests exist."""

import json
import sys
from pathlib import Path

import pytest

import soak

TOP = Path(__file__).resolve().parents[2]


@pytest.fixture
def trials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[int, int]]:
    """A part of 10 trials in pieces of 4 that passes unless its seed is 2; (seed, trials) run."""
    run: list[tuple[int, int]] = []

    def piece(part: soak.Part, seed: int, count: int) -> tuple[bool, str]:
        run.append((seed, count))
        return seed != 2, f"output {seed}"

    monkeypatch.setattr(soak, "PARTS", {"some": soak.Part("trials", ("tests",), "ERFD_X", 4, 10)})
    monkeypatch.setattr(soak, "run_piece", piece)
    monkeypatch.setattr(soak, "FOLDER", tmp_path / "soak")
    monkeypatch.setattr(soak, "KEPT", tmp_path / "reliability.json")
    monkeypatch.setattr(soak, "PAGE", tmp_path / "reliability.md")
    return run


def test_pieces_add_up_and_go_on_after_a_failure(
    trials: list[tuple[int, int]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert soak.main([]) == 1  # the third piece, with seed 2, fails
    assert trials == [(0, 4), (1, 4), (2, 2)]
    kept = json.loads((tmp_path / "soak" / "tallies.json").read_text())["some"]
    assert kept["count"] == 8
    assert [failure["seed"] for failure in kept["failures"]] == [2]
    assert (tmp_path / "soak" / "some-2.txt").read_text() == "output 2"
    assert "ERFD_SEED=2 ERFD_X=2 pytest tests" in capsys.readouterr().out
    assert soak.main(["some"]) == 0  # goes on with another seed
    assert trials[3:] == [(3, 2)]
    assert soak.main(["some"]) == 0  # at its goal: nothing more is run
    assert len(trials) == 4
    assert soak.main(["--table"]) == 0
    assert "| `some`: trials | 10 | 10 | 1 |" in capsys.readouterr().out


def test_kept_counts_add_up_in_another_clone(
    trials: list[tuple[int, int]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The folder is lost, the kept file is not: seeds go on, and failures stay known."""
    page = tmp_path / "reliability.md"
    page.write_text(f"before\n{soak.BEGIN}\nold\n{soak.END}\nafter\n")
    assert soak.main(["some"]) == 1
    assert soak.main(["--keep"]) == 0
    row = "| `some`: trials | 8 | 10 | 1 |"
    assert row in capsys.readouterr().out
    assert page.read_text().startswith(f"before\n{soak.BEGIN}\n\n| part")
    assert row in page.read_text()
    assert page.read_text().endswith(f"\n{soak.END}\nafter\n")
    assert not (tmp_path / "soak" / "tallies.json").exists()
    assert soak.main(["--keep"]) == 0  # nothing is counted twice
    assert row in capsys.readouterr().out
    assert soak.main(["some"]) == 0
    assert trials[3:] == [(3, 2)]
    assert soak.main(["--table"]) == 0
    assert "| `some`: trials | 10 | 10 | 1 |" in capsys.readouterr().out


def test_the_first_piece_fails(
    trials: list[tuple[int, int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no folder yet: it is made, and the output of what failed is in it."""
    monkeypatch.setattr(soak, "run_piece", lambda part, seed, count: (False, "output"))
    assert soak.main([]) == 1
    assert not trials
    assert (tmp_path / "soak" / "some-0.txt").read_text() == "output"


def test_time_ends_a_part(trials: list[tuple[int, int]]) -> None:
    assert soak.main(["--minutes", "1e-9"]) == 0
    assert not trials


def test_no_piece_begins_that_would_end_too_late(
    trials: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pieces of 40 min: the second one would end after 80."""
    clock = [0.0]

    def piece(part: soak.Part, seed: int, count: int) -> tuple[bool, str]:
        clock[0] += 40 * 60
        return True, ""

    monkeypatch.setattr(soak.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(soak, "run_piece", piece)
    assert soak.main([]) == 0
    assert clock[0] == 40 * 60
    assert soak.main([]) == 0
    assert clock[0] == 80 * 60


def test_the_listing_says_how_far_each_part_is(
    trials: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    assert soak.main(["--list"]) == 0
    assert capsys.readouterr().out == "some  0 of 10 trials in 0 min, none failed; never tried\n"
    tally = soak.Tally(4, 1, 7200.0, failures=[{"seed": 1}])
    soak.write_tallies(soak.FOLDER / "tallies.json", {"some": tally})
    assert soak.main(["--list"]) == 0
    said = "some  4 of 10 trials in 120 min, 1 piece failed; 3.0 h to go\n"
    assert capsys.readouterr().out == said
    tally.count = 10
    soak.write_tallies(soak.FOLDER / "tallies.json", {"some": tally})
    assert soak.main(["some"]) == 0  # says it once more at its end
    assert capsys.readouterr().out.endswith("1 piece failed; at its goal\n")


def test_the_table_names_the_last_commits() -> None:
    tally = soak.Tally(5, 5, 1.0, "2026-01-01", dict.fromkeys("abcde", 1))
    name = next(iter(soak.PARTS))
    assert "| c, d, e and 2 before |" in soak.table({name: tally})


@pytest.mark.parametrize("words", [["other"], ["--minutes", "61"], ["--minutes", "nan"]])
def test_wrong_words(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        soak.main(words)
    assert ended.value.code == 2
    assert "expected" in capsys.readouterr().err


@pytest.mark.parametrize("name", soak.PARTS)
def test_every_part_has_tests_that_read_its_variable(name: str) -> None:
    part = soak.PARTS[name]
    places = [TOP / word for word in part.tests if word.startswith("tests")]
    texts = [f.read_text() for p in places for f in (p.rglob("*.py") if p.is_dir() else [p])]
    shared = [(TOP / "tests" / "conftest.py").read_text()]
    shared += [f.read_text() for f in (TOP / "tests" / "support").glob("*.py")]
    assert any(part.variable in text for text in texts + shared)


def test_a_piece_runs_its_tests(tmp_path: Path) -> None:
    """A real one: it passes or fails with its tests, and they get seed and number."""
    file = tmp_path / "test_it.py"
    file.write_text(
        "import os\ndef test_it(): assert os.environ['ERFD_SEED'] + os.environ['N'] == '35'\n"
    )
    part = soak.Part("trials", (str(file), "-p", "no:cacheprovider"), "N", 5, 10)
    assert soak.run_piece(part, 3, 5)[0]
    passed, output = soak.run_piece(part, 4, 5)
    assert not passed
    assert "1 failed" in output
    assert sys.executable


def test_the_page_has_every_part_and_the_kept_counts() -> None:
    page = (TOP / "docs" / "reliability.md").read_text(encoding="utf-8")
    before, _, rest = page.partition(soak.BEGIN)
    assert all(f"`{name}`" in before for name in soak.PARTS)
    kept = soak.read_tallies(soak.KEPT)
    assert rest.partition(soak.END)[0].strip() == soak.table(soak.added(kept, {}))
    for name, tally in kept.items():
        assert tally.count == sum(tally.commits.values()), name
        assert all(str(failure["commit"]) in rest for failure in tally.failures), name
