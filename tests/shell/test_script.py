"""`erfd sim < script`: every command by its script, its mistakes, and the JSON transcript."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import erfd
from erfd.cli import main
from erfd.shell.commands.general import COMMANDS
from erfd.shell.variables import VARIABLES

pytestmark = pytest.mark.usefixtures("compiled")


class Sim:
    """Runs scripts in a folder of their own."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture):
        self.monkeypatch, self.capsys = monkeypatch, capsys

    def __call__(self, script: str, *options: str, robot: str = "two_link", code: int = 0) -> str:
        self.monkeypatch.setattr("sys.stdin", io.StringIO(script))
        assert main(["sim", robot, *options]) == code
        out, self.error = self.capsys.readouterr()
        return out

    def json(self, script: str, *options: str, robot: str = "two_link", code: int = 0) -> list:
        text = self(script, "--json", *options, robot=robot, code=code)
        return [json.loads(line) for line in text.splitlines()][1:]


@pytest.fixture
def sim(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture, tmp_path: Path) -> Sim:
    monkeypatch.chdir(tmp_path)
    return Sim(monkeypatch, capsys)


SHORT = "simulate\n\n\n\n{}\n"
"""A new simulation of some steps, under the constant voltage."""


def test_assignments(sim: Sim) -> None:
    found = sim.json("theta = 0.1 0.2\nom=1 2\nDACT = 0.004\ngravity = 1.5\nf_hand = 1 2 3\n")
    values = [next(iter(entry["data"].values())) for entry in found]
    assert [entry["command"] for entry in found] == [
        "theta", "omega", "DACTimePeriod", "gravity", "f_hand",
    ]  # fmt: skip
    assert [v["value"] for v in values] == [[0.1, 0.2], [1.0, 2.0], 0.004, 1.5, [1.0, 2.0, 3.0]]
    assert [v["unit"] for v in values] == ["rad", "rad/s", "s", "m/s2", "N"]


def test_every_answer_has_its_unit(sim: Sim) -> None:
    text = sim("show\n", robot="cmu_dd")
    for name, variable in VARIABLES.items():
        (line,) = (line for line in text.splitlines() if line.startswith(name))
        assert line.endswith(f"  {variable.unit}")


def test_inverse_and_forward(sim: Sim) -> None:
    robot = erfd.load("two_link")
    theta, omega, alpha, push = [0.3, -0.8], [1.0, 0.5], [2.0, -3.0], [5.0, 0.0, -7.0, 0, 0, 1.0]
    found = sim.json(
        "theta = 0.3 -0.8\nomega = 1 0.5\nalpha = 2 -3\nf_hand = 5 0 -7\nn_hand = 0 0 1\n"
        "inverse_arm\nalpha = 0 0\nforward_arm\n"
    )
    u = erfd.inverse_dynamics(robot, theta, omega, alpha, wrench=push, damping=True)
    rotors = np.array([0.02, 0.005]) * alpha + np.array([0.05, 0.02]) * omega
    torque, voltage = (found[5]["data"][name]["value"] for name in ("torque", "voltage"))
    assert torque == pytest.approx(u + rotors, rel=1e-12)
    assert voltage == pytest.approx(erfd.motor_voltage(robot, torque, omega), rel=1e-12)
    assert found[7]["data"]["alpha"]["value"] == pytest.approx(alpha, abs=1e-10)


def test_gravity_changes_the_arm(sim: Sim) -> None:
    script = "theta = 0 0.5 0 1 0 0.4\ngravity = 3\ninv\ngravity = 0\ninv\ngravity = -3\ninv\n"
    found = sim.json(script, robot="cmu_dd")
    up, none, down = (found[k]["data"]["torque"]["value"] for k in (2, 4, 6))
    assert none == [0.0] * 6
    assert up == pytest.approx([-x for x in down])
    assert max(map(abs, up)) > 1
    sideways = sim("gravity\n")  # this arm moves in a vertical plane: z of frame 0 is level
    assert sideways.endswith("0  m/s2  (v'_0 = 0 9.81 0 in frame 0)\n")


