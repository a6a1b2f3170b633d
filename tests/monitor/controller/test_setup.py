"""A controller stands, carries and hears what `erfd verify` verified."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import erfd
from erfd.cli import main
from erfd.lirl import read_signal_schedule
from erfd.monitor import Feed
from erfd.monitor.controller.source import read_played_motion
from support.controllers import Started
from support.waiting import until

PROGRAM = """program carry;
var
  joint: a = joint(mainjoint(0, 0, 0, 0, -60)), b = joint(mainjoint(20, 10, -15, 0, -40));
  signal in bool: ready;
endvar
seq
  move ptp a;
  wait for ready;
  move ptp b;
  payload 3 at (0, 0, 20);
  move_inc lin (0, 0, -40) speed=200 acc=1000;
  payload none;
  move ptp a;
endseq
endprogram
"""
SIGNALS = "time,signal,value\n0.5,ready,true\n"
SETUP = ("--mount", "z=0.61,yaw=30", "--tool", "0.02,0,0.1,0,30,0", "--payload", "8,0,0,0.05")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "carry.irl"
    path.write_text(PROGRAM, encoding="utf-8-sig")  # as some editors save it
    (tmp_path / "mine.csv").write_text(SIGNALS)
    return path


def robot() -> erfd.Robot:
    """The robot of SETUP."""
    turn = np.radians([0.0, 30.0, 0.0])
    return replace(
        erfd.load("lola15"),
        mount=erfd.Pose((0.0, 0.0, 0.61), (0.0, 0.0, math.radians(30))),
        tool=erfd.Pose((0.02, 0.0, 0.1), tuple(turn.tolist())),
    )


def test_it_plays_what_was_verified(program: Path) -> None:
    signals = read_signal_schedule(program.parent / "mine.csv")
    payload = erfd.Payload(8.0, (0.0, 0.0, 0.05))
    motion = read_played_motion(program, robot(), payload=payload, signals=signals)
    found = erfd.verify(PROGRAM, robot(), payload=payload, signals=signals)
    np.testing.assert_array_equal(motion.q, found.plan.trajectory.q)
    assert motion.payloads == found.payloads
    assert {load and load.mass for load in motion.payloads} == {8.0, 3.0, None}


@pytest.mark.usefixtures("users_environment")
def test_the_options_of_the_command(program: Path) -> None:
    schedule = str(program.parent / "mine.csv")
    arguments = (str(program), "--robot", "lola15", *SETUP, "--signals", schedule, "--wait")
    with Started(*arguments, "--port", "0") as controller, Feed(controller.url) as feed:
        until(lambda: feed.state().samples > 3)
        sample = feed.samples(most=1)
        assert sample["payload"][0, 0] == 8.0
        pose = erfd.forward_kinematics(robot(), sample["q"][0])
        np.testing.assert_allclose(sample["pose"][0].reshape(3, 4), pose[:3], atol=1e-12)
        model = feed.state().hello.model
    (program.parent / "model.toml").write_text(model)
    told = erfd.load(program.parent / "model.toml")
    assert told.mount.xyz == (0.0, 0.0, 0.61)
    assert told.tool.xyz == (0.02, 0.0, 0.1)


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("--mount", "up=1", "--mount: expected NAME=NUMBER"),
        ("--tool", "1,2", "--tool: expected 3 or 6 numbers"),
        ("--payload", "heavy", "--payload: expected 1 or 4 numbers"),
        ("--payload", "nan", "--payload: expected finite numbers, found 'nan'"),
        ("--mount", "z=inf", "--mount: expected finite numbers, found 'z=inf'"),
        ("--signals", "none.csv", "none.csv"),
    ],
)
def test_wrong_options(program: Path, capsys, option: str, value: str, sentence: str) -> None:
    assert main(["controller", str(program), "--robot", "lola15", option, value, "--once"]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert json.dumps(said).count("\\n") == 1
