"""`erfd ik` as a person and as a program see it."""

import json

import numpy as np
import pytest

import erfd
from erfd.cli import main

S0 = "0.7869329,0.4029624,0.632855,15,-60,-175.03779"  # the demonstration's first point


def test_all_solutions_for_people(capsys: pytest.CaptureFixture) -> None:
    assert main(["ik", "lola15", "--pose", S0, "--degrees"]) == 0
    text = capsys.readouterr().out
    assert "lola15: 8 solutions" in text
    assert "44.1162" in text  # q1 of erratum 22's s0 is 44.1 degrees
    assert "axis 3 beyond by" in text
    assert "% room" in text


def test_all_solutions_for_programs(capsys: pytest.CaptureFixture) -> None:
    assert main(["ik", "lola15", "--pose", S0, "--degrees", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["reached"]
    robot = erfd.load("lola15")
    found = {row["config"]: row for row in data["solutions"]}
    assert sorted(found) == list(range(8))
    pose = erfd.forward_kinematics(robot, found[4]["q"])
    for code, row in found.items():
        assert np.abs(erfd.forward_kinematics(robot, row["q"]) - pose).max() < 1e-12
        inside = all(
            j.position_min <= x <= j.position_max
            for j, x in zip(robot.joints, row["q"], strict=True)
        )
        assert row["within_limits"] == inside
        assert erfd.config_of(robot, row["q"]) == code
    assert [row["within_limits"] for row in data["solutions"]] == [True] * 2 + [False] * 6
    assert np.degrees(found[4]["q"]) == pytest.approx(
        [44.1, 44.4, -32.7, -27.9, -47.3, 34.8], abs=0.1
    )


def test_near_and_config(capsys: pytest.CaptureFixture) -> None:
    near = "44,44,-32,-28,-47,-320"
    assert main(["ik", "lola15", "--pose", S0, "--degrees", "--near", near, "--json"]) == 0
    best = json.loads(capsys.readouterr().out)["solutions"][0]
    assert best["config"] == 4
    assert np.degrees(best["q"][5]) == pytest.approx(34.8 - 360, abs=0.1)
    options = ["--degrees", "--config", "3", "--json"]
    assert main(["ik", "lola15", "--pose", S0, *options]) == 1  # only beyond the limits
    (only,) = json.loads(capsys.readouterr().out)["solutions"]
    assert only["config"] == 3
    assert not only["within_limits"]


def test_out_of_reach_is_exit_1(capsys: pytest.CaptureFixture) -> None:
    pose = ["--pose", "1.3172706,-0.249063,0.8731763,-10,-45,-175.03779", "--degrees"]
    assert main(["ik", "lola15", *pose]) == 0
    capsys.readouterr()
    assert main(["ik", "lola15", *pose, "--tool", "0,0,0"]) == 1
    captured = capsys.readouterr()
    assert "out of reach by 3.5 mm" in captured.err
    assert captured.out == ""
    assert main(["ik", "lola15", *pose, "--tool", "0,0,0", "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["reached"] is False
    assert 1000 * data["distance"] == pytest.approx(3.5, abs=0.05)


@pytest.mark.parametrize("option", ["--pose", "--near", "--tool"])
def test_numbers_that_are_none(option: str, capsys: pytest.CaptureFixture) -> None:
    count = 6 if option == "--near" else 3
    for bad in ("nan", "inf"):
        text = ",".join([bad] + ["0"] * (count - 1))
        assert main(["ik", "lola15", "--pose", S0, "--degrees", option, text]) == 2
        said = f"erfd: {option}: expected finite numbers, found {text!r}\n"
        assert capsys.readouterr().err == said


def test_arms_without_config(capsys: pytest.CaptureFixture) -> None:
    assert main(["ik", "two_link", "--pose", "0.5,0.5,0"]) == 0
    text = capsys.readouterr().out
    assert "two_link: 2 solutions" in text
    assert main(["ik", "sdt4", "--pose=-1.6,0,1.8", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["solutions"]
    assert all(row["config"] is None for row in rows)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--pose", "1,2"), "--pose: expected 3 or 6 numbers between commas, found '1,2'"),
        (("--pose", "1,2,3", "--near", "1"), "--near: expected 6 numbers"),
        (("--pose", "1,2,3", "--tool", "x"), "--tool: expected 3 or 6 numbers"),
    ],
)
def test_mistakes(capsys: pytest.CaptureFixture, arguments: tuple[str, ...], sentence: str) -> None:
    assert main(["ik", "lola15", *arguments]) == 2
    assert sentence in capsys.readouterr().err


def test_a_config_for_an_arm_without(capsys: pytest.CaptureFixture) -> None:
    assert main(["ik", "two_link", "--pose", "0.5,0.5,0", "--config", "1"]) == 2
    assert "it has no CONFIG branches" in capsys.readouterr().err
