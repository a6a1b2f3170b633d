"""`erfd play` as a person and as a program see it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from erfd.cli import main
from erfd.report.play.graphic_file import write_graphic
from support.arms import random_robot
from support.graphics import motion


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    path = tmp_path / "m.jsonl"
    write_graphic(motion(random_robot(1, "RR")), path)
    assert main(["play", str(path), "--out", str(tmp_path / "x.html"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["moments"] == 40
    assert Path(told["written"]).read_text().startswith("<!doctype html>")
    assert main(["play", str(path), "--out", str(tmp_path / "x.gif")]) == 2
    assert "--out: expected a name that ends in .html" in capsys.readouterr().err
    assert main(["play", str(tmp_path / "none.jsonl")]) == 2
    assert "no such file" in capsys.readouterr().err
