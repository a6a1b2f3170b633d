"""The command line: help, values that begin with a minus, the two places of a robot, mistakes."""

import argparse
import json
import math
import re
import shlex
from dataclasses import replace

import numpy as np
import pytest

import erfd
from erfd.cli import COMMANDS, main, parser
from erfd.commands.common import mount_of
from erfd.commands.parser import CommandParser, leaves

LEAVES = {leaf.prog.removeprefix("erfd "): leaf for leaf in leaves(parser())}
COUNTS = {"samples", "seed", "every", "joints", "config", "port"}
"""Options with whole numbers that have no unit."""
UNIT = re.compile(r"\b(s|min|days|GB|m|kg|N|N m|V|rad|degrees|0 to 1)\b")


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a wrong command line is answered, which is one sentence and exit code 2."""
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    out, err = capsys.readouterr()
    assert not out
    assert err.count("\n") == 1
    return err


@pytest.mark.parametrize("name", LEAVES)
def test_help_for_a_newcomer(name: str) -> None:
    """An example that the parser takes, what each argument is, units and defaults."""
    leaf = LEAVES[name]
    assert isinstance(leaf, CommandParser)
    program, *words = shlex.split(leaf.example.split(" < ")[0])
    assert program == "erfd"
    assert " ".join(words).startswith(name)
    assert parser().parse_args(words).run is leaf.get_default("run")
    text = " ".join(leaf.format_help().split())
    assert leaf.example in text
    for action in leaf._actions:
        assert action.help, f"{name}: {action.dest} says nothing"
        shown = action.help is not argparse.SUPPRESS
        if action.type is not None and shown and action.dest not in COUNTS:
            assert UNIT.search(action.help), f"{name}: {action.dest} has no unit: {action.help}"
        if (
            shown
            and action.option_strings
            and action.default not in (None, False, "", argparse.SUPPRESS)
        ):
            assert f"default {action.default}" in text or "default" in action.help


def test_every_command_is_tried_for_its_help() -> None:
    assert {name.split()[0] for name in LEAVES} == set(COMMANDS)


@pytest.mark.parametrize(
    "value", ["-1,0,0.5", "-.5,1,1", "-1e-3,0,0", "-inf,0,0", "-nan,0,0", "-0.2,-0.3,-0.4"]
)
def test_values_that_begin_with_a_minus(value: str) -> None:
    """For every option of every command that takes a value."""
    for name, leaf in LEAVES.items():
        for action in leaf._actions:
            if not action.option_strings or action.nargs == 0 or action.choices or action.type:
                continue
            required = [a for a in leaf._actions if a.required and a is not action]
            words = [w for a in required for w in (*a.option_strings[:1], "x")]
            if name == "simulate" and action.dest not in ("torque", "voltage", "joint_torque"):
                words += ["--torque", "0"]
            robot = [] if action.dest == "named_robot" or leaf._robot is None else ["--robot", "x"]
            if leaf._robot is not None and action.dest == "named_robot":
                words = [w for w in words if w != "x"] + ["x"] * words.count("x")
            found = parser().parse_args(
                [*name.split(), *words, *robot, action.option_strings[-1], value]
            )
            place = "robot" if action.dest == "named_robot" else action.dest
            assert getattr(found, place) in (value, [value]), (name, action.dest)


@pytest.mark.parametrize(
    "words",
    [
        ("achieve", "R", "motion.csv"), ("verify", "p.irl", "R"), ("ik", "R", "--pose", "1,0,0"),
        ("show", "R"), ("simulate", "R", "--torque", "0,0", "--time", "1"), ("opcount", "R"),
        ("codegen", "R"), ("equations", "R"), ("sim", "R"), ("bench", "R"),
        ("lirl", "check", "p.irl", "R"), ("controller", "p.irl", "R"),
        ("monitor", "record", "url", "R", "--out", "x.csv"), ("monitor", "recover", "j", "R"),
    ],
)  # fmt: skip
def test_a_robot_by_its_place_or_by_its_option(words: tuple[str, ...]) -> None:
    """Wherever --robot stands among the other words."""
    rest = [word for word in words if word != "R"]
    first = next(k for k, word in enumerate(words) if word == "R")
    wanted = vars(parser().parse_args(words))
    assert wanted["robot"] == "R"
    depth = 2 if words[0] in ("lirl", "monitor") else 1
    for k in range(depth, len(rest) + 1):
        if rest[k - 1].startswith("--"):
            continue
        given = [*rest[:k], "--robot", "R", *rest[k:]]
        assert vars(parser().parse_args(given)) == wanted, given
    assert first >= depth


def test_every_command_with_a_robot_takes_it_both_ways() -> None:
    with_robot = {name for name, leaf in LEAVES.items() if leaf._robot is not None}
    assert with_robot == {
        "achieve", "verify", "ik", "show", "simulate", "opcount", "codegen", "equations", "sim",
        "bench", "lirl check", "controller", "monitor record", "monitor recover",
        "repair", "fastest", "study", "drives template", "drives show", "convert",
        "studio",
    }  # fmt: skip
    for leaf in LEAVES.values():
        named = any("--robot" in action.option_strings for action in leaf._actions)
        assert named == (leaf._robot is not None)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("show", "two_link", "--dt", "1"), "expected no more words, found --dt 1"),
        (("show",), "expected ROBOT (or --robot ROBOT), found none"),
        (
            ("achieve", "lola15"),
            "expected ROBOT TRAJECTORY (or --robot ROBOT), found only",
        ),
        (("show", "a", "--robot", "b"), "--robot: expected one robot, found 'a' and 'b'"),
        (("ik", "lola15", "--pose"), "--pose: expected a value, found none"),
        (("ik", "lola15", "--pose", "1,2,3", "--json=1"), "--json: expected no value, found '1'"),
        (("sim", "--dt", "10ms"), "--dt: expected a finite number, found '10ms'"),
        (("sim", "--dt=--"), "--dt: expected a value, found '--'"),
        (("verify", "a", "b", "--out=--"), "--out: expected a value, found '--'"),
        (("sim", "--dt", "nan"), "--dt: expected a finite number, found 'nan'"),
        (("equations", "a", "--joints", "1.5"), "--joints: expected a whole number, found '1.5'"),
        (("studio", "--port", "-1"), "--port: expected a port from 0 to 65535, found '-1'"),
        (
            ("sim", "--method", "euler"),
            "--method: expected one of rk3, rk4, semi-implicit, dop853,",
        ),
        (("fly",), "COMMAND: expected one of robots, examples,"),
        (("simulate", "two_link"), "expected one of --torque --voltage --joint-torque,"),
    ],
)
def test_a_wrong_line_is_one_sentence(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], sentence: str
) -> None:
    said = refused(capsys, *words)
    assert said.startswith(f"erfd: {sentence}")
    assert said.endswith(" --help says more)\n")


def test_no_option_leaves_its_mistakes_to_python() -> None:
    kinds = {(name, a.dest, a.type) for name, leaf in LEAVES.items() for a in leaf._actions}
    assert not {place for place in kinds if place[2] in (float, int)}


def test_behind_two_hyphens_nothing_is_an_option() -> None:
    """A file may be called like one."""
    for words in (["--json", "--", "--x.irl", "-R"], ["--", "--x.irl", "-R"]):
        found = parser().parse_args(["verify", *words])
        assert (found.program, found.robot) == ("--x.irl", "-R")
    assert parser().parse_args(["studio", "--", "--no-browser"]).file == "--no-browser"
    assert parser().parse_args(["monitor", "watch", "--", "-1", "--"]).urls == ["-1", "--"]
    assert parser().parse_args(["cache", "--", "info"]).action == "info"


def test_base_and_tip_are_of_urdf_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "lola15", "--tip", "hand"]) == 2
    said = "erfd: --tip: expected a file of .urdf, .xacro, .xml, .mjcf, .sdf as the robot, found"
    assert capsys.readouterr().err == f"{said} 'lola15'\n"


def test_angles_are_in_degrees_and_json_in_rad(capsys: pytest.CaptureFixture[str]) -> None:
    """Of the pose, the tool, the joints; --degrees of earlier versions changes nothing."""
    words = [
        "ik",
        "lola15",
        "--pose",
        "0.787,-0.403,0.633,-15,-60,175",
        "--tool",
        "0,0,0.05,10,0,0",
    ]
    words += ["--near", "-44,44,-32,28,-47,-34"]
    assert main([*words, "--json"]) == 0
    data = capsys.readouterr().out
    best = json.loads(data)["solutions"][0]["q"]
    tool = erfd.Pose((0.0, 0.0, 0.05), (0.0, 0.0, math.radians(10)))
    robot = replace(erfd.load("lola15"), tool=tool)
    wanted = erfd.Pose((0.787, -0.403, 0.633), tuple(map(math.radians, (175, -60, -15))))
    pose = erfd.forward_kinematics(robot, best)
    assert pose[:3, 3] == pytest.approx(wanted.xyz)
    assert pose[:3, :3] == pytest.approx(np.array(wanted.rotation), abs=1e-9)
    assert main([*words, "--json", "--degrees"]) == 0
    assert capsys.readouterr().out == data
    assert main(words) == 0
    text = capsys.readouterr().out
    assert " deg" in text
    assert f"{math.degrees(best[0]):.4f}" in text


def test_a_mount_is_in_degrees() -> None:
    mount = mount_of("x=-0.1,z=0.61,roll=90,yaw=-45")
    assert mount.xyz == (-0.1, 0.0, 0.61)
    assert mount.rpy == pytest.approx((math.pi / 2, 0.0, -math.pi / 4))
