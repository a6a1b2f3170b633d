"""Many programs on many robots: every row is what a verification says."""

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet
import pytest

import erfd
from erfd.cli import main
from erfd.errors import InputError

EASY = "program p; seq move ptp joint(mainjoint(10, -5)); endseq endprogram"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "line 2").mkdir()
    (tmp_path / "easy.irl").write_text(EASY)
    (tmp_path / "line 2" / "far.irl").write_text(EASY.replace("10, -5", "170, 100"))
    (tmp_path / "line 2" / "wrong.irl").write_text("program p; seq move pt; endseq endprogram")
    return tmp_path


def test_rows_are_verifications(folder: Path) -> None:
    found = erfd.verify_many(folder, ["two_link", "lola15"], payload=1.0)
    assert found["program"].tolist() == ["easy.irl", "line 2/far.irl", "line 2/wrong.irl"] * 2
    assert found["robot"].tolist() == ["two_link"] * 3 + ["lola15"] * 3
    for k in (0, 1, 3, 4):
        path = folder / found["program"][k]
        alone = erfd.verify(path, found["robot"][k], name=found["program"][k], payload=1.0)
        assert found["feasible"][k] == alone.feasible
        assert found["verdict"][k] == alone.verdict
        assert found["seconds"][k] == alone.seconds
        assert found["torque"][k] == pytest.approx(max(m.torque.max() for m in alone.moves))
        assert found["error"][k] == ""
    assert all("line 1: " in found["error"][k] for k in (2, 5))
    assert not found["feasible"][[2, 5]].any()


def test_the_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "out"
    line = ["verify", "--many", str(folder), "--robot", "two_link,lola15", "--out", str(out)]
    assert main([*line, "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert len(data) == 6
    table = parquet.read_table(out / "verdicts.parquet").to_pydict()
    assert table["feasible"] == [row["feasible"] for row in data]
    page = (out / "verdicts.html").read_text()
    assert "3 programs on 2 robots" in page
    (folder / "line 2" / "wrong.irl").unlink()
    (folder / "line 2" / "far.irl").unlink()
    assert main(["verify", str(folder), "--many", "--robot", "lola15"]) == 0
    assert "1 programs: 1 of 1 feasible" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["none", "--many", "--robot", "lola15"], "--many: expected a folder of programs, found"),
        ([".", "--many", "--robot", "lola15", "--start", "1"], "--start: expected one program"),
        ([".", "--many", "--robot", "lola15,nobody"], "nobody"),
        (["x.irl", "--robot", "lola15", "--cluster", "a:1"], "--cluster: expected --many beside"),
    ],
)
def test_wrong_words(capsys: pytest.CaptureFixture[str], words: list[str], sentence: str) -> None:
    assert main(["verify", *words]) == 2
    assert sentence in capsys.readouterr().err


def test_what_cannot_be_many(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected programs \(.irl\), found none"):
        erfd.verify_many(tmp_path, "lola15")
    with pytest.raises(InputError, match="programs: expected a folder of programs or a list"):
        erfd.verify_many(EASY, "lola15")
    with pytest.raises(InputError, match="robots: expected at least one robot, found none"):
        erfd.verify_many([EASY], [])
    with pytest.raises(InputError, match=r"verify_many: expected tool, .*found 'load'"):
        erfd.verify_many([EASY], "lola15", load=1)
    assert np.isnan(erfd.verify_many(["program"], "lola15")["seconds"][0])