def test_inverse_arm_on_a_file(sim: Sim) -> None:
    rng = np.random.default_rng(3)
    table = np.hstack([np.arange(5)[:, None] * 0.1, rng.uniform(-1, 1, (5, 6))])
    rows = ["# t, theta, omega, alpha", "", *(" ".join(map(repr, r)) for r in table.tolist())]
    Path("sets.txt").write_text("\n".join(rows))
    found = sim.json("inverse_arm sets.txt\nresults.txt\n")[0]
    assert found["data"] == {"sets": 5, "written": ["results.txt", "sets.schedule"]}
    robot = erfd.load("two_link")
    results = np.loadtxt("results.txt")
    assert Path("results.txt").read_text().startswith("# t[s] torque1[Nm] torque2[Nm] voltage1[V]")
    lines = [f"theta = {r[1]!r} {r[2]!r}\nomega = {r[3]!r} {r[4]!r}\nalpha = {r[5]!r} {r[6]!r}\ninv"
             for r in table.tolist()]  # fmt: skip
    single = sim.json("\n".join(lines) + "\n")[3::4]
    assert results[:, 1:3] == pytest.approx(
        np.array([entry["data"]["torque"]["value"] for entry in single]), rel=1e-13
    )
    assert results[:, 3:] == pytest.approx(
        np.array([entry["data"]["voltage"]["value"] for entry in single]), rel=1e-13
    )
    from erfd.forward.input_schedule import read_input_schedule

    schedule = read_input_schedule("sets.schedule", robot.n)
    assert (schedule.values == results[:, 3:]).all()
    np.savetxt("plain.txt", table[:, 1:], delimiter=",")
    assert sim.json("inv plain.txt\n\n")[0]["data"]["written"] == ["plain.out"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "sets.txt: expected rows of 6 numbers, found none"),
        ("1 2 3\n", "sets.txt: line 1: expected numbers: 6, or 7 with a time, found 3"),
        (
            "1 2 3 4 5 6\n1 2 3 4 5 6 7\n",
            "sets.txt: line 2: expected numbers: 6 as before, found 7",
        ),
        ("1 2 3 4 5 x\n", "sets.txt: line 1: expected a number, found 'x'"),
        ("1 2 3 4 5 inf\n", "sets.txt: line 1: expected a finite number, found 'inf'"),
        ("1 1 2 3 4 5 6\n", "sets.txt: times make no schedule: schedule: row 1: expected t = 0"),
    ],
)
def test_wrong_sets(sim: Sim, text: str, why: str) -> None:
    Path("sets.txt").write_text(text)
    sim("inverse_arm sets.txt\n\n", code=2)
    assert why in sim.error


def test_simulate_is_erfd_simulate(sim: Sim) -> None:
    found = sim.json("theta = 0.4 0.9\nvoltage = 5 -2\n" + SHORT.format(350))[-1]
    run = erfd.simulate(
        erfd.load("two_link"), [0.4, 0.9], [0, 0], [5.0, -2.0], steps=350, kind="voltage"
    )
    ends = {"theta": "q", "omega": "qd", "alpha": "qdd", "torque": "u_a", "voltage": "voltage"}
    for name, column in ends.items():
        assert found["data"][name]["value"] == pytest.approx(run[column][-1], abs=1e-11), name
    assert found["data"]["steps"] == 350
    assert found["data"]["t"] == {"value": [0.0, pytest.approx(0.35)], "unit": "s"}
    assert [a["answer"] for a in found["answers"]] == ["new", "no", "no", "350"]


def test_simulate_new_zero_and_continue(sim: Sim) -> None:
    script = "theta = 0.4 0.9\n" + SHORT.format(100) + "simulate\ncontinue\nno\nno\n50\n"
    script += "simulate\nnew\nyes\n\n10\nshow\n"
    *_, first, second, third, last = sim.json(script)
    assert first["data"]["t"]["value"] == [0.0, 0.1]
    assert second["data"]["t"]["value"] == [pytest.approx(0.1), pytest.approx(0.15)]
    whole = sim.json("theta = 0.4 0.9\n" + SHORT.format(150))[-1]
    assert second["data"]["theta"] == whole["data"]["theta"]
    begun = sim.json(SHORT.format(10))[-1]
    assert third["data"]["theta"] == begun["data"]["theta"]
    assert last["data"]["steps"] == 10


