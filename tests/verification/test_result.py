"""The verdict of a verification: severity, strictness, continuous load, runs that end early."""

import json
import re
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import erfd
from erfd.cli import main
from erfd.report.wording.texts import Words
from erfd.report.wording.verdict import headline, verdict
from erfd.run.events import find_events
from erfd.studio.jobs.verification import work
from erfd.studio.panels.moves import cells
from erfd.studio.runs.facts import kept_facts
from erfd.studio.runs.open_runs import OpenRun
from erfd.studio.runs.store import About
from erfd.studio.session import Setup
from erfd.verification import verify
from erfd.verification.advice import advise
from erfd.verification.continuous import continuous_load
from erfd.verification.report_page import report_page
from erfd.verification.tables import advice_lines, verification_data

pytestmark = pytest.mark.usefixtures("compiled")
LOLA = erfd.load("lola15")
LINES = """program p;
var
  robtarg: a = robtarg(((900, -150, 500), (0, -60, -175)), 4);
endvar
seq
  move ptp a speed_ptp=0.4;
  move lin a + (0, 300, 0) speed=300 acc={acc};
endseq
"""
THERE_AND_BACK = """program p; seq
  move ptp joint(mainjoint(20, 10)) speed_ptp=0.5;
  move ptp joint(mainjoint(0, 0)) speed_ptp=0.5;
endseq"""


def rated(torque: float) -> erfd.Robot:
    """Lola 15 with motors that bear so many N m for ever."""
    return replace(LOLA, drives=tuple(replace(d, torque_rated=torque) for d in LOLA.drives))


def test_accelerations_warn_and_strictly_they_fail() -> None:
    """On a line whose motors can do it: the interpolator's limits are no physics."""
    text = LINES.format(acc=6000)
    found = verify(text, LOLA)
    kinds = {event.kind for event in found.run.events}
    assert kinds == {"joint acceleration limit"}
    assert found.feasible
    assert re.search(r"feasible: lola15 does the program in \S+ s \(warnings: \d+\)", found.verdict)
    assert found.bad_lines == ()
    strictly = verify(text, LOLA, strict=True)
    assert not strictly.feasible
    assert not strictly.run.feasible
    assert strictly.bad_lines == (7,)
    assert strictly.verdict.startswith("not feasible: line 7: joint")
    assert "joint acceleration limit" in strictly.verdict
    np.testing.assert_array_equal(found.run["q"], strictly.run["q"])


def test_the_acceleration_of_a_move_is_that_of_its_program() -> None:
    """By second differences of the planned positions; its events have the part beyond it."""
    found = verify(LINES.format(acc=6000), LOLA)
    q, dt = found.plan.trajectory.q, found.plan.trajectory.dt
    asked = np.zeros_like(q)
    asked[2:] = np.abs(np.diff(q, 2, axis=0)) / dt**2
    asked[1] = np.abs(q[1] - q[0]) / dt**2
    limits = np.array([joint.acceleration_max for joint in LOLA.joints])
    for k, report in enumerate(found.moves):
        parts = (asked[found.plan.move == k] / limits).max(axis=0)
        np.testing.assert_allclose(report.acceleration, parts, rtol=1e-6, atol=1e-6)
    largest = max(event.part for event in found.run.events)
    assert largest == pytest.approx(found.moves[1].acceleration.max() - 1, rel=1e-6)
    data = verification_data(found, None)
    assert data["moves"][1]["acceleration"] == found.moves[1].acceleration.tolist()
    assert data["events"][0]["severity"] == "warning"
    assert data["events"][0]["part"] > 0
    assert "acceleration %" in report_page(found)


def test_a_strict_override_keeps_accelerations_within_their_limits() -> None:
    strictly = verify(LINES.format(acc=6000), LOLA, strict=True)
    plainly = verify(LINES.format(acc=6000), LOLA)
    assert advise(strictly).override < 1 <= advise(plainly).override


