"""Studies in the studio's worker: what the library says of them, and variants as runs."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import erfd
from erfd.errors import InputError
from erfd.studio.jobs.studying import MOST_SAMPLES, variant, work
from erfd.studio.runs.store import About
from erfd.studio.session import Setup
from support.easy_program import EASY

VARY = {"payload": "0..60", "friction": "0.8..1.2", "mount.roll": "0"}


def request_(**more: Any) -> dict[str, Any]:
    return {
        "kind": "study", "name": "easy", "program": EASY, "setup": asdict(Setup()),
        "robot_file": None, "cell_file": None, "enclosed": False, "vary": VARY, "samples": 200,
        "seed": 0, "of": "key", **more,
    }  # fmt: skip


def test_a_study_and_a_point_of_its_map(tmp_path: Path) -> None:
    vary = {"payload": "0..300", "friction": "0.8..1.2"}
    told: list[tuple[float, str]] = []
    found = work(request_(vary=vary), lambda part, stage: told.append((part, stage)))
    alone = erfd.study(EASY, "lola15", vary=vary, samples=200, name="easy")
    assert found["feasible"] == int(alone.rows.feasible.sum())
    assert 0 < found["feasible"] < 200
    assert found["interval"] == list(alone.interval or ())
    assert told[-1][0] <= 1.0
    assert found["pictures"]["study_map"].count("data-cell") == 31 * 31
    area = found["map"]
    values = {area["x_name"]: area["x"][-1], area["y_name"]: area["y"][-1]}
    made = {k: v for k, v in found["request"].items() if k != "kind"}
    place = {"kind": "variant", "id": "one", "folder": str(tmp_path), "values": values}
    about = About.of(variant(made | place, lambda part, stage: None))
    run = erfd.read_run(tmp_path / "run.parquet")
    assert about.feasible == run.feasible == alone.verification_at(values).feasible
    assert about.name.startswith("easy: ")
    assert about.program == EASY


def test_what_is_no_study() -> None:
    for more, sentence in (
        ({"samples": MOST_SAMPLES + 1}, "variants"),
        ({"vary": {"payload": "heavy"}}, "vary payload: expected normal"),
        ({"vary": {}}, "vary: expected what varies by name"),
        ({"vary": {f"link.{k}.mass": "1" for k in range(13)}}, "names that vary"),
    ):
        with pytest.raises(InputError, match=sentence):
            work(request_(**more), lambda part, stage: None)