def test_schedule_files(sim: Sim) -> None:
    Path("push.txt").write_text("linear\n0 0 0\n0.1 10 -3\n0.25 0 0\n")
    found = sim.json("DACTimePeriod = 0.01\nsimulate\n\n\nyes\npush.txt\n")[-1]
    assert found["data"]["t"]["value"] == [0.0, 0.25]
    assert found["data"]["DACOut"]["value"] == pytest.approx([10 / 15, -3 / 15])  # at 0.24 s
    Path("constant.txt").write_text("0 5 -2\n")  # says no end: the steps are asked for
    held = sim.json("simulate\n\n\ny\nconstant.txt\n120\n")[-1]
    same = sim.json("voltage = 5 -2\n" + SHORT.format(120))[-1]
    assert held["data"]["theta"] == same["data"]["theta"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "push.txt: expected lines of a time and 2 values, found none"),
        ("# nothing\n\n", "push.txt: expected lines of a time and 2 values, found none"),
        ("0 1 2\n0.2 1 2\n0.1 1 2\n", "push.txt: line 3: expected a time after 0.2 s, found 0.1"),
        ("0 1 2\n0 1 2\n", "push.txt: line 2: expected a time after 0 s, found 0"),
        ("0.5 1 2\n", "push.txt: line 1: expected t = 0 in the first row, found 0.5"),
        ("0 1\n", "push.txt: line 1: expected 3 numbers (a time and 2 values), found 2"),
        ("0 1, 2\n", "push.txt: line 1: expected 3 numbers (a time and 2 values), found 2"),
        ("0 1 2 3\n", "push.txt: line 1: expected 3 numbers (a time and 2 values), found 4"),
        ("0, 1, \n", "push.txt: line 1: column 3: expected a number, found nothing"),
        ("0 1 nan\n", "push.txt: line 1: expected finite numbers, found one that is not"),
        ("cubic\n0 1 2\n", "push.txt: line 1: expected 3 numbers"),
    ],
)
def test_wrong_schedules(sim: Sim, text: str, why: str) -> None:
    Path("push.txt").write_text(text)
    sim("simulate\n\n\nyes\npush.txt\n", code=2)
    assert f"erfd: line 5: {why}" in sim.error


def test_limits_of_motors_and_joints(sim: Sim) -> None:
    text = sim("voltage = 500 0\nforward_arm\n" + SHORT.format(1500))
    assert "note: motor 1: 500 V is beyond its limit of 80" in text
    assert "note: motor 1 is at its voltage limit from 0 to 1.5 s" in text
    assert "note: joint 1 is at its stop" in text
    free = sim("voltage = 500 0\n" + SHORT.format(1500), "--stops", "none")
    assert "is at its stop" not in free
    sim("theta = 9 0\n" + SHORT.format(5), code=2)
    assert "line 6: theta: joint 1 (shoulder): expected " in sim.error
    sim("theta = 9 0\n" + SHORT.format(5), "--stops", "none")


def test_methods_and_steps(sim: Sim) -> None:
    ends = {}
    script = "theta = 0.4 0.9\nvoltage = 5 -2\nsimulate\n\n\n\n{}\n"
    for method in ("rk3", "rk4", "dop853"):
        found = sim.json(script.format(300), "--method", method)[-1]
        ends[method] = np.array(found["data"]["theta"]["value"])
    assert ends["rk3"] == pytest.approx(ends["dop853"], abs=1e-6)
    assert ends["rk4"] == pytest.approx(ends["dop853"], abs=1e-9)
    fine = sim.json(script.format(600), "--dt", "0.0005")[-1]["data"]
    assert fine["t"]["value"] == [0.0, 0.3]
    third = np.abs(np.array(fine["theta"]["value"]) - ends["dop853"]).max()
    assert third < np.abs(ends["rk3"] - ends["dop853"]).max() / 5  # an eighth, to the third order


def test_printing(sim: Sim) -> None:
    text = sim("theta = 0.4 0.9\n" + SHORT.format(100) + "print_simulation\n0.02\n0.08\n0.03\n")
    lines = text.partition("Step (s)")[2].splitlines()[1:]
    assert lines[0] == "theta (rad)"
    assert [line.split()[0] for line in lines[2:5]] == ["0.02", "0.05", "0.08"]
    heads = [line for line in lines if line.endswith(")") and not line.startswith(" ")]
    assert heads == [
        "theta (rad)",
        "omega (rad/s)",
        "alpha (rad/s2)",
        "torque (N m)",
        "voltage (V)",
    ]
    data = sim.json("theta = 0.4 0.9\n" + SHORT.format(100) + "pri\n\n\n\n")[-1]["data"]
    assert len(data["t"]) == 21
    assert data["units"]["torque"] == ["N m", "N m"]