def test_a_weak_motor_is_not_feasible_for_ever() -> None:
    """Feasible once, with a rated torque of 0.001 N m; the verdict names the worst load."""
    found = verify(THERE_AND_BACK, rated(0.001))
    assert found.run.feasible
    assert not found.feasible
    worst = found.continuous.failures[0]
    assert found.verdict.startswith(f"not feasible: {worst}")
    assert found.verdict in report_page(found)
    assert verification_data(found, None)["continuous"]["rows"][0]["severity"] == "failure"
    advice = advise(found)
    assert advice.pause is None
    lines = advice_lines(found, advice)
    assert "no pause brings the continuous load within its limits" in lines
    assert lines[0].startswith("the motion alone is feasible up to a speed override of")


def test_the_advised_pause_is_the_shortest() -> None:
    load = verify(THERE_AND_BACK, LOLA).continuous
    robot = rated(0.7 * float(load.rms_torque.max()))
    found = verify(THERE_AND_BACK, robot)
    advice = advise(found)
    assert not found.feasible
    assert advice.pause > 0
    assert verify(THERE_AND_BACK, robot, pause=advice.pause).feasible
    assert not verify(THERE_AND_BACK, robot, pause=advice.pause - 0.11).feasible
    assert any(f"a pause of {advice.pause:.1f} s" in line for line in advice_lines(found, advice))


def test_a_load_near_its_limit_warns() -> None:
    load = verify(THERE_AND_BACK, LOLA).continuous
    found = verify(THERE_AND_BACK, rated(float(load.rms_torque.max()) / 0.9))
    assert found.feasible
    assert any("is 90.0 % of its limit" in sentence for _, sentence in found.warnings)