def test_output_file(sim: Sim) -> None:
    script = "theta = 0.4 0.9\n" + SHORT.format(100)
    script += "open_output_file\nout.txt\nprint_sim\n0\n0.05\n0.01\nprint_sim\n0.06\n0.1\n0.01\n"
    text = sim(script + "close_output_file\nprint_sim\n0\n0\n\n")
    assert "wrote 6 rows to out.txt" in text
    assert "theta (rad)" in text.partition("closed out.txt")[2]
    table = np.loadtxt("out.txt")
    run = erfd.simulate(erfd.load("two_link"), [0.4, 0.9], [0, 0], [0, 0], steps=100,
                        kind="voltage", stops="inelastic")  # fmt: skip
    assert table.shape == (11, 11)
    assert table[:, 1:3] == pytest.approx(run["q"][::10], abs=1e-12)
    assert table[:, 7:9] == pytest.approx(run["u_a"][::10], abs=1e-12)
    sim("open a.txt\nopen b.txt\n", code=2)
    assert "line 2: a.txt is open; close_output_file closes it" in sim.error
    sim("close\n", code=2)
    assert "line 1: no output file is open" in sim.error


def test_plots(sim: Sim) -> None:
    script = (
        SHORT.format(20) + "plot_simulation\nall\np.png\nplot\ntorque\np.pdf\nplot\nth\np.svg\n"
    )
    text = sim(script)
    for name, start in (("p.png", b"\x89PNG"), ("p.pdf", b"%PDF"), ("p.svg", b"<?xml")):
        assert f"wrote {name}" in text
        assert Path(name).read_bytes().startswith(start)
    assert "wrote" not in sim(SHORT.format(20) + "plot\nth\nnone\n")
    sim(SHORT.format(20) + "plot\ntheta\np.bmp\n", code=2)
    assert "line 8: p.bmp: expected a name that ends in one of .png, .svg, .pdf" in sim.error


def test_graphic_file(sim: Sim, capsys: pytest.CaptureFixture) -> None:
    text = sim(SHORT.format(100) + "write_graphic_file\nmove.jsonl\n0.03\n")
    assert "wrote move.jsonl, 5 moments; `erfd play move.jsonl` animates it" in text
    assert main(["play", "move.jsonl"]) == 0
    assert capsys.readouterr().out == "wrote move.html: two_link, 0.1 s, 5 moments\n"
    assert Path("move.html").read_text().startswith("<!doctype html>")


def test_database(sim: Sim) -> None:
    found = sim.json("theta = 1 1\ndatabase_read lola15\nshow theta\ndata\n\n")
    assert found[1]["data"] | {"mass": 0} == {
        "robot": "lola15", "joints": 6, "mass": 0, "driven_by": "torque",
    }  # fmt: skip
    assert found[2]["data"]["theta"]["value"] == [0.0] * 6
    assert found[3]["data"]["robot"] == "lola15"  # the default is what was read
    sim(SHORT.format(5) + "database_read cmu_dd\nprint\n", code=2)
    assert "line 7: there is no simulation" in sim.error
    sim("database_read nobody\n", code=2)
    assert "line 1: no robot named 'nobody'" in sim.error


def test_torque_driven_robot(sim: Sim) -> None:
    """A robot that tells no R and Kt: everything goes by torques."""
    robot = erfd.load("two_link")
    bare = tuple(replace(d, resistance=np.nan, torque_constant=np.nan) for d in robot.drives)
    erfd.save(replace(robot, drives=bare), "bare.toml")
    text = sim("inv\nforward_arm\n" + SHORT.format(20) + "print\n\n\n0.01\n", robot="bare.toml")
    assert "Use a torque schedule file?" in text
    assert "voltage" not in text
    sim("voltage = 1 2 3 4 5 6\n", robot="lola15", code=2)
    assert "line 1: voltage: robot 'lola15' does not tell R and Kt" in sim.error


def test_save(sim: Sim) -> None:
    script = "gravity = 2\nDACTimePeriod = 0.002\ntheta = 0.1 0.2\nomega = 0.3 0.4\n"
    script += "alpha = 1 2\nvoltage = 3 4\nf_hand = 1 2 3\nn_hand = 4 5 6\nsave\nmy.sim\nshow\n"
    before = sim.json(script)[-1]["data"]["variables"]
    after = sim.json(Path("my.sim").read_text() + "show\n")[-1]["data"]["variables"]
    assert after == before
    sim(SHORT.format(30) + "save run.parquet\nsave run.csv\n")
    from erfd.run.write import read_run

    assert len(read_run("run.parquet")) == 31
    assert len(Path("run.csv").read_text().splitlines()) == 32
    sim("save run.parquet\n", code=2)
    assert "there is no simulation" in sim.error
    sim("save arm.toml\n", code=2)
    assert "expected a name such as session.sim or run.parquet" in sim.error