def test_the_pause_of_the_command(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    program, file = tmp_path / "p.irl", tmp_path / "rated.toml"
    program.write_text(THERE_AND_BACK, encoding="utf-8")
    load = verify(THERE_AND_BACK, LOLA).continuous
    erfd.save(rated(0.7 * float(load.rms_torque.max())), file)
    words = ["verify", str(program), "--robot", str(file), "--json", "--no-advice"]
    assert main(words) == 1
    assert json.loads(capsys.readouterr().out)["continuous"]["pause"] == 0
    assert main([*words, "--pause", "60"]) == 0
    assert json.loads(capsys.readouterr().out)["continuous"]["pause"] == 60
    assert main([*words, "--pause", "-1"]) == 2
    assert "pause: expected a time >= 0 s, found -1" in capsys.readouterr().err


def cut_short(robot: erfd.Robot, trajectory: erfd.Trajectory, **loads: Any) -> erfd.Run:
    """A run that ends in the middle, as that of an arm that runs away does."""
    run = erfd.achievable(robot, trajectory, **loads)
    data = {name: column[: len(run) // 2] for name, column in run.data.items()}
    data["qd"] = data["qd"].copy()
    data["qd"][-1, 2] = 50.0
    return erfd.Run(robot, data, find_events(data, robot, ended="run-away"))


def test_a_run_that_ends_early(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """Verdict, moves, report, data, advice and studio cope with fewer points than the plan."""
    text = THERE_AND_BACK.replace("0, 0)", "0, 0, 5)")
    whole = verify(text, LOLA)
    monkeypatch.setattr(sys.modules["erfd.verification.verify"], "achievable", cut_short)
    found = verify(text, LOLA)
    assert len(found.run) == len(whole.run) // 2 < len(found.plan.trajectory)
    assert found.seconds == whole.seconds
    end = found.run["t"][-1]
    assert found.verdict.startswith(
        f"not feasible: line 2: the arm runs away at {end:.2f} s: joint 3 turns at 50 rad/s;"
    )
    assert len(found.moves) == 2
    assert found.moves[0].torque.any()
    missed = found.moves[1]  # the run did not come to it
    assert np.isnan([*missed.torque, *missed.speed, *missed.acceleration]).all()
    assert np.isnan([missed.distance, missed.angle]).all()
    assert found.bad_lines == (2,)
    assert advise(found).override is not None
    assert "the arm runs away" in report_page(found, advise(found))
    assert json.dumps(verification_data(found, None), allow_nan=False)
    request = {"folder": str(tmp_path), "setup": {"robot": "lola15"}, "id": "x", "name": "p",
               "program": text, "advice": True, "enclosed": False}  # fmt: skip
    about = About.of(work(request, lambda part, what, about=None: None))
    shown = OpenRun(tmp_path / "run.parquet", about)
    assert "ruka se otima u" in verdict(Words("sr"), kept_facts(about, shown.file))
    assert shown.path()
    assert "run-away" in headline(Words(), kept_facts(about, shown.file))
    row, names = cells(about.moves[1]), ("torque", "speed", "acceleration", "deviation")
    assert [row[name] for name in (*names, "deviation_angle")] == ["-"] * 5
    assert all(cells(about.moves[0])[name] != "-" for name in names)
    data = json.loads(json.dumps(verification_data(found, None)))["moves"][1]
    assert data["torque"] == data["speed"] == data["acceleration"] == [None] * 6
    assert data["deviation"] == {"m": None, "rad": None}
    line = report_page(found).split("<h2>Moves</h2>")[1].split("<tr>")[3]
    assert line.count("<td>-</td>") == 2 * 6 + 3


def test_an_arm_that_falls() -> None:
    """Too heavy a payload: joints faster than they may be, stops, and in the end a run-away."""
    text = "program p; seq wait 2 sec; move ptp joint(mainjoint(10, 10)); endseq"
    puma, limits = erfd.load("puma560"), []
    for mass in (50.0, 1e7):
        found = verify(text, puma, payload=erfd.Payload(mass))
        events = found.run.events
        fast = [e for e in events if e.kind == "joint speed limit" and e.beyond]
        for event in fast:
            rows = (found.run["t"] > event.start + 1e-9) & (found.run["t"] < event.end + 1e-9)
            most = puma.joints[event.joint - 1].velocity_max
            excess = np.abs(found.run["qd"][rows, event.joint - 1]) - most
            assert (excess > 0).all()
            assert event.missing == pytest.approx(excess.max())
        assert fast
        assert not found.feasible
        limits.append({event.kind for event in events})
    assert "run-away" in limits[1] - limits[0]
    assert len(found.run) < len(found.plan.trajectory)
    assert "the arm runs away at" in found.verdict


def test_the_studio_keeps_what_the_verdict_says(tmp_path: Any) -> None:
    """Accelerations of moves, what was not checked, the continuous load, in every language."""
    file = tmp_path / "weak.toml"
    erfd.save(rated(0.001), file)
    setup = Setup(robot="weak.toml", pause=2.0, strict=True)
    request = {"folder": str(tmp_path), "setup": {"robot": "weak.toml", "pause": 2.0,
               "strict": True}, "robot_file": str(file), "id": "x", "name": "p",
               "program": THERE_AND_BACK, "advice": False, "enclosed": False}  # fmt: skip
    about = About.of(work(request, lambda part, what, about=None: None))
    found = verify(THERE_AND_BACK, rated(0.001), name="p", pause=2.0, strict=True)
    facts = kept_facts(about, OpenRun(tmp_path / "run.parquet", about).file)
    for language in ("en", "sr"):
        assert verdict(Words(language), facts) == verdict(Words(language), found.facts)
    assert about.moves[0]["acceleration"] == pytest.approx(100 * found.moves[0].acceleration.max())
    assert about.figures["not_checked"] == list(found.not_checked)
    assert about.figures["continuous"]["period"] == pytest.approx(found.seconds + 2)
    assert Setup.of(about.settings | {"pause": 2.0, "strict": True}) == setup
    load = continuous_load(found.run, 2.0)
    assert about.figures["continuous"]["table"]["failures"] == [str(row) for row in load.failures]