def test_help(sim: Sim) -> None:
    text = sim("help\n")
    for name in (*VARIABLES, *COMMANDS):
        assert f"\n  {name} " in text
    for name in (*VARIABLES, *COMMANDS):
        assert sim(f"help {name}\n").splitlines()[2].startswith(name)
    sim("help nothing\n", code=2)
    assert "line 1: expected a command or variable, found 'nothing'" in sim.error


def test_quit_and_comments(sim: Sim) -> None:
    text = sim("# a comment\n\n  \nshow theta\nquit\nthis is not read\n")
    assert text.splitlines()[-1] == "sim> quit"


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("show\n# comment\ndance\n", "line 3: expected a command or variable, found 'dance'"),
        ("s\n", "line 1: 's' may be simulate, show or save; write more of it"),
        ("t = 1 2\n", "line 1: 't' may be theta or torque; write more of it"),
        ("power = 1 2\n", "line 1: expected a variable, found 'power'"),
        ("theta 1 2\n", "line 1: theta: expected `theta = numbers`, found 'theta 1 2'"),
        ("theta = 1\n", "line 1: theta: expected 2 numbers, found 1"),
        ("DACTimePeriod = 0.0015\n", "expected 0 or a multiple of the step of 0.001 s"),
        ("DACTimePeriod = -1\n", "expected 0 or a multiple of the step of 0.001 s, found -1"),
        ("simulate\nmaybe\n", "line 2: expected new or continue, found 'maybe'"),
        ("simulate\ncontinue\n", "line 2: there is no simulation to continue"),
        ("simulate\nnew\nno\n# why not\nperhaps\n", "line 5: expected one of yes, no, found"),
        ("simulate\n\n\n\n0\n", "line 5: expected a whole number from 1 to 1000000, found '0'"),
        ("simulate\n\n\n\n1.5\n", "line 5: expected a whole number from 1 to 1000000"),
        ("simulate\n\n\n\n", "line 4: the script ends, an answer to 'Number of time steps"),
        ("simulate\n\n\nyes\n\n", "line 5: expected an answer, found none"),
        ("simulate\n\n\nyes\nnot.txt\n", "line 5: not.txt: no such file"),
        ("simulate now\n", "line 1: simulate: expected nothing behind it, found 'now'"),
        ("print_simulation\n", "line 1: there is no simulation; `simulate` makes one"),
        ("plot_simulation\n", "line 1: there is no simulation"),
        ("write_graphic_file\n", "line 1: there is no simulation"),
        ("open_output_file\nno/where.txt\n", "line 2: no/where.txt: expected a folder no"),
        ("open_output_file .\n", "line 1: .: expected the name of a file, found a folder"),
        ("inverse_arm nobody.txt\n", "line 1: nobody.txt: no such file"),
        (SHORT.format(10) + "print\n0.5\n", "line 7: expected a number from 0 to 0.01"),
        (SHORT.format(10) + "print\n\n\n0\n", "line 9: expected a number from 0.001 to 0.01"),
        (SHORT.format(10) + "plot\nmass\n", "line 7: expected one of theta, omega, alpha,"),
    ],
)
def test_mistakes(sim: Sim, script: str, why: str) -> None:
    """A script stops at its first mistake with the number of its line and exit code 2."""
    sim(script + "show\n" * (not script.endswith("\n\n\n\n")), code=2)
    assert sim.error.startswith("erfd: line ")
    assert why in sim.error
    assert "Traceback" not in sim.error


def test_json_tells_of_the_mistake(sim: Sim) -> None:
    found = sim.json("theta = 1 2\nsimulate\n\nx\n", code=2)
    assert found[-1] == {
        "line": 2,
        "input": "simulate",
        "error": "expected one of yes, no, found 'x'",
        "answers": [
            {"question": "A new simulation, or continue the last one? (new/continue)",
             "answer": "new"},
        ],
    }  # fmt: skip


def test_wrong_options(sim: Sim) -> None:
    sim("", "--dt", "0", code=2)
    assert "--dt: expected a step above 0 and below 1 s, found 0" in sim.error
    sim("", robot="nobody", code=2)
    assert "no robot named 'nobody'" in sim.error


def test_scripts_write_over_their_files(sim: Sim) -> None:
    """Run twice, a script does the same twice: nobody is asked about files that are there."""
    script = SHORT.format(20) + "write_graphic_file\na.jsonl\n\nopen\na.txt\nprint\n\n\n\n"
    first = sim(script)
    assert sim(script) == first
